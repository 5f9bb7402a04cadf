"""``note …``: free-form memory."""

from __future__ import annotations

from typing import Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.model import KEEP, Note, Page

NoteId = Annotated[str, typer.Argument(metavar="NOTE", help="Id of a note.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    notes = group(app, "note", "Free-form memory; `forget note` deletes one.")
    command(notes, "add")(add)
    command(notes, "list")(list_notes)
    command(notes, "show")(show)
    command(notes, "edit")(edit)
    command(notes, "supersede")(supersede)
    command(notes, "confirm")(confirm)
    command(notes, "reject")(reject)


def add(
    session: Session,
    owner: take.Owner,
    text: take.Text,
    own_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Id of the note; made if left out.")
    ] = None,
    scope: take.Scope = "default",
    source: Annotated[
        list[str] | None, typer.Option("--from", metavar="MESSAGE", help="Message it was drawn from.")
    ] = None,
    candidate: Annotated[bool, typer.Option("--candidate", help="It waits for the person's word.")] = False,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When it was said.")] = None,
    expires_at: Annotated[str | None, typer.Option(metavar="TIME", help="When it stops being read.")] = None,
    metadata: take.Metadata = None,
    idempotency_key: take.Key = None,
    actor: take.Actor = "application",
) -> None:
    """Add a note.

    With --from it goes when that message is deleted or edited.
    """
    with session.memory(writes=True) as memory:
        note = memory.add_note(
            owner,
            take.text(text),
            id=own_id,
            scope=scope,
            sources=source or (),
            candidate=candidate,
            observed_at=take.moment(at, "--at"),
            expires_at=take.moment(expires_at, "--expires-at"),
            metadata=take.json_object(metadata, "--metadata"),
            idempotency_key=idempotency_key,
            actor=actor,
        )
    session.answer(note, lambda screen: _show(screen, note))


def list_notes(
    session: Session,
    owner: take.Owner,
    state: Annotated[
        str, typer.Option(help="current, candidate, superseded, rejected or withdrawn.")
    ] = "current",
    limit: take.Limit = 100,
    cursor: take.Cursor = None,
) -> None:
    """List notes in one state, oldest first."""
    with session.memory() as memory:
        page = memory.notes(owner, state=state, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list(screen, page))
    session.more(page.next)


def show(session: Session, owner: take.Owner, note: NoteId) -> None:
    """Show one note."""
    with session.memory() as memory:
        found = memory.note(owner, note)
    session.answer(found, lambda screen: _show(screen, found))


def edit(
    session: Session,
    owner: take.Owner,
    note: NoteId,
    expect: Annotated[int, typer.Option(metavar="VERSION", help="The version that you saw.")],
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="The new text, or - for stdin.")] = None,
    scope: Annotated[str | None, typer.Option(metavar="SCOPE", help="Where it applies.")] = None,
    metadata: take.Metadata = None,
    expires_at: Annotated[str | None, typer.Option(metavar="TIME", help="A time, or none.")] = None,
    actor: take.Actor = "application",
) -> None:
    """Change what is named of a note and keep the rest."""
    with session.memory(writes=True) as memory:
        note_ = memory.edit_note(
            owner,
            note,
            expect=expect,
            text=KEEP if text is None else take.text(text),
            scope=KEEP if scope is None else scope,
            metadata=KEEP if metadata is None else take.json_object(metadata, "--metadata"),
            expires_at=take.moment_or_none(expires_at, "--expires-at"),
            actor=actor,
        )
    session.answer(note_, lambda screen: _show(screen, note_))


def supersede(
    session: Session,
    owner: take.Owner,
    note: NoteId,
    text: take.Text,
    expect: take.Expect = None,
    actor: take.Actor = "application",
) -> None:
    """Replace a note by a new one, which stays linked to it."""
    with session.memory(writes=True) as memory:
        found = memory.supersede_note(owner, note, take.text(text), expect=expect, actor=actor)
    session.answer(found, lambda screen: _show(screen, found))


def confirm(session: Session, owner: take.Owner, note: NoteId, actor: take.Actor = "person") -> None:
    """Make a candidate note current, by the person's word."""
    with session.memory(writes=True) as memory:
        found = memory.confirm_note(owner, note, actor=actor)
    session.answer(found, lambda screen: _show(screen, found))


def reject(session: Session, owner: take.Owner, note: NoteId, actor: take.Actor = "person") -> None:
    """Turn a candidate note down."""
    with session.memory(writes=True) as memory:
        found = memory.reject_note(owner, note, actor=actor)
    session.answer(found, lambda screen: _show(screen, found))


def _show(screen: Screen, note: Note) -> None:
    screen.pairs(
        [
            ("id", note.id),
            ("state", note.state),
            ("scope", note.scope),
            ("source", ", ".join(note.sources) or note.source),
            ("since", f"{note.observed_at:%Y-%m-%d %H:%M} UTC"),
            ("version", note.version),
            ("expires", note.expires_at and f"{note.expires_at:%Y-%m-%d %H:%M} UTC"),
            ("superseded by", note.superseded_by),
        ]
    )
    screen.text(note.text)


def _list(screen: Screen, page: Page[Note]) -> None:
    rows = [
        (one.id, f"{one.observed_at:%Y-%m-%d}", one.scope, ", ".join(one.sources) or one.source, one.text)
        for one in page.items
    ]
    screen.table(["id", "since", "scope", "source", "text"], rows, empty="No notes.")
