"""A statement sent straight to the driver is the one that SQLAlchemy would send, and answers the same."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Executable, Float, event
from sqlalchemy import exc as sa
from tests.conftest import Backend
from tests.contract.opening import engine_of
from tests.contract.rows import WALLED, fill, row

from seihon.canonical import tables as t
from seihon.canonical.direct import Line
from seihon.canonical.scope import on
from seihon.testing.guard import StatementGuard
from seihon.testing.statements import POSTGRESQL, SQLITE, named_statements

OWNER = "acme/ann"
STATEMENTS = [named for named in named_statements() if named.dialects == (POSTGRESQL, SQLITE)]
SCOPE: Mapping[str, Any] = {
    "s_owner": OWNER,
    "s_tenant": "acme",
    "s_now": 3,
    "s_turn": 3,
    "s_floor": 0,
    "s_cutoff": -(2**62),
    "s_revision": 3,
}


@pytest.fixture
def filled(backend: Backend, statement_guard: StatementGuard) -> Iterator[Connection]:
    """A connection in a transaction over a few rows of one owner; nothing of it stays."""
    with statement_guard.lifted(), engine_of(backend.admin_url) as engine, engine.connect() as connection:
        connection.begin()
        fill(connection, OWNER, range(1, 6))
        yield connection
        connection.rollback()


@contextmanager
def sent(connection: Connection) -> Generator[list[tuple[str, Any]]]:
    """Note each text with its values as the driver gets them."""
    found: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, sql: str, values: Any, _context: Any, _many: bool) -> None:
        if "SAVEPOINT" not in sql:
            found.append((sql, _in_use(sql, values)))

    event.listen(connection, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(connection, "before_cursor_execute", note)


def _in_use(sql: str, values: Mapping[str, Any] | tuple[Any, ...]) -> object:
    if isinstance(values, Mapping):
        return {name: value for name, value in values.items() if f"%({name})s" in sql}
    return values


def outcome(connection: Connection, run: Callable[[], Any]) -> Any:
    """Return what ``run`` answers, or the class and code of its error; what it wrote is taken back."""
    nested = connection.begin_nested()
    try:
        return run()
    except sa.DBAPIError as error:
        original: Any = error.orig
        return type(error), type(original), getattr(original, "sqlstate", None)
    finally:
        nested.rollback()


def through_sqlalchemy(connection: Connection, statement: Executable, values: Mapping[str, Any]) -> Any:
    """Return (rows, columns) or the number of rows touched."""
    result = connection.execute(statement, values, execution_options={"preserve_rowcount": True})
    return _answer(result.fetchall()) if result.returns_rows else result.rowcount


def straight(connection: Connection, statement: Executable, values: Mapping[str, Any]) -> Any:
    answer = Line(connection).execute(statement, {**SCOPE, **values})
    return _answer(answer.rows) if answer.returns_rows else answer.rowcount


def _answer(rows: Any) -> Any:
    return [dict(row._mapping) for row in rows]


def samples(statement: Executable, dialect: Any, *, many: int) -> dict[str, Any]:
    """Return a value for each parameter of a statement, lists of ``many``."""
    built: Any = statement
    binds: dict[str, Any] = built.compile(dialect=dialect).binds
    wanted = {name: bound for name, bound in binds.items() if bound.required}
    return {name: SCOPE[name] if name in SCOPE else _sample(name, b, many) for name, b in wanted.items()}


def _sample(name: str, bound: Any, many: int) -> Any:
    if name == "p_sought":
        return '[["k1", 1.5, 1], ["k2", 0.5, 2]]'
    kinds = {t.Big: 2, t.Key: "k2"}
    value = 0.5 if isinstance(bound.type, Float) else kinds.get(bound.type, "k2")
    return [value] * many if bound.expanding else value


@pytest.mark.parametrize("many", [0, 1, 3])
def test_each_named_statement_goes_out_and_answers_as_through_sqlalchemy(
    filled: Connection, many: int
) -> None:
    for named in STATEMENTS:
        statement = on(named.statement, filled.dialect.name)
        values = samples(statement, filled.dialect, many=many)
        with sent(filled) as usual:
            expected = outcome(filled, lambda s=statement, v=values: through_sqlalchemy(filled, s, v))
        with sent(filled) as direct:
            found = outcome(filled, lambda s=statement, v=values: straight(filled, s, v))
        assert direct == usual, named.name
        assert found == expected, named.name


@pytest.mark.parametrize("count", [1, 4])
def test_rows_are_inserted_as_through_sqlalchemy(filled: Connection, count: int) -> None:
    for table in WALLED:
        rows = [row(table, "acme/bob", number) for number in range(1, count + 1)]
        with sent(filled) as usual:
            expected = outcome(filled, lambda t=table, r=rows: filled.execute(t.insert(), r).rowcount)
        with sent(filled) as direct:
            found = outcome(filled, lambda t=table, r=rows: Line(filled).insert(t.insert(), r))
        assert [sql for sql, _ in direct] == [sql for sql, _ in usual]
        assert (found is None) == isinstance(expected, int), table.name
        assert found is None or found == expected
