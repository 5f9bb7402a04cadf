"""What a summary invents is flagged, what it lost is listed, and what is no summary is recognised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.talking import PIECES, TALKS, talk

from seihon.core.fidelity import FlagKind, Line, Missing, Need, Refusal, check, faithful, refusal
from seihon.core.reading import SourceMessage
from seihon.errors import InvalidArgument


def flags(text: str, *sources: str, cites: tuple[str, ...] = ("m1",)) -> set[FlagKind]:
    return {flag.kind for flag in check([Line(text, cites)], talk(*sources)).flags}


@pytest.mark.scenario("K2")
@pytest.mark.parametrize(
    ("text", "source", "kind"),
    [
        ("Kenji will come.", "My brother will come.", FlagKind.NAME),
        ("Plans were ranked by Mary Jones.", "Mary Smith and Tom Jones ranked plans.", FlagKind.NAME),
        ("田中さんが来る。", "友人が来ます。", FlagKind.NAME),
        ("ジョンソンが来る。", "友人が来ます。", FlagKind.NAME),
        ("大阪に住む。", "神戸に住んでいます。", FlagKind.NAME),
        ("It costs 90 dollars.", "It costs 19 dollars.", FlagKind.NUMBER),
        ("90% agree.", "90 people agree.", FlagKind.NUMBER),
        ("Ranks 1-100 are free.", "Ranks 1-10 are free and 11-100 are not.", FlagKind.NUMBER),
        ("予算は3万円。", "予算は3千円です。", FlagKind.NUMBER),
        ("The review is on October 20.", "The review is on October 15.", FlagKind.DATE),
        ("会議は10月16日。", "会議は10月15日です。", FlagKind.DATE),
        ("Meet at 5pm.", "Let's meet at 4pm.", FlagKind.DATE),
        ("The user does not eat pork.", "I eat pork and rice.", FlagKind.NEGATION),
        ("豚肉は食べない。", "豚肉を食べます。", FlagKind.NEGATION),
        ("The user eats pork.", "I don't eat pork.", FlagKind.NEGATION_LOST),
        ("ユーザーは豚肉を食べる。", "豚肉は食べません。", FlagKind.NEGATION_LOST),
        ("返品は可能。", "返品は不可です。", FlagKind.NEGATION_LOST),
    ],
)
def test_k2_what_the_sources_do_not_contain_is_flagged(text: str, source: str, kind: FlagKind) -> None:
    assert kind in flags(text, source)
    assert faithful([Line(text, ("m1",))], talk(source)) == ()


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (
            "The user's brother Kenji comes on October 15 at 3pm.",
            "My brother Kenji comes on Oct 15th at 15:00.",
        ),
        ("Mary pays 1200 yen.", "Mary Smith pays 1,200円 for it."),
        ("The user cannot eat pork.", "I don't eat pork."),
        ("Pork is forbidden for the user.", "I never eat pork."),
        ("On 2026-03-01 the user asked about parking.", "Is there parking?"),
        ("Two plans remain.", "2 plans remain."),
        ("Up to 10 items.", "I need 1-10 items."),
        ("Meeting is Tuesday.", "It's Tuesday, not Monday, when we meet."),
        ("予算は30,000円、会議は10月15日。", "会議は２０２６年１０月１５日で、予算は3万円です。"),
        ("豚肉は不可。", "豚肉は食べません。"),
        ("田中様が担当。", "田中さんが担当です。"),
        ("ユーザーは魚を食べる。", "豚肉は食べません。魚は食べます。"),
        ("- Lives in Osaka", "I live in Osaka."),
    ],
)
def test_a_faithful_paraphrase_passes(text: str, source: str) -> None:
    assert flags(text, source) == set()
    assert len(faithful([Line(text, ("m1",))], talk(source))) == 1


@given(TALKS, st.lists(st.sampled_from(PIECES), max_size=3))
def test_whole_sentences_of_the_sources_pass_and_counts_add_up(
    messages: list[SourceMessage], texts: list[str]
) -> None:
    lines = [Line(text, tuple(one.id for one in messages[:2]) or ("m0",)) for text in texts if text.strip()]
    verdict = check(lines, messages)
    assert len(faithful(lines, messages)) == len(lines) - len(verdict.flagged)
    for need in Need:
        lost = sum(one.need == need for one in verdict.missing)
        assert verdict.kept[need].kept + lost == verdict.kept[need].total
    assert {one.source for one in verdict.missing} <= {one.id for one in messages}


def test_a_line_answers_for_its_own_sources_only() -> None:
    sources = ("I live in Osaka.", "The fee is 500 yen.")
    assert flags("The fee is 500 yen.", *sources) == {FlagKind.NUMBER}
    assert flags("The fee is 500 yen.", *sources, cites=("m2",)) == set()
    assert flags("The fee is 500 yen.", *sources, cites=("m2", "m9")) == {FlagKind.SOURCE}


def test_a_line_needs_text_and_a_source() -> None:
    for text, sources in ((" ", ("m1",)), ("Yes.", ())):
        with pytest.raises(InvalidArgument, match="at least one source"):
            Line(text, sources)


def test_a_value_that_was_taken_back_is_flagged_unless_marked() -> None:
    sources = talk("The review is on Monday.", "The review is on Tuesday, not Monday.")
    stale = Line("The review is on Monday.", ("m1",))
    assert check([stale], sources).flags[0].kind is FlagKind.CORRECTED
    assert check([Line(stale.text, ("m1",), corrected=True)], sources).flags == ()
    assert check([Line("The review is on Tuesday.", ("m2",))], sources).flags == ()


@pytest.mark.scenario("M8")
def test_m8_a_summary_in_another_language_is_flagged() -> None:
    assert FlagKind.LANGUAGE in flags("The meeting is about the garden.", "会議は庭についてです。")
    assert FlagKind.LANGUAGE in flags("会議は庭について。", "The meeting is about the garden.")
    assert flags("会議は庭について。", "会議は庭についてです。") == set()
    assert flags("ProプランはGitHub連携。", "ProプランはGitHubと連携します。") == set()


def test_what_is_missing_is_listed_with_its_message() -> None:
    sources = talk(
        "I don't eat pork.",
        "The fee is 500 yen.",
        "The review is on Monday.",
        "The review is on Tuesday, not Monday.",
        "Which hall do we use?",
    )
    verdict = check([], sources)
    assert verdict.ratio == 0.0
    assert set(verdict.missing) == {
        Missing(Need.NEGATION, "m1", "I don't eat pork."),
        Missing(Need.NUMBER, "m2", "500 yen"),
        Missing(Need.CORRECTION, "m4", "The review is on Tuesday, not Monday."),
        Missing(Need.DATE, "m4", "Tuesday"),
        Missing(Need.QUESTION, "m5", "Which hall do we use?"),
    }
    lines = [
        Line("The user cannot eat pork; the fee is 500 yen.", ("m1", "m2")),
        Line("The review is on Tuesday.", ("m4",)),
        Line("Open: which hall to use.", ("m5",)),
    ]
    verdict = check(lines, sources)
    assert verdict.missing == () and verdict.flags == ()
    assert all(kept.kept == kept.total for kept in verdict.kept.values())
    assert 0.5 < verdict.ratio < 1.0


def test_a_dropped_percentage_or_range_is_missing() -> None:
    verdict = check([Line("Ranks up to 10 pay 90.", ("m1",))], talk("Ranks 1-10 pay 90%."))
    assert verdict.flags == ()
    assert [one.text for one in verdict.missing] == ["1-10", "90%"]


def test_the_ratio_is_by_the_given_count() -> None:
    assert check([Line("a b", ("m1",))], talk("a b c d"), count=lambda text: len(text.split())).ratio == 0.5
    assert check([], []).ratio == 0.0


PROMPT = (
    "Summarise the messages below. Keep numbers, dates and negations. Answer in the language of the messages."
)


@pytest.mark.scenario("J20")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Refusal.EMPTY),
        (" \n…\n", Refusal.EMPTY),
        ("Summary:", Refusal.EMPTY),
        ("Here is the summary:", Refusal.EMPTY),
        ("要約：", Refusal.EMPTY),
        ("N/A", Refusal.EMPTY),
        ("特になし。", Refusal.EMPTY),
        ("I'm sorry, but I can't help with that.", Refusal.REFUSAL),
        ("I’m unable to summarize this conversation.", Refusal.REFUSAL),
        ("I cannot provide a summary of this content.", Refusal.REFUSAL),
        ("As an AI language model, I have no opinions.", Refusal.REFUSAL),
        ("There is no conversation to summarize.", Refusal.REFUSAL),
        ("Please provide the text you want summarised.", Refusal.REFUSAL),
        ("申し訳ございませんが、このご依頼にはお答えできません。", Refusal.REFUSAL),
        ("要約することはできません。", Refusal.REFUSAL),
        ("AIとして、そのような内容には対応できかねます。", Refusal.REFUSAL),
        ("要約する会話の内容を入力してください。", Refusal.REFUSAL),
        ("I'm sorry.", Refusal.APOLOGY),
        ("I apologize for the confusion.", Refusal.APOLOGY),
        ("申し訳ございません。", Refusal.APOLOGY),
        ("大変申し訳ありません。失礼いたしました。", Refusal.APOLOGY),
        (PROMPT, Refusal.ECHO),
        ("Keep numbers, dates and negations.\nAnswer in the language of the messages.", Refusal.ECHO),
        ("Summarize the following conversation in three lines.", Refusal.ECHO),
        ("You are a helpful assistant that summarises.", Refusal.ECHO),
        ("以下の会話を簡潔に要約してください。", Refusal.ECHO),
        ("あなたは優秀な要約アシスタントです。", Refusal.ECHO),
    ],
)
def test_j20_what_is_no_summary(text: str, kind: Refusal) -> None:
    assert refusal(text, prompt=PROMPT) is kind


@pytest.mark.parametrize(
    "text",
    [
        "The user lives in Osaka.",
        "The shop apologised for the delay and refunds 500 yen.",
        "I can't eat pork.",
        "I'm sorry I missed the call on Monday; let's meet on Friday.",
        "The assistant cannot ship to Japan.",
        "The user asked to keep numbers in the report.",
        "店は遅延をお詫びし、500円を返金する。",
        "ユーザーは豚肉を食べられません。",
        "返品はできません。",
        "会議は10月15日。場所は未定。",
        "Nothing was decided about the hall.",
        "なしの木を植えた。",
    ],
)
def test_a_summary_that_speaks_of_such_things_is_one(text: str) -> None:
    assert refusal(text, prompt=PROMPT) is None


@given(st.text(max_size=200), st.text(max_size=50))
def test_any_reply_can_be_judged(text: str, prompt: str) -> None:
    assert refusal(text, prompt=prompt) in (None, *Refusal)
