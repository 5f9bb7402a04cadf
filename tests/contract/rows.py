"""Valid rows of every table, made from the declared schema: for tests that walk it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import CheckConstraint, Column, Connection, Table, text

from seihon.canonical import tables as t

WALLED = tuple(table for table in t.metadata.sorted_tables if {"owner", "tenant"} & set(table.c.keys()))


def leader(table: Table) -> str:
    """Return the column that every key of the table starts with."""
    return "owner" if "owner" in table.c else "tenant"


def is_single(table: Table) -> bool:
    """Return whether the table holds one row for each owner (or tenant)."""
    return len(table.primary_key.columns) == 1


def row(table: Table, owner: str, number: int) -> dict[str, Any]:
    """Return row ``number`` of an owner; rows of equal number refer to one another."""
    allowed = _allowed(table)
    referring = {name for key in table.foreign_key_constraints for name in key.column_keys}
    return {
        column.name: _value(column, owner, number, allowed, named=column.name in referring)
        for column in table.columns
    }


def fill(connection: Connection, owner: str, numbers: Iterable[int]) -> None:
    """Insert the rows of an owner into every table of owners and tenants."""
    wanted = list(numbers)
    for table in WALLED:
        chosen = wanted[:1] if is_single(table) else wanted
        connection.execute(table.insert(), [row(table, owner, number) for number in chosen])


def multiply(connection: Connection, owner: str, copies: int, *, singles: int | None = None) -> None:
    """Copy the rows of ``owner`` to ``copies`` more owners, each of a tenant of its own, in the database.

    ``singles``: to how many instead, where an owner (or tenant) has one row only.
    """
    for table in WALLED:
        key = leader(table)
        others = [f'"{column.name}"' for column in table.columns if column.name != key]
        named = "'t' || s.n || '/ann'" if key == "owner" else "'t' || s.n"
        count = singles if singles and is_single(table) else copies
        connection.execute(
            text(
                f"INSERT INTO {table.name} ({', '.join([key, *others])})"
                f" SELECT {', '.join([named, *others])}"
                f" FROM {table.name} CROSS JOIN {_numbers(connection, count)} AS s WHERE {key} = :of"
            ),
            {"of": owner if key == "owner" else owner.partition("/")[0]},
        )


def _numbers(connection: Connection, count: int) -> str:
    if connection.dialect.name == "postgresql":
        return f"(SELECT generate_series(1, {count}) AS n)"
    series = f"SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {count}"
    return f"(WITH RECURSIVE r (n) AS ({series}) SELECT n FROM r)"


def _allowed(table: Table) -> Mapping[str, str]:
    """Return, for each column that is limited to some words, the first of them."""
    checks = (str(c.sqltext) for c in table.constraints if isinstance(c, CheckConstraint))
    found = (re.match(r"(\w+) IN \('(\w+)'", check) for check in checks)
    return {match[1]: match[2] for match in found if match}


def _value(column: Column[Any], owner: str, number: int, allowed: Mapping[str, str], *, named: bool) -> Any:
    if column.name == "owner":
        return owner
    if column.name == "tenant":
        return owner.partition("/")[0]
    if column.name in allowed:
        return allowed[column.name]
    if column.nullable and not named:
        return None
    if column.type is t.Big:
        return number
    return f"k{number}" if column.primary_key or named else f"x{number}"
