"""What the machine has found, each as the shortest run that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.conftest import Backend
from tests.support.crowd import SECRET
from tests.support.profiles import SCHEMA

from seihon.memory import Derive, Memory
from seihon.model import Message
from seihon.testing.clock import FakeClock

ANN = "ann"


@pytest.fixture
def memory(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    with Memory.open(backend.url, schema=SCHEMA, secret=SECRET, clock=clock) as found:
        yield found


def said(memory: Memory, text: str, field: str, value: str, *, confirmed: bool = False) -> Message:
    """Append a message of the person and observe what it says."""
    made = memory.append(ANN, "c", "user", text)
    confidence = "confirmed" if confirmed else "inferred"
    memory.observe(ANN, field, value, confidence=confidence, message=made.id, quote=text)
    return made


@pytest.mark.parametrize("key", ["id", "idempotency_key"])
def test_p6_a_message_that_lives_for_one_turn_can_be_sent_again(memory: Memory, key: str) -> None:
    def send() -> Message:
        return memory.append(ANN, "c", "user", "hello", expires_after_turns=1, **{key: "once"})  # type: ignore[arg-type]

    assert send() == send()
    assert memory.owner(ANN).revision == 1


def test_p1_importing_an_old_transcript_does_not_bring_a_corrected_text_back(memory: Memory) -> None:
    lines = [{"role": "user", "content": "I live in Oslo"}]
    memory.import_transcript(ANN, lines, conversation="c")
    before = memory.messages(ANN, "c").items[0]
    memory.edit(ANN, before.id, "I live in Bergen", expect=1)
    assert memory.import_transcript(ANN, lines, conversation="c").added == 0
    assert [one.content for one in memory.messages(ANN, "c")] == ["I live in Bergen"]
    assert memory.search(ANN, "Oslo") == ()


def test_p3_deleting_what_was_said_before_a_refusal_does_not_lower_the_floor(memory: Memory) -> None:
    early = said(memory, "good day", "mood", "good")
    memory.decline(ANN, "mood")
    said(memory, "good still", "mood", "good", confirmed=True)
    memory.forget_message(ANN, early.id)
    assert memory.profile(ANN)["mood"] == "good"
    version = memory.field(ANN, "mood").version
    late = memory.observe(
        ANN,
        "mood",
        "bad",
        confidence="confirmed",
        source="system",
        observed_at=early.at + timedelta(microseconds=1),
    )
    assert (late.state.value, late.reason) == ("rejected", "below_floor")
    assert memory.field(ANN, "mood").version == version


def test_p3_what_agreed_with_a_withdrawn_belief_waits_for_the_persons_word(memory: Memory) -> None:
    first = said(memory, "good day", "mood", "good", confirmed=True)
    said(memory, "good still", "mood", "good")
    memory.forget_message(ANN, first.id)
    assert memory.profile(ANN)["mood"] is None
    assert [one.value for one in memory.candidates(ANN)] == ["good"]
    said(memory, "bad day", "mood", "bad")
    assert memory.profile(ANN)["mood"] == "bad"


def test_p3_an_inference_that_a_late_word_kept_out_does_not_come_back_when_the_word_goes(
    memory: Memory,
) -> None:
    early = memory.append(ANN, "c", "user", "pro please")
    said(memory, "free maybe", "plan", "free")
    by = {"confidence": "confirmed", "message": early.id, "quote": "pro please"}
    memory.observe(ANN, "plan", "pro", **by)  # type: ignore[arg-type]
    assert memory.profile(ANN)["plan"] == "pro"
    memory.forget_message(ANN, early.id)
    memory.rebuild(ANN)
    assert memory.profile(ANN)["plan"] is None
    assert [one.value for one in memory.candidates(ANN)] == ["free"]


@pytest.mark.parametrize("whole", [False, True], ids=["message", "conversation"])
def test_p2_a_value_that_an_edit_left_in_the_history_goes_at_the_deletion(
    backend: Backend, clock: FakeClock, whole: bool
) -> None:
    with Memory.open(
        backend.url, schema=SCHEMA, secret=SECRET, clock=clock, derive=Derive.EXTERNAL
    ) as memory:
        made = said(memory, "call me Annie", "nick", "Annie", confirmed=True)
        memory.edit(ANN, made.id, "call me nothing", expect=1)
        assert [one.value for one in memory.history(ANN, "nick")] == ["Annie"]
        if whole:
            memory.forget_conversation(ANN, "c")
        else:
            memory.forget_message(ANN, made.id)
        assert [one.value for one in memory.history(ANN, "nick")] == [None]


def test_p6_a_sweep_leaves_what_came_to_life_again_while_it_looked(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    made = memory.append(ANN, "c", "user", "keep me")
    memory.update_conversation(ANN, "c", retention=timedelta(hours=1))
    clock.advance(seconds=2 * 3600)
    erase = memory.erase_expired

    def after_a_change(owner: str, limit: int) -> tuple[int, int]:
        memory.update_conversation(ANN, "c", retention=None)
        return erase(owner, limit)

    monkeypatch.setattr(memory, "erase_expired", after_a_change)
    assert memory.sweep(ANN).messages == 0
    assert memory.message(ANN, made.id).content == "keep me"
    assert memory.receipts(ANN).items == ()


def test_p5_a_candidate_that_is_drawn_again_from_the_same_words_moves_nothing(memory: Memory) -> None:
    made = said(memory, "brief please", "length", "brief")
    before = memory.owner(ANN)
    again = memory.observe(
        ANN, "length", "brief", confidence="inferred", message=made.id, quote="brief please"
    )
    assert [one.id for one in memory.candidates(ANN)] == [again.id]
    assert memory.owner(ANN) == before


def test_what_a_deletion_of_its_field_keeps_out_is_one_claim_however_often_it_is_drawn(
    memory: Memory,
) -> None:
    early = said(memory, "three seats", "nick", "three")
    memory.forget_field(ANN, "nick")
    drawn = [
        memory.observe(ANN, "nick", "three", confidence="inferred", message=early.id, quote="three seats")
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]
    assert (drawn[0].reason, drawn[0].value) == ("field_deleted", None)
    assert len(memory.history(ANN, "nick")) == 2
