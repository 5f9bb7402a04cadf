"""``integer``: a whole number. True and false are not numbers."""

# ruff: noqa: ARG002 - every type renders for a locale, and most read the same in all

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from seihon.core.fields.contract import Synonyms, refuse
from seihon.core.fields.normal import AS_GIVEN, Normal
from seihon.core.fields.shape import Shape, a_count, only, wrong
from seihon.core.values import Dumped, Value

LARGEST = 2**53 - 1
"""Beyond it, JSON readers that hold numbers as doubles would change the value."""

_CLOSED = 1_000
_DIGITS = re.compile(r"[+-]?[0-9]{1,16}")


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number from ``minimum`` to ``maximum``, both included. Decimal digits as text are read."""

    kind: ClassVar[str] = "integer"
    minimum: int = -LARGEST
    maximum: int = LARGEST
    normal: Normal = AS_GIVEN

    @property
    def synonyms(self) -> Synonyms:
        return {}

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        return shape.get("type") == "integer"

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        only(shape, ("type", "minimum", "maximum"), place)
        no_synonyms(synonyms, place)
        bounds = {
            side: a_count(shape.get(side, default), f"{place}/{side}", least=-LARGEST, most=LARGEST)
            for side, default in (("minimum", -LARGEST), ("maximum", LARGEST))
        }
        if bounds["minimum"] > bounds["maximum"]:
            raise wrong(f"{place}/minimum", "must not be above maximum.")
        return cls(bounds["minimum"], bounds["maximum"], normal)

    def parse(self, raw: object) -> int:
        if isinstance(raw, str):
            text = self.normal.text(raw)
            raw = int(text) if _DIGITS.fullmatch(text) else None
        if isinstance(raw, float) and raw.is_integer():
            raw = int(raw)
        return self.load(raw)

    def render(self, value: Value, *, locale: str = "en") -> str:
        return str(value)

    def json_schema(self) -> dict[str, object]:
        low = {} if self.minimum == -LARGEST else {"minimum": self.minimum}
        high = {} if self.maximum == LARGEST else {"maximum": self.maximum}
        return {"type": "integer", **low, **high}

    def dump(self, value: Value) -> Dumped:
        return int(value) if isinstance(value, int) else self.load(value)

    def load(self, data: object) -> int:
        if isinstance(data, int) and not isinstance(data, bool) and self.minimum <= data <= self.maximum:
            return data
        raise refuse(f"a whole number from {self.minimum} to {self.maximum}")

    def cardinality(self) -> int | None:
        span = self.maximum - self.minimum + 1
        return span if span <= _CLOSED else None


def no_synonyms(synonyms: object, place: str) -> None:
    """Refuse synonyms on a type whose values have no names."""
    if synonyms:
        raise wrong(f"{place}/x-seihon/synonyms", "belongs to enum, string and boolean fields only.")
