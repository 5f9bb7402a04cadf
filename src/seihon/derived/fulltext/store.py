"""The index as a derived store: it follows keys, gives up what was deleted, and can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from seihon.canonical import index as statements
from seihon.canonical.codec import to_json
from seihon.canonical.scope import Reader, Writer
from seihon.derived.contract import RECORDS, Page, Target
from seihon.derived.fulltext import comparison, entries, removal
from seihon.derived.fulltext.entries import Entry
from seihon.derived.scopes import ended_scope
from seihon.model import TargetKind

SCOPE_BATCH: Final = 1000
"""How many entries of a deleted scope one pass takes out."""


class FullText:
    """The full-text index."""

    name: str = "fulltext"
    follows: frozenset[str] = RECORDS

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        """Bring the entries of these keys in line with the original; see the contract."""
        documents = [key for key in keys if entries.is_document(key)]
        _write(tx, documents)
        return [key for key in keys if not entries.is_document(key) and self._scope(tx, key)]

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        """Take out at most about ``limit`` entries of a deleted target; see the contract."""
        if target.kind is TargetKind.OWNER:
            return removal.take_owner(tx, target, limit)
        return removal.take(tx, target, limit)

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Count entries and postings of a deleted target that are still held."""
        if target.kind is TargetKind.OWNER:
            return removal.left_of_owner(tx, target)
        return removal.left(tx, target)

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        """Return keys that should be or are indexed, in their order after ``after``."""
        return comparison.keys(tx, after, limit)

    def differences(self, tx: Reader, after: str, limit: int) -> Page:
        """Compare a page of the index with the original, term by term."""
        return comparison.page(tx, after, limit)

    def repair(self, tx: Writer, keys: Sequence[str]) -> None:
        """Make these entries anew, and count the statistics again."""
        documents = [key for key in keys if entries.is_document(key)]
        if documents:
            tx.run(statements.DROP_POSTINGS, docs=documents)
            tx.run(statements.DROP_DOCUMENTS, docs=documents)
            _write(tx, documents)
        tx.run(statements.DROP_STATISTICS)
        row = tx.first(statements.COUNTED)
        if row is not None:
            removal.count(tx, row.documents, row.tokens)

    def _scope(self, tx: Writer, key: str) -> bool:
        """Take a batch of a deleted scope out; ``True``: there may be more."""
        target = ended_scope(tx, key)
        return target is not None and self.purge(tx, target, SCOPE_BATCH) > 0


def _write(tx: Writer, keys: Sequence[str]) -> None:
    """Replace the entries of these keys by what they should be, older versions refused."""
    if not keys:
        return
    wanted = entries.read(tx, keys)
    held = {row.doc: row for row in tx.all(statements.HELD, docs=list(keys))}
    news = [e for e in wanted.values() if e.doc not in held or held[e.doc].version <= e.version]
    unknown = [key for key in keys if key not in wanted and key in held]
    outdated = [doc for doc in (*unknown, *(e.doc for e in news)) if doc in held and held[doc].length >= 0]
    if outdated:
        tx.run(statements.DROP_POSTINGS, docs=outdated)
    if unknown:
        tx.run(statements.DROP_DOCUMENTS, docs=unknown)
    _put(tx, news)
    lost = [held[doc].length for doc in outdated]
    gained = [entry.length for entry in news if entry.length >= 0]
    removal.count(tx, len(gained) - len(lost), sum(gained) - sum(lost))


def _put(tx: Writer, news: Sequence[Entry]) -> None:
    tx.add(statements.PUT_DOCUMENTS, [entry.document() for entry in news])
    rows = [row for entry in news for row in entry.rows()]
    if rows:
        tx.run(statements.ADD_POSTINGS, rows=to_json(rows))
