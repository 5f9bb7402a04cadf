"""What is typed on the command line, read into what the verbs take."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import typer

from seihon.errors import BadFormat, InvalidArgument, InvalidText, NotFound
from seihon.model import KEEP, Unset

_TIME: Final = (
    "a time with its zone, such as 2026-03-01T09:00:00Z, or a date, such as 2026-03-01, for midnight in UTC"
)
_DURATION: Final = re.compile(r"(\d{1,6})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

Owner = Annotated[str, typer.Argument(metavar="OWNER", help="Id of the person, within the tenant.")]
Field = Annotated[str, typer.Argument(metavar="FIELD", help="Name of a profile field.")]
Text = Annotated[
    str,
    typer.Argument(
        metavar="TEXT", help="The text, or - to read it from stdin. Before one that begins with -, type --."
    ),
]
Scope = Annotated[str, typer.Option(metavar="SCOPE", help="Where it applies, such as research/legal.")]
Limit = Annotated[int, typer.Option(help="Most entries to list, up to 1000.")]
Cursor = Annotated[str | None, typer.Option(metavar="NEXT", help="The `next` of the page before.")]
Expect = Annotated[
    int | None, typer.Option(metavar="VERSION", help="Refuse unless it is still this version.")
]
Actor = Annotated[str, typer.Option(help="Who acts, for the history.")]
Reason = Annotated[str, typer.Option(help="Why, for the receipt.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Key = Annotated[
    str | None,
    typer.Option("--idempotency-key", metavar="KEY", help="A repeated call with it changes nothing more."),
]
Metadata = Annotated[str | None, typer.Option(metavar="JSON", help="A JSON object kept with it.")]


def text(given: str) -> str:
    """Return a text argument; ``-`` reads stdin, without one line end at its end.

    Raises:
        InvalidText: stdin is not UTF-8.
    """
    if given != "-":
        return given
    return utf8(sys.stdin.buffer.read(), "Standard input").removesuffix("\n").removesuffix("\r")


def utf8(raw: bytes, what: str) -> str:
    """Return text read from outside.

    Raises:
        InvalidText: it is not UTF-8; names the byte, counted from 0.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidText(f"{what} must be UTF-8; byte {error.start} is not.", position=error.start) from None


def file_text(path: str) -> str:
    """Return the text of a file; ``-`` reads stdin.

    Raises:
        NotFound: there is no such file. InvalidArgument: it cannot be read. InvalidText: it is not UTF-8.
    """
    return utf8(read_bytes(path), "Standard input" if path == "-" else "The file")


def read_bytes(path: str) -> bytes:
    """Return a file's bytes; ``-`` reads stdin."""
    if path == "-":
        return sys.stdin.buffer.read()
    with opened(path) as file:
        return file.read()


@contextmanager
def opened(path: str) -> Generator[BinaryIO]:
    """Open a file to be read.

    Raises:
        NotFound: there is none. InvalidArgument: it cannot be read.
    """
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below; only its opening is guarded here
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}; give a path, or - for stdin.", kind="file") from None
    except (OSError, ValueError):
        raise InvalidArgument(
            f"The file {path} cannot be read; give a readable file, or - for stdin."
        ) from None
    with file:
        yield file


def moment(given: str | None, name: str) -> datetime | None:
    """Return an aware instant.

    Raises:
        InvalidArgument: neither a time with a zone nor a date.
    """
    if given is None:
        return None
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise InvalidArgument(f"{name} must be {_TIME}.", name=name) from None
    if found.tzinfo is None and re.fullmatch(r"\d{4}-?\d\d-?\d\d", given):
        found = found.replace(tzinfo=UTC)
    if found.tzinfo is None:
        raise InvalidArgument(f"{name} must be {_TIME}.", name=name)
    return found


def moment_or_none(given: str | None, name: str) -> datetime | Unset | None:
    """Return an instant, ``None`` for the word ``none``, or ``KEEP`` where nothing was given."""
    if given is None:
        return KEEP
    return None if given == "none" else moment(given, name)


def moment_or_revision(given: str | None, name: str) -> datetime | int | None:
    """Return a revision where digits were given, else an instant."""
    return int(given) if given is not None and re.fullmatch(r"\d{1,18}", given) else moment(given, name)


def duration(given: str, name: str) -> timedelta | None:
    """Return a duration such as ``90d`` or ``12h``, or ``None`` for the word ``none``.

    Raises:
        InvalidArgument: neither.
    """
    if given == "none":
        return None
    found = _DURATION.fullmatch(given)
    length = timedelta() if found is None else timedelta(**{_UNITS[found[2]]: int(found[1])})
    if not length:
        raise InvalidArgument(f"{name} must be a duration such as 90d, 12h or 30m, or none.", name=name)
    return length


def shown_duration(length: timedelta | None) -> str:
    """Return a duration as it is typed, in the largest unit up to days that measures it; empty for none."""
    if length is None:
        return ""
    seconds = int(length.total_seconds())
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def json_object(given: str | None, name: str) -> Mapping[str, Any] | None:
    """Return the JSON object of an option.

    Raises:
        BadFormat: not a JSON object.
    """
    if given is None:
        return None
    try:
        found = json.loads(given)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadFormat(f'{name} must be a JSON object, such as {{"key": "value"}}.', name=name)
    return found  # pyright: ignore[reportUnknownVariableType]  # a JSON object has text keys


def value(given: str) -> object:
    """Return a field's value as typed; a JSON array becomes a list.

    Raises:
        BadFormat: it begins like a JSON array and is none.
    """
    if not given.startswith("["):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise BadFormat('A list of values must be a JSON array, such as ["ja", "en"].') from None
