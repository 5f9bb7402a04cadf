"""Current, stale and blank: what a read makes of a value that has grown old."""

from __future__ import annotations

import pytest
from tests.core.making import DAY, SHAPES, every_policy, field

from seihon.core.freshness import FreshnessState, Limits, freshness
from seihon.core.policies import Clock, Evidence, Held, Policy, Reason, make
from seihon.core.values import MICROSECONDS
from seihon.errors import InvalidArgument

PRO = Held("pro", confirmed=True, turn=10, at=0, key="c1")
GUESS = Held("pro", confirmed=False, turn=10, at=0, key="c1")
TTL = make("guard_ttl", {"ttl_turns": 15, "ttl_seconds": 30 * DAY})
NONE = Limits()


def state(
    held: Held | None, policy: Policy, limits: Limits, *, turn: int = 10, days: float = 0
) -> tuple[str, Reason | None]:
    found = freshness(held, Clock(turn, int(days * DAY * MICROSECONDS)), limits, policy)
    return str(found.state), found.reason


def test_a_value_is_current_until_past_a_guard_limit_then_stale_and_still_served() -> None:
    assert state(PRO, TTL, NONE, turn=25, days=30) == ("current", None)
    assert state(PRO, TTL, NONE, turn=26) == ("stale", Reason.GUARD_EXPIRED_TURNS)
    assert state(PRO, TTL, NONE, days=31) == ("stale", Reason.GUARD_EXPIRED_SECONDS)
    found = freshness(PRO, Clock(26, 0), NONE, TTL)
    assert found.reading is not None
    assert (found.reading.value, found.age_turns, found.age_seconds) == ("pro", 16, 0.0)


def test_only_what_is_guarded_can_grow_stale() -> None:
    assert state(GUESS, TTL, NONE, turn=900) == ("current", None)
    for name in ("naive", "guard", "belief"):
        assert state(PRO, make(name), NONE, turn=900) == ("current", None)


@pytest.mark.parametrize("policy", every_policy(), ids=repr)
@pytest.mark.parametrize("held", [PRO, GUESS], ids=["confirmed", "inferred"])
def test_blank_limits_apply_to_every_policy_and_to_inferred_values(policy: Policy, held: Held) -> None:
    limits = Limits(blank_after_turns=100, blank_after_seconds=90 * DAY)
    assert state(held, policy, limits, turn=110, days=90)[0] != "blank" or policy.name == "belief"
    found = freshness(held, Clock(111, 0), limits, policy)
    assert found.state is FreshnessState.BLANK
    assert found.reason in (Reason.BLANK_AFTER_TURNS, Reason.BELOW_PROBABILITY)
    assert found.reading is not None
    assert found.reading.best == "pro"
    assert state(held, policy, limits, days=91)[0] == "blank"


def test_blank_outranks_stale() -> None:
    assert state(PRO, TTL, Limits(blank_after_turns=15), turn=26) == ("blank", Reason.BLANK_AFTER_TURNS)


def test_by_default_a_field_reads_blank_once_its_ttl_in_seconds_has_passed() -> None:
    declared = field(SHAPES["enum"], policy="guard_ttl", ttl_turns=15, ttl_seconds=30 * DAY)
    assert declared.limits == Limits(blank_after_seconds=30 * DAY)
    assert state(PRO, declared.policy, declared.limits, turn=26) == ("stale", Reason.GUARD_EXPIRED_TURNS)
    late = state(PRO, declared.policy, declared.limits, days=30.01)
    assert late == ("blank", Reason.BLANK_AFTER_SECONDS)


def test_a_schema_may_say_that_a_field_never_reads_blank() -> None:
    declared = field(SHAPES["enum"], policy="guard_ttl", ttl_seconds=DAY, blank_after_seconds=None)
    assert state(PRO, declared.policy, declared.limits, days=900) == ("stale", Reason.GUARD_EXPIRED_SECONDS)


def test_nothing_held_is_blank_without_an_age() -> None:
    found = freshness(None, Clock(5, 5), NONE, make("naive"))
    assert (found.state, found.reason, found.age_turns, found.age_seconds, found.reading) == (
        FreshnessState.BLANK,
        Reason.NO_VALUE,
        None,
        None,
        None,
    )


def test_a_belief_below_its_threshold_reads_blank_with_the_last_known_value_beside_it() -> None:
    policy = make("belief", {"serve_at": 0.9, "values": 3})
    held = policy.apply(None, Evidence("pro", False, 1, 0, "c1"), Clock(1, 0))
    found = freshness(held, Clock(1, 0), NONE, policy)
    assert (found.state, found.reason) == (FreshnessState.BLANK, Reason.BELOW_PROBABILITY)
    assert found.reading is not None
    assert (found.reading.value, found.reading.best, found.reading.key) == (None, "pro", "c1")
    assert found.reading.probability == pytest.approx(0.8)


def test_a_clock_behind_the_claim_gives_age_zero() -> None:
    found = freshness(PRO, Clock(3, -DAY), Limits(0, 0), TTL)
    assert (found.state, found.age_turns, found.age_seconds) == (FreshnessState.CURRENT, 0, 0.0)


@pytest.mark.parametrize("bad", [{"blank_after_turns": -1}, {"blank_after_seconds": 1.5}])
def test_bad_limits_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(InvalidArgument, match="must be a whole number from 0"):
        Limits(**bad)
