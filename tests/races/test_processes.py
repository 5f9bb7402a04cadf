"""Many processes at once on one database: nothing acknowledged is lost, and one writer wins each version."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from tests.conftest import Backend, Dialect
from tests.support.crowd import OWNER, SECRET, opened
from tests.support.processes import Line, run, told
from tests.support.profiles import SCHEMA

from seihon.memory import Memory
from seihon.model import Message

SECONDS = 4


@pytest.fixture
def url(backend: Backend) -> Iterator[str]:
    """A database with the schema registered, and no deadlock in it afterwards."""
    Memory.open(backend.url, schema=SCHEMA, secret=SECRET).close()
    yield backend.url
    if backend.dialect is Dialect.POSTGRES:
        with psycopg.connect(backend.admin_url) as admin:
            row = admin.execute(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            ).fetchone()
        assert row == (0,)


@pytest.mark.scenario("I2", "I5", "I8")
def test_p6_eight_processes_append_and_correct_at_once(url: str) -> None:
    eight_processes(url, SECONDS)


@pytest.mark.deep
@pytest.mark.timeout(300)
@pytest.mark.scenario("I2", "I5", "I8")
def test_p6_eight_processes_append_and_correct_for_half_a_minute(url: str) -> None:
    eight_processes(url, 30)


def eight_processes(url: str, seconds: float) -> None:
    """Eight writers, some deriving in the call and some leaving it to others, and one reader beside them."""
    kinds = ["inline", "external"] * 4
    writers: list[Line] = [{"task": "write", "seconds": seconds, "derive": kind} for kind in kinds]
    reader = {"task": "poll", "seconds": seconds, "derive": "external", "writers": len(writers)}
    lines = run(url, [*writers, reader])
    assert told(lines, "done") == [True] * 9
    with opened(url) as memory:
        every_acknowledged_write_stands(memory, lines)
        one_winner_for_each_version(memory, lines)
        every_revision_was_seen_once_and_in_order(memory, lines)
        memory.copies.drain(memory.key(OWNER))
        assert not any(one.differences for one in memory.verify(OWNER))


def every_acknowledged_write_stands(memory: Memory, lines: list[Line]) -> None:
    appended, forgotten = set(told(lines, "appended")), set(told(lines, "forgotten"))
    found = {one.id: one for one in all_messages(memory)}
    assert found.keys() == appended - forgotten
    edited = set(told(lines, "edited")) - forgotten
    assert {key for key, one in found.items() if one.version == 2} == edited
    assert all(found[key].content.startswith("edited") for key in edited)
    assert len(memory.receipts(OWNER, limit=1000)) == min(1000, len(forgotten))


def one_winner_for_each_version(memory: Memory, lines: list[Line]) -> None:
    won = told(lines, "won")
    assert sorted(won) == list(range(1, memory.field(OWNER, "seats").version + 1))
    assert len({line["me"] for line in lines if "won" in line}) > 1


def every_revision_was_seen_once_and_in_order(memory: Memory, lines: list[Line]) -> None:
    seen = [revision for page in told(lines, "saw") for revision in page]
    assert seen == list(range(1, memory.owner(OWNER).revision + 1))


def all_messages(memory: Memory) -> Iterator[Message]:
    """Every live message of the owner, page by page; each conversation counts its places without a gap."""
    for conversation in memory.conversations(OWNER).items:
        cursor: str | None = None
        while True:
            page = memory.messages(OWNER, conversation.id, limit=1000, cursor=cursor)
            yield from page.items
            cursor = page.next
            if cursor is None:
                break


@pytest.mark.scenario("I10")
def test_p6_four_workers_share_one_outbox_and_do_each_key_once(url: str) -> None:
    with opened(url, derive="external") as memory:
        for number in range(240):
            memory.append(f"owner-{number % 12}", "c", "user", f"word{number} of many")
        lines = run(url, [{"task": "work", "seconds": 0, "derive": "external"} for _ in range(4)])
        assert told(lines, "done") == [True] * 4
        # Each message, and the range that an owner's twenty fill.
        assert sum(told(lines, "settled")) == 240 + 12
        assert memory.health().ok and all(one.waiting == 0 for one in memory.health().stores)
        for number in range(12):
            assert not any(one.differences for one in memory.verify(f"owner-{number}"))
            assert len(memory.search(f"owner-{number}", "many", k=100)) == 20
