"""Summaries in a context: of what is older than the messages shown, with their sources, at a fixed cost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.conftest import Backend
from tests.contract.memories import open_memory, say
from tests.contract.test_statement_counts import counted, sent

from seihon.core.ranges import SIZE
from seihon.memory import Derive, Memory
from seihon.testing.clock import FakeClock

LONG = "I want to tell you at length about all that has happened, and it was not little, on day {}."


@pytest.fixture
def memory(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    """A conversation of ten full ranges; somewhere in the third, one sentence about a harbour."""
    with open_memory(backend.url, clock) as opened:
        lines = [{"role": "user", "content": LONG.format(n)} for n in range(10 * SIZE)]
        lines[2 * SIZE + 5]["content"] = "The harbour is not frozen in May."
        opened.import_transcript("ann", lines, conversation="c1")
        yield opened


def test_a_context_holds_summaries_of_what_is_older_than_the_messages_shown(memory: Memory) -> None:
    made = memory.context("ann", conversation="c1", query="harbour", budget=3_000)
    kinds = {one.kind for one in made.items}
    assert {"recent", "summary", "message"} <= kinds
    listed = {one.id: one for one in memory.summaries("ann", "c1")}
    held = [(one.id, one.reason) for one in made.items if one.kind == "summary"]
    first = listed[held[0][0]]
    assert held[0][1] == "holds_a_hit"
    assert (first.first_seq, first.version) == (2 * SIZE + 1, 1)
    assert {reason for _, reason in held[1:]} <= {"earlier"}
    ids = list(first.sources)
    assert f"summary {first.id} of {ids[0]}–{ids[-1]}, made 2026-01-01>>\n{first.text}\n" in made.text
    assert made.tokens <= 3_000


def test_no_summary_repeats_what_is_shown_and_each_omission_says_why(memory: Memory) -> None:
    made = memory.context("ann", conversation="c1", query="harbour", budget=12_000)
    shown = {one.id for one in made.items if one.kind == "recent"}
    listed = {one.id: one for one in memory.summaries("ann", "c1")}
    for one in made.items:
        assert one.kind != "summary" or not shown.issuperset(listed[one.id].sources)
    reasons = {one.id: one.reason for one in made.omissions if one.kind == "summary"}
    covered = {one.id for one in listed.values() if shown.issuperset(one.sources)}
    assert covered
    assert {reasons[one] for one in covered} == {"already_recent"}


def test_without_a_conversation_there_are_no_summaries(memory: Memory) -> None:
    made = memory.context("ann", query="harbour", budget=3_000)
    assert "summary" not in {one.kind for one in (*made.items, *made.omissions)}


def test_many_summaries_cost_no_more_statements_than_one(memory: Memory) -> None:
    memory.import_transcript(
        "bob", [{"role": "user", "content": LONG.format(n)} for n in range(SIZE)], conversation="c1"
    )
    memory.context("bob")  # it reads the schema, once for all
    few = sent(memory, lambda: memory.context("bob", conversation="c1", query="day", budget=400))
    for budget in (400, 3_000, 12_000):
        asked = sent(
            memory, lambda budget=budget: memory.context("ann", conversation="c1", query="day", budget=budget)
        )
        assert asked == few


def test_an_ordinary_message_tells_the_summaries_nothing(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        marks: list[int] = []
        for number in range(SIZE):
            with counted(memory) as found:
                say(memory, f"message {number}")
            marks.append(sum("INSERT INTO dirty" in one for one in found))
        assert set(marks) == {1}
        waiting = {one.store: one.waiting for one in memory.health().stores}
        assert (waiting["fulltext"], waiting["summaries"]) == (SIZE, 1)
