"""What was deleted stays out of a new life, and out of a clock that was set back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.contract.memories import SCHEMA, confirm, infer, say

from seihon import errors
from seihon.memory import Memory
from seihon.testing.clock import FakeClock


def test_p3_an_export_for_the_person_brings_no_value_back_after_reopening(memory: Memory) -> None:
    memory.set("ann", "plan", "pro")
    kept = list(memory.export("ann"))
    memory.forget_owner("ann")
    memory.reopen("ann")
    report = memory.import_export(kept)
    assert report.added == 0
    assert memory.profile("ann")["plan"] is None


def test_p3_a_late_record_stays_out_of_a_new_life(memory: Memory, clock: FakeClock) -> None:
    memory.set("ann", "plan", "pro")
    before = clock()
    clock.advance(days=1)
    memory.forget_owner("ann")
    memory.reopen("ann")
    late = memory.observe("ann", "plan", "pro", confidence="confirmed", source="system", observed_at=before)
    assert (late.outcome, late.value) == ("reject", None)
    assert memory.profile("ann")["plan"] is None


def test_p3_a_late_retry_is_not_done_anew_in_a_new_life(memory: Memory) -> None:
    memory.set("ann", "plan", "pro", idempotency_key="k1")
    memory.append("ann", "talk", "user", "hello", idempotency_key="k2")
    memory.forget_owner("ann").wait()
    memory.reopen("ann")
    with pytest.raises(errors.Gone):
        memory.set("ann", "plan", "pro", idempotency_key="k1")
    with pytest.raises(errors.Gone):
        memory.append("ann", "talk", "user", "hello", idempotency_key="k2")
    assert memory.profile("ann")["plan"] is None


def test_p3_a_clock_set_back_brings_no_deleted_value_back(memory: Memory, clock: FakeClock) -> None:
    said = say(memory, "I am on Pro")
    confirm(memory, "plan", "pro", said)
    clock.advance(seconds=-3600)
    memory.forget_field("ann", "plan")
    assert confirm(memory, "plan", "pro", said).outcome == "reject"
    assert memory.profile("ann")["plan"] is None
    assert memory.set("ann", "plan", "free").value == "free"

    memory.decline("ann", "plan")
    late = say(memory, "It is Pro")
    infer(memory, "plan", "pro", late)
    assert memory.profile("ann")["plan"] is None


def test_p2_weights_of_an_earlier_policy_go_with_a_deleted_word(memory: Memory) -> None:
    properties = SCHEMA["properties"]
    name = next(n for n, one in properties.items() if one.get("x-seihon", {}).get("policy") == "belief")
    values = properties[name]["enum"]
    first = say(memory, "one thing")
    infer(memory, name, values[0], first)
    for text in ("another", "and another", "and yet another"):
        infer(memory, name, values[1], say(memory, text))
    naive = {**properties[name], "x-seihon": {"policy": "naive"}}
    plain = {**SCHEMA, "properties": {**properties, name: naive}}
    memory.register_schema(plain, plan=memory.plan_schema(plain))
    memory.forget_message("ann", first.id)
    assert memory.profile("ann")[name] == values[1]
    assert not any("weights" in line for line in memory.export("ann", kind="migration"))


def test_a_message_whose_time_has_passed_can_be_deleted(memory: Memory, clock: FakeClock) -> None:
    said = memory.append("ann", "talk", "user", "gone soon", expires_after_turns=1)
    say(memory, "one more", to="talk")
    say(memory, "and one", to="talk")
    assert str(memory.forget_message("ann", said.id).wait().state) == "verified"


def test_a_stretch_of_time_is_that_of_what_was_said(memory: Memory) -> None:
    lines = [{"role": "user", "content": "long ago", "created_at": "2020-05-01T00:00:00Z"}]
    say(memory, "today", to="talk")
    memory.import_transcript("ann", lines, conversation="talk")
    receipt = memory.forget_matching("ann", until=datetime(2021, 1, 1, tzinfo=UTC))
    assert receipt.counts == {"messages": 1}
    assert [one.content for one in memory.messages("ann", "talk")] == ["today"]
