"""The search in memory, for one owner: what the databases' answers are measured against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from seihon.core.rank import (
    Own,
    Place,
    Ranked,
    Sought,
    combine,
    pool,
    posting_score,
    prefer_exact,
    seek,
)
from seihon.core.text import query_terms, terms

NOTHING: Final = Own(0.0, 0)


class ReferenceIndex:
    """An index of one owner's entries, with the maths of ``seihon.core.rank`` and no database."""

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
        sought = self.sought(query)
        own = self.scores(sought)
        best = sorted(own, key=lambda key: (-round(own[key].score, 9), *self._age(key)))[: pool(k)]
        places = [place for place, _ in self._entries.values()]
        ranked = combine({key: own[key] for key in best}, places, sought)
        texts = {item.place.key: self._entries[item.place.key][1] for item in ranked[: pool(k)]}
        return prefer_exact(ranked, texts, query)[:k]

    def sought(self, query: str) -> tuple[Sought, ...]:
        """Return what the index looks for when asked ``query``."""
        wanted = query_terms(query)
        df = {term: len(self._postings.get(term, ())) for term in wanted}
        return seek(wanted, df, len(self._entries))

    def scores(self, sought: Sequence[Sought]) -> dict[str, Own]:
        """Return the own score of each entry that holds a sought term, by key."""
        average = sum(self._lengths.values()) / len(self._entries) if self._entries else 0.0
        found: dict[str, Own] = {}
        for item in sought:
            for key, tf in self._postings[item.term].items():
                had = found.get(key, NOTHING)
                gain = posting_score(item.weight, tf, self._lengths[key], average)
                found[key] = Own(had.score + gain, had.held | item.bit)
        return found

    def _age(self, key: str) -> tuple[int, str]:
        return -self._entries[key][0].observed_at, key
