"""The worker: everything due is done, a failure stops nothing else, and a crash loses nothing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from random import Random

import pytest
from sqlalchemy import select
from tests.contract.memories import say

from seihon import errors
from seihon.canonical import operator
from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, Writer
from seihon.derived import comparing
from seihon.derived.fulltext import FullText, search
from seihon.derived.worker import SECOND, Round, Settings, Worker
from seihon.memory import Memory
from seihon.testing import faults
from seihon.testing.clock import FakeClock

WAITING = select(t.dirty.c.key).where(t.dirty.c.owner == OWNER)
WORKER_POINTS = [
    "worker.before_refresh",
    "worker.before_settle",
    "worker.before_commit",
    "worker.after_commit",
]


class Choosy(FullText):
    """An index that cannot take some keys; its error quotes what a user said, as errors do."""

    def __init__(self, *refused: str) -> None:
        self.refused = set(refused)
        self.calls: list[tuple[str, ...]] = []

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        self.calls.append(tuple(keys))
        if self.refused & set(keys):
            raise ValueError("I live in Tokyo")
        return super().refresh(tx, keys)


def worker_of(memory: Memory, store: FullText, **settings: float) -> Worker:
    tokens = iter(f"w{number}" for number in range(1000))
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return Worker(memory.db, [store], new_token=lambda: next(tokens), chance=Random(1), settings=chosen)


def waiting(memory: Memory, owner: str = "ann") -> list[str]:
    with memory.db.read(memory.key(owner)) as tx:
        return sorted(row.key for row in tx.all(WAITING))


def hits(memory: Memory, query: str, owner: str = "ann") -> int:
    with memory.db.read(memory.key(owner)) as tx:
        return len(search(tx, query, k=10))


def in_line(memory: Memory, owner: str = "ann") -> bool:
    return not comparing.compare(memory.db, FullText(), memory.key(owner), repair=False).differences


def test_a_drain_does_everything_due_in_batches(memory: Memory) -> None:
    for number in range(7):
        say(memory, f"tea {number}")
    store = Choosy()
    assert worker_of(memory, store, batch=3).drain(memory.key("ann")) == 7
    assert [len(keys) for keys in store.calls] == [3, 3, 1]
    assert waiting(memory) == []
    assert in_line(memory)


def test_a_key_that_fails_is_left_with_its_code_and_stops_nothing_else(
    memory: Memory, clock: FakeClock
) -> None:
    said = [say(memory, f"tea {number}") for number in range(4)]
    bad = f"message:{said[1].id}"
    store = Choosy(bad)
    worker = worker_of(memory, store)
    assert worker.drain(memory.key("ann")) == 3
    with memory.db.operator() as tx:
        failures, lag = operator.failures(tx, limit=10), operator.lag(tx)
    assert [(one.key, one.attempts, one.error) for one in failures] == [(bad, 1, "ValueError")]
    assert [(one.store, one.keys, one.failing) for one in lag] == [("fulltext", 1, 1)]
    store.refused.clear()
    assert worker.drain(memory.key("ann")) == 0, "it waits for its time"
    clock.advance(seconds=2)
    assert worker.drain(memory.key("ann")) == 1
    assert in_line(memory)


def test_a_key_that_keeps_failing_waits_longer_each_time(memory: Memory, clock: FakeClock) -> None:
    bad = f"message:{say(memory, 'tea').id}"
    worker = worker_of(memory, Choosy(bad), backoff=1.0, longest=60.0)
    waits: list[float] = []
    for _ in range(9):
        worker.drain(memory.key("ann"))
        with memory.db.operator() as tx:
            due = operator.failures(tx, limit=1)[0].due_at
        with memory.db.read(memory.key("ann")) as tx:
            waits.append((due - tx.now) / SECOND)
        clock.advance(seconds=61)
    assert all(0.5 * 2**n <= wait <= 2**n + 0.01 for n, wait in enumerate(waits[:6]))
    assert all(30 <= wait <= 60.01 for wait in waits[6:])


def test_marking_a_failed_key_again_makes_it_due_at_once(memory: Memory) -> None:
    message = say(memory, "tea")
    store = Choosy(f"message:{message.id}")
    worker = worker_of(memory, store)
    worker.drain(memory.key("ann"))
    store.refused.clear()
    memory.edit("ann", message.id, "coffee", expect=1)
    assert worker.drain(memory.key("ann")) == 1
    assert hits(memory, "coffee") == 1


def test_every_owner_gets_its_turn_before_any_gets_a_second(memory: Memory) -> None:
    for number in range(9):
        say(memory, f"tea {number}", owner="busy")
    for owner in ("ann", "bob", "zoe"):
        say(memory, "tea", owner=owner)
    worker = worker_of(memory, Choosy(), batch=2, owners=2)
    worker.run_once()
    worker.run_once()
    assert [len(waiting(memory, owner)) for owner in ("ann", "bob", "busy", "zoe")] == [0, 0, 7, 0]
    while worker.run_once().owners:
        pass
    assert waiting(memory, "busy") == []


@pytest.mark.parametrize("point", WORKER_POINTS)
def test_p6_a_crash_at_any_point_loses_nothing(memory: Memory, other: Memory, point: str) -> None:
    message = say(memory, "I live in Tokyo")
    with faults.crash(point), pytest.raises(faults.Crash):
        memory.copies.worker.drain(memory.key("ann"))
    done = point == "worker.after_commit"
    assert (hits(other, "Tokyo") == 1) is done
    assert (waiting(other) == []) is done
    other.copies.worker.drain(other.key("ann"))
    assert hits(other, "Tokyo") == 1
    assert in_line(other)
    other.edit("ann", message.id, "I live in Osaka", expect=1)
    with faults.crash(point), pytest.raises(faults.Crash):
        memory.copies.worker.drain(memory.key("ann"))
    assert hits(other, "Tokyo") == 0
    other.copies.worker.drain(other.key("ann"))
    assert hits(other, "Osaka") == 1
    assert in_line(other)


def test_the_database_itself_failing_is_no_keys_failure(memory: Memory) -> None:
    say(memory, "tea")

    class Locked(FullText):
        def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
            raise errors.Busy("Another writer.")

    with pytest.raises(errors.Busy):
        worker_of(memory, Locked()).drain(memory.key("ann"))
    with memory.db.operator() as tx:
        assert operator.failures(tx, limit=10) == []


def test_a_running_worker_is_woken_and_stopped(memory: Memory) -> None:
    stop = threading.Event()
    rounds = threading.Semaphore(0)
    worker = memory.copies.worker

    def one() -> Round:
        done = worker.run_once()
        rounds.release()
        return done

    thread = threading.Thread(target=worker.run, args=(stop,), kwargs={"poll": 60.0, "each": one})
    thread.start()
    try:
        assert rounds.acquire(timeout=10)
        say(memory, "I live in Tokyo")
        worker.wake()
        assert rounds.acquire(timeout=10)
        assert hits(memory, "Tokyo") == 1
    finally:
        stop.set()
        worker.wake()
        thread.join(10)
    assert not thread.is_alive()


def test_a_deleted_scope_is_taken_out_by_its_key_alone(memory: Memory) -> None:
    for number in range(5):
        say(memory, f"tea {number}", to="gone")
    say(memory, "tea", to="kept")
    memory.copies.worker.drain(memory.key("ann"))
    memory.forget_conversation("ann", "gone")
    memory.copies.worker.drain(memory.key("ann"))
    assert waiting(memory) == []
    assert in_line(memory)
