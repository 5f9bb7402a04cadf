"""A guard for tests: no statement reaches an owner's tables without saying whose rows it means.

Wherever a statement names such a table, that mention must be tied to an owner: by ``owner = <parameter>``, or
by equality with the owner of a mention that is tied. The guard reads the text that goes to the driver, so it
also sees what was not built by SQLAlchemy. It costs about 0.5 ms for each new statement: tests only.

    with StatementGuard(allowed=[DUE]):
        ...                                # UnguardedError is raised by the statement that forgot its filter
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import lru_cache
from types import TracebackType
from typing import Any, Final, Self

from sqlalchemy import Engine, Executable, event

from seihon.canonical import tables as t

_KEYS: Final = {
    **{table.name: "owner" for table in t.OWNED},
    **{table.name: "tenant" for table in t.OF_TENANT},
}
_LITERAL: Final = re.compile(r"'(?:[^']|'')*'")
_NOISE: Final = re.compile(r'"|--[^\n]*|/\*.*?\*/', re.DOTALL)
_TABLE: Final = "|".join(sorted(_KEYS, key=len, reverse=True))
_WORDS_AFTER: Final = (
    r"(?!(?:where|join|on|set|as|left|inner|cross|full|order|group|limit|union|values|using|for|returning|having"
    r"|default|select|natural|right|offset|window|except|intersect|indexed|not)\b)"
)
_MENTION: Final = re.compile(
    rf"(?:\b(?P<verb>from|join|update|into)\s+(?:only\s+)?|,\s*)(?P<table>{_TABLE})\b(?!\s*\.|\s*\()"
    rf"(?:\s+as\s+(?P<alias>\w+)|\s+{_WORDS_AFTER}(?P<bare>\w+)\b(?=\s*(?:where|on|set|join|,|\)|$)))?",
    re.IGNORECASE,
)
_INSERT: Final = re.compile(
    rf"\binsert\s+(?:or\s+\w+\s+)?into\s+(?P<table>{_TABLE})\b(?:\s+as\s+\w+)?\s*\((?P<columns>[^)]*)\)",
    re.IGNORECASE,
)
_PARAMETER: Final = r"(?:\?\d*|%\(\w+\)s|%s|\$\d+|:\w+)"
_SIDE: Final = r"(?:(?P<{0}>\w+)\.)?(?:owner|tenant)\b"
_TIED: Final = re.compile(
    rf"{_SIDE.format('left')}\s*=\s*(?:{_PARAMETER}|(?P<other>\w+)\.(?:owner|tenant)\b)"
    rf"|{_PARAMETER}(?:::\w+)?\s*=\s*{_SIDE.format('right')}",
    re.IGNORECASE,
)


class UnguardedError(AssertionError):
    """A statement on an owner's table that is not tied to an owner; the message names the tables."""


class StatementGuard:
    """Watches every engine of the process while it is entered; ``allowed`` may cross owners."""

    def __init__(self, *, allowed: Iterable[Executable] = ()) -> None:
        self._allowed = {id(statement) for statement in allowed}
        self._away = False

    def __enter__(self) -> Self:
        event.listen(Engine, "before_cursor_execute", self._look)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        event.remove(Engine, "before_cursor_execute", self._look)

    @contextmanager
    def lifted(self) -> Generator[None]:
        """Look away, for statements that test the walls beneath."""
        self._away, before = True, self._away
        try:
            yield
        finally:
            self._away = before

    def _look(
        self, _connection: Any, _cursor: Any, statement: str, _values: Any, context: Any, _many: bool
    ) -> None:
        if self._away or id(getattr(context, "invoked_statement", None)) in self._allowed:
            return
        forgotten = untied(statement)
        if forgotten:
            raise UnguardedError(f"Not tied to an owner: {', '.join(forgotten)} in\n{statement}")


@lru_cache(maxsize=4096)
def untied(statement: str) -> tuple[str, ...]:
    """Return the owner's tables (and tenant's) that ``statement`` mentions without tying them to one."""
    # A literal stands for nothing but itself: one inside quotes must not look like a filter.
    text = _NOISE.sub(" ", _LITERAL.sub("''", statement)).replace('"', "")
    if re.match(
        r"\s*(?:create|alter|drop|pragma|set|explain|analyze|vacuum|grant|revoke)\b", text, re.IGNORECASE
    ):
        return ()
    mentions = _mentions(text)
    counts = Counter(name for _, name in mentions)
    tied = _tied(text, mentions)
    forgotten = sorted(name for name, count in counts.items() if tied[name] < count)
    return (*forgotten, *_keyless_inserts(text))


def _mentions(text: str) -> list[tuple[int, str]]:
    """Return each place that reads or changes rows of such a table, with the name it goes by there."""
    found = (match for match in _MENTION.finditer(text) if (match["verb"] or "").lower() != "into")
    return [(match.start(), (match["alias"] or match["bare"] or match["table"]).lower()) for match in found]


def _tied(text: str, mentions: list[tuple[int, str]]) -> Counter[str]:
    """Count, per name, the equalities that tie it: to a parameter, or to a mention tied already."""
    tied: Counter[str] = Counter()
    between: list[tuple[str, str]] = []
    for match in _TIED.finditer(text):
        name = (match["left"] or match["right"] or "").lower()
        if match["other"]:
            between.append((name, match["other"].lower()))
        else:
            tied[name or _nearest(mentions, match.start())] += 1
    _spread(tied, between)
    return tied


def _nearest(mentions: list[tuple[int, str]], place: int) -> str:
    """Return whom a bare ``owner`` belongs to: the last mention before it."""
    return next((name for start, name in reversed(mentions) if start < place), "")


def _spread(tied: Counter[str], between: list[tuple[str, str]]) -> None:
    waiting = list(between)
    while waiting:
        ready = [(one, other) for one, other in waiting if bool(tied[one]) != bool(tied[other])]
        if not ready:
            return
        for one, other in ready:
            tied[other if tied[one] else one] += 1
        waiting = [pair for pair in waiting if pair not in ready]


def _keyless_inserts(text: str) -> list[str]:
    return [
        match["table"].lower()
        for match in _INSERT.finditer(text)
        if _KEYS[match["table"].lower()] not in re.split(r"[\s,]+", match["columns"].lower())
    ]
