"""Fusion: words and vectors in one score, so that neither hides what the other finds.

    score = (1 - WEIGHT) * coverage + WEIGHT * (nearness + what neighbours lend of theirs)

*Coverage* is the score of ``rank.combine`` as a share of what an entry could reach at most that holds every
word of the question, words that no entry holds included: a question in other words than the answer's covers
little, and leaves the choice to the vectors. *Nearness* is how far an entry's cosine stands above the
owner's mean, in their standard deviations; below the mean it is next to nothing, enough for an order.
Models differ in where their cosines lie (one has 0.7 to 0.9 for all there is); this does not depend on it.

As in ``rank``, neighbours lend when a question is asked: a vector is that of one entry's own text.

The order of a search: the best ``rank.pool(k)`` entries by words as in ``rank``, and as many by cosine (to
``EXACTNESS``, then newest, then key), exactly and within the owner -> places within ``rank.REACH`` of
either -> ``rank.combine`` over all of these places -> their cosines, and the ``Spread`` over all the owner's
-> ``fuse`` -> ``rank.prefer_exact`` -> cut to ``k``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import fsum, sqrt
from typing import Final, NamedTuple

from seihon.core.rank import K1, MAX_SOUGHT, REACH, Place, Ranked, idf, order

WEIGHT: Final = 0.25
"""What vectors count beside words."""

DEVIATIONS: Final = 6.0
"""Standard deviations above the mean at which nearness is 1."""

FAINT: Final = 0.01
"""Nearness of the greatest cosine there can be, were it not above the mean; of the least it is 0."""

SHARES: Final = (0.3, 0.15)
"""What the first and second neighbour on a side lend of their nearness."""

EXACTNESS: Final = 6
"""Decimals of a cosine that count: databases sum 32-bit products in different orders."""


class Spread(NamedTuple):
    """Mean and standard deviation (the population's) of a question's cosines with all vectors of an owner."""

    mean: float
    deviation: float


def spread(cosines: Iterable[float]) -> Spread:
    """Return the spread of these cosines; two zeros for none."""
    values = list(cosines)
    if not values:
        return Spread(0.0, 0.0)
    mean = fsum(values) / len(values)
    return Spread(mean, sqrt(fsum((value - mean) ** 2 for value in values) / len(values)))


def ceiling(query: Mapping[str, float], df: Mapping[str, int], n: int) -> float:
    """Return what no entry's own score can exceed: every term of the query held any number of times.

    The arguments are those of ``rank.seek``; unlike there, a term that no entry holds counts.
    """
    weights = sorted((share * idf(df.get(term, 0), n) for term, share in query.items()), reverse=True)
    return (K1 + 1.0) * fsum(weights[:MAX_SOUGHT])


def nearness(cosine: float, over: Spread) -> float:
    """Return how near an entry of this cosine is: ``FAINT`` at most up to the mean, then about 1 at
    ``DEVIATIONS`` above it. Grows with the cosine, and is above 0 unless that is -1.
    """
    value, mean, deviation = (round(number, EXACTNESS) for number in (cosine, *over))
    above = max(0.0, value - mean) / (DEVIATIONS * deviation) if deviation > 0 else 0.0
    return above + FAINT * max(0.0, 1.0 + value) / 2.0


def fuse(
    lexical: Iterable[Ranked],
    places: Iterable[Place],
    cosines: Mapping[str, float],
    *,
    over: Spread,
    most: float,
) -> list[Ranked]:
    """Rank entries by words and vectors together. Best first, by ``rank.order``.

    ``lexical`` is what ``rank.combine`` gave, ``most`` the query's ``ceiling``. ``cosines`` holds those of
    the candidates by key; an entry that is missing there (its vector is not made yet) is judged by its words
    alone, and without any the order is the lexical one. ``places`` holds every live entry that has a cosine,
    and those within ``REACH`` of one; a cosine without a place is left out. More places do no harm.
    """
    worded = {item.place.key: item for item in lexical}
    near = {key: nearness(cosine, over) for key, cosine in cosines.items()}
    found: list[Ranked] = []
    for row in _rows(chain(places, (item.place for item in worded.values()))):
        own = [near.get(place.key, 0.0) for place in row]
        for index, place in enumerate(row):
            item = worded.get(place.key)
            score, part = (item.score, item.own) if item is not None else (0.0, 0.0)
            total = _mixed(score, most, own[index] + _lent(row, own, index))
            if total > 0:
                found.append(Ranked(place, total, _mixed(part, most, own[index])))
    return sorted(found, key=order)


def _mixed(words: float, most: float, near: float) -> float:
    coverage = words / most if most > 0 else 0.0
    return (1.0 - WEIGHT) * coverage + WEIGHT * near


def _rows(places: Iterable[Place]) -> Iterable[list[Place]]:
    """Return the places of each conversation in the order in which they stand there, each once."""
    rows: dict[str, dict[str, Place]] = {}
    for place in places:
        rows.setdefault(place.conversation, {})[place.key] = place
    return (sorted(row.values(), key=lambda place: (place.seq, place.key)) for row in rows.values())


def _lent(row: Sequence[Place], own: Sequence[float], index: int) -> float:
    """Return what the neighbours of one entry of a row lend it."""
    lent = 0.0
    for step, share in enumerate(SHARES, start=1):
        for giver in (index - step, index + step):
            if 0 <= giver < len(row) and abs(row[giver].seq - row[index].seq) <= REACH:
                lent += share * own[giver]
    return lent
