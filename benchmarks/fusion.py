"""Sweep the constants of ``seihon.core.fusion`` over data sets, beside other ways to combine two rankings.

    python benchmarks/fusion.py --data FILE [--data FILE ...] [--embedder local] [--keep FOLDER] [--nameless]

A line for each setting: recall@10 over the scored questions of each file, and R@1. The first lines are words
alone, vectors alone, and reciprocal rank fusion of both. Constants are set one at a time around the defaults.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import hybrid
from locomo import ANSWERABLE, Question
from retrieval import DEPTH, Score, figures, taken_in
from seihon.core import fusion
from seihon.core.rank import Ranked, prefer_exact
from seihon.models.embedder import Kind, embedder
from seihon.testing.hybrid import Gathered

SWEPT: Final[Mapping[str, Sequence[Any]]] = {
    "WEIGHT": (0.1, 0.15, 0.2, 0.3, 0.35, 0.4, 0.5),
    "DEVIATIONS": (4.0, 5.0, 7.0, 8.0),
    "SHARES": ((), (0.2,), (0.3,), (0.4, 0.2), (0.4, 0.2, 0.1), (0.6, 0.4, 0.2)),
}
RANK_CONSTANT: Final = 60
"""The constant of reciprocal rank fusion, as it was published."""

RANKED: Final = 100
"""How many entries of each ranking it is given."""

Combine = Callable[["Case"], list[Ranked]]


class Case(NamedTuple):
    """One question with all that a way of combining may look at."""

    question: Question
    found: Gathered
    words: list[Ranked]
    deep: list[Ranked]
    nearest: list[Ranked]
    texts: Mapping[str, str]


def cases(data: Any, vectors: hybrid.Vectors, *, named: bool) -> list[Case]:
    """Return every scored question of a file."""
    gathered: list[Case] = []
    for sample in taken_in(data)[0]:
        index = hybrid.filled(sample, vectors, named=named)
        texts = {turn.id: turn.content for turn in sample.turns}
        asked = [question for question in sample.questions if question.category in ANSWERABLE]
        everything = vectors.of([question.text for question in sample.questions], Kind.QUERY)
        by_text = dict(zip((question.text for question in sample.questions), everything, strict=True))
        for question in asked:
            vector = by_text[question.text]
            found = index.gathered(question.text, vector, DEPTH)
            words, deep = index.search(question.text, DEPTH), index.search(question.text, RANKED)
            nearest = index.nearest(vector, RANKED)
            gathered.append(Case(question, found, words, deep, nearest, texts))
    return gathered


def fused(case: Case) -> list[Ranked]:
    """Combine by the constants as they stand."""
    found = case.found
    ranked = fusion.fuse(found.lexical, found.places, found.cosines, over=found.over, most=found.most)
    return prefer_exact(
        ranked, {item.place.key: case.texts[item.place.key] for item in ranked[:100]}, case.question.text
    )


def reciprocal(case: Case) -> list[Ranked]:
    """Combine by ranks alone."""
    total: defaultdict[str, float] = defaultdict(float)
    places = {item.place.key: item.place for item in (*case.deep, *case.nearest)}
    for ranked in (case.deep, case.nearest):
        for rank, item in enumerate(ranked, start=1):
            total[item.place.key] += 1.0 / (RANK_CONSTANT + rank)
    return [
        Ranked(places[key], score, score) for key, score in sorted(total.items(), key=lambda pair: -pair[1])
    ]


def settings() -> Iterator[tuple[str, Combine]]:
    """Yield each way with its name; constants are set while theirs is measured."""
    yield "words", lambda case: case.words
    yield "vectors", lambda case: case.nearest
    yield "reciprocal ranks", reciprocal
    yield "default", fused
    for name, values in SWEPT.items():
        before = getattr(fusion, name)
        for value in values:
            setattr(fusion, name, value)
            yield f"{name} = {value}", fused
        setattr(fusion, name, before)


def measured(asked: Sequence[Case], combine: Combine) -> str:
    """Return the two figures of one file as they are printed."""
    scores = [_scored(case, [item.place.key for item in combine(case)[:DEPTH]]) for case in asked]
    found = figures(scores)
    return f"{found['recall_at_10']:>10.4f}{found['recall_at_1']:>10.4f}"


def _scored(case: Case, hits: Sequence[str]) -> Score:
    wanted = case.question.evidence
    ranks = tuple(hits.index(ident) + 1 for ident in wanted if ident in hits)
    return Score(case.question.category, len(wanted), ranks)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Sweep the constants of the fusion.")
    parser.add_argument("--data", required=True, type=Path, action="append", help="as for retrieval.py")
    parser.add_argument("--embedder", default="local")
    parser.add_argument("--keep", type=Path, help="a folder that keeps vectors between runs")
    parser.add_argument("--nameless", action="store_true", help="embed turns without their speakers' names")
    options = parser.parse_args(arguments)
    vectors = hybrid.Vectors(embedder(options.embedder), options.keep)
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in options.data}
    asked = {name: cases(data, vectors, named=not options.nameless) for name, data in files.items()}
    print(f"{'':28}" + "".join(f"{name[:18]:>20}" for name in asked))
    print(f"{'':28}" + f"{'R@10':>10}{'R@1':>10}" * len(asked))
    for name, combine in settings():
        print(f"{name:28}" + "".join(measured(found, combine) for found in asked.values()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
