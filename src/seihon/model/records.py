"""What every noun can do, and instants: aware UTC datetimes outside, microseconds inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def us(instant: datetime) -> int:
    """Return microseconds since the epoch; a naive datetime is refused, since its zone is a guess."""
    if instant.tzinfo is None:
        raise ValueError("An instant needs a time zone: use an aware datetime.")
    return (instant - _EPOCH) // _MICROSECOND


def instant(microseconds: int) -> datetime:
    """Return the aware UTC datetime of microseconds since the epoch."""
    return _EPOCH + microseconds * _MICROSECOND


def maybe_instant(microseconds: int | None) -> datetime | None:
    """Return the aware UTC datetime, or ``None`` for ``None``."""
    return None if microseconds is None else instant(microseconds)


class Record:
    """What every noun can do: become plain JSON values."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: instants as ISO 8601 in UTC, durations in seconds, tuples as lists."""
        return plain(asdict(self))  # type: ignore[call-overload]  # every subclass is a dataclass


def plain(value: Any) -> Any:
    """Return ``value`` in plain JSON types."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value) if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True)
class Page(Record, Generic[T]):
    """One page of a listing; ``next`` is the cursor of the following one, ``None`` at the end."""

    items: tuple[T, ...]
    next: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"items", "next"}`` in plain JSON values, each item as it says of itself."""
        items = [one.as_dict() if isinstance(one, Record) else plain(one) for one in self.items]
        return {"items": items, "next": self.next}
