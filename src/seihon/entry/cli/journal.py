"""``deletions export`` and ``deletions apply``: what a restored backup has to be told."""

from __future__ import annotations

from typing import Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli import output
from seihon.entry.cli.files import new_file
from seihon.entry.cli.output import Screen
from seihon.entry.cli.receipts import Timeout, waited
from seihon.entry.cli.session import Session, command, exit_with
from seihon.errors import BadFormat
from seihon.model import Reapplied

File = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for stdin or stdout.")]
SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    journal = group(app, "deletions", "The journal of deletions, for restored backups.")
    command(journal, "export")(export)
    command(journal, "apply")(apply)


def export(
    session: Session,
    file: File,
    owner: Annotated[str | None, typer.Option(metavar="OWNER", help="Of one owner alone.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME|REVISION", help="After then; a revision needs --owner.")
    ] = None,
) -> None:
    """Write the deletions down, by ids.

    Keep the file outside the database and its backups, and renew it after deletions: a backup that is
    restored knows none that came after it.
    """
    begin = take.moment_or_revision(since, "--since")
    with session.memory() as memory:
        lines = memory.export_deletions(owner=owner, since=begin)
        if file == "-":
            for line in lines:
                output.write_line(line)
            return
        with new_file(file) as made:
            count = sum(made.write(line + "\n") > 0 for line in lines)
    answer = {"file": file, "lines": count}
    session.answer(answer, lambda screen: screen.line(f"{count} lines were written."))


def apply(
    session: Session,
    file: File,
    wait: Annotated[bool, typer.Option("--wait", help="Return when all are verified.")] = False,
    timeout: Timeout = 60.0,
) -> None:
    """Delete again what a restored database has.

    Run it before anybody uses the restored database. Running it twice changes nothing.
    """
    raw = take.read_bytes(file)
    with session.memory() as memory:
        with session.progress("Deleting again") as advance:
            found = memory.apply_deletions(raw, progress=advance)
        if wait:
            for owner, receipt in found.receipts:
                waited(session, memory, owner, memory.receipt(owner, receipt), timeout)
    session.answer(found, lambda screen: _show(screen, found))
    if found.bad:
        raise exit_with(BadFormat)


def _show(screen: Screen, found: Reapplied) -> None:
    screen.line(
        f"{found.applied} deletions carried out again, {found.present} were known here; "
        f"{found.owners} owners, {found.reopened} of them reopened."
    )
    if found.corrections:
        count = len(found.corrections)
        screen.line(
            f"{count} messages stand here with a text that was corrected since the backup. Edit them:"
        )
    for owner, message in found.corrections[:SHOWN]:
        screen.line(f"  {owner} {message}", wrap=False)
    if len(found.corrections) > SHOWN:
        screen.line(f"  and {len(found.corrections) - SHOWN} more; --json names all")
    for one in found.bad:
        screen.line(f"  line {one.line}: {one.message} ({one.code})", wrap=False)
