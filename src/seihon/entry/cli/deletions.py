"""``forget …``, ``reopen`` and ``receipt …``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.model import Page, Receipt, StoreState

if TYPE_CHECKING:
    from seihon.memory import Memory

Wait = Annotated[bool, typer.Option("--wait", help="Return when it is verified; 9 if it is not in time.")]
Timeout = Annotated[float, typer.Option(metavar="SECONDS", help="How long --wait waits.")]
ReceiptId = Annotated[str, typer.Argument(metavar="RECEIPT", help="Id of a receipt.")]
WORK_SLICE = 0.25


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    forget = group(app, "forget", "Delete for certain: hidden at once, erased everywhere, with a receipt.")
    command(forget, "message")(forget_message)
    command(forget, "note")(forget_note)
    command(forget, "field")(forget_field)
    command(forget, "conversation")(forget_conversation)
    command(forget, "matching")(forget_matching)
    command(forget, "owner")(forget_owner)
    command(app, "reopen")(reopen)
    receipts = group(app, "receipt", "How far deletions are, store by store.")
    command(receipts, "show")(show)
    command(receipts, "list")(list_receipts)
    command(receipts, "wait")(wait)
    command(receipts, "verify")(verify)


def forget_message(
    session: Session,
    owner: take.Owner,
    messages: Annotated[list[str], typer.Argument(metavar="MESSAGE...", help="Ids of messages.")],
    yes: take.Yes = False,
    wait: Wait = False,
    timeout: Timeout = 60.0,
    reason: take.Reason = "requested",
    actor: take.Actor = "person",
) -> None:
    """Delete messages, and what was drawn only from them, under one receipt."""
    _forget(
        session,
        owner,
        f"Delete {len(messages)} message(s) of this owner for good?",
        lambda memory: memory.forget_messages(owner, messages, reason=reason, actor=actor),
        yes=yes,
        wait=timeout if wait else None,
    )


def forget_note(
    session: Session,
    owner: take.Owner,
    note: Annotated[str, typer.Argument(metavar="NOTE", help="Id of a note.")],
    yes: take.Yes = False,
    wait: Wait = False,
    timeout: Timeout = 60.0,
    reason: take.Reason = "requested",
    actor: take.Actor = "person",
) -> None:
    """Delete one note."""
    _forget(
        session,
        owner,
        "Delete this note for good?",
        lambda memory: memory.forget_note(owner, note, reason=reason, actor=actor),
        yes=yes,
        wait=timeout if wait else None,
    )


def forget_field(
    session: Session,
    owner: take.Owner,
    field: take.Field,
    scope: take.Scope = "default",
    yes: take.Yes = False,
    wait: Wait = False,
    timeout: Timeout = 60.0,
    reason: take.Reason = "requested",
    actor: take.Actor = "person",
) -> None:
    """Delete a field's value and every claim about it; the messages stay."""
    _forget(
        session,
        owner,
        "Delete this field's value and its history for good?",
        lambda memory: memory.forget_field(owner, field, scope=scope, reason=reason, actor=actor),
        yes=yes,
        wait=timeout if wait else None,
    )


def forget_conversation(
    session: Session,
    owner: take.Owner,
    conversation: Annotated[str, typer.Argument(metavar="CONVERSATION", help="Id of a conversation.")],
    yes: take.Yes = False,
    wait: Wait = False,
    timeout: Timeout = 60.0,
    reason: take.Reason = "requested",
    actor: take.Actor = "person",
) -> None:
    """Delete a whole conversation."""
    _forget(
        session,
        owner,
        "Delete this whole conversation for good?",
        lambda memory: memory.forget_conversation(owner, conversation, reason=reason, actor=actor),
        yes=yes,
        wait=timeout if wait else None,
    )


def forget_matching(
    session: Session,
    owner: take.Owner,
    conversation: Annotated[str | None, typer.Option(help="Messages of this conversation.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Said then or later.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Said before then.")] = None,
    yes: take.Yes = False,
    wait: Wait = False,
    timeout: Timeout = 60.0,
    reason: take.Reason = "requested",
    actor: take.Actor = "person",
) -> None:
    """Delete the messages of a conversation, of a stretch of time, or of both."""
    start, end = take.moment(since, "--since"), take.moment(until, "--until")
    _forget(
        session,
        owner,
        "Delete every message that matches for good?",
        lambda memory: memory.forget_matching(
            owner, conversation=conversation, since=start, until=end, reason=reason, actor=actor
        ),
        yes=yes,
        wait=timeout if wait else None,
    )


