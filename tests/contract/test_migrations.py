"""The schema of a database: brought up once, by whoever comes first, and never half."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, inspect, text
from tests.conftest import Backend, Dialect
from tests.contract.opening import admin_runs, database_of, engine_of
from tests.contract.rows import fill

from seihon import errors
from seihon.canonical import migrations, security
from seihon.canonical import tables as t
from seihon.testing.clock import FakeClock
from seihon.testing.guard import StatementGuard
from seihon.testing.postgres import PostgresAddress

# A released revision never changes: a database out there has run it as it was.
RELEASED = {
    "0001_original.py": "361fc0d5c3cd396c8e195adbb46ba4d10e86d5453edd5f70e5d81bf8a9e8c8a0",
    "0002_no_samples.py": "c4986c830c8c1fd872b56ebf305e8cec47940bc3cf73577469dcaac607cceae6",
    "0003_time_that_only_grows.py": "38d5ce7b1ec9ec62d42ae3b1d9c19e169ddbf535504c40c0fe3f16f4a5d8fb88",
    "0004_summaries.py": "4e44a2102d5398cbb2d5d87b715c312ee34ed381d0ded7d6eab620422f00591d",
    "0005_vectors.py": "666c941d060981c193b65b219d953547ef6c5c6ec952401d911e6fa2dcf3081a",
}
VERSIONS = migrations.RELEASED.folder
ANN, BOB = "acme/ann", "zeta/bob"


@pytest.fixture(params=list(Dialect), ids=str)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without any table, on each engine."""
    if request.param is Dialect.SQLITE:
        return str(tmp_path / "new.sqlite")
    url: str = request.getfixturevalue("pg_empty")
    return url


@pytest.fixture(autouse=True)
def lifted(statement_guard: StatementGuard) -> Generator[None]:
    """Revisions and these tests work on rows of every owner."""
    with statement_guard.lifted():
        yield


def chain_with(folder: Path, *bodies: str) -> migrations.Chain:
    """Return the released chain and one more revision for each body of an ``upgrade``."""
    for released in VERSIONS.glob("[0-9]*.py"):
        (folder / released.name).write_text(released.read_text())
    last = migrations.head()
    for body in bodies:
        number = f"{int(last) + 1:04}"
        (folder / f"{number}_more.py").write_text(
            "import sqlalchemy as sa\nfrom alembic import op\n\n"
            f"revision = {number!r}\ndown_revision = {last!r}\n\n\ndef upgrade():\n    {body}\n"
        )
        last = number
    return migrations.Chain(folder)


# -- the chain


@pytest.mark.scenario("P4")
def test_a_released_revision_never_changes() -> None:
    found = {path.name: _hash(path) for path in VERSIONS.glob("[0-9]*.py")}
    assert found == RELEASED, "a new revision is added here; a released one is restored to what it was"


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_chain_is_one_line() -> None:
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(VERSIONS.parent), version_locations=[str(VERSIONS)])
    assert script.get_heads() == [migrations.head()]
    assert [revision.revision for revision in script.walk_revisions()][::-1] == list(
        migrations.RELEASED.revisions
    )


def test_alembic_is_loaded_for_a_change_only(sqlite_path: Path) -> None:
    code = (
        "import sys; from seihon.canonical import migrations as m; "
        "print(m.upgrade(sys.argv[1]).revision, m.current(sys.argv[1]), 'alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(sqlite_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [migrations.head(), migrations.head(), "False"]


# -- what comes out is what is declared


def _ours(engine: Engine) -> list[Any]:
    options = {
        "compare_type": True,
        "compare_server_default": True,
        "version_table": migrations.VERSION_TABLE,
    }
    with engine.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection, opts=options), t.metadata)


