"""``enum``: one of a closed list of names."""

# ruff: noqa: ARG002 - every type renders for a locale, and most read the same in all

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

from seihon.core.fields.contract import Synonyms, refuse
from seihon.core.fields.names import listing, lookup, name_list, nearest, synonym_map
from seihon.core.fields.normal import AS_GIVEN, Normal
from seihon.core.fields.shape import Shape, only
from seihon.core.values import Dumped, Value


@dataclass(frozen=True, slots=True)
class Enum:
    """One of ``names``, spelled as declared; synonyms and normalised spellings mean the declared one."""

    kind: ClassVar[str] = "enum"
    names: tuple[str, ...]
    normal: Normal = AS_GIVEN
    synonyms: Synonyms = field(default_factory=dict[str, tuple[str, ...]], hash=False)

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        return shape.get("type", "string") == "string" and "enum" in shape

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        only(shape, ("type", "enum"), place)
        names = name_list(shape, normal, place)
        return cls(names, normal, synonym_map(synonyms, names, normal, f"{place}/x-seihon/synonyms"))

    def parse(self, raw: object) -> str:
        allowed = listing(self.names)
        if not isinstance(raw, str):
            raise refuse(allowed)
        found = lookup(self.names, self.synonyms, self.normal).get(self.normal.text(raw))
        if found is None:
            raise refuse(allowed, nearest=nearest(raw, self.names, self.synonyms))
        return found

    def render(self, value: Value, *, locale: str = "en") -> str:
        return str(value)

    def json_schema(self) -> dict[str, object]:
        return {"type": "string", "enum": list(self.names)}

    def dump(self, value: Value) -> Dumped:
        return str(value)

    def load(self, data: object) -> str:
        if not isinstance(data, str) or data not in self.names:
            raise refuse(listing(self.names))
        return data

    def cardinality(self) -> int | None:
        return len(self.names)
