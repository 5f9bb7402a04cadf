"""The databases that contract tests get: migrated, fresh for each test, and nobody's superuser."""

from __future__ import annotations

import psycopg
import pytest
import sqlalchemy as sa
from tests.conftest import Backend, Dialect

from seihon.testing.postgres import APPLICATION_ROLE, PostgresAddress


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_gets_a_migrated_database_of_its_own(backend: Backend, turn: int) -> None:
    engine = sa.create_engine(backend.url)
    with engine.begin() as session:
        assert "owners" in sa.inspect(session).get_table_names()
        session.execute(sa.text("CREATE TABLE left_behind (a int)"))
        session.execute(sa.text("INSERT INTO left_behind VALUES (:turn)"), {"turn": turn})
    engine.dispose()


def test_both_dialects_are_asked_for(backend: Backend) -> None:
    assert (
        sa.make_url(backend.url).get_backend_name()
        == {"sqlite": "sqlite", "postgres": "postgresql"}[backend.dialect]
    )
    assert (backend.path is None) is (backend.dialect is Dialect.POSTGRES)


def test_on_postgresql_the_application_role_owns_its_database(pg_database: str) -> None:
    with psycopg.connect(pg_database) as session:
        owner = session.execute(
            "SELECT pg_get_userbyid(datdba), current_user FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    assert owner == (APPLICATION_ROLE, APPLICATION_ROLE)


def test_the_administrator_reaches_the_same_database(backend: Backend, pg_server: PostgresAddress) -> None:
    engine = sa.create_engine(backend.admin_url)
    with engine.connect() as session:
        assert "owners" in sa.inspect(session).get_table_names()
    engine.dispose()
    assert str(pg_server.port) in backend.admin_url or backend.dialect is Dialect.SQLITE
