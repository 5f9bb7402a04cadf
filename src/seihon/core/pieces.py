"""What goes into a context and what comes out of it: the nouns of assembly."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from seihon.core.marks import Mark


class Kind(StrEnum):
    """The sections of a context."""

    RECENT = "recent"
    PROFILE = "profile"
    SUMMARY = "summary"
    MESSAGE = "message"
    NOTE = "note"


class Render(StrEnum):
    """The final form: one string, or messages for a chat endpoint."""

    TEXT = "text"
    MESSAGES = "messages"


class Omitted(StrEnum):
    """Why a piece is not in the context."""

    BUDGET = "budget"
    ALREADY_RECENT = "already_recent"
    DUPLICATE = "duplicate"
    EMPTY = "empty"


# A context makes these by the hundred: a named tuple is made in a fifth of a frozen dataclass's time.
class Piece(NamedTuple):
    """Something that may go into a context.

    ``source`` is what the heading shows: what it is, by whom, of when (see `seihon.core.render.source_line`).
    ``reason`` says why it was found; it goes into the trace only. ``score`` (higher first) and
    ``observed_at`` (microseconds since the epoch) order messages and notes. ``focus`` is the place of
    ``text``, in code points, that a cut should keep in view. ``text`` of a profile piece is one line.
    ``covers`` are the messages that a summary was made from: one whose messages are all shown is left out.
    """

    kind: Kind
    id: str
    version: int
    reason: str
    text: str
    source: str = ""
    role: str = "user"
    score: float = 0.0
    observed_at: int = 0
    marks: tuple[Mark, ...] = ()
    focus: int = 0
    covers: tuple[str, ...] = ()


class Item(NamedTuple):
    """A piece that is in the context.

    ``tokens`` counts its text and heading, without the shared frame. ``cut`` and ``marked`` say that it was
    shortened, and that it holds quotes that were superseded or withdrawn.
    """

    id: str
    kind: Kind
    version: int
    reason: str
    tokens: int
    cut: bool
    marked: bool = False


class Omission(NamedTuple):
    """A piece that is not in the context, and why."""

    id: str
    kind: Kind
    reason: Omitted


@dataclass(frozen=True, slots=True)
class Assembly:
    """A context within its budget.

    ``text`` is the whole of it under ``Render.TEXT`` and empty under ``Render.MESSAGES``; ``messages`` the
    other way round, each with ``role`` (``user`` or ``assistant``, never ``system``) and ``content``.
    ``items`` stand in the order of the text. ``tokens`` is the count of the final form, frame included.
    Every piece that was given is in exactly one of ``items`` and ``omissions``.
    """

    text: str
    messages: tuple[dict[str, str], ...]
    items: tuple[Item, ...]
    omissions: tuple[Omission, ...]
    tokens: int
