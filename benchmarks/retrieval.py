"""Measure evidence recall of the default search: no model, default constants.

    python benchmarks/retrieval.py --data FILE [--json] [--engine product] [--db postgresql://…]
    python benchmarks/retrieval.py --data FILE [--json] --embedder local [--keep FOLDER] [--nameless]

The engine ``product`` is a fresh SQLite file, or with ``--db`` a database that is migrated already, where
each run adds owners of the tenant ``benchmark``; ``reference`` is the same ranking in memory.

``FILE`` is a LoCoMo file (one owner per sample, one conversation per session; each turn's text is its own
words and image captions) or a list of ``{"memory", "query"}`` (one owner holds all memories, one memory
answers each query). Reported: the share of a question's evidence among the first 5 and 10 hits, averaged
over questions (LoCoMo: categories 1 to 4; the fifth apart, under ``by_category``), the mean reciprocal rank
of the first evidence, for the list form also ``r_at_1`` and ``r_at_5``.

With ``--embedder`` three searches are compared in memory, each with the product's own ranking: by words, by
vectors, by both. The figures are those of the last; ``ways`` holds them for each. ``--keep`` keeps vectors
in a folder for the next run; ``--nameless`` embeds turns without their speakers' names. With ``--engine
product`` as well, ``Memory.search`` is measured with vectors of its own, made as the transcript is imported.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import hybrid
from locomo import ANSWERABLE, Question, Sample, Turn, read
from seihon.core.rank import Place
from seihon.memory import Memory
from seihon.models.embedder import Kind, embedder
from seihon.testing.reference import ReferenceIndex
from support import SECRET

DEPTH: Final = 10

Search = Callable[[str], Sequence[str]]
"""Asks one owner; returns the ids of the best ``DEPTH`` turns, best first."""

Engine = Callable[[Sample], Search]
"""Takes a sample in and returns what asks it."""


@dataclass(frozen=True, slots=True)
class Score:
    """One question: ``ranks`` holds the rank of each evidence among the hits, from 1; absent if not found."""

    category: int
    evidence: int
    ranks: tuple[int, ...]

    def recall(self, k: int) -> float:
        """Return the share of the evidence among the first ``k``."""
        return sum(rank <= k for rank in self.ranks) / self.evidence

    @property
    def reciprocal(self) -> float:
        """Return one over the rank of the first evidence, 0 if none was found."""
        return 1.0 / min(self.ranks) if self.ranks else 0.0


@contextmanager
def reference(_db: str | None) -> Generator[Engine]:
    """Offer the in-memory index: what the databases' answers are measured against."""
    yield _in_memory


def _in_memory(sample: Sample) -> Search:
    index = ReferenceIndex()
    for order, turn in enumerate(sample.turns):
        moment = round(turn.created_at.timestamp() * 1_000_000)
        index.add(Place(turn.id, turn.conversation, order, moment), turn.content)
    return lambda query: [item.place.key for item in index.search(query, DEPTH)]


@contextmanager
def product(db: str | None, embedders: Sequence[str] = ()) -> Generator[Engine]:
    """Offer the product: each sample is imported as one owner's transcript, and found by ``search``."""
    with Memory.open(db or ":memory:", tenant="benchmark", secret=SECRET, embedders=embedders) as memory:
        yield partial(_imported, memory, secrets.token_hex(4))


def _imported(memory: Memory, run: str, sample: Sample) -> Search:
    owner = f"{run}-{sample.id}"
    report = memory.import_transcript(owner, [turn.as_line() for turn in sample.turns])
    if report.added != len(sample.turns):
        sys.exit(f"{report.added} of {len(sample.turns)} turns were imported.")
    return lambda query: [hit.id for hit in memory.search(owner, query, k=DEPTH)]


ENGINES: Final[Mapping[str, Callable[[str | None], AbstractContextManager[Engine]]]] = {
    "product": product,
    "reference": reference,
}


def memories(items: Iterable[Mapping[str, str]]) -> Sample:
    """Return a list of memories and their questions as one sample; each memory its own conversation."""
    first = datetime(2024, 1, 1, tzinfo=UTC)
    turns: list[Turn] = []
    questions: list[Question] = []
    for index, item in enumerate(items):
        name = f"m{index}"
        turns.append(Turn(name, name, first + timedelta(days=index), "user", "user", item["memory"]))
        questions.append(Question(item["query"], (name,), 1))
    return Sample("memories", tuple(turns), tuple(questions))


def scored(sample: Sample, search: Search) -> list[Score]:
    """Ask every question of a sample."""
    return [_scored(question, search(question.text)) for question in sample.questions]


def _scored(question: Question, hits: Sequence[str]) -> Score:
    ranks = tuple(hits.index(ident) + 1 for ident in question.evidence if ident in hits)
    return Score(question.category, len(question.evidence), ranks)


def figures(scores: Sequence[Score]) -> dict[str, float]:
    """Return the means over questions; ``questions`` says over how many."""
    count = max(len(scores), 1)
    return {
        "questions": len(scores),
        "recall_at_1": round(sum(score.recall(1) for score in scores) / count, 4),
        "recall_at_5": round(sum(score.recall(5) for score in scores) / count, 4),
        "recall_at_10": round(sum(score.recall(10) for score in scores) / count, 4),
        "mrr": round(sum(score.reciprocal for score in scores) / count, 4),
    }


