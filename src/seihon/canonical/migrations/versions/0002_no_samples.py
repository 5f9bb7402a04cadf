"""PostgreSQL: the planner keeps no samples of a person's words.

ANALYZE copies frequent values of a column into a catalog that an application can neither clean nor read
back. No statement of ours filters by these columns, but for terms, which always come with their owner.
"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

COLUMNS = (
    ("conversations", "metadata"),
    ("messages", "content"),
    ("messages", "metadata"),
    ("claims", "value"),
    ("field_values", "value"),
    ("field_values", "belief"),
    ("notes", "text"),
    ("notes", "metadata"),
    ("ft_postings", "term"),
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, column in COLUMNS:
            op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
