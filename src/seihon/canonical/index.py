"""The full-text index as a store: the statements that fill it, empty it and compare it with the original.

The index holds keys and numbers. A tombstone is a document of length -1: it remembers a version.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    and_,
    case,
    cast,
    column,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from seihon.canonical import tables as t
from seihon.canonical.ordered import first
from seihon.canonical.scope import FLOOR, OWNER, ByDialect, by_dialect, live_messages, p

MESSAGE: Final = "message:"
NOTE: Final = "note:"
# Keys are compared bytewise, and this sign follows the one that ends the kind.
_AFTER_MESSAGES: Final = MESSAGE[:-1] + ";"

m, n, c = t.messages.c, t.notes.c, t.conversations.c
d, s, a = t.ft_documents.c, t.ft_postings.c, t.ft_statistics.c
x = t.dirty.c

_IN_ITS_CONVERSATION = and_(c.owner == m.owner, c.id == m.conversation)
_MESSAGE_ENDED = func.coalesce(m.deleted_revision, c.deleted_revision)
_MESSAGE_STANDS = and_(m.deleted_revision.is_(None), c.deleted_revision.is_(None), m.created_revision > FLOOR)
_NOTE_STANDS = and_(n.deleted_revision.is_(None), n.state == "current", n.created_revision > FLOOR)

# The originals behind keys, dead or alive: `ended` is the revision of the deletion.
MESSAGES = (
    select(
        m.id,
        m.content.label("text"),
        m.conversation,
        m.seq,
        m.revision,
        m.created_revision,
        _MESSAGE_ENDED.label("ended"),
        literal(1, t.Big).label("current"),
    )
    .select_from(first(t.messages, (t.conversations, _IN_ITS_CONVERSATION)))
    .where(m.owner == OWNER, c.owner == OWNER, m.id.in_(p("ids", many=True)))
)
# Messages whose entry is not made yet: what was just said must not be missing from a context. Of the keys,
# those marked last; a rebuild marks every one, and what it marks can be found all the while.
_WAITING = (
    select(func.substr(x.key, len(MESSAGE) + 1).label("id"))
    .where(x.owner == OWNER, x.store == "fulltext", x.key >= MESSAGE, x.key < _AFTER_MESSAGES)
    .order_by(x.revision.desc(), x.key)
    .limit(p("keys", t.Big))
    .subquery("waiting")
)
FRESH = (
    select(live_messages)
    .select_from(first(_WAITING, (live_messages, live_messages.c.id == _WAITING.c.id)))
    .order_by(live_messages.c.at.desc(), live_messages.c.id)
    .limit(p("limit", t.Big))
)
NOTES = select(
    n.id,
    n.text,
    literal("", t.Key).label("conversation"),
    literal(0, t.Big).label("seq"),
    n.revision,
    n.created_revision,
    n.deleted_revision.label("ended"),
    case((n.state == "current", 1), else_=0).label("current"),
).where(n.owner == OWNER, n.id.in_(p("ids", many=True)))
# The keys whose original stands, a page at a time; expired ones too, since a read leaves those out itself.
MESSAGE_PAGE = (
    select(m.id)
    .select_from(first(t.messages, (t.conversations, _IN_ITS_CONVERSATION)))
    .where(m.owner == OWNER, c.owner == OWNER, _MESSAGE_STANDS, m.id > p("after"))
    .order_by(m.id)
    .limit(p("limit", t.Big))
)
NOTE_PAGE = (
    select(n.id)
    .where(n.owner == OWNER, _NOTE_STANDS, n.id > p("after"))
    .order_by(n.id)
    .limit(p("limit", t.Big))
)

HELD = select(d.doc, d.version, d.length).where(d.owner == OWNER, d.doc.in_(p("docs", many=True)))
POSTINGS = select(s.doc, s.term, s.tf, s.length).where(s.owner == OWNER, s.doc.in_(p("docs", many=True)))


def _add_postings(rows: Any) -> Any:
    names = ("owner", "term", "doc", "tf", "length")
    return t.ft_postings.insert().from_select(list(names), rows)


def _rows_on_sqlite() -> Any:
    row = func.json_each(p("rows", t.Key)).table_valued("value").c.value
    return select(
        OWNER,
        func.json_extract(row, "$[0]"),
        func.json_extract(row, "$[1]"),
        func.json_extract(row, "$[2]"),
        func.json_extract(row, "$[3]"),
    )


def _rows_on_postgresql() -> Any:
    each = func.jsonb_array_elements(cast(p("rows", t.Key), JSONB))
    row: Any = each.table_valued(column("value", JSONB)).c.value
    return select(
        OWNER,
        cast(row[0].astext, t.Key),
        cast(row[1].astext, t.Key),
        cast(row[2].astext, t.Big),
        cast(row[3].astext, t.Big),
    )


# One list of [term, doc, tf, length]: a message has dozens of postings, and each row of its own costs a
# driver as much as a short statement.
ADD_POSTINGS = ByDialect(_add_postings(_rows_on_sqlite()), _add_postings(_rows_on_postgresql()))
DROP_POSTINGS = delete(t.ft_postings).where(s.owner == OWNER, s.doc.in_(p("docs", many=True)))
DROP_DOCUMENTS = delete(t.ft_documents).where(d.owner == OWNER, d.doc.in_(p("docs", many=True)))


def _put_document(insert: Any) -> Any:
    new = insert(t.ft_documents)
    return new.on_conflict_do_update(
        index_elements=["owner", "doc"],
        set_={name: new.excluded[name] for name in ("conversation", "seq", "version", "length")},
        where=d.version <= new.excluded.version,
    )


def _add_statistics(insert: Any) -> Any:
    new = insert(t.ft_statistics)
    return new.on_conflict_do_update(
        index_elements=["owner"],
        set_={"documents": a.documents + new.excluded.documents, "tokens": a.tokens + new.excluded.tokens},
    )


PUT_DOCUMENTS = by_dialect(_put_document)
ADD_STATISTICS = by_dialect(_add_statistics)
DROP_STATISTICS = delete(t.ft_statistics).where(a.owner == OWNER)
STATISTICS = select(a.documents, a.tokens).where(a.owner == OWNER)
COUNTED = select(
    func.count().label("documents"), cast(func.coalesce(func.sum(d.length), 0), t.Big).label("tokens")
).where(d.owner == OWNER, d.length >= 0)

# Every document, a page at a time, and postings that no entry owns.
DOCUMENT_PAGE = (
    select(d.doc)
    .where(d.owner == OWNER, d.length >= 0, d.doc > p("after"))
    .order_by(d.doc)
    .limit(p("limit", t.Big))
)
STRAY_POSTINGS = (
    select(s.doc)
    .outerjoin(t.ft_documents, and_(d.owner == s.owner, d.doc == s.doc, d.length >= 0))
    .where(s.owner == OWNER, s.doc > p("after"), d.doc.is_(None))
    .distinct()
    .order_by(s.doc)
    .limit(p("limit", t.Big))
)

# --- What a deletion takes out: (doc, length). ---

b = t.tombstones.c
BURIED = (
    select(b.key)
    .where(b.owner == OWNER, b.kind == p("kind"), b.key > p("after"), b.receipt == p("receipt"))
    .order_by(b.key)
    .limit(p("limit", t.Big))
)
OF_CONVERSATION = (
    select(m.id, m.seq)
    .where(m.owner == OWNER, m.conversation == p("key"), m.seq > p("after", t.Big))
    .order_by(m.seq)
    .limit(p("limit", t.Big))
)
HELD_OF_CONVERSATION = (
    select(d.doc, d.length, m.seq)
    .select_from(first(t.messages, (t.ft_documents, d.doc == literal(MESSAGE, t.Key) + m.id)))
    .where(
        d.owner == OWNER,
        d.length >= 0,
        m.owner == OWNER,
        m.conversation == p("key"),
        m.seq > p("after", t.Big),
    )
    .order_by(m.seq)
    .limit(p("limit", t.Big))
)
HELD_BEFORE = (
    select(d.doc, d.length).where(d.owner == OWNER, d.version <= p("bound", t.Big)).limit(p("limit", t.Big))
)
POSTINGS_OF = select(func.count()).where(s.owner == OWNER, s.doc.in_(p("docs", many=True)))
# A posting of an earlier life: its entry is of that life, or there is none.
POSTINGS_BEFORE = (
    select(func.count())
    .select_from(t.ft_postings)
    .outerjoin(t.ft_documents, and_(d.owner == s.owner, d.doc == s.doc))
    .where(s.owner == OWNER, or_(d.doc.is_(None), d.version <= p("bound", t.Big)))
)
BURY_DOCUMENTS = (
    update(t.ft_documents)
    .where(d.owner == OWNER, d.doc.in_(p("docs", many=True)))
    .values(length=-1, version=case((d.version > p("bound", t.Big), d.version), else_=p("bound", t.Big)))
)
STRAY_OF_OWNER = (
    select(s.doc)
    .outerjoin(t.ft_documents, and_(d.owner == s.owner, d.doc == s.doc))
    .where(s.owner == OWNER, d.doc.is_(None))
    .distinct()
    .limit(p("limit", t.Big))
)
CONVERSATION_ENDED = select(c.deleted_revision).where(c.owner == OWNER, c.id == p("key"))
