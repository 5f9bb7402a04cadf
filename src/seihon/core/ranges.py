"""The ranges of a conversation that are summarised: blocks of messages by their sequence numbers.

A block never moves: what is appended later fills the next one, and an edit touches its own alone. So a
conversation of any length is covered by summaries of messages, each message of a full block by exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# About as many messages as a reader takes for one matter; an edit costs the summary of so many, not more.
SIZE: Final = 20


def block_of(seq: int) -> int:
    """Return the block that holds the message with the number ``seq``, both from 1 and 0 on."""
    return (seq - 1) // SIZE


def bounds(block: int) -> tuple[int, int]:
    """Return the first and the last sequence number of a block."""
    return block * SIZE + 1, (block + 1) * SIZE


def is_full(block: int, last_seq: int) -> bool:
    """Tell whether a conversation that ends with ``last_seq`` has filled the block."""
    return last_seq >= bounds(block)[1]


def filled_by(seqs: Iterable[int]) -> tuple[int, ...]:
    """Return the blocks that new messages at the end, with these numbers, may have filled, in order.

    Their own as far as they are full now, and the one before the first: a number may have been left out.
    """
    numbers = sorted(seqs)
    if not numbers:
        return ()
    blocks = {max(block_of(numbers[0]) - 1, 0), *map(block_of, numbers)}
    return tuple(block for block in sorted(blocks) if is_full(block, numbers[-1]))
