"""Ranking: BM25 over an owner's own entries, neighbours in the conversation, and a deterministic order.

The database sums what the postings of an entry weigh; everything around the sum is here, so that both
databases order alike. One posting of a sought term, with frequency ``tf`` in an entry of ``length`` terms:

    weight * tf * (K1 + 1) / (tf + base + slope * length)        base, slope = norm(average)

A turn of a conversation is often found by what was said just before or after it, so an entry's neighbours
give it a share of their score. That happens when a question is asked: an entry holds its own text only,
and deleting a neighbour leaves nothing behind.

The order of a search: ``query_terms`` -> document frequencies -> ``seek`` -> sums and held bits of the best
``pool(k)`` entries -> places within ``REACH`` of them -> ``combine`` -> texts of the best few ->
``prefer_exact`` -> cut to ``k``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from operator import attrgetter
from typing import Final, NamedTuple

from seihon.core.text import normalise, spoken, verbatim

# The plateau on which the figures of benchmarks/retrieval.py hardly move (K1 0.5 to 1.2, B 0 to 0.3).
K1: Final = 0.9
B: Final = 0.2

SHARES: Final = (0.6, 0.4, 0.2)
"""What the first, second and third neighbour on a side give of their score."""

REPEATED: Final = 0.2
"""How much of it counts for a term that the entry, or a nearer neighbour, holds already."""

REACH: Final = 4
"""How far apart, in sequence numbers, neighbours may stand (deletions leave gaps)."""

EXACT: Final = 0.5
"""What an entry gains, as a share of its score, that holds the query as it stands."""

MAX_SOUGHT: Final = 48
"""The most terms of one search, so that the set an entry holds fits a signed 64-bit sum."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A term to look for, what it weighs, and the bit (a power of two) that says an entry holds it."""

    term: str
    weight: float
    bit: int


# A search makes these by the thousand: a named tuple is made in a fifth of a frozen dataclass's time.
class Own(NamedTuple):
    """What an entry's own text gave: the sum of its posting scores and of the bits of its terms."""

    score: float
    held: int


class Place(NamedTuple):
    """Where an entry stands: its opaque key, conversation, sequence and time of observation (us)."""

    key: str
    conversation: str
    seq: int
    observed_at: int


class Ranked(NamedTuple):
    """An entry with its score; ``own`` is the part that its own text gave."""

    place: Place
    score: float
    own: float


def pool(k: int) -> int:
    """Return how many of the best entries by own score are to be combined for an answer of ``k``."""
    return max(100, 4 * k)


def idf(df: int, n: int) -> float:
    """Return the weight of a term that ``df`` of ``n`` entries hold; above 0, falling in ``df``."""
    # An index that holds orphans may count more entries with the term than entries; they hide no live one.
    return log(1.0 + (max(n, df) - df + 0.5) / (df + 0.5))


def seek(query: Mapping[str, float], df: Mapping[str, int], n: int) -> tuple[Sought, ...]:
    """Return what to look for: the terms that some of ``n`` entries hold, weightiest first.

    ``query`` is what ``query_terms`` gave; ``df`` says how many entries hold a term, absent means none.
    At most ``MAX_SOUGHT``, so that a very long query looks for its most telling words.
    """
    weights = {term: share * idf(df[term], n) for term, share in query.items() if df.get(term, 0) > 0}
    first = sorted(weights, key=lambda term: (-weights[term], term))[:MAX_SOUGHT]
    return tuple(Sought(term, weights[term], 1 << index) for index, term in enumerate(first))


def norm(average: float) -> tuple[float, float]:
    """Return ``(base, slope)`` of the length norm for entries of ``average`` terms."""
    return K1 * (1.0 - B), K1 * B / max(average, 1.0)


def posting_score(weight: float, tf: int, length: int, average: float) -> float:
    """Return what one posting adds to its entry's score: the sum that SQL computes, for one term."""
    base, slope = norm(average)
    return weight * tf * (K1 + 1.0) / (tf + base + slope * length)


