"""The full-text search: the statements that score, join and fetch.

An entry answers only while its version is that of the live row, so a copy that lags behind stays silent.
Texts are read from the original at the moment of the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import (
    Double,
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

DOUBLE: Final = Double[float]()

d, s = t.ft_documents.c, t.ft_postings.c
lm, ln = live_messages.c, live_notes.c

# What joins the rows of a first source to a table, one by one: (the join, the joined columns).
_Source = Callable[[Any], tuple[Any, Any]]
_Live = Callable[[Any, Any, int], tuple[Any, Any]]


FREQUENCIES = (
    select(s.term, func.count().label("df"))
    .where(s.owner == OWNER, s.term.in_(p("terms", many=True)))
    .group_by(s.term)
)


def _sought_on_sqlite() -> Any:
    each = func.json_each(p("sought", t.Key)).table_valued("value")
    return select(
        func.json_extract(each.c.value, "$[0]", type_=t.Key).label("term"),
        func.json_extract(each.c.value, "$[1]", type_=DOUBLE).label("weight"),
        func.json_extract(each.c.value, "$[2]", type_=t.Big).label("bit"),
    ).subquery("sought")


def _sought_on_postgresql() -> Any:
    each = func.jsonb_array_elements(cast(p("sought", t.Key), JSONB)).table_valued(column("value", JSONB))
    value: Any = each.c.value
    return select(
        cast(value[0].astext, t.Key).label("term"),
        cast(value[1].astext, DOUBLE).label("weight"),
        cast(value[2].astext, t.Big).label("bit"),
    ).subquery("sought")


def _by_term_on_sqlite(sought: Any) -> tuple[Any, Any]:
    return first(sought, (t.ft_postings, and_(s.owner == OWNER, s.term == sought.c.term))), s


def _by_term_on_postgresql(sought: Any) -> tuple[Any, Any]:
    # The server takes the list for long and would read the whole index.
    asked = select(s.doc, s.tf, s.length).where(s.owner == OWNER, s.term == sought.c.term).correlate(sought)
    held = one_by_one(asked, "held")
    return sought.join(held, true()), held.c


def _search(sought: Any, by_term: _Source, live: _Live, beside_it: _Source) -> Any:
    """Build the one scoring statement.

    Postings are summed by entry, the sums joined to what is live in the version that was indexed, and only
    then cut to the pool; beside the pool come the entries within reach of it, which may gain from it.
    """
    source, held = by_term(sought)
    tf, base, slope = cast(held.tf, DOUBLE), p("base", DOUBLE), p("slope", DOUBLE)
    weight = sought.c.weight * tf * p("gain", DOUBLE) / (tf + base + slope * held.length)
    scored = (
        select(held.doc, func.sum(weight).label("score"), cast(func.sum(sought.c.bit), t.Big).label("held"))
        .select_from(source)
        .group_by(held.doc)
        .cte("scored")
    )
    pool = pool_of(scored, live)
    return union_all(
        select(pool.c.doc, pool.c.conversation, pool.c.seq, pool.c.observed_at, pool.c.score, pool.c.held),
        _around(pool, beside_it),
    )


def _live_on_sqlite(scored: Any, live: Any, start: int) -> tuple[Any, Any]:
    same = and_(live.c.id == func.substr(d.doc, start), live.c.revision == d.version)
    return first(scored, (t.ft_documents, _kept(scored)), (live, same)), live.c


def _live_on_postgresql(scored: Any, live: Any, start: int) -> tuple[Any, Any]:
    # Row-level security lets no expression over another table's column reach an index; a parameter may.
    kept = one_by_one(select(d.doc, d.version).where(_kept(scored)).correlate(scored), "kept")
    same = and_(live.c.id == func.substr(kept.c.doc, start), live.c.revision == kept.c.version)
    row = one_by_one(select(live).where(same).correlate(kept), "row")
    return scored.join(kept, true()).join(row, true()), row.c


def one_by_one(asked: Any, name: str) -> Any:
    """Return a lateral subquery that PostgreSQL runs once for each row, by index."""
    return asked.offset(literal_column("0")).lateral(name)


def _kept(scored: Any) -> Any:
    return and_(d.owner == OWNER, d.doc == scored.c.doc, d.length >= 0)


def pool_of(scored: Any, live: _Live) -> Any:
    """Build the cut: the best entries of those that are live.

    Looking originals up costs more than summing, so the best sums come first, and the rest only when too few
    of these are live.
    """
    size = p("pool", t.Big)
    # Rounded like the final order, so that the order in which a database sums cannot move the cut.
    rank = func.round(scored.c.score * 1e9)
    last = select(rank.label("rank")).order_by(rank.desc()).limit(1).offset(size * 2).scalar_subquery()
    bar = select(func.coalesce(last, literal(-1.0, DOUBLE)).label("least")).cte("bar")
    high = select(bar.c.least).scalar_subquery()
    near = union_all(*_hits(scored, live, rank >= high)).cte("near")
    few = select(func.count()).select_from(near).scalar_subquery() < size
    hits = union_all(select(near), *_hits(scored, live, and_(few, rank < high))).subquery("hits")
    order = (func.round(hits.c.score * 1e9).desc(), hits.c.observed_at.desc(), hits.c.doc)
    return select(hits).order_by(*order).limit(size).cte("pool")


def _hits(scored: Any, live: _Live, among: Any) -> tuple[Any, Any]:
    """Build the live originals, messages and notes, of those sums that fulfil a condition."""
    source, row = live(scored, live_messages, len(MESSAGE) + 1)
    messages = (
        select(scored, row.conversation, row.seq, row.observed_at)
        .select_from(source)
        .where(
            among,
            func.substr(scored.c.doc, 1, len(MESSAGE)) == MESSAGE,
            _asked("kind", literal("message", t.Key)),
            _asked("conversation", row.conversation),
        )
    )
    source, row = live(scored, live_notes, len(NOTE) + 1)
    notes = (
        select(
            scored, literal("", t.Key).label("conversation"), literal(0, t.Big).label("seq"), row.observed_at
        )
        .select_from(source)
        .where(
            among,
            func.substr(scored.c.doc, 1, len(NOTE)) == NOTE,
            _asked("kind", literal("note", t.Key)),
            row.state == "current",
            or_(p("scoped", t.Big) == 0, row.scope.in_(p("scopes", many=True))),
        )
    )
    return messages, notes


def _asked(name: str, column: Any) -> Any:
    wanted = p(name, t.Key)
    return or_(wanted.is_(None), column == wanted)


def within_reach(row: Any, pool: Any) -> Any:
    reach = p("reach", t.Big)
    return and_(
        row.conversation == pool.c.conversation, row.seq.between(pool.c.seq - reach, pool.c.seq + reach)
    )


def _stored(row: Any) -> Any:
    doc = literal(MESSAGE, t.Key) + row.id
    return and_(d.owner == OWNER, d.doc == doc, d.version == row.revision, d.length >= 0)


def _beside_on_sqlite(pool: Any) -> tuple[Any, Any]:
    beside = live_messages.alias("beside")
    return first(pool, (beside, within_reach(beside.c, pool)), (t.ft_documents, _stored(beside.c))), beside.c


def _beside_on_postgresql(pool: Any) -> tuple[Any, Any]:
    asked = select(lm.id, lm.conversation, lm.seq, lm.observed_at, lm.revision).where(within_reach(lm, pool))
    beside = one_by_one(asked.correlate(pool), "beside")
    kept = one_by_one(select(d.doc).where(_stored(beside.c)).correlate(beside), "kept")
    return pool.join(beside, true()).join(kept, true()), beside.c


def _around(pool: Any, beside_it: _Source) -> Any:
    source, row = beside_it(pool)
    found: Any = (
        select(
            (literal(MESSAGE, t.Key) + row.id).label("doc"),
            row.conversation,
            row.seq,
            row.observed_at,
            cast(null(), DOUBLE).label("score"),
            cast(null(), t.Big).label("held"),
        )
        .select_from(source)
        .where(pool.c.conversation != "")
        .distinct()
    )
    return found


SEARCH = ByDialect(
    sqlite=_search(_sought_on_sqlite(), _by_term_on_sqlite, _live_on_sqlite, _beside_on_sqlite),
    postgresql=_search(
        _sought_on_postgresql(), _by_term_on_postgresql, _live_on_postgresql, _beside_on_postgresql
    ),
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
