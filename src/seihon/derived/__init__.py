"""The copies: stores derived from the original, and the worker that keeps them in line with it."""

from __future__ import annotations

from seihon.derived.contract import Store
from seihon.derived.fulltext import FullText
from seihon.derived.summaries import Summaries
from seihon.models.summariser import Summariser


def registry(*, summariser: Summariser | None = None) -> tuple[Store, ...]:
    """Return every derived store, in the order in which a deletion purges them: one line each.

    What a store derives with may be left out: it is purged and compared all the same.
    """
    return (FullText(), Summaries(summariser))
