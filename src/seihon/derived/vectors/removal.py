"""Taking a deleted target out of the vectors of every model, and counting what is left of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from seihon.canonical import records
from seihon.canonical import vectors as statements
from seihon.canonical.scope import Reader, Writer
from seihon.derived.contract import Target
from seihon.derived.fulltext.removal import pages
from seihon.model import TargetKind

_AT: Final = "vectors"


def take(tx: Writer, target: Target, limit: int) -> int:
    """Take out at most about ``limit`` texts of a target; return how many vectors went."""
    if target.kind is TargetKind.OWNER:
        return _take_owner(tx, target, limit)
    if target.kind is TargetKind.CONVERSATION:
        after = target.progress.pop(_AT, 0)
        rows = tx.all(statements.HELD_OF_CONVERSATION, key=target.key, after=after, limit=limit)
        if rows:
            target.progress[_AT] = rows[-1].seq
            return bury(tx, [row.doc for row in rows], target.bound)
    taken = (bury(tx, docs, target.bound) for docs in pages(tx, target))
    return next((count for count in taken if count), 0)


def left(tx: Reader, target: Target) -> int:
    """Count the vectors that a target still holds, by the id of each of its records."""
    if target.kind is TargetKind.OWNER:
        return records.left(tx, statements.LEFT_BEFORE, bound=target.bound)
    return sum(records.left(tx, statements.LEFT, docs=docs) for docs in pages(tx, target))


def bury(tx: Writer, docs: Sequence[str], version: int) -> int:
    """Leave of each text a tombstone of a version; return how many vectors went."""
    if not docs:
        return 0
    listed = list(docs)
    return tx.count(statements.DROP_PARTS, docs=listed) + tx.count(
        statements.BURY, docs=listed, bound=version
    )


def _take_owner(tx: Writer, target: Target, limit: int) -> int:
    """Take out what is of the life that ended, tombstones too: the owner's floor fences its ids."""
    docs = [row.doc for row in tx.all(statements.HELD_BEFORE, bound=target.bound, limit=limit)]
    if docs:
        return tx.count(statements.DROP_BEFORE, bound=target.bound, docs=docs)
    tx.count(statements.DROP_EMPTY_SETS)
    return 0
