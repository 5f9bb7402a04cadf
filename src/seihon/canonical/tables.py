"""Every table of Seihon, canonical and derived alike, in one place.

Raw tables are importable inside ``canonical`` only: everything else starts from the scoped subqueries of
``canonical.scope``. Every key, primary or foreign, starts with ``owner`` (tenant tables: with ``tenant``).
Instants are microseconds since the epoch, UTC; JSON is canonical text. ``TEXT_COLUMNS`` registers each
column that can hold a person's words or what was drawn from them; a test walks the schema and fails on a
column that is neither there nor plainly an id, a number or a state.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
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


def _key(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Key, nullable=null)


def _big(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Big, nullable=null)


def _owned(name: str, *items: SchemaItem, key: tuple[str, ...], rowid: bool = True) -> Table:
    """Declare a table whose primary key is ``owner`` and then ``key``."""
    columns = {item.name: item for item in items if isinstance(item, Column)}
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


def _ref(columns: tuple[str, ...], target: str, names: tuple[str, ...]) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(("owner", *columns), [f"{target}.{name}" for name in ("owner", *names)])


owners = _owned(
    "owners",
    _big("revision"),
    _big("epoch"),
    _big("turn"),
    _big("floor_revision"),
    _key("state"),
    _big("created_at"),
    _big("active_at"),
    CheckConstraint("state IN ('live', 'deleted')", name="state"),
    key=(),
)

conversations = _owned(
    "conversations",
    _key("id"),
    _big("last_seq"),
    _big("last_at"),
    _big("version"),
    _big("retain_us", null=True),
    _big("created_at"),
    _big("created_revision"),
    _big("revision"),
    _big("deleted_revision", null=True),
    Column("metadata", Text, nullable=True),
    _ref((), "owners", ()),
    key=("id",),
)

messages = _owned(
    "messages",
    _key("id"),
    _key("conversation"),
    _big("seq"),
    _key("role"),
    _key("trust"),
    Column("content", Text, nullable=False),
    Column("metadata", Text, nullable=True),
    _big("observed_at"),
    _big("at"),
    _big("turn"),
    _big("version"),
    _big("created_revision"),
    _big("revision"),
    _big("recorded_at"),
    _big("expires_at", null=True),
    _big("expires_turn", null=True),
    _key("fingerprint"),
    _big("deleted_revision", null=True),
    CheckConstraint("role IN ('user', 'assistant', 'tool', 'system')", name="role"),
    CheckConstraint("trust IN ('person', 'application', 'untrusted')", name="trust"),
    CheckConstraint("deleted_revision IS NULL OR content = ''", name="deleted_is_empty"),
    _ref(("conversation",), "conversations", ("id",)),
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

claims = _owned(
    "claims",
    _key("id"),
    _key("field"),
    _key("scope"),
    Column("value", Text, nullable=True),
    _key("confidence"),
    _key("source"),
    _key("message", null=True),
    _key("extractor"),
    _big("schema_version"),
    _big("observed_at"),
    _big("turn"),
    _big("pos_at"),
    _big("pos_seq"),
    _big("pos_version"),
    _big("ordinal"),
    _big("revision"),
    _big("recorded_at"),
    _key("state"),
    _key("outcome"),
    _key("reason"),
    _big("base_version"),
    _big("ended_revision", null=True),
    CheckConstraint("confidence IN ('confirmed', 'inferred')", name="confidence"),
    CheckConstraint("source IN ('message', 'setting', 'system', 'import')", name="source"),
    CheckConstraint("(source = 'message') = (message IS NOT NULL)", name="lineage"),
    CheckConstraint(
        "state IN ('recorded', 'candidate', 'confirmed', 'rejected', 'withdrawn')", name="state"
    ),
    _ref((), "owners", ()),
    _ref(("message",), "messages", ("id",)),
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

claim_sources = _owned(
    "claim_sources",
    _key("claim"),
    _key("message"),
    _big("message_version"),
    _big("quote_start", null=True),
    _big("quote_end", null=True),
    _ref(("claim",), "claims", ("id",)),
    _ref(("message",), "messages", ("id",)),
    key=("claim", "message"),
)
Index("ix_claim_sources_message", claim_sources.c.owner, claim_sources.c.message)

field_values = _owned(
    "field_values",
    _key("field"),
    _key("scope"),
    _big("version"),
    _key("status"),
    Column("value", Text, nullable=True),
    _key("confidence", null=True),
    _key("claim", null=True),
    _big("observed_at", null=True),
    _big("turn", null=True),
    _big("at", null=True),
    Column("probability", REAL, nullable=True),
    Column("belief", Text, nullable=True),
    _key("reason"),
    _big("floor_at", null=True),
    _big("floor_seq", null=True),
    _big("floor_version", null=True),
    _big("opened_revision"),
    _big("opened_at"),
    _big("closed_revision", null=True),
    _big("superseded_by", null=True),
    CheckConstraint("status IN ('current', 'blank', 'withdrawn', 'declined')", name="status"),
    CheckConstraint("(status = 'current') = (claim IS NOT NULL)", name="claimed"),
    CheckConstraint("superseded_by IS NULL OR closed_revision IS NOT NULL", name="superseded_is_closed"),
    _ref((), "owners", ()),
    _ref(("claim",), "claims", ("id",)),
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

notes = _owned(
    "notes",
    _key("id"),
    Column("text", Text, nullable=False),
    _key("scope"),
    _key("state"),
    _key("source"),
    Column("metadata", Text, nullable=True),
    _big("observed_at"),
    _big("at"),
    _big("turn"),
    _big("version"),
    _big("created_revision"),
    _big("revision"),
    _big("recorded_at"),
    _big("expires_at", null=True),
    _big("expires_turn", null=True),
    _key("superseded_by", null=True),
    _big("deleted_revision", null=True),
    CheckConstraint("state IN ('current', 'candidate', 'superseded', 'rejected', 'withdrawn')", name="state"),
    CheckConstraint("(superseded_by IS NULL) = (state <> 'superseded')", name="superseded_is_closed"),
    CheckConstraint("source IN ('message', 'setting', 'system', 'import')", name="source"),
    CheckConstraint("deleted_revision IS NULL OR text = ''", name="deleted_is_empty"),
    _ref((), "owners", ()),
    key=("id",),
)
Index(
    "ix_notes_live",
    notes.c.owner,
    notes.c.at,
    postgresql_where=text("deleted_revision IS NULL"),
    sqlite_where=text("deleted_revision IS NULL"),
)

note_sources = _owned(
    "note_sources",
    _key("note"),
    _key("message"),
    _big("message_version"),
    _ref(("note",), "notes", ("id",)),
    _ref(("message",), "messages", ("id",)),
    key=("note", "message"),
)
Index("ix_note_sources_message", note_sources.c.owner, note_sources.c.message)

tombstones = _owned(
    "tombstones",
    _key("kind"),
    _key("key"),
    _big("revision"),
    _big("epoch"),
    _big("at"),
    _key("receipt"),
    _key("actor"),
    _key("reason"),
    _key("fingerprint", null=True),
    _key("conversation", null=True),
    CheckConstraint("kind IN ('message', 'note', 'field', 'conversation', 'owner')", name="kind"),
    key=("kind", "key"),
)
Index("ix_tombstones_fingerprint", tombstones.c.owner, tombstones.c.conversation, tombstones.c.fingerprint)

changes = _owned(
    "changes",
    _big("revision"),
    _big("ordinal"),
    _big("at"),
    _big("turn"),
    _key("kind"),
    _key("key"),
    _key("actor"),
    _key("reason"),
    key=("revision", "ordinal"),
    rowid=False,
)

receipts = _owned(
    "receipts",
    _key("id"),
    _key("kind"),
    _key("key"),
    _key("state"),
    _key("level"),
    _key("actor"),
    _key("reason"),
    _big("revision"),
    _big("epoch"),
    _big("opened_at"),
    _big("verified_at", null=True),
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

receipt_stores = _owned(
    "receipt_stores",
    _key("receipt"),
    _key("store"),
    _big("ordinal"),
    _key("state"),
    _big("attempts"),
    _big("removed"),
    _key("error"),
    _big("updated_at"),
    CheckConstraint("state IN ('pending', 'failed', 'verified')", name="state"),
    _ref(("receipt",), "receipts", ("id",)),
    key=("receipt", "store"),
)

dirty = _owned(
    "dirty",
    _key("store"),
    _key("key"),
    _big("revision"),
    _big("attempts"),
    _big("marked_at"),
    _big("due_at"),
    _big("leased_until"),
    _key("lease"),
    _key("error"),
    key=("store", "key"),
)
Index("ix_dirty_due", dirty.c.due_at)

traces = _owned(
    "traces",
    _key("id"),
    _big("at"),
    _key("conversation"),
    _key("purpose"),
    _key("tokenizer"),
    _big("budget"),
    _big("tokens"),
    _big("revision"),
    _big("epoch"),
    Column("items", Text, nullable=False),
    Column("omissions", Text, nullable=False),
    key=("id",),
)
Index("ix_traces_at", traces.c.owner, traces.c.at)

idempotency = _owned(
    "idempotency",
    _key("key"),
    _key("request"),
    Column("answer", Text, nullable=False),
    _big("created_at"),
    _big("expires_at"),
    key=("key",),
)

ft_documents = _owned(
    "ft_documents",
    _key("doc"),
    _key("kind"),
    _key("conversation"),
    _big("seq"),
    _big("version"),
    _big("length"),
    key=("doc",),
    rowid=False,
)

ft_postings = _owned(
    "ft_postings",
    _key("term"),
    _key("doc"),
    _big("tf"),
    _big("length"),
    key=("term", "doc"),
    rowid=False,
)
Index("ix_ft_postings_doc", ft_postings.c.owner, ft_postings.c.doc)

ft_statistics = _owned("ft_statistics", _big("documents"), _big("tokens"), key=())


def _of_tenant(name: str, *items: SchemaItem) -> Table:
    return Table(
        name,
        metadata,
        Column("tenant", Key, primary_key=True),
        *items,
        CheckConstraint("tenant <> ''", name="tenant"),
        sqlite_strict=True,
    )


tenants = _of_tenant("tenants", _big("retain_us", null=True), _big("created_at"), _big("revision"))
schemas = _of_tenant(
    "schemas",
    Column("version", Big, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    _big("registered_at"),
)
field_reads = _of_tenant(
    "field_reads", Column("field", Key, primary_key=True), _big("reads"), _big("last_read_at")
)

meta = Table("meta", metadata, Column("name", Key, primary_key=True), _key("value"), sqlite_strict=True)

# Each place that can hold a person's words, or what was drawn from them: (table, column).
TEXT_COLUMNS: Final = frozenset(
    {
        ("conversations", "metadata"),
        ("messages", "content"),
        ("messages", "metadata"),
        ("claims", "value"),
        ("field_values", "value"),
        ("field_values", "belief"),
        ("notes", "text"),
        ("notes", "metadata"),
        ("ft_postings", "term"),
    }
)
# Text columns that hold ids, counts and words of ours only: (table, column).
STRUCTURAL_COLUMNS: Final = frozenset(
    {
        ("receipts", "counts"),
        ("receipts", "purge"),
        ("receipts", "out_of_reach"),
        ("traces", "items"),
        ("traces", "omissions"),
        ("idempotency", "answer"),
        ("schemas", "body"),
    }
)
OWNED: Final = tuple(table for table in metadata.sorted_tables if "owner" in table.c)
OF_TENANT: Final = tuple(table for table in metadata.sorted_tables if "tenant" in table.c)
