"""Verbs on notes: free-form memory for what a model reads and no code branches on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import conversations
from seihon.canonical import notes as store
from seihon.canonical.scope import Reader, Writer
from seihon.core import scopes
from seihon.memory import door
from seihon.memory.base import Base
from seihon.model import KEEP, Note, NoteState, Page, Source, Unset, plain, us

SOURCES_AT_MOST = 100
# Before every instant: what was observed before 1970 is a negative number of microseconds.
_START = (str(-(2**62)), "")


class Notes(Base):
    """Add, edit, supersede, confirm and reject; deletion is a verb of its own (``forget``)."""

    def add_note(
        self,
        owner: str,
        text: str,
        *,
        id: str | None = None,
        scope: str = scopes.DEFAULT,
        sources: Sequence[str] = (),
        source: Source | str | None = None,
        candidate: bool = False,
        observed_at: datetime | None = None,
        expires_at: datetime | None = None,
        expires_after_turns: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        actor: str = "application",
    ) -> Note:
        """Add a note.

        Args:
            sources: ids of the messages it was drawn from; it goes when one of them is deleted or edited,
                and expires no later than any of them.
            source: where it comes from; by default ``message`` with ``sources``, else ``setting``.
            candidate: it waits for the person's word and is seen by nobody until then.

        Raises:
            Gone: a source was deleted, or a note of this id. AlreadyExists: another note has this id.
        """
        draft = {
            "text": door.text(text, "text", limit=door.MAX_NOTE),
            "scope": scopes.scope(scope),
            "metadata": door.metadata(metadata),
            "observed_at": door.moment(observed_at, "observed_at"),
            "expires_at": door.moment(expires_at, "expires_at"),
            "expires_after": door.maybe_whole(expires_after_turns, "expires_after_turns", least=1),
            "state": NoteState.CANDIDATE if candidate else NoteState.CURRENT,
        }
        lines = [door.identifier(one, "sources") for one in dict.fromkeys(sources)]
        if len(lines) > SOURCES_AT_MOST:
            raise errors.InvalidArgument(f"A note has at most {SOURCES_AT_MOST} sources.")
        kind = door.choice(source or (Source.MESSAGE if lines else Source.SETTING), "source", Source)
        if (kind is Source.MESSAGE) != bool(lines):
            raise errors.InvalidArgument("A note from a message needs `sources`; any other takes none.")
        given = None if id is None else door.identifier(id, "id")
        request = [plain(value) for value in draft.values()] + [lines, kind.value, given]
        with self.writing(owner, actor=actor) as tx:
            found = self.once(
                tx, idempotency_key, "add_note", request, lambda: _add(tx, draft, lines, kind, given)
            )
            return store.get(tx, found)

    def note(self, owner: str, note: str) -> Note:
        """Return one note.

        Raises:
            Gone: it was deleted. NotFound: there is none, or its time has passed.
        """
        wanted = door.identifier(note, "id")
        with self.reading(owner) as tx:
            return store.get(tx, wanted)

    def notes(
        self,
        owner: str,
        *,
        state: NoteState | str = NoteState.CURRENT,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Note]:
        """Return a page of an owner's notes in one state, oldest first."""
        wanted = door.choice(state, "state", NoteState)
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        after = door.cursor(cursor, 2) or _START
        with self.reading(owner) as tx:
            rows = tx.all(
                store.NOTES, states=[wanted.value], after=int(after[0]), after_id=after[1], limit=size + 1
            )
            items = store.to_notes(tx, rows[:size])
        last = rows[size - 1] if len(rows) > size else None
        return Page(items, None if last is None else door.make_cursor(last.at, last.id))

    def edit_note(
        self,
        owner: str,
        note: str,
        *,
        expect: int,
        text: str | Unset = KEEP,
        scope: str | Unset = KEEP,
        metadata: Mapping[str, Any] | Unset | None = KEEP,
        expires_at: datetime | Unset | None = KEEP,
        expires_after_turns: int | Unset | None = KEEP,
        actor: str = "application",
    ) -> Note:
        """Change what is named of a note and keep the rest; the old text is not kept.

        A limit that it has from a source message stays: it expires no later than any of them.

        Raises:
            VersionConflict: another edit came first; details carry the current version.
        """
        wanted, expected = door.identifier(note, "id"), door.whole(expect, "expect", least=1)
        with self.writing(owner, actor=actor) as tx:
            before = store.get(tx, wanted)
            _require_editable(before)
            meta = before.metadata if isinstance(metadata, Unset) else door.metadata(metadata)
            inherited = tx.all(store.SOURCE_LIMITS, note=wanted)
            fresh = before.text if isinstance(text, Unset) else door.text(text, "text", limit=door.MAX_NOTE)
            row = tx.run(
                store.EDIT_NOTE,
                id=wanted,
                expect=expected,
                text_=tx.seal(fresh),
                scope_=before.scope if isinstance(scope, Unset) else scopes.scope(scope),
                metadata_=tx.seal_json(meta) if meta else None,
                expires_at_=_earliest(_expiry(before, expires_at), *(one.expires_at for one in inherited)),
                expires_turn_=_earliest(
                    _expiry_turn(tx, before, expires_after_turns), *(one.expires_turn for one in inherited)
                ),
            )
            if row is None:
                raise _conflict(before)
            tx.mark(f"note:{wanted}")
            tx.change("note.edited", wanted)
            return store.get(tx, wanted)

    def supersede_note(
        self, owner: str, note: str, text: str, *, expect: int | None = None, actor: str = "application"
    ) -> Note:
        """Replace a note by a new one; the old one leaves every read and stays linked to its successor.

        The successor takes over scope, metadata and sources, and the earlier of the two expiries.

        Raises:
            VersionConflict: the note was changed by another writer.
        """
        wanted, fresh = door.identifier(note, "id"), door.text(text, "text", limit=door.MAX_NOTE)
        with self.writing(owner, actor=actor) as tx:
            before = store.get(tx, wanted)
            _require_editable(before)
            expected = before.version if expect is None else door.whole(expect, "expect", least=1)
            draft = {
                "text": fresh,
                "scope": before.scope,
                "metadata": before.metadata,
                "observed_at": None,
                "expires_at": None if before.expires_at is None else us(before.expires_at),
                "expires_after": None,
                "expires_turn": before.expires_turn,
                "state": before.state,  # a candidate goes on waiting for the person's word
            }
            successor = _add(tx, draft, list(before.sources), before.source, None)
            moved = tx.run(
                store.MOVE_NOTE,
                id=wanted,
                expect=expected,
                was=before.state.value,
                state_="superseded",
                by=successor,
            )
            if moved is None:
                raise _conflict(before)
            tx.mark(f"note:{wanted}")
            tx.change("note.superseded", wanted)
            return store.get(tx, successor)

    def confirm_note(self, owner: str, note: str, *, actor: str = "person") -> Note:
        """Make a candidate note current by the person's word."""
        return self._settle(owner, note, NoteState.CURRENT, actor)

    def reject_note(self, owner: str, note: str, *, actor: str = "person") -> Note:
        """Turn a candidate note down; it stays out of every search and context."""
        return self._settle(owner, note, NoteState.REJECTED, actor)

    def _settle(self, owner: str, note: str, state: NoteState, actor: str) -> Note:
        wanted = door.identifier(note, "id")
        with self.writing(owner, actor=actor) as tx:
            before = store.get(tx, wanted)
            if before.state is not NoteState.CANDIDATE:
                raise errors.Conflict(f"The note is {before.state}, not a candidate.", kind="note", id=wanted)
            tx.run(
                store.MOVE_NOTE,
                id=wanted,
                expect=before.version,
                was="candidate",
                state_=state.value,
                by=None,
            )
            tx.mark(f"note:{wanted}")
            tx.change("note.confirmed" if state is NoteState.CURRENT else "note.rejected", wanted)
            return store.get(tx, wanted)


