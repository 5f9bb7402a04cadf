"""Schema revisions: one Alembic chain for SQLite and PostgreSQL, shipped with the package.

``upgrade`` brings a database to this version's schema in one transaction, safely under several processes at
once; ``check`` refuses a database that is not there. Nothing is downgraded: the way back is a backup.
Alembic itself is imported only when there is something to do.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Engine, event, inspect, text

from seihon import errors
from seihon.canonical import failures, roles, security
from seihon.canonical import tables as t
from seihon.canonical.database import Options, make_engine, parse_url

if TYPE_CHECKING:
    from seihon.canonical.database import Database

VERSION_TABLE: Final = "seihon_version"
RUN_MIGRATE: Final = "run `seihon migrate`"
_HERE: Final = Path(__file__).parent
# Two processes that migrate one PostgreSQL database queue up behind this advisory lock.
_LOCK_KEY: Final = 7_306_016_935_718_256_238
_READ_REVISION: Final = text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608 - a constant
_LOCK: Final = text("SELECT pg_advisory_xact_lock(:key)")


@dataclass(frozen=True)
class Chain:
    """The revisions of one folder, ordered by the number that begins each file's name."""

    folder: Path

    @cached_property
    def revisions(self) -> tuple[str, ...]:
        """Return every revision, oldest first."""
        return tuple(sorted(path.name[:4] for path in self.folder.glob("[0-9][0-9][0-9][0-9]_*.py")))

    @property
    def head(self) -> str:
        """Return the newest revision."""
        return self.revisions[-1]


RELEASED: Final = Chain(_HERE / "versions")


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What ``upgrade`` did.

    Attributes: ``revision`` the schema's now; ``before`` the one it had (``None``: a new database);
    ``backup`` the copy that was made of a SQLite file before it was changed - it holds what users said, is
    beyond the reach of deletions, and is the operator's to remove; ``ungranted`` the rights of the
    maintenance role that only a superuser could have given.
    """

    revision: str
    before: str | None
    backup: Path | None = None
    ungranted: tuple[str, ...] = ()


NOT_THIS_LOGIN: Final = (
    "This login lacks a right that migrating needs; run `seihon migrate` with an admin's login: a superuser, "
    "or a role with CREATEROLE that owns the database. The application's own login never migrates."
)


def head() -> str:
    """Return the revision that this version of Seihon works with."""
    return RELEASED.head


def current(url: str) -> str | None:
    """Return the revision of a database; ``None`` if it has none. A missing SQLite file is not created."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite" and not Path(parsed.database or "").exists():
        return None
    with failures.translated(), _engine(url) as engine, engine.connect() as connection:
        return _revision(connection)


def check(db: Database) -> None:
    """Refuse a database whose schema is not this version's.

    Raises:
        Unavailable: not migrated, older than this version, or newer; says what to do.
    """
    with failures.translated(), db.engine.connect() as connection:
        found = _revision(connection)
    _require_known(found, RELEASED)
    if found is None:
        raise errors.Unavailable(f"The database has no schema of Seihon yet; {RUN_MIGRATE}.")
    if found != RELEASED.head:
        raise errors.Unavailable(
            f"The database has schema {found} and this version needs {RELEASED.head}; {RUN_MIGRATE}.",
            found=found,
            needed=RELEASED.head,
        )


def upgrade(
    url: str,
    *,
    create_roles: bool = False,
    names: roles.Roles | None = None,
    chain: Chain = RELEASED,
) -> Upgraded:
    """Bring a database to the newest revision of ``chain``; a database that is there already stays as it is.

    On PostgreSQL it also raises the walls between owners (row-level security), runs as the role that owns
    the tables, and with ``create_roles`` first makes ``names`` (an admin's connection is needed for that).
    An older SQLite file is copied beside itself before it is changed.

    Raises:
        Unavailable: the database is newer than this version, cannot be reached, or holds foreign tables.
        Unsafe: the tables would belong to a role that row-level security does not bind.
        Busy: somebody held the database for longer than the busy timeout.
    """
    with failures.translated(), _engine(url) as engine:
        if engine.dialect.name == "sqlite":
            return _upgrade_sqlite(engine, chain)
        with _named_login():
            return _upgrade_postgresql(engine, chain, (names or roles.Roles()) if create_roles else None)


