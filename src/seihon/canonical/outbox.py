"""The outbox of one owner: which keys each derived store has yet to look at.

A key is leased by a conditional update and settled only if nobody marked it again in the meantime; both
are judged by the returned row. A key that never failed is due at once; one that failed waits for its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import and_, delete, not_, or_, select, update

from seihon.canonical import tables as t
from seihon.canonical.scope import MARK_DIRTY, NOW, OWNER, Reader, Writer, p
from seihon.model.outside import PREFIX

d = t.dirty.c


def is_outside(store: Any) -> Any:
    """Tell whether a store is a system outside: it is told of deletions and never read back."""
    return and_(store >= PREFIX, store < PREFIX[:-1] + chr(ord(PREFIX[-1]) + 1))


NEVER: Final = 2**62
"""When a dead letter is due (us): it waits until it is marked again, or retried on request."""

DEAD: Final = d.due_at >= NEVER

# A key that a store may be given now: it waits for nothing, and nobody holds it.
_FREE: Final = d.leased_until <= NOW
READY: Final = and_(or_(d.attempts == 0, d.due_at <= NOW), _FREE)
# The lease of work done under the owner's lock: it holds any key that nobody else does.
UNLEASED: Final = ""
_OURS: Final = or_(d.lease == p("token"), and_(p("token") == UNLEASED, _FREE))
_OF_STORE: Final = and_(d.owner == OWNER, d.store == p("store"))
_AS_READ: Final = and_(_OF_STORE, d.key == p("key"), d.revision == p("revision"))
DUE = select(d.key, d.revision, d.attempts).where(_OF_STORE, READY).order_by(d.key).limit(p("limit", t.Big))
LEASE = (
    update(t.dirty).where(_AS_READ, _FREE).values(leased_until=p("until"), lease=p("token")).returning(d.key)
)
# A lease that ran out holds until somebody else takes the key: what took longer than it is not done in vain.
HELD = select(d.key, d.revision, d.attempts).where(_OF_STORE, d.lease == p("token"))
SETTLE = delete(t.dirty).where(_AS_READ, _OURS).returning(d.key)
SETTLE_MANY = delete(t.dirty).where(_OF_STORE, d.key.in_(p("keys", many=True)), _OURS)
# The keys that `DUE` gave in this very transaction: under the owner's lock nothing else is due between them.
SETTLE_RANGE = delete(t.dirty).where(_OF_STORE, d.key >= p("first"), d.key <= p("last"), READY)
RELEASE = update(t.dirty).where(_OF_STORE, d.lease == p("token")).values(leased_until=0, lease="")
FAIL = (
    update(t.dirty)
    .where(_AS_READ, _OURS)
    .values(attempts=d.attempts + 1, due_at=p("due"), leased_until=0, lease="", error=p("code"))
    .returning(d.attempts)
)
# A dead letter lags behind nothing: whoever compares is to see what it left undone.
MARKED = select(d.key).where(_OF_STORE, d.key.in_(p("keys", many=True)), ~DEAD)
_FAILED: Final = and_(d.owner == OWNER, d.attempts > 0, _FREE, or_(p("store") == "", d.store == p("store")))
FAILURES = (
    select(d.owner, d.store, d.key, d.attempts, d.error, d.marked_at, d.due_at)
    .where(d.owner == OWNER, d.attempts > 0, or_(p("store") == "", d.store == p("store")))
    .order_by(d.attempts.desc(), d.store, d.key)
    .limit(p("limit", t.Big))
)
RETRY = update(t.dirty).where(_FAILED).values(attempts=0, due_at=NOW, error="")
REVIVE = (
    update(t.dirty)
    .where(_OF_STORE, d.key.in_(p("keys", many=True)), d.attempts > 0)
    .values(attempts=0, due_at=NOW, error="")
)
# What any copy has yet to follow, held or not; dead letters change nothing until they are retried.
PENDING = select(d.key).where(d.owner == OWNER, ~DEAD, not_(is_outside(d.store))).limit(1)
# Of some keys, those that wait, with the code of what failed.
WAITING = select(d.key, d.error).where(_OF_STORE, d.key.in_(p("keys", many=True)))


@dataclass(frozen=True, slots=True)
class Due:
    """A key to look at, the revision it was marked at, and how often it has failed."""

    key: str
    revision: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A key that failed: ids, how often, the last error's code, since when it waits and when it is tried
    again (us); at ``NEVER`` it is a dead letter."""

    owner: str
    store: str
    key: str
    attempts: int
    error: str
    marked_at: int
    due_at: int


