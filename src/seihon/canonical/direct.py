"""Named statements sent straight to the driver: compiled once by SQLAlchemy, then run on its cursor.

SQLAlchemy's own execution adds 40 to 90 µs to each statement, more than SQLite takes for most of them. What
it does is kept, but for the conversion of results, which no type of ours needs: values are converted, an
``IN`` takes a list of any length, listeners of ``before_cursor_execute`` hear of each statement, errors are
its ``DBAPIError``, and a dead connection is marked as such.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, Self

from sqlalchemy import Connection, Dialect, Engine, Executable, Row
from sqlalchemy import exc as sa
from sqlalchemy.sql.compiler import SQLCompiler

# A list is part of a statement's text by its length: some statements have many forms. Of long ones, which
# are large and seldom asked for twice, few are kept.
_FORMS: Final = 4096
_WIDE: Final = 100
_WIDE_FORMS: Final = 64
LONGEST: Final = 1000
"""Up to this length a list is part of the text, value by value; a longer one is a single value, whatever its
length: both databases bound how many values a statement has (SQLite 32,766, PostgreSQL 65,535)."""


def _unread(_values: Any) -> Row[Any]:
    raise AssertionError  # what has not run has no rows


@dataclass(slots=True, eq=False)
class Form:
    """One statement as text, for lists of certain lengths.

    ``order`` names the values of a positional driver (``None``: the driver takes names); ``fixed`` holds the
    literals of the statement; ``spread`` names the single values of each list; ``converted`` says what a
    value goes through; ``whole`` names the single value that a list too long for the text goes as, and
    ``encode`` makes it. Known once it has run: whether it ``reads`` rows, and what makes a ``row`` of them
    (``psycopg`` describes columns in a tenth of the time of a round trip, each time it is asked).
    """

    sql: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]
    spread: tuple[tuple[str, tuple[str, ...]], ...]
    converted: tuple[tuple[str, Callable[[Any], Any]], ...]
    whole: tuple[tuple[str, str], ...] = ()
    encode: Callable[[Any], Any] = list
    reads: bool | None = None
    row: Callable[[Any], Row[Any]] = _unread

    def values(self, given: Mapping[str, Any]) -> Any:
        """Return what the driver takes for these values; more than it names does no harm."""
        held = given
        if self.fixed or self.spread or self.converted or self.whole:
            held = {**self.fixed, **given}
            for name, parts in self.spread:
                held.update(zip(parts, held[name], strict=True))
            for name, part in self.whole:
                held[part] = self.encode(held[name])
            for name, convert in self.converted:
                held[name] = convert(held[name])
        return held if self.order is None else tuple([held[name] for name in self.order])


@dataclass(frozen=True, slots=True)
class Answer:
    """What a statement answered, read whole."""

    rows: Sequence[Row[Any]]
    rowcount: int
    returns_rows: bool

    def fetchall(self) -> Sequence[Row[Any]]:
        """Return every row."""
        return self.rows

    def first(self) -> Row[Any] | None:
        """Return the first row or ``None``."""
        return self.rows[0] if self.rows else None


@dataclass(frozen=True, slots=True)
class Named:
    """What a listener learns of a statement beside its text."""

    invoked_statement: Executable | None
    executemany: bool


class Line:
    """A connection of the engine's pool, and one cursor of it, for one transaction after another.

    Whoever opened it says how a transaction begins and ends it by ``commit`` or ``rollback``.
    """

    __slots__ = ("_connection", "_cursor", "_engine", "_heard", "_held", "dialect")
    _held: Any
    _cursor: Any

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.dialect = engine.dialect.name
        self._connection: Connection | None = None
        self._held = None
        self._heard: tuple[Any, ...] = ()
        self._held = self._do("", engine.raw_connection)
        self._cursor = self._do("", self._held.cursor)
        self.listened()

    def listened(self) -> Self:
        """Look up who listens to the engine, once for a transaction: mostly nobody. Returns the line."""
        self._heard = tuple(self._engine.dispatch.before_cursor_execute)
        self._connection = None
        return self

    @property
    def is_open(self) -> bool:
        """Tell whether there is a connection: none after it died or was given back."""
        return self._held is not None and self._held.dbapi_connection is not None

    @property
    def connection(self) -> Connection:
        """Return SQLAlchemy's view of the connection, inside the transaction that runs."""
        if self._connection is None:
            self._connection = Connection(self._engine, self._held)
        return self._connection

    def execute(self, statement: Executable, values: Mapping[str, Any]) -> Answer:
        """Run one statement and return everything that it answers."""
        form = form_of(statement, self._engine.dialect, values)
        self.send(form.sql, form.values(values), statement)
        if form.reads is None:
            _describe(form, self._cursor.description)
        if not form.reads:
            return Answer((), self._cursor.rowcount, False)
        rows = self._do(form.sql, self._cursor.fetchall)
        return Answer(list(map(form.row, rows)), self._cursor.rowcount, True)

    def insert(self, statement: Executable, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that have the same columns."""
        form = _form(statement, self._engine.dialect, tuple(rows[0]), ())
        if len(rows) == 1:
            self.send(form.sql, form.values(rows[0]), statement)
        else:
            self.send(form.sql, [form.values(row) for row in rows], statement)

    def send(self, sql: str, values: Any = None, statement: Executable | None = None, **how: Any) -> None:
        """Give text and values to the driver; a list of values runs it once for each.

        Without values nothing in the text stands for one, whatever signs it holds.

        Raises:
            DBAPIError: whatever the driver raised, as SQLAlchemy would.
        """
        many = isinstance(values, list)
        for listener in self._heard:
            listener(self.connection, self._cursor, sql, values or (), Named(statement, many), many)
        run = self._cursor.executemany if many else self._cursor.execute
        try:
            # Inline, not by `_do`: a transaction sends ten times what it does besides.
            run(sql, **how) if values is None else run(sql, values, **how)
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise self._failed(sql, error) from error

    def commit(self) -> None:
        """End the transaction and keep what it wrote."""
        for listener in self._engine.dispatch.commit if self._heard else ():
            listener(self.connection)
        self._do("COMMIT", self._held.commit)

    def rollback(self) -> None:
        """End the transaction without a trace; one that ended already stays as it is."""
        for listener in self._engine.dispatch.rollback if self._heard else ():
            listener(self.connection)
        if self.is_open:
            self._do("ROLLBACK", self._held.rollback)

    def close(self) -> None:
        """Give the connection back to the pool."""
        self._do("", self._held.close)

    def _do(self, sql: str, step: Callable[..., Any], *given: Any, **how: Any) -> Any:
        try:
            return step(*given, **how)
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise self._failed(sql, error) from error

    def _failed(self, sql: str, error: Any) -> Exception:
        """Return SQLAlchemy's error for a driver's, after taking a dead connection out of the pool."""
        dialect = self._engine.dialect
        gone = not self.is_open
        if not gone and dialect.is_disconnect(error, self._held, self._cursor):
            gone = True
            self._held.invalidate(error)
        make: Any = sa.DBAPIError.instance
        return make(
            sql,
            None,
            error,
            dialect.loaded_dbapi.Error,
            hide_parameters=True,
            connection_invalidated=gone,
            dialect=dialect,
        )


def form_of(statement: Executable, dialect: Dialect, values: Mapping[str, Any]) -> Form:
    """Return the statement's text for these values."""
    lengths = tuple([(name, len(values[name])) for name in _lists(statement, dialect)])
    longest = max([long for _, long in lengths], default=0)
    if longest <= _WIDE:
        return _form(statement, dialect, None, lengths)
    if longest <= LONGEST:
        return _wide_form(statement, dialect, None, lengths)
    whole = tuple([name for name, long in lengths if long > LONGEST])
    rest = tuple([(name, long) for name, long in lengths if long <= LONGEST])
    return _whole_form(statement, dialect, whole, rest)


@lru_cache(maxsize=_FORMS)
def _form(
    statement: Executable,
    dialect: Dialect,
    columns: tuple[str, ...] | None,
    lengths: tuple[tuple[str, int], ...],
) -> Form:
    compiled = _compiled(statement, dialect, columns)
    given: dict[str, Any] = {name: None for name, bound in compiled.binds.items() if bound.required}
    state = compiled.construct_expanded_state({**given, **{name: [None] * long for name, long in lengths}})
    spread = tuple((name, tuple(state.parameter_expansion[name])) for name, _ in lengths)
    given.update((part, None) for _, parts in spread for part in parts)
    fixed = {name: value for name, value in state.parameters.items() if name not in given}
    for name in fixed.keys() & state.processors.keys():
        fixed[name] = state.processors[name](fixed[name])
    order = None if state.positiontup is None else tuple(state.positiontup)
    converted = ((name, convert) for name, convert in state.processors.items() if name in given)
    return Form(state.statement, order, fixed, spread, tuple(converted))


_wide_form = lru_cache(maxsize=_WIDE_FORMS)(_form.__wrapped__)


@lru_cache(maxsize=_WIDE_FORMS)
def _whole_form(
    statement: Executable, dialect: Dialect, whole: tuple[str, ...], rest: tuple[tuple[str, int], ...]
) -> Form:
    """Return the statement's text with each list of ``whole`` as one value that the database takes apart."""
    single = tuple((name, 1) for name in whole)
    form = _form.__wrapped__(statement, _naming(dialect), None, (*rest, *single))
    parts = {name: part[0] for name, part in form.spread if name in whole}
    # Ids and numbers: their types convert nothing, and a list of them can go as it is.
    if any(name in parts.values() for name, _ in form.converted):
        raise AssertionError
    sql = form.sql
    for part in parts.values():
        sql = _taken_apart(sql, part, dialect.name)
    spread = tuple(one for one in form.spread if one[0] not in parts)
    encode = json.dumps if dialect.name == "sqlite" else list
    return Form(sql, form.order, form.fixed, spread, form.converted, tuple(parts.items()), encode)


def _taken_apart(sql: str, part: str, dialect: str) -> str:
    # The name is SQLAlchemy's own for a parameter of ours; nothing from outside is put into the text.
    if dialect == "sqlite":
        return sql.replace(f"(:{part})", f"(SELECT value FROM json_each(:{part}))")  # noqa: S608
    value = re.escape(f"(%({part})s")
    return re.sub(value + r"::(\w+)", rf"(SELECT unnest(%({part})s::\1[])", sql)


@lru_cache(maxsize=8)
def _naming(dialect: Dialect) -> Dialect:
    """Return the dialect with values by name, so that one of them can be found in the text."""
    return type(dialect)(paramstyle="named") if dialect.positional else dialect  # type: ignore[call-arg]


@lru_cache(maxsize=1024)
def _compiled(statement: Executable, dialect: Dialect, columns: tuple[str, ...] | None) -> SQLCompiler:
    keys = None if columns is None else list(columns)
    return statement.compile(dialect=dialect, column_keys=keys)  # type: ignore[attr-defined]


@lru_cache(maxsize=1024)
def _lists(statement: Executable, dialect: Dialect) -> tuple[str, ...]:
    """Return the names of the lists that the caller gives."""
    binds = _compiled(statement, dialect, None).binds
    return tuple(name for name, bound in binds.items() if bound.expanding and bound.required)


class _Columns:
    """What a ``Row`` of SQLAlchemy has beside a named tuple's, which is made in a sixth of the time."""

    __slots__ = ()

    @property
    def _mapping(self) -> Mapping[str, Any]:
        columns: Any = self
        return columns._asdict()


def _describe(form: Form, columns: Sequence[Any] | None) -> None:
    """Note what the form answers: the columns that the driver described after its first run."""
    if columns is not None:
        form.row = _row(tuple([column[0] for column in columns]))
    form.reads = columns is not None


_MAKE: Callable[[type, Any], Any] = tuple[Any, ...].__new__


@lru_cache(maxsize=1024)
def _row(columns: tuple[str, ...]) -> Callable[[Any], Row[Any]]:
    build: Any = NamedTuple
    bases = (_Columns, build("Columns", [(name, Any) for name in columns]))
    # Past the named tuple's own `_make`, which checks each row's length again.
    return partial(_MAKE, type("Columns", bases, {"__slots__": ()}))
