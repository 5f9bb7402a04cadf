"""A worker elsewhere hears of writes on PostgreSQL, with a connection of its own that is replaced."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from tests.conftest import Backend, Dialect
from tests.contract.memories import open_memory, say

from seihon.canonical.listening import Listener
from seihon.canonical.waking import LISTEN, SILENCE_S, Word
from seihon.memory import Derive, Memory
from seihon.testing.clock import FakeClock

SOON = 10.0

# SQLite has no word to say to other processes: they poll.
on_a_server = pytest.mark.parametrize("backend", [Dialect.POSTGRES], ids=str, indirect=True)


@pytest.fixture
def memory(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as opened:
        # Registering the schema said a word; the silence after it is none of these tests.
        opened.db.ground.word = Word()
        yield opened


@pytest.fixture
def heard() -> threading.Semaphore:
    return threading.Semaphore(0)


@contextmanager
def listening(memory: Memory, heard: Callable[[], None]) -> Generator[Listener]:
    stop, listener = threading.Event(), Listener(memory.db.url, heard)
    thread = threading.Thread(target=listener.run, args=(stop,))
    thread.start()
    try:
        assert listener.is_listening.wait(SOON)
        yield listener
    finally:
        stop.set()
        thread.join(SOON)
        assert not thread.is_alive()


def everything(heard: threading.Semaphore) -> None:
    """Wait until nothing more is heard."""
    while heard.acquire(timeout=0.5):
        pass


@on_a_server
def test_a_write_is_heard_at_once_and_what_followed_in_silence_a_moment_later(
    memory: Memory, heard: threading.Semaphore
) -> None:
    with listening(memory, heard.release):
        assert heard.acquire(timeout=SOON), "who begins to listen looks at what was missed"
        everything(heard)
        say(memory, "tea")
        assert heard.acquire(timeout=SOON)
        assert heard.acquire(timeout=SOON)


@on_a_server
def test_a_connection_that_breaks_is_replaced(
    memory: Memory, heard: threading.Semaphore, backend: Backend
) -> None:
    with listening(memory, heard.release) as listener:
        everything(heard)
        listener.is_listening.clear()
        with psycopg.connect(backend.admin_url, autocommit=True) as admin:
            ended = admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND query = %s",
                (LISTEN,),
            ).fetchall()
        assert ended == [(True,)]
        assert listener.is_listening.wait(SOON)
        assert heard.acquire(timeout=SOON)
        everything(heard)
        say(memory, "tea")
        assert heard.acquire(timeout=SOON)


@on_a_server
def test_a_word_holds_nothing_and_only_writes_of_the_original_say_it(
    memory: Memory, heard: threading.Semaphore, backend: Backend
) -> None:
    with psycopg.connect(backend.url, autocommit=True) as ear:
        ear.execute(LISTEN)
        say(memory, "I live in Tokyo")
        (word,) = ear.notifies(timeout=SOON, stop_after=1)
        assert word.payload == ""
        threading.Event().wait(2 * SILENCE_S)
        memory.copies.drain(memory.key("ann"))
        memory.search("ann", "Tokyo")
        assert list(ear.notifies(timeout=0.3)) == []


def test_a_busy_process_says_one_word_in_fifty_milliseconds() -> None:
    now = 0.0
    word = Word(lambda: now)
    said: list[float] = []
    for step in range(200):
        now = step / 1000
        if word.is_due():
            word.said()
            said.append(now)
    assert said == pytest.approx([0.0, 0.05, 0.1, 0.15], abs=0.005)


@on_a_server
def test_a_write_that_was_taken_back_counts_for_no_word(memory: Memory) -> None:
    with pytest.raises(RuntimeError), memory.db.write(memory.key("ann")):
        raise RuntimeError
    word = memory.db.ground.word
    assert word is not None
    assert word.is_due()


@on_a_server
@pytest.mark.parametrize("derive", [Derive.EXTERNAL, Derive.BACKGROUND])
def test_a_worker_elsewhere_follows_long_before_it_would_poll(
    memory: Memory, backend: Backend, clock: FakeClock, derive: Derive
) -> None:
    stop = threading.Event()
    with open_memory(backend.url, clock, derive=derive) as at_work:
        worker = at_work.copies.worker
        rounds = threading.Semaphore(0)
        with listening(at_work, worker.wake):
            thread = threading.Thread(
                target=worker.run,
                args=(stop,),
                kwargs={"poll": 600.0, "each": lambda: (worker.run_once(), rounds.release())[0]},
            )
            thread.start()
            try:
                say(memory, "I live in Tokyo")
                while memory.health().stores[0].waiting:
                    assert rounds.acquire(timeout=SOON)
            finally:
                stop.set()
                worker.wake()
                thread.join(SOON)
