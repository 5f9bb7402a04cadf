"""The sets that follow the original against it, page by page: gaps and stale vectors first, orphans next.

A cursor is ``<phase>|<last key>``; each phase walks keys in their own order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Row

from seihon.canonical import vectors as statements
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.scope import Reader
from seihon.derived.contract import Difference, DifferenceKind, Page
from seihon.derived.fulltext.comparison import standing
from seihon.derived.vectors import originals
from seihon.derived.vectors.originals import Original, is_of


def keys(tx: Reader, after: str, limit: int) -> Sequence[str]:
    """Return keys that stand in the original or have a vector, in their order after ``after``."""
    found = {*standing(tx, MESSAGE, after, limit), *standing(tx, NOTE, after, limit)}
    found.update(_held(tx, after, limit))
    return sorted(found)[:limit]


def page(tx: Reader, after: str, limit: int, names: Sequence[str], complete: Sequence[str]) -> Page:
    """Compare one page of the sets of these names; see ``Store.differences``.

    ``complete``: the sets in which a text that is not there is missed; one that is still filled lags.
    """
    phase, _, last = (after or f"{_PHASES[0]}|").partition("|")
    found = _WALKS[phase](tx, last, limit)
    differences = tuple(_compared(tx, found, names, complete))
    if len(found) == limit:
        return Page(differences, f"{phase}|{found[-1]}", len(found))
    rest = _PHASES[_PHASES.index(phase) + 1 :]
    return Page(differences, f"{rest[0]}|" if rest else None, len(found))


def _messages(tx: Reader, after: str, limit: int) -> list[str]:
    return standing(tx, MESSAGE, after, limit)


def _notes(tx: Reader, after: str, limit: int) -> list[str]:
    return standing(tx, NOTE, after, limit)


def _held(tx: Reader, after: str, limit: int) -> list[str]:
    return [row.doc for row in tx.all(statements.HELD_PAGE, after=after, limit=limit)]


_WALKS: Final[dict[str, Callable[[Reader, str, int], list[str]]]] = {
    "messages": _messages,
    "notes": _notes,
    "held": _held,
}
_PHASES: Final = tuple(_WALKS)


def _compared(
    tx: Reader, docs: Sequence[str], names: Sequence[str], complete: Sequence[str]
) -> Iterator[Difference]:
    """Yield how the sets differ from the original on these keys."""
    if not docs:
        return
    wanted = originals.read(tx, docs)
    held: defaultdict[str, dict[str, Row[Any]]] = defaultdict(dict)
    for row in tx.all(statements.HELD, docs=list(docs)):
        held[row.doc][row.model] = row
    for doc in docs:
        kind = _verdict(wanted.get(doc), held[doc], names, complete)
        if kind is not None:
            yield Difference(doc, kind)


def _verdict(
    text: Original | None, rows: dict[str, Row[Any]], names: Iterable[str], complete: Iterable[str]
) -> DifferenceKind | None:
    held = {name: row for name, row in rows.items() if row.alive}
    if text is None or not text.stands:
        return DifferenceKind.ORPHAN if held else None
    if any(name not in held for name in complete):
        return DifferenceKind.GAP
    found = [held[name] for name in names if name in held]
    same = all(row.version == text.version and is_of(row, text) for row in found)
    return None if same else DifferenceKind.STALE
