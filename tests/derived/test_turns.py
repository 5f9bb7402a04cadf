"""Whose turn it is: one owner with 100,000 keys, or a deletion of many records, holds up nobody."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from sqlalchemy import text
from tests.conftest import Backend
from tests.contract.memories import open_memory, say
from tests.derived.test_worker import Choosy, in_line, waiting, worker_of

from seihon.canonical import outbox
from seihon.canonical.scope import Reader, Writer
from seihon.derived import receipts
from seihon.derived.fulltext import FullText
from seihon.derived.pace import IN_A_ROUND, Effort, Pace
from seihon.derived.worker import Settings, Worker
from seihon.memory import Memory
from seihon.model import StoreState
from seihon.testing.clock import FakeClock

MANY = 100_000
_KEYS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :many) INSERT INTO dirty"
    " (owner, store, key, revision, attempts, marked_at, due_at, leased_until, lease, error)"
    " SELECT :owner, 'fulltext', 'message:x' || i, 1, 0, 1, 1, 0, '', '' FROM n"
)


def mark_many(memory: Memory, owner: str) -> None:
    key = memory.key(owner)
    with memory.db.engine.begin() as connection:
        if memory.db.dialect == "postgresql":
            connection.execute(text(f"SET LOCAL seihon.owner = '{key}'"))
        connection.execute(text(_KEYS), {"many": MANY, "owner": key})


def test_an_owner_with_a_hundred_thousand_keys_holds_up_nobody(memory: Memory) -> None:
    say(memory, "tea", owner="busy")
    mark_many(memory, "busy")
    for owner in ("ann", "zoe"):
        say(memory, "tea", owner=owner)
    worker = worker_of(memory, FullText(), batch=200, owners=2)
    # Three owners, two a round: within two rounds each has had a turn, and the busy one two batches at most.
    worker.run_once()
    worker.run_once()
    assert [waiting(memory, owner) for owner in ("ann", "zoe")] == [[], []]
    assert len(waiting(memory, "busy")) >= MANY - 2 * 200


def test_a_large_deletion_in_progress_holds_up_nobody(memory: Memory) -> None:
    lines = [{"role": "user", "content": f"the dog walks at {number}"} for number in range(120)]
    memory.import_transcript("busy", lines, conversation="talk")
    memory.copies.drain(memory.key("busy"))
    receipt = memory.forget_owner("busy")
    message = say(memory, "tea")
    small = memory.forget_message("ann", message.id)
    came: dict[str, dict[str, Any]] = {}
    goes = 0
    while memory.receipt("busy", receipt.id).state is not StoreState.VERIFIED:
        pace = Pace(Effort.DUE, batch=5, share=IN_A_ROUND, came=came)
        receipts.advance_all(memory.db, memory.copies.stores, pace, limit=10)
        goes += 1
        assert memory.receipt("ann", small.id).state is StoreState.VERIFIED
        # Where it was cut, it goes on: what was taken out is not gone over again.
        assert goes <= 12
        assert bool(came) is pace.cut
    assert goes > 2
    assert came == {}


def test_a_call_that_deletes_much_does_some_of_it_and_whoever_waits_the_rest(
    backend: Backend, clock: FakeClock
) -> None:
    lines = [{"role": "user", "content": f"the dog walks at {number}"} for number in range(700)]
    with open_memory(backend.url, clock) as memory:
        memory.import_transcript("ann", lines, conversation="talk")
        say(memory, "tea", owner="bob")
        receipt = memory.forget_owner("ann")
        assert receipt.state is StoreState.PENDING
        assert {one.store: one.removed for one in receipt.stores}["original"] >= 250
        told: list[int] = []
        found = memory.wait("ann", receipt.id, 60, progress=told.append)
        assert found.state is StoreState.VERIFIED
        assert sum(told) >= 2 * (700 - 500)
        kept = memory.forget_owner("bob")
        assert kept.state is StoreState.VERIFIED


class Slow(FullText):
    """Copies made one by one; with each, time passes, or somebody asks the worker to stop."""

    batch = 1

    def __init__(self, stop: threading.Event | None = None) -> None:
        self.stop = stop
        self.made = 0

    def gather(self, _tx: Reader, keys: Sequence[str]) -> Sequence[str]:
        return keys

    def prepare(self, originals: Sequence[str]) -> Sequence[str]:
        self.made += len(originals)
        if self.stop is not None:
            self.stop.set()
        return originals

    def publish(self, tx: Writer, keys: Sequence[str], prepared: Sequence[str]) -> Sequence[str]:
        return self.refresh(tx, [key for key in keys if key in prepared])


def slow_worker(memory: Memory, store: Slow, *, turn: float) -> Worker:
    tokens = iter(f"w{number}" for number in range(1000))
    settings = Settings(turn=turn)
    return Worker(memory.db, [store], new_token=lambda: next(tokens), chance=Random(1), settings=settings)


def test_copies_made_one_by_one_take_no_longer_than_a_turn(memory: Memory) -> None:
    for number in range(5):
        say(memory, f"tea {number}")
    store = Slow()
    worker = slow_worker(memory, store, turn=0.0)
    assert worker.run_once().settled == 1, "the one that was begun is finished"
    assert len(waiting(memory)) == 4
    assert worker.drain(memory.key("ann")) == 4, "whoever drains goes on until nothing is due"
    assert in_line(memory)


def test_a_worker_that_is_to_stop_finishes_what_it_holds_and_leases_nothing_more(memory: Memory) -> None:
    for number in range(5):
        say(memory, f"tea {number}")
    stop = threading.Event()
    store = Slow(stop)
    slow_worker(memory, store, turn=60.0).run(stop)
    assert store.made == 1
    left = waiting(memory)
    assert len(left) == 4
    with memory.db.read(memory.key("ann")) as tx:
        assert [one.key for one in outbox.due(tx, "fulltext", limit=10)] == left, "none is held"


def test_what_this_worker_did_is_counted(memory: Memory) -> None:
    bad = f"message:{say(memory, 'tea').id}"
    say(memory, "coffee")
    worker = worker_of(memory, Choosy(bad))
    worker.run_once()
    done = worker.done
    assert (worker.rounds, done.settled, done.failed, done.dead) == (1, 1, 1, 0)


@pytest.mark.parametrize("stopped", [True, False])
def test_a_deletion_leaves_off_when_its_worker_is_to_stop(memory: Memory, stopped: bool) -> None:
    message = say(memory, "tea")
    receipt = memory.forget_message("ann", message.id)
    stop = threading.Event()
    if stopped:
        stop.set()
    memory.copies.advance(stop)
    state = memory.receipt("ann", receipt.id).state
    assert (state is StoreState.VERIFIED) is not stopped
