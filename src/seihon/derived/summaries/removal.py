"""Taking a deleted target out of the summaries, and counting what is left of it."""

from __future__ import annotations

from seihon.canonical import records
from seihon.canonical import summaries as statements
from seihon.canonical.scope import Reader, Writer
from seihon.derived.contract import Target
from seihon.model import TargetKind


def take(tx: Writer, target: Target, limit: int) -> int:
    """Take out at most about ``limit`` summaries of a target; what is retracted already lost its text."""
    match target.kind:
        case TargetKind.OWNER:
            return drop(tx, [row.id for row in tx.all(statements.OF_LIFE, bound=target.bound, limit=limit)])
        case TargetKind.CONVERSATION:
            found = tx.all(statements.OF_CONVERSATION, key=target.key, limit=limit)
            return drop(tx, [row.id for row in found])
        case _:
            retracted = tx.count(statements.RETRACT_BURIED, receipt=target.receipt)
            return retracted + tx.count(statements.DROP_BURIED, receipt=target.receipt)


def left(tx: Reader, target: Target) -> int:
    """Count summaries of a scope, or the links of summaries to deleted messages."""
    match target.kind:
        case TargetKind.OWNER:
            return records.left(tx, statements.LEFT_OF_LIFE, bound=target.bound)
        case TargetKind.CONVERSATION:
            return records.left(tx, statements.LEFT_OF_CONVERSATION, key=target.key)
        case _:
            return records.left(tx, statements.LEFT_BURIED, receipt=target.receipt)


def drop(tx: Writer, ids: list[str]) -> int:
    """Remove summaries whole; return how many."""
    if not ids:
        return 0
    tx.count(statements.DROP_SOURCES, ids=ids)
    return tx.count(statements.DROP_SUMMARIES, ids=ids)
