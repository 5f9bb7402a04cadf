"""Field types: one file each, one line each in the registry."""

from __future__ import annotations

from collections.abc import Mapping

from seihon.core.fields.boolean import Boolean
from seihon.core.fields.contract import FieldType, Synonyms
from seihon.core.fields.date import Date
from seihon.core.fields.enum import Enum
from seihon.core.fields.enums import Enums
from seihon.core.fields.integer import Integer
from seihon.core.fields.normal import Normal
from seihon.core.fields.number import Number
from seihon.core.fields.shape import Shape, wrong
from seihon.core.fields.string import String

__all__ = ["FIELD_TYPES", "FieldType", "Normal", "Synonyms", "field_type"]

FIELD_TYPES: Mapping[str, type[FieldType]] = {
    "enum": Enum,
    "date": Date,
    "string": String,
    "integer": Integer,
    "number": Number,
    "boolean": Boolean,
    "enums": Enums,
}
"""In the order they are tried: a string with an ``enum`` or a ``format`` is not a plain string."""


def field_type(shape: Shape, *, normal: Normal, synonyms: object, place: str) -> FieldType:
    """Return the type that a JSON Schema property declares. Raises ``SchemaError`` naming the place."""
    unfit = _unfit(shape)
    if unfit:
        raise wrong(place, f"{unfit} is no type of a profile field; {_ALLOWED}")
    for kind in FIELD_TYPES.values():
        if kind.matches(shape):
            return kind.from_schema(shape, normal, synonyms, place)
    raise wrong(place, f"the type is missing or unknown; {_ALLOWED}")


_ALLOWED = (
    "it must be a string (with enum, with format: date, or with a pattern), an integer, a number, a boolean, "
    "or an array whose items are such an enum."
)
_FORMATS = {"date-time": "a date with a time (datetime)", "time": "a time of day", "duration": "a duration"}


def _unfit(shape: Shape) -> str:
    """Return what a declaration asks for that fields do not have; empty if it may be one of theirs."""
    kind, form = shape.get("type"), shape.get("format")
    if kind == "object" or "$ref" in shape:
        return "an object (a nested model, or a dict)"
    if "prefixItems" in shape:
        return "an array with a type for each place (a tuple)"
    if "enum" in shape and kind not in ("string", None):
        return "an enum of values that are not text"
    if form is not None and (kind != "string" or form != "date"):
        return _FORMATS.get(str(form), f"format: {form}" if isinstance(form, str) else "such a format")
    return ""
