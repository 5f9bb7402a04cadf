"""The original: owners, conversations, messages, notes and their history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from seihon.model.records import Record
from seihon.model.words import NoteState, Role, Source, Trust


@dataclass(frozen=True, slots=True)
class Owner(Record):
    """An end user of the application, by counters."""

    id: str
    revision: int
    epoch: int
    turn: int
    deleted: bool


@dataclass(frozen=True, slots=True)
class Conversation(Record):
    """A conversation; ``retention`` limits the age of its messages at every read."""

    id: str
    messages: int
    version: int
    created_at: datetime
    retention: timedelta | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Message(Record):
    """One message. ``seq`` counts from 1 in its conversation; ``at`` is ``observed_at`` clamped to the
    time of its commit and to the order of its conversation: what later statements are compared by."""

    id: str
    conversation: str
    seq: int
    role: Role
    content: str
    observed_at: datetime
    at: datetime
    turn: int
    version: int
    trust: Trust
    revision: int
    expires_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Note(Record):
    """A free-form memory, for what a model reads and no code branches on."""

    id: str
    text: str
    scope: str
    state: NoteState
    source: Source
    observed_at: datetime
    version: int
    revision: int
    expires_at: datetime | None = None
    expires_turn: int | None = None
    superseded_by: str | None = None
    sources: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Change(Record):
    """One event of an owner's history, by ids."""

    revision: int
    ordinal: int
    at: datetime
    turn: int
    kind: str
    key: str
    actor: str
    reason: str


@dataclass(frozen=True, slots=True)
class BadLine(Record):
    """A line of an import that was not stored, or needs a second look among the ``warnings`` of a report.

    Its number from 1, a code and a sentence without its text.
    """

    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ImportReport(Record):
    """What an import did: ``added`` new, ``present`` already there, ``deleted`` refused by a tombstone.

    ``bad`` lines were not stored. Of the lines in ``warnings`` nothing was lost.
    """

    added: int
    present: int
    deleted: int
    bad: tuple[BadLine, ...] = ()
    warnings: tuple[BadLine, ...] = ()
