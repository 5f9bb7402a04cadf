"""The ranges of a conversation cover it without a gap, and know when they are full."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seihon.core.ranges import SIZE, block_of, bounds, filled_by, is_full


@given(st.integers(1, 10_000))
def test_each_message_is_in_one_range(seq: int) -> None:
    first, last = bounds(block_of(seq))
    assert first <= seq <= last
    assert last - first + 1 == SIZE
    assert bounds(block_of(seq) + 1)[0] == last + 1


@given(st.integers(0, 500), st.integers(0, 10_000))
def test_a_range_is_full_from_its_last_message_on(block: int, seq: int) -> None:
    assert is_full(block, seq) == (seq >= bounds(block)[1])


def test_new_messages_fill_their_ranges_and_the_one_that_a_gap_left_behind() -> None:
    assert filled_by([]) == ()
    assert filled_by([SIZE - 1]) == ()
    assert filled_by([SIZE - 1, SIZE]) == (0,)
    assert filled_by(range(1, 3 * SIZE)) == (0, 1)
    assert filled_by([SIZE + 7]) == (0,), "the numbers up to there were left out"
    assert filled_by([2 * SIZE + 1]) == (1,)
