"""What the person answers to a candidate, as it is shown afterwards; and reads of what there is not."""

from __future__ import annotations

import pytest
from tests.contract.memories import infer, say

from seihon import errors
from seihon.memory import Memory
from seihon.model import ClaimState, FieldStatus


def test_p5_a_confirmed_value_shows_the_words_of_its_candidate(memory: Memory) -> None:
    candidate = infer(memory, "length", "brief", say(memory, "keep it short"))
    state = memory.confirm("ann", candidate.id)
    assert [quote.text for quote in state.quotes] == ["keep it short"]
    assert memory.field("ann", "length").quotes == state.quotes
    claims = {claim.id: claim for claim in memory.history("ann", "length")}
    assert claims[str(state.claim)].quotes == candidate.quotes


def test_p2_the_words_go_with_their_message_and_the_persons_word_stays(memory: Memory) -> None:
    said = say(memory, "keep it short")
    state = memory.confirm("ann", infer(memory, "length", "brief", said).id)
    receipt = memory.forget_message("ann", said.id).wait()
    assert receipt.state == "verified"
    after = memory.field("ann", "length")
    assert (after.value, after.status, after.quotes) == ("brief", FieldStatus.CURRENT, ())
    assert (after.claim, after.version) == (state.claim, state.version)


def test_p1_an_edited_message_takes_its_quote_and_not_the_confirmation(memory: Memory) -> None:
    said = say(memory, "keep it short")
    memory.confirm("ann", infer(memory, "length", "brief", said).id)
    memory.edit("ann", said.id, "never mind", expect=1)
    after = memory.field("ann", "length")
    assert (after.value, after.quotes) == ("brief", ())


def test_a_confirmation_of_two_quotes_keeps_the_one_that_is_left(memory: Memory) -> None:
    one, two = say(memory, "keep it short"), say(memory, "short, please")
    candidate = infer(memory, "length", "brief", one)
    assert infer(memory, "length", "brief", two).id == candidate.id
    memory.confirm("ann", candidate.id)
    memory.forget_message("ann", one.id)
    after = memory.field("ann", "length")
    assert (after.value, [quote.text for quote in after.quotes]) == ("brief", ["short, please"])
    assert memory.claim("ann", str(after.claim)).source == "setting"


def test_p1_what_was_confirmed_and_corrected_is_marked_where_it_was_said(memory: Memory) -> None:
    said = say(memory, "keep it short")
    memory.confirm("ann", infer(memory, "length", "brief", said).id)
    memory.set("ann", "length", "detailed")
    (hit,) = memory.search("ann", "short")
    assert [(one.field, one.replacement) for one in hit.superseded] == [("length", "detailed")]


def test_p5_an_answered_candidate_says_what_the_person_said(memory: Memory) -> None:
    no = infer(memory, "length", "brief", say(memory, "keep it short"))
    yes = infer(memory, "length", "detailed", say(memory, "all the details"))
    assert {no.outcome, yes.outcome} == {"candidate"}
    rejected = memory.reject("ann", no.id)
    memory.confirm("ann", yes.id)
    assert (rejected.state, rejected.outcome, rejected.reason) == (ClaimState.REJECTED, "reject", "rejected")
    claims = {claim.id: (claim.outcome, claim.reason) for claim in memory.history("ann", "length")}
    assert claims[no.id] == ("reject", "rejected")
    assert claims[yes.id] == ("accept", "confirmed")


def test_a_field_that_there_is_not_is_told_with_those_there_are(memory: Memory) -> None:
    profile = memory.profile("ann")
    reads = (
        lambda: profile["nope"],
        lambda: profile.state("nope"),
        lambda: memory.field("ann", "nope"),
        lambda: memory.require("ann", "nope"),
        lambda: memory.history("ann", "nope"),
        lambda: memory.set("ann", "nope", "x"),
        lambda: memory.schema().field("nope"),
    )
    for read in reads:
        with pytest.raises(errors.UnknownField) as refused:
            read()
        assert isinstance(refused.value, KeyError)
        told = str(refused.value)
        assert told == "The schema has no field of that name; it has city, length, mood, plan, seats."
    assert profile.get("nope", "?") == "?"
    assert "nope" not in profile


