"""What a deletion overwrites of the original, in batches, and the count of what is left of it.

The deleting transaction hid all of it; here the words go. Rows stay as tombstones of themselves: ids,
versions and positions, no text. A run goes through them in order and remembers how far it came, so that no
batch looks at what an earlier one overwrote; its last look is at all of them. What a target covers is named
by its receipt's tombstones, by its conversation, or, for an owner, by the revision of the deletion.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, and_, func, or_, select, update

from seihon.canonical import records
from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, Reader, Writer, p

m, n, k, v, c, b, h = (
    t.messages.c,
    t.notes.c,
    t.claims.c,
    t.field_values.c,
    t.conversations.c,
    t.tombstones.c,
    t.changes.c,
)
_BOUND = p("bound", t.Big)
_LIMIT = p("limit", t.Big)
_AT: Final = "original"


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


class Step(NamedTuple):
    """The statement that overwrites rows of one kind, and the one that counts what is left of them.

    ``start``: what lies before every row in the order that the batches go by and answer with. ``None``: there
    is no order, the rows are few or were overwritten by the deletion itself.
    """

    erase: Any
    left: Any
    start: int | str | None = None


def _messages(*covered: Any, order: Any = None) -> tuple[Any, Any]:
    """Return the statement that overwrites a batch and the one that counts what is left."""
    some = _some(m.id, order, m.owner == OWNER, *covered, _MESSAGE_HOLDS)
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
    left = select(func.count()).where(m.owner == OWNER, *covered, _MESSAGE_HOLDS)
    return _telling(erase, order), left


def _some(id_: Any, order: Any, *held: Any) -> Select[Any]:
    """Return the ids of a batch: the next ones in an order, or any."""
    some = select(id_).where(*held).limit(_LIMIT)
    return some if order is None else some.where(order > p("after", order.type)).order_by(order)


def _telling(erase: Any, order: Any) -> Any:
    return erase if order is None else erase.returning(order)


def _notes(*covered: Any, order: Any = None) -> tuple[Any, Any]:
    some = _some(n.id, order, n.owner == OWNER, *covered, _NOTE_HOLDS)
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
    return _telling(erase, order), select(func.count()).where(n.owner == OWNER, *covered, _NOTE_HOLDS)


def _claims(*covered: Any, order: Any = None) -> tuple[Any, Any]:
    some = _some(k.id, order, k.owner == OWNER, *covered, k.value.is_not(None))
    erase = _telling(update(t.claims).where(k.owner == OWNER, k.id.in_(some)).values(value=None), order)
    return erase, select(func.count()).where(k.owner == OWNER, *covered, k.value.is_not(None))


# What the application said of its own calls (who, why, by which extractor) may hold the person's words. It
# goes with its owner; of each deletion the receipt keeps who asked for it and why.
def _extractors() -> tuple[Any, Any]:
    held = (k.owner == OWNER, k.revision <= _BOUND, k.extractor != "")
    erase = update(t.claims).where(k.owner == OWNER, k.id.in_(_some(k.id, k.id, *held))).values(extractor="")
    return _telling(erase, k.id), select(func.count()).where(*held)


def _changes() -> tuple[Any, Any]:
    held = (h.owner == OWNER, h.revision < _BOUND, or_(h.actor != "", h.reason != ""))
    some = _some(h.revision, h.revision, *held)
    erase = update(t.changes).where(h.owner == OWNER, h.revision.in_(some)).values(actor="", reason="")
    return _telling(erase, h.revision), select(func.count()).where(*held)


def _tombstones() -> tuple[Any, Any]:
    held = (b.owner == OWNER, b.revision < _BOUND, or_(b.actor != "", b.reason != ""))
    return update(t.tombstones).where(*held).values(actor="", reason=""), select(func.count()).where(*held)


def _values(*covered: Any) -> tuple[Any, Any]:
    # Rows are few beside messages: one statement takes them all.
    held = (v.owner == OWNER, *covered, _VALUE_HOLDS)
    erase = (
        update(t.field_values).where(*held).values(value=None, belief=None, claim=None, status="withdrawn")
    )
    return erase, select(func.count()).where(*held)


def _conversations(*covered: Any) -> tuple[Any, Any]:
    held = (c.owner == OWNER, *covered, c.metadata.is_not(None))
    erase = update(t.conversations).where(*held).values(metadata=None)
    return erase, select(func.count()).where(*held)


def _values_of(claims: Any) -> Any:
    of = select(k.id).where(k.owner == OWNER, claims)
    # An open row too: one that still names a withdrawn claim is what the read-back is there to see.
    return v.claim.in_(of)


_BURIED_MESSAGES = _withdrawn_from(_buried("message"))
_CONVERSATION_CLAIMS = _withdrawn_from(_OF_CONVERSATION)
_FIELD_CLAIMS = and_(_CLAIM_KEY.in_(_FIELD), k.revision <= _BOUND)

ERASE_BURIED_MESSAGES, LEFT_BURIED_MESSAGES = _messages(m.id.in_(_buried("message")))
ERASE_BURIED_NOTES, LEFT_BURIED_NOTES = _notes(n.id.in_(_buried("note")))
ERASE_BURIED_CLAIMS, LEFT_BURIED_CLAIMS = _claims(or_(_BURIED_MESSAGES, _FIELD_CLAIMS))
ERASE_BURIED_VALUES, LEFT_BURIED_VALUES = _values(
    or_(_values_of(_BURIED_MESSAGES), and_(_VALUE_KEY.in_(_FIELD), v.opened_revision <= _BOUND))
)
ERASE_CONVERSATION_MESSAGES, LEFT_CONVERSATION_MESSAGES = _messages(m.conversation == p("key"), order=m.seq)
ERASE_CONVERSATION_CLAIMS, LEFT_CONVERSATION_CLAIMS = _claims(_CONVERSATION_CLAIMS)
ERASE_CONVERSATION_VALUES, LEFT_CONVERSATION_VALUES = _values(_values_of(_CONVERSATION_CLAIMS))
ERASE_CONVERSATION, LEFT_CONVERSATION = _conversations(c.id == p("key"))
ERASE_OWNED_MESSAGES, LEFT_OWNED_MESSAGES = _messages(m.created_revision <= _BOUND, order=m.id)
ERASE_OWNED_NOTES, LEFT_OWNED_NOTES = _notes(n.created_revision <= _BOUND, order=n.id)
ERASE_OWNED_CLAIMS, LEFT_OWNED_CLAIMS = _claims(k.revision <= _BOUND, order=k.id)
ERASE_OWNED_VALUES, LEFT_OWNED_VALUES = _values(v.opened_revision <= _BOUND)
ERASE_OWNED_CONVERSATIONS, LEFT_OWNED_CONVERSATIONS = _conversations(c.created_revision <= _BOUND)
ERASE_OWNED_EXTRACTORS, LEFT_OWNED_EXTRACTORS = _extractors()
ERASE_OWNED_CHANGES, LEFT_OWNED_CHANGES = _changes()
ERASE_OWNED_TOMBSTONES, LEFT_OWNED_TOMBSTONES = _tombstones()

_RECORDS: Final = (
    Step(ERASE_BURIED_MESSAGES, LEFT_BURIED_MESSAGES),
    Step(ERASE_BURIED_NOTES, LEFT_BURIED_NOTES),
    Step(ERASE_BURIED_CLAIMS, LEFT_BURIED_CLAIMS),
    Step(ERASE_BURIED_VALUES, LEFT_BURIED_VALUES),
)
STEPS: Final[Mapping[str, tuple[Step, ...]]] = {
    "message": _RECORDS,
    "note": _RECORDS,
    "field": _RECORDS,
    "conversation": (
        Step(ERASE_CONVERSATION_MESSAGES, LEFT_CONVERSATION_MESSAGES, -1),
        Step(ERASE_BURIED_NOTES, LEFT_BURIED_NOTES),
        Step(ERASE_CONVERSATION_CLAIMS, LEFT_CONVERSATION_CLAIMS),
        Step(ERASE_CONVERSATION_VALUES, LEFT_CONVERSATION_VALUES),
        Step(ERASE_CONVERSATION, LEFT_CONVERSATION),
    ),
    "owner": (
        Step(ERASE_OWNED_MESSAGES, LEFT_OWNED_MESSAGES, ""),
        Step(ERASE_OWNED_NOTES, LEFT_OWNED_NOTES, ""),
        Step(ERASE_OWNED_CLAIMS, LEFT_OWNED_CLAIMS, ""),
        Step(ERASE_OWNED_VALUES, LEFT_OWNED_VALUES),
        Step(ERASE_OWNED_CONVERSATIONS, LEFT_OWNED_CONVERSATIONS),
        Step(ERASE_OWNED_EXTRACTORS, LEFT_OWNED_EXTRACTORS, ""),
        Step(ERASE_OWNED_CHANGES, LEFT_OWNED_CHANGES, 0),
        Step(ERASE_OWNED_TOMBSTONES, LEFT_OWNED_TOMBSTONES),
    ),
}


def erase(
    tx: Writer,
    kind: str,
    *,
    key: str,
    receipt: str,
    bound: int,
    limit: int,
    progress: MutableMapping[str, Any],
) -> int:
    """Overwrite at most about ``limit`` rows of a kind; return how many held text.

    ``progress``: empty for a new run, then as the last call left it, unless that was rolled back. 0 is
    answered only after a look at everything.
    """
    named = {"key": key, "receipt": receipt, "bound": bound, "limit": limit}
    at = progress.pop(_AT, None)
    begin, after = at or (0, None)
    total = 0
    for number, step in enumerate(STEPS[kind][begin:], begin):
        count, after = _overwrite(tx, step, after, named)
        total += count
        if count >= limit:
            progress[_AT] = (number, after)
            return total
        after = None
    if total or at is None:
        return total
    return erase(tx, kind, key=key, receipt=receipt, bound=bound, limit=limit, progress=progress)


def _overwrite(tx: Writer, step: Step, after: Any, named: Mapping[str, Any]) -> tuple[int, int | str | None]:
    """Run one statement; return how many rows it overwrote, and the last of them in their order."""
    if step.start is None:
        return tx.count(step.erase, **named), None
    rows = tx.all(step.erase, **named, after=step.start if after is None else after)
    return len(rows), max((row[0] for row in rows), default=None)


def left(tx: Reader, kind: str, *, key: str, receipt: str, bound: int) -> int:
    """Return how many rows of a target still hold text."""
    named = {"key": key, "receipt": receipt, "bound": bound}
    return sum(records.left(tx, step.left, **named) for step in STEPS[kind])
