"""A time of each owner that never goes back, and a way in by time to what was done.

Statements are ordered by it when a clock was set back. An owner without it takes its last write's time:
filling it in here would need a look across all owners.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("owners", sa.Column("monotonic_at", BIG, nullable=True))
    op.create_index("ix_changes_at", "changes", ["owner", "at", "revision"])
