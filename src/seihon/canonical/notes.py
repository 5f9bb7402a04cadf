"""Notes: the statements, and the rows they become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, and_, case, delete, select, tuple_, update

from seihon.canonical import tables as t
from seihon.canonical.conversations import refuse_missing
from seihon.canonical.scope import OWNER, REVISION, Reader, live_messages, live_notes, p
from seihon.model import Note, NoteState, Source, instant, maybe_instant

n, s = t.notes.c, t.note_sources.c
ln = live_notes.c

ADD_NOTE = t.notes.insert()
ADD_NOTE_SOURCES = t.note_sources.insert()
NOTE = select(live_notes).where(ln.id == p("id"))
NOTES_BY_ID = select(live_notes).where(ln.id.in_(p("ids", many=True)))
NOTES = (
    select(live_notes)
    .where(
        ln.state.in_(p("states", many=True)), tuple_(ln.at, ln.id) > tuple_(p("after", t.Big), p("after_id"))
    )
    .order_by(ln.at, ln.id)
    .limit(p("limit", t.Big))
)
RECENT_NOTES = (
    select(live_notes)
    .where(ln.state == "current", ln.scope.in_(p("scopes", many=True)))
    .order_by(ln.at.desc(), ln.id)
    .limit(p("limit", t.Big))
)
# Of the limits that a note inherits, those that are instants or turns of their own.
SOURCE_LIMITS = (
    select(live_messages.c.expires_at, live_messages.c.expires_turn)
    .join(t.note_sources, and_(s.owner == live_messages.c.owner, s.message == live_messages.c.id))
    .where(s.owner == OWNER, s.note == p("note"))
)
NOTE_SOURCES = select(s.note, s.message).where(s.owner == OWNER, s.note.in_(p("notes", many=True)))
EDIT_NOTE = (
    update(t.notes)
    .where(n.owner == OWNER, n.id == p("id"), n.version == p("expect"), n.state.in_(["current", "candidate"]))
    .values(
        text=p("text_"),
        scope=p("scope_"),
        metadata=p("metadata_"),
        expires_at=p("expires_at_"),
        expires_turn=p("expires_turn_"),
        version=n.version + 1,
        revision=REVISION,
    )
    .returning(n.version)
)
MOVE_NOTE = (
    update(t.notes)
    .where(n.owner == OWNER, n.id == p("id"), n.version == p("expect"), n.state == p("was"))
    .values(state=p("state_"), superseded_by=p("by"), version=n.version + 1, revision=REVISION)
    .returning(n.version)
)
DRAWN_NOTES = select(n.id).where(
    n.owner == OWNER,
    n.deleted_revision.is_(None),
    n.id.in_(select(s.note).where(s.owner == OWNER, s.message.in_(p("messages", many=True)))),
)
DRAWN_NOTES_OF_CONVERSATION = select(n.id).where(
    n.owner == OWNER,
    n.deleted_revision.is_(None),
    n.id.in_(
        select(s.note).where(
            s.owner == OWNER,
            s.message.in_(
                select(t.messages.c.id).where(
                    t.messages.c.owner == OWNER, t.messages.c.conversation == p("conversation")
                )
            ),
        )
    ),
)
ERASE_NOTES = (
    update(t.notes)
    .where(n.owner == OWNER, n.id.in_(p("ids", many=True)), n.deleted_revision.is_(None))
    .values(
        text="",
        metadata=None,
        state=case((n.state == "superseded", n.state), else_="withdrawn"),
        deleted_revision=REVISION,
        version=n.version + 1,
        revision=REVISION,
    )
)
CUT_NOTE_SOURCES = delete(t.note_sources).where(s.owner == OWNER, s.note.in_(p("notes", many=True)))
SOURCE_MESSAGES = select(
    live_messages.c.id, live_messages.c.version, live_messages.c.expires_at, live_messages.c.expires_turn
).where(live_messages.c.id.in_(p("ids", many=True)))


def to_note(tx: Reader, row: Row[Any], sources: Sequence[str]) -> Note:
    """Return the noun of a note's row."""
    return Note(
        id=row.id,
        text=tx.open(row.text),
        scope=row.scope,
        state=NoteState(row.state),
        source=Source(row.source),
        observed_at=instant(row.observed_at),
        version=row.version,
        revision=row.revision,
        expires_at=maybe_instant(row.expires_at),
        expires_turn=row.expires_turn,
        superseded_by=row.superseded_by,
        sources=tuple(sources),
        metadata=tx.open_json(row.metadata) or {},
    )


def to_notes(tx: Reader, rows: Sequence[Row[Any]]) -> tuple[Note, ...]:
    """Return the nouns of several rows, their sources read in one statement."""
    sources: dict[str, list[str]] = {}
    for link in tx.all(NOTE_SOURCES, notes=[row.id for row in rows]) if rows else ():
        sources.setdefault(link.note, []).append(link.message)
    return tuple(to_note(tx, row, sorted(sources.get(row.id, ()))) for row in rows)


def get(tx: Reader, note_id: str) -> Note:
    """Return a live note.

    Raises:
        Gone: it was deleted.
        NotFound: there never was one, or its time has passed.
    """
    row = tx.first(NOTE, id=note_id)
    if row is None:
        refuse_missing(tx, "note", note_id)
    return to_notes(tx, [row])[0]
