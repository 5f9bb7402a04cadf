"""``forget …`` and ``reopen``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.receipts import Timeout, show_receipt, waited
from seihon.entry.cli.session import Session, command
from seihon.model import Receipt

if TYPE_CHECKING:
    from seihon.memory import Memory

Wait = Annotated[bool, typer.Option("--wait", help="Return when it is verified; 9 if it is not in time.")]
SHOWN_IDS = 10


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    forget = group(app, "forget", "Delete for certain, with a receipt.")
    command(forget, "message")(forget_message)
    command(forget, "note")(forget_note)
    command(forget, "field")(forget_field)
    command(forget, "conversation")(forget_conversation)
    command(forget, "matching")(forget_matching)
    command(forget, "owner")(forget_owner)
    command(app, "reopen")(reopen)


@dataclass(frozen=True, slots=True)
class How:
    """The options of every deletion, whatever it reaches."""

    yes: take.Yes = False
    wait: Wait = False
    timeout: Timeout = 60.0
    reason: take.Reason = "requested"
    actor: take.Actor = "person"

    @property
    def signed(self) -> dict[str, str]:
        """Return who deletes and why, as every verb takes them."""
        return {"reason": self.reason, "actor": self.actor}


def forget_message(
    session: Session,
    owner: take.Owner,
    messages: Annotated[list[str], typer.Argument(metavar="MESSAGE...", help="Ids of messages.")],
    how: How,
) -> None:
    """Delete messages, and what was drawn only from them.

    One receipt stands for all of them; if one cannot be deleted, none is.
    """
    what = f"the {_counted(len(messages), 'message')} {_named(messages)}"
    _forget(session, owner, what, how, lambda memory: memory.forget_messages(owner, messages, **how.signed))


def forget_note(
    session: Session,
    owner: take.Owner,
    note: Annotated[str, typer.Argument(metavar="NOTE", help="Id of a note.")],
    how: How,
) -> None:
    """Delete one note."""
    what = f"the note {note}"
    _forget(session, owner, what, how, lambda memory: memory.forget_note(owner, note, **how.signed))


def forget_field(
    session: Session, owner: take.Owner, field: take.Field, how: How, scope: take.Scope = "default"
) -> None:
    """Delete a field's value and all claims about it.

    The messages that said it stay; delete them by themselves.
    """
    what = f"the value and the history of {field} in the scope {scope}"
    _forget(
        session,
        owner,
        what,
        how,
        lambda memory: memory.forget_field(owner, field, scope=scope, **how.signed),
    )


def forget_conversation(
    session: Session,
    owner: take.Owner,
    conversation: Annotated[str, typer.Argument(metavar="CONVERSATION", help="Id of a conversation.")],
    how: How,
) -> None:
    """Delete a whole conversation."""
    _forget(
        session,
        owner,
        f"the whole conversation {conversation}",
        how,
        lambda memory: memory.forget_conversation(owner, conversation, **how.signed),
    )


def forget_matching(
    session: Session,
    owner: take.Owner,
    how: How,
    conversation: Annotated[str | None, typer.Option(help="Messages of this conversation.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Said then or later.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Said before then.")] = None,
) -> None:
    """Delete messages of a conversation, of a time, or both."""
    start, end = take.moment(since, "--since"), take.moment(until, "--until")
    limits = [("of the conversation", conversation), ("said from", since), ("said before", until)]
    told = " ".join(f"{words} {value}" for words, value in limits if value is not None)
    _forget(
        session,
        owner,
        f"every message {told}".strip(),
        how,
        lambda memory: memory.forget_matching(
            owner, conversation=conversation, since=start, until=end, **how.signed
        ),
    )


def forget_owner(session: Session, owner: take.Owner, how: How) -> None:
    """Delete everything of an owner.

    Writes are refused until `seihon reopen`.
    """
    _forget(session, owner, "everything", how, lambda memory: memory.forget_owner(owner, **how.signed))


def reopen(
    session: Session,
    owner: take.Owner,
    yes: take.Yes = False,
    reason: take.Reason = "requested",
    actor: take.Actor = "operator",
) -> None:
    """Start a new life under a deleted owner's id.

    What was deleted stays gone.
    """
    session.confirm(f"Let the deleted owner {owner} be written to again", yes=yes)
    with session.memory() as memory:
        epoch = memory.reopen(owner, reason=reason, actor=actor)
    answer = {"owner": owner, "epoch": epoch}
    session.answer(answer, lambda screen: screen.line(f"Reopened; epoch {epoch}."))


def _forget(session: Session, owner: str, what: str, how: How, act: Callable[[Memory], Receipt]) -> None:
    session.confirm(f"Delete {what} of {owner} for good", yes=how.yes)
    with session.memory() as memory:
        found = act(memory)
        if how.wait:
            found = waited(session, memory, owner, found, how.timeout)
    session.answer(found, lambda screen: show_receipt(screen, found))


def _counted(count: int, noun: str) -> str:
    return noun if count == 1 else f"{count} {noun}s"


def _named(ids: Sequence[str]) -> str:
    left = len(ids) - SHOWN_IDS
    return ", ".join(ids[:SHOWN_IDS]) + (f" and {left} more" if left > 0 else "")
