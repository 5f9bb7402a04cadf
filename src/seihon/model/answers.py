"""What a search and a context answer, and the record of a context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from seihon.model.records import Record
from seihon.model.words import HitKind, Role


@dataclass(frozen=True, slots=True)
class Superseded(Record):
    """A stretch of a text that is no longer true, and what stands instead (``None``: blank)."""

    start: int
    end: int
    field: str
    scope: str
    replacement: str | None


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """A search result, joined to the live original. ``id`` can be read, corrected and forgotten as it is.

    ``reason`` is ``found`` for one that holds words of the query, ``near`` for one that is near in meaning
    (with an embedder), ``beside`` for one that stands next to such a message in its conversation: a question
    is often answered in the turn before or after.
    """

    id: str
    kind: HitKind
    version: int
    score: float
    text: str
    snippet: str
    observed_at: datetime
    conversation: str | None = None
    role: Role | None = None
    reason: str = "found"
    superseded: tuple[Superseded, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextItem(Record):
    """One thing the model was given; ``marked``: words of it that no longer hold say so where they stand."""

    id: str
    kind: str
    version: int
    reason: str
    tokens: int
    cut: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class ContextOmission(Record):
    """One thing that was left out, and why."""

    id: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Context(Record):
    """What a model gets: rendered within the budget, each item explained; ``trace`` names its record."""

    trace: str
    text: str
    messages: tuple[Mapping[str, str], ...]
    tokens: int
    budget: int
    tokenizer: str
    revision: int
    epoch: int
    items: tuple[ContextItem, ...]
    omissions: tuple[ContextOmission, ...]


@dataclass(frozen=True, slots=True)
class Trace(Record):
    """The stored record of one context run: ids and versions, no text."""

    id: str
    at: datetime
    conversation: str | None
    purpose: str
    tokenizer: str
    budget: int
    tokens: int
    revision: int
    epoch: int
    items: tuple[ContextItem, ...]
    omissions: tuple[ContextOmission, ...]
