"""The fourth wall: row-level security on PostgreSQL, raised, compared and demanded.

Every table with an ``owner`` or a ``tenant`` shows, and takes, only rows of the owner that the transaction
has set. The operator's policies let one role read four tables without text, and only in a transaction that
has set no owner: a forgotten filter under an owner's handle meets the wall on those tables too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text

from seihon import errors
from seihon.canonical import tables as t

_SETTING: Final = "current_setting('seihon.owner', true)"
# Outside a transaction that set it, the setting reads NULL or '' - and no owner is ''.
OWNER_RULE: Final = f"owner = {_SETTING}"
TENANT_RULE: Final = f"tenant = split_part({_SETTING}, '/', 1)"
OPERATOR_RULE: Final = f"COALESCE({_SETTING}, '') = ''"

WALL: Final = "seihon_wall"
OPERATOR: Final = "seihon_operator"
# What the operator reads across owners: who has work waiting. None of it can hold text, none is written.
OPERATOR_TABLES: Final = frozenset({"owners", "receipts", "receipt_stores", "dirty"})
WALLED: Final[Mapping[str, str]] = {
    **{table.name: OWNER_RULE for table in t.OWNED},
    **{table.name: TENANT_RULE for table in t.OF_TENANT},
}

OLDEST_SERVER: Final = 15

READ_ROLE: Final = text(
    "SELECT current_setting('server_version_num')::int / 10000 AS server, current_user AS name,"
    " bool_or(rolsuper) AS super, bool_or(rolbypassrls) AS bypass"
    " FROM pg_catalog.pg_roles WHERE rolname IN (current_user, session_user)"
)
READ_WALLS: Final = text(
    "SELECT n.name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced"
    " FROM unnest(CAST(:names AS text[])) AS n (name)"
    " JOIN pg_catalog.pg_class c ON c.oid = to_regclass(n.name)"
)
READ_POLICIES: Final = text(
    'SELECT n.name AS "table", p.polname AS name, p.polpermissive AS permissive, p.polcmd AS command,'
    " ARRAY(SELECT rolname::text FROM pg_catalog.pg_roles WHERE oid = ANY (p.polroles)) AS roles,"
    " pg_get_expr(p.polqual, p.polrelid) AS rule, pg_get_expr(p.polwithcheck, p.polrelid) AS door"
    " FROM unnest(CAST(:names AS text[])) AS n (name)"
    " JOIN pg_catalog.pg_policy p ON p.polrelid = to_regclass(n.name)"
)
MAY_MAINTAIN: Final = text("SELECT has_table_privilege(to_regclass(:name), 'MAINTAIN')")
MAY_OPERATE: Final = text(
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_policy p CROSS JOIN unnest(p.polroles) AS role (id)"
    " WHERE p.polname = :policy AND p.polrelid = to_regclass('dirty')"
    " AND pg_has_role(current_user, role.id, 'USAGE'))"
)
MAY_ACT_AS_OWNER: Final = text(
    "SELECT pg_has_role(relowner, 'USAGE') FROM pg_catalog.pg_class WHERE oid = to_regclass(:name)"
)


@dataclass(frozen=True, slots=True)
class Policy:
    """One policy as the server has it; ``rule`` and ``door`` without casts, brackets and spaces."""

    table: str
    name: str
    command: str
    rule: str
    door: str
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Walls:
    """What stands: the tables found, those with security enabled and forced, and the permissive policies."""

    tables: frozenset[str]
    forced: frozenset[str]
    policies: frozenset[Policy]


def assert_safe_role(connection: Connection) -> None:
    """Refuse a connection whose role, or whose database, would let one owner's rows reach another.

    Raises:
        Unsafe: a superuser or a role with BYPASSRLS, an old server, or a wall that is missing or was changed.
    """
    role = require_server(connection)
    if role.super or role.bypass:
        kind = "a superuser" if role.super else "a role with BYPASSRLS"
        raise errors.Unsafe(
            f"The database user is {kind}, which row-level security does not bind; connect as a plain role "
            "(`seihon migrate --create-roles` makes one)."
        )
    broken = sorted(_broken(read_walls(connection), _ANY_ROLE))
    if broken:
        raise errors.Unsafe(
            f"Row-level security is not as declared on {', '.join(broken)}; "
            "run `seihon migrate` as the role that owns the tables.",
            tables=broken,
        )


def require_server(connection: Connection) -> Any:
    """Return the role (``name``, ``super``, ``bypass``), or refuse a server older than PostgreSQL 15."""
    role = connection.execute(READ_ROLE).one()
    if role.server < OLDEST_SERVER:
        raise errors.Unsafe(
            f"PostgreSQL {role.server} is too old; use PostgreSQL {OLDEST_SERVER} or newer.",
            server=role.server,
        )
    return role


def may_maintain(connection: Connection, table: str) -> bool:
    """Return whether this connection may VACUUM and rewrite ``table`` (False for an unknown one)."""
    modern = connection.execute(READ_ROLE).one().server >= 17  # MAINTAIN is a privilege of its own since 17
    return bool(connection.execute(MAY_MAINTAIN if modern else MAY_ACT_AS_OWNER, {"name": table}).scalar())


def may_operate(connection: Connection) -> bool:
    """Return whether this connection's role may see, across owners, who has work waiting."""
    return bool(connection.execute(MAY_OPERATE, {"policy": OPERATOR}).scalar())