def due(tx: Reader, store: str, *, limit: int) -> list[Due]:
    """Return at most ``limit`` keys of a store that are due and that nobody holds."""
    return [Due(*row) for row in tx.all(DUE, store=store, limit=limit)]


def lease(tx: Writer, store: str, item: Due, *, until: int, token: str) -> bool:
    """Take a key until an instant (us); ``False``: it was marked again or another holds it."""
    found = tx.run(LEASE, store=store, key=item.key, revision=item.revision, until=until, token=token)
    return found is not None


def held(tx: Reader, store: str, *, token: str) -> list[Due]:
    """Return the keys that the lease still holds; one marked since carries its newer revision."""
    return [Due(*row) for row in tx.all(HELD, store=store, token=token)]


def settle(tx: Writer, store: str, item: Due, *, token: str = UNLEASED) -> bool:
    """Strike a key off; ``False``: it was marked again, or the lease was lost, and it stays due."""
    return tx.run(SETTLE, store=store, key=item.key, revision=item.revision, token=token) is not None


def settle_all(tx: Writer, store: str, keys: Sequence[str], *, token: str = UNLEASED) -> int:
    """Strike off keys that were read as due or held in this very transaction; return how many.

    The owner's lock keeps everyone from marking them again in between.
    """
    return tx.count(SETTLE_MANY, store=store, keys=list(keys), token=token) if keys else 0


def settle_range(tx: Writer, store: str, items: Sequence[Due]) -> int:
    """Strike off all that ``due`` gave in this very transaction; return how many.

    A range, since a long list of keys makes PostgreSQL read every key of the owner where its statistics lag.
    """
    return tx.count(SETTLE_RANGE, store=store, first=items[0].key, last=items[-1].key) if items else 0


def release(tx: Writer, store: str, *, token: str) -> None:
    """Give back whatever the lease still holds."""
    tx.run(RELEASE, store=store, token=token)


def fail(tx: Writer, store: str, item: Due, *, due_at: int, code: str, token: str = UNLEASED) -> bool:
    """Note a failure by its code and let the key wait until ``due_at`` (us); ``False``: marked again."""
    found = tx.run(
        FAIL, store=store, key=item.key, revision=item.revision, due=due_at, code=code, token=token
    )
    return found is not None


def mark(tx: Writer, store: str, keys: Sequence[str]) -> None:
    """Mark keys for one store alone, outside a canonical write (a rebuild)."""
    shared = {"store": store, "revision": tx.revision, "attempts": 0, "marked_at": tx.now, "due_at": tx.now}
    free = {"leased_until": 0, "lease": UNLEASED, "error": ""}
    tx.add(MARK_DIRTY, [{"key": key, **shared, **free} for key in keys])


def marked(tx: Reader, store: str, keys: Sequence[str]) -> frozenset[str]:
    """Return those keys that a store has yet to look at."""
    return frozenset(row.key for row in tx.all(MARKED, store=store, keys=list(keys))) if keys else frozenset()


def is_followed(tx: Reader) -> bool:
    """Tell whether every copy of this owner has seen all that it should: its revision says what they hold."""
    return tx.first(PENDING) is None


def failures(tx: Reader, store: str, *, limit: int) -> list[Failure]:
    """Return the keys of this owner that failed, the most stubborn first; of every store if ``""``."""
    return [Failure(*row) for row in tx.all(FAILURES, store=store, limit=limit)]


def retry(tx: Writer, store: str) -> int:
    """Let what failed be due at once, dead letters too; return how many keys. ``""``: of every store."""
    return tx.count(RETRY, store=store)


def revive(tx: Writer, store: str, keys: Sequence[str]) -> None:
    """Let those of the keys that failed be due at once, dead letters too."""
    tx.count(REVIVE, store=store, keys=list(keys))
