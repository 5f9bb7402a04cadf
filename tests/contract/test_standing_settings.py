"""What the person set themselves does not go with a message that only repeated it."""

from __future__ import annotations

import pytest
from tests.conftest import Backend
from tests.contract.memories import POLICIES, confirm, infer, open_memory, plan_under, say

from seihon.memory import Memory
from seihon.model import FieldStatus, Message
from seihon.testing.clock import FakeClock

policies = pytest.mark.parametrize("policy", list(POLICIES))


def standing(memory: Memory) -> tuple[object, ...]:
    """Return the field's value, status and source, and what waits."""
    state = memory.field("ann", "plan")
    return state.value, state.status, state.source, [one.value for one in memory.candidates("ann")]


def repeated(memory: Memory, clock: FakeClock) -> Message:
    """Set a plan, and say it an hour later."""
    memory.set("ann", "plan", "pro")
    clock.advance(seconds=3_600)
    said = say(memory, "I am on pro")
    confirm(memory, "plan", "pro", said)
    return said


@policies
def test_a_setting_stands_when_its_repetition_is_deleted(
    backend: Backend, clock: FakeClock, policy: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        said = repeated(memory, clock)
        first = memory.history("ann", "plan").items[0]
        memory.forget_message("ann", said.id)
        assert standing(memory) == ("pro", FieldStatus.CURRENT, "setting", [])
        state = memory.field("ann", "plan")
        # As old as the setting, and not as what was deleted.
        assert (state.observed_at, state.turn, state.reason) == (
            first.observed_at,
            first.turn,
            "setting_stands",
        )
        memory.set("ann", "plan", "free")
        assert memory.profile("ann")["plan"] == "free"


@policies
def test_p3_nothing_older_than_a_deleted_repetition_comes_in(
    backend: Backend, clock: FakeClock, policy: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        memory.set("ann", "plan", "pro")
        clock.advance(seconds=60)
        between = say(memory, "maybe I go free")
        said = say(memory, "no, pro it is")
        confirm(memory, "plan", "pro", said)
        memory.forget_message("ann", said.id)
        late = confirm(memory, "plan", "free", between)
        assert (late.outcome, late.reason) == ("reject", "below_floor")
        assert memory.profile("ann")["plan"] == "pro"


def test_p3_what_the_repetition_kept_out_waits(memory: Memory, clock: FakeClock) -> None:
    said = repeated(memory, clock)
    infer(memory, "plan", "ultra", say(memory, "what does ultra cost?"))
    memory.forget_message("ann", said.id)
    assert standing(memory) == ("pro", FieldStatus.CURRENT, "setting", ["ultra"])
    # A late word folds all statements anew: the setting is still among them, and guards.
    infer(memory, "plan", "free", say(memory, "free?"))
    assert memory.profile("ann")["plan"] == "pro"


def test_a_setting_that_is_newer_than_a_belief_in_the_same_value_stands(
    memory: Memory, clock: FakeClock
) -> None:
    said = say(memory, "I feel good")
    confirm(memory, "mood", "good", said)
    clock.advance(seconds=60)
    memory.set("ann", "mood", "good")
    memory.forget_message("ann", said.id)
    assert memory.profile("ann")["mood"] == "good"
    memory.set("ann", "mood", "bad")
    assert memory.profile("ann")["mood"] == "bad"


@policies
def test_p1_p3_a_value_that_came_back_is_no_repetition(
    backend: Backend, clock: FakeClock, policy: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        memory.set("ann", "plan", "pro")
        clock.advance(seconds=60)
        confirm(memory, "plan", "free", say(memory, "I am on free"))
        said = say(memory, "back on pro")
        confirm(memory, "plan", "pro", said)
        memory.forget_message("ann", said.id)
        assert standing(memory) == (None, FieldStatus.WITHDRAWN, None, ["free"])


def test_p1_an_edit_may_have_corrected_the_setting_and_asks(memory: Memory, clock: FakeClock) -> None:
    said = repeated(memory, clock)
    memory.edit("ann", said.id, "I am not on pro any more", expect=1)
    assert standing(memory) == (None, FieldStatus.WITHDRAWN, None, ["pro"])
    [waiting] = memory.candidates("ann")
    assert memory.confirm("ann", waiting.id).value == "pro"


def test_what_another_message_says_waits_for_the_persons_word(memory: Memory, clock: FakeClock) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on pro"))
    clock.advance(seconds=60)
    said = say(memory, "still on pro")
    confirm(memory, "plan", "pro", said)
    memory.forget_message("ann", said.id)
    assert standing(memory) == (None, FieldStatus.WITHDRAWN, None, ["pro"])


def test_a_record_of_the_application_stands_too(memory: Memory, clock: FakeClock) -> None:
    memory.observe("ann", "plan", "pro", confidence="confirmed", source="system")
    clock.advance(seconds=60)
    said = say(memory, "I am on pro")
    confirm(memory, "plan", "pro", said)
    memory.forget_conversation("ann", said.conversation)
    assert standing(memory) == ("pro", FieldStatus.CURRENT, "system", [])
    memory.forget_field("ann", "plan")
    assert standing(memory) == (None, FieldStatus.WITHDRAWN, None, [])
