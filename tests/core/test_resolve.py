"""From statements to what stands: in any order of arrival, above the floor, under every policy and type."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.making import bound, every_policy, every_type, statements

from seihon.core.fields import FIELD_TYPES
from seihon.core.policies import Clock, Held, Outcome, Policy, Reason, make
from seihon.core.resolve import Inferred, Position, Resolution, Statement, advance, resolve
from seihon.errors import InvalidArgument

POLICIES = st.sampled_from(every_policy())
KINDS = st.sampled_from(list(FIELD_TYPES))
INFERRED = st.sampled_from(list(Inferred))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Policy, str, list[Statement], dict[str, Any]]:
    """A policy bound to a type, its statements in order, and the field's rules, a floor among them."""
    kind = draw(KINDS)
    found = draw(statements(kind))
    floor = draw(st.none() | st.sampled_from([s.position for s in found])) if found else None
    rules: dict[str, Any] = {"inferred": draw(INFERRED), "floor": floor}
    return bound(draw(POLICIES), kind), kind, found, rules


def fold(held: Held | None, found: list[Statement], policy: Policy, rules: dict[str, Any]) -> Held | None:
    for statement in found:
        held, _ = advance(held, statement, policy=policy, **rules)
    return held


@given(cases())
def test_resolving_all_equals_advancing_one_by_one(case: tuple[Policy, str, list[Statement], Any]) -> None:
    policy, _, found, rules = case
    whole = resolve(found, policy=policy, **rules)
    assert whole.held == fold(None, found, policy, rules)
    assert list(whole.outcomes) == [statement.key for statement in found]


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(
    case: tuple[Policy, str, list[Statement], Any], rng: random.Random
) -> None:
    policy, _, found, rules = case
    shuffled = list(found)
    rng.shuffle(shuffled)
    assert resolve(shuffled, policy=policy, **rules) == resolve(found, policy=policy, **rules)


@given(cases(), st.data())
def test_a_late_statement_gives_what_it_would_have_given_in_order(
    case: tuple[Policy, str, list[Statement], Any], data: st.DataObject
) -> None:
    policy, _, found, rules = case
    late = data.draw(st.integers(0, len(found)))
    arrived = found[:late] + found[late + 1 :] + found[late : late + 1]
    assert resolve(arrived, policy=policy, **rules) == resolve(found, policy=policy, **rules)


@given(cases())
def test_what_is_held_is_a_statement_above_the_floor_that_may_rule(
    case: tuple[Policy, str, list[Statement], Any],
) -> None:
    policy, _, found, rules = case
    result = resolve(found, policy=policy, **rules)
    if result.held is None:
        return
    source = next(statement for statement in found if statement.key == result.held.key)
    assert source.position.reaches(rules["floor"])
    assert source.confirmed or rules["inferred"] is Inferred.ACCEPT
    told = (source.value, source.confirmed, source.turn, source.position.at)
    assert told == (result.held.value, result.held.confirmed, result.held.turn, result.held.at)


@given(cases())
def test_p3_statements_at_or_below_the_floor_leave_no_trace(
    case: tuple[Policy, str, list[Statement], Any],
) -> None:
    policy, _, found, rules = case
    above = [statement for statement in found if statement.position.reaches(rules["floor"])]
    result = resolve(found, policy=policy, **rules)
    assert result.held == resolve(above, policy=policy, **rules).held
    for statement in found:
        barred = not statement.position.reaches(rules["floor"])
        assert (result.outcomes[statement.key].outcome is Outcome.REJECT) == barred
        assert (result.outcomes[statement.key].reason is Reason.BELOW_FLOOR) == barred


@given(cases())
def test_p1_the_newest_word_of_the_person_stands_at_its_moment(
    case: tuple[Policy, str, list[Statement], Any],
) -> None:
    policy, _, found, rules = case
    if not found:
        return
    last = replace(found[-1], confirmed=True)
    held = resolve([*found[:-1], last], policy=policy, **rules).held
    if not last.position.reaches(rules["floor"]):
        return
    assert held is not None
    assert (held.value, held.key, held.confirmed) == (last.value, last.key, True)
    assert policy.read(held, Clock(last.turn, last.position.at)).best == last.value


