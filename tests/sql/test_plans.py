"""Every named statement goes in by an index that is led by the owner, on both databases.

Tried on a filled database with its statistics, so that the planner has a choice; on PostgreSQL behind
row-level security, as in use, and without it, since it would lend a statement the filter that it forgot.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, Executable, select
from tests.contract.rows import fill, multiply
from tests.sql.plans import OWNER, is_planned, plan, reads_beyond

from seihon.canonical import conversations, pgvector, profiles
from seihon.canonical import tables as t
from seihon.canonical.database import Options, make_engine, parse_url
from seihon.canonical.migrations import upgrade
from seihon.canonical.scope import OWNER as OWNER_OF_SCOPE
from seihon.canonical.scope import p
from seihon.testing.postgres import PostgresAddress
from seihon.testing.statements import POSTGRESQL, SQLITE, Named, named_statements

ROWS = 40
OWNERS = 100
# The operator asks for work of any owner: these go through the marks, which are few, by design.
CROSSING = frozenset({"DUE_OWNER", "FAILURES", "LAG", "OPEN_RECEIPTS", "RECEIPTS"})

PLANNED = [
    named
    for named in named_statements()
    if named.dialects == (POSTGRESQL, SQLITE)
    and is_planned(named.on(SQLITE))
    and is_planned(named.on(POSTGRESQL))
]


def _fill(engine: Engine) -> None:
    with engine.connect() as connection:
        connection.execution_options(seihon_write=True)
        with connection.begin():
            fill(connection, OWNER, range(1, ROWS + 1))
            multiply(connection, OWNER, OWNERS, singles=30 * OWNERS)
        with connection.begin():
            connection.exec_driver_sql("ANALYZE")


@pytest.fixture(scope="module")
def sqlite_filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A connection to a filled SQLite file, in a transaction."""
    path: Path = tmp_path_factory.mktemp("plans") / "seihon.sqlite"
    upgrade(str(path))
    engine = make_engine(parse_url(str(path)), Options(synchronous="normal"))
    _fill(engine)
    with engine.connect() as connection, connection.begin():
        yield connection
    engine.dispose()


@pytest.fixture(scope="module")
def postgresql_engines(pg_server: PostgresAddress) -> Iterator[tuple[Engine, Engine]]:
    """A filled PostgreSQL database, as the application's role and as the superuser, whom no wall binds."""
    name = f"plans_{os.getpid()}"
    url = pg_server.create_database(name)
    upgrade(url)
    engines = tuple(make_engine(parse_url(each), Options()) for each in (url, pg_server.admin_url(name)))
    with engines[1].connect() as connection, connection.begin():
        pgvector.create(connection)
    _fill(engines[1])
    yield engines[0], engines[1]
    for engine in engines:
        engine.dispose()
    pg_server.drop_database(name)


@pytest.fixture(scope="module")
def walled(postgresql_engines: tuple[Engine, Engine]) -> Iterator[Connection]:
    """A connection behind row-level security, in a transaction with the owner set."""
    with postgresql_engines[0].connect() as connection, connection.begin():
        connection.exec_driver_sql(f"SET LOCAL seihon.owner = '{OWNER}'")
        yield connection


@pytest.fixture(scope="module")
def bare(postgresql_engines: tuple[Engine, Engine]) -> Iterator[Connection]:
    """A connection without row-level security: only the statement's own filter leads to an index."""
    with postgresql_engines[1].connect() as connection, connection.begin():
        yield connection


def _require_led(connection: Connection, named: Named, dialect: str) -> None:
    with connection.begin_nested():
        beyond = reads_beyond(connection, named.on(dialect))
    if named.module == "seihon.canonical.operator" and named.name in CROSSING:
        return
    assert not beyond, f"{named.module}.{named.name} reads rows beyond its owner's:\n" + "\n".join(beyond)


@pytest.mark.parametrize("named", PLANNED, ids=lambda named: f"{named.module[7:]}.{named.name}")
def test_sqlite_reads_the_owners_rows_only(sqlite_filled: Connection, named: Named) -> None:
    _require_led(sqlite_filled, named, SQLITE)


@pytest.mark.parametrize("named", PLANNED, ids=lambda named: f"{named.module[7:]}.{named.name}")
def test_postgresql_reads_the_owners_rows_only(walled: Connection, bare: Connection, named: Named) -> None:
    _require_led(walled, named, POSTGRESQL)
    _require_led(bare, named, POSTGRESQL)


@pytest.mark.parametrize("filled", ["sqlite_filled", "bare"])
@pytest.mark.parametrize(
    ("statement", "index"),
    [(profiles.REVISION_AT, "ix_changes_at"), (conversations.FIRST_TURN, "ix_messages_at")],
    ids=["REVISION_AT", "FIRST_TURN"],
)
def test_a_moment_is_found_by_one_step_into_an_index(
    request: pytest.FixtureRequest, filled: str, statement: Executable, index: str
) -> None:
    connection: Connection = request.getfixturevalue(filled)
    trial = connection.begin_nested()
    if connection.dialect.name == "postgresql":
        # The table is small enough to be read whole; in use it grows by every write of the owner.
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
    told = str(plan(connection, statement))
    trial.rollback()  # the planner's settings go with it
    assert index in told
    assert "Sort" not in told
    assert "TEMP B-TREE" not in told


def test_vectors_are_ranked_in_the_server_among_the_owners_rows_only(
    walled: Connection, bare: Connection
) -> None:
    for connection in (walled, bare):
        with connection.begin_nested():
            assert reads_beyond(connection, pgvector.RANKED) == []


@pytest.mark.parametrize("filled", ["sqlite_filled", "bare"])
def test_a_read_beyond_the_owner_is_seen(request: pytest.FixtureRequest, filled: str) -> None:
    connection: Connection = request.getfixturevalue(filled)
    m, other, d = t.messages, t.messages.alias("other"), t.dirty
    forgotten = select(m.c.id).where(m.c.id == p("id"))
    joined = select(m.c.id).join(other, other.c.seq == m.c.seq).where(m.c.owner == OWNER_OF_SCOPE)
    crossing = select(d.c.key).where(d.c.due_at <= p("at", t.Big)).order_by(d.c.due_at).limit(1)
    led = select(m.c.id).where(m.c.owner == OWNER_OF_SCOPE, m.c.id == p("id"))
    for statement in (forgotten, joined, crossing):
        assert reads_beyond(connection, statement)
    assert not reads_beyond(connection, led)
