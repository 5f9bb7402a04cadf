"""The roles of a PostgreSQL installation that keeps duties apart, made by ``seihon migrate --create-roles``.

    owner        owns the tables and changes the schema; nobody logs in as it
    app          reads and writes rows behind the walls; no schema changes, no TRUNCATE
    worker       app, and the operator's policies on tables without text
    maintenance  worker, and the right to VACUUM and rewrite tables and to turn the log over (strict purge)

Logins and passwords are the operator's own: existing logins become members.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text
from sqlalchemy import exc as sa

from seihon import errors
from seihon.canonical import failures, pgvector
from seihon.canonical import tables as t

_PREFIX: Final = re.compile(r"[a-z][a-z0-9_]{0,40}")
_DML: Final = "SELECT, INSERT, UPDATE, DELETE"
# Rights over the write-ahead log, which a strict purge turns over and only a superuser can hand on.
_OVER_THE_LOG: Final = {
    "pg_checkpoint": "GRANT pg_checkpoint TO {}",
    "pg_switch_wal": "GRANT EXECUTE ON FUNCTION pg_catalog.pg_switch_wal() TO {}",
}

READ_ROLES: Final = text(
    "SELECT rolname::text AS name, rolsuper AS super, rolbypassrls AS bypass FROM pg_catalog.pg_roles"
    " WHERE rolname = ANY (CAST(:names AS text[]))"
)
READ_OWNERS: Final = text(
    "SELECT n.name, pg_get_userbyid(c.relowner)::text AS owner"
    " FROM unnest(CAST(:names AS text[])) AS n (name)"
    " JOIN pg_catalog.pg_class c ON c.oid = to_regclass(n.name)"
)
READ_SESSION: Final = text(
    "SELECT current_user::text AS name, rolsuper AS super, current_database()::text AS database,"
    " current_schema()::text AS schema, current_setting('server_version_num')::int / 10000 AS server"
    " FROM pg_catalog.pg_roles WHERE rolname = current_user"
)


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the roles, ``<prefix>_owner`` and so on, and the existing logins that become members.

    Raises:
        InvalidArgument: a prefix that is not 1 to 41 lower-case letters, digits and ``_``, a letter first.
    """

    prefix: str = "seihon"
    app_logins: tuple[str, ...] = ()
    worker_logins: tuple[str, ...] = ()
    maintenance_logins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _PREFIX.fullmatch(self.prefix):
            raise errors.InvalidArgument(
                "A prefix of roles is 1 to 41 lower-case letters, digits and _, a letter first."
            )

    @property
    def owner(self) -> str:
        """Return the name of the role that owns the tables."""
        return f"{self.prefix}_owner"

    @property
    def app(self) -> str:
        """Return the name of the application's role."""
        return f"{self.prefix}_app"

    @property
    def worker(self) -> str:
        """Return the name of the worker's role."""
        return f"{self.prefix}_worker"

    @property
    def maintenance(self) -> str:
        """Return the name of the role for physical purges."""
        return f"{self.prefix}_maintenance"

    @property
    def all(self) -> tuple[str, ...]:
        """Return the four names."""
        return (self.owner, self.app, self.worker, self.maintenance)

    @property
    def members(self) -> Iterator[tuple[str, str]]:
        """Yield ``(role, member)`` for each membership, those of logins included."""
        yield self.app, self.worker
        yield self.worker, self.maintenance
        yield from ((self.app, login) for login in self.app_logins)
        yield from ((self.worker, login) for login in self.worker_logins)
        yield from ((self.maintenance, login) for login in self.maintenance_logins)


def create(connection: Connection, names: Roles, version_table: str) -> tuple[str, ...]:
    """Make the roles and hand the tables over to their owner; done twice, nothing changes.

    The extension for vectors is made too, if the server offers it and the admin may: a plain role may not.
    Needs an admin: a superuser, or a role with CREATEROLE that owns the database. Returns the rights over
    the log that the admin could not hand on.

    Raises:
        Unsafe: one of the roles or logins is a superuser or bypasses row-level security.
        NotFound: a login that does not exist.
    """
    session = connection.execute(READ_SESSION).one()
    for name in names.all:
        _create_role(connection, name)
    _require_plain(connection, names)
    if not session.super:
        _run(connection, "GRANT {} TO {}", names.owner, session.name)
    for role, member in names.members:
        _run(connection, "GRANT {} TO {}", role, member)
    if session.server < 17:  # MAINTAIN is a privilege of its own since 17
        _run(connection, "GRANT {} TO {}", names.owner, names.maintenance)
    _open_database(connection, names, session)
    _hand_over(connection, names, version_table)
    pgvector.create(connection)
    return _hand_on_log(connection, names)


