"""The databases of a running PostgreSQL server: where they are, making them, copying and dropping them."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seihon.errors import InvalidArgument, Unavailable

if TYPE_CHECKING:
    import psycopg

SUPERUSER = "postgres"
APPLICATION_ROLE = "seihon_app"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """How to reach a running server; plain strings and numbers, so that it travels to other processes."""

    port: int
    superuser_password: str
    application_password: str
    host: str = "127.0.0.1"

    def admin_url(self, database: str = "postgres") -> str:
        """The URL of ``database`` as the superuser: for set-up and for tests that look beneath the walls."""
        return self._url(SUPERUSER, self.superuser_password, database)

    def url(self, database: str) -> str:
        """The URL of ``database`` as the application's role, which is no superuser and bypasses no policy."""
        return self._url(APPLICATION_ROLE, self.application_password, database)

    def _url(self, role: str, password: str, database: str) -> str:
        return f"postgresql://{role}:{password}@{self.host}:{self.port}/{_checked(database)}"

    def create_database(self, name: str, *, template: str | None = None) -> str:
        """Create a database that the application's role owns and return its URL.

        With ``template`` it is a copy of that database, to which nobody may be connected. The copy goes
        through the log (``WAL_LOG``): it needs no checkpoint, so that tests that run side by side do not
        wait for one another.
        """
        with self._admin() as admin:
            admin.execute(
                _statement(
                    "CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY WAL_LOG",
                    name,
                    APPLICATION_ROLE,
                    template or "template1",
                )
            )
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Drop a database with whatever sessions are still open on it; a missing one is no error."""
        with self._admin() as admin:
            admin.execute(_statement("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))

    def template(self, name: str, *, build: Callable[[str], object]) -> str:
        """Return ``name``, a database to copy from, after ``build(url)`` has filled it exactly once.

        Safe to call from several processes at once; one that died while building leaves nothing.
        """
        with self._admin() as admin:
            admin.execute("SELECT pg_advisory_lock(hashtext(%s))", [name])
            if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                self._build(admin, name, build)
        return name

    def _build(self, admin: psycopg.Connection[Any], name: str, build: Callable[[str], object]) -> None:
        draft = _checked(f"{name}_draft")
        self.drop_database(draft)
        build(self.create_database(draft))
        admin.execute(_statement("ALTER DATABASE {} ALLOW_CONNECTIONS false", draft))
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [draft]
        )
        admin.execute(_statement("ALTER DATABASE {} RENAME TO {}", draft, name))

    def _admin(self) -> psycopg.Connection[Any]:
        return _driver("psycopg").connect(self.admin_url(), autocommit=True)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidArgument("A database name is 1 to 63 lower-case letters, digits and _, a letter first.")
    return name


def _statement(template: str, *names: str) -> Any:
    sql = _driver("psycopg.sql")
    return sql.SQL(template).format(*(sql.Identifier(_checked(name)) for name in names))


def _driver(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise Unavailable("PostgreSQL needs the driver psycopg: pip install 'seihon[postgres]'.") from missing
