"""Summaries of ranges of conversations, each with the messages that it was made from.

What is there already is summarised when its owner is rebuilt: marking it here would need a look across all
owners. On PostgreSQL the planner keeps no samples of the text (see 0002).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    op.create_table(
        "summaries",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("id", KEY, nullable=False),
        sa.Column("conversation", KEY, nullable=False),
        sa.Column("block", BIG, nullable=False),
        sa.Column("first_seq", BIG, nullable=False),
        sa.Column("last_seq", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.Column("source_version", KEY, nullable=False),
        sa.Column("input_hash", KEY, nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.Column("prompt_version", KEY, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.Column("tokens", BIG, nullable=False),
        sa.Column("flagged", BIG, nullable=False),
        sa.Column("expires_at", BIG, nullable=True),
        sa.Column("made_at", BIG, nullable=False),
        sa.Column("revision", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", "id", name=op.f("pk_summaries")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_summaries_owner")),
        sa.CheckConstraint("state = 'current' OR text = ''", name=op.f("ck_summaries_retracted_is_empty")),
        sa.CheckConstraint(
            "state IN ('current', 'retracted', 'superseded')", name=op.f("ck_summaries_state")
        ),
        sa.ForeignKeyConstraint(
            ["owner", "conversation"],
            ["conversations.owner", "conversations.id"],
            name=op.f("fk_summaries_owner_conversation"),
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index(
        "uq_summaries_standing",
        "summaries",
        ["owner", "block", "conversation"],
        unique=True,
        postgresql_where=sa.text("state <> 'superseded'"),
        sqlite_where=sa.text("state <> 'superseded'"),
    )
    op.create_index(
        "uq_summaries_version", "summaries", ["owner", "conversation", "block", "version"], unique=True
    )
    op.create_table(
        "summary_sources",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("summary", KEY, nullable=False),
        sa.Column("message", KEY, nullable=False),
        sa.Column("message_version", BIG, nullable=False),
        sa.PrimaryKeyConstraint("owner", "summary", "message", name=op.f("pk_summary_sources")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_summary_sources_owner")),
        sa.ForeignKeyConstraint(
            ["owner", "message"],
            ["messages.owner", "messages.id"],
            name=op.f("fk_summary_sources_owner_message"),
        ),
        sa.ForeignKeyConstraint(
            ["owner", "summary"],
            ["summaries.owner", "summaries.id"],
            name=op.f("fk_summary_sources_owner_summary"),
        ),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_index("ix_summary_sources_message", "summary_sources", ["owner", "message"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE summaries ALTER COLUMN text SET STATISTICS 0")
