"""The index against the original, page by page: gaps and stale entries first, orphans next, counts last.

A cursor is ``<phase>|<last key>``; each phase walks keys in their own order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row

from seihon.canonical import index as statements
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.scope import Reader
from seihon.derived.contract import Difference, DifferenceKind, Page
from seihon.derived.fulltext import entries
from seihon.derived.fulltext.entries import Entry

STATISTICS: Final = "statistics:"
"""The key under which wrong counts are reported."""


def keys(tx: Reader, after: str, limit: int) -> Sequence[str]:
    """Return keys that stand in the original or in the index, in their order after ``after``."""
    found = {*standing(tx, MESSAGE, after, limit), *standing(tx, NOTE, after, limit)}
    found.update(row.doc for row in tx.all(statements.DOCUMENT_PAGE, after=after, limit=limit))
    found.update(row.doc for row in tx.all(statements.STRAY_POSTINGS, after=after, limit=limit))
    return sorted(found)[:limit]


def page(tx: Reader, after: str, limit: int) -> Page:
    """Compare one page; see ``Store.differences``."""
    phase, _, last = (after or f"{_PHASES[0]}|").partition("|")
    if phase == "counts":
        return Page(tuple(_counts(tx)), None, 1)
    found = _WALKS[phase](tx, last, limit)
    differences = tuple(_compared(tx, found))
    following = f"{phase}|{found[-1]}" if len(found) == limit else f"{_after(phase)}|"
    return Page(differences, following, len(found))


def standing(tx: Reader, prefix: str, after: str, limit: int) -> list[str]:
    if after >= prefix and not after.startswith(prefix) and after > prefix:
        return []
    statement = statements.MESSAGE_PAGE if prefix == MESSAGE else statements.NOTE_PAGE
    bare = after.removeprefix(prefix) if after.startswith(prefix) else ""
    return [prefix + row.id for row in tx.all(statement, after=bare, limit=limit)]


def _messages(tx: Reader, after: str, limit: int) -> list[str]:
    return standing(tx, MESSAGE, after, limit)


def _notes(tx: Reader, after: str, limit: int) -> list[str]:
    return standing(tx, NOTE, after, limit)


def _documents(tx: Reader, after: str, limit: int) -> list[str]:
    return [row.doc for row in tx.all(statements.DOCUMENT_PAGE, after=after, limit=limit)]


def _strays(tx: Reader, after: str, limit: int) -> list[str]:
    return [row.doc for row in tx.all(statements.STRAY_POSTINGS, after=after, limit=limit)]


_WALKS: Final[dict[str, Callable[[Reader, str, int], list[str]]]] = {
    "messages": _messages,
    "notes": _notes,
    "documents": _documents,
    "postings": _strays,
}
_PHASES: Final = (*_WALKS, "counts")


def _after(phase: str) -> str:
    return _PHASES[_PHASES.index(phase) + 1]


def _compared(tx: Reader, docs: Sequence[str]) -> Iterator[Difference]:
    """Yield how the index differs from the original on these keys."""
    if not docs:
        return
    wanted = entries.read(tx, docs)
    held = {row.doc: row for row in tx.all(statements.HELD, docs=list(docs))}
    postings: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in tx.all(statements.POSTINGS, docs=list(docs)):
        postings[row.doc][row.term] = row.tf if row.length == _length(held.get(row.doc)) else -row.tf
    for doc in docs:
        kind = _verdict(wanted.get(doc), held.get(doc), postings.get(doc, {}))
        if kind is not None:
            yield Difference(doc, kind)


def _length(held: Row[Any] | None) -> int:
    """Return the length that an entry is held with, ``DEAD`` if none is."""
    return entries.DEAD if held is None else held.length


def _verdict(
    wanted: Entry | None, held: Row[Any] | None, postings: Mapping[str, int]
) -> DifferenceKind | None:
    length = _length(held)
    if wanted is None or wanted.length < 0:
        return DifferenceKind.ORPHAN if length >= 0 or postings else None
    if held is None or length < 0:
        return DifferenceKind.GAP
    same = held.version == wanted.version and length == wanted.length
    return None if same and postings == wanted.postings else DifferenceKind.STALE


def _counts(tx: Reader) -> Iterator[Difference]:
    counted = tx.first(statements.COUNTED)
    kept = tx.first(statements.STATISTICS)
    truth = (counted.documents, counted.tokens) if counted else (0, 0)
    if truth != ((kept.documents, kept.tokens) if kept else (0, 0)):
        yield Difference(STATISTICS, DifferenceKind.COUNT)
