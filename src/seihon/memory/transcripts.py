"""Reading transcripts: lines in the chat-completions message form become drafts, or say why they cannot.

A line is a JSON object with ``role`` and ``content``, and optionally ``id``, ``created_at``, ``expires_at``,
``conversation``, ``name``, ``tool_call_id``, ``tool_calls`` and ``metadata``; other keys are left alone. A
file that is one JSON array of such objects is read as well; its items are then counted instead of lines.

- An instant is ISO 8601, or seconds since the epoch. One without a zone is taken as UTC, wherever it is read.
- ``content`` is text, or a list of parts: the text parts are joined by line breaks, of the others only the
  type is kept, in ``metadata["parts"]``.
- What was said without words still happened: a message that holds only tool calls or other parts is stored
  with a stand-in such as ``[tool call: search]``, the calls themselves in ``metadata["tool_calls"]``. A
  message with nothing at all is a bad line.
- ``developer`` is read as ``system`` and ``function`` as ``tool``: their present names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, Final, NoReturn, cast

from seihon import errors
from seihon.memory import door
from seihon.memory.drafts import Draft
from seihon.model import BadLine, Role, instant, us

Raw = str | bytes | Mapping[str, Any]
Lines = Iterable[Raw] | str | bytes

_RENAMED: Final[Mapping[object, str]] = {"developer": "system", "function": "tool"}
_TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})
_WORD: Final = re.compile(r"[\w.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that can be stored; ``draft.observed_at`` is ``None`` without ``created_at``."""

    number: int
    id: str | None
    draft: Draft


def read(lines: Lines, *, conversation: str) -> Iterator[Line | BadLine]:
    """Yield each line that is not blank, in order; ``conversation`` is that of lines which name none."""
    for number, raw in items(lines):
        yield raw if isinstance(raw, BadLine) else checked(number, raw, conversation)


def items(lines: Lines) -> Iterator[tuple[int, Raw | BadLine]]:
    """Yield each line with its number from 1, or each item of the one JSON array that the lines make up."""
    counted = enumerate(_split(lines), start=1)
    unmarked = ((number, _without_mark(raw) if number == 1 else raw) for number, raw in counted)
    numbered = ((number, raw) for number, raw in unmarked if not _is_blank(raw))
    first = next(numbered, None)
    if first is not None:
        everything = chain([first], numbered)
        yield from _array(everything) if _opens_array(first[1]) else everything


def parse(raw: object) -> Mapping[str, Any]:
    """Return the object of a line.

    Raises:
        BadFormat: it is not a JSON object in UTF-8.
    """
    found = _loads(raw) if isinstance(raw, (str, bytes)) else raw
    if not isinstance(found, Mapping):
        raise errors.BadFormat("The line must be a JSON object.")
    return cast("Mapping[str, Any]", found)


def moment(value: object, name: str) -> int | None:
    """Return an instant in microseconds, ``None`` for none; one without a zone is taken as UTC.

    Raises:
        InvalidArgument: neither ISO 8601 nor seconds since the epoch, or outside the years 1 to 9999.
    """
    if value is None:
        return None
    try:
        return us(_as_datetime(value))
    except (ValueError, OverflowError):
        raise errors.InvalidArgument(
            f"`{name}` must be an ISO 8601 date or seconds since the epoch.", name=name
        ) from None


def _as_datetime(value: object) -> datetime:
    if isinstance(value, datetime):
        found = value
    elif isinstance(value, str):
        found = datetime.fromisoformat(value.strip())
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        found = instant(0) + timedelta(seconds=value)
    else:
        raise ValueError  # noqa: TRY004 - the caller makes one sentence of every way to be no instant
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def checked(number: int, raw: Raw, conversation: str = "imported") -> Line | BadLine:
    """Return what a line says, or what is wrong with it."""
    try:
        return _line(number, parse(raw), conversation)
    except errors.SeihonError as error:
        return BadLine(number, error.code, error.message)
    except RecursionError:
        return BadLine(number, errors.BadFormat.code, "The line is nested too deeply.")


def _line(number: int, item: Mapping[str, Any], conversation: str) -> Line:
    role = item.get("role")
    words, kept = _content(item)
    named = {name: item[name] for name in ("name", "tool_call_id") if item.get(name) is not None}
    given = item.get("metadata")
    if given is not None and not isinstance(given, Mapping):
        raise errors.InvalidArgument("`metadata` must be an object.", name="metadata")
    draft = Draft(
        conversation=_identifier(item.get("conversation"), "conversation") or conversation,
        role=door.choice(_RENAMED.get(role, role) if isinstance(role, str) else None, "role", Role),
        content=door.text(words, "content"),
        metadata=door.metadata({**named, **kept, **(given or {})}),
        observed_at=moment(item.get("created_at"), "created_at"),
        expires_at=moment(item.get("expires_at"), "expires_at"),
    )
    return Line(number, _identifier(item.get("id"), "id"), draft)


