"""How far the copies are behind, what of them fails and what was given up: ids, codes, counts, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from seihon.canonical import operator, outbox
from seihon.canonical.database import Database
from seihon.derived.cache import Kept
from seihon.derived.worker import Worker
from seihon.model import Record, instant, us


@dataclass(frozen=True, slots=True)
class StoreHealth(Record):
    """How far one store is behind: keys waiting, of them failing, and the age of the oldest, in seconds.

    ``dead``: dead letters, apart from the others: each failed so often that it waits for a retry on request.
    """

    store: str
    waiting: int
    failing: int
    oldest_seconds: float
    dead: int = 0


@dataclass(frozen=True, slots=True)
class Health(Record):
    """``ok`` while nothing fails; ``open_receipts``: deletions that are not verified yet, of which
    ``failed_receipts`` failed in some store; ``worker``: the code of this process's last failed round.

    ``rounds``, ``settled``, ``failed``, ``died``: what this process did since it was opened: rounds of its
    worker, keys that followed, that failed, and of those the ones given up. ``cache``: what keeps finished
    contexts; how often this process found one there, found none, and had no answer.
    """

    ok: bool
    stores: tuple[StoreHealth, ...]
    open_receipts: int
    failed_receipts: int = 0
    worker: str = ""
    rounds: int = 0
    settled: int = 0
    failed: int = 0
    died: int = 0
    cache: str = "off"
    cache_hits: int = 0
    cache_misses: int = 0
    cache_failures: int = 0


@dataclass(frozen=True, slots=True)
class FailedKey(Record):
    """A key that a store could not follow: ``code`` says why the last attempt failed.

    ``since``: it waits since then. ``next``: it is tried again then; ``None``: it is a dead letter, and stays
    one until it is retried on request or its original changes.
    """

    owner: str
    store: str
    key: str
    attempts: int
    code: str
    since: datetime
    next: datetime | None

    @property
    def dead(self) -> bool:
        """Whether it was given up."""
        return self.next is None


def health(db: Database, worker: Worker, stores: Sequence[str], kept: Kept) -> Health:
    """Return how far each of the stores is behind.

    Raises:
        Unsafe: the role may not look across owners.
    """
    now = us(db.clock())
    with db.operator() as tx:
        behind = {one.store: one for one in operator.lag(tx)}
        still_open, failed = operator.receipts(tx)
    found = tuple(_store_health(name, behind.get(name), now) for name in stores)
    done = worker.done
    ok = not (failed or worker.last_error or any(store.failing or store.dead for store in found))
    return Health(
        ok=ok,
        stores=found,
        open_receipts=still_open,
        failed_receipts=failed,
        worker=worker.last_error,
        rounds=worker.rounds,
        settled=done.settled,
        failed=done.failed,
        died=done.dead,
        cache=kept.name,
        cache_hits=kept.counts.hits,
        cache_misses=kept.counts.misses,
        cache_failures=kept.counts.failures,
    )


def _store_health(name: str, lag: operator.Lag | None, now: int) -> StoreHealth:
    if lag is None:
        return StoreHealth(name, 0, 0, 0.0)
    seconds = max(0, now - lag.oldest) / 1_000_000
    return StoreHealth(name, lag.keys - lag.dead, lag.failing, seconds, lag.dead)


def failed_key(found: outbox.Failure) -> FailedKey:
    """Return a failure as it is shown; its owner by the whole key."""
    due = None if found.due_at >= outbox.NEVER else instant(found.due_at)
    return FailedKey(
        found.owner, found.store, found.key, found.attempts, found.error, instant(found.marked_at), due
    )
