"""A join whose left side is read first.

SQLite plans without statistics and may start at the large end of a join. It never moves a table across a
``CROSS JOIN``, so that is how such a join is written there; PostgreSQL has statistics and a plain one.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import Join


class OrderedJoin(Join):
    """``left`` first, then ``right`` for each row of it."""

    inherit_cache = True


@compiles(OrderedJoin, "sqlite")
def _on_sqlite(element: Join, compiler: Any, **kw: Any) -> str:  # pyright: ignore[reportUnusedFunction]
    kw.pop("asfrom", None)
    linter = kw.pop("from_linter", None)
    if linter:
        sides: Any = element
        linter.edges.update(product(sides.left._from_objects, sides.right._from_objects))
    left = compiler.process(element.left, asfrom=True, from_linter=linter, **kw)
    right = compiler.process(element.right, asfrom=True, from_linter=linter, **kw)
    on = compiler.process(element.onclause, from_linter=linter, **kw)
    return f"{left} CROSS JOIN {right} ON {on}"


def first(left: Any, *joined: tuple[Any, Any]) -> Any:
    """Return ``left`` joined to each ``(right, condition)`` in this order."""
    for right, condition in joined:
        left = OrderedJoin(left, right, condition)
    return left
