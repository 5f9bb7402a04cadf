"""The deletions of an owner in their order, to be carried out again on an older copy of the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Row, case, select, tuple_, update

from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, Reader, Writer, live_values, p

g, r, o = t.tombstones.c, t.receipts.c, t.owners.c
v = live_values.c

PAGE: Final = 500
# In the order of their key, which is the way in; that of the deletions is made of them all.
GRAVES_SINCE = (
    select(t.tombstones)
    .where(
        g.owner == OWNER, tuple_(g.kind, g.key) > tuple_(p("kind"), p("key")), g.revision > p("since", t.Big)
    )
    .order_by(g.kind, g.key)
    .limit(p("limit", t.Big))
)
DELETIONS = select(r.id, r.kind, r.key, r.actor, r.reason).where(
    r.owner == OWNER, r.id.in_(p("ids", many=True))
)
FLOORS = (
    select(v.field, v.scope, v.status, v.reason, v.floor_at, v.floor_seq, v.floor_version)
    .where(v.floor_at.is_not(None))
    .order_by(v.field, v.scope)
)
# What a client, a cache or a token of the lost time knows the owner by must not be met a second time.
CATCH_UP = (
    update(t.owners)
    .where(o.owner == OWNER)
    .values(
        revision=case((o.revision < p("revision_", t.Big), p("revision_", t.Big)), else_=o.revision),
        epoch=case((o.epoch < p("epoch_", t.Big), p("epoch_", t.Big)), else_=o.epoch),
    )
    .returning(o.revision)
)


def graves(tx: Reader, since: int) -> list[Row[Any]]:
    """Return the tombstones after a revision, in the order of their deletions."""
    found: list[Row[Any]] = []
    kind, key = "", ""
    while True:
        rows = tx.all(GRAVES_SINCE, since=since, limit=PAGE, kind=kind, key=key)
        found += rows
        if len(rows) < PAGE:
            return sorted(found, key=lambda row: (row.revision, row.receipt, row.kind, row.key))
        kind, key = rows[-1].kind, rows[-1].key


def deletions(tx: Reader, receipts: Sequence[str]) -> dict[str, Row[Any]]:
    """Return what receipts say of their deletions, by id."""
    pages = (list(receipts[begin : begin + PAGE]) for begin in range(0, len(receipts), PAGE))
    return {row.id: row for page in pages for row in tx.all(DELETIONS, ids=page)}


def catch_up(tx: Writer, *, revision: int, epoch: int) -> None:
    """Let the owner's revision and epoch go on above those of the lost time."""
    tx.run(CATCH_UP, revision_=revision, epoch_=epoch)
