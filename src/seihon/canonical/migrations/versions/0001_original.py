"""The original: every table of the first release.

A released revision never changes; the next one says what is different.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()
REAL: sa.REAL[float] = sa.REAL()


def upgrade() -> None:
    op.create_table(
        "changes",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("ordinal", BIG, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("turn", BIG, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("key", KEY, nullable=False),
        sa.Column("actor", KEY, nullable=False),
        sa.Column("reason", KEY, nullable=False),
        sa.PrimaryKeyConstraint("owner", "revision", "ordinal", name=op.f("pk_changes")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_changes_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dirty",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("store", KEY, nullable=False),
        sa.Column("key", KEY, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("attempts", BIG, nullable=False),
        sa.Column("marked_at", BIG, nullable=False),
        sa.Column("due_at", BIG, nullable=False),
        sa.Column("leased_until", BIG, nullable=False),
        sa.Column("lease", KEY, nullable=False),
        sa.Column("error", KEY, nullable=False),
        sa.PrimaryKeyConstraint("owner", "store", "key", name=op.f("pk_dirty")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_dirty_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_dirty_due", "dirty", ["due_at"])
    op.create_table(
        "field_reads",
        sa.Column("tenant", KEY, nullable=False),
        sa.Column("field", KEY, nullable=False),
        sa.Column("reads", BIG, nullable=False),
        sa.Column("last_read_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "field", name=op.f("pk_field_reads")),
        sa.CheckConstraint("tenant <> ''", name=op.f("ck_field_reads_tenant")),
        sqlite_strict=True,
    )
    op.create_table(
        "ft_documents",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("doc", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("conversation", KEY, nullable=False),
        sa.Column("seq", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("length", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", "doc", name=op.f("pk_ft_documents")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_ft_documents_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ft_postings",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("term", KEY, nullable=False),
        sa.Column("doc", KEY, nullable=False),
        sa.Column("tf", BIG, nullable=False),
        sa.Column("length", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", "term", "doc", name=op.f("pk_ft_postings")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_ft_postings_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_ft_postings_doc", "ft_postings", ["owner", "doc"])
    op.create_table(
        "ft_statistics",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("documents", BIG, nullable=False),
        sa.Column("tokens", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_ft_statistics")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_ft_statistics_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_table(
        "idempotency",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("key", KEY, nullable=False),
        sa.Column("request", KEY, nullable=False),
        sa.Column("answer", TEXT, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", "key", name=op.f("pk_idempotency")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_idempotency_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_table(
        "meta",
        sa.Column("name", KEY, nullable=False),
        sa.Column("value", KEY, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_meta")),
        sqlite_strict=True,
    )
    op.create_table(
        "owners",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("epoch", BIG, nullable=False),
        sa.Column("turn", BIG, nullable=False),
        sa.Column("floor_revision", BIG, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("active_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_owners")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_owners_owner")),
        sa.CheckConstraint("state IN ('live', 'deleted')", name=op.f("ck_owners_state")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_table(
        "receipts",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("id", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("key", KEY, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("level", KEY, nullable=False),
        sa.Column("actor", KEY, nullable=False),
        sa.Column("reason", KEY, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("epoch", BIG, nullable=False),
        sa.Column("opened_at", BIG, nullable=False),
        sa.Column("verified_at", BIG, nullable=True),
        sa.Column("counts", TEXT, nullable=False),
        sa.Column("purge", TEXT, nullable=False),
        sa.Column("out_of_reach", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("owner", "id", name=op.f("pk_receipts")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_receipts_owner")),
        sa.CheckConstraint("state IN ('pending', 'failed', 'verified')", name=op.f("ck_receipts_state")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index(
        "ix_receipts_open",
        "receipts",
        ["owner", "opened_at"],
        postgresql_where=sa.text("state <> 'verified'"),
        sqlite_where=sa.text("state <> 'verified'"),
    )
    op.create_table(
        "schemas",
        sa.Column("tenant", KEY, nullable=False),
        sa.Column("version", BIG, nullable=False, autoincrement=False),
        sa.Column("body", TEXT, nullable=False),
        sa.Column("registered_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "version", name=op.f("pk_schemas")),
        sa.CheckConstraint("tenant <> ''", name=op.f("ck_schemas_tenant")),
        sqlite_strict=True,
    )
    op.create_table(
        "tenants",
        sa.Column("tenant", KEY, nullable=False),
        sa.Column("retain_us", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.PrimaryKeyConstraint("tenant", name=op.f("pk_tenants")),
        sa.CheckConstraint("tenant <> ''", name=op.f("ck_tenants_tenant")),
        sqlite_strict=True,
    )
    op.create_table(
        "tombstones",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("key", KEY, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("epoch", BIG, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("receipt", KEY, nullable=False),
        sa.Column("actor", KEY, nullable=False),
        sa.Column("reason", KEY, nullable=False),
        sa.Column("fingerprint", KEY, nullable=True),
        sa.Column("conversation", KEY, nullable=True),
        sa.PrimaryKeyConstraint("owner", "kind", "key", name=op.f("pk_tombstones")),
        sa.CheckConstraint(
            "kind IN ('message', 'note', 'field', 'conversation', 'owner')", name=op.f("ck_tombstones_kind")
        ),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_tombstones_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_tombstones_fingerprint", "tombstones", ["owner", "conversation", "fingerprint"])
    op.create_table(
        "traces",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("id", KEY, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("conversation", KEY, nullable=False),
        sa.Column("purpose", KEY, nullable=False),
        sa.Column("tokenizer", KEY, nullable=False),
        sa.Column("budget", BIG, nullable=False),
        sa.Column("tokens", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("epoch", BIG, nullable=False),
        sa.Column("items", TEXT, nullable=False),
        sa.Column("omissions", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("owner", "id", name=op.f("pk_traces")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_traces_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_traces_at", "traces", ["owner", "at"])
    op.create_table(
        "conversations",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("id", KEY, nullable=False),
        sa.Column("last_seq", BIG, nullable=False),
        sa.Column("last_at", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("retain_us", BIG, nullable=True),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("created_revision", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("deleted_revision", BIG, nullable=True),
        sa.Column("metadata", TEXT, nullable=True),
        sa.PrimaryKeyConstraint("owner", "id", name=op.f("pk_conversations")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_conversations_owner")),
        sa.ForeignKeyConstraint(["owner"], ["owners.owner"], name=op.f("fk_conversations_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_table(
        "notes",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("id", KEY, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.Column("scope", KEY, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("source", KEY, nullable=False),
        sa.Column("metadata", TEXT, nullable=True),
        sa.Column("observed_at", BIG, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("turn", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("created_revision", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("recorded_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=True),
        sa.Column("expires_turn", BIG, nullable=True),
        sa.Column("superseded_by", KEY, nullable=True),
        sa.Column("deleted_revision", BIG, nullable=True),
        sa.PrimaryKeyConstraint("owner", "id", name=op.f("pk_notes")),
        sa.CheckConstraint("deleted_revision IS NULL OR text = ''", name=op.f("ck_notes_deleted_is_empty")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_notes_owner")),
        sa.CheckConstraint(
            "source IN ('message', 'setting', 'system', 'import')", name=op.f("ck_notes_source")
        ),
        sa.CheckConstraint(
            "state IN ('current', 'candidate', 'superseded', 'rejected', 'withdrawn')",
            name=op.f("ck_notes_state"),
        ),
        sa.CheckConstraint(
            "(superseded_by IS NULL) = (state <> 'superseded')", name=op.f("ck_notes_superseded_is_closed")
        ),
        sa.ForeignKeyConstraint(["owner"], ["owners.owner"], name=op.f("fk_notes_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index(
        "ix_notes_live",
        "notes",
        ["owner", "at"],
        postgresql_where=sa.text("deleted_revision IS NULL"),
        sqlite_where=sa.text("deleted_revision IS NULL"),
    )
    op.create_table(
        "receipt_stores",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("receipt", KEY, nullable=False),
        sa.Column("store", KEY, nullable=False),
        sa.Column("ordinal", BIG, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("attempts", BIG, nullable=False),
        sa.Column("removed", BIG, nullable=False),
        sa.Column("error", KEY, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", "receipt", "store", name=op.f("pk_receipt_stores")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_receipt_stores_owner")),
        sa.CheckConstraint(
            "state IN ('pending', 'failed', 'verified')", name=op.f("ck_receipt_stores_state")
        ),
        sa.ForeignKeyConstraint(
            ["owner", "receipt"],
            ["receipts.owner", "receipts.id"],
            name=op.f("fk_receipt_stores_owner_receipt"),
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_table(
        "messages",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("id", KEY, nullable=False),
        sa.Column("conversation", KEY, nullable=False),
        sa.Column("seq", BIG, nullable=False),
        sa.Column("role", KEY, nullable=False),
        sa.Column("trust", KEY, nullable=False),
        sa.Column("content", TEXT, nullable=False),
        sa.Column("metadata", TEXT, nullable=True),
        sa.Column("observed_at", BIG, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("turn", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("created_revision", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("recorded_at", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=True),
        sa.Column("expires_turn", BIG, nullable=True),
        sa.Column("fingerprint", KEY, nullable=False),
        sa.Column("deleted_revision", BIG, nullable=True),
        sa.PrimaryKeyConstraint("owner", "id", name=op.f("pk_messages")),
        sa.CheckConstraint(
            "deleted_revision IS NULL OR content = ''", name=op.f("ck_messages_deleted_is_empty")
        ),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_messages_owner")),
        sa.CheckConstraint("role IN ('user', 'assistant', 'tool', 'system')", name=op.f("ck_messages_role")),
        sa.CheckConstraint("trust IN ('person', 'application', 'untrusted')", name=op.f("ck_messages_trust")),
        sa.ForeignKeyConstraint(
            ["owner", "conversation"],
            ["conversations.owner", "conversations.id"],
            name=op.f("fk_messages_owner_conversation"),
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_messages_at", "messages", ["owner", "at"])
    op.create_index("ix_messages_fingerprint", "messages", ["owner", "conversation", "fingerprint"])
    op.create_index(
        "ix_messages_live",
        "messages",
        ["owner", "conversation", "seq"],
        postgresql_where=sa.text("deleted_revision IS NULL"),
        sqlite_where=sa.text("deleted_revision IS NULL"),
    )
    op.create_index("uq_messages_seq", "messages", ["owner", "conversation", "seq"], unique=True)
    op.create_table(
        "claims",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("id", KEY, nullable=False),
        sa.Column("field", KEY, nullable=False),
        sa.Column("scope", KEY, nullable=False),
        sa.Column("value", TEXT, nullable=True),
        sa.Column("confidence", KEY, nullable=False),
        sa.Column("source", KEY, nullable=False),
        sa.Column("message", KEY, nullable=True),
        sa.Column("extractor", KEY, nullable=False),
        sa.Column("schema_version", BIG, nullable=False),
        sa.Column("observed_at", BIG, nullable=False),
        sa.Column("turn", BIG, nullable=False),
        sa.Column("pos_at", BIG, nullable=False),
        sa.Column("pos_seq", BIG, nullable=False),
        sa.Column("pos_version", BIG, nullable=False),
        sa.Column("ordinal", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.Column("recorded_at", BIG, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("outcome", KEY, nullable=False),
        sa.Column("reason", KEY, nullable=False),
        sa.Column("base_version", BIG, nullable=False),
        sa.Column("ended_revision", BIG, nullable=True),
        sa.PrimaryKeyConstraint("owner", "id", name=op.f("pk_claims")),
        sa.CheckConstraint("confidence IN ('confirmed', 'inferred')", name=op.f("ck_claims_confidence")),
        sa.CheckConstraint("(source = 'message') = (message IS NOT NULL)", name=op.f("ck_claims_lineage")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_claims_owner")),
        sa.CheckConstraint(
            "source IN ('message', 'setting', 'system', 'import')", name=op.f("ck_claims_source")
        ),
        sa.CheckConstraint(
            "state IN ('recorded', 'candidate', 'confirmed', 'rejected', 'withdrawn')",
            name=op.f("ck_claims_state"),
        ),
        sa.ForeignKeyConstraint(["owner"], ["owners.owner"], name=op.f("fk_claims_owner")),
        sa.ForeignKeyConstraint(
            ["owner", "message"], ["messages.owner", "messages.id"], name=op.f("fk_claims_owner_message")
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index(
        "ix_claims_candidates",
        "claims",
        ["owner", "revision"],
        postgresql_where=sa.text("state = 'candidate'"),
        sqlite_where=sa.text("state = 'candidate'"),
    )
    op.create_index("ix_claims_field", "claims", ["owner", "field", "scope", "pos_at"])
    op.create_index("ix_claims_message", "claims", ["owner", "message"])
    op.create_table(
        "note_sources",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("note", KEY, nullable=False),
        sa.Column("message", KEY, nullable=False),
        sa.Column("message_version", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", "note", "message", name=op.f("pk_note_sources")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_note_sources_owner")),
        sa.ForeignKeyConstraint(
            ["owner", "message"],
            ["messages.owner", "messages.id"],
            name=op.f("fk_note_sources_owner_message"),
        ),
        sa.ForeignKeyConstraint(
            ["owner", "note"], ["notes.owner", "notes.id"], name=op.f("fk_note_sources_owner_note")
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_note_sources_message", "note_sources", ["owner", "message"])
    op.create_table(
        "claim_sources",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("claim", KEY, nullable=False),
        sa.Column("message", KEY, nullable=False),
        sa.Column("message_version", BIG, nullable=False),
        sa.Column("quote_start", BIG, nullable=True),
        sa.Column("quote_end", BIG, nullable=True),
        sa.PrimaryKeyConstraint("owner", "claim", "message", name=op.f("pk_claim_sources")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_claim_sources_owner")),
        sa.ForeignKeyConstraint(
            ["owner", "claim"], ["claims.owner", "claims.id"], name=op.f("fk_claim_sources_owner_claim")
        ),
        sa.ForeignKeyConstraint(
            ["owner", "message"],
            ["messages.owner", "messages.id"],
            name=op.f("fk_claim_sources_owner_message"),
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_claim_sources_message", "claim_sources", ["owner", "message"])
    op.create_table(
        "field_values",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("field", KEY, nullable=False),
        sa.Column("scope", KEY, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("status", KEY, nullable=False),
        sa.Column("value", TEXT, nullable=True),
        sa.Column("confidence", KEY, nullable=True),
        sa.Column("claim", KEY, nullable=True),
        sa.Column("observed_at", BIG, nullable=True),
        sa.Column("turn", BIG, nullable=True),
        sa.Column("at", BIG, nullable=True),
        sa.Column("probability", REAL, nullable=True),
        sa.Column("belief", TEXT, nullable=True),
        sa.Column("reason", KEY, nullable=False),
        sa.Column("floor_at", BIG, nullable=True),
        sa.Column("floor_seq", BIG, nullable=True),
        sa.Column("floor_version", BIG, nullable=True),
        sa.Column("opened_revision", BIG, nullable=False),
        sa.Column("opened_at", BIG, nullable=False),
        sa.Column("closed_revision", BIG, nullable=True),
        sa.Column("superseded_by", BIG, nullable=True),
        sa.PrimaryKeyConstraint("owner", "field", "scope", "version", name=op.f("pk_field_values")),
        sa.CheckConstraint(
            "(status = 'current') = (claim IS NOT NULL)", name=op.f("ck_field_values_claimed")
        ),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_field_values_owner")),
        sa.CheckConstraint(
            "status IN ('current', 'blank', 'withdrawn', 'declined')", name=op.f("ck_field_values_status")
        ),
        sa.CheckConstraint(
            "superseded_by IS NULL OR closed_revision IS NOT NULL",
            name=op.f("ck_field_values_superseded_is_closed"),
        ),
        sa.ForeignKeyConstraint(["owner"], ["owners.owner"], name=op.f("fk_field_values_owner")),
        sa.ForeignKeyConstraint(
            ["owner", "claim"], ["claims.owner", "claims.id"], name=op.f("fk_field_values_owner_claim")
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_field_values_claim", "field_values", ["owner", "claim"])
    op.create_index(
        "uq_field_values_current",
        "field_values",
        ["owner", "field", "scope"],
        unique=True,
        postgresql_where=sa.text("closed_revision IS NULL"),
        sqlite_where=sa.text("closed_revision IS NULL"),
    )
