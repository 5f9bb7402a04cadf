"""Rebuilding and comparing while others append, edit and delete: what stands is found, what went is not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from tests.conftest import Backend
from tests.contract.memories import open_memory, say

from seihon import errors
from seihon.canonical.scope import Reader
from seihon.derived import comparing
from seihon.derived.fulltext import FullText
from seihon.memory import Derive, Memory
from seihon.testing.clock import FakeClock

STANDING = 30
PASSES = 4


@pytest.fixture
def memory(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    with open_memory(backend.url, clock) as opened:
        yield opened


def found(memory: Memory, words: str) -> set[str]:
    """Return what holds the words; what merely stands beside a hit is left out."""
    return {hit.id for hit in memory.search("ann", words, k=100) if hit.reason != "beside"}


class Writing:
    """Appends, edits and deletes, and looks after each step at what a search finds."""

    def __init__(self, memory: Memory, stop: threading.Event) -> None:
        self.memory, self.stop = memory, stop
        self.steps = 0
        self.failed: list[BaseException] = []

    def run(self) -> None:
        """Go on until told to stop, or until something is wrong."""
        try:
            while not self.stop.is_set() or not self.steps:
                self._step()
                self.steps += 1
        except BaseException as error:  # noqa: BLE001 - the test's own thread raises it
            self.failed.append(error)

    def _step(self) -> None:
        message = say(self.memory, f"apricot number {self.steps}")
        assert message.id in found(self.memory, "apricot")
        self.memory.edit("ann", message.id, f"banana number {self.steps}", expect=1)
        assert message.id not in found(self.memory, "apricot")
        assert message.id in found(self.memory, "banana")
        self.memory.forget_message("ann", message.id)
        assert message.id not in found(self.memory, "banana apricot number")


def beside_writes(memory: Memory, act: Callable[[], object]) -> None:
    """Do something again and again while a thread writes and this one looks at what stands."""
    standing = {say(memory, f"the lighthouse of day {number}").id for number in range(STANDING)}
    stop = threading.Event()
    writing = Writing(memory, stop)
    thread = threading.Thread(target=writing.run)
    thread.start()
    try:
        for _ in range(PASSES):
            act()
            assert found(memory, "lighthouse") == standing
    finally:
        stop.set()
        thread.join(60)
    if writing.failed:
        raise writing.failed[0]
    assert writing.steps
    memory.copies.drain(memory.key("ann"))
    assert [one.differences for one in memory.verify("ann", store="fulltext")] == [()]
    assert found(memory, "lighthouse") == standing


def test_p6_a_rebuild_beside_writes_loses_nothing_and_shows_nothing_deleted(memory: Memory) -> None:
    beside_writes(memory, lambda: memory.rebuild("ann", store="fulltext"))


def test_p6_repairs_beside_writes_lose_nothing_and_show_nothing_deleted(memory: Memory) -> None:
    beside_writes(memory, lambda: memory.verify("ann", store="fulltext", repair=True))


class Blind(FullText):
    """An index that names no keys, or fails to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        del tx, after, limit
        if self.error is not None:
            raise self.error
        return []


def test_p6_a_reader_that_finds_nothing_empties_nothing(memory: Memory) -> None:
    message = say(memory, "the lighthouse")
    assert comparing.rebuild(memory.db, Blind(), memory.key("ann")) == 0
    memory.copies.drain(memory.key("ann"))
    assert found(memory, "lighthouse") == {message.id}


def test_p6_a_reader_that_fails_empties_nothing_and_says_so(memory: Memory) -> None:
    message = say(memory, "the lighthouse")
    with pytest.raises(errors.Incomplete) as caught:
        comparing.rebuild(memory.db, Blind(ValueError("the lighthouse")), memory.key("ann"))
    assert "nothing was emptied" in str(caught.value)
    assert "lighthouse" not in str(caught.value)
    assert caught.value.details == {"store": "fulltext", "error": "ValueError", "marked": 0}
    memory.copies.drain(memory.key("ann"))
    assert found(memory, "lighthouse") == {message.id}


def test_a_rebuild_tells_how_far_it_is(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock, derive=Derive.INLINE) as memory:
        for number in range(5):
            say(memory, f"tea {number}")
        told: list[int] = []
        marked = memory.rebuild("ann", store="fulltext", progress=told.append)
        assert sum(told) == 2 * marked
