"""A person's export on its way back in, or into another place: readable records, judged like any others.

Messages come by their ids as in a transcript, notes by theirs. A value is somebody's word for what was known
elsewhere: it is recorded as an inference from the source ``import``, and the field's own rules decide. What
was deleted here, or lies below a field's floor, stays out. Claims and candidates are the history of the
values and are not brought in again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, cast

from seihon import errors
from seihon.canonical import conversations, profiles
from seihon.canonical import notes as note_store
from seihon.canonical import transfer as store
from seihon.canonical.scope import Writer
from seihon.core.resolve import Position
from seihon.core.schema import ProfileSchema
from seihon.core.values import Value
from seihon.memory import claiming, door, transcripts
from seihon.memory.base import Base
from seihon.memory.carrying.arrivals import Arrivals, Fate, Tally, batches
from seihon.memory.carrying.records import Entry
from seihon.memory.fields import Place, place
from seihon.memory.notes import Notes
from seihon.memory.profiles import placed
from seihon.memory.transcripts import Line
from seihon.model import BadLine, ClaimState, Confidence, NoteState, Source, instant

_TOLD_OTHERWISE: Final = frozenset({"claim", "candidate"})
_CURRENT: Final = frozenset({"current", "stale"})


@dataclass(slots=True)
class Person:
    """One import of a person's export."""

    memory: Base
    owner: str
    arrivals: Arrivals
    writing: Callable[[], AbstractContextManager[Writer]]

    @property
    def tally(self) -> Tally:
        """Return the counts so far."""
        return self.arrivals.tally

    def take(self, entries: Sequence[Entry | BadLine]) -> None:
        """Take a stretch of the file."""
        for record, run in groupby(entries, key=lambda one: one.record if isinstance(one, Entry) else ""):
            found = list(run)
            self.tally.bad += [one for one in found if isinstance(one, BadLine)]
            known = [one for one in found if isinstance(one, Entry)]
            if record == "message":
                self._messages(known)
            elif record not in _TOLD_OTHERWISE:
                for entry in known:
                    self._take(entry)

    def _take(self, entry: Entry) -> None:
        ways = {"conversation": self._conversation, "note": self._note, "value": self._value}
        try:
            if entry.record not in ways:
                raise errors.BadFormat("A person's export holds no records of that kind.")
            self.tally.count(ways[entry.record](entry.data))
        except errors.UnknownField as error:
            told = "The schema here has no field of this name; the value was not brought in."
            self.tally.bad.append(BadLine(entry.number, error.code, told))
        except (errors.InvalidArgument, errors.Conflict, errors.NotFound) as error:
            self.tally.bad.append(BadLine(entry.number, error.code, error.message))

    def _messages(self, entries: Sequence[Entry]) -> None:
        read = [transcripts.checked(entry.number, entry.data) for entry in entries]
        self.tally.bad += [one for one in read if isinstance(one, BadLine)]
        for batch in batches([one for one in read if isinstance(one, Line)], len(read)):
            with self.writing() as tx:
                self.arrivals.admit(tx, [one for one in batch if isinstance(one, Line)])

    def _conversation(self, data: Mapping[str, Any]) -> Fate:
        name = door.identifier(data.get("id"), "id")
        seconds = data.get("retention_seconds")
        if seconds is not None and not (type(seconds) in (int, float) and 0 < seconds < _LONGEST):
            raise errors.InvalidArgument("`retention_seconds` must be a positive number, or null.")
        with self.writing() as tx:
            if conversations.is_dead(tx, "conversation", name):
                return _keep_out(tx, Fate.DELETED)
            if tx.first(conversations.CONVERSATION, id=name) is not None:
                return _keep_out(tx, Fate.PRESENT)
            meta = door.metadata(data.get("metadata"))
            tx.add(store.ADD_CONVERSATION, [_new_conversation(tx, name, seconds, meta)])
            tx.change("conversation.imported", name)
        return Fate.NEW

    def _note(self, data: Mapping[str, Any]) -> Fate:
        given = door.identifier(data.get("id"), "id")
        sources = [door.identifier(one, "sources") for one in _list(data.get("sources"), "sources")]
        with self.memory.reading(self.owner) as tx:
            if conversations.is_dead(tx, "note", given):
                return Fate.DELETED
            if tx.all(note_store.NOTES_BY_ID, ids=[given]):
                return Fate.PRESENT
        try:
            self._add_note(given, data, sources)
        except errors.Gone:
            return Fate.DELETED
        except errors.AlreadyExists:
            # It is there and its time has passed.
            return Fate.PRESENT
        except errors.NotFound:
            # Its source did not come along: the time of that one had passed.
            self._add_note(given, data, ())
        return Fate.NEW

    def _add_note(self, given: str, data: Mapping[str, Any], sources: Sequence[str]) -> None:
        observed, expires = (
            transcripts.moment(data.get(name), name) for name in ("observed_at", "expires_at")
        )
        cast("Notes", self.memory).add_note(
            self.owner,
            door.text(data.get("text"), "text", limit=door.MAX_NOTE),
            id=given,
            scope=door.text(data.get("scope"), "scope"),
            sources=sources,
            source=None if sources else Source.IMPORT,
            candidate=data.get("state") == NoteState.CANDIDATE,
            observed_at=None if observed is None else instant(observed),
            expires_at=None if expires is None else instant(expires),
            metadata=data.get("metadata"),
            actor="import",
        )

    def _value(self, data: Mapping[str, Any]) -> Fate:
        if data.get("status") not in _CURRENT:
            return Fate.PRESENT
        field, scope = door.text(data.get("field"), "field"), door.text(data.get("scope"), "scope")
        observed = transcripts.moment(data.get("observed_at"), "observed_at")
        with self.writing() as tx:
            schema = self.memory.schema_of(tx)
            at = place(tx, *placed(schema, field, scope))
            value = at.field.parse(data.get("value"))
            when = tx.now if observed is None else min(observed, tx.now)
            fate = _fate_of(tx, at, value, when)
            if fate is not Fate.NEW:
                return _keep_out(tx, fate)
            self._record(tx, at, value, when, schema)
        return Fate.NEW

    def _record(self, tx: Writer, at: Place, value: Value, when: int, schema: ProfileSchema) -> None:
        draft = claiming.Draft(
            value=value,
            confidence=Confidence.INFERRED,
            source=Source.IMPORT,
            observed_at=when,
            extractor="import",
        )
        claiming.record(tx, at, draft, schema=schema.version)


