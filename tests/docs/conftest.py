"""What the tests of the documentation share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.contract.opening import admin_runs
from tests.docs.server import PageServer

from seihon.canonical import migrations
from seihon.canonical.roles import Roles
from seihon.testing.postgres import PostgresAddress

LOGINS = ("web", "jobs", "ops")


@pytest.fixture
def page_server(pg_empty: str, pg_server: PostgresAddress) -> Iterator[PageServer]:
    """A database as ``seihon migrate --create-roles`` leaves it; roles and logins go with the test."""
    database = pg_empty.rpartition("/")[2]
    prefix = f"{database}_docs"
    web, jobs, ops = logins = [f"{prefix}_{login}" for login in LOGINS]
    roles = Roles(prefix, (web,), (jobs,), (ops,))
    for login in logins:
        admin_runs(pg_server, f"CREATE ROLE {login} LOGIN PASSWORD 'secret'")
    admin_url = pg_server.admin_url(database)
    migrations.upgrade(admin_url, create_roles=True, names=roles)
    where = f"{pg_server.host}:{pg_server.port}/{database}"
    app_url, worker_url, maintenance_url = (f"postgresql://{login}:secret@{where}" for login in logins)
    yield PageServer(app_url, worker_url, maintenance_url, admin_url)
    pg_server.drop_database(database)
    for name in (*roles.all, *logins):
        admin_runs(pg_server, f"DROP ROLE {name}")
