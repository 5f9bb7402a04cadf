"""From a snapshot to lines: what a summariser is shown, and which of its answers count."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.talking import TALKS, talk

from seihon.core.fidelity import check
from seihon.core.reading import SourceMessage
from seihon.derived.failures import Failed, code_of
from seihon.derived.summaries import making, stored
from seihon.derived.summaries.making import make
from seihon.derived.summaries.snapshots import MASK, Snapshot, masked
from seihon.models.summariser import OfflineSummariser
from seihon.models.tokenizer import tokenizer
from seihon.testing.summarising import ScriptedSummariser

count = tokenizer().count


def snapshot(*lines: str) -> Snapshot:
    return snapshot_of(talk(*lines))


def snapshot_of(messages: Sequence[SourceMessage]) -> Snapshot:
    versions = {one.id: 1 for one in messages}
    seqs = tuple(range(1, len(messages) + 1))
    return Snapshot(0, "c1", len(messages), seqs, tuple(messages), versions, {}, None, None, 0)


@given(TALKS)
def test_the_offline_summariser_never_fails_and_all_its_lines_count(said: list[SourceMessage]) -> None:
    given_ = snapshot_of(said)
    made = make(given_, OfflineSummariser(), count)
    assert made.flagged == 0
    assert not check(made.lines, given_.messages).flags
    assert stored.load(stored.dump(made)).sources == given_.versions


@given(
    st.lists(st.sampled_from(["Thanks!", "No thanks!", "OK, not now.", "はい、大丈夫です。"]), max_size=20)
)
def test_courtesy_alone_is_no_failure(lines: list[str]) -> None:
    assert make(snapshot(*lines), OfflineSummariser(), count).flagged == 0


def test_a_sentence_that_is_longer_than_a_summary_should_be_is_better_than_none() -> None:
    long = "I must not eat " + ", ".join(f"nut number {n}" for n in range(300)) + "."
    made = make(snapshot(long), OfflineSummariser(), count)
    assert [line.text for line in made.lines] == [long]
    assert made.tokens > making.MOST


def test_what_a_person_says_themselves_is_no_refusal_of_the_model() -> None:
    made = make(snapshot("I'm sorry, but I can't access my account."), OfflineSummariser(), count)
    assert made.lines


@pytest.mark.parametrize("answer", [ScriptedSummariser(()), ScriptedSummariser(lambda _given: ())])
def test_nothing_from_nothing_is_fine_and_nothing_from_something_is_not(answer: ScriptedSummariser) -> None:
    assert make(snapshot("Thanks!"), answer, count).lines == ()
    assert make(snapshot(), answer, count).lines == ()
    with pytest.raises(Failed) as failed:
        make(snapshot("I do not eat nuts."), answer, count)
    assert code_of(failed.value) == making.EMPTY


@pytest.mark.parametrize(
    ("text", "quotes", "left"),
    [
        ("I'm on the Pro plan and I'm allergic.", ["Pro plan"], f"I'm on the {MASK} and I'm allergic."),
        ("Pro. I said Pro! Not Provence.", ["Pro"], f"{MASK}. I said {MASK}! Not Provence."),
        ("プロプランです。ナッツは不可。", ["プロプラン"], f"{MASK}です。ナッツは不可。"),
        ("the Pro plan now", ["the Pro", "Pro plan"], f"{MASK} now"),
        ("all of it", ["all of it"], MASK),
        ("nothing of it", [], "nothing of it"),
    ],
)
def test_lost_quotes_are_masked_wherever_their_words_stand(text: str, quotes: list[str], left: str) -> None:
    places = [(text.index(quote), text.index(quote) + len(quote), "plan", "default") for quote in quotes]
    assert masked(text, places) == left


def test_a_claim_without_a_quote_masks_nothing_and_marks_the_lines() -> None:
    one = snapshot("I prefer the aisle.")
    lost = Snapshot(
        0, "c1", 1, (1,), one.messages, one.versions, {"m1": ((0, 0, "seat", "default"),)}, None, None, 0
    )
    assert masked(one.messages[0].text, lost.gone["m1"]) == one.messages[0].text
    made = make(lost, OfflineSummariser(), count)
    assert [line.corrected for line in made.lines] == [True]
    assert "corrected later" in stored.load(stored.dump(made)).lines[0].shown
