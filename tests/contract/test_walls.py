"""P4: nobody else's. Four walls, each tried by what would get through if it were missing."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, ForeignKeyConstraint, Table, exc, select, text
from tests.conftest import Backend
from tests.contract.opening import admin_runs, database_of, engine_of
from tests.contract.rows import WALLED, fill, leader, row

from seihon import errors
from seihon.canonical import operator, security
from seihon.canonical import tables as t
from seihon.canonical.database import Database, Options
from seihon.canonical.scope import Reader
from seihon.testing.clock import FakeClock
from seihon.testing.guard import StatementGuard, UnguardedError
from seihon.testing.postgres import PostgresAddress

ANN, BOB = "acme/ann", "zeta/bob"
AWKWARD = (
    "a/x'y",
    "a/x\\y",
    "a/x\\'; --",
    "a/100%",
    "a/%s",
    "a/;--",
    'a/"q"',
    "a/猫\U0001f600",
    "a/$$",
    "a/:p",
)


@pytest.fixture
def lifted(statement_guard: StatementGuard) -> Generator[None]:
    """The statements here forget their filter on purpose."""
    with statement_guard.lifted():
        yield


@pytest.fixture
def filled(pg_database: str, pg_server: PostgresAddress, lifted: None) -> str:
    """A PostgreSQL database in which every table holds rows of two owners."""
    admin = pg_server.admin_url(pg_database.rpartition("/")[2])
    with engine_of(admin) as engine, engine.begin() as connection:
        fill(connection, ANN, range(1, 4))
        fill(connection, BOB, range(1, 4))
    return pg_database


def become(connection: Connection, owner: str) -> None:
    connection.exec_driver_sql(f"SET LOCAL seihon.owner = '{owner}'")


def keys_seen(connection: Connection) -> dict[str, set[str]]:
    """Return the owners (tenants) that a ``SELECT`` without any filter shows, for each table."""
    return {table.name: set(connection.execute(select(table.c[leader(table)])).scalars()) for table in WALLED}


# -- wall 1: the handle


def test_p4_a_handle_used_after_its_transaction_is_refused(db: Database) -> None:
    with db.write(ANN) as writer:
        pass
    with db.read(ANN) as reader:
        pass
    with db.derive(ANN) as deriver:
        pass
    with db.operator() as crossing:
        pass
    for handle in (writer, reader, deriver, crossing):
        with pytest.raises(errors.OutOfScope):
            handle.all(text("SELECT 1"))


def test_p4_a_handle_of_a_failed_transaction_is_refused(db: Database) -> None:
    kept: list[Reader] = []

    def fail() -> None:
        with db.write(ANN) as tx:
            kept.append(tx)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with pytest.raises(errors.OutOfScope):
        kept[0].first(text("SELECT 1"))


# -- wall 2: the keys


@pytest.mark.parametrize("table", t.metadata.sorted_tables, ids=lambda table: table.name)
def test_p4_every_key_starts_with_whose_row_it_is(table: object) -> None:
    assert table in t.metadata.sorted_tables
    declared = t.metadata.tables[str(table)]
    if declared.name == "meta":  # the installation's own, nobody's row
        return
    first = leader(declared)
    assert next(iter(declared.primary_key.columns)).name == first
    for key in declared.foreign_key_constraints:
        assert key.column_keys[0] == first, key
        assert key.elements[0].column.name == first, key
    for index in declared.indexes:
        # Only the operator looks for work of any owner.
        assert next(iter(index.columns)).name == first or index.name == "ix_dirty_due", index


def test_p2_every_text_column_is_registered() -> None:
    free = {
        (table.name, column.name)
        for table in t.metadata.sorted_tables
        for column in table.columns
        if column.type is not t.Key and column.type.python_type in (str, bytes, list)
    }
    registered = t.TEXT_COLUMNS | t.STRUCTURAL_COLUMNS
    keys = {(table.name, column.name) for table in t.metadata.sorted_tables for column in table.columns}
    assert free <= registered, "a column that can hold text is in neither register"
    assert registered <= keys, "a register names a column that does not exist"
    assert not t.TEXT_COLUMNS & t.STRUCTURAL_COLUMNS


REFERENCES = [
    (table, key)
    for table in t.metadata.sorted_tables
    for key in sorted(table.foreign_key_constraints, key=lambda key: str(key.name))
]


def test_p4_a_reference_to_another_owners_row_is_refused(backend: Backend, lifted: None) -> None:
    with engine_of(backend.url) as engine:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                become(connection, ANN)
            fill(connection, ANN, range(1, 3))
        for table, key in REFERENCES:
            # Bob has row 1 of everything that is referred to; only Ann has row 2.
            with pytest.raises(exc.IntegrityError, match=r"(?i)foreign key"), engine.connect() as connection:
                _insert_crossing(connection, table, key)


def _insert_crossing(connection: Connection, table: Table, key: ForeignKeyConstraint) -> None:
    connection.execution_options(seihon_write=True)
    with connection.begin():
        if connection.dialect.name == "postgresql":
            become(connection, BOB)
        referred = key.elements[0].column.table
        for parent in (each for each in WALLED if each is not table and each is not referred):
            if parent in _ancestors(table):
                connection.execute(parent.insert(), [row(parent, BOB, 1)])
        crossing = row(table, BOB, 1)
        if referred is not t.owners and len(key.column_keys) > 1:
            if referred in _ancestors(table):
                connection.execute(referred.insert(), [row(referred, BOB, 1)])
            crossing |= dict.fromkeys(key.column_keys[1:], "k2")
        connection.execute(table.insert(), [crossing])


def _ancestors(table: Table) -> set[Table]:
    """Return every table that a row of ``table`` needs rows of, itself left out."""
    found: set[Table] = set()
    waiting = [table]
    while waiting:
        for key in waiting.pop().foreign_key_constraints:
            referred = key.elements[0].column.table
            if referred not in found:
                found.add(referred)
                waiting.append(referred)
    return found


# -- wall 3: the statements


def test_p4_the_guard_refuses_a_forgotten_filter(db: Database) -> None:
    with db.read(ANN) as tx:
        assert tx.all(select(t.notes).where(t.notes.c.owner == ANN)) == []
        with pytest.raises(UnguardedError, match="messages"):
            tx.all(select(t.messages))


# -- wall 4: row-level security


def test_p4_without_an_owner_a_raw_select_shows_nothing(filled: str) -> None:
    with engine_of(filled) as engine, engine.begin() as connection:
        connection.exec_driver_sql("SET LOCAL ROLE NONE")
        seen = keys_seen(connection)
    crossing = {name for name, owners in seen.items() if owners}
    assert crossing == security.OPERATOR_TABLES, "only the operator's tables answer where no owner is set"


def test_p4_with_an_owner_a_raw_select_shows_only_theirs(filled: str) -> None:
    with engine_of(filled) as engine:
        for owner in (ANN, BOB):
            with engine.begin() as connection:
                become(connection, owner)
                seen = keys_seen(connection)
            for table in WALLED:
                mine = owner if leader(table) == "owner" else owner.partition("/")[0]
                assert seen[table.name] == {mine}, table.name


def test_p4_rows_of_another_owner_cannot_be_written_changed_or_removed(filled: str) -> None:
    with engine_of(filled) as engine:
        for table in WALLED:
            key = leader(table)
            theirs = BOB if key == "owner" else "zeta"
            with engine.connect() as connection:
                connection.begin()
                become(connection, ANN)
                assert connection.execute(table.delete().where(table.c[key] == theirs)).rowcount == 0
                changed = table.update().values({key: table.c[key]}).where(table.c[key] == theirs)
                assert connection.execute(changed).rowcount == 0
                with pytest.raises(exc.ProgrammingError, match="row-level security"):
                    connection.execute(table.insert(), [row(table, "zeta/carl", 9)])
            with engine.connect() as connection:
                connection.begin()
                become(connection, ANN)
                with pytest.raises(exc.ProgrammingError, match="row-level security"):
                    connection.execute(table.update().values({key: "zeta/carl"}))


def test_p4_the_setting_ends_with_its_transaction(pg_database: str, clock: FakeClock) -> None:
    setting = text("SELECT current_setting('seihon.owner', true)")
    with database_of(pg_database, clock, options=Options(pool_size=1)) as db:
        with db.write(ANN) as tx:
            assert tx.first(setting) == (ANN,)
        with db.operator() as crossing:
            assert crossing.first(setting) in ((None,), ("",))
        with pytest.raises(ZeroDivisionError), db.write(ANN):
            raise ZeroDivisionError
        with db.engine.connect() as connection:
            assert connection.scalar(setting) in (None, "")
        with db.read(BOB) as tx:
            assert tx.first(setting) == (BOB,)


def test_p4_the_operator_sees_who_has_work_and_no_text(filled: str, clock: FakeClock) -> None:
    assert not {table for table, _ in t.TEXT_COLUMNS} & security.OPERATOR_TABLES
    with database_of(filled, clock) as db, db.operator() as tx:
        assert operator.owners(tx, after="", limit=10) == [ANN, BOB]
        assert operator.open_receipts(tx, after="", limit=10)
        for table in sorted({table for table, _ in t.TEXT_COLUMNS}):
            assert tx.all(select(t.metadata.tables[table])) == [], table


def test_p4_the_operators_policies_do_not_widen_an_owners_handle(filled: str, clock: FakeClock) -> None:
    with database_of(filled, clock) as db, db.read(ANN) as tx:
        for table in sorted(security.OPERATOR_TABLES):
            assert set(tx.all(select(t.metadata.tables[table].c.owner))) == {(ANN,)}, table


def test_p4_the_operator_writes_nothing(filled: str) -> None:
    with engine_of(filled) as engine, engine.begin() as connection:
        for table in sorted(security.OPERATOR_TABLES):
            assert connection.execute(t.metadata.tables[table].delete()).rowcount == 0, table


# -- the name of an owner is data


@pytest.mark.parametrize("owner", AWKWARD)
def test_p4_an_owners_name_is_data_whatever_it_holds(db: Database, owner: str) -> None:
    with db.write(owner, turns=1) as tx:
        assert tx.turn == 1
    with db.read(owner) as tx:
        assert (tx.known, tx.revision, tx.turn) == (True, 1, 1)
    with db.read("a/x") as tx:
        assert not tx.known


def test_p4_any_owners_name_reaches_the_setting_unchanged(pg_database: str, clock: FakeClock) -> None:
    setting = text("SELECT current_setting('seihon.owner', true)")
    letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    special = st.sampled_from(["'", "''", "\\", "\\'", "%", "%s", ";", "--", "$$", "/*", "\n", ":x", "E'"])
    with database_of(pg_database, clock) as db:

        @given(st.lists(st.one_of(special, st.text(letters, max_size=4)), max_size=8).map("".join))
        def unchanged(name: str) -> None:
            with db.read("a/" + name) as tx:
                assert tx.first(setting) == ("a/" + name,)

        unchanged()


def test_p4_backslashes_are_plain_whatever_the_role_is_set_to(
    pg_database: str, pg_server: PostgresAddress, clock: FakeClock
) -> None:
    name = pg_database.rpartition("/")[2]
    admin_runs(pg_server, f"ALTER DATABASE {name} SET standard_conforming_strings = off")
    with database_of(pg_database, clock) as db:
        with db.write("a/x\\") as tx:
            pass
        assert tx.owner == "a/x\\"
        with db.read("a/x\\") as tx:
            assert tx.known


# -- start is refused where a wall would be missing


def test_p4_the_plain_role_is_taken(pg_database: str) -> None:
    with engine_of(pg_database) as engine, engine.connect() as connection:
        security.assert_safe_role(connection)


def test_p4_start_is_refused_as_a_superuser(pg_database: str, pg_server: PostgresAddress) -> None:
    admin = pg_server.admin_url(pg_database.rpartition("/")[2])
    with engine_of(admin) as engine, engine.connect() as connection:
        with pytest.raises(errors.Unsafe, match="superuser"):
            security.assert_safe_role(connection)
        connection.exec_driver_sql("SET ROLE seihon_app")
        with pytest.raises(errors.Unsafe, match="superuser"):  # one RESET ROLE away from being one
            security.assert_safe_role(connection)


def test_p4_start_is_refused_with_bypassrls(pg_database: str, pg_server: PostgresAddress) -> None:
    name = pg_database.rpartition("/")[2]
    admin_runs(pg_server, f"CREATE ROLE {name}_bypass LOGIN PASSWORD 'x' BYPASSRLS")
    try:
        url = f"postgresql://{name}_bypass:x@{pg_server.host}:{pg_server.port}/{name}"
        with (
            engine_of(url) as engine,
            engine.connect() as connection,
            pytest.raises(errors.Unsafe, match="BYPASSRLS"),
        ):
            security.assert_safe_role(connection)
    finally:
        admin_runs(pg_server, f"DROP ROLE {name}_bypass")


@pytest.mark.parametrize(
    "breach",
    [
        "ALTER TABLE messages NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE messages DISABLE ROW LEVEL SECURITY",
        "CREATE POLICY helpful ON messages USING (true)",
        "DROP POLICY seihon_wall ON messages",
        "ALTER POLICY seihon_wall ON messages USING (owner IS NOT NULL)",
        "ALTER POLICY seihon_wall ON messages WITH CHECK (true)",
    ],
)
def test_p4_start_is_refused_where_a_wall_is_broken_and_migrating_mends_it(
    pg_database: str, breach: str
) -> None:
    from seihon.canonical.migrations import upgrade

    with engine_of(pg_database) as engine:
        with engine.begin() as connection:
            connection.exec_driver_sql(breach)
        with engine.connect() as connection, pytest.raises(errors.Unsafe, match="messages") as refused:
            security.assert_safe_role(connection)
        assert "seihon migrate" in refused.value.message
        upgrade(pg_database)
        with engine.connect() as connection:
            security.assert_safe_role(connection)


def test_p4_a_policy_that_only_narrows_is_left_alone(pg_database: str) -> None:
    with engine_of(pg_database) as engine, engine.begin() as connection:
        connection.exec_driver_sql("CREATE POLICY more ON messages AS RESTRICTIVE USING (role <> 'tool')")
        security.assert_safe_role(connection)


def test_maintenance_is_for_those_who_may(pg_database: str) -> None:
    with engine_of(pg_database) as engine, engine.connect() as connection:
        assert security.may_maintain(connection, "messages")
        assert not security.may_maintain(connection, "no_such_table")
        assert not security.may_maintain(connection, "pg_catalog.pg_authid")
