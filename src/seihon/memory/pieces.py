"""What goes into a context, from what the store has found: each piece with its heading and its marks."""

from __future__ import annotations

from collections.abc import Sequence

from seihon.core.assemble import Kind, Piece
from seihon.core.render import day, source_line
from seihon.core.snippet import snippet
from seihon.derived.fulltext import Found
from seihon.derived.summaries import reading as summaries
from seihon.memory import marking
from seihon.memory.searching import SNIPPET_WIDTH, why
from seihon.model import Message, Note, Role, Source, Superseded, us

# A text that may have to be cut: then the place that was found should stay in view.
LONG = 1_000
_TRUST = {Role.SYSTEM: "system record"}
_NOTE_TRUST = {
    Source.SETTING: "user",
    Source.MESSAGE: "derived",
    Source.SYSTEM: "system record",
    Source.IMPORT: "import",
}


def heading(message: Message) -> str:
    """Return what a context says of a message."""
    trust = _TRUST.get(message.role, message.role.value)
    return source_line(
        "message", message.id, version=message.version, trust=trust, at=us(message.observed_at)
    )


def recent_piece(message: Message, spans: Sequence[Superseded]) -> Piece:
    """Return a recent message of the conversation."""
    return Piece(
        Kind.RECENT,
        message.id,
        message.version,
        "recent",
        message.content,
        source=heading(message),
        role=message.role.value,
        observed_at=us(message.at),
        marks=marking.to_marks(spans),
    )


def summary_piece(found: summaries.Found, reason: str, spans: Sequence[Superseded]) -> Piece:
    """Return the summary of a range."""
    covers = tuple(found.stored.sources)
    return Piece(
        Kind.SUMMARY,
        found.row.id,
        found.row.version,
        reason,
        found.text,
        source=f"summary {found.row.id} of {covers[0]}–{covers[-1]}, made {day(found.row.made_at)}",
        observed_at=found.row.made_at,
        marks=marking.to_marks(spans),
        covers=covers,
    )


def fresh_piece(message: Message, spans: Sequence[Superseded], score: float) -> Piece:
    """Return a message that is found before its index entry is made."""
    return Piece(
        Kind.MESSAGE,
        message.id,
        message.version,
        "said_just_now",
        message.content,
        source=heading(message),
        role=message.role.value,
        score=score,
        observed_at=us(message.at),
        marks=marking.to_marks(spans),
    )


def found_piece(found: Found, spans: Sequence[Superseded], query: str) -> Piece:
    """Return a search's hit."""
    is_note = found.kind == "note"
    trust = "note" if is_note else _TRUST.get(Role(str(found.role)), str(found.role))
    return Piece(
        Kind.NOTE if is_note else Kind.MESSAGE,
        found.id,
        found.version,
        why(found),
        found.text,
        source=source_line(found.kind, found.id, version=found.version, trust=trust, at=found.observed_at),
        role="user" if is_note else str(found.role),
        score=found.score,
        observed_at=found.at,
        marks=marking.to_marks(spans),
        focus=snippet(found.text, query, SNIPPET_WIDTH).focus if len(found.text) > LONG else 0,
    )


def note_piece(note: Note, spans: Sequence[Superseded]) -> Piece:
    """Return a note that applies to the purpose."""
    at = us(note.observed_at)
    return Piece(
        Kind.NOTE,
        note.id,
        note.version,
        "applies",
        note.text,
        source=source_line("note", note.id, version=note.version, trust=_NOTE_TRUST[note.source], at=at),
        observed_at=at,
        marks=marking.to_marks(spans),
    )
