"""The vectors of a question, made before any transaction is open."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from seihon.core.text import query_terms
from seihon.derived.failures import code_of
from seihon.derived.vectors.embedding import set_name, unit
from seihon.models.embedder import Embedder, Flaw, Kind, Vector, embed

_log: Final = logging.getLogger(__name__)

Asked = Mapping[str, Vector]
"""A question's vector by the name of the set that it is for; empty: words alone are searched."""


def ask(models: Sequence[Embedder], query: str) -> Asked:
    """Return a question's vectors, one for each model: which set serves is known in the snapshot only.

    A model that fails is left out: what words find is worth more than an error. A question without a term
    finds nothing, and no model is asked.
    """
    if not models or not query_terms(query):
        return {}
    found = {set_name(model): _vector(model, query) for model in models}
    return {name: vector for name, vector in found.items() if vector is not None}


def _vector(model: Embedder, query: str) -> Vector | None:
    try:
        vector = next(embed(model, [query], Kind.QUERY))
    except Exception as error:  # noqa: BLE001 - a model may fail in any way
        _log.warning("A question was searched by words alone: the embedder failed (%s).", code_of(error))
        return None
    if isinstance(vector, Flaw):
        _log.warning("A question was searched by words alone: its vector has a flaw (%s).", vector.value)
        return None
    return unit(vector)
