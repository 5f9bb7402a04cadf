"""Vectors of messages and notes, and of each owner's models how far they are.

A text's vectors stand in parts, since a long one is embedded in several; a tombstone is a part 0 without a
vector, which remembers a version. Floats of 32 bits: on SQLite as little-endian bytes, on PostgreSQL as an
array, which takes no extension and which one can rank.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import ARRAY, REAL, CheckConstraint, Column, LargeBinary

from seihon.canonical.tables.base import big, key, owned

Floats: Final = LargeBinary().with_variant(ARRAY(REAL), "postgresql")

vectors = owned(
    "vectors",
    key("doc"),
    key("model"),
    big("part"),
    big("version"),
    big("dim"),
    key("input_hash"),
    Column("vector", Floats, nullable=True),
    key=("doc", "model", "part"),
)

vector_sets = owned(
    "vector_sets",
    key("model"),
    key("state"),
    CheckConstraint("state IN ('filling', 'serving', 'retired')", name="state"),
    key=("model",),
)
