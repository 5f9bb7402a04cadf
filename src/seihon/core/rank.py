"""Ranking: BM25 over an owner's own entries, neighbours in the conversation, and a deterministic order.

The database sums what a posting weighs; everything around the sum is here, so that both databases order
alike. Per posting of a term with frequency ``tf`` in an entry of ``length`` terms:

    weight * tf * (K1 + 1) / (tf + base + slope * length)        base, slope = norm(average)

A turn of a conversation is often found by what was said just before or after it, so an entry's neighbours
give it a share of their score. That happens when a question is asked: an entry holds its own text only,
and deleting a neighbour leaves nothing behind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Final

from .text import normalise, query_terms, terms

K1: Final = 0.9
B: Final = 0.3
NEIGHBOUR: Final = 0.6
REACH: Final = 3
"""How far apart, in sequence numbers, two entries may stand and be neighbours (deletions leave gaps)."""
EXACT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: its opaque key, conversation, sequence and time of observation (us)."""

    key: str
    conversation: str
    seq: int
    observed_at: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with its score; ``own`` is the part that its own text gave."""

    place: Place
    score: float
    own: float


def idf(df: int, n: int) -> float:
    """Return the weight of a term that ``df`` of ``n`` entries hold; above 0, falling in ``df``."""
    return log(1.0 + (n - df + 0.5) / (df + 0.5))


def term_weights(query: Mapping[str, float], df: Mapping[str, int], n: int) -> dict[str, float]:
    """Return the weight of each query term that some entry holds (``df`` > 0)."""
    return {term: share * idf(df[term], n) for term, share in query.items() if df.get(term, 0) > 0}


def norm(average: float) -> tuple[float, float]:
    """Return ``(base, slope)`` of the length norm for entries of ``average`` terms."""
    return K1 * (1.0 - B), K1 * B / max(average, 1.0)


def posting_score(weight: float, tf: int, length: int, average: float) -> float:
    """Return what one posting adds to its entry's score: the sum that SQL computes, for one term."""
    base, slope = norm(average)
    return weight * tf * (K1 + 1.0) / (tf + base + slope * length)


def ceiling(query: Mapping[str, float], df: Mapping[str, int], n: int) -> float:
    """Return the score of an average entry that holds every query term once."""
    return sum(share * idf(df.get(term, 0), n) for term, share in query.items())


def coverage(score: float, most: float) -> float:
    """Return how much of a query a score answers, 0 to 1; ``most`` is the query's ``ceiling``."""
    return min(1.0, score / most) if most > 0 else 0.0


def combine(own: Mapping[str, float], places: Iterable[Place]) -> list[Ranked]:
    """Rank entries by their own score and a share of their neighbours'.

    ``own`` maps keys to summed posting scores. ``places`` holds the place of every hit and of every live
    entry within ``REACH`` of one (an entry with no score of its own can be found by its neighbours); more
    does no harm. Best first, in the order of ``order``.
    """
    ranked: list[Ranked] = []
    for row in _conversations(places):
        scores = [own.get(place.key, 0.0) for place in row]
        for index, place in enumerate(row):
            lent = NEIGHBOUR * sum(_lent(row, scores, index))
            if scores[index] + lent > 0:
                ranked.append(Ranked(place, scores[index] + lent, scores[index]))
    return sorted(ranked, key=order)


def prefer_exact(ranked: Sequence[Ranked], texts: Mapping[str, str], query: str) -> list[Ranked]:
    """Raise the entries whose text holds the query's words as they stand; the rest keep their score.

    ``texts`` maps keys to the live text of the candidates that may still be cut. Best first.
    """
    sought = normalise(query).strip()
    if not sought:
        return list(ranked)
    return sorted((_raised(item, texts, sought) for item in ranked), key=order)


def order(item: Ranked) -> tuple[float, int, str]:
    """The one order: score (to 1e-9, so that the order of a sum does not matter), newest, key."""
    return -round(item.score, 9), -item.place.observed_at, item.place.key


def _raised(item: Ranked, texts: Mapping[str, str], sought: str) -> Ranked:
    if sought in normalise(texts.get(item.place.key, "")):
        return replace(item, score=item.score * (1.0 + EXACT))
    return item


def _conversations(places: Iterable[Place]) -> Iterator[list[Place]]:
    rows: defaultdict[str, dict[str, Place]] = defaultdict(dict)
    for place in places:
        rows[place.conversation][place.key] = place
    for row in rows.values():
        yield sorted(row.values(), key=lambda place: (place.seq, place.key))


def _lent(row: list[Place], scores: list[float], index: int) -> Iterator[float]:
    for beside in (index - 1, index + 1):
        if 0 <= beside < len(row) and abs(row[beside].seq - row[index].seq) <= REACH:
            yield scores[beside]


class ReferenceIndex:
    """The same search in memory, for one owner: what the databases' answers are measured against."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Place, str]] = {}
        self._lengths: dict[str, int] = {}
        self._postings: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def add(self, place: Place, text: str) -> None:
        """Add an entry; a key that is there already is replaced."""
        self.remove(place.key)
        counted = terms(text)
        self._entries[place.key] = place, text
        self._lengths[place.key] = counted.total()
        for term, tf in counted.items():
            self._postings[term][place.key] = tf

    def remove(self, key: str) -> None:
        """Remove an entry and every posting of it; an unknown key changes nothing."""
        place_text = self._entries.pop(key, None)
        if place_text is not None:
            del self._lengths[key]
            for term in terms(place_text[1]):
                del self._postings[term][key]

    def search(self, query: str, k: int) -> list[Ranked]:
        """Return the ``k`` best entries, best first."""
        ranked = combine(self.scores(query), (place for place, _ in self._entries.values()))
        texts = {item.place.key: self._entries[item.place.key][1] for item in ranked}
        return prefer_exact(ranked, texts, query)[:k]

    def scores(self, query: str) -> dict[str, float]:
        """Return the own score of each entry that holds a query term, by key."""
        n = len(self._entries)
        average = sum(self._lengths.values()) / n if n else 0.0
        df = {term: len(self._postings.get(term, ())) for term in query_terms(query)}
        summed: defaultdict[str, float] = defaultdict(float)
        for term, weight in term_weights(query_terms(query), df, n).items():
            for key, tf in self._postings[term].items():
                summed[key] += posting_score(weight, tf, self._lengths[key], average)
        return dict(summed)
