"""``import`` and ``export``."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Annotated, Any, Final, cast

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli import output
from seihon.entry.cli.files import new_file
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command, exit_with
from seihon.errors import BadFormat
from seihon.model import BadLine, ImportReport

SHOWN_LINES: Final = 10


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "import")(import_file)
    command(app, "export")(export)


def import_file(
    session: Session,
    owner: take.Owner,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Chat messages as JSONL or JSON, or an export; - reads stdin."),
    ],
    conversation: Annotated[
        str, typer.Option(metavar="ID", help="For messages that name none.")
    ] = "imported",
) -> None:
    """Import a transcript or an export.

    Importing twice adds nothing. A bad line is reported by number; the others are stored, and the exit code
    is 2.
    """
    with _lines_of(file) as (lines, total), session.memory(writes=True) as memory:
        first, everything = _peeked(lines)
        _refuse_headless(first)
        with session.progress("Importing", total=total) as advance:
            if _begins_export(first):
                report = memory.import_export(everything, owner=owner, progress=advance)
            else:
                report = memory.import_transcript(
                    owner, everything, conversation=conversation, progress=advance
                )
    session.answer(report, lambda screen: _show_report(screen, report))
    if report.bad:
        raise exit_with(BadFormat)


def export(
    session: Session,
    owner: take.Owner,
    kind: Annotated[
        str, typer.Option(help="person: what is readable; migration: everything but deleted text.")
    ] = "person",
    to: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write JSON lines to a new file.")
    ] = None,
) -> None:
    """Export an owner as JSON lines.

    With --json and without --output, as one JSON array.
    """
    with session.memory() as memory:
        if to is not None:
            # The file first: an export that has begun holds a snapshot until it is read to its end.
            with new_file(to) as file:
                count = _write(file, memory.export(owner, kind=kind))
            answer = {"file": to, "kind": kind, "lines": count}
            session.answer(answer, lambda screen: screen.line(f"{count} lines were written."))
        elif session.asked.json:
            output.write_array(memory.export(owner, kind=kind))
        else:
            for line in memory.export(owner, kind=kind):
                output.write_line(line.rstrip("\n"))


def _write(file: IO[str], lines: Iterator[str]) -> int:
    count = 0
    for line in lines:
        file.write(line.rstrip("\n") + "\n")
        count += 1
    return count


@contextmanager
def _lines_of(path: str) -> Generator[tuple[Iterator[bytes], int | None]]:
    """Open a file, or stdin for ``-``, as lines with their number where it can be known beforehand."""
    if path == "-":
        yield iter(sys.stdin.buffer), None
        return
    with take.opened(path) as file:
        total = sum(1 for _ in file)
        file.seek(0)
        yield iter(file), total


def _peeked(lines: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first line that is not blank, and all lines."""
    seen: list[bytes] = []
    for line in lines:
        seen.append(line)
        if line.strip():
            break
    return (seen[-1] if seen else b""), itertools.chain(seen, lines)


def _begins_export(first: bytes) -> bool:
    """Tell an export by its first line, which says so."""
    head = _object_of(first)
    return "seihon" in head and "kind" in head


def _refuse_headless(first: bytes) -> None:
    """Refuse an export that lost its first line: no line of it would be a message."""
    head = _object_of(first)
    if set(head) == {"record", "data"}:
        raise BadFormat(
            "The file looks like an export without its first line; take it again with `seihon export`."
        )


def _object_of(line: bytes) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


_NO_MESSAGE = (
    "No line of it is a message. `seihon import` takes chat messages, one JSON object a line with `role` and "
    "`content`, or a file of `seihon export`. A profile schema goes to `seihon schema register`, a claim to "
    "`seihon observe`, a value to `seihon set`."
)


def _show_report(screen: Screen, report: ImportReport) -> None:
    screen.line(
        f"{report.added} added, {report.present} there already, {report.deleted} kept out because they were "
        f"deleted here, {len(report.bad)} bad."
    )
    _show_lines(screen, report.bad, "line")
    _show_lines(screen, report.warnings, "look again at line")
    if report.bad and not (report.added or report.present or report.deleted):
        screen.line(_NO_MESSAGE)


def _show_lines(screen: Screen, lines: Sequence[BadLine], what: str) -> None:
    for one in lines[:SHOWN_LINES]:
        screen.line(f"  {what} {one.line}: {one.message} ({one.code})", wrap=False)
    if len(lines) > SHOWN_LINES:
        screen.line(f"  and {len(lines) - SHOWN_LINES:,} more; --json lists all")
