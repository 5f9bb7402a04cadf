"""Words, vectors and both over one sample in memory: what ``retrieval.py --embedder`` compares."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from locomo import Sample, Turn
from seihon.core.rank import Place
from seihon.models.embedder import Embedder, Flaw, Kind, Vector, embed, passage
from seihon.testing.hybrid import HybridIndex

WAYS: Final = ("lexical", "vectors", "hybrid")
"""What is compared, by the names of the report."""


class Vectors:
    """Vectors of texts by one embedder, kept in a folder between runs if there is one (24 MB for LoCoMo)."""

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self.embedder = embedder
        self._folder = folder

    def of(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """Return one vector for each text; a flawed one ends the run."""
        if self._folder is None:
            return self._made(texts, kind)
        known = self._folder / f"{self._key(texts, kind)}.f32"
        if not known.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            known.write_bytes(b"".join(vector.tobytes() for vector in self._made(texts, kind)))
        data, size = known.read_bytes(), 4 * self.embedder.dimensions
        return [array("f", data[at : at + size]) for at in range(0, len(data), size)]

    def _made(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        found = list(embed(self.embedder, texts, kind))
        vectors = [vector for vector in found if not isinstance(vector, Flaw)]
        assert len(vectors) == len(texts), "the embedder gave flawed vectors"
        return vectors

    def _key(self, texts: Sequence[str], kind: Kind) -> str:
        model = self.embedder
        parts = (model.name, model.recipe, str(model.dimensions), kind, *texts)
        return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class ArrayIndex(HybridIndex):
    """The hybrid index with its cosines by NumPy; filled once."""

    def fill(self, places: Sequence[Place], texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        """Add every entry with its vector."""
        for place, text, vector in zip(places, texts, vectors, strict=True):
            self.add(place, text)
            self.put(place.key, vector)
        self._keys = [place.key for place in places]
        flat = np.frombuffer(b"".join(vector.tobytes() for vector in vectors), dtype=np.float32)
        self._matrix = flat.reshape(len(places), -1).astype(np.float64)

    def cosines(self, asked: Vector) -> Mapping[str, float]:
        """Return the cosine of each entry, by key."""
        products = self._matrix @ np.frombuffer(asked, dtype=np.float32).astype(np.float64)
        return dict(zip(self._keys, products.tolist(), strict=True))


def filled(sample: Sample, vectors: Vectors, *, named: bool = True) -> ArrayIndex:
    """Return an index of one sample; ``named``: a turn is embedded with its speaker's name, where it has one.

    What an entry holds for the search by words is the turn's own text either way.
    """
    places = [
        Place(turn.id, turn.conversation, order, round(turn.created_at.timestamp() * 1_000_000))
        for order, turn in enumerate(sample.turns)
    ]
    spoken = [passage(turn.content, speaker=_speaker(turn) if named else None) for turn in sample.turns]
    index = ArrayIndex()
    index.fill(places, [turn.content for turn in sample.turns], vectors.of(spoken, Kind.PASSAGE))
    return index


def ask(index: HybridIndex, way: str, query: str, asked: Vector, k: int) -> list[str]:
    """Return the ids of the ``k`` best turns in one of the ``WAYS``."""
    match way:
        case "lexical":
            found = index.search(query, k)
        case "vectors":
            found = index.nearest(asked, k)
        case _:
            found = index.hybrid(query, asked, k)
    return [item.place.key for item in found]


def _speaker(turn: Turn) -> str | None:
    return None if turn.name == turn.role else turn.name
