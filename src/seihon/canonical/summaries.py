"""Summaries as they are stored: the statements that make, retract, read and compare them.

A summary is readable while every message that it was made from is live in the version that it was made from:
whatever happens to one of them hides it at once. Its text is JSON, sealed like any text; once it is retracted
or superseded the row stays without it, so that versions go on growing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import and_, case, delete, exists, func, not_, or_, select, tuple_, update

from seihon.canonical import tables as t
from seihon.canonical.scope import (
    NOW,
    OWNER,
    REVISION,
    Reader,
    Writer,
    live_conversations,
    live_messages,
    p,
    standing_messages,
)

STORE: Final = "summaries"
RANGE: Final = "range"
TAIL: Final = "tail"

y, s, m, b = t.summaries.c, t.summary_sources.c, t.messages.c, t.tombstones.c
lm, lc = live_messages.c, live_conversations.c
_AT = (y.owner == OWNER, y.conversation == p("conversation"), y.block == p("block"))
_STANDS = y.state != "superseded"

_A_SOURCE_IS_GONE = exists(
    select(s.message).where(
        s.owner == OWNER,
        s.summary == y.id,
        not_(
            exists(select(lm.id).where(lm.id == s.message, lm.version == s.message_version)).correlate(
                t.summary_sources
            )
        ),
    )
).correlate(t.summaries)
READABLE = and_(
    y.state == "current",
    or_(y.expires_at.is_(None), y.expires_at > NOW),
    not_(_A_SOURCE_IS_GONE),
)

# --- Making one. ---

STANDING = select(t.summaries).where(*_AT, _STANDS)
LAST_VERSION = select(y.version).where(*_AT).order_by(y.version.desc()).limit(1)
ADD_SUMMARY = t.summaries.insert()
ADD_SOURCES = t.summary_sources.insert()
SUPERSEDE = update(t.summaries).where(*_AT, _STANDS).values(state="superseded", text="").returning(y.id)
DROP_SOURCES = delete(t.summary_sources).where(s.owner == OWNER, s.summary.in_(p("ids", many=True)))
SOURCES = select(s.summary, s.message, s.message_version).where(
    s.owner == OWNER, s.summary.in_(p("ids", many=True))
)
RANGE_MESSAGES = (
    select(lm.id, lm.seq, lm.version, lm.role, lm.content, lm.observed_at, lm.expires_at)
    .where(
        lm.conversation == p("conversation"),
        lm.seq >= p("first", t.Big),
        lm.seq <= p("last", t.Big),
    )
    .order_by(lm.seq)
)
STANDING_IN_RANGE = standing_messages(m.id, m.version).where(
    m.conversation == p("conversation"), m.seq >= p("first", t.Big), m.seq <= p("last", t.Big)
)
CONVERSATION_END = select(lc.last_seq).where(lc.id == p("conversation"))

# --- Which ranges there are, in the order of their keys: by block, then by conversation. ---

FULL_CONVERSATIONS = (
    select(lc.id)
    .where(lc.last_seq >= p("last", t.Big), lc.id > p("after"))
    .order_by(lc.id)
    .limit(p("limit", t.Big))
)
LONGEST_CONVERSATION = select(func.max(lc.last_seq).label("last_seq"))
HELD = (
    select(y.block, y.conversation)
    .where(
        y.owner == OWNER,
        y.state == "current",
        _STANDS,
        tuple_(y.block, y.conversation) > tuple_(p("after_block", t.Big), p("after", t.Key)),
    )
    .order_by(y.block, y.conversation)
    .limit(p("limit", t.Big))
)

# --- Retracting, in the transaction that changes a source. ---

_RETRACTED = {"state": "retracted", "text": ""}
RETRACT_DRAWN = (
    update(t.summaries)
    .where(
        y.owner == OWNER,
        y.state == "current",
        y.id.in_(select(s.summary).where(s.owner == OWNER, s.message.in_(p("messages", many=True)))),
    )
    .values(**_RETRACTED)
    .returning(y.block, y.conversation)
)
RETRACT = (
    update(t.summaries)
    .where(y.owner == OWNER, y.state == "current", y.id.in_(p("ids", many=True)))
    .values(**_RETRACTED)
    .returning(y.block, y.conversation)
)
PLACES = select(m.conversation, m.seq).where(m.owner == OWNER, m.id.in_(p("messages", many=True)))
_k, _ks = t.claims.c, t.claim_sources.c
# What was said of a field in messages that a summary was made from.
SAID_OF_FIELD = (
    select(y.id, _k.value)
    .distinct()
    .select_from(t.claims)
    .join(t.claim_sources, and_(_ks.owner == _k.owner, _ks.claim == _k.id))
    .join(t.summary_sources, and_(s.owner == _ks.owner, s.message == _ks.message))
    .join(t.summaries, and_(y.owner == s.owner, y.id == s.summary))
    .where(
        _k.owner == OWNER,
        _ks.owner == OWNER,
        s.owner == OWNER,
        y.owner == OWNER,
        _k.field == p("field"),
        _k.scope == p("scope"),
        # A claim of this transaction that becomes the value is no quote that any summary has left out.
        or_(_k.revision != REVISION, _k.id != p("promoted", t.Key)),
        y.state == "current",
    )
)

# --- Reading. ---

CURRENT = select(t.summaries).where(
    y.owner == OWNER,
    y.conversation == p("conversation"),
    y.block.in_(p("blocks", many=True)),
    _STANDS,
    READABLE,
)
PAGE = (
    select(t.summaries, case((READABLE, 1), else_=0).label("readable"))
    .where(
        y.owner == OWNER,
        y.conversation == p("conversation"),
        y.block > p("after", t.Big),
        _STANDS,
    )
    .order_by(y.block)
    .limit(p("limit", t.Big))
)
# --- What a deletion takes out, and the count of what is left. ---

_BURIED = select(b.key).where(b.owner == OWNER, b.receipt == p("receipt"), b.kind == "message")
_FROM_BURIED = (s.owner == OWNER, s.message.in_(_BURIED))
RETRACT_BURIED = (
    update(t.summaries)
    .where(
        y.owner == OWNER,
        y.state == "current",
        y.id.in_(select(s.summary).where(*_FROM_BURIED)),
    )
    .values(**_RETRACTED)
)
DROP_BURIED = delete(t.summary_sources).where(*_FROM_BURIED)
LEFT_BURIED = select(func.count()).where(*_FROM_BURIED)
OF_CONVERSATION = select(y.id).where(y.owner == OWNER, y.conversation == p("key")).limit(p("limit", t.Big))
LEFT_OF_CONVERSATION = select(func.count()).where(y.owner == OWNER, y.conversation == p("key"))
OF_LIFE = select(y.id).where(y.owner == OWNER, y.revision <= p("bound", t.Big)).limit(p("limit", t.Big))
LEFT_OF_LIFE = select(func.count()).where(y.owner == OWNER, y.revision <= p("bound", t.Big))
DROP_SUMMARIES = delete(t.summaries).where(y.owner == OWNER, y.id.in_(p("ids", many=True)))


def range_key(block: int, conversation: str, kind: str = RANGE) -> str:
    """Return the key of a range in the outbox.

    The block comes first, in a fixed width: ids hold any sign, and keys then go in the order of (block, id).
    """
    return f"{kind}:{block:010}/{conversation}"


def parse_key(key: str) -> tuple[str, int, str] | None:
    """Return (kind, block, conversation) of a range's key; ``None`` for another key."""
    kind, _, rest = key.partition(":")
    number, _, conversation = rest.partition("/")
    return (kind, int(number), conversation) if kind in (RANGE, TAIL) and number.isdigit() else None


