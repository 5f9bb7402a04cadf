"""How contract tests open a database beside the ``db`` fixture: few connections, short waits, other roles."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Engine

from seihon.canonical.database import Database, Options, make_engine, parse_url
from seihon.testing.clock import FakeClock
from seihon.testing.postgres import PostgresAddress


@contextmanager
def engine_of(url: str) -> Generator[Engine]:
    """An engine of one connection, so that what a transaction leaves behind meets the next one."""
    engine = make_engine(parse_url(url), Options(pool_size=1))
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def database_of(url: str, clock: FakeClock, *, options: Options | None = None) -> Generator[Database]:
    numbers = iter(range(1, 1_000_000))
    database = Database(url, clock=clock, new_id=lambda kind: f"{kind}_{next(numbers)}", options=options)
    try:
        yield database
    finally:
        database.close()


def admin_runs(server: PostgresAddress, statement: str, *, database: str = "postgres") -> None:
    """Run one statement as the server's superuser, outside a transaction."""
    with psycopg.connect(server.admin_url(database), autocommit=True) as admin:
        admin.execute(statement.encode())


def kill_sessions(server: PostgresAddress, url: str) -> None:
    """End every session on the database of ``url``, as a restarting server or a network does."""
    with psycopg.connect(server.admin_url(), autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s",
            [url.rpartition("/")[2]],
        )
