"""The copies: stores derived from the original, and the worker that keeps them in line with it."""

from __future__ import annotations

from collections.abc import Sequence

from seihon.derived.contract import Store
from seihon.derived.fulltext import FullText
from seihon.derived.summaries import Summaries
from seihon.derived.vectors import Vectors
from seihon.models.embedder import Embedder
from seihon.models.summariser import Summariser


def registry(
    *, summariser: Summariser | None = None, embedders: Sequence[Embedder] = ()
) -> tuple[Store, ...]:
    """Return every derived store, in the order in which a deletion purges them: one line each.

    What a store derives with may be left out: it is purged all the same.
    """
    return (FullText(), Summaries(summariser), Vectors(embedders))
