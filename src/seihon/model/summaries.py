"""Summaries of ranges of a conversation, and how good they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from seihon.model.answers import Superseded
from seihon.model.records import Record


class SummaryState(StrEnum):
    """How a range stands. Only a ``current`` summary has lines.

    ``retracted``: a message of the range was edited or deleted, or a quote in it was superseded; ``hidden``:
    one of its messages has expired. Either is made anew from what is left.
    """

    CURRENT = "current"
    RETRACTED = "retracted"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class SummaryLine(Record):
    """One line: its words, and the ids of the messages that it was drawn from.

    ``corrected``: a part of what it quotes was taken back later. ``heading``: who said it, and when.
    """

    text: str
    sources: tuple[str, ...]
    corrected: bool = False
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Summary(Record):
    """The summary of the messages ``first_seq`` to ``last_seq`` of a conversation.

    ``version`` counts the summaries of the range. ``sources`` names every message that it was made from, with
    the version. ``flagged``: how many lines of the model were dropped, since their sources do not support
    them. ``superseded``: what of the sources no longer holds since it was made.
    """

    id: str
    conversation: str
    first_seq: int
    last_seq: int
    version: int
    state: SummaryState
    text: str
    lines: tuple[SummaryLine, ...]
    sources: Mapping[str, int]
    model: str
    prompt_version: str
    made_at: datetime
    tokens: int
    flagged: int = 0
    expires_at: datetime | None = None
    superseded: tuple[Superseded, ...] = ()


@dataclass(frozen=True, slots=True)
class Summarised(Record):
    """What ``summarise`` did: how many ranges the conversation has, and how many were looked at.

    ``waiting``: ranges that are not made yet, since the worker makes them or the model failed; ``failed``
    holds the codes of those failures.
    """

    ranges: int
    waiting: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NeedKept(Record):
    """How many negations, corrections, numbers and so on the sources have, and how many of them the lines."""

    need: str
    kept: int
    total: int


@dataclass(frozen=True, slots=True)
class NeedMissing(Record):
    """Something of a source message that no line has, with the sentence that says it."""

    need: str
    message: str
    text: str
    sentence: str


@dataclass(frozen=True, slots=True)
class LineFlagged(Record):
    """A line, from 0, that says what its sources do not; ``text`` is the piece."""

    line: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SummaryReport(Record):
    """One summary against its sources. ``ratio`` is its tokens over theirs, 0 without any."""

    owner: str
    summary: str
    conversation: str
    first_seq: int
    last_seq: int
    tokens: int
    source_tokens: int
    ratio: float
    kept: tuple[NeedKept, ...]
    missing: tuple[NeedMissing, ...]
    flags: tuple[LineFlagged, ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class SummaryEvaluation(Record):
    """Every summary that can be read against its sources, and all of them together."""

    reports: tuple[SummaryReport, ...]
    tokens: int
    source_tokens: int
    ratio: float
    kept: tuple[NeedKept, ...]
    flagged: int
    dropped: int
