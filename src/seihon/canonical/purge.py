"""The physical purge: what deletions leave behind in files, and how much of it is gone afterwards.

SQLite: freed space is zeroed as it is freed (`secure_delete`), and old pages leave the write-ahead log with
a truncating checkpoint, which needs a moment without readers. PostgreSQL, level `standard`: VACUUM, and a
statement of what may still lie where. One purge serves every receipt that waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import text

from seihon.canonical import failures
from seihon.canonical import tables as t
from seihon.canonical.database import Database
from seihon.canonical.security import may_maintain

CHECKPOINT_WAIT_MS: Final = 1000
"""How long a checkpoint waits for readers to finish before it is tried again later."""

LEVELS: Final = {"sqlite": "secure_delete", "postgresql": "standard"}

TOUCHED: Final = tuple(
    sorted({table for table, _ in t.TEXT_COLUMNS} | {"ft_documents", "dirty", "traces", "idempotency"})
)
"""The tables that deletions leave free space in."""

ZEROED: Final = "Freed space in the database file was overwritten with zeros."
TRUNCATED: Final = "The write-ahead log was checkpointed and truncated to nothing."
STANDARD: Final = (
    "Old versions of deleted rows may lie in free space of these tables and their indexes until it is used "
    "again, in planner statistics until the next ANALYZE, and in the write-ahead log until its files are "
    "recycled or archived copies expire; `seihon purge --strict` removes them from this server."
)


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did, in sentences; ``error`` is the code of what kept it from finishing, or empty."""

    steps: tuple[str, ...]
    error: str = ""


def level(db: Database) -> str:
    """Return what a verified receipt reaches on this database."""
    return LEVELS[db.dialect]


def purge(db: Database) -> Purged:
    """Do what can be done to the files now. Safe to run at any time, by several at once."""
    with failures.translated():
        return _checkpoint(db) if db.dialect == "sqlite" else _vacuum(db)


def _checkpoint(db: Database) -> Purged:
    raw = db.engine.raw_connection()
    try:
        cursor = raw.cursor()
        before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout={CHECKPOINT_WAIT_MS}")
        try:
            busy, pages, _moved = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            cursor.execute(f"PRAGMA busy_timeout={before}")
            cursor.close()
    finally:
        raw.close()
    # -1 pages: another journal mode, and so no log.
    return Purged((), "readers") if busy or pages > 0 else Purged((ZEROED, TRUNCATED))


def _vacuum(db: Database) -> Purged:
    with db.engine.connect() as connection:
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        mine = [table for table in TOUCHED if may_maintain(alone, table)]
        for table in mine:
            alone.execute(text(f"VACUUM (SKIP_LOCKED) {table}"))
    if len(mine) < len(TOUCHED):
        return Purged(("This role may not VACUUM; the server does it by itself in its own time.", STANDARD))
    return Purged((f"VACUUM gave the space of deleted rows back in {len(mine)} tables.", STANDARD))
