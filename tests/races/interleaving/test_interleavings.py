"""Any two verbs, and any three, in every order that counts: the six promises hold after each.

At the edges of transactions with at most two interruptions, and for pairs at every named point. The default
suite plays a share of the pairs at the edges, in turn through all verbs; ``make test-deep`` plays everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Final

import pytest
from tests.conftest import DEEP, Backend, Dialect
from tests.races.interleaving.deeds import DEEDS
from tests.races.interleaving.plays import every, play
from tests.races.interleaving.scheduler import Grain
from tests.races.interleaving.stage import World, world_of

Deeds = tuple[str, ...]
Record = Callable[[str, object], None]
PAIRS: Final[Sequence[Deeds]] = tuple(combinations_with_replacement(DEEDS, 2))
# One of each kind: a second edit, deletion or read meets all others in the pairs.
KINDS: Final = (
    "append",
    "edit a source",
    "supersede",
    "infer late",
    "forget a message",
    "forget an owner",
    "rebuild",
    "summarise",
    "work",
    "context",
)
# Each so many-th pair in the default suite: a schedule takes a server three times as long.
SHARE: Final = {Dialect.SQLITE: 5, Dialect.POSTGRES: 17}
PARTS: Final = 6


def run_all(
    world: World,
    chosen: Sequence[Deeds],
    grain: Grain,
    interruptions: int,
    record_property: Record,
) -> None:
    """Run every schedule of each of these, and print how many that were."""
    count = sum(1 for deeds in chosen for _ in every(world, deeds, grain, interruptions=interruptions))
    assert count >= len(chosen)
    at = "points" if grain is Grain.POINTS else "edges"
    bound = f"at most {interruptions} interruptions"
    told = f"{count} schedules of {len(chosen)} sets of verbs at the {at}, {bound}, on {world.dialect}"
    record_property("counted", told)


def test_every_verb_is_answered_when_it_is_alone(backend: Backend) -> None:
    with world_of(backend) as world:
        for deed in DEEDS:
            assert play(world, [deed], (), Grain.POINTS).facts.refused == {}


@pytest.mark.timeout(3_600 if DEEP else 400)
def test_every_pair_at_the_edges_of_transactions(backend: Backend, record_property: Record) -> None:
    with world_of(backend) as world:
        run_all(world, PAIRS[:: 1 if DEEP else SHARE[backend.dialect]], Grain.EDGES, 2, record_property)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("deeds", [("work", "forget a fresh message"), ("context", "forget a message")])
def test_a_pair_at_every_point(backend: Backend, record_property: Record, deeds: Deeds) -> None:
    with world_of(backend) as world:
        run_all(world, [deeds], Grain.POINTS, 1, record_property)


@pytest.mark.deep
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_pair_at_every_point(backend: Backend, record_property: Record, part: int) -> None:
    with world_of(backend) as world:
        run_all(world, PAIRS[part::PARTS], Grain.POINTS, 2, record_property)


@pytest.mark.deep
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("part", range(PARTS))
def test_any_three_at_the_edges_of_transactions(backend: Backend, record_property: Record, part: int) -> None:
    threes: Sequence[Deeds] = tuple(combinations(KINDS, 3))
    with world_of(backend) as world:
        # A server takes three times as long; it differs inside of transactions, where pairs look.
        interruptions = 2 if backend.dialect is Dialect.SQLITE else 1
        run_all(world, threes[part::PARTS], Grain.EDGES, interruptions, record_property)


@pytest.mark.deep
@pytest.mark.timeout(3_600)
def test_twins_and_another_at_the_edges_of_transactions(sqlite_path: Path, record_property: Record) -> None:
    url = f"sqlite:///{sqlite_path}"
    threes = [one for one in combinations_with_replacement(KINDS, 3) if len(set(one)) < 3]
    with world_of(Backend(Dialect.SQLITE, url, url, sqlite_path)) as world:
        run_all(world, threes, Grain.EDGES, 1, record_property)
