"""The offline summary quotes, within its budget, what must not be lost; it is the same every time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.talking import DAY, START, TALKS, talk

from seihon.core.fidelity import Line, Need, check
from seihon.core.reading import SourceMessage
from seihon.core.sentences import sentences
from seihon.models.summariser import Draft, OfflineSummariser, Summariser, text_of
from seihon.models.tokenizer import tokenizer

OFFLINE = OfflineSummariser()
PLENTY = 100_000


def count(text: str) -> int:
    return tokenizer().count(text)


def summary(messages: list[SourceMessage], budget: int = PLENTY) -> Draft:
    return OFFLINE.summarise(messages, budget=budget, count=count)


def quoted(*lines: str) -> list[str]:
    return [line.text for line in summary(talk(*lines))]


def test_it_is_a_summariser() -> None:
    assert isinstance(OFFLINE, Summariser)
    assert OFFLINE.name and OFFLINE.prompt_version


@given(TALKS, st.integers(0, 400))
def test_lines_are_whole_sentences_of_their_one_source_within_the_budget(
    messages: list[SourceMessage], budget: int
) -> None:
    by_id = {one.id: one for one in messages}
    draft = summary(messages, budget)
    for line in draft:
        (source,) = line.sources
        assert line.text in [one.text for one in sentences(by_id[source].text)]
    assert count(text_of(draft, messages)) <= budget
    places = [
        (messages.index(by_id[line.sources[0]]), by_id[line.sources[0]].text.index(line.text))
        for line in draft
    ]
    assert [place for place, _ in places] == sorted(place for place, _ in places)


@given(TALKS)
def test_the_check_never_has_anything_against_it(messages: list[SourceMessage]) -> None:
    assert check(summary(messages), messages).flags == ()


@given(TALKS, st.integers(0, 200))
def test_it_is_deterministic(messages: list[SourceMessage], budget: int) -> None:
    assert summary(messages, budget) == summary(list(messages), budget)


def octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def flat_rate(text: str) -> int:
    return 7


@pytest.mark.parametrize("cost", [len, octets, flat_rate])
@given(messages=TALKS, budget=st.integers(0, 120))
def test_the_budget_holds_by_any_count(
    cost: Callable[[str], int], messages: list[SourceMessage], budget: int
) -> None:
    draft = OFFLINE.summarise(messages, budget=budget, count=cost)
    assert not draft or cost(text_of(draft, messages)) <= budget


def test_it_is_the_same_in_another_process() -> None:
    code = (
        "from tests.models.test_summariser import *; import hashlib;"
        "print(hashlib.sha256(repr(summary(long_talk(60), 600)).encode()).hexdigest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(runs) == 1


VALUES = [
    "My name is Aiko Mori.",
    "I live in Sapporo.",
    "I'm allergic to peanuts.",
    "My budget is 1,200 dollars.",
    "The trip starts on 2026-10-15.",
    "Never call me before 9 am.",
    "My favourite colour is green.",
    "Let's go with the Pro plan.",
]
JAPANESE_VALUES = [
    "私の名前は森愛子です。",
    "札幌に住んでいます。",
    "落花生アレルギーがあります。",
    "予算は12万円です。",
    "旅行は10月15日からです。",
    "朝9時前の電話は不可です。",
    "好きな色は緑です。",
    "Proプランでお願いします。",
]
FILLER = [
    "That is a lovely thought about rivers.",
    "Tell me more about the weather there.",
    "川の話は面白いですね。",
    "Thanks!",
]


def long_talk(turns: int, values: list[str] = VALUES) -> list[SourceMessage]:
    """The values in the first turns, then filler of both sides, no two alike."""
    adjectives = "calm bright narrow distant gentle hidden silver quiet winding frozen ancient broad".split()  # noqa: SIM905
    filler = [
        f"{'assistant: ' if place % 2 else ''}{FILLER[place % 4]} It was a {adjectives[place % 12]} "
        f"{adjectives[place // 12 % 12]} river we spoke about."
        for place in range(turns)
    ]
    return talk(*values, *filler)


@pytest.mark.scenario("K1")
@pytest.mark.parametrize("values", [VALUES, JAPANESE_VALUES], ids=["english", "japanese"])
def test_k1_eight_values_survive_48_filler_turns_and_five_rounds(values: list[str]) -> None:
    messages = long_talk(48, values)
    room = (
        count(text_of([Line(text, (f"m{place + 1}",)) for place, text in enumerate(values)], messages)) + 24
    )
    for turns in (8, 20, 32, 44, 56):
        texts = [line.text for line in summary(messages[:turns], room)]
        assert [text for text in values if text not in texts] == []
    assert check(summary(messages, room), messages).ratio < 0.25


@pytest.mark.scenario("K2")
def test_k2_names_ranges_percentages_denials_and_a_corrected_date_are_kept() -> None:
    messages = talk(
        "Mary Smith and 田中さん rank the plans.",
        "Ranks 1-10 are free and 11-100 pay 90%.",
        "安いが、壊れやすいわけではない。",
        "The review is on October 15.",
        "Sorry, the review is on October 20, not October 15.",
    )
    draft = summary(messages)
    assert [line.text for line in draft] == [one.text for one in messages if one.id != "m4"]
    verdict = check(draft, messages)
    assert verdict.missing == () and verdict.flags == ()
    assert verdict.kept[Need.NUMBER].total >= 3


@pytest.mark.scenario("M8")
def test_m8_a_japanese_conversation_has_a_japanese_summary() -> None:
    messages = talk("会議は10月15日です。", "assistant: 承知しました。場所はどこですか？", "場所は未定です。")
    text = text_of(summary(messages), messages)
    assert text.splitlines() == [
        "[ユーザー 2026-03-01] 会議は10月15日です。",
        "[アシスタント 2026-03-02] 場所はどこですか？",
        "[ユーザー 2026-03-03] 場所は未定です。",
    ]


def test_an_english_heading_and_several_sources() -> None:
    messages = talk("I live in Osaka.", "assistant: Noted.", "It rains.")
    assert text_of(summary(messages[:1]), messages) == "[user 2026-03-01] I live in Osaka."
    merged = Line("Lives in Osaka.", ("m1", "m2", "m3"))
    assert text_of([merged], messages) == "[user, assistant 2026-03-01 – 2026-03-03] Lives in Osaka."
    marked = Line("火曜です。", ("m1",), corrected=True)
    assert text_of([marked], messages) == "[ユーザー 2026-03-01、後に訂正] 火曜です。"


def test_the_later_statement_wins_and_the_earlier_is_left_out_or_marked() -> None:
    assert quoted("The meeting is on Monday.", "assistant: OK, Monday.", "It's Tuesday, not Monday.") == [
        "It's Tuesday, not Monday."
    ]
    draft = summary(talk("I'm on Pro, and I am allergic to nuts.", "I switched from Pro to Free."))
    assert [(line.text, line.corrected) for line in draft] == [
        ("I'm on Pro, and I am allergic to nuts.", True),
        ("I switched from Pro to Free.", False),
    ]


def test_courtesy_code_and_repetition_are_left_out() -> None:
    texts = quoted(
        "I live in Osaka.", "assistant: Thanks!", "```\nx = 5\n```", "assistant: Osaka.", "I live in Osaka."
    )
    assert texts == ["I live in Osaka."]


def test_nothing_fits_and_nothing_is_there() -> None:
    assert (
        summary([]) == () and summary(talk("I live in Osaka."), 0) == () and summary(talk("I live."), 2) == ()
    )


def test_what_must_stay_comes_before_the_rest() -> None:
    messages = talk(
        "Rivers wind through the old valley slowly.",
        "I can't eat eggs.",
        "Clouds drift over the hills today.",
    )
    room = count("[user 2026-03-02] I can't eat eggs.\n")
    assert [line.text for line in summary(messages, room)] == ["I can't eat eggs."]


def test_a_thousand_messages_take_less_than_a_second_or_so() -> None:
    messages = [
        SourceMessage(f"m{place}", one.role, one.text, START + place * DAY)
        for place, one in enumerate(long_talk(100) * 10)
    ][:1_000]
    begun = perf_counter()
    summary(messages, 2_000)
    assert perf_counter() - begun < 5.0
