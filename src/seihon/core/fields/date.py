"""``date``: a calendar day in ISO form, without a time or a zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar, Self

from seihon.core.fields.contract import Synonyms, refuse
from seihon.core.fields.integer import no_synonyms
from seihon.core.fields.normal import AS_GIVEN, Normal
from seihon.core.fields.shape import Shape, only
from seihon.core.values import Dumped, Value
from seihon.errors import InvalidValue

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Date:
    """A day written ``YYYY-MM-DD``. Other orders are refused: 01/02 is two different days."""

    kind: ClassVar[str] = "date"
    normal: Normal = AS_GIVEN

    @property
    def synonyms(self) -> Synonyms:
        return {}

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        return shape.get("type") == "string" and shape.get("format") == "date"

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        only(shape, ("type", "format"), place)
        no_synonyms(synonyms, place)
        return cls(normal)

    def parse(self, raw: object) -> date:
        if isinstance(raw, date) and not isinstance(raw, datetime):
            return raw
        return self.load(self.normal.text(raw) if isinstance(raw, str) else raw)

    def render(self, value: Value, *, locale: str = "en") -> str:
        if isinstance(value, date) and locale.startswith("ja"):
            return f"{value.year}年{value.month}月{value.day}日"
        return str(self.dump(value))

    def json_schema(self) -> dict[str, object]:
        return {"type": "string", "format": "date"}

    def dump(self, value: Value) -> Dumped:
        if not isinstance(value, date):
            raise _refused()
        return value.isoformat()

    def load(self, data: object) -> date:
        if not isinstance(data, str) or not _ISO.fullmatch(data):
            raise _refused()
        try:
            return date.fromisoformat(data)
        except ValueError:
            raise _refused() from None

    def cardinality(self) -> int | None:
        return None


def _refused() -> InvalidValue:
    return refuse("a day of the calendar written YYYY-MM-DD")
