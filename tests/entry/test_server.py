"""What an operator does on PostgreSQL: roles, the refusal of a role without walls, the strict purge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from tests.contract.opening import admin_runs
from tests.entry.running import Run

from seihon.canonical.roles import Roles
from seihon.testing.postgres import PostgresAddress


@dataclass(frozen=True, slots=True)
class Place:
    """An empty database, its admin's URL, and logins of its own for the application and the operator."""

    admin_url: str
    prefix: str
    host: str

    def url(self, login: str) -> str:
        """The URL of a login."""
        return f"postgresql://{self.prefix}_{login}:hunter2@{self.host}"


@pytest.fixture
def place(pg_empty: str, pg_server: PostgresAddress) -> Iterator[Place]:
    """The server before anybody migrated it."""
    database = pg_empty.rpartition("/")[2]
    prefix = f"cli_{database}"
    for login in ("web", "ops"):
        admin_runs(pg_server, f"CREATE ROLE {prefix}_{login} LOGIN PASSWORD 'hunter2'")
    yield Place(pg_server.admin_url(database), prefix, f"{pg_server.host}:{pg_server.port}/{database}")
    pg_server.drop_database(database)
    made = {*Roles(prefix).all, f"{prefix}_web", f"{prefix}_ops"}
    with psycopg.connect(pg_server.admin_url(), autocommit=True) as admin:
        there = admin.execute("SELECT rolname::text FROM pg_roles WHERE rolname = ANY(%s)", [list(made)])
        for (name,) in there.fetchall():
            admin_runs(pg_server, f"DROP ROLE {name}")


def _migrate(call: Run, place: Place) -> None:
    logins = ["--app-login", f"{place.prefix}_web", "--maintenance-login", f"{place.prefix}_ops"]
    made = call(
        "migrate", "--create-roles", "--prefix", place.prefix, *logins, "--db", place.admin_url, "--json"
    )
    assert made.code == 0, made
    assert (made.data["before"], bool(made.data["revision"])) == (None, True)


def test_roles_are_made_and_the_application_works_behind_the_walls(call: Run, place: Place) -> None:
    early = call("message", "list", "ann", "c1", "--db", place.url("web"), "--json")
    assert (early.code, early.error["code"]) == (7, "unavailable")
    assert "seihon migrate" in early.error["message"] or "database" in early.error["message"]
    _migrate(call, place)
    added = call("message", "add", "ann", "c1", "user", "Hello", "--db", place.url("web"))
    assert added.code == 0, added
    assert "hunter2" not in added.out + added.err
    assert f"{place.prefix}_web:***@" in added.err
    assert len(call("search", "ann", "hello", "--db", place.url("web"), "--json").data) == 1


def test_a_superuser_is_refused_since_no_wall_binds_it(call: Run, place: Place) -> None:
    _migrate(call, place)
    refused = call("message", "add", "ann", "c1", "user", "Hello", "--db", place.admin_url, "--json")
    assert (refused.code, refused.error["code"]) == (8, "unsafe")


def test_a_strict_purge_runs_as_the_maintenance_role(call: Run, place: Place) -> None:
    _migrate(call, place)
    call("message", "add", "ann", "c1", "user", "Hello", "--id", "m1", "--db", place.url("web"))
    receipt = call("forget", "message", "ann", "m1", "--yes", "--wait", "--db", place.url("web"), "--json")
    assert (receipt.data["state"], receipt.data["level"]) == ("verified", "standard")
    assert any("--strict" in step for step in receipt.data["purge"])
    purged = call("purge", "--strict", "--maintenance-url", place.url("ops"), "--json")
    assert purged.code == 0, purged
    assert purged.data["level"] == "strict"
    assert purged.data["steps"]
    refused = call("purge", "--strict", "--maintenance-url", place.url("web"), "--json")
    assert (refused.code, refused.error["code"]) == (8, "unsafe")