def combine(own: Mapping[str, Own], places: Iterable[Place], sought: Sequence[Sought]) -> list[Ranked]:
    """Rank entries by their own score and a share of their neighbours'. Best first, by ``order``.

    ``own`` maps the keys of hits to what their text gave. ``places`` holds every hit and every live entry
    within ``REACH`` of one (an entry that holds no term can be found by its neighbours); a hit without a
    place is left out, a place without a score only receives. More places do no harm.
    """
    weigh = _Weigher(sought)
    ranked: list[Ranked] = []
    for row in _conversations(places):
        hits = [own.get(place.key, _NOTHING) for place in row]
        lent = _lent([place.seq for place in row], [hit.held for hit in hits], weigh)
        for place, hit, gained in zip(row, hits, lent, strict=True):
            if hit.score + gained > 0:
                ranked.append(Ranked(place, hit.score + gained, hit.score))
    return sorted(ranked, key=order)


def prefer_exact(ranked: Sequence[Ranked], texts: Mapping[str, str], query: str) -> list[Ranked]:
    """Raise the entries whose text holds the query's words as they stand; the rest keep their score.

    ``texts`` maps keys to the live text of the entries that may still reach the answer. Best first.
    """
    words = spoken(query)
    # Hardly any text holds all words of a question, and making a pattern costs as much as scoring.
    near = {key: text for key, text in _normalised(texts) if all(word in text for word in words)}
    run = verbatim(query) if near else None
    if run is None:
        return sorted(ranked, key=order)
    held = {key for key, text in near.items() if run.search(text)}
    return sorted((_raised(item) if item.place.key in held else item for item in ranked), key=order)


def _normalised(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((key, normalise(text)) for key, text in texts.items())


def order(item: Ranked) -> tuple[float, int, str]:
    """The one order: score (to 1e-9, so that the order of a sum does not matter), newest, key."""
    return -round(item.score, 9), -item.place.observed_at, item.place.key


_NOTHING: Final = Own(0.0, 0)


class _Weigher(dict[int, float]):
    """The weight of a set of terms, by its bits; the same few sets come again and again."""

    def __init__(self, sought: Sequence[Sought]) -> None:
        super().__init__()
        self._sought = sought

    def __missing__(self, held: int) -> float:
        self[held] = weight = sum(item.weight for item in self._sought if item.bit & held)
        return weight


def _raised(item: Ranked) -> Ranked:
    return item._replace(score=item.score * (1.0 + EXACT))


_SPOKEN: Final = attrgetter("seq", "key")


def _conversations(places: Iterable[Place]) -> Iterator[list[Place]]:
    rows: defaultdict[str, dict[str, Place]] = defaultdict(dict)
    for place in places:
        rows[place.conversation][place.key] = place
    for row in rows.values():
        yield sorted(row.values(), key=_SPOKEN)


# Nearest first, and the one before ahead of the one after: (step from giver to receiver, share of the score).
_STEPS: Final = tuple((side * step, share) for step, share in enumerate(SHARES, start=1) for side in (1, -1))


def _lent(seqs: Sequence[int], held: Sequence[int], weigh: _Weigher) -> list[float]:
    """Return what each entry of a row gets from its neighbours: nearest first, little for what it holds.

    Few entries of a row hold a term, so it is they that give, a step at a time, rather than all that ask.
    """
    lent, seen = [0.0] * len(seqs), list(held)
    givers = [index for index, terms_held in enumerate(held) if terms_held]
    for step, share in _STEPS:
        for giver in givers:
            to = giver + step
            if 0 <= to < len(seqs) and abs(seqs[to] - seqs[giver]) <= REACH:
                given, known = held[giver], seen[to]
                lent[to] += share * (weigh[given & ~known] + REPEATED * weigh[given & known])
                seen[to] = known | given
    return lent
