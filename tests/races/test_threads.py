"""Threads on one memory: first use, many writers, held locks, lost connections, and every pair of verbs."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations_with_replacement
from typing import Any, Final

import psycopg
import pytest
from tests.conftest import DEEP, Backend, Dialect
from tests.support.crowd import SECRET
from tests.support.profiles import SCHEMA

from seihon import errors
from seihon.canonical.database import Options
from seihon.memory import Derive, Memory
from seihon.model import Message, StoreState

OWNER: Final = "ann"


def opened(url: str, *, derive: Derive = Derive.INLINE, busy_timeout: float = 60.0) -> Memory:
    options = Options(busy_timeout=busy_timeout, pool_size=4, synchronous="normal")
    return Memory.open(url, schema=SCHEMA, secret=SECRET, derive=derive, options=options)


@pytest.fixture
def memory(backend: Backend) -> Iterator[Memory]:
    with opened(backend.url) as found:
        yield found


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Run acts in threads that start together; return what each returned, or the error it raised."""
    gate = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        gate.wait(30)
        try:
            return act()
        except errors.SeihonError as refused:
            return refused

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def only(results: Sequence[object], *allowed: type[errors.SeihonError]) -> None:
    """Fail on any refusal that is not allowed."""
    refused = [one for one in results if isinstance(one, errors.SeihonError)]
    assert [one for one in refused if not isinstance(one, allowed)] == []


@pytest.mark.scenario("I11")
def test_p6_twenty_first_messages_of_a_fresh_conversation_all_stand(memory: Memory) -> None:
    def say(number: int) -> Callable[[], object]:
        return lambda: memory.append(OWNER, "fresh", "user", f"first {number}")

    only(at_once(*(say(number) for number in range(20))))
    found = memory.messages(OWNER, "fresh").items
    assert [one.seq for one in found] == list(range(1, 21))
    assert {one.content for one in found} == {f"first {number}" for number in range(20)}
    assert sorted(one.turn for one in found) == list(range(1, 21))


@pytest.mark.scenario("I11")
def test_p6_many_openings_of_an_empty_database_make_one_schema(sqlite_empty: str) -> None:
    def use() -> object:
        with opened(sqlite_empty) as memory:
            return memory.append(OWNER, "fresh", "user", "hello").id

    only(at_once(*(use for _ in range(5))))
    with opened(sqlite_empty) as memory:
        assert memory.conversation(OWNER, "fresh").messages == 5
        assert memory.schema().version == 1


