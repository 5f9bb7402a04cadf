"""``string``: text of a bounded length, by a pattern if one is declared."""

# ruff: noqa: ARG002 - every type renders for a locale, and most read the same in all

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import ClassVar, Self

import regex

from seihon.core.fields.contract import Synonyms, refuse
from seihon.core.fields.names import lookup, synonym_map
from seihon.core.fields.normal import AS_GIVEN, Normal
from seihon.core.fields.shape import Shape, a_count, a_text, only, storable, wrong
from seihon.core.values import Dumped, Value

DEFAULT_LENGTH = 500
LONGEST_MATCH_S = 0.2
MOST_LENGTH = 10_000
MOST_UNROLLED = 20_000
"""How long a pattern may be with its repeats written out, as the engine does: a{4000000000} is no text."""

_SIGNS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<times>[0-9]+)(?:,[0-9]*)?\}|.", re.DOTALL)
_UNPRINTABLE = ("Cc", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class String:
    """Text of 1 to ``max_length`` code points on one line that holds a match of ``pattern``.

    As in JSON Schema, a pattern without ``^`` and ``$`` matches anywhere in the text.
    """

    kind: ClassVar[str] = "string"
    pattern: str | None = None
    max_length: int = DEFAULT_LENGTH
    normal: Normal = AS_GIVEN
    synonyms: Synonyms = field(default_factory=dict[str, tuple[str, ...]], hash=False)

    @classmethod
    def matches(cls, shape: Shape) -> bool:
        return shape.get("type") == "string"

    @classmethod
    def from_schema(cls, shape: Shape, normal: Normal, synonyms: object, place: str) -> Self:
        only(shape, ("type", "pattern", "maxLength"), place)
        longest = a_count(
            shape.get("maxLength", DEFAULT_LENGTH), f"{place}/maxLength", least=1, most=MOST_LENGTH
        )
        pattern = _pattern(shape["pattern"], f"{place}/pattern") if "pattern" in shape else None
        meant = synonym_map(synonyms, None, normal, f"{place}/x-seihon/synonyms")
        made = cls(pattern, longest, normal, meant)
        for name in meant:
            if made.fault(name):
                raise wrong(f"{place}/x-seihon/synonyms", f'"{name}" is not {made.allowed()}.')
        return made

    def parse(self, raw: object) -> str:
        if not isinstance(raw, str):
            raise refuse(self.allowed())
        text = self.normal.text(raw)
        if self.synonyms:
            text = lookup((), self.synonyms, self.normal).get(text, text)
        return self.load(text)

    def render(self, value: Value, *, locale: str = "en") -> str:
        return str(value)

    def json_schema(self) -> dict[str, object]:
        pattern = {} if self.pattern is None else {"pattern": self.pattern}
        return {"type": "string", **pattern, "maxLength": self.max_length}

    def dump(self, value: Value) -> Dumped:
        return str(value)

    def load(self, data: object) -> str:
        if not isinstance(data, str) or self.fault(data):
            raise refuse(self.allowed())
        return data

    def cardinality(self) -> int | None:
        return None

    def allowed(self) -> str:
        """Return the end of the sentence "must be …"."""
        bounds = f"one line of 1 to {self.max_length} characters"
        return bounds if self.pattern is None else f"{bounds} that matches {self.pattern}"

    def fault(self, text: str) -> bool:
        """Say whether ``text`` is outside this type."""
        if not 1 <= len(text) <= self.max_length or not storable(text) or text.isspace():
            return True
        # Control characters, line breaks among them, would let `$` match before the end of the text.
        if any(unicodedata.category(character) in _UNPRINTABLE for character in text):
            return True
        return self.pattern is not None and not _holds(self.pattern, text)


def _holds(pattern: str, text: str) -> bool:
    """Say whether ``text`` holds a match; one that cannot be found in reasonable time is none.

    A pattern like ``^(a+)+$`` takes a time that doubles with each character of a text that almost matches.
    """
    try:
        return regex.search(pattern, text, timeout=LONGEST_MATCH_S) is not None
    except TimeoutError:
        return False


def _pattern(value: object, place: str) -> str:
    pattern = a_text(value, place)
    if _unrolled(pattern) > MOST_UNROLLED:
        raise wrong(place, f"is longer than {MOST_UNROLLED} characters once its repeats are written out.")
    try:
        compiled = re.compile(pattern)
        regex.compile(pattern)
    except (re.error, regex.error, RecursionError, OverflowError):
        raise wrong(place, "is not a regular expression that can be compiled.") from None
    if compiled.flags != re.UNICODE:
        raise wrong(place, "must not set flags such as (?i) or (?m); declare normalise: [case] instead.")
    return pattern


def _unrolled(pattern: str) -> int:
    """Return about how many signs a pattern has with each ``x{n}`` written out as n times ``x``."""
    open_groups, last = [0], 0
    for sign in _SIGNS.finditer(pattern):
        if sign.group() == "(":
            open_groups.append(0)
            continue
        if sign.group() == ")" and len(open_groups) > 1:
            last = open_groups.pop()
        elif sign["times"]:
            # What is repeated stands there once already.
            open_groups[-1] -= last
            last *= max(1, int(sign["times"][:12]))
        else:
            last = 1
        open_groups[-1] += last
    return sum(open_groups)
