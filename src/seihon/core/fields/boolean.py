"""``boolean``: true or false, or the words declared for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

from seihon.core.fields.contract import Synonyms, refuse
from seihon.core.fields.names import lookup, nearest, synonym_map
from seihon.core.fields.normal import AS_GIVEN, Normal
from seihon.core.fields.shape import Shape, only
from seihon.core.values import Dumped, Value

_NAMES = ("true", "false")
_ALLOWED = "true or false"


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false. 0 and 1 are numbers and are refused; yes and no only where declared as synonyms."""

    kind: ClassVar[str] = "boolean"
    normal: Normal = AS_GIVEN
    synonyms: Synonyms = field(default_factory=dict[str, tuple[str, ...]], hash=False)

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        return shape.get("type") == "boolean"

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        only(shape, ("type",), place)
        return cls(normal, synonym_map(synonyms, _NAMES, normal, f"{place}/x-seihon/synonyms"))

    def parse(self, raw: object) -> bool:
        if not isinstance(raw, str):
            return self.load(raw)
        found = lookup(_NAMES, self.synonyms, self.normal).get(self.normal.text(raw))
        if found is None:
            raise refuse(_ALLOWED, nearest=nearest(raw, _NAMES, self.synonyms))
        return found == "true"

    def render(self, value: Value, *, locale: str = "en") -> str:
        if locale.startswith("ja"):
            return "はい" if value else "いいえ"
        return "yes" if value else "no"

    def json_schema(self) -> dict[str, object]:
        return {"type": "boolean"}

    def dump(self, value: Value) -> Dumped:
        return bool(value)

    def load(self, data: object) -> bool:
        if not isinstance(data, bool):
            raise refuse(_ALLOWED)
        return data

    def cardinality(self) -> int | None:
        return 2
