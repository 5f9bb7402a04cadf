"""Vectors of messages and notes, and of each owner's models how far they are.

On PostgreSQL an array of floats, so that the revision needs no extension and no right that a plain role has
not; the planner keeps no samples of it (see 0002), and the server does not try to compress it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLOATS = sa.LargeBinary().with_variant(sa.ARRAY(sa.REAL), "postgresql")


def upgrade() -> None:
    op.create_table(
        "vectors",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("doc", KEY, nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.Column("part", BIG, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("dim", BIG, nullable=False),
        sa.Column("input_hash", KEY, nullable=False),
        sa.Column("vector", FLOATS, nullable=True),
        sa.PrimaryKeyConstraint("owner", "doc", "model", "part", name=op.f("pk_vectors")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_vectors_owner")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    op.create_table(
        "vector_sets",
        sa.Column("owner", KEY, nullable=False),
        sa.Column("model", KEY, nullable=False),
        sa.Column("state", KEY, nullable=False),
        sa.PrimaryKeyConstraint("owner", "model", name=op.f("pk_vector_sets")),
        sa.CheckConstraint("owner <> ''", name=op.f("ck_vector_sets_owner")),
        sa.CheckConstraint("state IN ('filling', 'serving', 'retired')", name=op.f("ck_vector_sets_state")),
        sqlite_strict=True,
        sqlite_with_rowid=True,
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE vectors ALTER COLUMN vector SET STATISTICS 0")
        op.execute("ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL")
