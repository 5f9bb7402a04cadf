"""How tables are declared: keys led by the owner or the tenant, and the two column types that need care."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.schema import SchemaItem

# Bytewise comparison on PostgreSQL: the order and equality of keys must not depend on a server's locale.
Key: Final = Text().with_variant(Text(collation="C"), "postgresql")
# STRICT tables of SQLite know INTEGER only, which is 64 bits wide there.
Big: Final = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def key(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Key, nullable=null)


def big(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Big, nullable=null)


def owned(name: str, *items: SchemaItem, key: tuple[str, ...], rowid: bool = True) -> Table:
    """Declare a table whose primary key is ``owner`` and then ``key``."""
    columns: dict[str, Column[Any]] = {item.name: item for item in items if isinstance(item, Column)}
    for part in key:
        columns[part].primary_key = True
    return Table(
        name,
        metadata,
        Column("owner", Key, primary_key=True),
        *items,
        CheckConstraint("owner <> ''", name="owner"),
        sqlite_strict=True,
        sqlite_with_rowid=rowid,
    )


def ref(columns: tuple[str, ...], target: str, names: tuple[str, ...]) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(("owner", *columns), [f"{target}.{name}" for name in ("owner", *names)])


def of_tenant(name: str, *items: SchemaItem) -> Table:
    return Table(
        name,
        metadata,
        Column("tenant", Key, primary_key=True),
        *items,
        CheckConstraint("tenant <> ''", name="tenant"),
        sqlite_strict=True,
    )
