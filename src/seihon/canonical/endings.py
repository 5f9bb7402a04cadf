"""When the first of some records is over: a copy of what was read is good until then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, case, cast, func, null, select, union_all

from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, Reader, p

m, c, n, y = t.messages.c, t.conversations.c, t.notes.c, t.summaries.c
ns, ys = t.note_sources.c, t.summary_sources.c

_ITS_CONVERSATION = and_(c.owner == m.owner, c.id == m.conversation)
_NONE = cast(null(), t.Big)


def _said(row: Any) -> Any:
    """Return when retention begins: the earlier of when it was said and its place in time."""
    return case((row.at < row.observed_at, row.at), else_=row.observed_at)


_OF_MESSAGES = (
    func.min(m.expires_at).label("ends"),
    func.min(_said(m) + c.retain_us).label("kept"),
    func.min(_said(m)).label("said"),
)
# Of messages and of what notes and summaries were made from; then of those themselves.
ENDS = union_all(
    select(*_OF_MESSAGES)
    .join(t.conversations, _ITS_CONVERSATION)
    .where(m.owner == OWNER, c.owner == OWNER, m.id.in_(p("messages", many=True))),
    select(*_OF_MESSAGES)
    .select_from(t.note_sources)
    .join(t.messages, and_(m.owner == ns.owner, m.id == ns.message))
    .join(t.conversations, _ITS_CONVERSATION)
    .where(ns.owner == OWNER, m.owner == OWNER, c.owner == OWNER, ns.note.in_(p("notes", many=True))),
    select(*_OF_MESSAGES)
    .select_from(t.summary_sources)
    .join(t.messages, and_(m.owner == ys.owner, m.id == ys.message))
    .join(t.conversations, _ITS_CONVERSATION)
    .where(ys.owner == OWNER, m.owner == OWNER, c.owner == OWNER, ys.summary.in_(p("summaries", many=True))),
    select(func.min(n.expires_at), _NONE, func.min(_said(n))).where(
        n.owner == OWNER, n.id.in_(p("notes", many=True))
    ),
    select(func.min(y.expires_at), _NONE, _NONE).where(y.owner == OWNER, y.id.in_(p("summaries", many=True))),
)


def first_end(
    tx: Reader, *, messages: Sequence[str], notes: Sequence[str], summaries: Sequence[str]
) -> int | None:
    """Return when the first of these can no longer be read (us), by any limit in time; ``None``: never."""
    rows = tx.all(ENDS, messages=list(messages), notes=list(notes), summaries=list(summaries))
    ends = [one for row in rows for one in (row.ends, row.kept) if one is not None]
    if tx.retain is not None:
        ends += [row.said + tx.retain for row in rows if row.said is not None]
    return min(ends, default=None)
