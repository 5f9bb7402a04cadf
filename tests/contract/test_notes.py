"""The verbs on notes: what each answers, and every refusal that it promises."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.contract.memories import say

from seihon import errors
from seihon.memory import Memory
from seihon.model import Note, NoteState, Source
from seihon.testing.clock import EPOCH, FakeClock


def texts(memory: Memory, state: str = "current") -> list[str]:
    return [note.text for note in memory.notes("ann", state=state)]


def test_a_note_is_kept_with_where_it_comes_from(memory: Memory) -> None:
    message = say(memory, "I like quiet rooms")
    drawn = memory.add_note("ann", "likes quiet rooms", sources=[message.id, message.id])
    said = memory.add_note("ann", "allergic to nuts", scope="travel", metadata={"by": "form"})
    assert (drawn.source, drawn.sources) == (Source.MESSAGE, (message.id,))
    assert (said.source, said.scope, said.metadata) == (Source.SETTING, "travel", {"by": "form"})
    assert memory.note("ann", drawn.id) == drawn
    assert memory.notes("ann").items == (drawn, said)
    assert {hit.id for hit in memory.search("ann", "rooms nuts", kind="note")} == {drawn.id, said.id}


def test_a_note_with_an_idempotency_key_is_added_once(memory: Memory) -> None:
    first = memory.add_note("ann", "likes tea", idempotency_key="k")
    assert memory.add_note("ann", "likes tea", idempotency_key="k") == first
    with pytest.raises(errors.IdempotencyConflict):
        memory.add_note("ann", "likes coffee", idempotency_key="k")
    assert texts(memory) == ["likes tea"]


def test_an_id_of_a_note_is_used_once(memory: Memory) -> None:
    memory.add_note("ann", "likes tea", id="n")
    with pytest.raises(errors.AlreadyExists):
        memory.add_note("ann", "likes tea", id="n")
    memory.forget_note("ann", "n")
    with pytest.raises(errors.Gone):
        memory.add_note("ann", "likes tea", id="n")
    assert memory.add_note("bob", "likes tea", id="n").id == "n"


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""},
        {"text": "a\x00b"},
        {"text": "a" * 100_001},
        {"scope": "a b"},
        {"source": "message"},
        {"source": "rumour"},
        {"expires_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - refused for its missing zone
        {"expires_after_turns": 0},
        {"metadata": {"n": float("inf")}},
        {"sources": [f"m{n}" for n in range(101)]},
        {"id": " n"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_note_is_refused_that_no_retry_makes_right(memory: Memory, wrong: dict[str, Any]) -> None:
    wrong = dict(wrong)
    with pytest.raises(errors.InvalidArgument):
        memory.add_note("ann", wrong.pop("text", "likes tea"), **wrong)
    assert memory.owner("ann").revision == 0


def test_a_note_needs_sources_that_can_be_read(memory: Memory) -> None:
    message = say(memory, "I like tea")
    with pytest.raises(errors.InvalidArgument):
        memory.add_note("ann", "likes tea", sources=[message.id], source="system")
    with pytest.raises(errors.NotFound):
        memory.add_note("bob", "likes tea", sources=[message.id])
    memory.forget_message("ann", message.id)
    with pytest.raises(errors.Gone):
        memory.add_note("ann", "likes tea", sources=[message.id])
    assert texts(memory) == []


@pytest.mark.scenario("E14")
def test_an_edit_keeps_what_it_does_not_name(memory: Memory) -> None:
    message = say(memory, "I like tea")
    limit = EPOCH + timedelta(days=9)
    before = memory.add_note(
        "ann",
        "likes tea",
        scope="kitchen",
        sources=[message.id],
        metadata={"tags": ["drink"]},
        expires_at=limit,
        expires_after_turns=9,
    )
    after = memory.edit_note("ann", before.id, expect=1, text="likes green tea")
    kept = ("scope", "sources", "metadata", "expires_at", "expires_turn", "observed_at", "source")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert (after.text, after.version) == ("likes green tea", 2)
    bare = memory.edit_note(
        "ann", before.id, expect=2, scope="default", metadata=None, expires_at=None, expires_after_turns=None
    )
    assert (bare.text, bare.scope, bare.metadata) == ("likes green tea", "default", {})
    assert (bare.expires_at, bare.expires_turn) == (None, None)


def test_an_edit_compares_versions(memory: Memory) -> None:
    note = memory.add_note("ann", "likes tea")
    memory.edit_note("ann", note.id, expect=1, text="likes green tea")
    for verb in (
        lambda: memory.edit_note("ann", note.id, expect=1, text="likes coffee"),
        lambda: memory.supersede_note("ann", note.id, "likes coffee", expect=1),
    ):
        with pytest.raises(errors.VersionConflict) as refused:
            verb()
        assert refused.value.details["current"] == 2
    assert texts(memory) == ["likes green tea"]
    for bad in ("", "a\x00b"):
        with pytest.raises(errors.InvalidText):
            memory.edit_note("ann", note.id, expect=2, text=bad)


def test_a_successor_takes_over_and_is_linked(memory: Memory, clock: FakeClock) -> None:
    before = memory.add_note("ann", "likes coffee", scope="kitchen", metadata={"n": 1}, expires_after_turns=3)
    after = memory.supersede_note("ann", before.id, "likes tea")
    assert (after.scope, after.metadata, after.expires_turn) == ("kitchen", {"n": 1}, before.expires_turn)
    old = memory.note("ann", before.id)
    assert (old.state, old.superseded_by) == (NoteState.SUPERSEDED, after.id)
    assert texts(memory) == ["likes tea"]
    assert texts(memory, "superseded") == ["likes coffee"]
    assert memory.search("ann", "coffee") == ()
    for verb in (
        lambda: memory.supersede_note("ann", before.id, "likes water"),
        lambda: memory.edit_note("ann", before.id, expect=old.version, text="likes water"),
    ):
        with pytest.raises(errors.Conflict, match="superseded"):
            verb()


@pytest.mark.scenario("L14")
def test_content_does_not_outlive_its_expiry_by_being_rewritten(memory: Memory, clock: FakeClock) -> None:
    tomorrow = EPOCH + timedelta(days=1)
    note = memory.add_note("ann", "the door code is 4711", expires_at=tomorrow)
    assert memory.supersede_note("ann", note.id, "the door code is 4712").expires_at == tomorrow
    message = memory.append("ann", "c1", "user", "the code is 4711", expires_at=tomorrow)
    turned = memory.append("ann", "c1", "user", "for two turns: 4711", expires_after_turns=2)
    drawn = memory.add_note(
        "ann", "code 4711", sources=[message.id, turned.id], expires_at=tomorrow + timedelta(days=9)
    )
    assert drawn.expires_at == tomorrow
    assert drawn.expires_turn == turned.turn + 2
    clock.advance(days=1)
    assert texts(memory) == []
    assert memory.search("ann", "code") == ()


def test_a_candidate_is_seen_by_nobody_until_the_persons_word(memory: Memory) -> None:
    waiting = memory.add_note("ann", "likes jazz", candidate=True)
    other = memory.add_note("ann", "likes rock", candidate=True)
    assert (texts(memory), texts(memory, "candidate")) == ([], ["likes jazz", "likes rock"])
    assert memory.search("ann", "likes jazz") == ()
    assert "jazz" not in memory.context("ann", query="likes jazz").text
    assert memory.confirm_note("ann", waiting.id).state is NoteState.CURRENT
    assert memory.reject_note("ann", other.id).state is NoteState.REJECTED
    assert (texts(memory), texts(memory, "rejected")) == (["likes jazz"], ["likes rock"])
    assert [hit.id for hit in memory.search("ann", "likes jazz rock")] == [waiting.id]
    for settled in (waiting, other):
        for verb in (memory.confirm_note, memory.reject_note):
            with pytest.raises(errors.Conflict, match="not a candidate"):
                verb("ann", settled.id)


def test_a_note_that_is_not_there_is_not_found_and_a_deleted_one_is_gone(memory: Memory) -> None:
    note = memory.add_note("ann", "likes tea")
    calls: tuple[Callable[[str, str], object], ...] = (
        memory.note,
        lambda owner, wanted: memory.edit_note(owner, wanted, expect=1, text="x"),
        lambda owner, wanted: memory.supersede_note(owner, wanted, "x"),
        memory.confirm_note,
        memory.reject_note,
        memory.forget_note,
    )
    for call in calls:
        for owner, wanted in (("ann", "n_none"), ("bob", note.id)):
            with pytest.raises(errors.NotFound):
                call(owner, wanted)
    memory.forget_note("ann", note.id)
    for call in calls:
        with pytest.raises(errors.Gone):
            call("ann", note.id)


def test_a_note_goes_with_a_message_it_was_drawn_from(memory: Memory) -> None:
    one, two = say(memory, "I like tea"), say(memory, "green, mostly")
    edited = memory.add_note("ann", "likes tea", sources=[one.id])
    both = memory.add_note("ann", "likes green tea", sources=[one.id, two.id])
    kept = memory.add_note("ann", "drinks a lot", sources=[two.id])
    memory.edit("ann", one.id, "I like coffee", expect=1)
    assert texts(memory) == ["drinks a lot"]
    for note in (edited, both):
        with pytest.raises(errors.Gone):
            memory.note("ann", note.id)
    memory.forget_message("ann", two.id)
    with pytest.raises(errors.Gone):
        memory.note("ann", kept.id)


def test_a_note_ends_with_its_time_or_its_turns(memory: Memory, clock: FakeClock) -> None:
    timed = memory.add_note("ann", "in town until Friday", expires_at=EPOCH + timedelta(days=2))
    turned = memory.add_note("ann", "speaks of the trip", expires_after_turns=1)
    say(memory, "hello")
    assert [note.id for note in memory.notes("ann")] == [timed.id]
    with pytest.raises(errors.NotFound):
        memory.note("ann", turned.id)
    clock.advance(days=2)
    assert memory.notes("ann").items == ()


def test_notes_come_by_pages_in_the_order_of_their_times(memory: Memory) -> None:
    years = (1950, 1969, 1970, 2001, 2099)
    added: list[Note] = [
        memory.add_note("ann", f"of {year}", observed_at=datetime(year, 1, 1, tzinfo=UTC)) for year in years
    ]
    assert [note.observed_at.year for note in added] == list(years)
    first = memory.notes("ann", limit=3)
    rest = memory.notes("ann", limit=3, cursor=first.next)
    assert [note.id for note in (*first, *rest)] == [note.id for note in added]
    assert rest.next is None
    with pytest.raises(errors.InvalidArgument, match="current, candidate"):
        memory.notes("ann", state="lost")


def test_p3_a_candidate_that_is_superseded_goes_on_waiting(memory: Memory) -> None:
    waiting = memory.add_note("ann", "always wants short answers", candidate=True)
    after = memory.supersede_note("ann", waiting.id, "often wants short answers")
    assert after.state is NoteState.CANDIDATE
    assert memory.search("ann", "short answers") == ()
    assert memory.confirm_note("ann", after.id).state is NoteState.CURRENT