def taken_in(data: Any) -> tuple[list[Sample], bool]:
    """Return the samples of the data in either form, and whether they are a list of memories."""
    listed = bool(data) and "memory" in data[0]
    return ([memories(data)] if listed else read(data)), listed


def report(data: Any, engine: Engine) -> dict[str, Any]:
    """Measure the data in either form; see the head of this file for the keys."""
    samples, listed = taken_in(data)
    started = time.perf_counter()
    searches = [(sample, engine(sample)) for sample in samples]
    filled = time.perf_counter()
    scores = [score for sample, search in searches for score in scored(sample, search)]
    ended = time.perf_counter()
    return {
        **_tables(scores, listed),
        "turns": sum(len(sample.turns) for sample in samples),
        "index_seconds": round(filled - started, 3),
        "query_ms": round(1000 * (ended - filled) / max(len(scores), 1), 3),
    }


def compared(data: Any, vectors: hybrid.Vectors, *, named: bool) -> dict[str, Any]:
    """Measure words, vectors and both; the time of a query is that of both."""
    samples, listed = taken_in(data)
    scores: dict[str, list[Score]] = {way: [] for way in hybrid.WAYS}
    embedded = asked = 0.0
    for sample in samples:
        started = time.perf_counter()
        index = hybrid.filled(sample, vectors, named=named)
        texts = [question.text for question in sample.questions]
        known = dict(zip(texts, vectors.of(texts, Kind.QUERY), strict=True))
        embedded += time.perf_counter() - started
        for way in hybrid.WAYS:
            started = time.perf_counter()
            scores[way] += scored(sample, lambda q, w=way, i=index, v=known: hybrid.ask(i, w, q, v[q], DEPTH))
        asked += time.perf_counter() - started
    ways = {way: _tables(found, listed) for way, found in scores.items()}
    return {
        **ways["hybrid"],
        "turns": sum(len(sample.turns) for sample in samples),
        "index_seconds": round(embedded, 3),
        "query_ms": round(1000 * asked / max(len(scores["hybrid"]), 1), 3),
        "ways": ways,
    }


def _tables(scores: Sequence[Score], listed: bool) -> dict[str, Any]:
    return {**_table(scores), **(_named_for_lists(scores) if listed else {})}


def _table(scores: Sequence[Score]) -> dict[str, Any]:
    grouped: defaultdict[int, list[Score]] = defaultdict(list)
    for score in scores:
        grouped[score.category].append(score)
    answerable = [score for score in scores if score.category in ANSWERABLE]
    by_category = {str(category): figures(grouped[category]) for category in sorted(grouped)}
    return {**figures(answerable), "by_category": by_category}


def _named_for_lists(scores: Sequence[Score]) -> dict[str, float]:
    found = figures(scores)
    return {"r_at_1": found["recall_at_1"], "r_at_5": found["recall_at_5"]}


def printed(found: Mapping[str, Any]) -> str:
    """Return the report as a small table, or as one for each way."""
    tables = [f"{way}\n{_rows(table)}" for way, table in found.get("ways", {}).items()] or [_rows(found)]
    speed = f"{found['turns']} turns indexed in {found['index_seconds']} s, {found['query_ms']} ms a query"
    return "\n".join([*tables, speed])


def _rows(found: Mapping[str, Any]) -> str:
    head = f"{'':12}{'questions':>10}{'R@1':>8}{'R@5':>8}{'R@10':>8}{'MRR':>8}"
    rows = [("all scored", found), *((f"category {c}", row) for c, row in found["by_category"].items())]
    lines = [
        f"{name:12}{row['questions']:>10}{row['recall_at_1']:>8.3f}{row['recall_at_5']:>8.3f}"
        f"{row['recall_at_10']:>8.3f}{row['mrr']:>8.3f}"
        for name, row in rows
    ]
    return "\n".join([head, *lines])


def main(arguments: Sequence[str]) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Measure evidence recall of the default search.")
    parser.add_argument(
        "--data", required=True, type=Path, help="a LoCoMo file or a list of memory and query"
    )
    parser.add_argument("--engine", choices=sorted(ENGINES))
    parser.add_argument("--db", help="a migrated database for the product, instead of a fresh SQLite file")
    parser.add_argument("--embedder", help="compare words, vectors and both, by the embedder of this name")
    parser.add_argument("--keep", type=Path, help="a folder that keeps vectors between runs")
    parser.add_argument("--nameless", action="store_true", help="embed turns without their speakers' names")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    data = json.loads(options.data.read_text(encoding="utf-8"))
    if options.embedder and options.engine == "product":
        with product(options.db, (options.embedder,)) as engine:
            found = {"engine": "product", "embedder": options.embedder, **report(data, engine)}
    elif options.embedder:
        vectors = hybrid.Vectors(embedder(options.embedder), options.keep)
        kind = {"engine": "memory", "embedder": vectors.embedder.name}
        found = {**kind, **compared(data, vectors, named=not options.nameless)}
    else:
        name = options.engine or "product"
        with ENGINES[name](options.db) as engine:
            found = {"engine": name, **report(data, engine)}
    print(json.dumps(found, ensure_ascii=False) if options.json else printed(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
