"""Numbers, dates and times mean the same in every spelling, and nothing else is taken for one."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.quantities import Measure, quantities


def values(text: str) -> list[str]:
    return [one.value for one in quantities(text)]


@pytest.mark.parametrize(
    ("spellings", "value"),
    [
        ("10月15日|１０月１５日|十月十五日|10/15|October 15|Oct. 15th|15 Oct|15th of October", "--10-15"),
        ("2026-03-01|2026/3/1|2026年3月1日|March 1, 2026|1 Mar 2026|3/1/2026", "2026-03-01"),
        ("午後3時|15時|3pm|3 p.m.|15:00|3:00 PM", "t15:00"),
        ("10時半|10:30|10:30 am", "t10:30"),
        ("来月の10日", "next-month-10"),
        ("next Friday", "next friday"),
        ("来週の金曜日|来週金曜", "next-week friday"),
        ("tomorrow|明日", "tomorrow"),
        ("the day after tomorrow|明後日", "in-2-days"),
        ("月末", "month-end"),
        ("10月|October", "--10"),
        ("1,200円|1200 yen|¥1200|￥1,200|1.2千円", "1200 jpy"),
        ("3万円|30,000円|三万円", "30000 jpy"),
        ("90%|９０％|90 percent|90パーセント", "90 %"),
        ("two|2|２", "2"),
        ("twenty-five people|25人|二十五人", "25 person"),
        ("two hundred dollars|$200|200ドル", "200 usd"),
        ("30分|三十分|30 minutes", "30 minute"),
        ("1-10|1〜10|1～10|1 to 10", "1..10"),
        ("5-10個", "5..10 piece"),
        ("-5℃", "-5 celsius"),
        ("POL-358|pol-358", "pol-358"),
        ("v2.0.1", "v2.0.1"),
        ("03-1234-5678", "03-1234-5678"),
    ],
)
def test_spellings_of_one_value(spellings: str, value: str) -> None:
    for text in spellings.split("|"):
        assert values(text) == [value], text
        assert values(f"それは{text}") == [value], text
        assert values(f"it is {text} then") == [value] or not text.isascii(), text


@pytest.mark.parametrize(
    "text",
    [
        *("一緒に", "十分です", "三重県", "千葉", "一番", "may I", "second thought", "no one", "one of us"),
        *("you may go", "they march on", "日本", "毎度", "月がきれい", "水が欲しい", "sun and wed", ""),
    ],
)
def test_words_that_are_no_quantity(text: str) -> None:
    assert values(text) == []


def test_a_range_vouches_for_its_ends_and_not_for_what_lies_across_ranges() -> None:
    first, second = quantities("1-10 or 11-100人")
    assert {"1", "10", "1..10"} <= first.vouched
    assert {"11 person", "100 person", "100"} <= second.vouched
    assert quantities("1-100")[0].value not in first.vouched | second.vouched


def test_a_quantity_vouches_for_its_parts_only_downwards() -> None:
    assert "--10-15" in quantities("2026-10-15")[0].vouched
    assert "2026-10-15" not in quantities("10月15日")[0].vouched
    assert "90" in quantities("90%")[0].vouched
    assert "90 %" not in quantities("90人")[0].vouched
    assert "friday" in quantities("next Friday")[0].vouched


def test_one_text_with_many() -> None:
    text = "会議は10月15日(木)の午後3時、参加は8人、予算は3万円で90%を使う"
    assert values(text) == ["--10-15", "thursday", "t15:00", "8 person", "30000 jpy", "90 %"]
    assert [one.measure for one in quantities(text)] == [Measure.DATE] * 3 + [Measure.NUMBER] * 3
    assert values("due in May") == ["--05"]
    assert values("2026-03-01T10:30") == ["2026-03-01", "t10:30"]


@given(st.text(max_size=120) | st.text("0123456789年月日時分〜-:/., 万円%kapm曜金の", max_size=40))
def test_places_fit_and_reading_never_fails(text: str) -> None:
    at = 0
    for one in quantities(text):
        assert at <= one.start < one.end <= len(text)
        assert one.value in one.vouched
        at = one.end


@given(st.integers(0, 10**9), st.sampled_from(["円", "人", "%", "kg", ""]))
def test_thousands_separators_change_nothing(number: int, unit: str) -> None:
    assert values(f"{number:,}{unit}") == values(f"{number}{unit}")


@pytest.mark.parametrize(
    "unit", ["1", "1,", "a", "a1", "一", "1-", "来週の", "two ", "1 ", "next ", "a-", ".1"]
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    begun = perf_counter()
    quantities(unit * (20_000 // len(unit)))
    assert perf_counter() - begun < 3.0
