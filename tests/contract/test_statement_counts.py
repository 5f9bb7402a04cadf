"""A profile, a search and a context send as many statements for a thousand hits as for ten."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from tests.conftest import Backend
from tests.contract.memories import open_memory

from seihon.memory import Derive, Memory
from seihon.model import Hit
from seihon.testing.clock import FakeClock

FEW, MANY = "few", "many"


@contextmanager
def counted(memory: Memory) -> Generator[list[str]]:
    """Note each statement that a memory sends, the begin of a transaction left out."""
    found: list[str] = []

    def note(_c: Any, _cursor: Any, sql: str, _values: Any, _context: Any, _many: bool) -> None:
        if not sql.startswith(("PRAGMA", "BEGIN", "SET ")):
            found.append(sql)

    event.listen(memory.db.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(memory.db.engine, "before_cursor_execute", note)


def sent(memory: Memory, act: Callable[[], object]) -> int:
    with counted(memory) as found:
        act()
    assert found
    return len(found)


@pytest.fixture
def filled(backend: Backend, clock: FakeClock) -> Generator[Memory]:
    """One owner with 10 messages, notes and values, and one with 1,000 of each that there may be."""
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL, cache="off") as memory:
        for owner, count in ((FEW, 10), (MANY, 1_000)):
            _fill(memory, owner, count)
        yield memory


def _fill(memory: Memory, owner: str, count: int) -> None:
    lines = [{"role": "user", "content": f"I walk the dog at {n}"} for n in range(count)]
    memory.import_transcript(owner, lines, conversation="talk")
    for note in range(count // 10):
        memory.add_note(owner, f"the dog is called {note}")
    first = memory.messages(owner, "talk", limit=10).items
    for plan, message in zip(("free", "pro", "ultra", "free"), first, strict=False):
        memory.observe(owner, "plan", plan, confidence="confirmed", message=message.id, quote="the dog")
    memory.set(owner, "length", "brief")
    memory.copies.drain(memory.key(owner))


@pytest.mark.parametrize("k", [1, 10, 100])
def test_a_search_sends_a_constant_number_of_statements(filled: Memory, k: int) -> None:
    def asked(owner: str, size: int, kind: str | None = "message") -> Callable[[], tuple[Hit, ...]]:
        return lambda: filled.search(owner, "dog", k=size, kind=kind)

    one = sent(filled, asked(FEW, 1))
    assert [len(asked(owner, k)()) for owner in (FEW, MANY)] == [min(k, 10), k]
    assert [sent(filled, asked(owner, k)) for owner in (FEW, MANY)] == [one, one]
    assert [sent(filled, asked(owner, k, "note")) for owner in (FEW, MANY)] == [one, one]


def test_a_context_sends_a_constant_number_of_statements(filled: Memory) -> None:
    def asked(owner: str, budget: int) -> Callable[[], object]:
        return lambda: filled.context(owner, conversation="talk", query="dog", budget=budget)

    small = sent(filled, asked(FEW, 400))
    assert len(filled.context(MANY, conversation="talk", query="dog", budget=20_000).items) > 100
    for owner in (FEW, MANY):
        for budget in (400, 4_000, 20_000):
            assert sent(filled, asked(owner, budget)) == small


def test_a_profile_sends_a_constant_number_of_statements(filled: Memory) -> None:
    assert filled.profile(MANY)["plan"] == "free"
    assert sent(filled, lambda: filled.profile(MANY)) == sent(filled, lambda: filled.profile(FEW))
    # An owner of whom nothing is known costs no more.
    assert sent(filled, lambda: filled.profile("nobody")) <= sent(filled, lambda: filled.profile(FEW))


def test_texts_that_wait_for_their_entry_cost_no_further_statement(filled: Memory) -> None:
    def asked() -> object:
        return filled.context(MANY, conversation="talk", query="dog")

    settled = sent(filled, asked)
    for number in range(30):
        filled.append(MANY, "talk", "user", f"the dog again {number}")
    assert "said_just_now" in {item.reason for item in filled.context(MANY, query="dog", budget=8_000).items}
    assert sent(filled, asked) == settled


def test_a_context_from_the_cache_sends_few_statements(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        _fill(memory, FEW, 10)

        def asked() -> object:
            return memory.context(FEW, conversation="talk", query="dog")

        made, kept = sent(memory, asked), sent(memory, asked)
    # The owner and whether copies follow; the owner again, and the record of the run.
    assert (kept, made > 12) == (4, True)
