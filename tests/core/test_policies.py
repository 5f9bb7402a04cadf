"""Every rule of every update policy, and what holds for all of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.making import DAY, every_policy

from seihon.core.policies import (
    POLICIES,
    Clock,
    Evidence,
    Held,
    Outcome,
    Policy,
    Reason,
    guard,
    guard_ttl,
    make,
    naive,
    parameters,
    parameters_of,
)
from seihon.core.policies.codes import REASON_OF
from seihon.core.values import MICROSECONDS
from seihon.errors import InvalidArgument

PRO = Held("pro", confirmed=True, turn=10, at=0, key="c1")
GUESS = Held("pro", confirmed=False, turn=10, at=0, key="c1")


def inferred(value: str = "free", turn: int = 11, at: int = 0) -> Evidence:
    return Evidence(value, confirmed=False, turn=turn, at=at, key="c2")


def said(value: str = "free", turn: int = 11, at: int = 0) -> Evidence:
    return Evidence(value, confirmed=True, turn=turn, at=at, key="c2")


def decided(policy: Policy, held: Held | None, claim: Evidence) -> tuple[Outcome, Reason]:
    decision = policy.decide(held, claim, Clock(claim.turn, claim.at))
    return decision.outcome, decision.reason


@pytest.mark.parametrize(
    ("name", "held", "claim", "outcome", "reason"),
    [
        ("naive", PRO, inferred(), Outcome.ACCEPT, Reason.NEWEST),
        ("naive", PRO, said(), Outcome.ACCEPT, Reason.NEWEST),
        ("guard", PRO, inferred(), Outcome.KEEP, Reason.GUARDED),
        ("guard", PRO, inferred(turn=9_999), Outcome.KEEP, Reason.GUARDED),
        ("guard", PRO, said(), Outcome.ACCEPT, Reason.CONFIRMED),
        ("guard", GUESS, inferred(), Outcome.ACCEPT, Reason.INFERRED_REPLACES_INFERRED),
        ("guard", GUESS, said(), Outcome.ACCEPT, Reason.CONFIRMED),
    ],
)
def test_each_rule(name: str, held: Held, claim: Evidence, outcome: Outcome, reason: Reason) -> None:
    assert decided(make(name), held, claim) == (outcome, reason)


@pytest.mark.parametrize("policy", every_policy(), ids=repr)
@pytest.mark.parametrize("claim", [inferred(), said()], ids=["inferred", "said"])
def test_the_first_claim_of_a_blank_field_is_accepted(policy: Policy, claim: Evidence) -> None:
    assert decided(policy, None, claim) == (Outcome.ACCEPT, Reason.FIRST)


def test_a_guard_ends_only_past_its_limit() -> None:
    policy = make("guard_ttl", {"ttl_turns": 15, "ttl_seconds": DAY})
    assert decided(policy, PRO, inferred(turn=25)) == (Outcome.KEEP, Reason.GUARDED)
    assert decided(policy, PRO, inferred(turn=26)) == (Outcome.ACCEPT, Reason.GUARD_EXPIRED_TURNS)
    at = DAY * MICROSECONDS
    assert decided(policy, PRO, inferred(at=at)) == (Outcome.KEEP, Reason.GUARDED)
    assert decided(policy, PRO, inferred(at=at + 1)) == (Outcome.ACCEPT, Reason.GUARD_EXPIRED_SECONDS)


@pytest.mark.parametrize(
    ("params", "claim", "reason"),
    [
        ({"ttl_turns": 15}, inferred(turn=11, at=900 * DAY * MICROSECONDS), Reason.GUARDED),
        ({"ttl_seconds": DAY}, inferred(turn=9_999), Reason.GUARDED),
        ({"ttl_turns": 0}, inferred(turn=11), Reason.GUARD_EXPIRED_TURNS),
        ({"ttl_turns": 0}, inferred(turn=10), Reason.GUARDED),
    ],
)
def test_a_limit_that_is_not_set_never_passes(
    params: dict[str, object], claim: Evidence, reason: Reason
) -> None:
    assert decided(make("guard_ttl", params), PRO, claim)[1] is reason


@pytest.mark.scenario("J11")
@pytest.mark.parametrize("name", ["guard", "guard_ttl"])
def test_repeating_an_inference_does_not_lift_it_over_the_guard(name: str) -> None:
    policy = make(name, {"ttl_turns": 50} if name == "guard_ttl" else {})
    held: Held | None = PRO
    for turn in range(11, 61):
        held = policy.apply(held, inferred(turn=turn), Clock(turn, 0))
    assert held == PRO


def test_an_inference_that_agrees_does_not_renew_the_age_of_a_guarded_value() -> None:
    policy = make("guard_ttl", {"ttl_turns": 15})
    held = policy.apply(PRO, inferred("pro", turn=20), Clock(20, 0))
    assert held == PRO
    assert decided(policy, held, inferred(turn=26)) == (Outcome.ACCEPT, Reason.GUARD_EXPIRED_TURNS)


@pytest.mark.scenario("J10")
def test_an_inference_never_marks_a_confirmed_value_as_inferred() -> None:
    for policy in (make("guard"), make("guard_ttl", {"ttl_turns": 50}), make("belief", {"values": 3})):
        held = policy.apply(None, said("pro", turn=1), Clock(1, 0))
        for turn in range(2, 12):
            held = policy.apply(held, inferred("pro", turn=turn), Clock(turn, 0))
        assert held is not None
        assert (held.value, held.confirmed) == ("pro", True)


ages = st.integers(0, 10**14)


@given(
    held_confirmed=st.integers(0, 1),
    claim_confirmed=st.integers(0, 1),
    turns=st.integers(0, 10**6),
    us=ages,
    ttl_turns=st.integers(-1, 100),
    ttl_us=st.one_of(st.just(-1), ages),
)
def test_kernels_answer_a_known_code_and_guards_differ_only_where_they_should(
    held_confirmed: int, claim_confirmed: int, turns: int, us: int, ttl_turns: int, ttl_us: int
) -> None:
    given_ = (held_confirmed, claim_confirmed, turns, us, ttl_turns, ttl_us)
    codes = [kernel.accepts(*given_) for kernel in (naive, guard, guard_ttl)]
    assert all(0 <= code < len(REASON_OF) for code in codes)
    assert codes[0] > 0
    assert (codes[1] == 0) == (held_confirmed == 1 and claim_confirmed == 0)
    passed = 0 <= ttl_turns < turns or 0 <= ttl_us < us
    assert (codes[2] == 0) == (codes[1] == 0 and not passed)


@pytest.mark.parametrize("policy", every_policy(), ids=repr)
def test_a_policy_is_rebuilt_from_its_name_and_parameters(policy: Policy) -> None:
    assert make(policy.name, parameters_of(policy)) == policy


@pytest.mark.parametrize("policy", every_policy(), ids=repr)
def test_deciding_changes_nothing(policy: Policy) -> None:
    held = policy.apply(None, said("pro", turn=1), Clock(1, 0))
    before = repr(held)
    policy.decide(held, inferred(), Clock(11, 0))
    policy.apply(held, inferred(), Clock(11, 0))
    assert repr(held) == before


@pytest.mark.parametrize(
    ("name", "params", "says"),
    [
        ("newest", {}, "naive, guard, guard_ttl, belief"),
        ("guard", {"ttl_turns": 3}, "it takes none"),
        ("guard_ttl", {"ttl": 3}, "it takes ttl_turns, ttl_seconds"),
        ("guard_ttl", {}, "needs ttl_turns, ttl_seconds or both"),
        ("guard_ttl", {"ttl_turns": -1}, "ttl_turns must be a whole number from 0"),
        ("guard_ttl", {"ttl_turns": 1.5}, "ttl_turns must be a whole number from 0"),
        ("guard_ttl", {"ttl_turns": True}, "ttl_turns must be a whole number from 0"),
        ("guard_ttl", {"ttl_seconds": 10**12}, "ttl_seconds must be a whole number from 0"),
        ("belief", {"serve_at": 1.1}, "serve_at must be a number from 0 to 1"),
        ("belief", {"serve_at": float("nan")}, "serve_at must be a number from 0 to 1"),
        ("belief", {"serve_at": "often"}, "serve_at must be a number from 0 to 1"),
        ("belief", {"inferred_noise": 0}, "inferred_noise must be a number from 0.001 to 0.5"),
        ("belief", {"confirmed_noise": 0.6}, "confirmed_noise must be a number from 0 to 0.4"),
        ("belief", {"rates": []}, "rates must list 1 to 64 numbers"),
        ("belief", {"rates": [0.7]}, "each of rates must be a number from 0 to 0.5"),
        ("belief", {"rates": 0.1}, "rates must list 1 to 64 numbers"),
        ("belief", {"seconds_per_turn": 0}, "seconds_per_turn must be a number from 1"),
        ("belief", {"values": 0}, "values must be a whole number, 1 or more"),
        ("belief", {"open_values": 1}, "open_values must be a whole number, 2 or more"),
    ],
)
def test_a_bad_parameter_is_one_clear_sentence(name: str, params: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        make(name, params)
    assert says in caught.value.message
    assert caught.value.message.endswith(".")


def test_every_reason_has_a_sentence_in_both_languages() -> None:
    for reason in Reason:
        assert reason.text().endswith(".")
        assert reason.text("ja-JP").endswith("。")


def test_the_registry_names_each_policy_as_the_policy_names_itself() -> None:
    for name in POLICIES:
        made = make(name, {"ttl_turns": 1} if name == "guard_ttl" else {})
        assert made.name == name
        assert set(parameters_of(made)) <= set(parameters(name))
