"""The sets of an owner's vectors, one for each model: which is filled, which serves, which is dropped.

A set serves once nothing of the original is missing in it; then the one before it is dropped. Texts that were
there before a model came are marked a few at a time with what else is written, or at once by a rebuild.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from seihon.canonical import outbox
from seihon.canonical import vectors as statements
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.scope import Reader, Writer
from seihon.canonical.vectors import FILLING, RETIRED, SERVING, SET, STORE

AT_A_TIME: Final = 16
"""Older texts that are marked with each batch of a set that is filled: below a batch, so that whoever writes
does not wait for all of them."""

DROPPED_AT_ONCE: Final = 500

_LAST: Final = "\U0010ffff"
_MISSING: Final = ((MESSAGE, statements.MISSING_MESSAGES), (NOTE, statements.MISSING_NOTES))


def states(tx: Reader) -> dict[str, str]:
    """Return the state of each set by its model."""
    return {row.model: row.state for row in tx.all(statements.SETS)}


def followed(found: Mapping[str, str], configured: Sequence[str]) -> tuple[str, ...]:
    """Return the sets that follow the original: the wanted one first, and the one that serves until then."""
    return tuple(name for at, name in enumerate(configured) if at == 0 or found.get(name) == SERVING)


def complete(found: Mapping[str, str], names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the sets that should lack nothing: the one that serves; while none does, all.

    What a set lacks that is filled beside it is not wrong, but yet to come.
    """
    return tuple(name for name in names if found.get(name) == SERVING) or tuple(names)


def advance(tx: Writer, found: Mapping[str, str], wanted: str, keys: Sequence[str], after: str = "") -> str:
    """Bring the wanted set a step further, after ``keys`` were written: more of it, or into service.

    Returns the key that the next call is to look ``after``: what comes before it was looked through.
    """
    if found.get(wanted) == SERVING:
        return ""
    if found.get(wanted) != FILLING:
        tx.add(statements.PUT_SET, [{"model": wanted, "state": FILLING}])
    if tx.first(statements.OTHERS_WAIT, keys=list(keys)) is not None:
        return after
    missing = _missing(tx, wanted, after)
    if not missing and after:
        # Before it serves, once more from the beginning: what was marked may have been lost with a crash.
        missing = _missing(tx, wanted, "")
    if missing:
        outbox.mark(tx, STORE, missing)
        return missing[-1]
    tx.add(statements.PUT_SET, [{"model": wanted, "state": SERVING}])
    retired = tx.all(statements.RETIRE_OTHERS, model=wanted)
    outbox.mark(tx, STORE, [SET + row.model for row in retired])
    return ""


def drop(tx: Writer, key: str) -> bool:
    """Drop a batch of a retired set; ``True``: there may be more."""
    model = key.removeprefix(SET)
    if states(tx).get(model) != RETIRED:
        return False
    docs = [row.doc for row in tx.all(statements.DOCS_OF_SET, model=model, limit=DROPPED_AT_ONCE)]
    if docs:
        tx.count(statements.DROP_OF_MODEL, docs=docs, model=model)
        return True
    tx.count(statements.DROP_SET, model=model)
    return False


def _missing(tx: Reader, model: str, after: str) -> list[str]:
    """Return keys after one of texts that the set lacks and for which nothing waits or has failed."""
    found: list[str] = []
    for prefix, statement in _MISSING:
        rest = AT_A_TIME - len(found)
        if rest and after < prefix + _LAST:
            rows = tx.all(statement, model=model, after=after[len(prefix) :], limit=rest)
            found += [prefix + row.id for row in rows]
            after = ""
    return found
