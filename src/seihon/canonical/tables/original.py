"""The original: owners, conversations, messages, claims, values, notes."""

from __future__ import annotations

from sqlalchemy import REAL, CheckConstraint, Column, Index, Text, text

from seihon.canonical.tables.base import big, key, owned, ref

owners = owned(
    "owners",
    big("revision"),
    big("epoch"),
    big("turn"),
    big("floor_revision"),
    key("state"),
    big("created_at"),
    big("active_at"),
    big("monotonic_at", null=True),
    CheckConstraint("state IN ('live', 'deleted')", name="state"),
    key=(),
)

conversations = owned(
    "conversations",
    key("id"),
    big("last_seq"),
    big("last_at"),
    big("version"),
    big("retain_us", null=True),
    big("created_at"),
    big("created_revision"),
    big("revision"),
    big("deleted_revision", null=True),
    Column("metadata", Text, nullable=True),
    ref((), "owners", ()),
    key=("id",),
)

messages = owned(
    "messages",
    key("id"),
    key("conversation"),
    big("seq"),
    key("role"),
    key("trust"),
    Column("content", Text, nullable=False),
    Column("metadata", Text, nullable=True),
    big("observed_at"),
    big("at"),
    big("turn"),
    big("version"),
    big("created_revision"),
    big("revision"),
    big("recorded_at"),
    big("expires_at", null=True),
    big("expires_turn", null=True),
    key("fingerprint"),
    big("deleted_revision", null=True),
    CheckConstraint("role IN ('user', 'assistant', 'tool', 'system')", name="role"),
    CheckConstraint("trust IN ('person', 'application', 'untrusted')", name="trust"),
    CheckConstraint("deleted_revision IS NULL OR content = ''", name="deleted_is_empty"),
    ref(("conversation",), "conversations", ("id",)),
    key=("id",),
)
Index("uq_messages_seq", messages.c.owner, messages.c.conversation, messages.c.seq, unique=True)
Index(
    "ix_messages_live",
    messages.c.owner,
    messages.c.conversation,
    messages.c.seq,
    postgresql_where=text("deleted_revision IS NULL"),
    sqlite_where=text("deleted_revision IS NULL"),
)
Index("ix_messages_at", messages.c.owner, messages.c.at)
Index("ix_messages_fingerprint", messages.c.owner, messages.c.conversation, messages.c.fingerprint)

claims = owned(
    "claims",
    key("id"),
    key("field"),
    key("scope"),
    Column("value", Text, nullable=True),
    key("confidence"),
    key("source"),
    key("message", null=True),
    key("extractor"),
    big("schema_version"),
    big("observed_at"),
    big("turn"),
    big("pos_at"),
    big("pos_seq"),
    big("pos_version"),
    big("ordinal"),
    big("revision"),
    big("recorded_at"),
    key("state"),
    key("outcome"),
    key("reason"),
    big("base_version"),
    big("ended_revision", null=True),
    CheckConstraint("confidence IN ('confirmed', 'inferred')", name="confidence"),
    CheckConstraint("source IN ('message', 'setting', 'system', 'import')", name="source"),
    CheckConstraint("(source = 'message') = (message IS NOT NULL)", name="lineage"),
    CheckConstraint("state IN ('recorded', 'candidate', 'confirmed', 'rejected', 'withdrawn')", name="state"),
    ref((), "owners", ()),
    ref(("message",), "messages", ("id",)),
    key=("id",),
)
Index("ix_claims_field", claims.c.owner, claims.c.field, claims.c.scope, claims.c.pos_at)
Index("ix_claims_message", claims.c.owner, claims.c.message)
Index(
    "ix_claims_candidates",
    claims.c.owner,
    claims.c.revision,
    postgresql_where=text("state = 'candidate'"),
    sqlite_where=text("state = 'candidate'"),
)

claim_sources = owned(
    "claim_sources",
    key("claim"),
    key("message"),
    big("message_version"),
    big("quote_start", null=True),
    big("quote_end", null=True),
    ref(("claim",), "claims", ("id",)),
    ref(("message",), "messages", ("id",)),
    key=("claim", "message"),
)
Index("ix_claim_sources_message", claim_sources.c.owner, claim_sources.c.message)

field_values = owned(
    "field_values",
    key("field"),
    key("scope"),
    big("version"),
    key("status"),
    Column("value", Text, nullable=True),
    key("confidence", null=True),
    key("claim", null=True),
    big("observed_at", null=True),
    big("turn", null=True),
    big("at", null=True),
    Column("probability", REAL, nullable=True),
    Column("belief", Text, nullable=True),
    key("reason"),
    big("floor_at", null=True),
    big("floor_seq", null=True),
    big("floor_version", null=True),
    big("opened_revision"),
    big("opened_at"),
    big("closed_revision", null=True),
    big("superseded_by", null=True),
    CheckConstraint("status IN ('current', 'blank', 'withdrawn', 'declined')", name="status"),
    CheckConstraint("(status = 'current') = (claim IS NOT NULL)", name="claimed"),
    CheckConstraint("superseded_by IS NULL OR closed_revision IS NOT NULL", name="superseded_is_closed"),
    ref((), "owners", ()),
    ref(("claim",), "claims", ("id",)),
    key=("field", "scope", "version"),
)
Index(
    "uq_field_values_current",
    field_values.c.owner,
    field_values.c.field,
    field_values.c.scope,
    unique=True,
    postgresql_where=text("closed_revision IS NULL"),
    sqlite_where=text("closed_revision IS NULL"),
)
Index("ix_field_values_claim", field_values.c.owner, field_values.c.claim)

notes = owned(
    "notes",
    key("id"),
    Column("text", Text, nullable=False),
    key("scope"),
    key("state"),
    key("source"),
    Column("metadata", Text, nullable=True),
    big("observed_at"),
    big("at"),
    big("turn"),
    big("version"),
    big("created_revision"),
    big("revision"),
    big("recorded_at"),
    big("expires_at", null=True),
    big("expires_turn", null=True),
    key("superseded_by", null=True),
    big("deleted_revision", null=True),
    CheckConstraint("state IN ('current', 'candidate', 'superseded', 'rejected', 'withdrawn')", name="state"),
    CheckConstraint("(superseded_by IS NULL) = (state <> 'superseded')", name="superseded_is_closed"),
    CheckConstraint("source IN ('message', 'setting', 'system', 'import')", name="source"),
    CheckConstraint("deleted_revision IS NULL OR text = ''", name="deleted_is_empty"),
    ref((), "owners", ()),
    key=("id",),
)
Index(
    "ix_notes_live",
    notes.c.owner,
    notes.c.at,
    postgresql_where=text("deleted_revision IS NULL"),
    sqlite_where=text("deleted_revision IS NULL"),
)

note_sources = owned(
    "note_sources",
    key("note"),
    key("message"),
    big("message_version"),
    ref(("note",), "notes", ("id",)),
    ref(("message",), "messages", ("id",)),
    key=("note", "message"),
)
Index("ix_note_sources_message", note_sources.c.owner, note_sources.c.message)
