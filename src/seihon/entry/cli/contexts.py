"""Finding and assembling: search, context, trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.model import Context, Hit, Page, Trace


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    command(app, "search")(search)
    command(app, "context")(context)
    traces = group(app, "trace", "The records of past context runs, without text.")
    command(traces, "show")(show_trace)
    command(traces, "list")(list_traces)


def search(
    session: Session,
    owner: take.Owner,
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="What to look for; - reads stdin. Before one that begins with -, type --."
        ),
    ],
    k: Annotated[int, typer.Option("-k", "--k", help="How many hits.")] = 10,
    conversation: Annotated[str | None, typer.Option(help="Its messages only.")] = None,
    kind: Annotated[str | None, typer.Option(help="message or note.")] = None,
    scope: Annotated[str | None, typer.Option(help="Notes that apply there.")] = None,
) -> None:
    """Find messages and notes by their words, in any script."""
    with session.memory() as memory:
        hits = memory.search(owner, take.text(query), k=k, conversation=conversation, kind=kind, scope=scope)
    session.answer(hits, lambda screen: show_hits(screen, hits))


def context(
    session: Session,
    owner: take.Owner,
    conversation: Annotated[str | None, typer.Option(help="The conversation that goes on.")] = None,
    query: Annotated[str | None, typer.Option(help="What to look for; - reads stdin.")] = None,
    purpose: Annotated[str, typer.Option(help="The scope whose settings apply.")] = "default",
    budget: Annotated[int, typer.Option(metavar="TOKENS", help="Most tokens of the whole.")] = 2_000,
    render: Annotated[str, typer.Option(help="text or messages.")] = "text",
    explain: Annotated[bool, typer.Option("--explain", help="Show items and omissions as well.")] = False,
) -> None:
    """Assemble what a model should get, within a budget."""
    with session.memory() as memory:
        found = memory.context(
            owner,
            conversation=conversation,
            query=None if query is None else take.text(query),
            purpose=purpose,
            budget=budget,
            render=render,
        )
    session.answer(found, lambda screen: _show_context(screen, found, explain=explain))
    session.tell(f"{found.tokens} of {found.budget} tokens; trace {found.trace}")


def show_trace(
    session: Session,
    owner: take.Owner,
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="Id of a trace.")],
) -> None:
    """Show what one context held and left out, and why."""
    with session.memory() as memory:
        found = memory.trace(owner, trace)
    session.answer(found, lambda screen: _show_trace(screen, found))


def list_traces(
    session: Session, owner: take.Owner, limit: take.Limit = 20, cursor: take.Cursor = None
) -> None:
    """List past context runs, newest first."""
    with session.memory() as memory:
        page = memory.traces(owner, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list_traces(screen, page))
    session.more(page.next)


def show_hits(screen: Screen, hits: Sequence[Hit]) -> None:
    """Show hits with what no longer holds in them."""
    rows = [
        (f"{one.score:.2f}", one.id, f"{one.observed_at:%Y-%m-%d}", one.snippet, superseded(one))
        for one in hits
    ]
    screen.table(["score", "id", "said", "text", "no longer holds"], rows, empty="Nothing was found.")


def superseded(hit: Hit) -> str:
    """Return each stretch that no longer holds, with what stands instead."""
    told = [
        f"“{hit.text[one.start : one.end]}”: {one.field} is {one.replacement or 'blank'} now"
        for one in hit.superseded
    ]
    return "; ".join(told)


def show_items(screen: Screen, found: Context | Trace) -> None:
    """Show what a context holds and what it left out, each with its reason."""
    screen.table(
        ["held", "id", "tokens", "reason"],
        [(one.kind, one.id, one.tokens, one.reason + (" (cut)" if one.cut else "")) for one in found.items],
        empty="It holds nothing.",
    )
    if found.omissions:
        rows = [(one.kind, one.id, one.reason) for one in found.omissions]
        screen.line()
        screen.table(["left out", "id", "reason"], rows)


def _show_context(screen: Screen, found: Context, *, explain: bool) -> None:
    if found.messages:
        for message in found.messages:
            screen.text(f"[{message['role']}]\n{message['content']}\n")
    else:
        screen.text(found.text)
    if explain:
        screen.line()
        show_items(screen, found)


def _show_trace(screen: Screen, found: Trace) -> None:
    screen.pairs(
        [
            ("trace", found.id),
            ("at", f"{found.at:%Y-%m-%d %H:%M:%S} UTC"),
            ("conversation", found.conversation),
            ("purpose", found.purpose),
            ("tokens", f"{found.tokens} of {found.budget} ({found.tokenizer})"),
            ("revision", f"{found.revision}, epoch {found.epoch}"),
        ]
    )
    screen.line()
    show_items(screen, found)


def _list_traces(screen: Screen, page: Page[Trace]) -> None:
    rows = [
        (
            one.id,
            f"{one.at:%Y-%m-%d %H:%M:%S}",
            one.conversation or "",
            one.purpose,
            f"{one.tokens} of {one.budget}",
            len(one.items),
            len(one.omissions),
        )
        for one in page.items
    ]
    headings = ["id", "at (UTC)", "conversation", "purpose", "tokens", "items", "left out"]
    screen.table(headings, rows, empty="No context was assembled yet.")
