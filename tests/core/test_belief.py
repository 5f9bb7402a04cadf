"""Belief: the filter against a plain one, what time does to it, and what the person's word does to it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.core.making import DAY

from seihon.core.policies import Clock, Evidence, Held, Outcome, Policy, Reason, make
from seihon.core.policies.belief import MOST_SEEN, Belief, BeliefState
from seihon.core.values import MICROSECONDS, Dumped, Value
from seihon.errors import InvalidValue

RATES = (0.001, 0.01, 0.1)


def claim(value: str, turn: int, *, confirmed: bool = False, at: int = 0) -> Evidence:
    return Evidence(value, confirmed, turn, at, f"{value}@{turn}")


# A correction to c after this finds a probability that floating point can hardly hold.
AGREED = [
    *(claim("a", 1), claim("a", 2), claim("c", 3, confirmed=True), claim("a", 4)),
    *(claim("b", 5, confirmed=True), claim("a", 6), claim("a", 7), claim("a", 8)),
    claim("a", 9, confirmed=True),
]


def after(policy: Policy, claims: Sequence[Evidence]) -> Held:
    held: Held | None = None
    for each in claims:
        held = policy.apply(held, each, Clock(each.turn, each.at))
    assert held is not None
    return held


def dump(value: Value) -> Dumped:
    assert isinstance(value, str)
    return value


def load(data: object) -> Value:
    assert isinstance(data, str)
    return data


def state_of(held: Held) -> BeliefState:
    assert isinstance(held.belief, BeliefState)
    return held.belief


def plain_filter(
    values: Sequence[str], claims: Sequence[Evidence], until: int, noise: float
) -> dict[str, float]:
    """The same model written as one would on paper: every value a column, every turn a step."""
    grid = {(rate, value): 1.0 / (len(RATES) * len(values)) for rate in RATES for value in values}
    turn = claims[0].turn

    def step() -> None:
        old = dict(grid)
        for rate, value in grid:
            others = sum(old[rate, other] for other in values if other != value)
            grid[rate, value] = old[rate, value] * (1 - rate) + others * rate / (len(values) - 1)

    for each in claims:
        for _ in range(each.turn - turn):
            step()
        turn, wrong = each.turn, 0.0 if each.confirmed else noise
        for rate, value in grid:
            grid[rate, value] *= 1 - wrong if value == each.value else wrong / (len(values) - 1)
        total = sum(grid.values())
        for cell in grid:
            grid[cell] /= total
    for _ in range(until - turn):
        step()
    return {value: sum(grid[rate, value] for rate in RATES) for value in values}


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[str], list[Evidence]]:
    values = list("abcdef")[: draw(st.integers(2, 6))]
    turn, claims = 0, list[Evidence]()
    for _ in range(draw(st.integers(1, 12))):
        turn += draw(st.integers(1, 30))
        claims.append(claim(draw(st.sampled_from(values)), turn, confirmed=draw(st.booleans())))
    return values, claims


@given(histories(), st.integers(0, 50))
def test_a_few_columns_in_closed_form_equal_all_columns_turn_by_turn(
    history: tuple[list[str], list[Evidence]], idle: int
) -> None:
    values, claims = history
    policy = Belief(rates=RATES, values=len(values))
    until = claims[-1].turn + idle
    reading = policy.read(after(policy, claims), Clock(until, 0))
    expected = plain_filter(values, claims, until, policy.inferred_noise)
    assert reading.probability == pytest.approx(max(expected.values()), abs=1e-9)
    assert expected[str(reading.best)] == pytest.approx(max(expected.values()), abs=1e-9)


@given(histories())
def test_probabilities_stay_probabilities(history: tuple[list[str], list[Evidence]]) -> None:
    values, claims = history
    for policy in (Belief(values=len(values)), Belief(), Belief(confirmed_noise=0.3)):
        weights = state_of(after(policy, claims)).weights
        assert sum(weights) == pytest.approx(1.0)
        assert all(weight >= 0 for weight in weights)


@given(histories(), st.floats(0, 0.4))
@example((list("abc"), AGREED), 2.2250738585e-313)
def test_p1_the_persons_word_wins_at_once_however_much_spoke_against_it(
    history: tuple[list[str], list[Evidence]], noise: float
) -> None:
    values, claims = history
    turn = claims[-1].turn
    for policy in (Belief(values=len(values), confirmed_noise=noise), Belief(confirmed_noise=noise)):
        for told in values:
            correction = claim(told, turn, confirmed=True)
            held = after(policy, claims)
            decision = policy.decide(held, correction, Clock(turn, 0))
            held = policy.apply(held, correction, Clock(turn, 0))
            reading = policy.read(held, Clock(turn, 0))
            assert (held.value, held.key, decision.outcome) == (told, correction.key, Outcome.ACCEPT)
            assert reading.probability is not None
            assert (reading.value, reading.confirmed) == (told, True)
            assert reading.probability >= 1 - noise - 1e-9


@given(histories())
def test_a_stored_state_goes_on_as_if_it_had_never_been_stored(
    history: tuple[list[str], list[Evidence]],
) -> None:
    values, claims = history
    policy = Belief(values=len(values))
    held: Held | None = None
    for each in claims:
        held = policy.apply(held, each, Clock(each.turn, 0))
        stored = json.dumps(policy.dump_state(held, dump))
        again = policy.load_state(json.loads(stored), load)
        held = Held(held.value, held.confirmed, held.turn, held.at, held.key, again)
    assert held == after(policy, claims)


def test_one_inference_does_not_outweigh_the_person_and_several_do() -> None:
    policy = Belief(values=3)
    held = after(policy, [claim("pro", 0, confirmed=True), claim("free", 20)])
    assert (held.value, held.confirmed, held.key) == ("pro", True, "pro@0")
    more = [claim("pro", 0, confirmed=True), *(claim("free", turn) for turn in range(20, 24))]
    held = after(policy, more)
    assert (held.value, held.confirmed, held.key) == ("free", False, "free@23")


def test_decisions_say_what_became_of_the_claim() -> None:
    policy = Belief(values=3)
    held = after(policy, [claim("pro", 0, confirmed=True)])
    cases = {
        Reason.LESS_PROBABLE: claim("free", 1),
        Reason.MOST_PROBABLE: claim("pro", 1),
        Reason.CONFIRMED: claim("free", 1, confirmed=True),
    }
    for reason, each in cases.items():
        decision = policy.decide(held, each, Clock(1, 0))
        assert decision.reason is reason
        assert decision.outcome is (Outcome.KEEP if reason is Reason.LESS_PROBABLE else Outcome.ACCEPT)


def test_a_kept_claim_still_moves_the_belief() -> None:
    policy = Belief(values=3)
    before = after(policy, [claim("pro", 0, confirmed=True)])
    held = policy.apply(before, claim("free", 10), Clock(10, 0))
    sure = policy.read(before, Clock(10, 0)).probability
    less = policy.read(held, Clock(10, 0)).probability
    assert sure is not None
    assert less is not None
    assert held.value == "pro"
    assert less < sure


@pytest.mark.parametrize("clock", [Clock(400, 0), Clock(1, 400 * DAY * MICROSECONDS)], ids=["busy", "away"])
def test_turns_and_silence_both_bring_doubt_until_nothing_is_served(clock: Clock) -> None:
    policy = Belief(values=3, serve_at=0.8)
    held = after(policy, [claim("pro", 1, confirmed=True)])
    assert policy.read(held, Clock(1, DAY * MICROSECONDS)).value == "pro"
    late = policy.read(held, clock)
    assert (late.value, late.best, late.reason) == (None, "pro", Reason.BELOW_PROBABILITY)


def test_a_day_of_silence_counts_as_one_turn_by_default() -> None:
    policy = Belief(values=3)
    held = after(policy, [claim("pro", 1, confirmed=True)])
    by_days = policy.read(held, Clock(1, 30 * DAY * MICROSECONDS)).probability
    by_turns = policy.read(held, Clock(31, 0)).probability
    assert by_days == pytest.approx(by_turns)


def test_a_field_that_changed_often_is_believed_for_a_shorter_time() -> None:
    policy = Belief(values=3)
    steady = [claim("pro", turn, confirmed=True) for turn in range(0, 100, 10)]
    moody = [claim(("pro", "free")[turn // 10 % 2], turn, confirmed=True) for turn in range(0, 100, 10)]
    later = Clock(130, 0)
    sure, unsure = (policy.read(after(policy, each), later).probability for each in (steady, moody))
    assert sure is not None
    assert unsure is not None
    assert sure > 0.8 > unsure


def test_an_open_field_keeps_a_bounded_state_and_never_forgets_what_it_serves() -> None:
    policy = Belief()
    held = after(policy, [claim("home", 0, confirmed=True)])
    for turn in range(1, 200):
        held = policy.apply(held, claim(f"guess {turn}", turn), Clock(turn, 0))
        assert held.value in state_of(held).values
    state = state_of(held)
    assert len(state.values) == len(state.supports) == MOST_SEEN
    assert sum(state.weights) == pytest.approx(1.0)


def test_a_value_taken_over_from_another_policy_counts_as_its_one_claim() -> None:
    policy = Belief(values=3)
    other = Held("pro", confirmed=True, turn=5, at=0, key="pro@5")
    own = after(policy, [claim("pro", 5, confirmed=True)])
    for each in (claim("free", 9), claim("free", 9, confirmed=True)):
        assert policy.apply(other, each, Clock(9, 0)) == policy.apply(own, each, Clock(9, 0))
    assert policy.read(other, Clock(9, 0)) == policy.read(own, Clock(9, 0))


def test_a_field_with_one_possible_value_is_certain_of_it() -> None:
    policy = Belief(values=1)
    held = after(policy, [claim("only", 0), claim("only", 500)])
    assert policy.read(held, Clock(900, 0)).probability == pytest.approx(1.0)


def test_more_values_than_were_declared_are_still_weighed() -> None:
    policy = Belief(values=2)
    claims = [claim("a", 0, confirmed=True), claim("b", 3), claim("c", 6), claim("d", 7, confirmed=True)]
    held = after(policy, claims)
    assert held.value == "d"
    assert sum(state_of(held).weights) == pytest.approx(1.0)


def test_a_state_survives_a_value_that_the_schema_dropped() -> None:
    policy = Belief(values=3)
    held = after(policy, [claim("free", 0), claim("gone", 2), claim("pro", 4, confirmed=True)])

    def load_two(data: object) -> Value:
        if data == "gone":
            raise InvalidValue("The value must be one of free, pro.")
        return load(data)

    stored = json.loads(json.dumps(policy.dump_state(held, dump)))
    state = policy.load_state(stored, load_two)
    assert isinstance(state, BeliefState)
    assert state.values == ("free", "pro")
    assert sum(state.weights) == pytest.approx(1.0)
    kept = Held(held.value, held.confirmed, held.turn, held.at, held.key, state)
    assert policy.read(kept, Clock(30, 0)).probability == policy.read(held, Clock(30, 0)).probability


def test_a_state_kept_under_other_change_rates_is_not_mistaken_for_ones_own() -> None:
    held = after(Belief(values=3), [claim("pro", 0)])
    stored = Belief(values=3).dump_state(held, dump)
    assert Belief(values=3, rates=(0.01,)).load_state(stored, load) is None
    assert Belief(values=3, rates=tuple(reversed(Belief().rates))).load_state(stored, load) is None


def test_policies_of_one_claim_keep_no_state() -> None:
    policy = make("guard")
    held = after(policy, [claim("pro", 0, confirmed=True)])
    assert policy.dump_state(held, dump) is None
    assert policy.load_state(None, load) is None
    assert Belief().load_state(None, load) is None
