"""The roles of `seihon migrate --create-roles`: each may do its duty, and nothing beside it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from itertools import count

import psycopg
import pytest
from sqlalchemy import Connection, exc, select
from tests.contract.opening import admin_runs, database_of, engine_of
from tests.contract.rows import fill

from seihon import errors
from seihon.canonical import migrations, operator, pgvector, security
from seihon.canonical import tables as t
from seihon.canonical.roles import Roles
from seihon.testing.clock import FakeClock
from seihon.testing.guard import StatementGuard
from seihon.testing.postgres import PostgresAddress

ANN, BOB = "acme/ann", "zeta/bob"
_numbers = count(1)


@dataclass(frozen=True)
class Installation:
    """A database with roles of its own, and the URLs of one login for each duty."""

    server: PostgresAddress
    database: str
    roles: Roles

    @property
    def admin_url(self) -> str:
        return self.server.admin_url(self.database)

    def url(self, login: str) -> str:
        """Return the URL of a login (``web``, ``jobs`` or ``ops``)."""
        where = f"{self.server.host}:{self.server.port}/{self.database}"
        return f"postgresql://{self.roles.prefix}_{login}:secret@{where}"


@pytest.fixture
def installed(
    pg_empty: str, pg_server: PostgresAddress, statement_guard: StatementGuard
) -> Generator[Installation]:
    """A database that an admin migrated with roles; it holds rows of two owners."""
    database = pg_empty.rpartition("/")[2]
    prefix = f"{database}_{next(_numbers)}"
    for login in ("web", "jobs", "ops"):
        admin_runs(pg_server, f"CREATE ROLE {prefix}_{login} LOGIN PASSWORD 'secret'")
    roles = Roles(prefix, (f"{prefix}_web",), (f"{prefix}_jobs",), (f"{prefix}_ops",))
    installation = Installation(pg_server, database, roles)
    with statement_guard.lifted():
        migrations.upgrade(installation.admin_url, create_roles=True, names=roles)
        with engine_of(installation.admin_url) as engine, engine.begin() as connection:
            fill(connection, ANN, range(1, 4))
            fill(connection, BOB, range(1, 4))
        yield installation
    pg_server.drop_database(database)
    for name in (*roles.all, *(f"{prefix}_{login}" for login in ("web", "jobs", "ops"))):
        admin_runs(pg_server, f"DROP ROLE {name}")


def test_an_admin_makes_the_extension_for_vectors_and_a_plain_role_does_without(
    installed: Installation, pg_database: str
) -> None:
    with engine_of(installed.url("web")) as engine, engine.begin() as connection:
        assert pgvector.is_there(connection)
    with engine_of(pg_database) as engine, engine.begin() as connection:
        pgvector.create(connection)
        assert not pgvector.is_there(connection)


@pytest.mark.parametrize("login", ["web", "jobs", "ops"])
def test_p4_every_duty_is_bound_by_the_walls(installed: Installation, login: str) -> None:
    with engine_of(installed.url(login)) as engine, engine.begin() as connection:
        security.assert_safe_role(connection)
        for table in sorted({table for table, _ in t.TEXT_COLUMNS}):
            assert connection.execute(select(t.metadata.tables[table])).all() == [], table
        connection.exec_driver_sql(f"SET LOCAL seihon.owner = '{ANN}'")
        for table in t.OWNED:
            assert set(connection.execute(select(table.c.owner)).scalars()) == {ANN}, table.name


def test_the_application_reads_and_writes_and_is_no_operator(
    installed: Installation, clock: FakeClock
) -> None:
    with database_of(installed.url("web"), clock) as db:
        migrations.check(db)
        with db.write(ANN, turns=1) as tx:
            assert tx.revision == 2
        with db.tenant("acme", write=True) as tenant:
            assert tenant.all(select(t.schemas.c.version).where(t.schemas.c.tenant == "acme"))
        with db.operator() as crossing:
            assert operator.owners(crossing, after="", limit=9) == []


@pytest.mark.parametrize("login", ["jobs", "ops"])
def test_the_worker_and_the_maintainer_see_who_has_work(
    installed: Installation, clock: FakeClock, login: str
) -> None:
    with database_of(installed.url(login), clock) as db:
        with db.operator() as crossing:
            assert operator.owners(crossing, after="", limit=9) == [ANN, BOB]
        with db.derive(BOB) as tx:
            assert tx.known


@pytest.mark.parametrize("login", ["web", "jobs", "ops"])
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine (a text)",
        "DROP TABLE messages",
        "ALTER TABLE messages DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE messages NO FORCE ROW LEVEL SECURITY",
        "CREATE POLICY helpful ON messages USING (true)",
        "DROP POLICY seihon_wall ON messages",
        "TRUNCATE messages CASCADE",
        "UPDATE seihon_version SET version_num = '0000'",
        "SET ROLE {owner}",
        "ALTER ROLE CURRENT_USER BYPASSRLS",
        "CREATE ROLE more SUPERUSER",
    ],
)
def test_no_duty_changes_the_schema_or_the_walls(installed: Installation, login: str, statement: str) -> None:
    with engine_of(installed.url(login)) as engine, engine.connect() as connection:
        with pytest.raises(exc.ProgrammingError) as refused:
            connection.exec_driver_sql(statement.format(owner=installed.roles.owner))
        assert isinstance(refused.value.orig, psycopg.errors.InsufficientPrivilege)


def test_maintenance_rewrites_tables_and_turns_the_log_over(installed: Installation) -> None:
    assert not _may_maintain(installed.url("web"))
    assert not _may_maintain(installed.url("jobs"))
    assert _may_maintain(installed.url("ops"))
    with psycopg.connect(installed.url("ops"), autocommit=True) as session:
        for table in t.metadata.tables:
            session.execute(f"VACUUM (FULL, ANALYZE) {table}".encode())
        session.execute("SELECT pg_switch_wal()")
        session.execute("CHECKPOINT")


def _may_maintain(url: str) -> bool:
    with engine_of(url) as engine, engine.connect() as connection:
        return security.may_maintain(connection, "messages")


def test_nobody_logs_in_as_the_owner_of_the_tables(installed: Installation) -> None:
    with engine_of(installed.admin_url) as engine, engine.connect() as connection:
        owners = connection.exec_driver_sql(
            "SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = current_schema()"
        )
        assert list(owners.scalars()) == [installed.roles.owner]
        assert not _can_login(connection, installed.roles.owner)


def _can_login(connection: Connection, role: str) -> bool:
    found = connection.exec_driver_sql(f"SELECT rolcanlogin FROM pg_roles WHERE rolname = '{role}'")
    return bool(found.scalar_one())


def test_making_the_roles_twice_changes_nothing(installed: Installation) -> None:
    again = migrations.upgrade(installed.admin_url, create_roles=True, names=installed.roles)
    assert (again.before, again.ungranted) == (migrations.head(), ())
    assert migrations.upgrade(installed.admin_url).before == migrations.head()
    with engine_of(installed.url("web")) as engine, engine.connect() as connection:
        security.assert_safe_role(connection)
        policies = security.read_walls(connection).policies
    bound = {policy.roles for policy in policies if policy.name == security.OPERATOR}
    assert bound == {(installed.roles.worker,)}


def test_an_installation_of_one_role_can_take_roles_later(
    pg_database: str, pg_server: PostgresAddress, clock: FakeClock
) -> None:
    database = pg_database.rpartition("/")[2]
    roles = Roles(f"{database}_later", app_logins=("seihon_app",))
    with database_of(pg_database, clock) as db:
        with db.write(ANN):
            pass
        migrations.upgrade(pg_server.admin_url(database), create_roles=True, names=roles)
        with db.write(ANN) as tx:
            assert tx.revision == 2
        with db.operator() as crossing:
            assert operator.owners(crossing, after="", limit=9) == []
    pg_server.drop_database(database)
    for name in roles.all:
        admin_runs(pg_server, f"DROP ROLE {name}")


def test_an_admin_who_is_no_superuser_makes_all_but_two_rights(
    pg_empty: str, pg_server: PostgresAddress
) -> None:
    database = pg_empty.rpartition("/")[2]
    admin, roles = f"{database}_dba", Roles(f"{database}_plain")
    admin_runs(pg_server, f"CREATE ROLE {admin} LOGIN CREATEROLE PASSWORD 'secret'")
    admin_runs(pg_server, f"ALTER DATABASE {database} OWNER TO {admin}")
    url = f"postgresql://{admin}:secret@{pg_server.host}:{pg_server.port}/{database}"
    done = migrations.upgrade(url, create_roles=True, names=roles)
    assert done.ungranted == ("pg_checkpoint", "pg_switch_wal")
    assert migrations.upgrade(url).before == migrations.head()
    pg_server.drop_database(database)
    for name in (*roles.all, admin):
        admin_runs(pg_server, f"DROP ROLE {name}")


def test_roles_that_no_wall_would_bind_are_refused(pg_empty: str, pg_server: PostgresAddress) -> None:
    database = pg_empty.rpartition("/")[2]
    admin = pg_server.admin_url(database)
    with pytest.raises(errors.Unsafe, match="superuser"):
        migrations.upgrade(admin, create_roles=True, names=Roles(f"{database}_x", app_logins=("postgres",)))
    with pytest.raises(errors.NotFound, match="create it first"):
        migrations.upgrade(
            admin, create_roles=True, names=Roles(f"{database}_x", app_logins=("no_such_login",))
        )
    assert migrations.current(admin) is None
    with pytest.raises(errors.Unsafe, match="right"):
        migrations.upgrade(pg_empty, create_roles=True, names=Roles(f"{database}_x"))


@pytest.mark.parametrize("prefix", ["", "Seihon", "1st", "a-b", 'a"b', "a" * 42, "a b"])
def test_a_prefix_is_a_plain_name(prefix: str) -> None:
    with pytest.raises(errors.InvalidArgument, match="lower-case"):
        Roles(prefix)


@pytest.mark.parametrize("login", ["web", "jobs", "ops"])
def test_a_login_that_must_not_migrate_is_told_which_one_does(installed: Installation, login: str) -> None:
    with pytest.raises(errors.Unsafe, match=r"with an admin's login: a superuser, or a role with CREATEROLE"):
        migrations.upgrade(installed.url(login))
