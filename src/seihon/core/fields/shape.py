"""Reading a schema document: each helper takes one thing out, or says in one sentence what is wrong where.

A *place* is the path in the document, ``properties/billing_plan/x-seihon/ttl_turns``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias, cast

from seihon.errors import SchemaError

Shape: TypeAlias = Mapping[str, object]
"""A JSON object."""


def wrong(place: str, what: str) -> SchemaError:
    """Return the error for ``place``; ``what`` is the rest of the sentence."""
    return SchemaError(f"{place or 'the schema'}: {what}", place=place)


def an_object(value: object, place: str) -> Shape:
    """Return ``value`` if it is a JSON object."""
    if not isinstance(value, Mapping):
        raise wrong(place, "must be an object.")
    found = cast("Mapping[object, object]", value)
    if not all(isinstance(key, str) for key in found):
        raise wrong(place, "has a key that is not text; quote it.")
    return cast("Shape", found)


def a_list(value: object, place: str) -> Sequence[object]:
    """Return ``value`` if it is a JSON array."""
    if not isinstance(value, (list, tuple)):
        raise wrong(place, "must be a list.")
    return cast("Sequence[object]", value)


def a_text(value: object, place: str) -> str:
    """Return ``value`` if it is text that any store can hold, not empty."""
    if not isinstance(value, str) or not value or not storable(value):
        raise wrong(
            place, "must be text, not empty (in YAML, quote words such as yes, no, on, off and dates)."
        )
    return value


def a_flag(value: object, place: str) -> bool:
    """Return ``value`` if it is true or false."""
    if not isinstance(value, bool):
        raise wrong(place, "must be true or false.")
    return value


def a_count(value: object, place: str, *, least: int, most: int) -> int:
    """Return ``value`` if it is a whole number between ``least`` and ``most``, both included."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise wrong(place, f"must be a whole number from {least} to {most}.")
    return value


def only(shape: Shape, allowed: Collection[str], place: str) -> None:
    """Refuse keys that mean nothing here: a silently ignored key is a rule that does not hold."""
    unknown = sorted(set(shape) - set(allowed))
    if unknown:
        raise wrong(
            place, f"{', '.join(unknown)} is not supported here; allowed: {', '.join(sorted(allowed))}."
        )


def storable(text: str) -> bool:
    """Say whether every database can hold ``text``: no NUL, no lone surrogate."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
