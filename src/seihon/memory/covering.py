"""Which ranges of a conversation have to be summarised, or summarised again, after a write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seihon.canonical import summaries
from seihon.canonical.scope import Writer
from seihon.canonical.summaries import range_key
from seihon.core import ranges


def appended(tx: Writer, conversation: str, seq: int) -> None:
    """Mark the range that a message at the end of a conversation fills, if it does."""
    block = ranges.block_of(seq)
    if ranges.is_full(block, seq):
        tx.mark(range_key(block, conversation))


def added(tx: Writer, rows: Iterable[Mapping[str, Any]]) -> None:
    """Mark every range that many new messages may fill; ``rows`` hold ``conversation`` and ``seq``."""
    seqs: dict[str, list[int]] = {}
    for row in rows:
        seqs.setdefault(row["conversation"], []).append(row["seq"])
    for conversation, found in seqs.items():
        tx.mark(*(range_key(block, conversation) for block in ranges.filled_by(found)))


def changed(tx: Writer, messages: Sequence[str]) -> None:
    """Retract what was summarised from messages that change or go, and mark their ranges."""
    if not messages:
        return
    summaries.retract_drawn(tx, messages)
    places = tx.all(summaries.PLACES, messages=list(messages))
    tx.mark(*(range_key(ranges.block_of(row.seq), row.conversation) for row in places))
