"""The copies, and the outbox that tells them what to look at again."""

from __future__ import annotations

from sqlalchemy import Column, Index, Text

from seihon.canonical.tables.base import big, key, owned

dirty = owned(
    "dirty",
    key("store"),
    key("key"),
    big("revision"),
    big("attempts"),
    big("marked_at"),
    big("due_at"),
    big("leased_until"),
    key("lease"),
    key("error"),
    key=("store", "key"),
)
Index("ix_dirty_due", dirty.c.due_at)

traces = owned(
    "traces",
    key("id"),
    big("at"),
    key("conversation"),
    key("purpose"),
    key("tokenizer"),
    big("budget"),
    big("tokens"),
    big("revision"),
    big("epoch"),
    Column("items", Text, nullable=False),
    Column("omissions", Text, nullable=False),
    key=("id",),
)
Index("ix_traces_at", traces.c.owner, traces.c.at)

ft_documents = owned(
    "ft_documents",
    key("doc"),
    key("kind"),
    key("conversation"),
    big("seq"),
    big("version"),
    big("length"),
    key=("doc",),
    rowid=False,
)

ft_postings = owned(
    "ft_postings",
    key("term"),
    key("doc"),
    big("tf"),
    big("length"),
    key=("term", "doc"),
    rowid=False,
)
Index("ix_ft_postings_doc", ft_postings.c.owner, ft_postings.c.doc)

ft_statistics = owned("ft_statistics", big("documents"), big("tokens"), key=())
