"""A finished context in the cache: what it is kept under, how it is written, and how long it is good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Row

from seihon.canonical import endings, outbox
from seihon.canonical.codec import from_json, to_json
from seihon.canonical.scope import Reader
from seihon.core.assemble import Assembly, Kind, Piece
from seihon.core.freshness import steady_until
from seihon.core.policies import Clock
from seihon.core.schema import Field
from seihon.derived.cache.kept import LONGEST_S
from seihon.memory.fields import held_of
from seihon.model import ContextItem, ContextOmission

SECOND: Final = 1_000_000
_CONTEXT: Final = "context"
_MESSAGES: Final = frozenset({Kind.RECENT, Kind.MESSAGE})


@dataclass(frozen=True, slots=True)
class Seen:
    """What a context was read at; ``now`` and ``until`` (us): when, and until when it stays so by time alone,
    where that was looked for.
    """

    epoch: int
    revision: int
    now: int = 0
    until: int = 0

    @property
    def at(self) -> tuple[int, int]:
        """Return epoch and revision."""
        return self.epoch, self.revision

    def holds_at(self, now: int) -> bool:
        """Tell whether no time has passed that changes it; a clock that was set back tells nothing."""
        return not self.until or self.now <= now < self.until


@dataclass(frozen=True, slots=True)
class Made:
    """A finished context, before its run is recorded."""

    text: str
    messages: tuple[Mapping[str, str], ...]
    tokens: int
    items: tuple[ContextItem, ...]
    omissions: tuple[ContextOmission, ...]


def made_of(found: Assembly) -> Made:
    """Return what was assembled, in the words of the model."""
    return Made(
        found.text,
        tuple(found.messages),
        found.tokens,
        tuple(
            ContextItem(one.id, one.kind.value, one.version, one.reason, one.tokens, one.cut, one.marked)
            for one in found.items
        ),
        tuple(ContextOmission(one.id, one.kind.value, one.reason.value) for one in found.omissions),
    )


def key_of_context(tx: Reader, asked: Sequence[object]) -> list[object] | None:
    """Return what a context is kept under, or ``None`` while a copy has yet to follow a write.

    The owner's row says all that is canonical: time and retention, which move without it, stand beside it.
    ``asked``: everything that was asked and set up.
    """
    if not outbox.is_followed(tx):
        return None
    return [_CONTEXT, tx.epoch, tx.revision, tx.written_at, tx.retain, tx.schema_version, *asked]


def until(
    tx: Reader, pieces: Iterable[Piece], values: Iterable[Row[Any]], fields: Mapping[str, Field]
) -> int:
    """Return the moment (us) from which a context of these pieces may differ, with nothing written."""
    kinds: dict[str, list[str]] = {"messages": [], "notes": [], "summaries": []}
    for piece in pieces:
        if piece.kind in _MESSAGES:
            kinds["messages"].append(piece.id)
        elif piece.kind == Kind.NOTE:
            kinds["notes"].append(piece.id)
        elif piece.kind == Kind.SUMMARY:
            kinds["summaries"].append(piece.id)
    most = tx.now + int(LONGEST_S * SECOND)
    end = endings.first_end(tx, **kinds)
    most = most if end is None else min(most, end)
    clock = Clock(tx.turn, tx.now)
    for row in values:
        field = fields.get(row.field)
        if field is not None:
            most = steady_until(held_of(tx, field, row), clock, field.limits, field.policy, most)
    return most


def to_text(made: Made, seen: Seen) -> str:
    """Return an entry's text."""
    return to_json({"now": seen.now, "until": seen.until, "made": asdict(made)})


def of_text(text: str) -> tuple[Made, int, int]:
    """Return what an entry holds, when it was read and until when it is good (us)."""
    found = from_json(text)
    made = found["made"]
    return (
        Made(
            made["text"],
            tuple(made["messages"]),
            made["tokens"],
            tuple(ContextItem(**one) for one in made["items"]),
            tuple(ContextOmission(**one) for one in made["omissions"]),
        ),
        found["now"],
        found["until"],
    )
