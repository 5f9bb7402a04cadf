"""A statement sent straight to the driver is the one that SQLAlchemy would send, and answers the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Executable, Float, event
from sqlalchemy import exc as sa
from tests.conftest import Backend
from tests.contract.opening import engine_of
from tests.contract.rows import WALLED, fill, row

from seihon.canonical import index
from seihon.canonical import tables as t
from seihon.canonical.direct import LONGEST, Line, form_of
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


@dataclass(frozen=True, slots=True)
class Wire:
    """A line in a transaction over a few rows of one owner, and what went down it since ``heard``."""

    line: Line
    found: list[tuple[str, Any]]

    def heard(self) -> list[tuple[str, Any]]:
        """Return each text with its values as the driver got them, and forget them."""
        found = list(self.found)
        self.found.clear()
        return found


@pytest.fixture
def wire(backend: Backend, statement_guard: StatementGuard) -> Iterator[Wire]:
    """A filled database, of which nothing stays."""
    found: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, sql: str, values: Any, _context: Any, _many: bool) -> None:
        if "SAVEPOINT" not in sql:
            found.append((sql, _in_use(sql, values)))

    with statement_guard.lifted(), engine_of(backend.admin_url) as engine:
        event.listen(engine, "before_cursor_execute", note)
        line = Line(engine)
        line.send("SELECT 1" if line.dialect == POSTGRESQL else "BEGIN")
        fill(line.connection, OWNER, range(1, 6))
        found.clear()
        yield Wire(line, found)
        line.rollback()
        line.close()


def _in_use(sql: str, values: Mapping[str, Any] | tuple[Any, ...]) -> object:
    if isinstance(values, Mapping):
        return {name: value for name, value in values.items() if f"%({name})s" in sql}
    return values


def outcome(wire: Wire, run: Callable[[], Any]) -> Any:
    """Return what ``run`` answers, or the class and code of its error; what it wrote is taken back."""
    nested = wire.line.connection.begin_nested()
    try:
        return run()
    except sa.DBAPIError as error:
        original: Any = error.orig
        return type(error), type(original), getattr(original, "sqlstate", None)
    finally:
        nested.rollback()


def through_sqlalchemy(wire: Wire, statement: Executable, values: Mapping[str, Any]) -> Any:
    """Return the rows by their columns, or the number of rows touched."""
    options = {"preserve_rowcount": True}
    result = wire.line.connection.execute(statement, values, execution_options=options)
    return _answer(result.fetchall()) if result.returns_rows else result.rowcount


def straight(wire: Wire, statement: Executable, values: Mapping[str, Any]) -> Any:
    answer = wire.line.execute(statement, {**SCOPE, **values})
    return _answer(answer.rows) if answer.returns_rows else answer.rowcount


def _answer(rows: Any) -> Any:
    return [dict(row._mapping) for row in rows]


def samples(statement: Executable, dialect: Any, *, many: int) -> dict[str, Any]:
    """Return a value for each parameter of a statement, lists of ``many``."""
    built: Any = statement
    binds: dict[str, Any] = built.compile(dialect=dialect).binds
    wanted = {name: bound for name, bound in binds.items() if bound.required}
    floats = bytes(4) if dialect.name == "sqlite" else [0.0]
    given = {**SCOPE, **{name: floats for name, b in wanted.items() if b.type is t.vectors.c.vector.type}}
    return {name: given[name] if name in given else _sample(name, b, many) for name, b in wanted.items()}


def _sample(name: str, bound: Any, many: int) -> Any:
    if name in ("p_sought", "p_cosines"):
        return '[["k1", 1, 1], ["k2", 0, 2]]'
    kinds = {t.Big: 2, t.Key: "k2"}
    value = 0.5 if isinstance(bound.type, Float) else kinds.get(bound.type, "k2")
    return [value] * many if bound.expanding else value


@pytest.mark.parametrize("many", [0, 1, 3])
def test_each_named_statement_goes_out_and_answers_as_through_sqlalchemy(wire: Wire, many: int) -> None:
    for named in STATEMENTS:
        statement = on(named.statement, wire.line.dialect)
        values = samples(statement, wire.line.connection.dialect, many=many)
        expected = outcome(wire, lambda s=statement, v=values: through_sqlalchemy(wire, s, v))
        usual = wire.heard()
        found = outcome(wire, lambda s=statement, v=values: straight(wire, s, v))
        assert wire.heard() == usual, named.name
        assert found == expected, named.name


def test_a_list_too_long_for_the_text_is_one_value_and_answers_the_same(wire: Wire) -> None:
    dialect = wire.line.connection.dialect
    for named in STATEMENTS:
        statement = on(named.statement, wire.line.dialect)
        short, long = (samples(statement, dialect, many=many) for many in (1, LONGEST + 1))
        # A list that has as many parts whatever is asked for is a value of its own: a vector.
        lists = [name for name, value in long.items() if isinstance(value, list) and value != short[name]]
        if lists:
            expected = outcome(wire, lambda s=statement, v=short: straight(wire, s, v))
            wire.heard()
            assert outcome(wire, lambda s=statement, v=long: straight(wire, s, v)) == expected, named.name
            [(text, _)] = wire.heard()
            form = form_of(statement, dialect, long)
            assert form.sql == text
            assert [name for name, _ in form.whole] == lists, named.name
            assert len(form.spread) == 0
            # However long it is, it is the same text.
            longer = samples(statement, dialect, many=LONGEST * 3)
            assert form_of(statement, dialect, longer) is form


def test_few_texts_of_long_lists_are_kept(wire: Wire) -> None:
    dialect = wire.line.connection.dialect
    statement = on(index.HELD, wire.line.dialect)

    def form(long: int) -> object:
        return form_of(statement, dialect, {"p_docs": ["k2"] * long})

    short, long = form(50), form(150)
    assert form(150) is long
    for other in range(200, 300):
        form(other)
    assert form(50) is short
    assert form(150) is not long


@pytest.mark.parametrize("count", [1, 4])
def test_rows_are_inserted_as_through_sqlalchemy(wire: Wire, count: int) -> None:
    through = wire.line.connection
    for table in WALLED:
        rows = [row(table, "acme/bob", number) for number in range(1, count + 1)]
        expected = outcome(wire, lambda t=table, r=rows: through.execute(t.insert(), r).rowcount)
        usual = wire.heard()
        found = outcome(wire, lambda t=table, r=rows: wire.line.insert(t.insert(), r))
        assert [sql for sql, _ in wire.heard()] == [sql for sql, _ in usual]
        assert (found is None) == isinstance(expected, int), table.name
        assert found is None or found == expected


def test_a_driver_error_is_sqlalchemys_and_quotes_no_value(wire: Wire) -> None:
    rows = [row(t.conversations, "acme/bob", 1)] * 2
    with pytest.raises(sa.IntegrityError) as caught:
        wire.line.insert(t.conversations.insert(), rows)
    assert "bob" not in str(caught.value.statement)
    assert caught.value.params is None
    assert not caught.value.connection_invalidated
