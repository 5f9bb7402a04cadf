"""Conversations and messages: the statements, and the rows they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NoReturn

from sqlalchemy import Row, and_, case, func, literal, not_, select, update

from seihon import errors
from seihon.canonical import tables as t
from seihon.canonical.scope import (
    FLOOR,
    MESSAGE_IN_TIME,
    NOTE_IN_TIME,
    NOW,
    OWNER,
    REVISION,
    Reader,
    Writer,
    by_dialect,
    live_conversations,
    live_messages,
    p,
    standing_messages,
    standing_notes,
)
from seihon.model import Conversation, Message, Role, Trust, instant, maybe_instant

c, m = t.conversations.c, t.messages.c


def _open_conversation(insert: Any) -> Any:
    new = insert(t.conversations).values(
        owner=OWNER,
        id=p("id", t.Key),
        last_seq=p("count", t.Big),
        last_at=p("at", t.Big),
        version=literal(1, t.Big),
        created_at=NOW,
        created_revision=REVISION,
        revision=REVISION,
    )
    later = case((c.last_at > new.excluded.last_at, c.last_at), else_=new.excluded.last_at)
    return new.on_conflict_do_update(
        index_elements=["owner", "id"],
        set_={
            "last_seq": c.last_seq + new.excluded.last_seq,
            "last_at": later,
            "version": c.version + 1,
            "revision": new.excluded.revision,
        },
        where=and_(c.deleted_revision.is_(None), c.created_revision > FLOOR),
    ).returning(c.last_seq, c.last_at, c.version)


# Reserve ``count`` places at the end of a conversation, made on first use; no row: it was deleted.
OPEN_CONVERSATION = by_dialect(_open_conversation)
CONVERSATION = select(live_conversations).where(live_conversations.c.id == p("id"))
CONVERSATIONS = (
    select(live_conversations)
    .where(live_conversations.c.id > p("after"))
    .order_by(live_conversations.c.id)
    .limit(p("limit", t.Big))
)
SET_CONVERSATION = (
    update(t.conversations)
    .where(c.owner == OWNER, c.id == p("id"), c.deleted_revision.is_(None), c.created_revision > FLOOR)
    .values(retain_us=p("retain"), metadata=p("metadata_"), version=c.version + 1, revision=REVISION)
    .returning(c.version)
)
ADD_MESSAGES = t.messages.insert()
MESSAGE = select(live_messages).where(live_messages.c.id == p("id"))
MESSAGE_FATE = select(m.id, m.deleted_revision).where(m.owner == OWNER, m.id == p("id"))
TOMBSTONE = select(t.tombstones.c.revision, t.tombstones.c.at).where(
    t.tombstones.c.owner == OWNER, t.tombstones.c.kind == p("kind"), t.tombstones.c.key == p("key")
)
PAGE = (
    select(live_messages)
    .where(live_messages.c.conversation == p("conversation"), live_messages.c.seq > p("after"))
    .order_by(live_messages.c.seq)
    .limit(p("limit", t.Big))
)
RECENT = (
    select(live_messages)
    .where(live_messages.c.conversation == p("conversation"))
    .order_by(live_messages.c.seq.desc())
    .limit(p("limit", t.Big))
)
EDIT_MESSAGE = (
    update(t.messages)
    .where(m.owner == OWNER, m.id == p("id"), m.version == p("expect"), m.deleted_revision.is_(None))
    .values(
        content=p("content_"),
        metadata=p("metadata_"),
        fingerprint=p("fingerprint_"),
        version=m.version + 1,
        revision=REVISION,
    )
    .returning(m.version)
)
TOUCH_CONVERSATION = (
    update(t.conversations)
    .where(c.owner == OWNER, c.id == p("id"))
    .values(version=c.version + 1, revision=REVISION)
    .returning(c.version)
)
# The turn at which something observed at ``at`` was said: imported history sits among the live messages.
TURN_AT = select(m.turn).where(m.owner == OWNER, m.at <= p("at")).order_by(m.at.desc()).limit(1)
NEWEST_AT = select(m.at).where(m.owner == OWNER).order_by(m.at.desc()).limit(1)
FIRST_TURN = select(m.turn).where(m.owner == OWNER).order_by(m.at).limit(1)
COUNT_LIVE = (
    select(live_messages.c.conversation, func.count().label("messages"))
    .where(live_messages.c.conversation.in_(p("ids", many=True)))
    .group_by(live_messages.c.conversation)
)
# Messages whose own or whose conversation's or tenant's limit has passed, for the sweep.
EXPIRED = standing_messages(m.id).where(not_(MESSAGE_IN_TIME)).limit(p("limit", t.Big))
# The same for notes; one whose source was swept before it is among them.
EXPIRED_NOTES = standing_notes(t.notes.c.id).where(not_(NOTE_IN_TIME)).limit(p("limit", t.Big))


def to_message(tx: Reader, row: Row[Any]) -> Message:
    """Return the noun of a message's row."""
    return Message(
        id=row.id,
        conversation=row.conversation,
        seq=row.seq,
        role=Role(row.role),
        content=tx.open(row.content),
        observed_at=instant(row.observed_at),
        at=instant(row.at),
        turn=row.turn,
        version=row.version,
        trust=Trust(row.trust),
        revision=row.revision,
        expires_at=maybe_instant(row.expires_at),
        metadata=tx.open_json(row.metadata) or {},
    )


