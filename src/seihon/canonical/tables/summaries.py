"""Summaries of ranges of a conversation, and the messages that each was made from."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Text, text

from seihon.canonical.tables.base import big, key, owned, ref

summaries = owned(
    "summaries",
    key("id"),
    key("conversation"),
    big("block"),
    big("first_seq"),
    big("last_seq"),
    big("version"),
    key("state"),
    key("source_version"),
    key("input_hash"),
    key("model"),
    key("prompt_version"),
    Column("text", Text, nullable=False),
    big("tokens"),
    big("flagged"),
    big("expires_at", null=True),
    big("made_at"),
    big("revision"),
    CheckConstraint("state IN ('current', 'retracted', 'superseded')", name="state"),
    CheckConstraint("state = 'current' OR text = ''", name="retracted_is_empty"),
    ref(("conversation",), "conversations", ("id",)),
    key=("id",),
)
Index(
    "uq_summaries_version",
    summaries.c.owner,
    summaries.c.conversation,
    summaries.c.block,
    summaries.c.version,
    unique=True,
)
Index(
    "uq_summaries_standing",
    summaries.c.owner,
    summaries.c.block,
    summaries.c.conversation,
    unique=True,
    postgresql_where=text("state <> 'superseded'"),
    sqlite_where=text("state <> 'superseded'"),
)

summary_sources = owned(
    "summary_sources",
    key("summary"),
    key("message"),
    big("message_version"),
    ref(("summary",), "summaries", ("id",)),
    ref(("message",), "messages", ("id",)),
    key=("summary", "message"),
)
Index("ix_summary_sources_message", summary_sources.c.owner, summary_sources.c.message)