def forget_owner(
    session: Session,
    owner: take.Owner,
    yes: take.Yes = False,
    wait: Wait = False,
    timeout: Timeout = 60.0,
    reason: take.Reason = "requested",
    actor: take.Actor = "person",
) -> None:
    """Delete everything of an owner; writes are refused until `reopen`."""
    _forget(
        session,
        owner,
        "Delete everything of this owner for good?",
        lambda memory: memory.forget_owner(owner, reason=reason, actor=actor),
        yes=yes,
        wait=timeout if wait else None,
    )


def reopen(
    session: Session,
    owner: take.Owner,
    yes: take.Yes = False,
    reason: take.Reason = "requested",
    actor: take.Actor = "operator",
) -> None:
    """Start a new life under a deleted owner's id; what was deleted stays gone."""
    session.confirm("Let this deleted owner be written to again?", yes=yes)
    with session.memory() as memory:
        epoch = memory.reopen(owner, reason=reason, actor=actor)
    answer = {"owner": owner, "epoch": epoch}
    session.answer(answer, lambda screen: screen.line(f"Reopened; epoch {epoch}."))


def show(session: Session, owner: take.Owner, receipt: ReceiptId) -> None:
    """Show one receipt."""
    with session.memory() as memory:
        found = memory.receipt(owner, receipt)
    session.answer(found, lambda screen: show_receipt(screen, found))


def list_receipts(
    session: Session, owner: take.Owner, limit: take.Limit = 100, cursor: take.Cursor = None
) -> None:
    """List an owner's receipts, oldest first."""
    with session.memory() as memory:
        page = memory.receipts(owner, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list(screen, page))
    session.more(page.next)


def wait(
    session: Session,
    owner: take.Owner,
    receipt: ReceiptId,
    timeout: Timeout = 60.0,
) -> None:
    """Wait until a deletion is verified."""
    with session.memory() as memory:
        found = _waited(session, memory, owner, memory.receipt(owner, receipt), timeout)
    session.answer(found, lambda screen: show_receipt(screen, found))


def verify(session: Session, owner: take.Owner, receipt: ReceiptId) -> None:
    """Read every place of a verified deletion back once more; take out again what is found."""
    with session.memory() as memory:
        found = memory.verify_receipt(owner, receipt)
    session.answer(found, lambda screen: show_receipt(screen, found))


def _forget(
    session: Session,
    owner: str,
    question: str,
    act: Callable[[Memory], Receipt],
    *,
    yes: bool,
    wait: float | None,
) -> None:
    session.confirm(question, yes=yes)
    with session.memory() as memory:
        found = act(memory)
        if wait is not None:
            found = _waited(session, memory, owner, found, wait)
    session.answer(found, lambda screen: show_receipt(screen, found))


def _waited(session: Session, memory: Memory, owner: str, receipt: Receipt, timeout: float) -> Receipt:
    """Wait in slices, so that the bar moves with each store that is verified."""
    from seihon.errors import Incomplete

    left = max(0.0, timeout)
    done = 0
    with session.progress("Erasing", total=len(receipt.stores)) as advance:
        while True:
            try:
                found = memory.wait(owner, receipt.id, min(left, WORK_SLICE))
                advance(len(found.stores) - done)
                return found
            except Incomplete:
                left -= WORK_SLICE
                if left <= 0:
                    raise
            verified = _verified(memory.receipt(owner, receipt.id))
            advance(verified - done)
            done = verified


def _verified(receipt: Receipt) -> int:
    return sum(store.state is StoreState.VERIFIED for store in receipt.stores)


def show_receipt(screen: Screen, receipt: Receipt) -> None:
    """Show a receipt, store by store."""
    counted = ", ".join(f"{count} {name}" for name, count in receipt.counts.items())
    screen.pairs(
        [
            ("receipt", receipt.id),
            ("deleted", f"{receipt.kind} {receipt.key}".strip()),
            ("counts", counted),
            ("state", receipt.state),
            ("level", receipt.level),
            ("by", f"{receipt.actor} ({receipt.reason})"),
        ]
    )
    screen.line()
    rows = [(one.store, one.state, one.removed, one.attempts, one.error) for one in receipt.stores]
    screen.table(["store", "state", "removed", "attempts", "error"], rows)
    for step in receipt.purge:
        screen.line(f"  {step}")
    for place in receipt.out_of_reach:
        screen.line(f"  out of reach: {place.name}, kept {place.retention}")


def _list(screen: Screen, page: Page[Receipt]) -> None:
    rows = [
        (
            one.id,
            f"{one.kind} {one.key}".strip(),
            one.state,
            f"{_verified(one)} of {len(one.stores)}",
            f"{one.opened_at:%Y-%m-%d %H:%M}",
        )
        for one in page.items
    ]
    headings = ["receipt", "deleted", "state", "verified stores", "opened (UTC)"]
    screen.table(headings, rows, empty="No deletions.")
