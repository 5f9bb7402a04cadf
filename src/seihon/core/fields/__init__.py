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
    for kind in FIELD_TYPES.values():
        if kind.matches(shape):
            return kind.from_schema(shape, normal, synonyms, place)
    raise wrong(
        place,
        "must be a string (with enum, with format: date, or with a pattern), an integer, a number, "
        "a boolean, or an array whose items are such an enum.",
    )