@given(cases())
def test_an_inference_replaces_a_guarded_value_only_past_a_limit(
    case: tuple[Policy, str, list[Statement], Any],
) -> None:
    policy, _, found, rules = case
    if policy.name not in ("guard", "guard_ttl"):
        return
    held: Held | None = None
    for statement in found:
        after, _ = advance(held, statement, policy=policy, **rules)
        if held is not None and held.confirmed and not statement.confirmed:
            expired = policy.expired(held, Clock(statement.turn, statement.position.at))
            assert after == held or expired is not None
        held = after


@given(cases())
def test_inferences_of_a_field_that_asks_never_become_the_value(
    case: tuple[Policy, str, list[Statement], Any],
) -> None:
    policy, _, found, rules = case
    rules["inferred"] = Inferred.CANDIDATE
    result = resolve(found, policy=policy, **rules)
    confirmed = [statement for statement in found if statement.confirmed]
    assert result.held == resolve(confirmed, policy=policy, **rules).held
    for statement in found:
        if not statement.confirmed and statement.position.reaches(rules["floor"]):
            assert result.outcomes[statement.key].reason is Reason.NEEDS_CONFIRMATION


@given(cases(), st.data())
def test_what_stands_can_be_stored_at_any_point_and_continued(
    case: tuple[Policy, str, list[Statement], Any], data: st.DataObject
) -> None:
    policy, kind, found, rules = case
    kept = every_type()[kind]
    cut = data.draw(st.integers(0, len(found)))
    held = fold(None, found[:cut], policy, rules)
    if held is not None:
        state = json.loads(json.dumps(policy.dump_state(held, kept.dump)))
        value = kept.load(json.loads(json.dumps(kept.dump(held.value))))
        held = replace(held, value=value, belief=policy.load_state(state, kept.load))
    assert fold(held, found[cut:], policy, rules) == resolve(found, policy=policy, **rules).held


def test_p3_a_deleted_correction_brings_neither_the_old_value_nor_a_late_inference_back() -> None:
    def at(seq: int, confirmed: bool, value: str) -> Statement:
        return Statement(f"c{seq}", value, confirmed, seq, Position(seq * 1_000, seq, 1, seq, 0))

    pro, late, correction = at(1, True, "pro"), at(3, False, "pro"), at(5, True, "free")
    for policy in every_policy():
        before = resolve([pro, late, correction], policy=policy).held
        assert before is not None
        assert before.value == "free"
        gone = resolve([pro, late], policy=policy, floor=correction.position)
        assert gone.held is None
        assert {decision.reason for decision in gone.outcomes.values()} == {Reason.BELOW_FLOOR}
        anew = resolve([pro, late, at(6, True, "pro")], policy=policy, floor=correction.position).held
        assert anew is not None
        assert anew.value == "pro"


def test_the_floor_bars_every_claim_of_its_message_version_and_none_of_the_next() -> None:
    floor = Position(10, 4, 2, 7, 0)
    assert not Position(10, 4, 2, 9, 5).reaches(floor)
    assert not Position(10, 4, 1, 9, 5).reaches(floor)
    assert not Position(9, 99, 9, 9, 9).reaches(floor)
    assert Position(10, 4, 3, 0, 0).reaches(floor)
    assert Position(10, 5, 1, 0, 0).reaches(floor)
    assert Position(11, 1, 1, 0, 0).reaches(floor)
    assert Position(0, 0, 0, 0, 0).reaches(None)


def test_statements_at_one_position_are_ordered_by_key() -> None:
    place = Position(1, 1, 1, 1, 0)
    pair = [Statement(key, key, confirmed=True, turn=1, position=place) for key in ("b", "a")]
    held = resolve(pair, policy=make("naive")).held
    assert held is not None
    assert held.key == "b"


def test_one_key_for_two_statements_is_refused() -> None:
    place = Position(1, 1, 1, 1, 0)
    with pytest.raises(InvalidArgument):
        resolve([Statement("a", "x", True, 1, place)] * 2, policy=make("naive"))


def test_no_statement_leaves_nothing_held() -> None:
    assert resolve([], policy=make("naive")) == Resolution(None, {})
