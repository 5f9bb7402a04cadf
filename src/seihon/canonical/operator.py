"""The few reads that cross owners: which of them have work waiting. No text, no writes, no locks.

Run with ``db.operator()``. On PostgreSQL the role needs the operator's policies (``canonical.security``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, or_, select

from seihon.canonical import tables as t
from seihon.canonical.outbox import DEAD, READY, Failure
from seihon.canonical.scope import NOW, Handle, p

d, r, o = t.dirty.c, t.receipts.c, t.owners.c

# In the order of owners after a cursor: each gets its turn before any gets a second one. One at a time, so
# that the many keys of one owner are not read to find the next.
DUE_OWNER = select(d.owner).where(READY, d.owner > p("after")).order_by(d.owner).limit(1)
OPEN_RECEIPTS = (
    select(r.owner, r.id)
    .where(r.state != "verified", r.owner > p("after"))
    .order_by(r.owner, r.opened_at)
    .limit(p("limit", t.Big))
)
RECEIPTS = (
    select(func.count().label("open"), func.count().filter(r.state == "failed").label("failed"))
    .select_from(t.receipts)
    .where(r.state != "verified")
)
OWNERS = select(o.owner, o.state).where(o.owner > p("after")).order_by(o.owner).limit(p("limit", t.Big))
LAG = (
    select(
        d.store,
        func.count().label("keys"),
        func.coalesce(func.min(d.marked_at).filter(~DEAD), NOW).label("oldest"),
        func.count().filter(d.attempts > 0, ~DEAD).label("failing"),
        func.count().filter(DEAD).label("dead"),
    )
    .group_by(d.store)
    .order_by(d.store)
)
FAILURES = (
    select(d.owner, d.store, d.key, d.attempts, d.error, d.marked_at, d.due_at)
    .where(d.attempts > 0, d.owner > p("after"), d.owner < p("before"))
    .where(or_(p("store") == "", d.store == p("store")))
    .order_by(d.attempts.desc(), d.owner, d.store, d.key)
    .limit(p("limit", t.Big))
)
FAILING_OWNERS = (
    select(d.owner)
    .where(d.attempts > 0, d.owner > p("after"), d.owner < p("before"))
    .where(or_(p("store") == "", d.store == p("store")))
    .distinct()
    .order_by(d.owner)
    .limit(p("limit", t.Big))
)
LAST: Final = "\U0010ffff"
"""What no owner's key comes after."""


@dataclass(frozen=True, slots=True)
class Lag:
    """How far one store is behind: keys, of them failing and dead letters, and the oldest mark (us)."""

    store: str
    keys: int
    failing: int
    dead: int
    oldest: int


def due_owners(tx: Handle, *, after: str, limit: int) -> list[str]:
    """Return owners with keys that are due, in their order after ``after``."""
    found: list[str] = []
    while len(found) < limit:
        row = tx.first(DUE_OWNER, after=found[-1] if found else after)
        if row is None:
            break
        found.append(row.owner)
    return found


def open_receipts(tx: Handle, *, after: str, limit: int) -> list[tuple[str, str]]:
    """Return ``(owner, receipt)`` of deletions that are not verified, by owner after ``after``."""
    return [(row.owner, row.id) for row in tx.all(OPEN_RECEIPTS, after=after, limit=limit)]


def receipts(tx: Handle) -> tuple[int, int]:
    """Return how many deletions are not verified yet, and how many of those failed somewhere."""
    row = tx.all(RECEIPTS)[0]
    return row.open, row.failed


def owners(tx: Handle, *, after: str, limit: int) -> list[str]:
    """Return owners, deleted ones too, in their order after ``after``."""
    return [row.owner for row in tx.all(OWNERS, after=after, limit=limit)]


def lag(tx: Handle) -> list[Lag]:
    """Return how far each store is behind; a store with nothing to do is not listed."""
    return [Lag(row.store, row.keys, row.failing, row.dead, row.oldest) for row in tx.all(LAG)]


def failures(
    tx: Handle, *, after: str = "", before: str = LAST, store: str = "", limit: int
) -> list[Failure]:
    """Return the keys that failed of owners between two keys, the most stubborn first; of every store if
    ``store`` is empty."""
    return [Failure(*row) for row in tx.all(FAILURES, after=after, before=before, store=store, limit=limit)]


def failing_owners(tx: Handle, *, after: str, before: str, store: str, limit: int) -> list[str]:
    """Return owners with keys that failed, in their order between two keys."""
    found = tx.all(FAILING_OWNERS, after=after, before=before, store=store, limit=limit)
    return [row.owner for row in found]
