"""Taking a deleted target out of the index, and counting what is left of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from seihon.canonical import index as statements
from seihon.canonical import records
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.scope import Reader, Writer
from seihon.derived.contract import Target
from seihon.model import TargetKind

PAGE: Final = 1000
"""How many documents of a target one statement looks at."""

_AT: Final = "fulltext"


def take(tx: Writer, target: Target, limit: int) -> int:
    """Bury entries of a target that is not a whole owner, and drop postings that no entry owns."""
    if target.kind is TargetKind.CONVERSATION:
        after = target.progress.pop(_AT, 0)
        rows = tx.all(statements.HELD_OF_CONVERSATION, key=target.key, after=after, limit=limit)
        if rows:
            target.progress[_AT] = rows[-1].seq
            return _bury(tx, rows, target.bound)
    taken = (_clear(tx, docs, target.bound) for docs in pages(tx, target))
    return next((count for count in taken if count), 0)


def left(tx: Reader, target: Target) -> int:
    """Count entries and postings that such a target still holds, by the id of each of its records."""
    return sum(_left(tx, docs) for docs in pages(tx, target))


def take_owner(tx: Writer, target: Target, limit: int) -> int:
    """Take out whole entries of the life that ended, tombstones too: the owner's floor fences its ids."""
    rows = tx.all(statements.HELD_BEFORE, bound=target.bound, limit=limit)
    docs = [row.doc for row in rows] or [row.doc for row in tx.all(statements.STRAY_OF_OWNER, limit=limit)]
    if not docs:
        _forget_counts(tx)
        return 0
    tx.run(statements.DROP_POSTINGS, docs=docs)
    tx.run(statements.DROP_DOCUMENTS, docs=docs)
    lengths = [row.length for row in rows if row.length >= 0]
    count(tx, -len(lengths), -sum(lengths))
    return len(docs)


def left_of_owner(tx: Reader, target: Target) -> int:
    """Count what is held of the life that ended."""
    held = tx.all(statements.HELD_BEFORE, bound=target.bound, limit=1)
    return len(held) + records.left(tx, statements.POSTINGS_BEFORE, bound=target.bound)


def count(tx: Writer, documents: int, tokens: int) -> None:
    """Add to the statistics (below 0: take from them)."""
    if documents or tokens:
        tx.add(statements.ADD_STATISTICS, [{"documents": documents, "tokens": tokens}])


def pages(tx: Reader, target: Target) -> Iterator[list[str]]:
    """Yield the documents of a target's records, by its receipt's tombstones and by its conversation."""
    for prefix in (MESSAGE, NOTE):
        yield from _buried(tx, target, prefix)
    if target.kind is TargetKind.CONVERSATION:
        yield from _of_conversation(tx, target)


def _buried(tx: Reader, target: Target, prefix: str) -> Iterator[list[str]]:
    after, full = "", True
    while full:
        rows = tx.all(statements.BURIED, kind=prefix[:-1], receipt=target.receipt, after=after, limit=PAGE)
        if rows:
            yield [prefix + row.key for row in rows]
            after = rows[-1].key
        full = len(rows) == PAGE


def _of_conversation(tx: Reader, target: Target) -> Iterator[list[str]]:
    after, full = 0, True
    while full:
        rows = tx.all(statements.OF_CONVERSATION, key=target.key, after=after, limit=PAGE)
        if rows:
            yield [MESSAGE + row.id for row in rows]
            after = rows[-1].seq
        full = len(rows) == PAGE


def _clear(tx: Writer, docs: list[str], version: int) -> int:
    """Bury those of the documents that are entries and drop postings of the rest."""
    held = [row for row in tx.all(statements.HELD, docs=docs) if row.length >= 0]
    buried = _bury(tx, held, version)
    return buried + tx.count(statements.DROP_POSTINGS, docs=docs)


def _bury(tx: Writer, rows: Sequence[Any], version: int) -> int:
    """Turn entries into tombstones of a version; return how many there were."""
    if not rows:
        return 0
    docs = [row.doc for row in rows]
    tx.run(statements.DROP_POSTINGS, docs=docs)
    tx.run(statements.BURY_DOCUMENTS, docs=docs, bound=version)
    count(tx, -len(rows), -sum(row.length for row in rows))
    return len(rows)


def _left(tx: Reader, docs: list[str]) -> int:
    held = sum(1 for row in tx.all(statements.HELD, docs=docs) if row.length >= 0)
    return held + records.left(tx, statements.POSTINGS_OF, docs=docs)


def _forget_counts(tx: Writer) -> None:
    """Drop the counts of an index that holds nothing."""
    counted = tx.first(statements.COUNTED)
    if counted is not None and not counted.documents:
        tx.run(statements.DROP_STATISTICS)
