"""A tenant's own tables, which hold no user's text, and what the installation knows of itself."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from seihon.canonical.tables.base import Big, Key, big, key, metadata, of_tenant

tenants = of_tenant("tenants", big("retain_us", null=True), big("created_at"), big("revision"))
schemas = of_tenant(
    "schemas",
    Column("version", Big, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    big("registered_at"),
)
field_reads = of_tenant(
    "field_reads", Column("field", Key, primary_key=True), big("reads"), big("last_read_at")
)

meta = Table("meta", metadata, Column("name", Key, primary_key=True), key("value"), sqlite_strict=True)
