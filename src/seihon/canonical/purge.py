"""The physical purge: what deletions leave behind in files, and how much of it is gone afterwards.

SQLite: freed space is zeroed as it is freed (`secure_delete`), what stays inside pages is zeroed here
(`canonical.residue`), and old pages leave the write-ahead log with a truncating checkpoint, which needs a
moment without readers. PostgreSQL, level `standard`: VACUUM, and a
statement of what may still lie where; level `strict`: an operator's batch that leaves nothing. One purge
serves every receipt that waits for it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, text

from seihon import errors
from seihon.canonical import failures, residue
from seihon.canonical import tables as t
from seihon.canonical.database import Database, Options, make_engine, parse_url
from seihon.canonical.security import may_maintain

READERS: Final = "readers"
WRITERS: Final = "writers"
TRIES: Final = 5

CHECKPOINT_WAIT_MS: Final = 1000
"""How long a checkpoint waits for readers to finish before it is tried again later."""

QUICK_BYTES: Final = 32 << 20
"""Up to this size a purge is quick enough for the call that deletes: cleaning a SQLite file reads all of it,
about 1 ms a megabyte."""

LEVELS: Final = {"sqlite": "secure_delete", "postgresql": "standard"}

TOUCHED: Final = tuple(
    sorted({table for table, _ in t.TEXT_COLUMNS} | {"ft_documents", "dirty", "traces", "idempotency"})
)
"""The tables that deletions leave free space in."""

ZEROED: Final = "Freed space in the database file was overwritten with zeros, inside its pages too."
REWRITTEN: Final = "The database file was rewritten without its freed space."
TRUNCATED: Final = "The write-ahead log was checkpointed and truncated to nothing."
STANDARD: Final = (
    "Old versions of deleted rows may lie in free space of tables and indexes until it is used again, and "
    "in the write-ahead log until its files are recycled or archived copies expire; `seihon purge --strict` "
    "removes them from this server."
)


_SWITCH_LOG: Final = text("SELECT pg_switch_wal()")
# A switch does nothing where nothing was written since the last one.
_EMIT: Final = text("SELECT pg_logical_emit_message(false, 'seihon', '')")
# At most so many files are kept for later; counting them takes a right that maintenance need not have.
_LOG_FILES: Final = text(
    "SELECT ceil(pg_size_bytes(current_setting('max_wal_size'))::numeric"
    " / pg_size_bytes(current_setting('wal_segment_size'))) + 1"
)
_TABLES_SIZE: Final = text(
    "SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)"
    " FROM unnest(CAST(:tables AS text[])) AS name"
)


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did, in sentences; ``error`` is the code of what kept it from finishing, or empty."""

    steps: tuple[str, ...]
    error: str = ""


def level(db: Database) -> str:
    """Return what a verified receipt reaches on this database."""
    return LEVELS[db.dialect]


def is_quick(db: Database) -> bool:
    """Tell whether a purge takes no longer than a call may: about as long as a commit on a busy disk."""
    with failures.translated():
        return _size(db) <= QUICK_BYTES


def _size(db: Database) -> int:
    """Return how many bytes a purge has to look at."""
    if db.dialect == "sqlite":
        return Path(db.url.database or "").stat().st_size
    with db.engine.connect() as connection:
        return int(connection.execute(_TABLES_SIZE, {"tables": list(TOUCHED)}).scalar_one())


def purge(db: Database) -> Purged:
    """Do what can be done to the files now. Safe to run at any time, by several at once."""
    with failures.translated():
        return _clean(db) if db.dialect == "sqlite" else _vacuum(db)


def _clean(db: Database) -> Purged:
    """Empty the log, take the residue out of the pages, and empty the log again."""
    path = Path(db.url.database or "").resolve()
    for _ in range(TRIES):
        if not _checkpoint(db):
            return Purged((), READERS)
        try:
            done = _scrub(db, path)
        except errors.Busy:
            return Purged((), WRITERS)
        if done is not None:
            return Purged((done, TRUNCATED)) if _checkpoint(db) else Purged((), READERS)
    return Purged((), WRITERS)


def _checkpoint(db: Database) -> bool:
    """Bring the log into the file and truncate it; ``False``: somebody reads or writes for too long."""
    with _alone(db) as cursor:
        busy, pages, _moved = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    # -1 pages: another journal mode, and so no log.
    return not busy and pages <= 0


def _scrub(db: Database, path: Path) -> str | None:
    """Take the residue out of the pages; return what was done, ``None`` if somebody wrote meanwhile."""
    with _alone(db) as cursor:
        try:
            return None if residue.scrub(cursor, path) is None else ZEROED
        except OSError:
            cursor.execute("VACUUM")
            return REWRITTEN


@contextmanager
def _alone(db: Database) -> Generator[Any]:
    """Yield a cursor outside any transaction, of a connection that is closed afterwards."""
    raw = db.engine.raw_connection()
    try:
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA busy_timeout={CHECKPOINT_WAIT_MS}")
        yield cursor
    except sqlite3.Error as error:
        # Past SQLAlchemy, which wraps no error of a bare cursor.
        raise failures.of_driver(error) from None
    finally:
        raw.invalidate()


def _vacuum(db: Database) -> Purged:
    with db.engine.connect() as connection:
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        mine = [table for table in TOUCHED if may_maintain(alone, table)]
        for table in mine:
            alone.execute(text(f"VACUUM (SKIP_LOCKED) {table}"))
    if len(mine) < len(TOUCHED):
        return Purged(("This role may not VACUUM; the server does it by itself in its own time.", STANDARD))
    return Purged((f"VACUUM gave the space of deleted rows back in {len(mine)} tables.", STANDARD))


def strict(url: str) -> list[str]:
    """Erase from a PostgreSQL server what deletions left in free space and log; say what was done.

    Run as the maintenance role or a superuser, in a quiet hour: each table is locked while it is rewritten.
    Deletions must be finished (drained and verified) before. Archived copies of the log and replicas that
    lag are not reached.

    Raises:
        InvalidArgument: not a PostgreSQL URL.
        Unsafe: the role lacks a right; details hold the server's code.
        Unavailable: the server cannot be reached.
    """
    target = parse_url(url)
    if target.get_backend_name() != "postgresql":
        raise errors.InvalidArgument("A strict purge is for a postgresql:// URL; SQLite needs none.")
    engine = make_engine(target, Options(pool_size=1))
    try:
        with failures.translated(), engine.connect() as connection:
            return list(_rewrite(connection.execution_options(isolation_level="AUTOCOMMIT")))
    finally:
        engine.dispose()


def _rewrite(connection: Connection) -> Iterator[str]:
    for table in TOUCHED:
        connection.execute(text(f"VACUUM (FULL, ANALYZE) {table}"))
    yield f"{len(TOUCHED)} tables and their indexes were rewritten without free space."
    turns = _turn_the_log_over(connection)
    yield f"The write-ahead log was turned over by {turns} files; what was in it is overwritten."
    yield "Replicas, archived log files and backups are not reached: they expire by their own retention."


def _turn_the_log_over(connection: Connection) -> int:
    """Leave no file of the log with anything written before; return how many files were passed."""
    connection.execute(_SWITCH_LOG)
    connection.execute(text("CHECKPOINT"))
    # Files that a checkpoint sets aside for later keep their contents until they are written in their turn,
    # zeros to the end: so every one of them is passed, without a checkpoint that would set more aside.
    turns = int(connection.execute(_LOG_FILES).scalar_one()) + 1
    for _ in range(turns):
        connection.execute(_EMIT)
        connection.execute(_SWITCH_LOG)
    connection.execute(text("CHECKPOINT"))
    return turns
