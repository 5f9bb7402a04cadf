"""The search by vectors: the cut to what is live, for cosines that were computed here.

As with words, an entry answers only while its version is that of the live row, and the best are cut only
after they were joined. Neighbours come along that stand near enough to be lent to.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Double, and_, cast, column, func, literal, null, select, true, union_all
from sqlalchemy.dialects.postgresql import JSONB

from seihon.canonical import tables as t
from seihon.canonical.index import MESSAGE
from seihon.canonical.ordered import first
from seihon.canonical.scope import OWNER, ByDialect, live_messages, p
from seihon.canonical.search import one_by_one, pool_of, within_reach

DOUBLE: Final = Double[float]()
DECIMALS: Final = 1_000_000.0
"""A cosine counts in whole numbers of this part: databases sum in different orders."""

PLACE: Final = "place"

v, lm = t.vectors.c, live_messages.c


def _given_on_sqlite() -> Any:
    value = func.json_each(p("cosines", t.Key)).table_valued("value").c.value
    return select(
        func.json_extract(value, "$[0]", type_=t.Key).label("doc"),
        func.json_extract(value, "$[1]", type_=t.Big).label("version"),
        (func.json_extract(value, "$[2]", type_=t.Big) / DECIMALS).label("score"),
    ).cte("scored")


def _given_on_postgresql() -> Any:
    each = func.jsonb_array_elements(cast(p("cosines", t.Key), JSONB)).table_valued(column("value", JSONB))
    value: Any = each.c.value
    return select(
        cast(value[0].astext, t.Key).label("doc"),
        cast(value[1].astext, t.Big).label("version"),
        (cast(value[2].astext, DOUBLE) / DECIMALS).label("score"),
    ).cte("scored")


def _live_on_sqlite(scored: Any, live: Any, start: int) -> tuple[Any, Any]:
    same = and_(live.c.id == func.substr(scored.c.doc, start), live.c.revision == scored.c.version)
    return first(scored, (live, same)), live.c


def live_on_postgresql(scored: Any, live: Any, start: int) -> tuple[Any, Any]:
    """Join scored entries to live rows one by one, by index."""
    same = and_(live.c.id == func.substr(scored.c.doc, start), live.c.revision == scored.c.version)
    row = one_by_one(select(live).where(same).correlate(scored), "row")
    return scored.join(row, true()), row.c


def _stored(row: Any) -> Any:
    return and_(
        v.owner == OWNER,
        v.doc == literal(MESSAGE, t.Key) + row.id,
        v.model == p("model"),
        v.part == 0,
        v.version == row.revision,
        v.vector.is_not(None),
    )


def _beside_on_sqlite(pool: Any) -> tuple[Any, Any]:
    beside = live_messages.alias("beside")
    return first(pool, (beside, within_reach(beside.c, pool)), (t.vectors, _stored(beside.c))), beside.c


def beside_on_postgresql(pool: Any) -> tuple[Any, Any]:
    """Join the pool to what stands within reach of it and has a vector, one by one, by index."""
    asked = select(lm.id, lm.conversation, lm.seq, lm.observed_at, lm.revision).where(within_reach(lm, pool))
    beside = one_by_one(asked.correlate(pool), "beside")
    kept = one_by_one(select(v.doc).where(_stored(beside.c)).correlate(beside), "kept")
    return pool.join(beside, true()).join(kept, true()), beside.c


def places(scored: Any, live: Any, beside_it: Any) -> tuple[Any, Any]:
    """Build the pool of the best live entries, and the entries beside them: two selects of equal columns."""
    pool = pool_of(scored, live)
    best = select(
        literal(PLACE, t.Key).label("part"),
        pool.c.doc,
        pool.c.conversation,
        pool.c.seq,
        pool.c.observed_at,
        pool.c.score,
    )
    source, row = beside_it(pool)
    around = (
        select(
            literal(PLACE, t.Key).label("part"),
            (literal(MESSAGE, t.Key) + row.id).label("doc"),
            row.conversation,
            row.seq,
            row.observed_at,
            cast(null(), DOUBLE).label("score"),
        )
        .select_from(source)
        .where(pool.c.conversation != "")
        .distinct()
    )
    return best, around


GIVEN = ByDialect(
    sqlite=union_all(*places(_given_on_sqlite(), _live_on_sqlite, _beside_on_sqlite)),
    postgresql=union_all(*places(_given_on_postgresql(), live_on_postgresql, beside_on_postgresql)),
)
