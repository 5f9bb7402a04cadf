"""What a summary of a range is made from: its live messages, without the words that no longer hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import Row

from seihon.canonical import profiles
from seihon.canonical import summaries as statements
from seihon.canonical.codec import to_json
from seihon.canonical.scope import Reader
from seihon.core import ranges
from seihon.core.marks import places
from seihon.core.reading import SourceMessage

MASK: Final = "[…]"
"""What stands in place of a quote that was superseded or withdrawn: no model sees the words."""

Quote = tuple[int, int, str, str]
"""A stretch of a message by its claim, and the field and scope that say something else now; (0, 0): all."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The summary that a range has: whether it is current, how far it reaches, and what it was made from."""

    id: str
    current: bool
    last_seq: int
    source_version: str
    input_hash: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One range as it is now; ``versions`` of its live messages in their order, ``gone`` their lost quotes.

    ``last_seq``: how far the conversation has come in it; a full range ends at its last number.
    ``last_version`` counts the summaries that the range had (0: none). ``expires_at`` (us): when the first of
    the messages expires by itself.
    """

    block: int
    conversation: str
    last_seq: int
    seqs: tuple[int, ...]
    messages: tuple[SourceMessage, ...]
    versions: Mapping[str, int]
    gone: Mapping[str, tuple[Quote, ...]]
    expires_at: int | None
    standing: Standing | None
    last_version: int

    @property
    def full(self) -> bool:
        """Tell whether nothing can be added to the range any more."""
        return ranges.is_full(self.block, self.last_seq)

    @property
    def first_seq(self) -> int:
        """The first number of the range."""
        return ranges.bounds(self.block)[0]

    @property
    def source_version(self) -> str:
        """The digest of every message's id, version and lost quotes: equal while nothing changed."""
        held = [[one, version, self.gone.get(one, ())] for one, version in self.versions.items()]
        return digest(held)

    @property
    def as_made(self) -> Snapshot:
        """The range as far as its summary has to reach: what came after a tail's is no fault of it."""
        if self.full or self.standing is None:
            return self
        return self.up_to(self.standing.last_seq)

    def up_to(self, seq: int) -> Snapshot:
        """Return the range without what came after a sequence number."""
        if seq >= self.last_seq:
            return self
        kept = [one for one, number in zip(self.messages, self.seqs, strict=True) if number <= seq]
        return replace(
            self,
            last_seq=seq,
            seqs=tuple(number for number in self.seqs if number <= seq),
            messages=tuple(kept),
            versions={one.id: self.versions[one.id] for one in kept},
            gone={one.id: self.gone[one.id] for one in kept if one.id in self.gone},
        )


def digest(value: Any) -> str:
    """Return a short fingerprint of ids and numbers."""
    return sha256(to_json(value).encode()).hexdigest()[:32]


def read(tx: Reader, block: int, conversation: str) -> Snapshot:
    """Read one range; a conversation that is gone has no messages."""
    first, last = ranges.bounds(block)
    rows = tx.all(statements.RANGE_MESSAGES, conversation=conversation, first=first, last=last)
    gone = lost_quotes(tx, [row.id for row in rows])
    at = {"block": block, "conversation": conversation}
    standing = tx.first(statements.STANDING, **at)
    version = tx.first(statements.LAST_VERSION, **at)
    limits = [row.expires_at for row in rows if row.expires_at is not None]
    return Snapshot(
        block,
        conversation,
        min(last, statements.end_of(tx, conversation)),
        tuple(row.seq for row in rows),
        tuple(_message(tx, row, gone.get(row.id, ())) for row in rows),
        {row.id: row.version for row in rows},
        gone,
        min(limits, default=None),
        None if standing is None else _standing(standing),
        0 if version is None else version.version,
    )


def lost_quotes(tx: Reader, messages: Sequence[str]) -> dict[str, tuple[Quote, ...]]:
    """Return, of each message, the quotes whose field says something else now, or nothing."""
    found: dict[str, set[Quote]] = {}
    for row in tx.all(profiles.SUPERSEDED, messages=list(messages)) if messages else ():
        if not still_says(tx, row):
            found.setdefault(row.message, set()).add(quote_of(row))
    return {message: tuple(sorted(quotes)) for message, quotes in found.items()}


def still_says(tx: Reader, row: Row[Any]) -> bool:
    """Tell whether a field says again what a superseded claim said."""
    return row.status == "current" and tx.open_json(row.said) == tx.open_json(row.current_value)


def quote_of(row: Row[Any]) -> Quote:
    """Return a superseded claim's quote."""
    return row.quote_start or 0, row.quote_end or 0, row.field, row.scope


def masked(text: str, quotes: Sequence[Quote]) -> str:
    """Return a text with its lost quotes masked, wherever their words stand."""
    spans = sorted({place for start, end, *_ in quotes for place in places(text, start, end)})
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    edges = [0, *(edge for span in merged for edge in span), len(text)]
    kept = [text[start:end] for start, end in pairwise(edges)][::2]
    return MASK.join(kept)


def _message(tx: Reader, row: Row[Any], quotes: Sequence[Quote]) -> SourceMessage:
    return SourceMessage(row.id, row.role, masked(tx.open(row.content), quotes), row.observed_at)


def _standing(row: Row[Any]) -> Standing:
    return Standing(row.id, row.state == "current", row.last_seq, row.source_version, row.input_hash)
