"""The full-text search: the statements that score, join and fetch.

An entry answers only while its version is that of the live row, so a copy that lags behind stays silent.
Texts are read from the original at the moment of the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import (
    Double,
    Select,
    and_,
    cast,
    column,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import JSONB

from seihon.canonical import tables as t
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.ordered import first
from seihon.canonical.scope import OWNER, ByDialect, live_messages, live_notes, p

_MESSAGE_ID: Final = len(MESSAGE) + 1
_NOTE_ID: Final = len(NOTE) + 1

d, s = t.ft_documents.c, t.ft_postings.c
lm, ln = live_messages.c, live_notes.c

# What joins the rows of a first source to a table, one by one: (the join, the joined columns).
_Source = Callable[[Any], tuple[Any, Any]]


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


def _search(sought: Any, by_term: _Source, beside_it: _Source) -> Any:
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
        _around(pool, beside_it),
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
            func.substr(scored.c.doc, 1, len(MESSAGE)) == MESSAGE,
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
            # Of the sums alone, so that no entry is looked up in vain.
            func.substr(scored.c.doc, 1, len(NOTE)) == NOTE,
            ln.state == "current",
            p("kind", t.Key).is_(None) | (p("kind", t.Key) == "note"),
            or_(p("scoped", t.Big) == 0, ln.scope.in_(p("scopes", many=True))),
        )
    )
    hits = union_all(messages, notes).subquery("hits")
    # Rounded like the final order, so that the order in which a database sums cannot move the cut.
    order = (func.round(hits.c.score * 1e9).desc(), hits.c.observed_at.desc(), hits.c.doc)
    return select(hits).order_by(*order).limit(p("pool", t.Big)).cte("pool")


def _near(row: Any, pool: Any) -> Any:
    reach = p("reach", t.Big)
    return and_(
        row.conversation == pool.c.conversation, row.seq.between(pool.c.seq - reach, pool.c.seq + reach)
    )


def _stored(row: Any) -> Any:
    doc = literal(MESSAGE, t.Key) + row.id
    return and_(d.owner == OWNER, d.doc == doc, d.version == row.revision, d.length >= 0)


def _beside_on_sqlite(pool: Any) -> tuple[Any, Any]:
    beside = live_messages.alias("beside")
    return first(pool, (beside, _near(beside.c, pool)), (t.ft_documents, _stored(beside.c))), beside.c


def _beside_on_postgresql(pool: Any) -> tuple[Any, Any]:
    beside = (
        select(lm.id, lm.conversation, lm.seq, lm.observed_at, lm.revision)
        .where(_near(lm, pool))
        .correlate(pool)
        .offset(literal_column("0"))
        .lateral("beside")
    )
    held = (
        select(d.doc).where(_stored(beside.c)).correlate(beside).offset(literal_column("0")).lateral("kept")
    )
    return pool.join(beside, true()).join(held, true()), beside.c


def _around(pool: Any, beside_it: _Source) -> Select[Any]:
    source, row = beside_it(pool)
    return (
        select(
            (literal(MESSAGE, t.Key) + row.id).label("doc"),
            row.conversation,
            row.seq,
            row.observed_at,
            cast(null(), Double()).label("score"),
            cast(null(), t.Big).label("held"),
        )
        .select_from(source)
        .where(pool.c.conversation != "")
        .distinct()
    )


SEARCH = ByDialect(
    sqlite=_search(_sought_on_sqlite(), _by_term_on_sqlite, _beside_on_sqlite),
    postgresql=_search(_sought_on_postgresql(), _by_term_on_postgresql, _beside_on_postgresql),
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
