"""Two workers over one key: leases that end, keys that are marked meanwhile, and who may settle."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import Backend
from tests.contract.memories import open_memory, say
from tests.support.slow import Slow

from seihon.canonical import outbox
from seihon.canonical.outbox import Due
from seihon.derived.worker import Round, Worker
from seihon.memory import Derive, Memory
from seihon.testing.clock import FakeClock

MINUTE = 60_000_000


@pytest.fixture
def memory(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as opened:
        yield opened


def due(memory: Memory) -> list[Due]:
    with memory.db.read(memory.key("ann")) as tx:
        return outbox.due(tx, "fulltext", limit=10)


def lease(memory: Memory, item: Due, token: str) -> bool:
    with memory.db.derive(memory.key("ann")) as tx:
        return outbox.lease(tx, "fulltext", item, until=tx.now + MINUTE, token=token)


def settle(memory: Memory, item: Due, token: str) -> bool:
    with memory.db.derive(memory.key("ann")) as tx:
        return outbox.settle(tx, "fulltext", item, token=token)


def held(memory: Memory, token: str) -> list[Due]:
    with memory.db.read(memory.key("ann")) as tx:
        return outbox.held(tx, "fulltext", token=token)


def test_of_two_workers_one_gets_the_key(memory: Memory) -> None:
    say(memory, "tea")
    (item,) = due(memory)
    assert lease(memory, item, "first")
    assert not lease(memory, item, "second")
    assert due(memory) == []
    assert held(memory, "first") == [item]
    assert held(memory, "second") == []


def test_a_lease_that_ends_is_taken_over_and_its_holder_settles_nothing(
    memory: Memory, clock: FakeClock
) -> None:
    say(memory, "tea")
    (item,) = due(memory)
    assert lease(memory, item, "slow")
    clock.advance(timedelta(seconds=61))
    assert due(memory) == [item]
    assert lease(memory, item, "quick")
    assert held(memory, "slow") == []
    assert not settle(memory, item, "slow")
    assert settle(memory, item, "quick")
    assert due(memory) == []


def test_a_key_marked_meanwhile_is_not_settled_by_who_read_it_before(memory: Memory) -> None:
    message = say(memory, "tea")
    (item,) = due(memory)
    assert lease(memory, item, "first")
    memory.edit("ann", message.id, "coffee", expect=1)
    assert not settle(memory, item, "first")
    (newer,) = held(memory, "first")
    assert newer.revision > item.revision
    with memory.db.derive(memory.key("ann")) as tx:
        outbox.release(tx, "fulltext", token="first")
    assert due(memory) == [newer]


def test_a_lease_on_an_old_mark_is_refused(memory: Memory) -> None:
    message = say(memory, "tea")
    (item,) = due(memory)
    memory.edit("ann", message.id, "coffee", expect=1)
    assert not lease(memory, item, "late")


def test_work_under_the_lock_takes_over_only_what_nobody_holds(memory: Memory, clock: FakeClock) -> None:
    say(memory, "tea")
    (item,) = due(memory)
    assert lease(memory, item, "slow")
    assert not settle(memory, item, outbox.UNLEASED)
    clock.advance(timedelta(seconds=61))
    assert settle(memory, item, outbox.UNLEASED)


def test_a_failure_is_noted_by_who_holds_the_key(memory: Memory) -> None:
    say(memory, "tea")
    (item,) = due(memory)
    assert lease(memory, item, "first")
    with memory.db.derive(memory.key("ann")) as tx:
        assert not outbox.fail(tx, "fulltext", item, due_at=tx.now + MINUTE, code="x", token="second")
        assert outbox.fail(tx, "fulltext", item, due_at=tx.now + MINUTE, code="x", token="first")
    assert due(memory) == []


class Long(Slow):
    """Takes longer for its copies than a lease."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self.clock = clock
        self.prepared = 0

    def prepare(self, originals: Any) -> Any:
        self.clock.advance(timedelta(hours=1))
        self.prepared += 1
        return originals


def test_what_takes_longer_than_its_lease_is_kept_if_nobody_took_the_key(
    backend: Backend, clock: FakeClock
) -> None:
    store = Long(clock)
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        memory.db.stores = {"slow": store.follows}
        said = say(memory, "hello")
        worker = Worker(memory.db, [store], new_token=lambda: "w1")
        assert worker.drain(memory.key("ann")) > 0
        assert store.held == {(memory.key("ann"), f"message:{said.id}"): 1}
        assert (store.prepared, worker.drain(memory.key("ann"))) == (1, 0)


def test_a_worker_rests_beside_keys_of_stores_that_it_does_not_follow(memory: Memory) -> None:
    say(memory, "hello")
    worker = Worker(memory.db, [], new_token=lambda: "w1")
    stop = threading.Event()
    rounds: list[int] = []

    def one() -> Round:
        done = worker.run_once()
        rounds.append(done.owners)
        if len(rounds) > 1:
            stop.set()
        return done

    worker.wake()
    worker.run(stop, poll=0.2, each=one)
    assert rounds == [1, 1]
    assert not worker._wake.is_set()  # pyright: ignore[reportPrivateUsage] - it was waited for, and cleared