def retract_drawn(tx: Writer, messages: Sequence[str]) -> None:
    """Retract every summary that was made from one of these messages; its range is made again."""
    _mark(tx, tx.all(RETRACT_DRAWN, messages=list(messages)) if messages else ())


def retract_superseded(
    tx: Writer, field: str, scope: str, *, before: Any, after: Any, promoted: str | None
) -> None:
    """Retract the summaries in which a quote begins or ceases to hold as a field's value changes.

    Those are the quotes of claims that say what the field said ``before`` or says ``after`` (JSON values,
    ``None``: blank); a claim without its value has lost its words, and counts as well. ``promoted`` is the
    claim that is the value now.
    """
    if before == after:
        return
    turned = (before, after, None)
    said = tx.all(SAID_OF_FIELD, field=field, scope=scope, promoted=promoted or "")
    ids = sorted({row.id for row in said if tx.open_json(row.value) in turned})
    _mark(tx, tx.all(RETRACT, ids=ids) if ids else ())


def _mark(tx: Writer, ranges: Iterable[Any]) -> None:
    tx.mark(*(range_key(row.block, row.conversation) for row in ranges))


def end_of(tx: Reader, conversation: str) -> int:
    """Return the last sequence number of a live conversation, 0 for any other."""
    row = tx.first(CONVERSATION_END, conversation=conversation)
    return 0 if row is None else row.last_seq