def _identifier(value: object, name: str) -> str | None:
    """Return an id as text; exports of other systems number their messages."""
    if value is None:
        return None
    return door.identifier(str(value) if type(value) is int else value, name)


def _content(item: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the words of a message, and what else of it is kept."""
    content = item.get("content")
    kept: dict[str, Any] = {}
    if isinstance(content, list):
        content, others = _parts(cast("list[object]", content))
        if others:
            kept["parts"] = others
    calls = item.get("tool_calls") or ([item["function_call"]] if item.get("function_call") else None)
    if calls:
        kept["tool_calls"] = calls
    if not (content is None or isinstance(content, str)):
        raise errors.InvalidText("`content` must be text, null or a list of parts.", name="content")
    if content is None or not content.strip():
        return _stand_in(kept) or content or "", kept
    return content, kept


def _parts(parts: list[object]) -> tuple[str, list[str]]:
    """Return the joined text of a list of parts, and the types of the parts that are not text."""
    texts: list[str] = []
    others: list[str] = []
    for part in parts:
        found = (
            cast("Mapping[str, object]", part)
            if isinstance(part, Mapping)
            else {"type": "text", "text": part}
        )
        kind, words = found.get("type"), found.get("text")
        if kind not in _TEXT_PARTS:
            others.append(_word(kind) or "other")
        elif isinstance(words, str):
            texts.append(words)
        else:
            raise errors.InvalidText("The `text` of a text part must be text.", name="content")
    return "\n".join(texts), others


def _stand_in(kept: Mapping[str, Any]) -> str:
    calls = kept.get("tool_calls")
    if calls is not None:
        named = map(_called, cast("list[object]", calls)) if isinstance(calls, list) else ()
        names = ", ".join(filter(None, named))
        return f"[tool call: {names}]" if names else "[tool call]"
    return f"[{', '.join(dict.fromkeys(kept['parts']))}]" if "parts" in kept else ""


def _called(call: object) -> str:
    """Return the name of the function that a tool call names."""
    if not isinstance(call, Mapping):
        return ""
    found = cast("Mapping[str, object]", call)
    inner = found.get("function")
    named = cast("Mapping[str, object]", inner) if isinstance(inner, Mapping) else found
    return _word(named.get("name"))


def _word(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""


def _split(lines: Lines) -> Iterable[Raw]:
    # Only a line feed ends a line of JSON: other separators may stand inside its strings as they are.
    if isinstance(lines, str):
        return lines.split("\n")
    if isinstance(lines, bytes):
        return lines.split(b"\n")
    if isinstance(lines, Mapping) or not isinstance(lines, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - callers are untyped
        raise errors.InvalidArgument("`lines` must be text, or many lines, each text or an object.")
    return lines


def _is_blank(raw: object) -> bool:
    return isinstance(raw, (str, bytes)) and not raw.strip()


def _without_mark(raw: Raw) -> Raw:
    """Return a first line without the byte order mark that some editors write."""
    if isinstance(raw, str):
        return raw.removeprefix("\ufeff")
    return raw.removeprefix(b"\xef\xbb\xbf") if isinstance(raw, bytes) else raw


def _opens_array(raw: object) -> bool:
    if isinstance(raw, bytes):
        return raw.lstrip().startswith(b"[")
    return isinstance(raw, str) and raw.lstrip().startswith("[")


def _array(numbered: Iterable[tuple[int, Raw]]) -> Iterator[tuple[int, Raw | BadLine]]:
    """Yield the items of a file that is one JSON array."""
    first = 1
    pieces: list[str] = []
    try:
        for number, raw in numbered:
            first = first if pieces else number
            pieces.append(_decoded(raw).rstrip("\n"))
        found = _loads("\n".join(pieces))
    except errors.BadFormat:
        told = "The file begins like a JSON array and cannot be read as one; nothing of it was stored."
        yield first, BadLine(first, errors.BadFormat.code, told)
        return
    yield from enumerate(cast("list[Raw]", found), start=1)


def _decoded(raw: object) -> str:
    if not isinstance(raw, (str, bytes)):
        raise errors.BadFormat("The line must be text.")
    try:
        return raw if isinstance(raw, str) else raw.decode("utf-8")
    except UnicodeDecodeError:
        raise errors.BadFormat("The line must be text in UTF-8.") from None


def _loads(raw: str | bytes) -> object:
    try:
        return json.loads(_decoded(raw), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise errors.BadFormat("The line must be a JSON object.") from None


def _refuse(_name: str) -> NoReturn:
    # NaN and the infinities are not JSON, though Python's reader takes them by default.
    raise ValueError
