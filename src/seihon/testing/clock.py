"""A clock that moves only when a test says so."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from seihon.errors import InvalidArgument

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class FakeClock:
    """A callable that returns an aware UTC ``datetime`` and stands still until it is moved.

    Safe to read and to move from several threads. A naive instant is refused with ``InvalidArgument``.
    """

    def __init__(self, start: datetime = EPOCH) -> None:
        self._lock = threading.Lock()
        self._now = _utc(start)

    def __call__(self) -> datetime:
        """Return the instant the clock stands at."""
        with self._lock:
            return self._now

    def advance(self, step: timedelta | None = None, /, *, seconds: float = 0, days: float = 0) -> datetime:
        """Move by ``step`` plus ``seconds`` and ``days`` (negative: back) and return the new instant."""
        with self._lock:
            self._now += (step or timedelta()) + timedelta(days=days, seconds=seconds)
            return self._now

    def set(self, instant: datetime, /) -> datetime:
        """Jump to ``instant`` and return it in UTC."""
        moved = _utc(instant)
        with self._lock:
            self._now = moved
            return moved


def _utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise InvalidArgument("An instant has a time zone: give an aware datetime.")
    return instant.astimezone(UTC)
