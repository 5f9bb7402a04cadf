"""The door: what comes from outside is checked here once, before any transaction.

Text is refused, never repaired: a NUL or a lone surrogate cannot be stored by one of the two databases, so
neither takes it. What passes is stored unchanged.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, TypeVar

from seihon import errors
from seihon.canonical.codec import to_json
from seihon.model import us

MAX_TEXT: Final = 1_000_000
MAX_NOTE: Final = 100_000
MAX_ID: Final = 200
MAX_ID_BYTES: Final = 600
"""Four ids meet in one key (tenant, owner, note and message), and a key of PostgreSQL has 2,704 bytes."""

MAX_METADATA: Final = 16_384
MAX_PAGE: Final = 1_000
MAX_DEPTH: Final = 32
# Both databases count in 64 bits; sums of two of these stay far below.
MAX_WHOLE: Final = 2**53
MAX_DURATION: Final = timedelta(days=365_000)
_SORT_KEY: Final = re.compile("-?[0-9]{1,18}")
_FORBIDDEN: Final = re.compile("[\x00\ud800-\udfff]")
E = TypeVar("E", bound=StrEnum)
_CONTROL: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


def text(value: Any, name: str, *, limit: int = MAX_TEXT, empty: bool = False) -> str:
    """Return text that both databases can hold.

    Raises:
        InvalidText: not text, empty, longer than ``limit`` characters, or with a NUL or a lone surrogate.
    """
    if not isinstance(value, str):
        raise errors.InvalidText(f"`{name}` must be text.", name=name)
    if not empty and not value.strip():
        raise errors.InvalidText(f"`{name}` must not be empty.", name=name)
    if len(value) > limit:
        raise errors.InvalidText(
            f"`{name}` has {len(value)} characters; at most {limit} are allowed.", name=name
        )
    found = _FORBIDDEN.search(value)
    if found is not None:
        what = "a NUL character" if found.group() == "\x00" else "a lone surrogate"
        raise errors.InvalidText(
            f"`{name}` holds {what} at position {found.start()}; remove it.",
            name=name,
            position=found.start(),
        )
    return value


def short(checked: str, name: str, most: int) -> str:
    """Return text that has at most ``most`` bytes in UTF-8, so that every key it is part of can be stored."""
    size = len(checked) if checked.isascii() else len(checked.encode())
    if size > most:
        raise errors.InvalidText(
            f"`{name}` has {size} bytes in UTF-8; at most {most} are allowed here.", name=name
        )
    return checked


def _is_quiet(checked: str) -> bool:
    """Tell whether no character controls anything; an emoji's joiner is not printable, and harmless."""
    return not any(unicodedata.category(char) in _CONTROL for char in checked)


def identifier(value: Any, name: str) -> str:
    """Return an id: 1 to 200 characters, at most 600 bytes, no control characters, no space at either end."""
    checked = short(text(value, name, limit=MAX_ID), name, MAX_ID_BYTES)
    if checked != checked.strip() or not (checked.isprintable() or _is_quiet(checked)):
        raise errors.InvalidText(
            f"`{name}` must not hold control characters or begin or end with a space.", name=name
        )
    return checked


def tenant(value: Any) -> str:
    """Return a tenant's name: an id without a slash, since the slash ends it in the owner's key."""
    checked = identifier(value, "tenant")
    if "/" in checked:
        raise errors.InvalidText("`tenant` must not hold a slash.", name="tenant")
    return checked


