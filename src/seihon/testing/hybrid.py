"""The hybrid search in memory, for one owner: what the databases' answers are measured against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import fsum
from typing import NamedTuple

from seihon.core.fusion import EXACTNESS, Spread, ceiling, fuse, spread
from seihon.core.rank import REACH, Place, Ranked, combine, pool, prefer_exact
from seihon.core.text import query_terms
from seihon.models.embedder import Vector
from seihon.testing.reference import ReferenceIndex


class Gathered(NamedTuple):
    """The arguments of ``fuse``."""

    lexical: list[Ranked]
    places: list[Place]
    cosines: Mapping[str, float]
    over: Spread
    most: float


class HybridIndex(ReferenceIndex):
    """An index of one owner's entries with their vectors; an entry may be without one."""

    def __init__(self) -> None:
        super().__init__()
        self._vectors: dict[str, Vector] = {}

    def put(self, key: str, vector: Vector) -> None:
        """Give an entry its vector; one for an unknown key is never found."""
        self._vectors[key] = vector

    def remove(self, key: str) -> None:
        """Remove an entry, every posting of it and its vector; an unknown key changes nothing."""
        super().remove(key)
        self._vectors.pop(key, None)

    def cosines(self, asked: Vector) -> Mapping[str, float]:
        """Return the cosine of each entry that has a vector, by key."""
        pairs = ((key, vector) for key, vector in self._vectors.items() if key in self._entries)
        return {key: fsum(a * b for a, b in zip(asked, vector, strict=True)) for key, vector in pairs}

    def nearest(self, asked: Vector, k: int) -> list[Ranked]:
        """Return the ``k`` best entries by their cosines alone, best first; the cosine is the score."""
        return [Ranked(self._entries[key][0], cosine, cosine) for key, cosine in self._closest(asked, k).pool]

    def hybrid(self, query: str, asked: Vector, k: int) -> list[Ranked]:
        """Return the ``k`` best entries by words and by the vector of the same question, best first."""
        found = self.gathered(query, asked, k)
        ranked = fuse(found.lexical, found.places, found.cosines, over=found.over, most=found.most)
        texts = {item.place.key: self._entries[item.place.key][1] for item in ranked[: pool(k)]}
        return prefer_exact(ranked, texts, query)[:k]

    def gathered(self, query: str, asked: Vector, k: int) -> Gathered:
        """Return what ``fuse`` is given for an answer of ``k``."""
        sought = self.sought(query)
        own = self.scores(sought)
        worded = sorted(own, key=lambda key: (-round(own[key].score, 9), *self._age(key)))[: pool(k)]
        near = self._closest(asked, pool(k))
        places = self._within_reach({*worded, *(key for key, _ in near.pool)})
        return Gathered(
            lexical=combine({key: own[key] for key in worded}, places, sought),
            places=places,
            cosines={place.key: near.all[place.key] for place in places if place.key in near.all},
            over=spread(near.all.values()),
            most=self._ceiling(query),
        )

    def _closest(self, asked: Vector, k: int) -> _Near:
        cosines = self.cosines(asked)
        best = sorted(cosines, key=lambda key: (-round(cosines[key], EXACTNESS), *self._age(key)))[:k]
        return _Near([(key, cosines[key]) for key in best], cosines)

    def _ceiling(self, query: str) -> float:
        wanted = query_terms(query)
        df = {term: len(self._postings.get(term, ())) for term in wanted}
        return ceiling(wanted, df, len(self._entries))

    def _within_reach(self, keys: Iterable[str]) -> list[Place]:
        rows: defaultdict[str, set[int]] = defaultdict(set)
        for key in keys:
            place = self._entries[key][0]
            rows[place.conversation].update(range(place.seq - REACH, place.seq + REACH + 1))
        return [place for place, _ in self._entries.values() if place.seq in rows.get(place.conversation, ())]


class _Near(NamedTuple):
    pool: list[tuple[str, float]]
    all: Mapping[str, float]
