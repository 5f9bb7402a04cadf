"""What every field type gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, Self

from seihon.core.fields.normal import Normal
from seihon.core.fields.shape import Shape
from seihon.core.values import Dumped, Value
from seihon.errors import InvalidValue

Synonyms = Mapping[str, tuple[str, ...]]
"""For each value, the other ways to write it."""


class FieldType(Protocol):
    """A type of value: frozen, equal when declared equally.

    ``parse`` takes anything a person or a model may hand over, ``load`` only what ``dump`` wrote. Both raise
    ``InvalidValue`` whose sentence says what is allowed and never repeats what was given.
    """

    kind: ClassVar[str]

    @property
    def normal(self) -> Normal:
        """The declared normalisation of text."""
        ...

    @property
    def synonyms(self) -> Synonyms:
        """The declared synonyms, empty for types without named values."""
        ...

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        """Say whether a JSON Schema property is of this type."""
        ...

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        """Return the type that a JSON Schema property declares. Raises ``SchemaError`` naming the place."""
        ...

    def parse(self, raw: object) -> Value:
        """Return the typed, normalised value."""
        ...

    def render(self, value: Value, *, locale: str = "en") -> str:
        """Return the value as people read it, in English or for a locale that starts with ``ja``."""
        ...

    def json_schema(self) -> dict[str, object]:
        """Return the JSON Schema of one value."""
        ...

    def dump(self, value: Value) -> Dumped:
        """Return the JSON form."""
        ...

    def load(self, data: object) -> Value:
        """Return the value that ``dump`` wrote, checked against this type as it is declared now."""
        ...

    def cardinality(self) -> int | None:
        """Return how many values there are, ``None`` for an open type."""
        ...


def refuse(allowed: str, *, nearest: str | None = None) -> InvalidValue:
    """Return the error for a value that is not ``allowed`` (the end of "must be …")."""
    return _refusal(
        "The value", {"allowed": allowed} if nearest is None else {"allowed": allowed, "nearest": nearest}
    )


def named(error: InvalidValue, field: str) -> InvalidValue:
    """Return the same refusal with the field's name in place of "the value"."""
    return _refusal(f"The field {field}", {**error.details, "field": field})


def _refusal(subject: str, details: Mapping[str, str]) -> InvalidValue:
    hint = f'; the nearest is "{details["nearest"]}"' if "nearest" in details else ""
    return InvalidValue(f"{subject} must be {details['allowed']}{hint}.", **details)
