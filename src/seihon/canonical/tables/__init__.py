"""Every table of Seihon, canonical and derived alike, in one place.

Raw tables are importable inside ``canonical`` only: everything else starts from the scoped subqueries of
``canonical.scope``. Every key, primary or foreign, starts with ``owner`` (tenant tables: with ``tenant``).
Instants are microseconds since the epoch, UTC; JSON is canonical text. ``TEXT_COLUMNS`` registers each
column that can hold a person's words or what was drawn from them; a test walks the schema and fails on a
column that is neither there nor plainly an id, a number or a state.
"""

from __future__ import annotations

from typing import Final

from seihon.canonical.tables.base import Big, Key, metadata
from seihon.canonical.tables.derived import dirty, ft_documents, ft_postings, ft_statistics, traces
from seihon.canonical.tables.original import (
    claim_sources,
    claims,
    conversations,
    field_values,
    messages,
    note_sources,
    notes,
    owners,
)
from seihon.canonical.tables.records import changes, idempotency, receipt_stores, receipts, tombstones
from seihon.canonical.tables.summaries import summaries, summary_sources
from seihon.canonical.tables.tenant import field_reads, meta, schemas, tenants
from seihon.canonical.tables.vectors import vector_sets, vectors

__all__ = [
    "OF_TENANT",
    "OWNED",
    "STRUCTURAL_COLUMNS",
    "TEXT_COLUMNS",
    "Big",
    "Key",
    "changes",
    "claim_sources",
    "claims",
    "conversations",
    "dirty",
    "field_reads",
    "field_values",
    "ft_documents",
    "ft_postings",
    "ft_statistics",
    "idempotency",
    "messages",
    "meta",
    "metadata",
    "note_sources",
    "notes",
    "owners",
    "receipt_stores",
    "receipts",
    "schemas",
    "summaries",
    "summary_sources",
    "tenants",
    "tombstones",
    "traces",
    "vector_sets",
    "vectors",
]

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
        ("summaries", "text"),
        ("vectors", "vector"),
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
