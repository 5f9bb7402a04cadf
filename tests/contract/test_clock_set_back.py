"""A clock that is set back puts nothing new below what was said before."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.contract.memories import confirm, infer, say

from seihon.memory import Memory
from seihon.testing.clock import EPOCH, FakeClock

BACK = -7_200


def test_p1_what_is_said_after_a_clock_was_set_back_is_newer(memory: Memory, clock: FakeClock) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on pro"))
    memory.set("ann", "length", "brief")
    clock.advance(seconds=BACK)
    said = say(memory, "I am on free", to="c2")
    assert said.observed_at < EPOCH
    claim = confirm(memory, "plan", "free", said)
    assert (claim.outcome, memory.profile("ann")["plan"]) == ("accept", "free")
    # What it is as old as is the clock's, so that its limits pass as they should.
    assert claim.observed_at == said.observed_at
    confirm(memory, "length", "detailed", say(memory, "long please", to="c3"))
    assert memory.profile("ann")["length"] == "detailed"
    memory.observe("ann", "plan", "ultra", confidence="confirmed", source="system")
    assert memory.profile("ann")["plan"] == "ultra"


def test_p1_several_settings_and_words_keep_their_order_behind_the_clock(
    memory: Memory, clock: FakeClock
) -> None:
    memory.set("ann", "plan", "pro")
    clock.advance(seconds=BACK)
    for value in ("free", "ultra", "pro"):
        memory.set("ann", "plan", value)
    said = say(memory, "I am on free")
    memory.set("ann", "plan", "ultra")
    late = confirm(memory, "plan", "free", said)
    assert (late.outcome, late.reason, memory.profile("ann")["plan"]) == ("keep", "older", "ultra")
    confirm(memory, "plan", "pro", say(memory, "I am on pro"))
    assert memory.profile("ann")["plan"] == "pro"


def test_a_value_said_behind_the_clock_ages_by_the_clock(memory: Memory, clock: FakeClock) -> None:
    say(memory, "hello")
    clock.advance(seconds=BACK)
    confirm(memory, "plan", "pro", say(memory, "I am on pro"))
    clock.advance(seconds=600)
    assert memory.field("ann", "plan").age_seconds == pytest.approx(600, abs=1)


def test_p1_a_note_of_before_is_marked_by_a_correction_behind_the_clock(
    memory: Memory, clock: FakeClock
) -> None:
    said = say(memory, "I am on the Pro plan")
    confirm(memory, "plan", "pro", said)
    memory.add_note("ann", "On the Pro plan.", sources=[said.id])
    clock.advance(seconds=BACK)
    memory.set("ann", "plan", "free")
    [hit] = memory.search("ann", "plan", kind="note")
    assert [one.replacement for one in hit.superseded] == ["free"]


def test_imported_history_and_dates_ahead_stay_where_they_belong(memory: Memory, clock: FakeClock) -> None:
    memory.set("ann", "plan", "pro")
    clock.advance(seconds=BACK)
    old = memory.append("ann", "c1", "user", "I am on free", observed_at=EPOCH - timedelta(days=400))
    assert confirm(memory, "plan", "free", old).reason == "older"
    infer(memory, "plan", "ultra", say(memory, "ultra?", to="c4"))
    assert memory.profile("ann")["plan"] == "pro"
    # A date ahead is the time of its commit, and no later.
    ahead = memory.append("ann", "c2", "user", "I am on ultra", observed_at=EPOCH + timedelta(days=400))
    memory.set("ann", "plan", "free")
    assert confirm(memory, "plan", "ultra", ahead).reason == "older"
    assert memory.profile("ann")["plan"] == "free"


def test_an_imported_value_is_as_old_as_its_words(memory: Memory) -> None:
    """Its place behind newer messages of the conversation makes it no newer."""
    say(memory, "hello")
    lines = [{"role": "user", "content": "I am on pro", "created_at": "2020-01-01T00:00:00Z", "id": "m_old"}]
    memory.import_transcript("ann", lines, conversation="c1")
    confirm(memory, "plan", "pro", memory.message("ann", "m_old"))
    assert memory.field("ann", "plan").status == "expired"
