"""Systems outside in the database: their places in receipts, and the messages to them that are due.

A place is a row of its receipt like any other, and a message a key of the outbox, ``receipt:<id>``. How far a
system is stands in the row: ``verified`` without an error says that it acknowledged, with one that it took
the message only. No receipt waits for it: nobody can read back what Seihon does not control.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select

from seihon.canonical import outbox, receipts
from seihon.canonical import tables as t
from seihon.canonical.outbox import READY, Due, is_outside
from seihon.canonical.scope import OWNER, Reader, Writer, p
from seihon.model import Receipt, StoreState
from seihon.model.outside import PREFIX, OutsideState

d = t.dirty.c

KEY: Final = "receipt:"
# Those that never failed come first: one that is always refused must not hold up all that sort after it.
DUE_OUTSIDE = (
    select(d.store, d.key, d.revision, d.attempts)
    .where(d.owner == OWNER, is_outside(d.store), READY, d.store.not_in(p("without", many=True)))
    .order_by(d.attempts, d.store, d.key)
    .limit(p("limit", t.Big))
)
_STORED: Final = {
    OutsideState.ACKNOWLEDGED: (StoreState.VERIFIED, ""),
    OutsideState.SENT: (StoreState.VERIFIED, receipts.NOT_ACKNOWLEDGED),
}


@dataclass(frozen=True, slots=True)
class Message:
    """One message that is due: to which place, the key of the outbox, and the deletion that it tells of."""

    place: str
    due: Due
    receipt: Receipt | None


def due(tx: Reader, *, limit: int, without: Iterable[str] = ()) -> list[tuple[str, Due]]:
    """Return at most ``limit`` messages of an owner that are due, each with its place.

    ``without``: places whose messages are left.
    """
    rows = tx.all(DUE_OUTSIDE, limit=limit, without=list(without))
    return [(row.store, Due(row.key, row.revision, row.attempts)) for row in rows]


def read(tx: Reader, place: str, item: Due) -> Message:
    """Return a message with the receipt of its deletion; ``None`` for one that was never kept here."""
    return Message(place, item, receipts.read(tx, item.key.removeprefix(KEY)))


def taken(tx: Writer, message: Message, state: OutsideState, *, token: str) -> bool:
    """Note that a system took a message; ``False``: the lease was lost, another worker tells the state."""
    if not outbox.settle(tx, message.place, message.due, token=token):
        return False
    stored, error = _STORED[state]
    _judge(tx, message, stored, error)
    return True


def failed(tx: Writer, message: Message, code: str, *, due_at: int, token: str) -> bool:
    """Note that a system was not reached, and when it is told again (us)."""
    if not outbox.fail(tx, message.place, message.due, due_at=due_at, code=code, token=token):
        return False
    _judge(tx, message, StoreState.FAILED, code)
    return True


def _judge(tx: Writer, message: Message, state: StoreState, error: str) -> None:
    if message.receipt is not None:
        receipts.judge(tx, message.receipt.id, message.place, state, error=error)


def resume(tx: Writer, rows: Iterable[Mapping[str, Any]]) -> None:
    """Let systems outside be told of what another database left untold; ``rows`` are places of receipts."""
    for row in rows:
        if row["store"].startswith(PREFIX) and row["state"] != StoreState.VERIFIED:
            outbox.mark(tx, row["store"], [KEY + row["receipt"]])


def tell(tx: Writer, places: Iterable[str], receipt: str) -> None:
    """Let the outside systems among a receipt's places be told, once the transaction commits."""
    for place in places:
        outbox.mark(tx, place, [KEY + receipt])
