"""The search by words and by vectors in one order, as `seihon.core.fusion` says.

The same few statements whatever the number of hits: those of the search by words, which set serves, and its
cosines. All run in the reader's one snapshot; the question's vectors were made before.
"""

from __future__ import annotations

from collections.abc import Iterable

from seihon.canonical.scope import Reader
from seihon.canonical.vectors import SERVING
from seihon.core import rank
from seihon.core.fusion import fuse
from seihon.core.text import query_terms
from seihon.derived.fulltext import query as words
from seihon.derived.fulltext.query import Found, Worded
from seihon.derived.vectors import sets
from seihon.derived.vectors.asking import Asked
from seihon.derived.vectors.near import Near, near_by_numpy, near_in_server


def search(
    tx: Reader,
    query: str,
    asked: Asked,
    *,
    k: int,
    conversation: str | None = None,
    kind: str | None = None,
    scopes: Iterable[str] | None = None,
    in_server: bool = False,
) -> list[Found]:
    """Return the ``k`` best live messages and notes, best first; arguments as of the search by words.

    ``asked``: the question's vectors. Without one for the set that serves, words alone are searched.
    ``in_server``: whether the database ranks vectors by itself.
    """
    serving = next((name for name, state in sets.states(tx).items() if state == SERVING), "") if asked else ""
    wanted = query_terms(query)
    if serving not in asked or not wanted or k < 1:
        return words.search(tx, query, k=k, conversation=conversation, kind=kind, scopes=scopes)
    filters = words.filters(conversation=conversation, kind=kind, scopes=scopes)
    worded = words.worded(tx, wanted, k=k, filters=filters)
    near = near_in_server if in_server else near_by_numpy
    docs = [place.key for place in worded.places]
    found = near(tx, serving, asked[serving], k=k, docs=docs, filters=filters)
    return _answer(tx, query, worded, found, k)


def _answer(tx: Reader, query: str, worded: Worded, near: Near, k: int) -> list[Found]:
    places = list({place.key: place for place in (*worded.places, *near.places)}.values())
    lexical = rank.combine(worded.own, places, worded.sought)
    known = {place.key for place in places}
    cosines = {doc: cosine for doc, cosine in near.cosines.items() if doc in known}
    ranked = fuse(lexical, places, cosines, over=near.over, most=worded.most)
    own = {item.place.key: item.own for item in lexical}
    hits = words.answer(tx, ranked, query, k)
    return [
        hit._replace(own=own.get(hit.doc, 0.0), near=0.0 if own.get(hit.doc) else hit.own) for hit in hits
    ]
