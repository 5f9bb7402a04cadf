"""Text is cut between the characters that a reader sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.clusters import ceil_boundary, floor_boundary, is_boundary

WHOLE = [
    "é",
    "か\u3099",
    "ｶﾞ",
    "葛\U000e0100",
    "❤\ufe0f",
    "👍🏽",
    "👩‍👩‍👧‍👦",
    "🇯🇵",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "1\ufe0f\u20e3",
    "\r\n",
    "한",
    "한",
    "क्षि",
    "กำ",
    "Z\u0351\u036b\u0343",
]
ATOMS = [*WHOLE, *"aZ9 \n猫がー한", "🇯", "👩", "\u200d", "\u0301", "ﾞ", "\u094d", "क", "ᄒ", "ᅡ", "\r"]
_finditer = cast("Callable[[str, str], Any]", regex.finditer)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("cluster", WHOLE)
def test_no_cut_falls_inside_one_character(cluster: str) -> None:
    text = f"x{cluster}y"
    for at in range(2, len(cluster) + 1):
        assert not is_boundary(text, at)
        assert floor_boundary(text, at) == 1
        assert ceil_boundary(text, at) == len(cluster) + 1


@pytest.mark.parametrize("cluster", [one for one in WHOLE if one != "1\ufe0f\u20e3"])
def test_between_two_equal_characters_a_cut_is_allowed(cluster: str) -> None:
    assert is_boundary(cluster * 2, len(cluster))


@given(st.lists(st.sampled_from(ATOMS), max_size=12).map("".join))
def test_every_boundary_is_one_of_the_unicode_standard(text: str) -> None:
    theirs = {0, len(text), *(match.start() for match in _finditer(r"\X", text))}
    ours = {at for at in range(len(text) + 1) if is_boundary(text, at)}
    assert ours <= theirs


@given(st.lists(st.sampled_from(ATOMS), max_size=12).map("".join), st.integers(-3, 60))
def test_the_nearest_boundaries_enclose_the_place(text: str, at: int) -> None:
    low, high = floor_boundary(text, at), ceil_boundary(text, at)
    assert 0 <= low <= max(0, min(at, len(text))) <= high <= len(text)
    assert is_boundary(text, low)
    assert is_boundary(text, high)
