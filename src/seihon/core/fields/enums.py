"""``enums``: several of a closed list of names; neither order nor repetition means anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Self, cast

from seihon.core.fields.contract import Synonyms, refuse
from seihon.core.fields.enum import Enum
from seihon.core.fields.names import listing
from seihon.core.fields.normal import Normal
from seihon.core.fields.shape import Shape, a_flag, an_object, only, wrong
from seihon.core.values import Dumped, Value
from seihon.errors import InvalidValue

_FEW = 16


@dataclass(frozen=True, slots=True)
class Enums:
    """A set of names as a tuple in the declared order. The empty set is a value: "none of them"."""

    kind: ClassVar[str] = "enums"
    each: Enum

    @property
    def normal(self) -> Normal:
        return self.each.normal

    @property
    def synonyms(self) -> Synonyms:
        return self.each.synonyms

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        return shape.get("type") == "array"

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        only(shape, ("type", "items", "uniqueItems"), place)
        a_flag(shape.get("uniqueItems", True), f"{place}/uniqueItems")
        items = an_object(shape.get("items"), f"{place}/items")
        if "const" in items:
            items = {
                **{key: value for key, value in items.items() if key != "const"},
                "enum": [items["const"]],
            }
        if not Enum.matches(items):
            raise wrong(f"{place}/items", "must be a closed list of texts: {type: string, enum: [...]}.")
        only(items, ("type", "enum"), f"{place}/items")
        return cls(Enum.from_schema({**items}, normal, synonyms, place))

    def parse(self, raw: object) -> tuple[str, ...]:
        return self._chosen(raw, self.each.parse, (list, tuple, set, frozenset))

    def render(self, value: Value, *, locale: str = "en") -> str:
        ja = locale.startswith("ja")
        names = cast("tuple[str, ...]", value)
        return ("、" if ja else ", ").join(names) or ("なし" if ja else "none")

    def json_schema(self) -> dict[str, object]:
        return {"type": "array", "items": self.each.json_schema(), "uniqueItems": True}

    def dump(self, value: Value) -> Dumped:
        return list(cast("tuple[str, ...]", value))

    def load(self, data: object) -> tuple[str, ...]:
        return self._chosen(data, self.each.load, (list, tuple))

    def cardinality(self) -> int | None:
        # Every subset counts; beyond a few names, that is as good as open.
        return 2 ** len(self.each.names) if len(self.each.names) <= _FEW else None

    def _chosen(
        self, given: object, read: Callable[[object], str], kinds: tuple[type, ...]
    ) -> tuple[str, ...]:
        if not isinstance(given, kinds):
            raise refuse(self._allowed())
        try:
            chosen = {read(item) for item in cast("Iterable[object]", given)}
        except InvalidValue as error:
            raise refuse(self._allowed(), nearest=error.details.get("nearest")) from None
        return tuple(name for name in self.each.names if name in chosen)

    def _allowed(self) -> str:
        """Return the end of "must be …", with the list as it is typed in JSON, in YAML and in Python."""
        example = json.dumps(list(self.each.names[:2]), ensure_ascii=False)
        return f"a list such as {example}, each {listing(self.each.names)}"
