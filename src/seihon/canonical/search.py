"""The full-text index: the statements over its tables, and over the originals that it copies.

The index holds keys and numbers; texts are read from the original at the moment of the answer. An entry
answers only while its version is that of the live row, so a copy that lags behind stays silent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import (
    Double,
    Select,
    and_,
    case,
    cast,
    column,
    delete,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    true,
    union,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from seihon.canonical import tables as t
from seihon.canonical.ordered import first
from seihon.canonical.scope import FLOOR, OWNER, ByDialect, by_dialect, live_messages, live_notes, p

MESSAGE: Final = "message:"
NOTE: Final = "note:"
_MESSAGE_ID: Final = len(MESSAGE) + 1
_NOTE_ID: Final = len(NOTE) + 1

m, n, c = t.messages.c, t.notes.c, t.conversations.c
d, s, a = t.ft_documents.c, t.ft_postings.c, t.ft_statistics.c
lm, ln = live_messages.c, live_notes.c

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
    .join(t.conversations, _IN_ITS_CONVERSATION)
    .where(m.owner == OWNER, c.owner == OWNER, m.id.in_(p("ids", many=True)))
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
    .join(t.conversations, _IN_ITS_CONVERSATION)
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
ADD_POSTINGS = t.ft_postings.insert()
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

# --- What a deletion takes out, a batch at a time: (doc, length, version of its end). ---

_HELD_MESSAGE = and_(d.owner == m.owner, d.doc == literal(MESSAGE, t.Key) + m.id, d.length >= 0)
_HELD_NOTE = and_(d.owner == n.owner, d.doc == literal(NOTE, t.Key) + n.id, d.length >= 0)


# Notes that were drawn from what was deleted ended in the same transaction.
_ENDED_WITH_IT = (
    select(d.doc, d.length)
    .select_from(t.notes)
    .join(t.ft_documents, _HELD_NOTE)
    .where(n.owner == OWNER, d.owner == OWNER, n.deleted_revision == p("bound", t.Big))
)
b = t.tombstones.c
_BURIED_WITH_IT = (
    select(d.doc, d.length)
    .select_from(t.tombstones)
    .join(t.ft_documents, and_(d.owner == b.owner, d.doc == b.kind + ":" + b.key, d.length >= 0))
    .where(b.owner == OWNER, d.owner == OWNER, b.receipt == p("receipt"), b.kind.in_(["message", "note"]))
)


def _batch(*parts: Select[Any]) -> Any:
    found = union(*parts).subquery()
    return select(found.c.doc, found.c.length).limit(p("limit", t.Big))


_OF_CONVERSATION = (
    select(d.doc, d.length)
    .select_from(t.messages)
    .join(t.ft_documents, _HELD_MESSAGE)
    .where(m.owner == OWNER, d.owner == OWNER, m.conversation == p("key"))
)
HELD_OF_CONVERSATION = _batch(_OF_CONVERSATION, _ENDED_WITH_IT)
HELD_OF_RECORDS = _batch(_BURIED_WITH_IT, _ENDED_WITH_IT)
HELD_BEFORE = (
    select(d.doc, d.length).where(d.owner == OWNER, d.version <= p("bound", t.Big)).limit(p("limit", t.Big))
)
_SCOPE_POSTINGS = literal(MESSAGE, t.Key) + m.id == s.doc
POSTINGS_OF_RECORDS = (
    select(func.count())
    .select_from(t.tombstones)
    .join(t.ft_postings, and_(s.owner == b.owner, s.doc == b.kind + ":" + b.key))
    .where(b.owner == OWNER, s.owner == OWNER, b.receipt == p("receipt"), b.kind.in_(["message", "note"]))
)
POSTINGS_OF_CONVERSATION = (
    select(func.count())
    .select_from(t.messages)
    .join(t.ft_postings, and_(s.owner == m.owner, _SCOPE_POSTINGS))
    .where(m.owner == OWNER, s.owner == OWNER, m.conversation == p("key"))
)
# A posting of an earlier life: its entry is of that life, or there is none.
POSTINGS_BEFORE = (
    select(func.count())
    .select_from(t.ft_postings)
    .outerjoin(t.ft_documents, and_(d.owner == s.owner, d.doc == s.doc))
    .where(s.owner == OWNER, or_(d.doc.is_(None), d.version <= p("bound", t.Big)))
)
STRAY_OF_RECORDS = (
    select(s.doc)
    .select_from(t.tombstones)
    .join(t.ft_postings, and_(s.owner == b.owner, s.doc == b.kind + ":" + b.key))
    .where(b.owner == OWNER, s.owner == OWNER, b.receipt == p("receipt"), b.kind.in_(["message", "note"]))
    .distinct()
    .limit(p("limit", t.Big))
)
STRAY_OF_CONVERSATION = (
    select(s.doc)
    .select_from(t.messages)
    .join(t.ft_postings, and_(s.owner == m.owner, _SCOPE_POSTINGS))
    .where(m.owner == OWNER, s.owner == OWNER, m.conversation == p("key"))
    .distinct()
    .limit(p("limit", t.Big))
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

# --- The search. ---

FREQUENCIES = (
    select(s.term, func.count().label("df"))
    .where(s.owner == OWNER, s.term.in_(p("terms", many=True)))
    .group_by(s.term)
)


def _sought_on_sqlite() -> Any:
    each = func.json_each(p("sought", t.Key)).table_valued("value")
    return select(
        func.json_extract(each.c.value, "$[0]", type_=t.Key).label("term"),
        func.json_extract(each.c.value, "$[1]", type_=Double()).label("weight"),
        func.json_extract(each.c.value, "$[2]", type_=t.Big).label("bit"),
    ).subquery("sought")


def _sought_on_postgresql() -> Any:
    each = func.jsonb_array_elements(cast(p("sought", t.Key), JSONB)).table_valued(column("value", JSONB))
    value: Any = each.c.value
    return select(
        cast(value[0].astext, t.Key).label("term"),
        cast(value[1].astext, Double()).label("weight"),
        cast(value[2].astext, t.Big).label("bit"),
    ).subquery("sought")


def _by_term_on_sqlite(sought: Any) -> tuple[Any, Any]:
    return first(sought, (t.ft_postings, and_(s.owner == OWNER, s.term == sought.c.term))), s


def _by_term_on_postgresql(sought: Any) -> tuple[Any, Any]:
    # The server takes the list for long and would read the whole index; OFFSET keeps it to one term each.
    held = (
        select(s.doc, s.tf, s.length)
        .where(s.owner == OWNER, s.term == sought.c.term)
        .correlate(sought)
        .offset(literal_column("0"))
        .lateral("held")
    )
    return sought.join(held, true()), held.c


def _search(sought: Any, by_term: Callable[[Any], tuple[Any, Any]]) -> Any:
    """Build the one scoring statement.

    Postings are summed by entry, the sums joined to what is live in the version that was indexed, and only
    then cut to the pool; beside the pool come the entries within reach of it, which may gain from it.
    """
    source, held = by_term(sought)
    tf, base, slope = cast(held.tf, Double()), p("base", Double()), p("slope", Double())
    weight = sought.c.weight * tf * p("gain", Double()) / (tf + base + slope * held.length)
    scored = (
        select(held.doc, func.sum(weight).label("score"), cast(func.sum(sought.c.bit), t.Big).label("held"))
        .select_from(source)
        .group_by(held.doc)
        .cte("scored")
    )
    pool = _pool(scored)
    return union_all(
        select(pool.c.doc, pool.c.conversation, pool.c.seq, pool.c.observed_at, pool.c.score, pool.c.held),
        _around(pool),
    )


def _pool(scored: Any) -> Any:
    stored = and_(d.owner == OWNER, d.doc == scored.c.doc, d.length >= 0)
    messages = (
        select(scored, lm.conversation, lm.seq, lm.observed_at)
        .select_from(
            first(
                scored,
                (t.ft_documents, stored),
                (live_messages, and_(lm.id == func.substr(d.doc, _MESSAGE_ID), lm.revision == d.version)),
            )
        )
        .where(
            d.kind == "message",
            p("kind", t.Key).is_(None) | (p("kind", t.Key) == "message"),
            p("conversation", t.Key).is_(None) | (lm.conversation == p("conversation", t.Key)),
            lm.role.in_(p("roles", many=True)),
        )
    )
    notes = (
        select(
            scored, literal("", t.Key).label("conversation"), literal(0, t.Big).label("seq"), ln.observed_at
        )
        .select_from(
            first(
                scored,
                (t.ft_documents, stored),
                (live_notes, and_(ln.id == func.substr(d.doc, _NOTE_ID), ln.revision == d.version)),
            )
        )
        .where(
            d.kind == "note",
            ln.state == "current",
            p("kind", t.Key).is_(None) | (p("kind", t.Key) == "note"),
            or_(p("scoped", t.Big) == 0, ln.scope.in_(p("scopes", many=True))),
        )
    )
    hits = union_all(messages, notes).subquery("hits")
    # Rounded like the final order, so that the order in which a database sums cannot move the cut.
    order = (func.round(hits.c.score * 1e9).desc(), hits.c.observed_at.desc(), hits.c.doc)
    return select(hits).order_by(*order).limit(p("pool", t.Big)).cte("pool")


def _around(pool: Any) -> Select[Any]:
    beside = live_messages.alias("beside")
    doc = literal(MESSAGE, t.Key) + beside.c.id
    reach = p("reach", t.Big)
    near = and_(
        beside.c.conversation == pool.c.conversation,
        beside.c.seq.between(pool.c.seq - reach, pool.c.seq + reach),
    )
    return (
        select(
            d.doc,
            beside.c.conversation,
            beside.c.seq,
            beside.c.observed_at,
            cast(null(), Double()).label("score"),
            cast(null(), t.Big).label("held"),
        )
        .select_from(
            first(
                pool,
                (beside, near),
                (
                    t.ft_documents,
                    and_(d.owner == OWNER, d.doc == doc, d.version == beside.c.revision, d.length >= 0),
                ),
            )
        )
        .where(pool.c.conversation != "")
        .distinct()
    )


SEARCH = ByDialect(
    sqlite=_search(_sought_on_sqlite(), _by_term_on_sqlite),
    postgresql=_search(_sought_on_postgresql(), _by_term_on_postgresql),
)
FOUND = union_all(
    select(
        (literal(MESSAGE, t.Key) + lm.id).label("doc"),
        lm.id,
        lm.content.label("text"),
        lm.version,
        lm.revision,
        lm.observed_at,
        lm.at,
        lm.conversation,
        lm.seq,
        lm.role,
        lm.trust,
        literal("", t.Key).label("scope"),
    ).where(lm.id.in_(p("messages", many=True))),
    select(
        (literal(NOTE, t.Key) + ln.id).label("doc"),
        ln.id,
        ln.text,
        ln.version,
        ln.revision,
        ln.observed_at,
        ln.at,
        literal("", t.Key).label("conversation"),
        literal(0, t.Big).label("seq"),
        literal("", t.Key).label("role"),
        literal("", t.Key).label("trust"),
        ln.scope,
    ).where(ln.id.in_(p("notes", many=True)), ln.state == "current"),
)
