"""Policies on simulated people: the draws behind published figures give the same figures, to the digit.

A world of twenty fields over 2,000 turns: in each turn every value may change, then one field is mentioned,
by the person in a quarter of the cases and otherwise by an inference that is wrong one time in five.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import pytest

from seihon.core.policies import Clock, Evidence, Held, Policy, make

TURNS, FIELDS = 2_000, 20
VALUES = "abcd"


@dataclass(frozen=True)
class World:
    """What was true at first and at last, and all claims between: (field, claim)."""

    first: list[str]
    claims: list[tuple[int, Evidence]]
    last: list[str]


def world(seed: int, rates: Sequence[float]) -> World:
    """Draw a world; the order of the draws is part of the published figures."""
    rng = random.Random(seed)
    truth = [rng.choice(VALUES) for _ in range(FIELDS)]
    first, claims = list(truth), list[tuple[int, Evidence]]()

    def other(than: str) -> str:
        return rng.choice([value for value in VALUES if value != than])

    for turn in range(1, TURNS + 1):
        for field, rate in enumerate(rates):
            if rng.random() < rate:
                truth[field] = other(truth[field])
        field = rng.choice(range(FIELDS))
        confirmed = rng.random() < 0.25
        told = truth[field] if confirmed or rng.random() > 0.2 else other(truth[field])
        claims.append((field, Evidence(told, confirmed, turn, 0)))
    return World(first, claims, truth)


def hits(policies: Sequence[Policy], seen: World) -> int:
    """How many fields end with the true value, each under its own policy."""
    held: list[Held | None] = [Held(value, confirmed=True, turn=0, at=0) for value in seen.first]
    for field, claim in seen.claims:
        held[field] = policies[field].apply(held[field], claim, Clock(claim.turn, 0))
    served = (policies[field].read(h, Clock(TURNS, 0)).value for field, h in enumerate(held) if h is not None)
    return sum(value == true for value, true in zip(served, seen.last, strict=True))


def same(name: str, **params: object) -> list[Policy]:
    return list(repeat(make(name, params), FIELDS))


def percent(found: int, trials: int) -> float:
    return round(100 * found / (trials * FIELDS), 1)


def test_the_volatile_row_of_the_uniform_table_to_the_digit() -> None:
    columns = {
        "naive": (same("naive"), 68.9),
        "guard": (same("guard"), 52.5),
        "ttl 50": (same("guard_ttl", ttl_turns=50), 66.5),
        "ttl 100": (same("guard_ttl", ttl_turns=100), 60.0),
        "ttl 200": (same("guard_ttl", ttl_turns=200), 54.8),
        "ttl 400": (same("guard_ttl", ttl_turns=400), 53.0),
    }
    found = dict.fromkeys(columns, 0)
    for seed in range(40):
        seen = world(seed, [0.016] * FIELDS)
        for name, (policies, _) in columns.items():
            found[name] += hits(policies, seen)
    assert {name: percent(n, 40) for name, n in found.items()} == {
        name: published for name, (_, published) in columns.items()
    }


MIXED = [0.001] * 8 + [0.004] * 6 + [0.016] * 6
"""Eight fields that hardly change, six that change as most do, six that change often."""


def mixed_policies() -> dict[str, tuple[list[Policy], float]]:
    by_hand = [make("guard_ttl", {"ttl_turns": ttl}) for ttl in [200] * 8 + [50] * 6 + [15] * 6]
    return {
        "naive": (same("naive"), 76.0),
        "guard": (same("guard"), 76.0),
        "ttl 50": (same("guard_ttl", ttl_turns=50), 79.5),
        "ttl 100": (same("guard_ttl", ttl_turns=100), 79.3),
        "ttl 200": (same("guard_ttl", ttl_turns=200), 77.3),
        "by hand": (by_hand, 81.8),
        "belief": (same("belief", values=len(VALUES)), 84.3),
    }


def test_belief_without_tuning_beats_limits_set_by_hand_for_each_field() -> None:
    policies = mixed_policies()
    worlds = [world(seed, MIXED) for seed in range(24)]
    by_hand = sum(hits(policies["by hand"][0], seen) for seen in worlds)
    belief = sum(hits(policies["belief"][0], seen) for seen in worlds)
    assert belief >= by_hand + 0.01 * len(worlds) * FIELDS


def test_belief_on_values_it_was_not_told_of_is_nearly_as_good() -> None:
    worlds = [world(seed, MIXED) for seed in range(12)]
    closed = sum(hits(same("belief", values=len(VALUES)), seen) for seen in worlds)
    unknown = sum(hits(same("belief"), seen) for seen in worlds)
    assert unknown >= closed - 0.02 * len(worlds) * FIELDS


@pytest.mark.deep
def test_the_mixed_table_to_the_digit_and_belief_above_it() -> None:
    policies = mixed_policies()
    found = dict.fromkeys(policies, 0)
    for seed in range(120):
        seen = world(seed, MIXED)
        for name, (chosen, _) in policies.items():
            found[name] += hits(chosen, seen)
    assert {name: percent(n, 120) for name, n in found.items()} == {
        name: published for name, (_, published) in policies.items()
    }