def test_a_revision_that_is_not_there_yet_is_refused_with_the_newest(memory: Memory) -> None:
    memory.set("ann", "plan", "pro")
    assert memory.profile("ann", as_of=1)["plan"] == "pro"
    for read in (lambda: memory.profile("ann", as_of=2), lambda: memory.field("ann", "plan", as_of=2)):
        with pytest.raises(errors.InvalidArgument, match="newest of this owner is 1") as refused:
            read()
        assert refused.value.details["revision"] == 1


def test_a_field_deleted_again_counts_what_was_claimed_since(memory: Memory) -> None:
    for plan in ("pro", "ultra"):
        memory.set("ann", "plan", plan)
    removed = {}
    for times in ("once", "again"):
        receipt = memory.forget_field("ann", "plan").wait()
        removed[times] = (dict(receipt.counts), sum(store.removed for store in receipt.stores))
    assert removed["once"][0] == {"claims": 2}
    assert removed["once"][1] > 0
    assert removed["again"] == ({}, 0)
    memory.set("ann", "plan", "free")
    assert memory.forget_field("ann", "plan").counts == {"claims": 1}


def test_a_field_deleted_again_keeps_out_what_was_said_in_between(memory: Memory) -> None:
    memory.set("ann", "plan", "pro")
    memory.forget_field("ann", "plan")
    between = say(memory, "I am on Ultra")
    memory.forget_field("ann", "plan")
    infer(memory, "plan", "ultra", between)
    assert memory.field("ann", "plan").value is None


def test_an_unknown_field_names_itself_and_those_there_are_to_programs(memory: Memory) -> None:
    asked = (
        lambda: memory.set("ann", "colour", "red"),
        lambda: memory.profile("ann")["colour"],
        lambda: memory.require("ann", "colour"),
    )
    for ask in asked:
        with pytest.raises(errors.UnknownField) as refused:
            ask()
        assert "field" not in refused.value.details
        assert "plan" in refused.value.details["allowed"]
        assert "colour" not in refused.value.message
    with pytest.raises(errors.UnknownField) as refused:
        memory.profile("ann")["my card is 4111"]
    assert "4111" not in str(refused.value.details)


@pytest.mark.parametrize("as_of", ["2026-01-01", True, 1.5])
def test_what_a_profile_is_asked_as_of_is_a_datetime_or_a_revision(memory: Memory, as_of: int) -> None:
    with pytest.raises(errors.InvalidArgument, match="a datetime with a time zone, or a revision"):
        memory.profile("ann", as_of=as_of)


def test_who_runs_it_and_mistypes_an_owner_is_told_so(memory: Memory) -> None:
    asked = (
        memory.verify, memory.rebuild, memory.sweep, memory.failures, memory.retry, memory.evaluate_summaries
    )  # fmt: skip
    for ask in asked:
        with pytest.raises(errors.NotFound, match="no such owner"):
            ask("nobody")
    say(memory, "hello")
    memory.forget_owner("ann")
    assert all(one.left == 0 for one in memory.verify("ann"))
    assert memory.rebuild("ann") >= 0
    assert memory.sweep("ann").messages == 0


def test_a_conflict_names_the_version_that_stands(memory: Memory) -> None:
    said, note = say(memory, "hello"), memory.add_note("ann", "likes tea")
    memory.set("ann", "plan", "pro")
    asked = (
        lambda: memory.set("ann", "plan", "free", expect=7),
        lambda: memory.decline("ann", "plan", expect=7),
        lambda: memory.edit("ann", said.id, "bye", expect=7),
        lambda: memory.edit_note("ann", note.id, text="likes coffee", expect=7),
        lambda: memory.append("ann", "c1", "user", "more", expect=7),
        lambda: memory.observe(
            "ann", "plan", "free", confidence="inferred", message=said.id, message_version=7
        ),
    )
    for ask in asked:
        with pytest.raises(errors.VersionConflict) as refused:
            ask()
        assert f"it has version {refused.value.details['current']} now" in refused.value.message
