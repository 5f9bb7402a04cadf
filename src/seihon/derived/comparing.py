"""Comparing a store with the original, and deriving it anew while it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from seihon import errors
from seihon.canonical import outbox
from seihon.canonical.database import Database
from seihon.canonical.faults import reach
from seihon.derived.contract import Difference, Page, Store
from seihon.derived.failures import DATABASE_ITSELF, code_of
from seihon.model import Record

PAGE: Final = 500
"""How many keys one transaction compares or marks."""


@dataclass(frozen=True, slots=True)
class Comparison(Record):
    """One store of one owner against the original.

    ``differences`` is what was found, ``repaired`` how many keys were made anew, ``left`` how many still
    differ after that.
    """

    owner: str
    store: str
    compared: int
    differences: tuple[Difference, ...]
    repaired: int
    left: int


def compare(
    db: Database,
    store: Store,
    owner: str,
    *,
    repair: bool,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare a store of one owner with the original, page by page; with ``repair`` make it right.

    A key that waits in the outbox lags and is no fault; it is left out.
    """
    compared, found = _differences(db, store, owner, progress)
    if not repair or not found:
        return Comparison(owner, store.name, compared, found, 0, len(found))
    reach("verify.before_repair")
    repaired = sum(_repair(db, store, owner, keys) for keys in _pages([one.key for one in found]))
    left = _differences(db, store, owner, None)[1]
    return Comparison(owner, store.name, compared, found, repaired, len(left))


def rebuild(db: Database, store: Store, owner: str, *, progress: Callable[[int], None] | None = None) -> int:
    """Mark every key of a store to be derived anew; what it holds serves until then. Returns how many.

    Nothing is emptied first: a store that names no keys, or fails to, goes on as it is.

    Raises:
        Incomplete: the store could not name its keys; details hold its name and the code.
    """
    marked, after = 0, ""
    while True:
        try:
            with db.derive(owner) as tx:
                keys = store.keys(tx, after, PAGE)
                outbox.mark(tx, store.name, keys)
        except DATABASE_ITSELF:
            raise
        except Exception as error:  # noqa: BLE001 - a store may fail in any way
            raise errors.Incomplete(
                "A store could not name what is to be derived anew; nothing was emptied, and what it holds "
                "goes on serving.",
                store=store.name,
                error=code_of(error),
                marked=marked,
            ) from None
        reach("rebuild.after_page")
        marked += len(keys)
        if progress is not None:
            progress(len(keys))
        if len(keys) < PAGE:
            return marked
        after = keys[-1]


def _differences(
    db: Database, store: Store, owner: str, progress: Callable[[int], None] | None
) -> tuple[int, tuple[Difference, ...]]:
    compared, found = 0, dict[Difference, None]()
    after: str | None = ""
    while after is not None:
        with db.read(owner) as tx:
            page: Page = store.differences(tx, after, PAGE)
            lagging = outbox.marked(tx, store.name, [one.key for one in page.differences])
        found.update(dict.fromkeys(one for one in page.differences if one.key not in lagging))
        compared, after = compared + page.compared, page.next
        if progress is not None:
            progress(page.compared)
    return compared, tuple(found)


def _repair(db: Database, store: Store, owner: str, keys: Sequence[str]) -> int:
    with db.derive(owner) as tx:
        store.repair(tx, keys)
        outbox.revive(tx, store.name, keys)
    return len(keys)


def _pages(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), PAGE):
        yield keys[start : start + PAGE]