_LONGEST: Final = 10_000 * 366 * 86_400


def _keep_out(tx: Writer, fate: Fate) -> Fate:
    tx.discard()
    return fate


def _fate_of(tx: Writer, at: Place, value: Value, when: int) -> Fate:
    """Tell whether a value was deleted here, or is known already, as current or as an earlier import."""
    position = Position(when, 0, 0, 0, 0)
    if not position.reaches(at.floor) or claiming.is_deleted(tx, at, position):
        return Fate.DELETED
    plain = at.field.type.dump(value)
    if at.row is not None and at.row.status == "current" and tx.open_json(at.row.value) == plain:
        return Fate.PRESENT
    for claim in tx.all(profiles.CLAIMS_OF_FIELD, field=at.field.name, scope=at.scope):
        same = claim.observed_at == when and tx.open_json(claim.value) == plain
        if same and claim.state != ClaimState.WITHDRAWN:
            return Fate.PRESENT
    return Fate.NEW


def _new_conversation(
    tx: Writer, name: str, seconds: float | None, metadata: Mapping[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": name,
        "last_seq": 0,
        # Before all messages, so that their own times order them.
        "last_at": 0,
        "version": 1,
        "retain_us": None if seconds is None else int(seconds * 1_000_000),
        "created_at": tx.now,
        "created_revision": tx.revision,
        "revision": tx.revision,
        "deleted_revision": None,
        "metadata": None if metadata is None else tx.seal_json(metadata),
    }


def _list(value: object, name: str) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise errors.InvalidArgument(f"`{name}` must be a list.", name=name)
    return cast("list[object]", value)