@pytest.fixture
def sqlite_empty(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a file that is not there yet."""
    return str(tmp_path_factory.mktemp("empty") / "new.db")


@pytest.mark.scenario("I13")
@pytest.mark.parametrize("derive", [Derive.INLINE, Derive.BACKGROUND])
def test_p6_eight_threads_bring_in_a_hundred_messages(backend: Backend, derive: Derive) -> None:
    with opened(backend.url, derive=derive) as memory:

        def bring_in(number: int) -> Message:
            return memory.append(OWNER, f"c{number % 5}", "user", f"word{number} common")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(bring_in, range(100)))
        memory.copies.drain(memory.key(OWNER))
        assert len(memory.search(OWNER, "common", k=200)) == 100
        assert not any(one.differences for one in memory.verify(OWNER))
        assert memory.owner(OWNER).revision == 100


@pytest.mark.scenario("I2", "I8")
def test_p1_of_twenty_corrections_of_one_version_one_wins(memory: Memory) -> None:
    memory.set(OWNER, "seats", 0)

    def correct(number: int) -> Callable[[], object]:
        return lambda: memory.set(OWNER, "seats", number, expect=1)

    results = at_once(*(correct(number) for number in range(1, 21)))
    only(results, errors.VersionConflict)
    lost = [one for one in results if isinstance(one, errors.VersionConflict)]
    assert [one.details["current"] for one in lost] == [2] * 19
    assert memory.field(OWNER, "seats").version == 2
    assert len(memory.history(OWNER, "seats")) == 2


@contextmanager
def lock_held(backend: Backend) -> Generator[None]:
    """Hold what every writer of the owner needs, from outside."""
    if backend.path is not None:
        holder = sqlite3.connect(backend.path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            holder.rollback()
            holder.close()
        return
    with psycopg.connect(backend.admin_url) as admin:
        admin.execute("SELECT 1 FROM owners FOR UPDATE")
        yield
        admin.rollback()


@pytest.mark.scenario("I7")
def test_p6_a_lock_that_is_held_is_waited_for_and_then_told(backend: Backend) -> None:
    with opened(backend.url, busy_timeout=1.0) as memory:
        memory.append(OWNER, "c", "user", "before")
        with lock_held(backend):
            began = time.monotonic()
            with pytest.raises(errors.Busy) as told:
                memory.append(OWNER, "c", "user", "during")
            assert 0.5 < time.monotonic() - began < 20
            assert "try again" in told.value.message
            assert [one.content for one in memory.messages(OWNER, "c")] == ["before"]
        memory.append(OWNER, "c", "user", "after")
        assert [one.content for one in memory.messages(OWNER, "c")] == ["before", "after"]
        assert memory.owner(OWNER).revision == 2


@pytest.mark.scenario("I7")
def test_p6_a_lock_held_for_less_than_the_wait_is_waited_out(backend: Backend) -> None:
    with opened(backend.url, busy_timeout=30.0) as memory:
        memory.append(OWNER, "c", "user", "before")
        with ThreadPoolExecutor(1) as pool:
            with lock_held(backend):
                waiting = pool.submit(memory.append, OWNER, "c", "user", "patient")
                time.sleep(0.4)
                assert not waiting.done()
            assert waiting.result(timeout=30).seq == 2


@pytest.mark.scenario("Q1")
def test_p6_connections_that_are_ended_under_load_are_replaced(backend: Backend) -> None:
    # Nothing ends a connection to a file; there it is the same load, undisturbed.
    ends = _nothing if backend.dialect is Dialect.SQLITE else _ends_every_session(backend)
    with opened(backend.url) as memory:
        memory.append(OWNER, "c", "user", "before")
        stop = time.monotonic() + (20 if DEEP else 2)
        acknowledged: list[str] = []

        def load() -> None:
            while time.monotonic() < stop:
                try:
                    acknowledged.append(memory.append(OWNER, "c", "user", "under load").id)
                    memory.search(OWNER, "load", k=3)
                except errors.Unavailable:
                    continue

        def disturb() -> None:
            while time.monotonic() < stop:
                ends()
                time.sleep(0.1)

        at_once(load, load, load, disturb)
        # What broke is over: the very next calls work.
        last = memory.append(OWNER, "c", "user", "after")
        assert memory.message(OWNER, last.id).content == "after"
        assert memory.db.engine.pool.checkedout() <= memory.db.options.pool_size  # type: ignore[attr-defined]
        memory.copies.drain(memory.key(OWNER))
        found = {one.id for one in every_message(memory, "c")}
        assert set(acknowledged) <= found
        assert not any(one.differences for one in memory.verify(OWNER))


def every_message(memory: Memory, conversation: str) -> Iterator[Any]:
    page = memory.messages(OWNER, conversation, limit=1000)
    yield from page.items
    while page.next:
        page = memory.messages(OWNER, conversation, limit=1000, cursor=page.next)
        yield from page.items


def _nothing() -> None:
    return None


def _ends_every_session(backend: Backend) -> Callable[[], None]:
    def end() -> None:
        with psycopg.connect(backend.admin_url, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    return end


@pytest.mark.scenario("Q2")
def test_p6_searches_without_hits_give_their_connections_back(memory: Memory, backend: Backend) -> None:
    memory.append(OWNER, "c", "user", "something")

    def look(number: int) -> int:
        return len(memory.search(OWNER, f"nothing{number}"))

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(look, range(500))) == [0] * 500
    if backend.dialect is Dialect.POSTGRES:
        with psycopg.connect(backend.admin_url) as admin:
            busy = admin.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND state <> 'idle'"
            ).fetchone()
        assert busy == (0,)
    # As many readers at once as there are connections: none is missing.
    at_once(*(lambda: memory.owner(OWNER) for _ in range(memory.db.options.pool_size)))


Verb = Callable[[Memory, str], object]
VERBS: Final[dict[str, Verb]] = {
    "append": lambda m, o: m.append(o, "c", "user", "zq9x appended"),
    "edit": lambda m, o: m.edit(o, "m1", "zq8x edited", expect=1),
    "set": lambda m, o: m.set(o, "plan", "ultra"),
    "forget": lambda m, o: m.forget_message(o, "m1"),
    "forget all": lambda m, o: m.forget_conversation(o, "c"),
    "rebuild": lambda m, o: m.rebuild(o),
    "observe": lambda m, o: m.observe(o, "plan", "free", confidence="confirmed", message="m1", quote="zq1x"),
}
PAIRS: Final = list(combinations_with_replacement(VERBS, 2))
ROUNDS: Final = 200 if DEEP else 2


@pytest.mark.timeout(1_200)
@pytest.mark.scenario("I14")
def test_p6_any_two_verbs_at_once_end_as_if_one_came_first(backend: Backend) -> None:
    with opened(backend.url) as one, opened(backend.url) as other:
        for pair in PAIRS:
            serial = {outcome(one, f"{pair}-{order}", pair[::order]) for order in (1, -1)}
            for number in range(ROUNDS):
                owner = f"{pair}-at-once-{number}"
                furnish(one, owner)
                first, second = (VERBS[name] for name in pair)
                results = at_once(lambda: first(one, owner), lambda: second(other, owner))  # noqa: B023
                only(results, errors.Gone, errors.VersionConflict, errors.InvalidArgument)
                assert ended(one, owner) in serial, pair


def furnish(memory: Memory, owner: str) -> None:
    """Give an owner a message with a claim and a note drawn from it."""
    memory.append(owner, "c", "user", "zq1x said", id="m1")
    memory.observe(owner, "plan", "pro", confidence="confirmed", message="m1", quote="zq1x")
    memory.add_note(owner, "zq2x noted", sources=["m1"])


def outcome(memory: Memory, owner: str, names: Sequence[str]) -> object:
    """What two verbs lead to, one after the other."""
    furnish(memory, owner)
    for name in names:
        try:
            VERBS[name](memory, owner)
        except (errors.Gone, errors.VersionConflict, errors.InvalidArgument):
            continue
    return ended(memory, owner)


def ended(memory: Memory, owner: str) -> object:
    """How an owner stands, after every copy and deletion has come to its end; ids and times left out."""
    for receipt in memory.receipts(owner):
        assert receipt.wait(timeout=30).state is StoreState.VERIFIED
    memory.copies.drain(memory.key(owner))
    assert not any(found.differences for found in memory.verify(owner))
    counters = memory.owner(owner)
    told = {change.revision for change in memory.changes(owner, limit=1000)}
    assert told == set(range(1, counters.revision + 1))
    said = [one.content for talk in memory.conversations(owner) for one in memory.messages(owner, talk.id)]
    state = memory.field(owner, "plan")
    claims = sorted((one.state.value, str(one.value)) for one in memory.history(owner, "plan"))
    found = sorted(hit.text for word in range(1, 10) for hit in memory.search(owner, f"zq{word}x", k=9))
    notes = tuple(one.text for one in memory.notes(owner))
    return tuple(said), notes, state.value, state.status, tuple(claims), tuple(found), counters.epoch