def _add(
    tx: Writer, draft: Mapping[str, Any], sources: Sequence[str], source: Source, given: str | None
) -> str:
    if given is not None:
        _require_free(tx, given)
    drawn_from = {row.id: row for row in tx.all(store.SOURCE_MESSAGES, ids=list(sources))}
    for message in sources:
        if message not in drawn_from:
            conversations.refuse_missing(tx, "message", message)
    door.ahead(draft["expires_at"], tx.now, "expires_at")
    note = given or tx.new_id("n")
    row = _row(tx, draft, source, list(drawn_from.values()))
    tx.add(store.ADD_NOTE, [{"id": note, **row}])
    links = [{"note": note, "message": one, "message_version": drawn_from[one].version} for one in sources]
    tx.add(store.ADD_NOTE_SOURCES, links)
    tx.mark(f"note:{note}")
    tx.change("note.added", note)
    return note


def _row(
    tx: Writer, draft: Mapping[str, Any], source: Source, drawn_from: Sequence[Row[Any]]
) -> dict[str, Any]:
    """Return a new note's row, but for its id."""
    observed = draft["observed_at"]
    at = tx.place(observed)
    after = draft["expires_after"]
    expires_turn = draft.get("expires_turn") if after is None else tx.turn + after
    return {
        "text": tx.seal(draft["text"]),
        "scope": draft["scope"],
        "state": draft["state"].value,
        "source": source.value,
        "metadata": tx.seal_json(dict(draft["metadata"])) if draft["metadata"] else None,
        "observed_at": tx.now if observed is None else observed,
        "at": at,
        "turn": tx.turn if observed is None else conversations.turn_at(tx, at),
        "version": 1,
        "created_revision": tx.revision,
        "revision": tx.revision,
        "recorded_at": tx.now,
        # What was drawn from a text lives no longer than the text.
        "expires_at": _earliest(draft["expires_at"], *(one.expires_at for one in drawn_from)),
        "expires_turn": _earliest(expires_turn, *(one.expires_turn for one in drawn_from)),
        "superseded_by": None,
        "deleted_revision": None,
    }


def _earliest(*limits: int | None) -> int | None:
    return min((one for one in limits if one is not None), default=None)


def _require_free(tx: Reader, note: str) -> None:
    if conversations.is_dead(tx, "note", note):
        raise errors.Gone("The note was deleted and its id is never used again.", kind="note", id=note)
    if tx.first(conversations.NOTE_SCOPE, id=note) is not None:
        raise errors.AlreadyExists("Another note has this id.", kind="note", id=note)


def _require_editable(note: Note) -> None:
    if note.state not in (NoteState.CURRENT, NoteState.CANDIDATE):
        raise errors.Conflict(f"The note is {note.state} and cannot be changed.", kind="note", id=note.id)


def _conflict(before: Note) -> errors.VersionConflict:
    return errors.VersionConflict(
        f"The note was changed by another writer; it has version {before.version} now.",
        kind="note",
        id=before.id,
        current=before.version,
    )


def _expiry(before: Note, expires_at: datetime | Unset | None) -> int | None:
    if isinstance(expires_at, Unset):
        return None if before.expires_at is None else us(before.expires_at)
    return door.moment(expires_at, "expires_at")


def _expiry_turn(tx: Reader, before: Note, after: int | Unset | None) -> int | None:
    if isinstance(after, Unset):
        return before.expires_turn
    turns = door.maybe_whole(after, "expires_after_turns", least=1)
    return None if turns is None else tx.turn + turns
