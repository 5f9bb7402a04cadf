"""The lines of an export: a header, one record a line, and an end that tells a whole file from a cut one.

``{"seihon": 1, "kind": …, "owner": …, …}`` comes first, then ``{"record": "message", "data": {…}}`` and so
on, and ``{"record": "end", "data": {"records": n}}`` last. What comes back in is checked like anything from
outside: types, lengths, bounds and the rules of each table, so that no line can spoil those beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, cast

from seihon import errors
from seihon.canonical.archive import Form, Part, Shape
from seihon.canonical.codec import to_json
from seihon.memory import door, transcripts
from seihon.model import BadLine, us

FORMAT: Final = 1
END: Final = "end"
# Numbers that JSON readers everywhere hold exactly, and far from the end of a database's own.
MOST: Final = door.MAX_WHOLE
MAX_WORD: Final = 2 * door.MAX_ID + 1
MAX_WORD_BYTES: Final = 700
"""Two words of a record and its owner meet in one key; the longest is a field with its scope."""

MAX_JSON: Final = 1_000_000


class ExportKind(StrEnum):
    """``person``: what the person can read and take elsewhere. ``migration``: every row, to be moved."""

    PERSON = "person"
    MIGRATION = "migration"


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of an export. ``exported_at`` in microseconds; ``key_id`` names the secret in use."""

    kind: ExportKind
    owner: str
    tenant: str
    exported_at: int
    revision: int
    epoch: int
    key_id: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a file, with its line's number."""

    number: int
    record: str
    data: Mapping[str, Any]


def written(record: str, data: Mapping[str, Any]) -> str:
    """Return one line of an export, without its line feed."""
    return line({"record": record, "data": data})


def line(value: Mapping[str, Any]) -> str:
    """Return one line of JSON, its keys in the order in which they are read best."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_header(raw: transcripts.Raw | BadLine | None) -> Header:
    """Return the header of an export.

    Raises:
        BadFormat: the line is none, or of a format that this version does not read.
    """
    if raw is None or isinstance(raw, BadLine):
        raise errors.BadFormat(_NO_HEADER)
    found = transcripts.parse(raw)
    if found.get("seihon") != FORMAT or isinstance(found.get("seihon"), bool):
        raise errors.BadFormat(_NO_HEADER)
    try:
        return _header(found)
    except errors.SeihonError as error:
        raise errors.BadFormat(f"The header of the export does not hold: {error.message}") from None


_NO_HEADER = f'An export begins with its header, {{"seihon": {FORMAT}, "kind": "person" or "migration", …}}.'


def _header(found: Mapping[str, Any]) -> Header:
    exported_at = transcripts.moment(found.get("exported_at"), "exported_at")
    if exported_at is None:
        raise errors.BadFormat("`exported_at` is missing.")
    return Header(
        kind=door.choice(found.get("kind"), "kind", ExportKind),
        owner=door.identifier(found.get("owner"), "owner"),
        tenant=door.tenant(found.get("tenant")),
        exported_at=exported_at,
        revision=door.whole(found.get("revision"), "revision", most=MOST),
        epoch=door.whole(found.get("epoch"), "epoch", most=MOST),
        key_id=door.text(found.get("key_id"), "key_id", limit=MAX_WORD),
    )


def read_entries(lines: Iterable[tuple[int, transcripts.Raw | BadLine]]) -> Iterator[Entry | BadLine]:
    """Yield the records after the header; the last one is the end, or the file was cut off.

    Raises:
        BadFormat: the end is missing, or counts other records than there are.
    """
    number = 1
    for count, (number, raw) in enumerate(lines):
        found = raw if isinstance(raw, BadLine) else _entry(number, raw)
        if isinstance(found, Entry) and found.record == END:
            if found.data.get("records") != count:
                raise errors.BadFormat(_CUT, line=number)
            return
        yield found
    raise errors.BadFormat(_CUT, line=number + 1)


_CUT = "The file does not end as an export does: it was cut off or changed; take the export again."


def _entry(number: int, raw: transcripts.Raw) -> Entry | BadLine:
    try:
        found = transcripts.parse(raw)
        record, data = found.get("record"), found.get("data")
        if not isinstance(record, str) or not isinstance(data, Mapping):
            raise errors.BadFormat('A line of an export is {"record": a kind, "data": an object}.')
        return Entry(number, record, cast("Mapping[str, Any]", data))
    except errors.SeihonError as error:
        return BadLine(number, error.code, error.message)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What no number of a file may pass: the revision of its owner, and an instant (us) that is not yet."""

    revision: int
    at: int