def metadata(value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a JSON object of at most 16,384 bytes, or ``None`` for nothing to store."""
    if not value:
        return None
    if not isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are untyped
        raise errors.InvalidArgument("`metadata` must be an object.", name="metadata")
    _json(value, "metadata", MAX_DEPTH, _Size("metadata"))
    size = len(to_json(value).encode("utf-8"))
    if size > MAX_METADATA:
        raise errors.InvalidArgument(
            f"`metadata` has {size} bytes as JSON; at most {MAX_METADATA} are allowed.", name="metadata"
        )
    return value


class _Size:
    """Counts down what a JSON value has left: an object that stands in many places counts in each."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.left = MAX_METADATA

    def take(self, size: int) -> None:
        """Take off at least as much as is stored. Raises ``InvalidArgument`` when nothing is left."""
        self.left -= size
        if self.left < 0:
            raise errors.InvalidArgument(
                f"`{self.name}` has more than {MAX_METADATA} bytes as JSON.", name=self.name
            )


def _json(value: Any, name: str, depth: int, size: _Size) -> None:
    if depth < 0:
        raise errors.InvalidArgument(
            f"`{name}` must not be nested deeper than {MAX_DEPTH} levels.", name=name
        )
    size.take(1)
    if isinstance(value, Mapping):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            size.take(len(text(key, name, empty=True)))
            _json(item, name, depth - 1, size)
    elif isinstance(value, (list, tuple)):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            _json(item, name, depth - 1, size)
    elif isinstance(value, str):
        size.take(len(text(value, name, empty=True)))
    else:
        _scalar(value, name)


def _scalar(value: Any, name: str) -> None:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise errors.InvalidArgument(f"`{name}` must not hold NaN or an infinity.", name=name)
    elif isinstance(value, int):
        if abs(value) > MAX_WHOLE:
            raise errors.InvalidArgument(
                f"`{name}` must hold whole numbers of at most 53 bits, as JSON readers take them.", name=name
            )
    elif value is not None:
        raise errors.InvalidArgument(f"`{name}` must hold JSON values only.", name=name)


def moment(value: datetime | None, name: str) -> int | None:
    """Return an instant in microseconds; a datetime without a zone is refused."""
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.InvalidArgument(f"`{name}` must be a datetime with a time zone.", name=name)
    try:
        return us(value.astimezone(UTC))
    except OverflowError:
        raise errors.InvalidArgument(
            f"`{name}` must lie within the years 1 to 9999 in UTC.", name=name
        ) from None


def ahead(at: int | None, now: int, name: str) -> None:
    """Refuse an instant that is over already: what expires before it is stored could never be read."""
    if at is not None and at <= now:
        raise errors.InvalidArgument(f"`{name}` must lie in the future.", name=name)


def duration(value: timedelta | None, name: str) -> int | None:
    """Return a positive duration in microseconds, or ``None`` for no limit."""
    if value is None:
        return None
    if not isinstance(value, timedelta) or value <= timedelta(0):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.InvalidArgument(
            f"`{name}` must be a positive timedelta, or None for no limit.", name=name
        )
    if value > MAX_DURATION:
        raise errors.InvalidArgument(f"`{name}` must be at most {MAX_DURATION.days} days.", name=name)
    return value // timedelta(microseconds=1)


def whole(value: Any, name: str, *, least: int = 0, most: int = MAX_WHOLE) -> int:
    """Return a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise errors.InvalidArgument(f"`{name}` must be a whole number.", name=name)
    if not least <= value <= most:
        raise errors.InvalidArgument(f"`{name}` must be at least {least} and at most {most}.", name=name)
    return value


def maybe_whole(value: Any, name: str, *, least: int = 0) -> int | None:
    """Return a whole number within bounds, or ``None``."""
    return None if value is None else whole(value, name, least=least)


def choice(value: Any, name: str, allowed: type[E]) -> E:
    """Return the member of an enum that ``value`` names."""
    try:
        return allowed(value)
    except ValueError:
        options = ", ".join(member.value for member in allowed)
        raise errors.InvalidArgument(f"`{name}` must be one of: {options}.", name=name) from None


def cursor(value: str | None, parts: int) -> tuple[str, ...] | None:
    """Return the parts of a page's cursor, as ``make_cursor`` joined them."""
    if value is None:
        return None
    found = tuple(text(value, "cursor", limit=2 * MAX_ID).split("~", parts - 1))
    if len(found) != parts or not _SORT_KEY.fullmatch(found[0]):
        raise errors.InvalidArgument("`cursor` must be the `next` of an earlier page.", name="cursor")
    return found


def numbers(value: str | None, parts: int) -> tuple[int, ...] | None:
    """Return the parts of a cursor that is made of numbers alone."""
    found = cursor(value, parts)
    if found is None:
        return None
    # Each part must hold as the first one does.
    return tuple(int((cursor(part, 1) or ("",))[0]) for part in found)


def make_cursor(*parts: object) -> str:
    """Return the cursor of the page after these sort keys; the first is a number."""
    return "~".join(str(part) for part in parts)
