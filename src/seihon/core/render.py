"""The final forms of a context, and the small texts in it: source lines and profile lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from typing import Protocol

from seihon.core.fence import Fence
from seihon.core.pieces import Kind, Piece, Render

# The overhead of the chat form as OpenAI documents it ("How to count tokens with tiktoken", OpenAI Cookbook):
# 3 tokens a message beside its role and content, and 3 that prime the reply.
PER_MESSAGE = 3
REPLY_PRIMING = 3
CHAT_ROLES = frozenset({"user", "assistant"})

_EPOCH = date(1970, 1, 1)
_A_DAY = 86_400_000_000  # microseconds
_PROFILE_HEADING = "profile"
_RECENT_HEADING = "this conversation, oldest first"

Count = Callable[[str], int]


def day(at: int) -> str:
    """Return the UTC date of an instant in microseconds since the epoch, as 2026-03-01."""
    return _date(at // _A_DAY)


@lru_cache(maxsize=4_096)
def _date(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).isoformat()


def source_line(noun: str, record: str, *, version: int, trust: str, at: int) -> str:
    """Return what a heading says of its record: ``message m_12 v1, user, 2026-03-01``.

    ``trust`` is whose words they are: ``user``, ``assistant``, ``tool``, ``system record`` or ``import``.
    """
    return f"{noun} {record} v{version}, {trust}, {day(at)}"


def profile_line(
    field: str,
    value: str | None,
    *,
    standing: str,
    at: int,
    source: str,
    stale: bool = False,
    scope: str = "default",
) -> str | None:
    """Return ``billing_plan: pro (confirmed 2026-03-01, message m_12)``; None for a blank field.

    ``standing`` is ``confirmed`` or ``inferred``; a stale value says so; a scope other than ``default`` is
    named. A value that could be mistaken for something else (brackets, quotes, line feeds) is quoted.
    """
    if value is None:
        return None
    where = "" if scope == "default" else f" [{scope}]"
    facts = [f"{standing} {day(at)}", *(["stale"] if stale else []), source]
    return f"{field}{where}: {_shown(value)} ({', '.join(facts)})"


def _shown(value: str) -> str:
    plain = value.strip() == value != "" and value.isprintable() and not set(value) & set('()[]"')
    return value if plain else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece that has its place: its text as shown, what it costs, and its rank among the given pieces."""

    piece: Piece
    body: str
    tokens: int
    cut: bool
    given: int


@dataclass(frozen=True, slots=True)
class Built:
    """A final form and its count."""

    text: str
    messages: tuple[dict[str, str], ...]
    tokens: int


class Form(Protocol):
    """One final form: what a piece costs in it, what pieces share, and the whole."""

    def shared(self, piece: Piece) -> tuple[str, ...]:
        """Name the parts of the frame that this piece needs; each is paid once."""
        ...

    def shared_cost(self, part: str) -> int:
        """Return the tokens of one part of the frame."""
        ...

    def cost(self, piece: Piece, body: str) -> int:
        """Return the tokens of a piece shown as ``body``, its heading included."""
        ...

    def build(self, placed: Sequence[Placed]) -> Built:
        """Return the whole and its exact count."""
        ...


def form(render: Render, fence: Fence, count: Count) -> Form:
    """Return the form that ``render`` names."""
    return MessagesForm(fence, count) if render == Render.MESSAGES else TextForm(fence, count)


def in_order(placed: Sequence[Placed]) -> list[Placed]:
    """Sort as a reader meets them: profile, summaries, what was retrieved by age, the recent messages."""
    return sorted(placed, key=_reading_order)


def _reading_order(one: Placed) -> tuple[int, int, int]:
    match one.piece.kind:
        case Kind.PROFILE:
            return 0, 0, one.given
        case Kind.SUMMARY:
            return 1, 0, one.given
        case Kind.RECENT:
            return 3, 0, one.given
        case _:
            return 2, one.piece.observed_at, one.given


def _record(fence: Fence, piece: Piece, body: str) -> str:
    """One fenced record. It ends with a line feed, so that the counts of records add up."""
    heading = "" if piece.kind == Kind.PROFILE else fence.heading(piece.source)
    return f"{heading}{body}\n"


