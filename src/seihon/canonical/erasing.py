"""What a deletion overwrites of the original, in batches, and the count of what is left of it.

The deleting transaction hid all of it; here the words go. Rows stay as tombstones of themselves: ids,
versions and positions, no text. What a target covers is named by its receipt's tombstones, by its
conversation, or, for an owner, by the revision of the deletion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Select, and_, func, or_, select, update

from seihon.canonical import records
from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, Reader, Writer, p

m, n, k, v, c, b = (
    t.messages.c,
    t.notes.c,
    t.claims.c,
    t.field_values.c,
    t.conversations.c,
    t.tombstones.c,
)
_BOUND = p("bound", t.Big)
_LIMIT = p("limit", t.Big)


def _buried(kind: str) -> Select[Any]:
    return select(b.key).where(b.owner == OWNER, b.receipt == p("receipt"), b.kind == kind)


_OF_CONVERSATION = select(m.id).where(m.owner == OWNER, m.conversation == p("key"))
_MESSAGE_HOLDS = or_(m.content != "", m.metadata.is_not(None))
_NOTE_HOLDS = or_(n.text != "", n.metadata.is_not(None))
_VALUE_HOLDS = or_(v.value.is_not(None), v.belief.is_not(None))
_FIELD = _buried("field")
_CLAIM_KEY = k.field + "@" + k.scope
_VALUE_KEY = v.field + "@" + v.scope


def _withdrawn_from(messages: Select[Any]) -> Any:
    """Return which claims lost their words with these messages; an edit may have kept their value."""
    return and_(k.state == "withdrawn", k.message.in_(messages))


def _messages(*covered: Any) -> tuple[Any, Any]:
    """Return the statement that overwrites a batch and the one that counts what is left."""
    some = select(m.id).where(m.owner == OWNER, *covered, _MESSAGE_HOLDS).limit(_LIMIT)
    erase = (
        update(t.messages)
        .where(m.owner == OWNER, m.id.in_(some))
        .values(
            content="",
            metadata=None,
            deleted_revision=func.coalesce(m.deleted_revision, _BOUND),
            version=m.version + 1,
        )
    )
    return erase, select(func.count()).where(m.owner == OWNER, *covered, _MESSAGE_HOLDS)


def _notes(*covered: Any) -> tuple[Any, Any]:
    some = select(n.id).where(n.owner == OWNER, *covered, _NOTE_HOLDS).limit(_LIMIT)
    erase = (
        update(t.notes)
        .where(n.owner == OWNER, n.id.in_(some))
        .values(
            text="",
            metadata=None,
            deleted_revision=func.coalesce(n.deleted_revision, _BOUND),
            version=n.version + 1,
        )
    )
    return erase, select(func.count()).where(n.owner == OWNER, *covered, _NOTE_HOLDS)


def _claims(*covered: Any) -> tuple[Any, Any]:
    some = select(k.id).where(k.owner == OWNER, *covered, k.value.is_not(None)).limit(_LIMIT)
    erase = update(t.claims).where(k.owner == OWNER, k.id.in_(some)).values(value=None)
    return erase, select(func.count()).where(k.owner == OWNER, *covered, k.value.is_not(None))


def _values(*covered: Any) -> tuple[Any, Any]:
    # Rows are few beside messages: one statement takes them all.
    held = (v.owner == OWNER, *covered, _VALUE_HOLDS)
    erase = update(t.field_values).where(*held).values(value=None, belief=None)
    return erase, select(func.count()).where(*held)


def _conversations(*covered: Any) -> tuple[Any, Any]:
    held = (c.owner == OWNER, *covered, c.metadata.is_not(None))
    erase = update(t.conversations).where(*held).values(metadata=None)
    return erase, select(func.count()).where(*held)


def _values_of(claims: Any) -> Any:
    of = select(k.id).where(k.owner == OWNER, claims)
    return and_(v.closed_revision.is_not(None), v.claim.in_(of))


_BURIED_MESSAGES = _withdrawn_from(_buried("message"))
_CONVERSATION_CLAIMS = _withdrawn_from(_OF_CONVERSATION)
_FIELD_CLAIMS = and_(_CLAIM_KEY.in_(_FIELD), k.revision <= _BOUND)

ERASE_BURIED_MESSAGES, LEFT_BURIED_MESSAGES = _messages(m.id.in_(_buried("message")))
ERASE_BURIED_NOTES, LEFT_BURIED_NOTES = _notes(n.id.in_(_buried("note")))
ERASE_BURIED_CLAIMS, LEFT_BURIED_CLAIMS = _claims(or_(_BURIED_MESSAGES, _FIELD_CLAIMS))
ERASE_BURIED_VALUES, LEFT_BURIED_VALUES = _values(
    or_(_values_of(_BURIED_MESSAGES), and_(_VALUE_KEY.in_(_FIELD), v.opened_revision <= _BOUND))
)
ERASE_CONVERSATION_MESSAGES, LEFT_CONVERSATION_MESSAGES = _messages(m.conversation == p("key"))
ERASE_CONVERSATION_CLAIMS, LEFT_CONVERSATION_CLAIMS = _claims(_CONVERSATION_CLAIMS)
ERASE_CONVERSATION_VALUES, LEFT_CONVERSATION_VALUES = _values(_values_of(_CONVERSATION_CLAIMS))
ERASE_CONVERSATION, LEFT_CONVERSATION = _conversations(c.id == p("key"))
ERASE_OWNED_MESSAGES, LEFT_OWNED_MESSAGES = _messages(m.created_revision <= _BOUND)
ERASE_OWNED_NOTES, LEFT_OWNED_NOTES = _notes(n.created_revision <= _BOUND)
ERASE_OWNED_CLAIMS, LEFT_OWNED_CLAIMS = _claims(k.revision <= _BOUND)
ERASE_OWNED_VALUES, LEFT_OWNED_VALUES = _values(v.opened_revision <= _BOUND)
ERASE_OWNED_CONVERSATIONS, LEFT_OWNED_CONVERSATIONS = _conversations(c.created_revision <= _BOUND)

_RECORDS: Final = (
    (ERASE_BURIED_MESSAGES, LEFT_BURIED_MESSAGES),
    (ERASE_BURIED_NOTES, LEFT_BURIED_NOTES),
    (ERASE_BURIED_CLAIMS, LEFT_BURIED_CLAIMS),
    (ERASE_BURIED_VALUES, LEFT_BURIED_VALUES),
)
STEPS: Final[Mapping[str, tuple[tuple[Any, Any], ...]]] = {
    "message": _RECORDS,
    "note": _RECORDS,
    "field": _RECORDS,
    "conversation": (
        (ERASE_CONVERSATION_MESSAGES, LEFT_CONVERSATION_MESSAGES),
        (ERASE_BURIED_NOTES, LEFT_BURIED_NOTES),
        (ERASE_CONVERSATION_CLAIMS, LEFT_CONVERSATION_CLAIMS),
        (ERASE_CONVERSATION_VALUES, LEFT_CONVERSATION_VALUES),
        (ERASE_CONVERSATION, LEFT_CONVERSATION),
    ),
    "owner": (
        (ERASE_OWNED_MESSAGES, LEFT_OWNED_MESSAGES),
        (ERASE_OWNED_NOTES, LEFT_OWNED_NOTES),
        (ERASE_OWNED_CLAIMS, LEFT_OWNED_CLAIMS),
        (ERASE_OWNED_VALUES, LEFT_OWNED_VALUES),
        (ERASE_OWNED_CONVERSATIONS, LEFT_OWNED_CONVERSATIONS),
    ),
}


def erase(tx: Writer, kind: str, *, key: str, receipt: str, bound: int, limit: int) -> int:
    """Overwrite at most about ``limit`` rows of each kind; return how many held text."""
    named = {"key": key, "receipt": receipt, "bound": bound, "limit": limit}
    return sum(tx.count(statement, **named) for statement, _ in STEPS[kind])


def left(tx: Reader, kind: str, *, key: str, receipt: str, bound: int) -> int:
    """Return how many rows of a target still hold text."""
    named = {"key": key, "receipt": receipt, "bound": bound}
    return sum(records.left(tx, statement, **named) for _, statement in STEPS[kind])
