"""The worker: brings every derived store in line with the original, one owner and one batch at a time.

Copies inside the database are refreshed and their keys struck off in one transaction under the owner's
lock. Copies that are slow to make are leased, prepared outside any transaction, and published in a second
one: what was marked again in the meantime is dropped and stays due. A crash at any point loses nothing,
since a key leaves the outbox in the transaction that writes its copy.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from seihon.canonical import operator, outbox
from seihon.canonical.database import Database
from seihon.canonical.faults import reach
from seihon.canonical.outbox import Due
from seihon.canonical.scope import Writer
from seihon.derived.contract import PartialStore, PreparedStore, Store
from seihon.derived.failures import DATABASE_ITSELF, code_of

SECOND: Final = 1_000_000
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settings:
    """How the worker works. Times in seconds.

    ``batch`` keys of a store in one transaction; ``owners`` in one round; a lease of ``lease`` seconds; a
    key that fails waits ``backoff`` times two to the number of failures, at most ``longest``, half of it
    by chance; after ``attempts`` failures (by these figures about four hours) it is a dead letter, which
    waits to be marked again or retried on request. Copies made one by one take at most ``turn`` of an
    owner's turn, and what the one that was begun still takes.
    """

    batch: int = 200
    owners: int = 64
    lease: float = 60.0
    backoff: float = 1.0
    longest: float = 3600.0
    attempts: int = 16
    turn: float = 1.0


@dataclass(slots=True)
class Round:
    """What one round did: keys settled, failed and begun without an end, owners visited; ``dead``: of those
    that failed, the ones given up. ``more``: something could go on at once.
    """

    settled: int = 0
    failed: int = 0
    unfinished: int = 0
    owners: int = 0
    dead: int = 0
    more: bool = False

    def __add__(self, other: Round) -> Round:
        return Round(
            self.settled + other.settled,
            self.failed + other.failed,
            self.unfinished + other.unfinished,
            self.owners + other.owners,
            self.dead + other.dead,
            self.more or other.more,
        )


@dataclass(slots=True)
class Worker:
    """Follows the outbox for a set of stores. Safe to run in any number of threads and processes.

    ``chance`` draws the jitter of a retry; ``new_token`` names a lease; ``tell`` sends an owner's messages to
    systems outside, after its copies have followed.
    """

    db: Database
    stores: Sequence[Store]
    new_token: Callable[[], str]
    chance: Random = field(default_factory=Random)
    settings: Settings = field(default_factory=Settings)
    tell: Callable[[str], int] | None = None
    last_error: str = ""
    done: Round = field(default_factory=Round)
    """All that this worker did so far."""
    rounds: int = 0
    _stop: threading.Event | None = None
    _counting: threading.Lock = field(default_factory=threading.Lock)
    _after: str = ""
    _wake: threading.Event = field(default_factory=threading.Event)

    def drain(self, owner: str, *, passes: float = math.inf) -> int:
        """Do everything that is due for one owner now; return how many keys were settled.

        A key that fails is left for later with its error's code and stops nothing else.

        Args:
            passes: how often a store is asked again about keys that it did not finish (a large scope).

        Raises:
            Busy, Unavailable: the database itself; what was settled stays settled.
        """
        return sum(self.follow(owner, store, passes=passes) for store in self.stores)

    def follow(
        self,
        owner: str,
        store: Store,
        *,
        passes: float = math.inf,
        told: Callable[[int], None] | None = None,
    ) -> int:
        """Do everything that is due for one store of one owner; return how many keys were settled.

        ``told`` is called with how many each batch settled.
        """
        settled, done, barren = 0, Round(more=True), 0
        while done.more and barren < passes:
            done = self.batch(owner, store)
            settled += done.settled
            barren = 0 if done.settled else barren + 1
            if told is not None and done.settled:
                told(done.settled)
        return settled

    def batch(self, owner: str, store: Store) -> Round:
        """Do one batch of one store for one owner."""
        done = self._batch(owner, store)
        done.more = done.unfinished > 0 or done.settled + done.failed >= self._most(store)
        with self._counting:
            self.done += done
        return done

    def _most(self, store: Store) -> int:
        """Return how many keys one batch of a store takes at most."""
        if isinstance(store, PreparedStore) and store.batch > 1:
            return min(self.settings.batch, store.batch)
        return self.settings.batch

    def _batch(self, owner: str, store: Store) -> Round:
        if isinstance(store, PreparedStore) and store.batch == 1:
            return self._one_by_one(owner, store)
        try:
            return self._together(owner, store)
        except DATABASE_ITSELF:
            raise
        except Exception:  # noqa: BLE001 - a store may fail in any way; each key is then tried alone
            return self._one_by_one(owner, store)

    def run_once(self) -> Round:
        """Give each of the next owners one batch of each store, in turn; an empty round has no owners."""
        done = Round()
        self.rounds += 1
        for owner in self._next_owners():
            if self.is_stopping:
                break
            done += self.turn(owner)
        return done

    def turn(self, owner: str) -> Round:
        """Give one owner its turn: a batch of each store, then its messages to systems outside."""
        done = Round(owners=1)
        for store in self.stores:
            if not self.is_stopping:
                done += self.batch(owner, store)
        if self.tell is not None and not self.is_stopping:
            self.tell(owner)
        return done

    @property
    def is_stopping(self) -> bool:
        """Tell whether whoever runs this worker asked it to stop."""
        return self._stop is not None and self._stop.is_set()

    def run(
        self, stop: threading.Event, *, poll: float = 1.0, each: Callable[[], Round] | None = None
    ) -> None:
        """Work until ``stop`` is set; idle rounds wait ``poll`` seconds or until ``wake``.

        The batch in hand is finished; nothing stays leased.

        ``each`` is one round, ``run_once`` by default. Whatever fails is waited out and tried again;
        ``last_error`` holds its code until a round goes well.
        """
        one = each or self.run_once
        self._stop = stop
        while not stop.is_set():
            try:
                done = one()
                # Not by its owners: their keys may all be of stores that this process does not follow.
                idle = not (done.settled or done.failed or done.unfinished or done.more)
                self.last_error = ""
            except Exception as error:  # noqa: BLE001 - a thread that died would derive nothing ever again
                self.last_error = code_of(error)
                _log.warning("A round of the worker failed: %s.", self.last_error)
                idle = True
            if idle:
                self._wake.wait(poll)
                self._wake.clear()

    def wake(self) -> None:
        """End the wait of an idle ``run``: something was written, or it is to stop."""
        self._wake.set()

    def _next_owners(self) -> list[str]:
        """Return the next owners with due keys; at the end of the line it starts again."""
        limit = self.settings.owners
        with self.db.operator() as tx:
            found = operator.due_owners(tx, after=self._after, limit=limit)
            if len(found) < limit and self._after:
                found += operator.due_owners(tx, after="", limit=limit - len(found))
        found = list(dict.fromkeys(found))
        self._after = found[-1] if len(found) == limit else ""
        return found

    def _together(self, owner: str, store: Store) -> Round:
        if isinstance(store, PreparedStore):
            return self._prepared(owner, store)
        with self.db.derive(owner) as tx:
            items = outbox.due(tx, store.name, limit=self.settings.batch)
            if not items:
                return Round()
            done = _refresh(tx, store, items)
        reach("worker.after_commit")
        return done

    def _prepared(self, owner: str, store: PreparedStore, only: Due | None = None) -> Round:
        token = self.new_token()
        items, originals = self._lease(owner, store, token, only)
        if not items:
            return Round()
        reach("worker.after_lease")
        try:
            prepared = store.prepare(originals)
            reach("worker.after_prepare")
            with self.db.derive(owner) as tx:
                done = _publish(tx, store, items, prepared, token, self._note)
        except Exception:
            self._give_back(owner, store, token)
            raise
        reach("worker.after_commit")
        return done

    def _give_back(self, owner: str, store: Store, token: str) -> None:
        with self.db.derive(owner) as tx:
            outbox.release(tx, store.name, token=token)

    def _lease(
        self, owner: str, store: PreparedStore, token: str, only: Due | None
    ) -> tuple[list[Due], object]:
        """Take due keys for a while and read what is needed to prepare them."""
        with self.db.derive(owner) as tx:
            limit = min(self.settings.batch, store.batch)
            due = outbox.due(tx, store.name, limit=limit) if only is None else [only]
            until = tx.now + int(self.settings.lease * SECOND)
            items = [item for item in due if outbox.lease(tx, store.name, item, until=until, token=token)]
            return items, store.gather(tx, [item.key for item in items]) if items else None

    def _one_by_one(self, owner: str, store: Store) -> Round:
        done = Round()
        until = time.monotonic() + self.settings.turn
        with self.db.read(owner) as tx:
            items = outbox.due(tx, store.name, limit=self.settings.batch)
        for number, item in enumerate(items):
            if number and (self.is_stopping or time.monotonic() >= until):
                done.unfinished += len(items) - number
                break
            try:
                done += self._alone(owner, store, item)
            except DATABASE_ITSELF:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it was, its code is kept and others go on
                done += self._fail(owner, store, item, code_of(error))
        return done

    def _alone(self, owner: str, store: Store, item: Due) -> Round:
        if isinstance(store, PreparedStore):
            return self._prepared(owner, store, item)
        with self.db.derive(owner) as tx:
            return _refresh(tx, store, [item])

    def _fail(self, owner: str, store: Store, item: Due, code: str) -> Round:
        reach("worker.before_fail")
        with self.db.derive(owner) as tx:
            return self._note(tx, store, item, code, outbox.UNLEASED)

    def _note(self, tx: Writer, store: Store, item: Due, code: str, token: str) -> Round:
        """Note that a key failed; it waits, or is given up."""
        dead = item.attempts + 1 >= self.settings.attempts
        wait = int(self._backoff(item.attempts) * SECOND)
        due_at = outbox.NEVER if dead else tx.now + wait
        noted = outbox.fail(tx, store.name, item, due_at=due_at, code=code, token=token)
        return Round(failed=1, dead=int(dead)) if noted else Round()

    def _backoff(self, attempts: int) -> float:
        most = min(self.settings.longest, self.settings.backoff * 2.0 ** min(attempts, 30))
        return most * (0.5 + self.chance.random() / 2)


def _refresh(tx: Writer, store: Store, items: Sequence[Due]) -> Round:
    """Refresh keys and strike them off; ``items`` is all that was due from the first to the last of them."""
    reach("worker.before_refresh")
    unfinished = frozenset(store.refresh(tx, [item.key for item in items]))
    reach("worker.before_settle")
    if unfinished:
        done = [item.key for item in items if item.key not in unfinished]
        settled = outbox.settle_all(tx, store.name, done)
    else:
        settled = outbox.settle_range(tx, store.name, items)
    reach("worker.before_commit")
    return Round(settled=settled, unfinished=len(unfinished))


def _publish(
    tx: Writer,
    store: PreparedStore,
    items: Sequence[Due],
    prepared: object,
    token: str,
    note: Callable[[Writer, Store, Due, str, str], Round],
) -> Round:
    """Publish what nobody marked again while it was prepared; the rest stays due, or is noted as failed."""
    still = set(outbox.held(tx, store.name, token=token))
    keys = [item.key for item in items if item in still]
    failed = store.failures(prepared) if isinstance(store, PartialStore) else dict[str, str]()
    unfinished = frozenset(store.publish(tx, keys, prepared)) if keys else frozenset[str]()
    reach("worker.before_settle")
    done = [key for key in keys if key not in unfinished and key not in failed]
    settled = outbox.settle_all(tx, store.name, done, token=token)
    gone = [item for item in items if item in still and item.key in failed and item.key not in unfinished]
    noted = sum((note(tx, store, item, failed[item.key], token) for item in gone), Round())
    outbox.release(tx, store.name, token=token)
    reach("worker.before_commit")
    # What was marked again meanwhile is due at once, and nobody else may come for it.
    return Round(settled=settled, unfinished=len(items) - len(done) - len(gone)) + noted
