"""A corrected quote stays readable and says what replaced it (promise 1)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.marks import LONGEST_REPLACEMENT, Mark, Marked, MarkState, mark

PLAN = "I'm on the Pro plan and I am allergic to nuts."


def spot(text: str, quote: str, field: str, replacement: str | None, state: str = "superseded") -> Mark:
    start = text.index(quote)
    return Mark(start, start + len(quote), field, replacement, MarkState(state))


def test_p1_a_superseded_quote_is_marked_with_its_replacement_and_the_rest_stays() -> None:
    marked = mark(PLAN, [spot(PLAN, "Pro plan", "billing_plan", "free")])
    assert marked.text == (
        "I'm on the ~~Pro plan~~ [superseded: billing_plan is now free] and I am allergic to nuts."
    )


def test_a_withdrawn_quote_says_that_the_field_is_blank() -> None:
    marked = mark(PLAN, [spot(PLAN, "Pro plan", "billing_plan", None, "withdrawn")])
    assert "~~Pro plan~~ [no longer current: billing_plan is blank] and" in marked.text


def test_a_superseded_quote_without_a_replacement_says_blank_too() -> None:
    marked = mark(PLAN, [spot(PLAN, "Pro plan", "billing_plan", None)])
    assert "~~Pro plan~~ [no longer current: billing_plan is blank]" in marked.text


def test_japanese_is_marked_equally() -> None:
    text = "オフィスは大阪です。よろしく。"
    marked = mark(text, [spot(text, "オフィスは大阪", "office", "渋谷")])
    assert marked.text == "~~オフィスは大阪~~ [superseded: office is now 渋谷]です。よろしく。"


def test_nested_and_overlapping_quotes_are_struck_once_and_carry_all_markers() -> None:
    text = "Ann lives in Osaka on Pro"
    outer = spot(text, "lives in Osaka on Pro", "city", "Tokyo")
    inner = spot(text, "Pro", "plan", "free")
    expected = "Ann ~~lives in Osaka on Pro~~ [superseded: city is now Tokyo; superseded: plan is now free]"
    assert mark(text, [inner, outer]).text == expected
    assert mark(text, [outer, inner, inner]).text == expected


def test_adjacent_quotes_are_apart_unless_they_say_the_same() -> None:
    apart = [Mark(0, 2, "a", "1"), Mark(2, 4, "b", "2")]
    assert mark("wxyz", apart).text == "~~wx~~ [superseded: a is now 1]~~yz~~ [superseded: b is now 2]"
    alike = [Mark(0, 2, "a", "1"), Mark(2, 4, "a", "1")]
    assert mark("wxyz", alike).text == "~~wxyz~~ [superseded: a is now 1]"


@pytest.mark.parametrize(("start", "end"), [(90, 99), (3, 3), (5, 2), (-9, 0), (3, 4)])
def test_a_mark_whose_offsets_do_not_fit_is_never_lost(start: int, end: int) -> None:
    marked = mark("I'm in Osaka", [Mark(start, end, "city", "Tokyo")])
    assert marked.text == "[superseded: city is now Tokyo] I'm in Osaka"
    assert marked.text[: marked.pinned] == "[superseded: city is now Tokyo] "


def test_a_span_is_clipped_to_the_text_and_widened_to_whole_characters() -> None:
    assert mark("in Osaka", [Mark(3, 99, "city", "Tokyo")]).text.startswith("in ~~Osaka~~ [")
    family = "like 👩‍👩‍👧‍👦!"
    assert mark(family, [Mark(6, 7, "icon", "x")]).text == "like ~~👩‍👩‍👧‍👦~~ [superseded: icon is now x]!"


def test_a_replacement_is_one_short_line() -> None:
    marked = mark("abc", [Mark(0, 3, "bio", "line one\nline two " + "長" * 500)])
    assert "\n" not in marked.text
    assert "line one line two" in marked.text
    assert len(marked.text) < LONGEST_REPLACEMENT + 60


def test_quotes_and_replacements_are_cleaned() -> None:
    def clean(text: str) -> str:
        return text.replace("bad", "[x]")

    marked = mark("a bad b bad c", [Mark(2, 5, "f", "so bad")], clean=clean)
    assert marked.text == "a ~~[x]~~ [superseded: f is now so [x]] b [x] c"


def test_places_of_the_original_are_found_again() -> None:
    marked = mark(PLAN, [spot(PLAN, "Pro plan", "billing_plan", "free")])
    here = marked.place_of(PLAN.index("nuts"))
    assert marked.text[here:] == "nuts."
    assert Marked("abc").place_of(99) == 3
    assert Marked("abc").place_of(-5) == 0


MARKS = st.builds(
    Mark,
    start=st.integers(-5, 45),
    end=st.integers(-5, 45),
    field=st.sampled_from(["plan", "city"]),
    replacement=st.sampled_from(["free", "東京", None]),
    state=st.sampled_from(MarkState),
)


@given(st.text(alphabet="ab 猫\n👩\u200d\u0301", max_size=40), st.lists(MARKS, max_size=6))
def test_whatever_the_marks_nothing_of_the_text_is_lost_and_every_mark_shows(
    text: str, marks: list[Mark]
) -> None:
    marked = mark(text, marks)
    left, at = "", marked.pinned
    for start, end in marked.holds[1 if marked.pinned else 0 :]:
        held = marked.text[start:end]
        left += marked.text[at:start] + held[2 : held.index("~~ [")]
        at = end
    assert left + marked.text[at:] == text
    for one in marks:
        assert f"{one.field} is " in marked.text
        assert one.replacement is None or f"{one.field} is now {one.replacement}" in marked.text
    assert all(low[1] <= high[0] for low, high in pairwise(marked.holds))
    assert mark(text, list(reversed(marks))) == marked
