"""A PostgreSQL server that cannot be reached, refuses the login, or lacks the database: each says so."""

from __future__ import annotations

import pytest
from tests.contract.opening import admin_runs

from seihon import errors
from seihon.canonical import migrations
from seihon.memory import Memory
from seihon.testing.postgres import PostgresAddress


def refusal(url: str) -> errors.Unavailable:
    """Return what opening and migrating both answer."""
    with pytest.raises(errors.Unavailable) as migrating:
        migrations.upgrade(url)
    with pytest.raises(errors.Unavailable) as opening:
        Memory.open(url, secret=b"s" * 32)
    assert opening.value.message == migrating.value.message
    return opening.value


def test_a_server_that_does_not_answer_is_told_apart() -> None:
    for nobody in ("postgresql://app@127.0.0.1:1/x", "postgresql://app@nowhere.invalid/x"):
        assert "server does not answer" in refusal(nobody).message


def test_a_login_that_is_refused_is_told_apart(pg_database: str, pg_server: PostgresAddress) -> None:
    place = pg_database.rpartition("@")[2]
    for login in ("nobody:wrong", "seihon_app:wrong", "seihon_app"):
        found = refusal(f"postgresql://{login}@{place}")
        assert "refuses the login" in found.message
        assert found.details["state"] == "28P01"
        assert "wrong" not in str(found.as_dict())
    database = pg_database.rpartition("/")[2]
    admin_runs(pg_server, f"CREATE ROLE {database}_silent NOLOGIN PASSWORD 'wrong'")
    found = refusal(f"postgresql://{database}_silent:wrong@{place}")
    assert ("refuses the login" in found.message, found.details["state"]) == (True, "28000")
    admin_runs(pg_server, f"DROP ROLE {database}_silent")


def test_a_database_that_is_not_there_is_told_apart(pg_database: str) -> None:
    found = refusal(pg_database.rpartition("/")[0] + "/no_such_database")
    assert ("no database of this name" in found.message, found.details["state"]) == (True, "3D000")
