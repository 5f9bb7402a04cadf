"""The vectors of a question, from the cache where its owner asked it a moment ago."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from seihon.canonical.codec import from_json, to_json
from seihon.canonical.database import Database
from seihon.core.text import query_terms
from seihon.derived.cache.carrying import epoch_of
from seihon.derived.cache.kept import LONGEST_S, Kept
from seihon.derived.vectors.asking import Asked, ask
from seihon.derived.vectors.embedding import set_name
from seihon.models.embedder import Embedder, Vector

_VECTOR: Final = "vector"


def ask_kept(db: Database, kept: Kept, models: Sequence[Embedder], owner: str, query: str) -> Asked:
    """Return what `ask` returns; only models whose vector is not in the cache are asked."""
    if not kept.is_on or not models or not query_terms(query):
        return ask(models, query)
    found = {set_name(model): _held(kept, owner, model, query) for model in models}
    missing = [model for model in models if found[set_name(model)] is None]
    # Read before the model is asked: a deletion meanwhile keeps its vector out.
    epoch = epoch_of(db, owner) if missing else 0
    made = ask(missing, query)
    for name, vector in made.items():
        kept.put(owner, [_VECTOR, name, query], to_json(list(vector)), epoch=epoch, seconds=LONGEST_S)
    return {name: vector for name, vector in found.items() if vector is not None} | dict(made)


def _held(kept: Kept, owner: str, model: Embedder, query: str) -> Vector | None:
    text = kept.get(owner, [_VECTOR, set_name(model), query])
    return None if text is None else array("f", from_json(text))