@contextmanager
def _named_login() -> Generator[None]:
    """Say which login migrates where the one at hand lacks a right."""
    try:
        with failures.translated():
            yield
    except errors.Unsafe as error:
        if error.details.get("state") != failures.NO_RIGHT:
            raise
        raise errors.Unsafe(NOT_THIS_LOGIN, **error.details) from None


def _upgrade_sqlite(engine: Engine, chain: Chain) -> Upgraded:
    with engine.connect() as connection:
        before = _revision(connection)
    if before == chain.head:
        return Upgraded(chain.head, before)
    with _writing(engine) as connection:
        before = _revision(connection)  # another process may have been faster
        if before == chain.head:
            return Upgraded(chain.head, before)
        _require_startable(connection, before, chain)
        # Nobody can write between the copy and the change: this transaction holds the write lock.
        with _backed_up(engine, before) as backup:
            _run(connection, chain)
            if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                raise errors.Unavailable(
                    "The upgrade would break a reference between rows; nothing was changed."
                )
        return Upgraded(chain.head, before, backup)


def _upgrade_postgresql(engine: Engine, chain: Chain, names: roles.Roles | None) -> Upgraded:
    with engine.connect() as connection, connection.begin():
        connection.execute(_LOCK, {"key": _LOCK_KEY})
        security.require_server(connection)
        before = _revision(connection)
        _require_startable(connection, before, chain)
        ungranted = roles.create(connection, names, VERSION_TABLE) if names else ()
        roles.become_owner(connection, VERSION_TABLE, names)
        if before != chain.head:
            # A revision may move rows of every owner, which the tables' own role cannot see behind the wall.
            security.lower(connection)
            _run(connection, chain)
        security.raise_walls(connection, operator=names.worker if names else None)
        if names:
            roles.grant(connection, names, VERSION_TABLE)
        return Upgraded(chain.head, before, ungranted=ungranted)


def _run(connection: Connection, chain: Chain) -> None:
    # Slow to import, and needed for a change of schema only.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_HERE).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(chain.folder).replace("%", "%%"))
    config.attributes.update(connection=connection, version_table=VERSION_TABLE)
    command.upgrade(config, "head")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(_READ_REVISION).scalar()


def _require_known(found: str | None, chain: Chain) -> None:
    if found is not None and found not in chain.revisions:
        raise errors.Unavailable(
            f"The database has schema {found}, which this version does not know (newest: {chain.head}); "
            "use the version of Seihon that made it, or a newer one.",
            found=found,
            needed=chain.head,
        )


def _require_startable(connection: Connection, found: str | None, chain: Chain) -> None:
    _require_known(found, chain)
    if found is None and set(inspect(connection).get_table_names()) & set(t.metadata.tables):
        raise errors.Unavailable(
            "The database holds tables with names of ours that Seihon did not make; "
            "choose another database, file or schema."
        )


@contextmanager
def _backed_up(engine: Engine, before: str | None) -> Generator[Path | None]:
    """Copy an older SQLite file beside itself; the copy goes again if the change fails."""
    if before is None:
        yield None
        return
    source = Path(engine.url.database or "")
    target = _unused(source.with_name(f"{source.name}.{before}.backup"))
    try:
        _copy(engine, source, target)
        yield target
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _copy(engine: Engine, source: Path, target: Path) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(engine.raw_connection()) as raw:
        raw.cursor().execute("VACUUM INTO ?", (str(target),))
    target.chmod(source.stat().st_mode & 0o777)
    # VACUUM INTO does not sync what it wrote, and the file it copied is about to change.
    with target.open("rb") as copy:
        os.fsync(copy.fileno())


def _unused(wanted: Path) -> Path:
    numbered = (wanted.with_name(f"{wanted.name}.{number}") for number in range(2, 10_000))
    return next(path for path in (wanted, *numbered) if not path.exists())


@contextmanager
def _engine(url: str) -> Generator[Engine]:
    engine = make_engine(parse_url(url), Options(pool_size=2))
    if engine.dialect.name == "sqlite":
        # A revision that rebuilds a table must leave the rows that refer to it alone; checked at its end.
        event.listen(engine, "connect", _without_foreign_keys)
    try:
        yield engine
    finally:
        engine.dispose()


def _without_foreign_keys(raw: Any, _record: Any) -> None:
    raw.execute("PRAGMA foreign_keys=OFF").close()


@contextmanager
def _writing(engine: Engine) -> Generator[Connection]:
    with engine.connect() as connection:
        connection.execution_options(seihon_write=True)
        with connection.begin():
            yield connection
