"""The search: what to look for, one scoring statement, neighbours, and the texts of the best few.

The same few statements whatever the number of hits. All run in the reader's one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from seihon.canonical import index
from seihon.canonical import search as statements
from seihon.canonical.codec import to_json
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.scope import Reader
from seihon.core import rank
from seihon.core.fusion import ceiling
from seihon.core.text import query_terms
from seihon.derived.fulltext.entries import ids
from seihon.model import Role

# An exact run raises a score by this factor, so nothing further down can reach the answer.
_RISE: Final = 1.0 + rank.EXACT


class Found(NamedTuple):
    """One hit with its live original. ``own`` is the part of the score that its own words gave, ``near``, if
    those gave none, the part that its own meaning gave.

    ``conversation`` and ``role`` are ``None`` for a note; ``scope`` is ``None`` for a message. Instants are
    microseconds.
    """

    doc: str
    kind: str
    id: str
    score: float
    own: float
    text: str
    version: int
    revision: int
    observed_at: int
    at: int
    conversation: str | None
    seq: int | None
    role: Role | None
    scope: str | None
    near: float = 0.0


class Worded(NamedTuple):
    """What words found: what was sought, the hits by key, their places and those beside them, and the most
    that an entry could have scored."""

    sought: Sequence[rank.Sought]
    own: Mapping[str, rank.Own]
    places: list[rank.Place]
    most: float


def search(
    tx: Reader,
    query: str,
    *,
    k: int,
    conversation: str | None = None,
    kind: str | None = None,
    scopes: Iterable[str] | None = None,
) -> list[Found]:
    """Return the ``k`` best live messages and notes, best first.

    ``kind`` is ``message``, ``note`` or ``None`` for both; ``conversation`` narrows the
    messages, ``scopes`` the notes. A query without any term finds nothing. What was edited and not yet
    indexed again stays silent.
    """
    wanted = query_terms(query)
    if not wanted or k < 1:
        return []
    found = worded(tx, wanted, k=k, filters=filters(conversation=conversation, kind=kind, scopes=scopes))
    return answer(tx, rank.combine(found.own, found.places, found.sought), query, k) if found.sought else []


def filters(*, conversation: str | None, kind: str | None, scopes: Iterable[str] | None) -> dict[str, Any]:
    """Return what narrows a search, as its statements take it."""
    return {
        "kind": kind if conversation is None else "message",
        "conversation": conversation,
        "scoped": 0 if scopes is None else 1,
        "scopes": list(scopes or ()),
    }


def worded(tx: Reader, wanted: Mapping[str, float], *, k: int, filters: Mapping[str, Any]) -> Worded:
    """Return what the terms of a query find; ``wanted`` is what ``query_terms`` gave."""
    entries, tokens = _statistics(tx)
    blinded = {tx.blind(term): share for term, share in wanted.items()}
    df = _frequencies(tx, list(blinded))
    sought, most = rank.seek(blinded, df, entries), ceiling(blinded, df, entries)
    if not sought:
        return Worded((), {}, [], most)
    own, places = _scored(tx, sought, k=k, average=tokens / entries, filters=filters)
    return Worded(sought, own, places, most)


def _statistics(tx: Reader) -> tuple[int, int]:
    row = tx.first(index.STATISTICS)
    return (max(row.documents, 1), row.tokens) if row is not None else (1, 0)


def _frequencies(tx: Reader, terms: list[str]) -> dict[str, int]:
    return {row.term: row.df for row in tx.all(statements.FREQUENCIES, terms=terms)}


def _scored(
    tx: Reader, sought: Sequence[rank.Sought], *, k: int, average: float, filters: Mapping[str, Any]
) -> tuple[dict[str, rank.Own], list[rank.Place]]:
    base, slope = rank.norm(average)
    rows: Sequence[Any] = tx.all(
        statements.SEARCH,
        sought=to_json([[item.term, item.weight, item.bit] for item in sought]),
        base=base,
        slope=slope,
        gain=rank.K1 + 1.0,
        pool=rank.pool(k),
        reach=rank.REACH,
        **filters,
    )
    own: dict[str, rank.Own] = {}
    places: list[rank.Place] = []
    for doc, conversation, seq, observed_at, score, held in rows:
        if held is not None:
            own[doc] = rank.Own(score, held)
        # A note stands in no conversation: each is a row of its own, so that notes lend each other nothing.
        places.append(rank.Place(doc, conversation or doc, seq, observed_at))
    return own, places


def answer(tx: Reader, ranked: Sequence[rank.Ranked], query: str, k: int) -> list[Found]:
    """Return the ``k`` best of what was ranked, with their texts."""
    best = _reachable(ranked, k)
    docs = [item.place.key for item in best]
    rows = {
        row.doc: row for row in tx.all(statements.FOUND, messages=ids(docs, MESSAGE), notes=ids(docs, NOTE))
    }
    texts = {doc: tx.open(row.text) for doc, row in rows.items()}
    final = rank.prefer_exact([item for item in best if item.place.key in rows], texts, query)[:k]
    return [_found(item, rows[item.place.key], texts[item.place.key]) for item in final]


def _reachable(ranked: Sequence[rank.Ranked], k: int) -> list[rank.Ranked]:
    """Return the entries that an exact run could still bring among the first ``k``."""
    if len(ranked) <= k:
        return list(ranked)
    least = ranked[k - 1].score / _RISE
    return [item for item in ranked[: rank.pool(k)] if item.score >= least - 1e-9]


def _found(item: rank.Ranked, row: Any, text: str) -> Found:
    message = item.place.key.startswith(MESSAGE)
    return Found(
        doc=item.place.key,
        kind="message" if message else "note",
        id=row.id,
        score=item.score,
        own=item.own,
        text=text,
        version=row.version,
        revision=row.revision,
        observed_at=row.observed_at,
        at=row.at,
        conversation=row.conversation if message else None,
        seq=row.seq if message else None,
        role=Role(row.role) if message else None,
        scope=None if message else row.scope,
    )
