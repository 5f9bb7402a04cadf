"""How long words may be read: counted from when they were said, and no longer by what was drawn from them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from tests.contract.memories import confirm, say
from tests.contract.surfaces import showing

from seihon import errors
from seihon.memory import Memory
from seihon.model import ClaimState
from seihon.testing.clock import EPOCH, FakeClock

CANARY = "zxqorb"
HOUR, DAY, YEAR = timedelta(hours=1), timedelta(days=1), timedelta(days=365)
# A migration carries what is stored, with its limits, until a sweep deletes it.
STORED = ["export migration"]


def bring_in(memory: Memory, text: str, said: datetime, to: str = "c1") -> str:
    """Import one line, said then, behind what stands in the conversation; return its id."""
    memory.import_transcript(
        "ann",
        [{"role": "user", "content": text, "created_at": said.isoformat(), "id": "m_old"}],
        conversation=to,
    )
    return "m_old"


@pytest.mark.parametrize("limit", ["of the tenant", "of the conversation"])
def test_retention_counts_from_when_it_was_said(memory: Memory, limit: str) -> None:
    newest = say(memory, "hello")
    old = bring_in(memory, CANARY, EPOCH - YEAR)
    # It stands behind the newest message, and is a year old all the same.
    assert memory.message("ann", old).at == newest.at
    if limit == "of the tenant":
        memory.set_retention(DAY)
    else:
        memory.update_conversation("ann", "c1", retention=DAY)
    assert showing(memory, "ann", CANARY) == STORED
    assert memory.conversation("ann", "c1").messages == 1
    assert memory.sweep("ann").messages == 1
    assert showing(memory, "ann", CANARY) == []
    assert [one.content for one in memory.messages("ann", "c1")] == ["hello"]


def test_a_date_ahead_does_not_lengthen_retention(memory: Memory, clock: FakeClock) -> None:
    memory.append("ann", "c1", "user", CANARY, observed_at=EPOCH + YEAR)
    memory.add_note("ann", f"{CANARY} noted", observed_at=EPOCH + YEAR)
    memory.set_retention(DAY)
    clock.advance(seconds=86_401)
    assert showing(memory, "ann", CANARY) == STORED


@pytest.mark.scenario("L14")
@pytest.mark.parametrize("limit", ["time", "turns", "of the conversation", "of the tenant"])
@pytest.mark.parametrize("way", ["kept", "edited", "superseded", "merged"])
def test_a_note_expires_with_the_earliest_of_its_sources(
    memory: Memory, clock: FakeClock, limit: str, way: str
) -> None:
    given = {"time": {"expires_at": EPOCH + HOUR}, "turns": {"expires_after_turns": 2}}.get(limit, {})
    soon = memory.append("ann", "c1", "user", f"{CANARY} said", **given)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    late = say(memory, "something lasting", to="c2")
    sources = [soon.id, late.id] if way == "merged" else [soon.id]
    clock.advance(seconds=600)
    note = memory.add_note("ann", f"{CANARY} noted", sources=sources)
    if way == "edited":
        note = memory.edit_note("ann", note.id, expect=1, expires_at=None, expires_after_turns=None)
        note = memory.edit_note("ann", note.id, expect=2, expires_at=EPOCH + YEAR, expires_after_turns=900)
        assert note.expires_at == (EPOCH + HOUR if limit == "time" else EPOCH + YEAR)
    elif way == "superseded":
        note = memory.supersede_note("ann", note.id, f"{CANARY} noted anew")
    if limit == "of the conversation":
        memory.update_conversation("ann", "c1", retention=HOUR)
    elif limit == "of the tenant":
        memory.set_retention(HOUR)
    assert memory.note("ann", note.id).id == note.id
    clock.set(EPOCH + HOUR + timedelta(seconds=1))
    if limit == "turns":
        for turn in range(2):
            say(memory, f"turn {turn}", to="c3")
    assert showing(memory, "ann", CANARY) == STORED
    with pytest.raises(errors.NotFound):
        memory.note("ann", note.id)
    with pytest.raises(errors.NotFound):
        memory.edit_note("ann", note.id, expect=note.version, expires_at=EPOCH + YEAR)
    assert memory.sweep("ann").notes >= 1
    assert showing(memory, "ann", CANARY) == []


def test_a_source_that_gets_more_time_gives_it_to_its_notes(memory: Memory, clock: FakeClock) -> None:
    said = say(memory, "I keep bees")
    memory.update_conversation("ann", "c1", retention=HOUR)
    memory.add_note("ann", "keeps bees", sources=[said.id])
    clock.advance(seconds=3_601)
    assert memory.notes("ann").items == ()
    memory.update_conversation("ann", "c1", retention=None)
    assert [one.text for one in memory.notes("ann")] == ["keeps bees"]


def test_a_value_outlives_its_message_and_the_words_do_not(memory: Memory, clock: FakeClock) -> None:
    """A typed value has its field's own limits; the sentence that it was drawn from has the message's."""
    said = memory.append("ann", "c1", "user", f"{CANARY}: on Pro", expires_at=EPOCH + HOUR)
    confirm(memory, "plan", "pro", said)
    clock.advance(seconds=3_601)
    for swept in (False, True):
        state = memory.field("ann", "plan")
        assert (state.value, [quote.text for quote in state.quotes]) == ("pro", [None])
        assert [quote.text for claim in memory.history("ann", "plan") for quote in claim.quotes] == [None]
        assert showing(memory, "ann", CANARY) == ([] if swept else STORED)
        memory.sweep("ann")


def test_what_an_edit_left_in_the_history_goes_with_its_message(memory: Memory, clock: FakeClock) -> None:
    said = memory.append("ann", "c1", "user", "I live in Zxqorb", expires_at=EPOCH + HOUR)
    confirm(memory, "city", "Zxqorb", said)
    before = memory.owner("ann").revision
    memory.edit("ann", said.id, "I live somewhere", expect=1)
    assert [one.value for one in memory.history("ann", "city")] == ["Zxqorb"]
    assert memory.profile("ann", as_of=before)["city"] == "Zxqorb"
    clock.advance(seconds=3_601)

    def answers() -> list[object]:
        claims = memory.history("ann", "city").items
        past = memory.profile("ann", as_of=before).states["city"]
        return [[(one.state, one.value) for one in claims], past.status, past.reason, past.value]

    unswept = answers()
    assert unswept[0] == [(ClaimState.WITHDRAWN, None)]
    memory.sweep("ann")
    assert answers() == unswept
