"""The typed profile: set, observe, profile, history, candidates, decline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.model import Candidate, Claim, FieldState, Page, Profile, Value, plain

CandidateId = Annotated[str, typer.Argument(metavar="CANDIDATE", help="Id of a candidate.")]
Typed = Annotated[
    str,
    typer.Argument(
        metavar="VALUE",
        help="The value; a list as a JSON array; - reads stdin. Before one that begins with -, type --.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    command(app, "set")(set_field)
    command(app, "observe")(observe)
    command(app, "profile")(profile)
    command(app, "history")(history)
    command(app, "decline")(decline)
    candidates = group(app, "candidates", "Claims that wait for the person's word.")
    command(candidates, "list")(list_candidates)
    command(candidates, "confirm")(confirm)
    command(candidates, "reject")(reject)


def set_field(
    session: Session,
    owner: take.Owner,
    field: take.Field,
    value: Typed,
    scope: take.Scope = "default",
    expect: take.Expect = None,
    idempotency_key: take.Key = None,
    actor: take.Actor = "person",
) -> None:
    """Record what the person set: confirmed, and newest."""
    with session.memory(writes=True) as memory:
        state = memory.set(
            owner,
            field,
            take.value(take.text(value)),
            scope=scope,
            expect=expect,
            idempotency_key=idempotency_key,
            actor=actor,
        )
    session.answer(state, lambda screen: show_state(screen, state))


def observe(
    session: Session,
    owner: take.Owner,
    field: take.Field,
    value: Typed,
    confidence: Annotated[str, typer.Option(help="confirmed or inferred.")] = "inferred",
    source: Annotated[str, typer.Option(help="message (with --message), system or import.")] = "message",
    scope: take.Scope = "default",
    message: Annotated[str | None, typer.Option(metavar="MESSAGE", help="Id of the message.")] = None,
    quote: Annotated[str | None, typer.Option(metavar="TEXT", help="Its words, verbatim.")] = None,
    message_version: Annotated[
        int | None, typer.Option(metavar="VERSION", help="Version that was read.")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When; for system and import.")] = None,
    extractor: Annotated[str, typer.Option(help="What drew the claim.")] = "command line",
    idempotency_key: take.Key = None,
    actor: take.Actor = "application",
) -> None:
    """Record a claim and let the field's policy decide."""
    with session.memory(writes=True) as memory:
        claim = memory.observe(
            owner,
            field,
            take.value(take.text(value)),
            confidence=confidence,
            source=source,
            scope=scope,
            message=message,
            quote=quote,
            message_version=message_version,
            observed_at=take.moment(at, "--at"),
            extractor=extractor,
            idempotency_key=idempotency_key,
            actor=actor,
        )
    session.answer(claim, lambda screen: _show_claims(screen, [claim]))


def profile(
    session: Session,
    owner: take.Owner,
    scope: take.Scope = "default",
    as_of: Annotated[str | None, typer.Option(metavar="TIME|REVISION", help="What was known then.")] = None,
    require: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Answer this value only; fail with 6 if it is blank.")
    ] = None,
) -> None:
    """Show every field's value in a scope, and why."""
    with session.memory() as memory:
        if require is not None:
            value = memory.require(owner, require, scope=scope)
            answer = {"field": require, "scope": scope, "value": plain(value)}
            session.answer(answer, lambda screen: screen.line(shown(value), wrap=False))
            return
        found = memory.profile(owner, scope=scope, as_of=take.moment_or_revision(as_of, "--as-of"))
    session.answer(found, lambda screen: show_profile(screen, found))


def history(
    session: Session,
    owner: take.Owner,
    field: take.Field,
    scope: Annotated[str | None, typer.Option(metavar="SCOPE", help="One scope only.")] = None,
    limit: take.Limit = 100,
    cursor: take.Cursor = None,
) -> None:
    """List a field's claims, oldest first, and what was decided."""
    with session.memory() as memory:
        page = memory.history(owner, field, scope=scope, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _show_claims(screen, page.items))
    session.more(page.next)


