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


def states(tx: Reader) -> dict[str, str]:
    """Return the state of each set by its model."""
    return {row.model: row.state for row in tx.all(statements.SETS)}


def followed(found: Mapping[str, str], configured: Sequence[str]) -> tuple[str, ...]:
    """Return the sets that follow the original: the wanted one first, and the one that serves until then."""
    return tuple(name for at, name in enumerate(configured) if at == 0 or found.get(name) == SERVING)


def advance(tx: Writer, found: Mapping[str, str], wanted: str, keys: Sequence[str]) -> None:
    """Bring the wanted set a step further, after ``keys`` were written: more of it, or into service."""
    if found.get(wanted) == SERVING:
        return
    if found.get(wanted) != FILLING:
        tx.add(statements.PUT_SET, [{"model": wanted, "state": FILLING}])
    if tx.first(statements.OTHERS_WAIT, keys=list(keys)) is not None:
        return
    missing = _missing(tx, wanted)
    if missing:
        outbox.mark(tx, STORE, missing)
        return
    tx.add(statements.PUT_SET, [{"model": wanted, "state": SERVING}])
    retired = tx.all(statements.RETIRE_OTHERS, model=wanted)
    outbox.mark(tx, STORE, [SET + row.model for row in retired])


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


def _missing(tx: Writer, model: str) -> list[str]:
    """Return keys of texts that the set lacks; those that wait or failed already are not counted."""
    found = [MESSAGE + row.id for row in tx.all(statements.MISSING_MESSAGES, model=model, limit=AT_A_TIME)]
    if len(found) < AT_A_TIME:
        rest = AT_A_TIME - len(found)
        found += [NOTE + row.id for row in tx.all(statements.MISSING_NOTES, model=model, limit=rest)]
    return found
