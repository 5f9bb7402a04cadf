"""``conversation …`` and ``message …``."""

from __future__ import annotations

from typing import Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.model import KEEP, Conversation, Message, Page

ConversationId = Annotated[str, typer.Argument(metavar="CONVERSATION", help="Id of a conversation.")]
MessageId = Annotated[str, typer.Argument(metavar="MESSAGE", help="Id of a message.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    messages = group(app, "message", "Add, list, show and edit messages.")
    command(messages, "add")(add)
    command(messages, "list")(list_messages)
    command(messages, "show")(show)
    command(messages, "edit")(edit)
    conversations = group(app, "conversation", "List, show and limit conversations.")
    command(conversations, "list")(list_conversations)
    command(conversations, "show")(show_conversation)
    command(conversations, "limit")(limit)


def add(
    session: Session,
    owner: take.Owner,
    conversation: ConversationId,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="user, assistant, tool or system.")],
    text: take.Text,
    own_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Id of the message; made if left out.")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When it was said.")] = None,
    expires_at: Annotated[str | None, typer.Option(metavar="TIME", help="When it stops being read.")] = None,
    metadata: take.Metadata = None,
    expect: take.Expect = None,
    idempotency_key: take.Key = None,
) -> None:
    """Add a message at the end of a conversation."""
    with session.memory(writes=True) as memory:
        made = memory.append(
            owner,
            conversation,
            role,
            take.text(text),
            id=own_id,
            observed_at=take.moment(at, "--at"),
            expires_at=take.moment(expires_at, "--expires-at"),
            metadata=take.json_object(metadata, "--metadata"),
            expect=expect,
            idempotency_key=idempotency_key,
        )
    session.answer(made, lambda screen: _show_message(screen, made))


def list_messages(
    session: Session,
    owner: take.Owner,
    conversation: ConversationId,
    limit: take.Limit = 100,
    cursor: take.Cursor = None,
) -> None:
    """List a conversation's messages in their order."""
    with session.memory() as memory:
        page = memory.messages(owner, conversation, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list_messages(screen, page))
    session.more(page.next)


def show(session: Session, owner: take.Owner, message: MessageId) -> None:
    """Show one message."""
    with session.memory() as memory:
        found = memory.message(owner, message)
    session.answer(found, lambda screen: _show_message(screen, found))


def edit(
    session: Session,
    owner: take.Owner,
    message: MessageId,
    text: take.Text,
    expect: Annotated[int, typer.Option(metavar="VERSION", help="The version that you saw.")],
    metadata: take.Metadata = None,
) -> None:
    """Correct a message; what was drawn from the old text is withdrawn."""
    meta = KEEP if metadata is None else take.json_object(metadata, "--metadata")
    with session.memory(writes=True) as memory:
        found = memory.edit(owner, message, take.text(text), expect=expect, metadata=meta)
    session.answer(found, lambda screen: _show_message(screen, found))


def list_conversations(
    session: Session, owner: take.Owner, limit: take.Limit = 100, cursor: take.Cursor = None
) -> None:
    """List an owner's conversations."""
    with session.memory() as memory:
        page = memory.conversations(owner, limit=limit, cursor=cursor)
    session.answer(page, lambda screen: _list_conversations(screen, page))
    session.more(page.next)


def show_conversation(session: Session, owner: take.Owner, conversation: ConversationId) -> None:
    """Show one conversation's counts and limits."""
    with session.memory() as memory:
        found = memory.conversation(owner, conversation)
    session.answer(found, lambda screen: _list_conversations(screen, Page((found,))))


def limit(
    session: Session,
    owner: take.Owner,
    conversation: ConversationId,
    retention: Annotated[str, typer.Argument(metavar="DURATION", help="Such as 90d, 12h, or none.")],
) -> None:
    """Limit how long a conversation's messages can be read."""
    with session.memory(writes=True) as memory:
        found = memory.update_conversation(
            owner, conversation, retention=take.duration(retention, "DURATION")
        )
    session.answer(found, lambda screen: _list_conversations(screen, Page((found,))))


def _show_message(screen: Screen, message: Message) -> None:
    screen.pairs(
        [
            ("id", message.id),
            ("conversation", f"{message.conversation} #{message.seq}"),
            ("role", f"{message.role} ({message.trust})"),
            ("said", f"{message.observed_at:%Y-%m-%d %H:%M} UTC"),
            ("version", message.version),
            ("expires", message.expires_at and f"{message.expires_at:%Y-%m-%d %H:%M} UTC"),
        ]
    )
    screen.text(message.content)


def _list_messages(screen: Screen, page: Page[Message]) -> None:
    rows = [
        (one.seq, one.id, f"{one.observed_at:%Y-%m-%d %H:%M}", one.role, one.content) for one in page.items
    ]
    screen.table(["#", "id", "said (UTC)", "role", "text"], rows, empty="No messages.")


def _list_conversations(screen: Screen, page: Page[Conversation]) -> None:
    rows = [
        (
            one.id,
            one.messages,
            one.version,
            f"{one.created_at:%Y-%m-%d %H:%M}",
            take.shown_duration(one.retention),
        )
        for one in page.items
    ]
    headings = ["id", "messages", "version", "begun (UTC)", "retention"]
    screen.table(headings, rows, empty="No conversations.")