def decline(
    session: Session,
    owner: take.Owner,
    field: take.Field,
    scope: take.Scope = "default",
    expect: take.Expect = None,
    actor: take.Actor = "person",
) -> None:
    """Record that the person does not want to say."""
    with session.memory(writes=True) as memory:
        state = memory.decline(owner, field, scope=scope, expect=expect, actor=actor)
    session.answer(state, lambda screen: show_state(screen, state))


def list_candidates(
    session: Session, owner: take.Owner, limit: take.Limit = 100, cursor: take.Cursor = None
) -> None:
    """List what waits for the person's word, oldest first."""
    with session.memory() as memory:
        page = memory.candidates(owner, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list_candidates(screen, page))
    session.more(page.next)


def confirm(
    session: Session,
    owner: take.Owner,
    candidate: CandidateId,
    expect: take.Expect = None,
    actor: take.Actor = "person",
) -> None:
    """Make a candidate the value, by the person's word."""
    with session.memory(writes=True) as memory:
        state = memory.confirm(owner, candidate, expect=expect, actor=actor)
    session.answer(state, lambda screen: show_state(screen, state))


def reject(session: Session, owner: take.Owner, candidate: CandidateId, actor: take.Actor = "person") -> None:
    """Turn a candidate down.

    The same thing drawn from the same source again stays rejected.
    """
    with session.memory(writes=True) as memory:
        claim = memory.reject(owner, candidate, actor=actor)
    session.answer(claim, lambda screen: _show_claims(screen, [claim]))


def shown(value: Value | None) -> str:
    """Return a value for people."""
    found: Any = plain(value)
    if isinstance(found, list):
        return ", ".join(str(one) for one in found)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(found, bool):
        return "true" if found else "false"  # as it is typed
    return "" if found is None else str(found)


def show_profile(screen: Screen, profile: Profile) -> None:
    """Show a profile as a table."""
    screen.table(
        ["field", "value", "state", "since", "scope", "reason"],
        [_row(state) for state in profile.states.values()],
    )


def show_state(screen: Screen, state: FieldState) -> None:
    """Show one field."""
    screen.pairs(
        [
            ("field", state.field),
            ("scope", state.scope),
            ("value", shown(state.value)),
            ("last known", shown(state.last_known)),
            ("state", _state(state)),
            ("reason", state.reason),
            ("version", state.version),
        ]
    )


def _row(state: FieldState) -> tuple[object, ...]:
    since = f"{state.observed_at:%Y-%m-%d}" if state.observed_at else ""
    value = shown(state.value) or (f"(was {shown(state.last_known)})" if state.last_known is not None else "")
    return (state.field, value, _state(state), since, state.scope, state.reason)


def _state(state: FieldState) -> str:
    parts = [state.status.value, state.confidence.value if state.confidence else ""]
    parts.append(f"{state.probability:.0%}" if state.probability is not None else "")
    return " ".join(part for part in parts if part)


def _show_claims(screen: Screen, claims: Sequence[Claim]) -> None:
    rows = [
        (
            f"{one.observed_at:%Y-%m-%d %H:%M}",
            shown(one.value) or "(withdrawn)",
            one.scope,
            one.confidence,
            one.state,
            one.outcome,
            one.reason,
            "; ".join(quote.text or quote.message for quote in one.quotes) or one.source,
        )
        for one in claims
    ]
    headings = ["said (UTC)", "value", "scope", "confidence", "state", "decision", "reason", "from"]
    screen.table(headings, rows, empty="Nothing was ever claimed about it.")


def _list_candidates(screen: Screen, page: Page[Candidate]) -> None:
    rows = [
        (one.id, one.field, one.scope, shown(one.value), shown(one.current), one.reason) for one in page.items
    ]
    headings = ["id", "field", "scope", "proposed", "now", "reason"]
    screen.table(headings, rows, empty="Nothing waits.")
