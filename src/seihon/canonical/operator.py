"""The few reads that cross owners: which of them have work waiting. No text, no writes, no locks.

Run with ``db.operator()``. On PostgreSQL the role needs the operator's policies (``canonical.security``).
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from seihon.canonical import tables as t
from seihon.canonical.outbox import READY
from seihon.canonical.scope import Handle, p

d, r, o = t.dirty.c, t.receipts.c, t.owners.c

# In the order of owners after a cursor: each gets its turn before any gets a second one.
DUE_OWNERS = (
    select(d.owner).where(READY, d.owner > p("after")).distinct().order_by(d.owner).limit(p("limit", t.Big))
)
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
        func.min(d.marked_at).label("oldest"),
        func.count().filter(d.attempts > 0).label("failing"),
    )
    .group_by(d.store)
    .order_by(d.store)
)
FAILURES = (
    select(d.owner, d.store, d.key, d.attempts, d.error, d.due_at)
    .where(d.attempts > 0)
    .order_by(d.attempts.desc(), d.owner, d.store, d.key)
    .limit(p("limit", t.Big))
)


@dataclass(frozen=True, slots=True)
class Lag:
    """How far one store is behind: keys waiting, of them failing, and the oldest mark (us)."""

    store: str
    keys: int
    failing: int
    oldest: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A key that keeps failing: ids, how often, the last error's code, and when it is tried again (us)."""

    owner: str
    store: str
    key: str
    attempts: int
    error: str
    due_at: int


def due_owners(tx: Handle, *, after: str, limit: int) -> list[str]:
    """Return owners with keys that are due, in their order after ``after``."""
    return [row.owner for row in tx.all(DUE_OWNERS, after=after, limit=limit)]


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
    return [Lag(row.store, row.keys, row.failing, row.oldest) for row in tx.all(LAG)]


def failures(tx: Handle, *, limit: int) -> list[Failure]:
    """Return the keys that keep failing, the most stubborn first."""
    return [Failure(*row) for row in tx.all(FAILURES, limit=limit)]