def become_owner(connection: Connection, version_table: str, names: Roles | None) -> None:
    """Go on, until the transaction ends, as the role that owns the tables, or is to own them.

    Raises:
        Unsafe: that role is a superuser or bypasses row-level security.
    """
    found = connection.execute(READ_OWNERS, {"names": [version_table]}).first()
    session = connection.execute(READ_SESSION).one()
    owner: str = names.owner if names else found.owner if found else session.name
    if owner != session.name:
        _run(connection, "SET LOCAL ROLE {}", owner)
    if _walled_off(connection, owner):
        raise errors.Unsafe(
            "The tables would belong to a superuser or a role with BYPASSRLS; run `seihon migrate` as a "
            "plain role, or as an admin with --create-roles."
        )


def grant(connection: Connection, names: Roles, version_table: str) -> None:
    """Give the roles their rights on every table, present and future; runs as the tables' owner."""
    session = connection.execute(READ_SESSION).one()
    for table in t.metadata.tables:
        _run(connection, f"GRANT {_DML} ON {{}} TO {{}}", table, names.app)
    default = "ALTER DEFAULT PRIVILEGES IN SCHEMA {} GRANT "
    _run(connection, default + _DML + " ON TABLES TO {}", session.schema, names.app)
    _run(connection, "REVOKE ALL ON {} FROM {}", version_table, names.app)
    _run(connection, "GRANT SELECT ON {} TO {}", version_table, names.app)
    if session.server >= 17:
        for table in (*t.metadata.tables, version_table):
            _run(connection, "GRANT MAINTAIN ON {} TO {}", table, names.maintenance)
        _run(connection, default + "MAINTAIN ON TABLES TO {}", session.schema, names.maintenance)


def _create_role(connection: Connection, name: str) -> None:
    # Roles belong to the whole server: another database's migration may make the same one at this moment.
    quoted = _quoted(connection, name)
    connection.exec_driver_sql(
        f"DO $$ BEGIN CREATE ROLE {quoted} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;"
        " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )


def _require_plain(connection: Connection, names: Roles) -> None:
    wanted = {*names.all, *(member for _, member in names.members)}
    found = connection.execute(READ_ROLES, {"names": sorted(wanted)}).all()
    if len(found) < len(wanted):
        raise errors.NotFound("A login that was to become a member does not exist; create it first.")
    if any(row.super or row.bypass for row in found):
        raise errors.Unsafe(
            "One of the roles or logins is a superuser or has BYPASSRLS, "
            "and row-level security would not bind it."
        )


def _walled_off(connection: Connection, name: str) -> bool:
    row = connection.execute(READ_ROLES, {"names": [name]}).one()
    return bool(row.super or row.bypass)


def _open_database(connection: Connection, names: Roles, session: Any) -> None:
    _run(connection, "GRANT USAGE, CREATE ON SCHEMA {} TO {}", session.schema, names.owner)
    _run(connection, "GRANT USAGE ON SCHEMA {} TO {}", session.schema, names.app)
    for name in names.all[1:]:
        _run(connection, "GRANT CONNECT ON DATABASE {} TO {}", session.database, name)


def _hand_over(connection: Connection, names: Roles, version_table: str) -> None:
    every = [*t.metadata.tables, version_table]
    for row in connection.execute(READ_OWNERS, {"names": every}).all():
        if row.owner != names.owner:
            _run(connection, "ALTER TABLE {} OWNER TO {}", row.name, names.owner)


def _hand_on_log(connection: Connection, names: Roles) -> tuple[str, ...]:
    refused: list[str] = []
    for right, statement in _OVER_THE_LOG.items():
        try:
            with connection.begin_nested():
                _run(connection, statement, names.maintenance)
        except sa.DBAPIError as error:
            if not isinstance(failures.translate(error), errors.Unsafe):
                raise
            refused.append(right)
    return tuple(refused)


def _run(connection: Connection, statement: str, *identifiers: str) -> None:
    quoted = (_quoted(connection, name) for name in identifiers)
    connection.exec_driver_sql(statement.format(*quoted).replace("%", "%%"))


def _quoted(connection: Connection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote_identifier(name)
