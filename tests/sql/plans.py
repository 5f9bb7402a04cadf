"""Query plans of named statements, and what in them reads rows of other owners."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import BindParameter, Connection, Double, Executable, Insert, Table, event
from sqlalchemy.sql import visitors
from sqlalchemy.sql.selectable import Alias
from tests.contract.rows import WALLED

from seihon.canonical import tables as t

OWNER = "acme/ann"
_SCOPE: Mapping[str, Any] = {
    "s_owner": OWNER,
    "s_tenant": "acme",
    "s_now": 2,
    "s_turn": 2,
    "s_floor": 0,
    "s_cutoff": -(2**62),
    "s_revision": 2,
}
_NAMES = frozenset(table.name for table in WALLED)
_LED = re.compile(r"\b(?:owner|tenant)\b\)?(?:::text)? (?:=|>)")


class _ExplainedError(Exception):
    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        super().__init__()
        self.rows = rows


def plan(connection: Connection, statement: Executable) -> list[tuple[Any, ...]]:
    """Return the rows of the plan of ``statement``; it is not run.

    The plan is asked for when the driver would get the statement: its text and values are those in use.
    """
    prefix = "EXPLAIN (FORMAT JSON) " if connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN "

    def explain(_c: Any, cursor: Any, sql: str, values: Any, _context: Any, _many: bool) -> None:
        cursor.execute(prefix + sql, values)
        raise _ExplainedError(cursor.fetchall())

    event.listen(connection, "before_cursor_execute", explain)
    try:
        connection.execute(statement, _values(statement))
    except _ExplainedError as done:
        return done.rows
    finally:
        event.remove(connection, "before_cursor_execute", explain)
    raise AssertionError("the statement never reached the driver")


def is_planned(statement: Executable) -> bool:
    """Return whether the statement has a plan of its own: a bare insert of rows has none."""
    return not isinstance(statement, Insert) or bool(_values(statement))


def reads_beyond(connection: Connection, statement: Executable) -> list[str]:
    """Return each step of the plan that looks through a table not led by its owner (or tenant)."""
    rows = plan(connection, statement)
    if connection.dialect.name == "sqlite":
        aliases = _NAMES | _aliases(statement)
        return [row[-1] for row in rows if _sqlite_beyond(row[-1], aliases)]
    tree: Any = rows[0][0]
    root = (json.loads(tree) if isinstance(tree, str) else tree)[0]["Plan"]
    return [_shown(node) for node in _nodes(root) if _postgresql_beyond(node)]


def _values(statement: Executable) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for bound in _parts(statement, BindParameter):
        if bound.key in _SCOPE:
            found[bound.key] = _SCOPE[bound.key]
        elif bound.key.startswith("p_") and found.get(bound.key, "1") == "1":
            found[bound.key] = _sample(bound)
    return found


def _parts(statement: Any, kind: type[Any]) -> Iterator[Any]:
    return (part for part in visitors.iterate(statement) if isinstance(part, kind))


def _sample(bound: BindParameter[Any]) -> Any:
    if bound.key in ("p_sought", "p_cosines"):
        return '[["k1", 1, 1]]'
    if bound.key == "p_question":
        return "[1]"
    value = 1.0 if isinstance(bound.type, Double) else 1 if bound.type is t.Big else "1"
    return [value, value] if bound.expanding else value


def _aliases(statement: Executable) -> frozenset[str]:
    """Return the names by which the statement calls the tables of owners."""
    return frozenset(a.name for a in _parts(statement, Alias) if isinstance(a.element, Table))


def _sqlite_beyond(detail: str, names: frozenset[str]) -> bool:
    step = re.match(r"(SCAN|SEARCH) (\w+)(.*)", detail)
    if step is None or step[2] not in names:
        return False
    return step[1] == "SCAN" or "AUTOMATIC" in detail or not re.search(r"\((?:owner|tenant)[=>]", detail)


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _postgresql_beyond(node: Mapping[str, Any]) -> bool:
    kind = node["Node Type"]
    if kind == "Seq Scan":
        return node["Relation Name"] in _NAMES
    if kind in ("Index Scan", "Index Only Scan"):
        return node["Relation Name"] in _NAMES and not _LED.search(node.get("Index Cond", ""))
    return kind == "Bitmap Index Scan" and not _LED.search(node.get("Index Cond", ""))


def _shown(node: Mapping[str, Any]) -> str:
    keys = ("Node Type", "Relation Name", "Index Name", "Index Cond", "Filter")
    return ", ".join(f"{key}: {node[key]}" for key in keys if key in node)