def to_conversation(tx: Reader, row: Row[Any], messages: int) -> Conversation:
    """Return the noun of a conversation's row, with the count of its live messages."""
    return Conversation(
        id=row.id,
        messages=messages,
        version=row.version,
        created_at=instant(row.created_at),
        retention=None if row.retain_us is None else timedelta(microseconds=row.retain_us),
        metadata=tx.open_json(row.metadata) or {},
    )


def get(tx: Reader, message_id: str) -> Message:
    """Return a live message.

    Raises:
        Gone: it was deleted, alone or with its conversation or owner.
        NotFound: there never was one, or its time has passed.
    """
    row = tx.first(MESSAGE, id=message_id)
    if row is None:
        refuse_missing(tx, "message", message_id)
    return to_message(tx, row)


def require_owner(tx: Reader) -> None:
    """Refuse an owner for whom nothing was ever stored: for those who run it that is a name mistyped."""
    if tx.revision == 0:
        raise errors.NotFound("There is no such owner: nothing was ever stored for it.", kind="owner")


def refuse_missing(tx: Reader, kind: str, record_id: str) -> NoReturn:
    """Raise ``Gone`` for a record that was deleted and ``NotFound`` for one that cannot be read."""
    if is_dead(tx, kind, record_id):
        raise errors.Gone(f"The {kind} was deleted.", kind=kind, id=record_id)
    raise errors.NotFound(f"No such {kind} of this owner.", kind=kind, id=record_id)


def is_dead(tx: Reader, kind: str, record_id: str) -> bool:
    """Tell whether this id was deleted and can never be written again."""
    if tx.first(TOMBSTONE, kind=kind, key=record_id) is not None:
        return True
    if kind == "message":
        return _swept_with_its_scope(tx, MESSAGE_SCOPE, record_id)
    if kind == "note":
        return _swept_with_its_scope(tx, NOTE_SCOPE, record_id)
    if kind == "conversation":
        return _swept_with_its_scope(tx, CONVERSATION_SCOPE, record_id)
    return False


MESSAGE_SCOPE = (
    select(m.created_revision, m.deleted_revision, c.deleted_revision.label("scope_revision"))
    .join(t.conversations, and_(c.owner == m.owner, c.id == m.conversation))
    .where(m.owner == OWNER, c.owner == OWNER, m.id == p("id"))
)
NOTE_SCOPE = select(
    t.notes.c.created_revision, t.notes.c.deleted_revision, t.notes.c.deleted_revision.label("scope_revision")
).where(t.notes.c.owner == OWNER, t.notes.c.id == p("id"))
CONVERSATION_SCOPE = select(
    c.created_revision, c.deleted_revision, c.deleted_revision.label("scope_revision")
).where(c.owner == OWNER, c.id == p("id"))


def _swept_with_its_scope(tx: Reader, statement: Any, record_id: str) -> bool:
    row = tx.first(statement, id=record_id)
    if row is None:
        return False
    ended = row.deleted_revision is not None or row.scope_revision is not None
    return ended or row.created_revision <= tx.floor


def turn_at(tx: Reader, at: int) -> int:
    """Return how many user messages the owner had sent by ``at`` (microseconds)."""
    row = tx.first(TURN_AT, at=at)
    if row is not None:
        return row.turn
    first = tx.first(FIRST_TURN)
    return 0 if first is None else max(0, first.turn - 1)


def open_places(tx: Writer, conversation: str, *, count: int, at: int) -> tuple[int, int, int]:
    """Reserve ``count`` places; return (first sequence number, effective time, conversation version).

    Raises:
        Gone: the conversation was deleted; its id is never used again.
    """
    if is_tombstoned(tx, "conversation", conversation):
        raise errors.Gone("The conversation was deleted.", kind="conversation", id=conversation)
    row = tx.run(OPEN_CONVERSATION, id=conversation, count=count, at=at)
    if row is None:
        raise errors.Gone("The conversation was deleted.", kind="conversation", id=conversation)
    return row.last_seq - count + 1, row.last_at, row.version


def is_tombstoned(tx: Reader, kind: str, key: str) -> bool:
    """Tell whether a tombstone stands for this key (only owners with deletions have any)."""
    return tx.epoch > 0 and tx.first(TOMBSTONE, kind=kind, key=key) is not None


def add_messages(tx: Writer, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert complete message rows."""
    tx.add(ADD_MESSAGES, rows)
