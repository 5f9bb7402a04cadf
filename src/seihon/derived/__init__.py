"""The copies: stores derived from the original, and the worker that keeps them in line with it."""

from __future__ import annotations

from seihon.derived.contract import Store
from seihon.derived.fulltext import FullText


def registry() -> tuple[Store, ...]:
    """Return every derived store, in the order in which a deletion purges them: one line each."""
    return (FullText(),)