def checked(shape: Shape, data: Mapping[str, Any], bounds: Bounds) -> dict[str, Any]:
    """Return a record that every store can hold, its parts in the order of the shape.

    Raises:
        InvalidArgument: a part is missing, unknown, of another type or out of bounds, or the parts
            contradict each other.
    """
    names = {part.name for part in shape.parts}
    given = set(data)
    if given != names:
        missing = sorted(names - given)
        told = f"lacks {', '.join(missing)}" if missing else "holds parts that it does not have"
        raise errors.InvalidArgument(f"A {shape.record} of an export {told}.")
    row = {part.name: _part(part, data[part.name], bounds) for part in shape.parts}
    _RULES.get(shape.record, _no_rule)(row)
    return row


def _part(part: Part, value: object, bounds: Bounds) -> Any:
    if value is None:
        if part.nullable:
            return None
        raise errors.InvalidArgument(f"`{part.name}` must not be null.", name=part.name)
    match part.form:
        case Form.NUMBER:
            return _number(part.name, value, bounds)
        case Form.WORD:
            return _word(part, value)
        case Form.TEXT:
            return door.text(value, part.name, empty=True)
        case Form.REAL:
            return _real(part.name, value)
        case Form.JSON | Form.STRUCTURE:
            return _json(part.name, value)


# What a sender may put ahead of the clock: when something was said, or ends. All else has happened.
_AHEAD: Final = frozenset({"observed_at", "expires_at"})
_FIRST: Final = us(datetime.min.replace(tzinfo=UTC))
_LAST: Final = us(datetime.max.replace(tzinfo=UTC))


def _number(name: str, value: object, bounds: Bounds) -> int:
    if name == "at" or name.endswith("_at"):
        return door.whole(value, name, least=_FIRST, most=_LAST if name in _AHEAD else bounds.at)
    return door.whole(value, name, most=bounds.revision if name.endswith("revision") else MOST)


def _word(part: Part, value: object) -> str:
    found = door.short(door.text(value, part.name, limit=MAX_WORD, empty=True), part.name, MAX_WORD_BYTES)
    if part.allowed and found not in part.allowed:
        raise errors.InvalidArgument(
            f"`{part.name}` must be one of: {', '.join(sorted(part.allowed))}.", name=part.name
        )
    return found


def _real(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise errors.InvalidArgument(f"`{name}` must be a number.", name=name)
    return float(value)


def _json(name: str, value: object) -> Any:
    _walk(name, value)
    if len(to_json(value)) > MAX_JSON:
        raise errors.InvalidArgument(f"`{name}` is longer than {MAX_JSON} characters as JSON.", name=name)
    return value


def _walk(name: str, value: object) -> None:
    """Refuse what one of the databases, or JSON, cannot hold."""
    if isinstance(value, str):
        door.text(value, name, empty=True)
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            _walk(name, key)
            _walk(name, item)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            _walk(name, item)
    elif isinstance(value, float):
        _real(name, value)


def _require(name: str, holds: object) -> None:
    if not holds:
        raise errors.InvalidArgument(f"`{name}` contradicts the other parts of the record.", name=name)


def _no_rule(_row: Mapping[str, Any]) -> None:
    pass


def _message(row: Mapping[str, Any]) -> None:
    _require("content", row["deleted_revision"] is None or (row["content"] == "" and row["metadata"] is None))
    _require("metadata", row["metadata"] is None or isinstance(row["metadata"], Mapping))
    for name in ("id", "conversation"):
        door.identifier(row[name], name)
    _require("seq", row["seq"] >= 1)


def _conversation(row: Mapping[str, Any]) -> None:
    _require("metadata", row["metadata"] is None or isinstance(row["metadata"], Mapping))
    door.identifier(row["id"], "id")


def _note(row: Mapping[str, Any]) -> None:
    _require("text", row["deleted_revision"] is None or (row["text"] == "" and row["metadata"] is None))
    _require("superseded_by", (row["superseded_by"] is None) == (row["state"] != "superseded"))
    _require("metadata", row["metadata"] is None or isinstance(row["metadata"], Mapping))
    door.identifier(row["id"], "id")


def _claim(row: Mapping[str, Any]) -> None:
    _require("message", (row["source"] == "message") == (row["message"] is not None))
    _require("value", _is_value(row["value"]))
    door.identifier(row["id"], "id")


def _claim_source(row: Mapping[str, Any]) -> None:
    _require("quote_start", (row["quote_start"] is None) == (row["quote_end"] is None))


def _field_value(row: Mapping[str, Any]) -> None:
    _require("claim", (row["status"] == "current") == (row["claim"] is not None))
    _require("value", _is_value(row["value"]))
    _require("superseded_by", row["superseded_by"] is None or row["closed_revision"] is not None)
    floor = [row["floor_at"] is None, row["floor_seq"] is None, row["floor_version"] is None]
    _require("floor_at", len(set(floor)) == 1)


def _is_value(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in cast("list[object]", value))
    return value is None or isinstance(value, (str, int, float))


_RULES: Final[Mapping[str, Callable[[Mapping[str, Any]], None]]] = {
    "message": _message,
    "conversation": _conversation,
    "note": _note,
    "claim": _claim,
    "claim_source": _claim_source,
    "field_value": _field_value,
}
