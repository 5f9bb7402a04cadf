"""Beneath the walls: copying the rows of an owner, looking through all of them, and who waits for whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import Table, create_engine
from tests.conftest import Backend, Dialect

from seihon.canonical import tables as t

TEMPLATE: Final = "acme/template"
_WHO_WAITS: Final = (
    "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE NOT l.granted AND a.datname = current_database()"
)


class Raw:
    """One connection of its own that no wall binds, past SQLAlchemy; on PostgreSQL the superuser's."""

    def __init__(self, backend: Backend) -> None:
        self.is_server = backend.dialect is Dialect.POSTGRES
        url = backend.admin_url.replace("postgresql://", "postgresql+psycopg://")
        self._engine = create_engine(url)
        self._held = self._engine.raw_connection()
        self._raw: Any = self._held.driver_connection
        if self.is_server:
            self._raw.autocommit = True
        else:
            self._raw.isolation_level = None

    def close(self) -> None:
        """Give the connection back."""
        self._held.close()
        self._engine.dispose()

    def prepare(self) -> None:
        """Make what copies an owner: on a server a function, whose plans are kept."""
        if self.is_server:
            body = "; ".join(_copying(table, "$1") for table in t.OWNED)
            self._run(
                "CREATE FUNCTION copy_owner(text) RETURNS void LANGUAGE plpgsql"
                f" AS $body$ BEGIN {body}; END $body$"
            )

    def copy(self, owner: str) -> None:
        """Give an owner the rows of the template."""
        if self.is_server:
            self._run("SELECT copy_owner(%s)", (owner,))
            return
        self._run("BEGIN IMMEDIATE")
        for table in t.OWNED:
            self._run(_copying(table, "?"), (owner,))
        self._run("COMMIT")

    def rows(self, owner: str) -> str:
        """Return every row of an owner as one text."""
        if self.is_server:
            parts = [f"SELECT row_to_json(x)::text FROM {one.name} x WHERE owner = %(o)s" for one in t.OWNED]
            return repr(self._run(" UNION ALL ".join(parts), {"o": owner}))
        found = [self._run(f"SELECT * FROM {one.name} WHERE owner = ?", (owner,)) for one in t.OWNED]
        return repr(found)

    def due(self, owner: str) -> int:
        """Return how many keys of an owner wait in the outbox."""
        mark = "%s" if self.is_server else "?"
        return int(self._run(f"SELECT count(*) FROM {t.dirty.name} WHERE owner = {mark}", (owner,))[0][0])

    def waiting(self) -> Iterable[str]:
        """Yield the names of the connections that wait for a lock."""
        return [str(row[0]) for row in self._run(_WHO_WAITS)]

    def _run(self, sql: str, values: Any = ()) -> list[Any]:
        cursor = self._raw.cursor()
        cursor.execute(sql, values)
        found: list[Any] = cursor.fetchall() if cursor.description else []
        cursor.close()
        return found


def _copying(table: Table, owner: str) -> str:
    names = ", ".join(column.name for column in table.columns if column.name != "owner")
    return (
        f"INSERT INTO {table.name} (owner, {names})"
        f" SELECT {owner}, {names} FROM {table.name} WHERE owner = '{TEMPLATE}'"
    )
