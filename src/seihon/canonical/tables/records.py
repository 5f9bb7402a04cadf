"""The records of what was done: tombstones, changes, receipts, and answers that can be replayed."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Text, text

from seihon.canonical.tables.base import big, key, owned, ref

tombstones = owned(
    "tombstones",
    key("kind"),
    key("key"),
    big("revision"),
    big("epoch"),
    big("at"),
    key("receipt"),
    key("actor"),
    key("reason"),
    key("fingerprint", null=True),
    key("conversation", null=True),
    CheckConstraint("kind IN ('message', 'note', 'field', 'conversation', 'owner')", name="kind"),
    key=("kind", "key"),
)
Index("ix_tombstones_fingerprint", tombstones.c.owner, tombstones.c.conversation, tombstones.c.fingerprint)

changes = owned(
    "changes",
    big("revision"),
    big("ordinal"),
    big("at"),
    big("turn"),
    key("kind"),
    key("key"),
    key("actor"),
    key("reason"),
    key=("revision", "ordinal"),
    rowid=False,
)
Index("ix_changes_at", changes.c.owner, changes.c.at, changes.c.revision)

receipts = owned(
    "receipts",
    key("id"),
    key("kind"),
    key("key"),
    key("state"),
    key("level"),
    key("actor"),
    key("reason"),
    big("revision"),
    big("epoch"),
    big("opened_at"),
    big("verified_at", null=True),
    Column("counts", Text, nullable=False),
    Column("purge", Text, nullable=False),
    Column("out_of_reach", Text, nullable=False),
    CheckConstraint("state IN ('pending', 'failed', 'verified')", name="state"),
    key=("id",),
)
Index(
    "ix_receipts_open",
    receipts.c.owner,
    receipts.c.opened_at,
    postgresql_where=text("state <> 'verified'"),
    sqlite_where=text("state <> 'verified'"),
)

receipt_stores = owned(
    "receipt_stores",
    key("receipt"),
    key("store"),
    big("ordinal"),
    key("state"),
    big("attempts"),
    big("removed"),
    key("error"),
    big("updated_at"),
    CheckConstraint("state IN ('pending', 'failed', 'verified')", name="state"),
    ref(("receipt",), "receipts", ("id",)),
    key=("receipt", "store"),
)

idempotency = owned(
    "idempotency",
    key("key"),
    key("request"),
    Column("answer", Text, nullable=False),
    big("created_at"),
    big("expires_at"),
    key=("key",),
)