def test_the_migrated_schema_is_the_declared_one(
    empty: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    migrations.upgrade(empty)
    with engine_of(empty) as engine:
        assert _ours(engine) == []
        migrated = _described(engine)
    declared = _declared_database(request, tmp_path, postgresql="postgresql" in empty)
    with engine_of(declared) as engine:
        with engine.connect() as connection:
            connection.execution_options(seihon_write=True)
            with connection.begin():
                t.metadata.create_all(connection)
        assert migrated == _described(engine)
    assert set(migrated) == set(t.metadata.tables)


def _declared_database(request: pytest.FixtureRequest, tmp_path: Path, *, postgresql: bool) -> str:
    if not postgresql:
        return str(tmp_path / "declared.sqlite")
    server: PostgresAddress = request.getfixturevalue("pg_server")
    name = f"declared_{request.node.name[:8]}"
    request.addfinalizer(lambda: server.drop_database(name))
    return server.create_database(name)


def _described(engine: Engine) -> dict[str, set[str]]:
    """Return what the database itself says of each of our tables, beyond what Alembic compares."""
    with engine.connect() as connection:
        describe = _described_by_sqlite if engine.dialect.name == "sqlite" else _described_by_postgresql
        return {
            name: describe(connection, name)
            for name in inspect(connection).get_table_names()
            if name != migrations.VERSION_TABLE
        }


def _described_by_sqlite(connection: Connection, table: str) -> set[str]:
    rows = connection.execute(
        text("SELECT type, name, sql FROM sqlite_master WHERE tbl_name = :table AND sql IS NOT NULL"),
        {"table": table},
    )
    parts: set[str] = set()
    for kind, name, sql in rows:
        plain = re.sub(r"\s+", " ", sql.replace('"', "")).strip()
        # The order of constraints in a table is nobody's promise; the words after its bracket (STRICT) are.
        body, _, after = plain.partition("(")[2].rpartition(")") if kind == "table" else (plain, "", "")
        parts |= {
            f"{kind} {name}: {part.strip()}"
            for part in re.split(r", (?=CONSTRAINT|\w+ (?:TEXT|INTEGER))", body)
        }
        parts.add(f"{kind} {name} {after}")
    return parts


_COLUMN = "attname || format_type(atttypid, atttypmod) || attnotnull::text || attcollation::regcollation"


def _described_by_postgresql(connection: Connection, table: str) -> set[str]:
    every = (
        "pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid",
        "pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid",
        f"{_COLUMN} FROM pg_attribute WHERE attnum > 0 AND attrelid",
        "conname FROM pg_constraint WHERE conrelid",
    )
    queries = (text(f"SELECT {each} = to_regclass(:table)") for each in every)
    return {row for query in queries for row in connection.execute(query, {"table": table}).scalars()}


def test_the_walls_of_a_migrated_database_are_the_declared_ones(pg_database: str) -> None:
    with engine_of(pg_database) as engine, engine.connect() as connection:
        walls = security.read_walls(connection)
    assert walls.tables == walls.forced == set(security.WALLED)
    assert len(walls.policies) == len(security.WALLED) + len(security.OPERATOR_TABLES)
    assert {table.name for table in (*t.OWNED, *t.OF_TENANT)} == set(security.WALLED)


# -- upgrading


def test_upgrading_twice_changes_nothing(empty: str) -> None:
    assert migrations.current(empty) is None
    first = migrations.upgrade(empty)
    assert (first.before, first.revision, first.backup) == (None, migrations.head(), None)
    assert migrations.current(empty) == migrations.head()
    second = migrations.upgrade(empty)
    assert (second.before, second.revision, second.backup) == (migrations.head(), migrations.head(), None)


def test_asking_for_the_revision_makes_no_file(tmp_path: Path) -> None:
    assert migrations.current(str(tmp_path / "none.sqlite")) is None
    assert list(tmp_path.iterdir()) == []


def test_processes_that_upgrade_at_once_make_one_schema(empty: str) -> None:
    code = "import sys; from seihon.canonical.migrations import upgrade; print(upgrade(sys.argv[1]).before)"

    def run(_: int) -> str:
        done = subprocess.run([sys.executable, "-c", code, empty], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    with ThreadPoolExecutor(4) as pool:
        seen = sorted(pool.map(run, range(4)))
    assert seen == [migrations.head()] * 3 + ["None"]


def test_an_unknown_address_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(errors.Unavailable, match="cannot be opened"):
        migrations.upgrade(str(tmp_path / "no" / "folder" / "x.sqlite"))
    (tmp_path / "text.sqlite").write_text("This is no database. " * 100)
    with pytest.raises(errors.Unavailable, match="not a SQLite database"):
        migrations.upgrade(str(tmp_path / "text.sqlite"))
    with pytest.raises(errors.Unavailable, match="does not answer"):
        migrations.upgrade("postgresql://nobody@127.0.0.1:1/none")


def test_tables_of_somebody_else_are_left_alone(empty: str) -> None:
    with engine_of(empty) as engine, engine.connect() as connection:
        connection.execution_options(seihon_write=True)
        with connection.begin():
            connection.exec_driver_sql("CREATE TABLE messages (body TEXT)")
    with pytest.raises(errors.Unavailable, match="did not make"):
        migrations.upgrade(empty)
    with engine_of(empty) as engine:
        assert inspect(engine).get_table_names() == ["messages"]


# -- opening a database of another revision


def test_a_database_without_a_schema_is_refused(empty: str, clock: FakeClock) -> None:
    with database_of(empty, clock) as db:
        with pytest.raises(errors.Unavailable, match="seihon migrate"):
            migrations.check(db)
        migrations.upgrade(empty)
        migrations.check(db)


def test_a_database_of_a_newer_version_is_refused(backend: Backend, clock: FakeClock, tmp_path: Path) -> None:
    (tmp_path / "newer").mkdir()
    newer = chain_with(tmp_path / "newer", "op.create_table('more', sa.Column('a', sa.Text()))")
    migrations.upgrade(backend.url, chain=newer)
    with database_of(backend.url, clock) as db, pytest.raises(errors.Unavailable, match="newer") as refused:
        migrations.check(db)
    assert refused.value.details == {"found": newer.head, "needed": migrations.head()}
    with pytest.raises(errors.Unavailable, match="newer"):
        migrations.upgrade(backend.url)


def test_a_database_of_an_older_version_is_refused(
    backend: Backend, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "RELEASED", chain_with(tmp_path, "pass"))
    with database_of(backend.url, clock) as db, pytest.raises(errors.Unavailable, match="seihon migrate"):
        migrations.check(db)


# -- changing a database that is in use


def test_a_revision_that_fails_leaves_the_database_as_it_was(backend: Backend, tmp_path: Path) -> None:
    (tmp_path / "chain").mkdir()
    broken = chain_with(
        tmp_path / "chain", "op.create_table('more', sa.Column('a', sa.Text()))", "raise ZeroDivisionError"
    )
    before = _files(backend)
    with pytest.raises(ZeroDivisionError):
        migrations.upgrade(backend.url, chain=broken)
    assert migrations.current(backend.url) == migrations.head()
    with engine_of(backend.url) as engine:
        assert "more" not in inspect(engine).get_table_names()
        if backend.dialect is Dialect.POSTGRES:
            with engine.connect() as connection:
                security.assert_safe_role(connection)
    assert _files(backend) == before, (
        "a copy of an unchanged file is one more place that holds what users said"
    )


def _files(backend: Backend) -> set[str]:
    if backend.path is None:
        return set()
    return {
        path.name
        for path in backend.path.parent.iterdir()
        if not path.name.endswith(("-wal", "-shm", "chain"))
    }


def test_a_revision_reaches_the_rows_of_every_owner(backend: Backend, tmp_path: Path) -> None:
    with engine_of(backend.admin_url) as engine, engine.connect() as connection:
        connection.execution_options(seihon_write=True)
        with connection.begin():
            fill(connection, ANN, range(1, 3))
            fill(connection, BOB, range(1, 3))
    (tmp_path / "chain").mkdir()
    chain = chain_with(tmp_path / "chain", "op.execute(\"UPDATE messages SET role = 'tool'\")")
    migrations.upgrade(backend.url, chain=chain)
    with engine_of(backend.admin_url) as engine, engine.connect() as connection:
        found = connection.execute(text("SELECT owner, role FROM messages ORDER BY owner")).all()
    assert [tuple(row) for row in found] == [(ANN, "tool")] * 2 + [(BOB, "tool")] * 2
    if backend.dialect is Dialect.POSTGRES:
        with engine_of(backend.url) as engine, engine.connect() as connection:
            security.assert_safe_role(connection)
            assert connection.execute(text("SELECT count(*) FROM messages")).scalar() == 0


@pytest.mark.scenario("P2")
def test_an_older_sqlite_file_is_copied_before_it_is_changed(sqlite_path: Path, tmp_path: Path) -> None:
    with engine_of(str(sqlite_path)) as engine, engine.connect() as connection:
        connection.execution_options(seihon_write=True)
        with connection.begin():
            fill(connection, ANN, range(1, 3))
    sqlite_path.chmod(0o640)
    (tmp_path / "chain").mkdir()
    done = migrations.upgrade(
        str(sqlite_path), chain=chain_with(tmp_path / "chain", "op.drop_table('changes')")
    )
    assert done.backup is not None
    assert done.backup == sqlite_path.with_name(f"{sqlite_path.name}.{migrations.head()}.backup")
    assert done.backup.stat().st_mode & 0o777 == 0o640
    with closing(sqlite3.connect(done.backup)) as copy:
        assert copy.execute("SELECT count(*) FROM changes").fetchone() == (2,)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert migrations.current(str(done.backup)) == migrations.head()


def test_a_second_copy_does_not_overwrite_the_first(sqlite_path: Path, tmp_path: Path) -> None:
    taken = sqlite_path.with_name(f"{sqlite_path.name}.{migrations.head()}.backup")
    taken.write_text("an earlier copy")
    (tmp_path / "chain").mkdir()
    done = migrations.upgrade(str(sqlite_path), chain=chain_with(tmp_path / "chain", "pass"))
    assert done.backup == taken.with_name(taken.name + ".2")
    assert taken.read_text() == "an earlier copy"


def test_a_revision_that_breaks_a_reference_is_refused(sqlite_path: Path, tmp_path: Path) -> None:
    with engine_of(str(sqlite_path)) as engine, engine.connect() as connection:
        connection.execution_options(seihon_write=True)
        with connection.begin():
            fill(connection, ANN, range(1, 3))
    (tmp_path / "chain").mkdir()
    chain = chain_with(tmp_path / "chain", "op.execute('DELETE FROM conversations')")
    with pytest.raises(errors.Unavailable, match="reference"):
        migrations.upgrade(str(sqlite_path), chain=chain)
    assert migrations.current(str(sqlite_path)) == migrations.head()


def test_the_tables_never_belong_to_a_superuser(pg_empty: str, pg_server: PostgresAddress) -> None:
    admin = pg_server.admin_url(pg_empty.rpartition("/")[2])
    with pytest.raises(errors.Unsafe, match="--create-roles"):
        migrations.upgrade(admin)
    with engine_of(admin) as engine:
        assert inspect(engine).get_table_names() == []
    migrations.upgrade(pg_empty)
    migrations.upgrade(admin)  # the tables have an owner: an admin goes on in its name
    admin_runs(pg_server, "SELECT 1", database=pg_empty.rpartition("/")[2])
