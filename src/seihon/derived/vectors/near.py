"""The cosines of a question with all of an owner's vectors, and the best entries by them that are live.

Where PostgreSQL has the extension it ranks by itself; elsewhere the vectors are read and NumPy does. Both are
exact, and agree to the decimals that count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from seihon.canonical import nearest, pgvector
from seihon.canonical import vectors as statements
from seihon.canonical.codec import to_json
from seihon.canonical.nearest import DECIMALS, PLACE
from seihon.canonical.scope import Reader
from seihon.core import rank
from seihon.core.fusion import EXACTNESS, Spread, spread
from seihon.models.embedder import Vector


class Near(NamedTuple):
    """The places of the best entries and of what stands beside them, cosines by key, and their spread."""

    places: list[rank.Place]
    cosines: Mapping[str, float]
    over: Spread


def near_in_server(
    tx: Reader, model: str, asked: Vector, *, k: int, docs: Sequence[str], filters: Mapping[str, Any]
) -> Near:
    """Let PostgreSQL rank; ``docs`` are entries whose cosines are wanted in any case."""
    rows = tx.all(
        pgvector.RANKED,
        model=model,
        dim=len(asked),
        question=str(asked.tolist()),
        docs=list(docs),
        pool=rank.pool(k),
        reach=rank.REACH,
        **filters,
    )
    over = {row.part: row.score or 0.0 for row in rows if row.part in (pgvector.MEAN, pgvector.DEVIATION)}
    return Near(
        places=_places(rows),
        cosines={row.doc: row.score for row in rows if row.part in (PLACE, pgvector.COSINE)},
        over=Spread(over[pgvector.MEAN], over[pgvector.DEVIATION]),
    )


def near_by_numpy(
    tx: Reader, model: str, asked: Vector, *, k: int, docs: Sequence[str], filters: Mapping[str, Any]
) -> Near:
    """Read the vectors and rank here; ``docs`` are entries whose cosines are wanted in any case."""
    rows = tx.all(statements.STORED, model=model, dim=len(asked))
    versions = {row.doc: row.version for row in rows}
    cosines: dict[str, float] = {}
    for row, cosine in zip(rows, _cosines(tx, rows, asked), strict=True):
        cosines[row.doc] = max(round(cosine, EXACTNESS), cosines.get(row.doc, -1.0))
    given = [[doc, versions[doc], round(cosine * DECIMALS)] for doc, cosine in cosines.items()]
    found = tx.all(
        nearest.GIVEN,
        model=model,
        cosines=to_json(given),
        pool=rank.pool(k),
        reach=rank.REACH,
        **filters,
    )
    places = _places(found)
    wanted = {*docs, *(place.key for place in places)}
    return Near(
        places=places,
        cosines={doc: cosine for doc, cosine in cosines.items() if doc in wanted},
        over=spread(cosines.values()),
    )


def _cosines(tx: Reader, rows: Sequence[Any], asked: Vector) -> list[float]:
    # Slow to import, and needed by nobody who has no embedder.
    import numpy as np

    data = b"".join(statements.opened(tx, rows))
    if tx.dialect == "sqlite":
        matrix = np.frombuffer(data, "<f4").reshape(len(rows), len(asked))
    else:
        words = np.frombuffer(data, ">f4").reshape(len(rows), statements.ARRAY_HEAD + 2 * len(asked))
        matrix = words[:, statements.ARRAY_HEAD + 1 :: 2].astype("<f4")
    return [float(value) for value in matrix @ np.frombuffer(asked, "f4")]


def _places(rows: Sequence[Any]) -> list[rank.Place]:
    # A note stands in no conversation: each is a row of its own, so that notes lend each other nothing.
    return [
        rank.Place(row.doc, row.conversation or row.doc, row.seq, row.observed_at)
        for row in rows
        if row.part == PLACE
    ]
