"""Receipts: the statements, and the rows they become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, case, not_, select, tuple_, update

from seihon.canonical import tables as t
from seihon.canonical.codec import from_json, to_json
from seihon.canonical.outbox import is_outside
from seihon.canonical.scope import NOW, OWNER, Reader, Writer, p
from seihon.model import OutOfReach, Receipt, StoreReceipt, StoreState, TargetKind, instant, maybe_instant
from seihon.model.outside import PREFIX, OutsideReceipt, OutsideState

r, s = t.receipts.c, t.receipt_stores.c

# A system outside that took the message and did not say that it has deleted.
NOT_ACKNOWLEDGED: Final = "not_acknowledged"

# A worker's clock may lag behind that of the writer.
_NOT_BEFORE_ITS_OPENING = case((r.opened_at > NOW, r.opened_at), else_=NOW)
RECEIPT = select(t.receipts).where(r.owner == OWNER, r.id == p("id"))
RECEIPTS = (
    select(t.receipts)
    .where(r.owner == OWNER, tuple_(r.revision, r.id) > tuple_(p("after", t.Big), p("after_id", t.Key)))
    .order_by(r.revision, r.id)
    .limit(p("limit", t.Big))
)
STORES = (
    select(t.receipt_stores)
    .where(s.owner == OWNER, s.receipt.in_(p("receipts", many=True)))
    .order_by(s.receipt, s.ordinal)
)
OPEN = (
    select(r.id)
    .where(r.owner == OWNER, r.state != "verified")
    .order_by(r.opened_at, r.id)
    .limit(p("limit", t.Big))
)
ADD_REMOVED = (
    update(t.receipt_stores)
    .where(s.owner == OWNER, s.receipt == p("receipt"), s.store == p("store_"))
    .values(removed=s.removed + p("removed_", t.Big), updated_at=NOW)
)
JUDGE_STORE = (
    update(t.receipt_stores)
    .where(s.owner == OWNER, s.receipt == p("receipt"), s.store == p("store_"))
    .values(state=p("state_"), error=p("error_"), attempts=s.attempts + 1, updated_at=NOW)
    .returning(s.attempts)
)
SET_STATE = (
    update(t.receipts)
    .where(r.owner == OWNER, r.id == p("id"), r.state != "verified")
    .values(state=p("state_"))
    .returning(r.id)
)
# Judged by the row: nothing becomes verified while one of its stores is not. Systems outside are told, and
# never read back: no receipt waits for them.
VERIFY = (
    update(t.receipts)
    .where(
        r.owner == OWNER,
        r.id == p("id"),
        ~select(s.store)
        .where(s.owner == OWNER, s.receipt == r.id, s.state != "verified", not_(is_outside(s.store)))
        .correlate(t.receipts)
        .exists(),
    )
    .values(state="verified", verified_at=_NOT_BEFORE_ITS_OPENING, level=p("level_"), purge=p("purge_"))
    .returning(r.id)
)
RECORDS = (
    select(t.tombstones.c.receipt, t.tombstones.c.kind, t.tombstones.c.key)
    .where(t.tombstones.c.owner == OWNER, t.tombstones.c.receipt.in_(p("receipts", many=True)))
    .order_by(t.tombstones.c.kind, t.tombstones.c.key)
)
REOPEN = (
    update(t.receipts)
    .where(r.owner == OWNER, r.id == p("id"))
    .values(state="failed", verified_at=None)
    .returning(r.id)
)


def read(tx: Reader, receipt: str) -> Receipt | None:
    """Return one receipt as it stands."""
    row = tx.first(RECEIPT, id=receipt)
    return None if row is None else _with_stores(tx, [row])[0]


def page(tx: Reader, after: int, after_id: str, limit: int) -> list[Receipt]:
    """Return receipts in the order of their revisions, after a revision and id."""
    return _with_stores(tx, tx.all(RECEIPTS, after=after, after_id=after_id, limit=limit))


def still_open(tx: Reader, limit: int) -> list[str]:
    """Return the ids of receipts that are not verified, oldest first."""
    # An owner without a deletion has none; that spares most writes the question.
    return [row.id for row in tx.all(OPEN, limit=limit)] if tx.epoch else []


def add_removed(tx: Writer, receipt: str, store: str, count: int) -> None:
    """Note progress in one store."""
    tx.run(ADD_REMOVED, receipt=receipt, store_=store, removed_=count)


def judge(tx: Writer, receipt: str, store: str, state: StoreState, *, error: str = "") -> None:
    """Note the result of reading a store back; ``error`` is a code."""
    tx.run(JUDGE_STORE, receipt=receipt, store_=store, state_=state.value, error_=error)


def set_state(tx: Writer, receipt: str, state: StoreState) -> None:
    """Note how an open receipt stands as a whole."""
    tx.run(SET_STATE, id=receipt, state_=state.value)


def verify(tx: Writer, receipt: str, *, level: str, purge: Sequence[str]) -> bool:
    """Close a receipt; ``False``: one of its stores is not verified."""
    return tx.run(VERIFY, id=receipt, level_=level, purge_=to_json(list(purge))) is not None


def reopen(tx: Writer, receipt: str) -> None:
    """Take back a verified receipt that no longer holds."""
    tx.run(REOPEN, id=receipt)


def _with_stores(tx: Reader, rows: Sequence[Row[Any]]) -> list[Receipt]:
    found: dict[str, list[Row[Any]]] = {row.id: [] for row in rows}
    for one in tx.all(STORES, receipts=list(found)) if found else ():
        found[one.receipt].append(one)
    records: dict[str, list[str]] = {row.id: [] for row in rows}
    for one in tx.all(RECORDS, receipts=list(found)) if found else ():
        records[one.receipt].append(f"{one.kind}:{one.key}")
    return [_receipt(row, found[row.id], records[row.id]) for row in rows]


def _store(row: Row[Any]) -> StoreReceipt:
    return StoreReceipt(
        store=row.store,
        state=StoreState(row.state),
        attempts=row.attempts,
        removed=row.removed,
        updated_at=instant(row.updated_at),
        error=row.error,
    )


def _outside(row: Row[Any]) -> OutsideReceipt:
    state = OutsideState(row.state) if row.state != StoreState.VERIFIED else OutsideState.ACKNOWLEDGED
    sent = row.error == NOT_ACKNOWLEDGED
    return OutsideReceipt(
        name=row.store.removeprefix(PREFIX),
        state=OutsideState.SENT if sent else state,
        attempts=row.attempts,
        updated_at=instant(row.updated_at),
        error="" if sent else row.error,
    )


def _receipt(row: Row[Any], places: Sequence[Row[Any]], records: Sequence[str]) -> Receipt:
    return Receipt(
        id=row.id,
        kind=TargetKind(row.kind),
        key=row.key,
        state=StoreState(row.state),
        level=row.level,
        actor=row.actor,
        reason=row.reason,
        revision=row.revision,
        epoch=row.epoch,
        opened_at=instant(row.opened_at),
        verified_at=maybe_instant(row.verified_at),
        counts=from_json(row.counts),
        records=tuple(records),
        stores=tuple(_store(one) for one in places if not one.store.startswith(PREFIX)),
        outside=tuple(_outside(one) for one in places if one.store.startswith(PREFIX)),
        purge=tuple(from_json(row.purge)),
        out_of_reach=tuple(OutOfReach(**place) for place in from_json(row.out_of_reach)),
    )
