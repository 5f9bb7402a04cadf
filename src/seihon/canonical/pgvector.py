"""The search by vectors in a PostgreSQL that has the extension ``vector``: exact, within the owner.

Stored are arrays, so that nothing depends on the extension: it may come and go. No approximate index: with a
filter by owner such an index finds next to nothing of a small owner among many.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Double, cast, func, literal, null, select, text, union_all
from sqlalchemy import exc as sa
from sqlalchemy.types import UserDefinedType

from seihon import errors
from seihon.canonical import failures
from seihon.canonical import tables as t
from seihon.canonical.nearest import DECIMALS, beside_on_postgresql, live_on_postgresql, places
from seihon.canonical.scope import OWNER, p

DOUBLE: Final = Double[float]()
COSINE: Final = "cosine"
MEAN: Final = "mean"
DEVIATION: Final = "deviation"

# The type that an unqualified name means must be the extension's own.
HAS_EXTENSION: Final = text(
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_type y"
    " ON y.typnamespace = e.extnamespace AND y.typname = 'vector'"
    " WHERE e.extname = 'vector' AND y.oid = to_regtype('vector'))"
)
OFFERS_EXTENSION: Final = text(
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_available_extensions WHERE name = 'vector')"
    " AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'vector')"
)
CREATE_EXTENSION: Final = text("CREATE EXTENSION IF NOT EXISTS vector")

v = t.vectors.c


class _Vector(UserDefinedType[Any]):
    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "vector"


def _ranked() -> Any:
    # Read once, and not anew for each row.
    asked = select(cast(p("question", t.Key), _Vector())).scalar_subquery()
    distance = cast(v.vector, _Vector()).op("<=>", return_type=DOUBLE)(asked)
    cosine = func.round((1.0 - func.min(distance)) * DECIMALS, type_=DOUBLE) / DECIMALS
    scored = (
        select(v.doc, func.max(v.version).label("version"), cosine.label("score"))
        .where(v.owner == OWNER, v.model == p("model"), v.dim == p("dim", t.Big), v.vector.is_not(None))
        .group_by(v.doc)
        .cte("scored")
    )

    def told(part: str, doc: Any, score: Any) -> Any:
        nothing = (cast(null(), t.Key), cast(null(), t.Big), cast(null(), t.Big))
        return select(literal(part, t.Key), doc, *nothing, score)

    best, around = places(scored, live_on_postgresql, beside_on_postgresql)
    beside = around.subquery("around")
    return union_all(
        best,
        select(
            beside.c.part,
            beside.c.doc,
            beside.c.conversation,
            beside.c.seq,
            beside.c.observed_at,
            scored.c.score,
        ).join(scored, scored.c.doc == beside.c.doc),
        told(COSINE, scored.c.doc, scored.c.score).where(scored.c.doc.in_(p("docs", many=True))),
        told(MEAN, literal("", t.Key), func.avg(scored.c.score, type_=DOUBLE)),
        told(DEVIATION, literal("", t.Key), func.stddev_pop(scored.c.score, type_=DOUBLE)),
    )


RANKED: Final = _ranked()


def is_there(connection: Connection) -> bool:
    """Tell whether this database can rank vectors by itself."""
    return bool(connection.execute(HAS_EXTENSION).scalar())


def create(connection: Connection) -> None:
    """Make the extension if the server offers it and this role may; without it ranking is done here."""
    if not connection.execute(OFFERS_EXTENSION).scalar():
        return
    try:
        with connection.begin_nested():
            connection.execute(CREATE_EXTENSION)
    except sa.DBAPIError as error:
        if not isinstance(failures.translate(error), errors.Unsafe):
            raise
