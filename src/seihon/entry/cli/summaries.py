"""``summaries``, ``summarise`` and ``eval summary``: what conversations were shortened to, and how well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.conversations import ConversationId
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.errors import InvalidArgument
from seihon.model import Page, Summarised, Summary, SummaryEvaluation, SummaryReport

if TYPE_CHECKING:
    from seihon.memory import Memory


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    command(app, "summaries")(list_summaries)
    command(app, "summarise")(summarise)
    command(group(app, "eval", "How good derived texts are."), "summary")(evaluate)


def list_summaries(
    session: Session,
    owner: take.Owner,
    conversation: ConversationId,
    limit: take.Limit = 100,
    cursor: take.Cursor = None,
) -> None:
    """List the summaries of a conversation, range by range."""
    with session.memory() as memory:
        page = memory.summaries(owner, conversation, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list(screen, page))
    session.more(page.next)


def summarise(session: Session, owner: take.Owner, conversation: ConversationId) -> None:
    """Summarise a conversation now, its last range too.

    Exit 1 if the model failed.
    """
    with session.memory() as memory:
        found = memory.summarise(owner, conversation)
    session.answer(found, lambda screen: _show_summarised(screen, found))
    if found.failed:
        raise typer.Exit(1)


def evaluate(
    session: Session,
    owner: Annotated[
        str | None, typer.Option(metavar="OWNER", help="One person; all of the tenant if left out.")
    ] = None,
    conversation: Annotated[
        str | None, typer.Option(metavar="CONVERSATION", help="One conversation of that person.")
    ] = None,
) -> None:
    """Compare summaries with their messages.

    How much shorter they are, what they kept, and what is missing or made up.
    """
    if conversation is not None and owner is None:
        raise InvalidArgument("To give `conversation`, give `owner` as well.")
    with session.memory() as memory:
        found = _evaluated(memory, owner, conversation)
    session.answer(found, lambda screen: _show_evaluation(screen, found))


def _evaluated(memory: Memory, owner: str | None, conversation: str | None) -> SummaryEvaluation:
    from seihon.errors import OwnerDeleted
    from seihon.memory.evaluating import together

    if owner is not None:
        return memory.evaluate_summaries(owner, conversation=conversation)

    def each() -> Iterator[SummaryReport]:
        for one in memory.owners():
            try:
                yield from memory.evaluate_summaries(one).reports
            except OwnerDeleted:
                continue

    return together(tuple(each()))


def _list(screen: Screen, page: Page[Summary]) -> None:
    if not page.items:
        screen.line("Nothing is summarised yet; `seihon summarise` does it now.")
    for one in page.items:
        told = (
            f"{one.id}  messages {one.first_seq}–{one.last_seq}, {one.state}, v{one.version}, by {one.model}"
        )
        screen.line(f"{told}, {one.made_at:%Y-%m-%d %H:%M} UTC, {one.tokens} tokens")
        for line in one.text.splitlines():
            screen.indented(line)
        for lost in one.superseded:
            screen.indented(f"No longer holds: {lost.field} is {lost.replacement or 'blank'} now.")


def _show_summarised(screen: Screen, found: Summarised) -> None:
    made = found.ranges - found.waiting
    screen.line(f"{made} of {found.ranges} ranges are summarised.")
    if found.failed:
        screen.line(f"The others failed and are tried again: {', '.join(found.failed)}")
    elif found.waiting:
        screen.line("The worker summarises the others.")


def _show_evaluation(screen: Screen, found: SummaryEvaluation) -> None:
    for one in found.reports:
        _show_report(screen, one)
    if not found.reports:
        screen.line("There are no summaries to compare.")
        return
    screen.table(
        ["what", "kept", "of"],
        [(need.need, need.kept, need.total) for need in found.kept],
    )
    screen.line(
        f"{len(found.reports)} summaries: {found.tokens} tokens for {found.source_tokens} "
        f"({found.ratio:.0%}), {found.flagged} lines flagged, {found.dropped} dropped when they were made."
    )


def _show_report(screen: Screen, one: SummaryReport) -> None:
    where = f"{one.owner} {one.conversation}, messages {one.first_seq}–{one.last_seq}"
    screen.line(f"{one.summary}  {where}: {one.tokens} of {one.source_tokens} tokens ({one.ratio:.0%})")
    for flag in one.flags:
        screen.indented(f"line {flag.line + 1}: {flag.kind} without a source: {flag.text}")
    rows = [(missing.need, missing.message, missing.text, missing.sentence) for missing in one.missing]
    if rows:
        screen.table(["missing", "message", "what", "in"], rows, indent=3)
