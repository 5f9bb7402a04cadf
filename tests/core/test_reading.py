"""A correction takes back what it corrects and nothing else; a question is open until it is answered."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.core.talking import TALKS, talk

from seihon.core.reading import SourceMessage, read


def gone(*lines: str) -> list[str]:
    """What was replaced, and with a star what was corrected in part."""
    told = read(talk(*lines))
    return [("" if one.replaced else "*") + one.sentence.text for one in told if one.corrected]


def unanswered(*lines: str) -> list[str]:
    return [one.sentence.text for one in read(talk(*lines)) if one.open]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["会議は10月15日です。", "assistant: 了解です。", "会議は10月15日ではなく10月20日です。"],
            ["会議は10月15日です。"],
        ),
        (["The meeting is on Monday.", "It's Tuesday, not Monday."], ["The meeting is on Monday."]),
        (["I live in Osaka. No, I meant Kobe."], ["I live in Osaka."]),
        (
            ["予算は3万円です。", "assistant: 予算3万円ですね。", "予算は5万円に変更です。"],
            ["予算は3万円です。", "予算3万円ですね。"],
        ),
        (["予算は3万円です。", "訂正します。予算は5万円です。"], ["予算は3万円です。"]),
        (["Use the Pro plan.", "Use Free instead of Pro."], ["Use the Pro plan."]),
        (
            ["Lunch is on Monday.", "Wait, make it Tuesday.", "Sorry, I meant Friday."],
            ["Lunch is on Monday.", "Wait, make it Tuesday."],
        ),
        (
            ["I'm on Pro, and I am allergic to nuts.", "I switched from Pro to Free."],
            ["*I'm on Pro, and I am allergic to nuts."],
        ),
        (["紅茶が好きです。", "紅茶ではなくコーヒーが好きです。"], ["紅茶が好きです。"]),
    ],
)
def test_what_is_taken_back(lines: list[str], expected: list[str]) -> None:
    assert gone(*lines) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ["母の誕生日は10月15日です。", "会議は10月15日です。", "会議は10月15日ではなく10月20日です。"],
        ["My budget is 500 dollars.", "The flight is at 3pm.", "Actually, the flight is at 4pm."],
    ],
)
def test_another_subject_with_the_same_value_or_kind_stays(lines: list[str]) -> None:
    assert all("誕生日" not in text and "budget" not in text for text in gone(*lines))
    assert len(gone(*lines)) == 1


def test_nothing_is_taken_back_without_a_correction_or_by_what_came_before() -> None:
    assert gone("I live in Osaka.", "I work in Kobe.") == []
    assert gone("It's Tuesday, not Monday.", "The party is on Monday.") == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Which plan is best?"], ["Which plan is best?"]),
        (["Which plan is best?", "assistant: Pro."], []),
        (["Which plan is best?", "assistant: I'll check.", "Thanks!"], ["Which plan is best?"]),
        (["Which plan is best?", "assistant: I'll check.", "assistant: The best plan is Pro."], []),
        (["会場はまだ未定です。"], ["会場はまだ未定です。"]),
        (["会場はまだ未定です。", "会場は本社に決めました。"], []),
        (["assistant: 何時に来ますか？", "3時です。"], []),
        (["assistant: 何時に来ますか？", "確認します。"], ["何時に来ますか？"]),
        (["How are you?"], []),
        (
            ["assistant: Do you need parking? And when do you arrive?", "I arrive at 3pm."],
            ["Do you need parking?"],
        ),
    ],
)
def test_what_is_open(lines: list[str], expected: list[str]) -> None:
    assert unanswered(*lines) == expected


@given(TALKS)
def test_every_sentence_is_told_once_in_order(messages: list[SourceMessage]) -> None:
    told = read(messages)
    assert [one.index for one in told] == list(range(len(told)))
    for one in told:
        assert messages[one.message] is one.source
        assert one.source.text[one.sentence.start : one.sentence.end] == one.sentence.text
        assert one.corrected or not one.replaced
