"""The typed profile: claims, values with their state, and candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from seihon.errors import unknown_field
from seihon.model.records import Record
from seihon.model.words import ClaimState, Confidence, FieldStatus, Source

Value = str | int | float | bool | date | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quote(Record):
    """The place in a message that a claim was drawn from; ``text`` is ``None`` once it cannot be read."""

    message: str
    version: int
    text: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """One observation of a field, and what was decided about it."""

    id: str
    field: str
    scope: str
    value: Value | None
    confidence: Confidence
    source: Source
    state: ClaimState
    outcome: str
    reason: str
    observed_at: datetime
    recorded_at: datetime
    turn: int
    revision: int
    extractor: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldState(Record):
    """What is known of one field in one scope, and why.

    ``value`` is ``None`` unless ``status`` is ``current`` or ``stale``; ``last_known`` is what stood before
    a limit blanked it. ``version`` is what ``set(expect=…)`` compares. Ages are in turns and seconds.
    ``probability`` is that of a belief; ``None`` under other policies, and where the weights of a past value
    are gone.
    """

    field: str
    scope: str
    status: FieldStatus
    reason: str
    version: int = 0
    value: Value | None = None
    last_known: Value | None = None
    confidence: Confidence | None = None
    probability: float | None = None
    observed_at: datetime | None = None
    turn: int | None = None
    age_turns: int | None = None
    age_seconds: float | None = None
    claim: str | None = None
    source: Source | None = None
    quotes: tuple[Quote, ...] = ()


class Profile(Mapping[str, "Value | None"]):
    """An owner's typed values as code reads them: ``profile["billing_plan"]`` is a value or ``None``.

    ``states`` explains each field. Reading a value by key is counted, so that fields nobody reads are found.
    """

    __slots__ = ("_count", "revision", "scope", "states")

    def __init__(
        self,
        states: Mapping[str, FieldState],
        *,
        scope: str,
        revision: int,
        count: Callable[[str], None] | None = None,
    ) -> None:
        self.states = states
        self.scope = scope
        self.revision = revision
        self._count = count

    def state(self, name: str) -> FieldState:
        """Return what is known of one field, and why.

        Raises:
            UnknownField: the schema has no such field; it is a ``KeyError`` too.
        """
        found = self.states.get(name)
        if found is None:
            raise unknown_field(self.states)
        return found

    def __getitem__(self, name: str) -> Value | None:
        state = self.state(name)
        if self._count is not None:
            self._count(name)
        return state.value

    def __contains__(self, name: object) -> bool:
        # Asking whether a field is there is not reading it.
        return name in self.states

    def __iter__(self) -> Iterator[str]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"Profile(scope={self.scope!r}, revision={self.revision}, fields={len(self.states)})"

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"scope", "revision", "fields": {name: state}}`` in plain JSON values."""
        fields = {name: state.as_dict() for name, state in self.states.items()}
        return {"scope": self.scope, "revision": self.revision, "fields": fields}


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """A claim that waits for the person's word. ``base_version``: the field's version when it was raised."""

    id: str
    field: str
    scope: str
    value: Value | None
    reason: str
    confidence: Confidence
    observed_at: datetime
    base_version: int
    current: Value | None
    current_version: int
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldReads(Record):
    """How often code read a field; ``last`` is ``None`` for one that nobody ever read."""

    field: str
    reads: int
    last: datetime | None
