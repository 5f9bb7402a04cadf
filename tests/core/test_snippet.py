"""The window shows the match, in any script, and cuts where a reader would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.clusters import is_boundary
from seihon.core.snippet import ELLIPSIS, MIN_WIDTH, Mark, snippet
from seihon.errors import InvalidArgument


def marked(text: str, query: str, width: int = 60) -> list[str]:
    found = snippet(text, query, width)
    return [found.text[mark.start : mark.end] for mark in found.marks]


LONG = "\n".join(f"{at}行目: 今日は晴れのち曇り。" for at in range(200))


@pytest.mark.scenario("M7")
@pytest.mark.parametrize(
    ("needle", "query"),
    [
        ("サンドボックス修正テスト", "サンドボックス"),
        ("ｻﾝﾄﾞﾎﾞｯｸｽ", "サンドボックス"),
        ("猫", "猫"),
        ("ＰＯＬ－３５８", "pol-358"),
        ("running", "run"),
        ("か\u3099く", "がく"),
        ("👍🏽", "👍"),
    ],
)
def test_a_match_far_down_is_shown_and_marked(needle: str, query: str) -> None:
    text = f"{LONG}\n{needle}\n{LONG}"
    found = snippet(text, query, 60)
    assert needle in found.text
    assert any(found.text[mark.start : mark.end] in needle for mark in found.marks)
    assert found.text.startswith(ELLIPSIS)
    assert found.text.endswith(ELLIPSIS)


def test_a_text_that_fits_is_whole() -> None:
    found = snippet("私は猫が好き", "猫", 60)
    assert found.text == "私は猫が好き"
    assert found.marks == (Mark(2, 3),)
    assert (found.start, found.end) == (0, 6)


def test_without_a_match_it_is_the_head() -> None:
    found = snippet(LONG, "zebra", 40)
    assert found.text == LONG[:39] + ELLIPSIS
    assert found.marks == ()


def test_the_query_as_it_stands_wins_over_scattered_words() -> None:
    text = "new car, york peppermint " + "filler words " * 60 + "in New York city " + "filler words " * 60
    assert "New York city" in snippet(text, "new york", 50).text


def test_the_densest_stretch_wins() -> None:
    text = "invoice " + "lorem " * 80 + "the invoice for the broken printer " + "lorem " * 80
    assert marked(text, "printer invoice broken") == ["invoice", "broken", "printer"]


def test_overlapping_grams_are_one_mark_and_function_words_none() -> None:
    assert marked("それは東京都庁です", "東京都庁") == ["東京都庁"]
    assert marked("the name of the dog", "what is the name of the dog") == ["name", "dog"]


def test_a_match_at_an_end_fills_the_window() -> None:
    assert snippet(LONG + "猫", "猫", 40).text == ELLIPSIS + (LONG + "猫")[-39:]
    assert snippet("猫" + LONG, "猫", 40).text == ("猫" + LONG)[:39] + ELLIPSIS


def test_a_width_too_small_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least 10"):
        snippet("text", "text", MIN_WIDTH - 1)


_PIECE = st.sampled_from(
    ["猫", "が\u3099", "e\u0301", "👨\u200d👩\u200d👧", "🇯🇵", "word ", "POL-358 ", "サーバ", "。", "1️⃣"]
)
_TEXT = st.lists(_PIECE, min_size=0, max_size=60).map("".join)


@given(_TEXT, _PIECE, st.integers(MIN_WIDTH, 50))
def test_the_window_holds_its_width_its_marks_and_whole_characters(text: str, query: str, width: int) -> None:
    found = snippet(text, query, width)
    assert len(found.text) <= width
    assert is_boundary(text, found.start)
    assert is_boundary(text, found.end)
    assert found.text.strip(ELLIPSIS) == text[found.start : found.end]
    assert all(0 <= mark.start < mark.end <= len(found.text) for mark in found.marks)
    assert all(before.end < after.start for before, after in zip(found.marks, found.marks[1:], strict=False))
    if query in {"猫", "サーバ", "🇯🇵", "👨\u200d👩\u200d👧"} and query in text:
        assert found.marks
