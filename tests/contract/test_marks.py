"""What no longer holds says so: in messages without a quote, in notes, among the voices of a belief."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.memories import confirm, say

from seihon import errors
from seihon.memory import Memory


def test_p1_a_note_says_what_of_its_sources_no_longer_holds(memory: Memory) -> None:
    said = say(memory, "I am on the Pro plan")
    confirm(memory, "plan", "pro", said)
    note = memory.add_note("ann", "The user is on the Pro plan.", sources=[said.id])
    memory.set("ann", "plan", "free")

    [hit] = memory.search("ann", "plan", kind="note")
    assert [(span.field, span.replacement) for span in hit.superseded] == [("plan", "free")]
    context = memory.context("ann", query="plan", budget=400)
    assert "[superseded: plan is now free] The user is on the Pro plan." in context.text
    assert [item.marked for item in context.items if item.id == note.id] == [True]

    later = memory.add_note("ann", "They moved away from the Pro plan.", sources=[said.id])
    assert [hit.superseded for hit in memory.search("ann", "moved", kind="note") if hit.id == later.id] == [
        ()
    ]


def test_p1_a_claim_without_a_quote_marks_its_message(memory: Memory) -> None:
    said = say(memory, "We are paying for it now")
    memory.observe("ann", "plan", "pro", confidence="inferred", message=said.id)
    memory.set("ann", "plan", "free")
    context = memory.context("ann", query="paying", budget=400)
    assert "[superseded: plan is now free] We are paying for it now" in context.text


def test_a_late_statement_is_kept_as_older(memory: Memory) -> None:
    said = say(memory, "I am on pro")
    memory.set("ann", "plan", "free")
    late = confirm(memory, "plan", "pro", said)
    assert (late.outcome, late.reason) == ("keep", "older")
    assert memory.profile("ann")["plan"] == "free"
    assert (
        "~~I am on pro~~ [superseded: plan is now free]"
        in memory.context("ann", query="pro", budget=400).text
    )


def test_p3_what_was_turned_down_stays_so_from_each_of_its_sources(memory: Memory) -> None:
    first, second = say(memory, "Short please, always"), say(memory, "Keep it short")
    raised = memory.observe(
        "ann", "length", "brief", confidence="inferred", message=first.id, also=[(second.id, "short")]
    )
    assert raised.outcome == "candidate"
    memory.reject("ann", raised.id)
    for message in (first, second):
        again = memory.observe("ann", "length", "brief", confidence="inferred", message=message.id)
        assert again.id == raised.id
    assert memory.candidates("ann").items == ()


def test_a_schema_file_and_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "schema.yaml"
    path.write_text("properties:\n  plan: {type: string, enum: [free, pro], x-seihon: {policy: naive}}\n")
    with Memory.open(tmp_path / "memory.db", schema=path) as memory:
        assert list(memory.schema().fields) == ["plan"]
        with pytest.raises(errors.InvalidArgument, match="list of ids"):
            memory.forget_messages("ann", "m_1")
        nested: dict[str, object] = {}
        for _ in range(40):
            nested = {"deeper": nested}
        with pytest.raises(errors.InvalidArgument, match="nested deeper"):
            memory.append("ann", "talk", "user", "hello", metadata=nested)
    with pytest.raises(errors.Unavailable, match="closed"):
        memory.owner("ann")


def test_p1_every_place_of_a_superseded_quote_is_marked(memory: Memory) -> None:
    said = say(memory, "Pro plan since May. The Pro plan suits me, and the Pro planner does not.")
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=said.id, quote="Pro plan")
    memory.set("ann", "plan", "free")
    [hit] = memory.search("ann", "plan", kind="message")
    assert [said.content[one.start : one.end] for one in hit.superseded] == ["Pro plan"] * 2
    context = memory.context("ann", query="plan", budget=600).text
    mark = "~~Pro plan~~ [superseded: plan is now free]"
    assert f"{mark} since May. The {mark} suits me, and the Pro planner does not." in context


def test_p1_what_was_the_value_and_was_turned_down_since_is_marked(memory: Memory) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    moved = say(memory, "Now I am on Free")
    confirm(memory, "plan", "free", moved)
    memory.forget_message("ann", moved.id)
    [waiting] = memory.candidates("ann").items
    assert waiting.value == "pro"
    memory.reject("ann", waiting.id)
    shown = memory.context("ann", query="pro", budget=400).text
    assert "~~I am on Pro~~ [no longer current: plan is blank]" in shown
