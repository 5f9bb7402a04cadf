"""``number``: a finite decimal number. True and false are not numbers."""

# ruff: noqa: ARG002 - every type renders for a locale, and most read the same in all

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar, Self

from seihon.core.fields.contract import Synonyms, refuse
from seihon.core.fields.integer import no_synonyms
from seihon.core.fields.normal import AS_GIVEN, Normal
from seihon.core.fields.shape import Shape, only, wrong
from seihon.core.values import Dumped, Value

_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number from ``minimum`` to ``maximum``, both included. Decimal notation as text is read."""

    kind: ClassVar[str] = "number"
    minimum: float | None = None
    maximum: float | None = None
    normal: Normal = AS_GIVEN

    @property
    def synonyms(self) -> Synonyms:
        return {}

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        return shape.get("type") == "number"

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        only(shape, ("type", "minimum", "maximum"), place)
        no_synonyms(synonyms, place)
        low, high = _bound(shape, "minimum", place), _bound(shape, "maximum", place)
        if low is not None and high is not None and low > high:
            raise wrong(f"{place}/minimum", "must not be above maximum.")
        return cls(low, high, normal)

    def parse(self, raw: object) -> float:
        if isinstance(raw, str):
            text = self.normal.text(raw)
            raw = float(text) if _DECIMAL.fullmatch(text) else None
        return self.load(raw)

    def render(self, value: Value, *, locale: str = "en") -> str:
        number = self.load(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)

    def json_schema(self) -> dict[str, object]:
        low = {} if self.minimum is None else {"minimum": self.minimum}
        high = {} if self.maximum is None else {"maximum": self.maximum}
        return {"type": "number", **low, **high}

    def dump(self, value: Value) -> Dumped:
        return self.load(value)

    def load(self, data: object) -> float:
        number = _finite(data)
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        if number is None or not low <= number <= high:
            raise refuse(self._allowed())
        return number

    def cardinality(self) -> int | None:
        return None

    def _allowed(self) -> str:
        low = "" if self.minimum is None else f" from {self.minimum:g}"
        high = "" if self.maximum is None else f" up to {self.maximum:g}"
        return f"a finite number{low}{high}"


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    # Adding 0.0 turns -0.0 into 0.0: they are equal, and one value has one JSON form.
    return number + 0.0 if math.isfinite(number) else None


def _bound(shape: Shape, side: str, place: str) -> float | None:
    if side not in shape:
        return None
    number = _finite(shape[side])
    if number is None:
        raise wrong(f"{place}/{side}", "must be a finite number.")
    return number