def read_walls(connection: Connection) -> Walls:
    """Return what the database has of the walls."""
    names = {"names": list(WALLED)}
    found = connection.execute(READ_WALLS, names).all()
    return Walls(
        tables=frozenset(row.name for row in found),
        forced=frozenset(row.name for row in found if row.enabled and row.forced),
        policies=frozenset(
            Policy(row.table, row.name, row.command, _plain(row.rule), _plain(row.door), tuple(row.roles))
            for row in connection.execute(READ_POLICIES, names)
            if row.permissive  # a restrictive policy only narrows what these let through
        ),
    )


def lower(connection: Connection) -> None:
    """Let the tables' own role see every owner's rows until ``raise_walls``, in the same transaction."""
    for table in sorted(read_walls(connection).forced):
        connection.exec_driver_sql(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")


def raise_walls(connection: Connection, *, operator: str | None = None) -> None:
    """Enable, force and declare row-level security wherever it is not as declared.

    ``operator`` is the role of the operator's policies; ``None`` keeps the one they have, at first the
    current role. Tables that are as declared are not touched, so that no lock is taken on them.
    """
    walls = read_walls(connection)
    role = operator or _operator_of(walls) or connection.execute(READ_ROLE).one().name
    quoted = connection.dialect.identifier_preparer.quote_identifier
    for table in sorted(_broken(walls, role)):
        for statement in _mending(table, walls, quoted, role):
            connection.exec_driver_sql(statement)


_ANY_ROLE: Final = ""


def _declared(table: str, role: str) -> frozenset[Policy]:
    rule = _plain(WALLED[table])
    policies = {Policy(table, WALL, "*", rule, rule)}
    if table in OPERATOR_TABLES:
        policies.add(Policy(table, OPERATOR, "r", _plain(OPERATOR_RULE), "", (role,)))
    return frozenset(policies)


def _broken(walls: Walls, role: str) -> Iterator[str]:
    """Yield each table whose walls are not as declared, the operator's role being ``role`` or any one."""
    for table in WALLED:
        found = frozenset(policy for policy in walls.policies if policy.table == table)
        wanted = role or _operator_of(walls) or "no role"
        if table not in walls.forced or found != _declared(table, wanted):
            yield table


def _operator_of(walls: Walls) -> str | None:
    names = {policy.roles for policy in walls.policies if policy.name == OPERATOR}
    return next(iter(names))[0] if len(names) == 1 and len(next(iter(names))) == 1 else None


def _mending(table: str, walls: Walls, quoted: Callable[[str], str], role: str) -> Iterator[str]:
    yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
    # A permissive policy of another name would open the wall beside ours.
    for policy in walls.policies:
        if policy.table == table:
            yield f"DROP POLICY {quoted(policy.name)} ON {table}"
    yield f"CREATE POLICY {WALL} ON {table} USING ({WALLED[table]}) WITH CHECK ({WALLED[table]})"
    if table in OPERATOR_TABLES:
        yield f"CREATE POLICY {OPERATOR} ON {table} FOR SELECT TO {quoted(role)} USING ({OPERATOR_RULE})"


def _plain(expression: str | None) -> str:
    """Strip what the server adds when it prints a rule, so that two spellings of one rule are equal."""
    return re.sub(r"::text|[\s()]", "", expression or "").lower()
