"""The clock of the tests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from seihon.errors import InvalidArgument
from seihon.testing.clock import EPOCH, FakeClock


def test_it_stands_until_moved() -> None:
    clock = FakeClock()
    assert clock() == clock() == EPOCH
    assert clock.advance(seconds=1.5) == clock() == EPOCH + timedelta(seconds=1.5)
    assert clock.advance(timedelta(hours=-1), days=1) == EPOCH + timedelta(seconds=1.5, hours=23)


def test_it_answers_in_utc_whatever_zone_it_was_given() -> None:
    tokyo = datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=9)))
    assert FakeClock(tokyo)().tzinfo is UTC
    clock = FakeClock()
    assert clock.set(tokyo) == clock() == datetime(2026, 3, 1, tzinfo=UTC)
    assert clock().utcoffset() == timedelta(0)


def test_a_naive_instant_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="time zone"):
        FakeClock(datetime(2026, 1, 1))  # noqa: DTZ001 - the point of the test
    with pytest.raises(InvalidArgument, match="time zone"):
        FakeClock().set(datetime(2026, 1, 1))  # noqa: DTZ001


def test_no_step_is_lost_between_threads() -> None:
    clock = FakeClock()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(clock.advance, [timedelta(seconds=1)] * 2_000))
    assert clock() == EPOCH + timedelta(seconds=2_000)