def _recalled(fence: Fence, placed: Sequence[Placed]) -> Iterator[str]:
    """Records one after another, the profile lines under a heading of their own."""
    if placed and placed[0].piece.kind == Kind.PROFILE:
        yield fence.heading(_PROFILE_HEADING)
    for one in placed:
        yield _record(fence, one.piece, one.body)


@dataclass(frozen=True, slots=True)
class TextForm:
    """One string: a preamble, fenced records, one closing line."""

    fence: Fence
    count: Count

    def shared(self, piece: Piece) -> tuple[str, ...]:
        """Every piece needs the frame; the profile and the recent messages have a heading."""
        return ("frame", piece.kind) if piece.kind in (Kind.PROFILE, Kind.RECENT) else ("frame",)

    def shared_cost(self, part: str) -> int:
        """Return the tokens of the frame or of a section's heading."""
        if part == "frame":
            return self.count(self.fence.preamble) + self.count(self.fence.end)
        return self.count(self.fence.heading(_PROFILE_HEADING if part == Kind.PROFILE else _RECENT_HEADING))

    def cost(self, piece: Piece, body: str) -> int:
        """Return the tokens of the record."""
        return self.count(_record(self.fence, piece, body))

    def build(self, placed: Sequence[Placed]) -> Built:
        """Return the string and its count."""
        if not placed:
            return Built("", (), 0)
        ordered = in_order(placed)
        recalled = [one for one in ordered if one.piece.kind != Kind.RECENT]
        recent = [one for one in ordered if one.piece.kind == Kind.RECENT]
        divider = [self.fence.heading(_RECENT_HEADING)] if recent else []
        parts = [self.fence.preamble, *_recalled(self.fence, recalled), *divider]
        parts += [*_recalled(self.fence, recent), self.fence.end]
        text = "".join(parts)
        return Built(text, (), self.count(text))


@dataclass(frozen=True, slots=True)
class MessagesForm:
    """Chat messages: what was recalled is one fenced user message; recent words keep their roles.

    Words of tools and of the system are fenced as quoted data inside a user message: no recalled text gets a
    role that a model obeys.
    """

    fence: Fence
    count: Count

    def shared(self, piece: Piece) -> tuple[str, ...]:
        """Every piece needs the priming of the reply; a fenced one the frame too."""
        if _keeps_role(piece):
            return ("priming",)
        return ("priming", "frame", piece.kind) if piece.kind == Kind.PROFILE else ("priming", "frame")

    def shared_cost(self, part: str) -> int:
        """Return the tokens of the priming, of the fenced message's frame or of the profile's heading."""
        if part == "priming":
            return REPLY_PRIMING
        if part == "frame":
            return self._message("user", self.fence.preamble + self.fence.end)
        return self.count(self.fence.heading(_PROFILE_HEADING))

    def cost(self, piece: Piece, body: str) -> int:
        """Return the tokens of the message, or of the record inside one."""
        if _keeps_role(piece):
            return self._message(piece.role, body)
        record = _record(self.fence, piece, body)
        if piece.kind == Kind.RECENT:
            return self._message("user", record + self.fence.end)
        return self.count(record)

    def build(self, placed: Sequence[Placed]) -> Built:
        """Return the messages and their count with the documented overhead."""
        messages: list[dict[str, str]] = []
        preamble = self.fence.preamble
        for fenced, run in groupby(in_order(placed), key=_group):
            if fenced == _OWN_ROLE:
                messages += [{"role": one.piece.role, "content": one.body} for one in run]
                continue
            content = "".join((preamble, *_recalled(self.fence, list(run)), self.fence.end))
            messages.append({"role": "user", "content": content})
            preamble = ""
        tokens = sum(self._message(one["role"], one["content"]) for one in messages)
        return Built("", tuple(messages), tokens + REPLY_PRIMING if messages else 0)

    def _message(self, role: str, content: str) -> int:
        return PER_MESSAGE + self.count(role) + self.count(content)


_OWN_ROLE = "own role"


def _keeps_role(piece: Piece) -> bool:
    return piece.kind == Kind.RECENT and piece.role in CHAT_ROLES


def _group(one: Placed) -> str:
    """Neighbours of one group share a message, except those that keep their role."""
    if _keeps_role(one.piece):
        return _OWN_ROLE
    return "recent" if one.piece.kind == Kind.RECENT else "recalled"
