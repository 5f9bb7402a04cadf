"""Dead letters: what failed for hours is given up by name, lost by nobody, and tried again on request."""

from __future__ import annotations

import pytest
from tests.contract.memories import say
from tests.derived.test_worker import Choosy, hits, in_line, worker_of

from seihon import errors
from seihon.derived.fulltext import FullText
from seihon.derived.worker import Worker
from seihon.memory import Memory
from seihon.model import plain
from seihon.testing.clock import FakeClock

ATTEMPTS = 3


@pytest.fixture
def letter(memory: Memory) -> str:
    """The id of a message that the index refuses."""
    return say(memory, "I live in Tokyo").id


def given_up(memory: Memory, letter: str, clock: FakeClock) -> tuple[Worker, Choosy]:
    store = Choosy(f"message:{letter}")
    worker = worker_of(memory, store, attempts=ATTEMPTS)
    for _ in range(ATTEMPTS):
        worker.run_once()
        clock.advance(seconds=7200)
    return worker, store


def test_what_keeps_failing_is_given_up_and_says_why(memory: Memory, letter: str, clock: FakeClock) -> None:
    worker, store = given_up(memory, letter, clock)
    (found,) = memory.failures()
    assert (found.owner, found.store, found.key) == ("ann", "fulltext", f"message:{letter}")
    assert (found.attempts, found.code, found.dead) == (ATTEMPTS, "ValueError", True)
    assert found.since < clock()
    assert "Tokyo" not in str(plain(found))
    calls = len(store.calls)
    clock.advance(days=400)
    assert worker.run_once().owners == 0, "nothing of it is due any more"
    assert len(store.calls) == calls
    assert memory.failures("ann") == memory.failures("ann", store="fulltext") == (found,)
    assert memory.failures(store="summaries") == ()


def test_health_counts_dead_letters_apart(memory: Memory, letter: str, clock: FakeClock) -> None:
    worker = worker_of(memory, Choosy(f"message:{letter}"), attempts=2)
    worker.run_once()
    index = memory.health().stores[0]
    assert (index.waiting, index.failing, index.dead) == (1, 1, 0)
    clock.advance(seconds=7200)
    worker.run_once()
    health = memory.health()
    index = health.stores[0]
    assert (index.waiting, index.failing, index.dead, index.oldest_seconds) == (0, 0, 1, 0.0)
    assert not health.ok


def test_a_retry_on_request_brings_it_back(memory: Memory, letter: str, clock: FakeClock) -> None:
    worker, store = given_up(memory, letter, clock)
    assert memory.retry(store="summaries") == 0
    assert memory.retry() == 1
    worker.run_once()
    assert [(one.attempts, one.dead) for one in memory.failures()] == [(1, False)]
    store.refused.clear()
    assert memory.retry("ann", store="fulltext") == 1, "what waits for its time is not made to wait"
    worker.run_once()
    assert memory.failures() == ()
    assert hits(memory, "Tokyo") == 1


def test_an_original_that_changes_is_looked_at_again(memory: Memory, letter: str, clock: FakeClock) -> None:
    worker, store = given_up(memory, letter, clock)
    store.refused.clear()
    memory.edit("ann", letter, "I live in Osaka", expect=1)
    worker.run_once()
    assert hits(memory, "Osaka") == 1
    assert memory.failures() == ()


def test_comparing_shows_what_a_dead_letter_left_undone(
    memory: Memory, letter: str, clock: FakeClock
) -> None:
    given_up(memory, letter, clock)
    (found,) = memory.verify("ann", store="fulltext")
    assert [one.key for one in found.differences] == [f"message:{letter}"]
    memory.verify("ann", store="fulltext", repair=True)
    assert hits(memory, "Tokyo") == 1
    worker_of(memory, FullText()).run_once()
    assert memory.failures() == ()
    assert in_line(memory)


def test_a_deletion_reaches_what_was_given_up(memory: Memory, letter: str, clock: FakeClock) -> None:
    given_up(memory, letter, clock)
    receipt = memory.forget_owner("ann")
    memory.copies.drain(memory.key("ann"))
    assert memory.receipt("ann", receipt.id).verified_at is not None
    assert memory.failures() == ()


def test_a_store_that_does_not_exist_is_refused(memory: Memory) -> None:
    with pytest.raises(errors.InvalidArgument):
        memory.failures(store="nothing")
    with pytest.raises(errors.InvalidArgument):
        memory.retry(store="nothing")
