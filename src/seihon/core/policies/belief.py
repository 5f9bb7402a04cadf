"""``belief``: weigh every claim, and serve the value that all of them together make the most probable.

A hidden-Markov forward filter whose change rate is unknown: it keeps the joint probability of the value and
of how often the value changes, and learns both from the claims. No limit needs to be set by hand.
"""

# ruff: noqa: ARG002 - policies share one signature, and not every rule needs all of it

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

from seihon.core.policies import belief_kernel as kernel
from seihon.core.policies.contract import Clock, Decision, Evidence, Held, Outcome, Reading, Told, age
from seihon.core.policies.params import between
from seihon.core.policies.reasons import Reason
from seihon.core.values import MICROSECONDS, Dumped, Value
from seihon.errors import InvalidArgument, InvalidValue

RATES = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064)
"""Changes per turn: a fact that lasts 2,000 turns … one that lasts 16. One prior serves all fields."""

MOST_SEEN = 32
"""An open field remembers this many values apart; the least probable falls back among the unseen."""


@dataclass(frozen=True, slots=True)
class Support:
    """The claim that a value rests on."""

    confirmed: bool
    turn: int
    at: int
    key: str


@dataclass(frozen=True, slots=True)
class BeliefState:
    """Weights over (rate × value) at one moment; see ``belief_kernel`` for their layout."""

    values: tuple[Value, ...]
    supports: tuple[Support, ...]
    weights: tuple[float, ...]
    turn: int
    at: int


@dataclass(frozen=True, slots=True)
class Belief:
    """Serve the most probable value, or nothing while its probability is below ``serve_at``.

    ``inferred_noise``: how often an inference is wrong. ``confirmed_noise``: how often the person's own word
    is (it wins at once all the same). ``rates``: the change rates per turn that are thought possible.
    ``seconds_per_turn``: silence ages a value as turns do, by default one turn a day, so that somebody who
    returns after months finds the doubt that months deserve. ``values``: how many values the field can hold;
    the field's type says so. Open fields are taken to hold ``open_values``, or one more than were seen.
    """

    name: ClassVar[str] = "belief"
    serve_at: float = 0.0
    inferred_noise: float = 0.2
    confirmed_noise: float = 0.0
    rates: tuple[float, ...] = RATES
    seconds_per_turn: float = 86_400.0
    open_values: int = 20
    values: int | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "serve_at", between("serve_at", self.serve_at, 0.0, 1.0))
        put(self, "inferred_noise", between("inferred_noise", self.inferred_noise, 0.001, 0.5))
        put(self, "confirmed_noise", between("confirmed_noise", self.confirmed_noise, 0.0, 0.4))
        put(self, "seconds_per_turn", between("seconds_per_turn", self.seconds_per_turn, 1.0, 1e12))
        put(self, "rates", _rates(self.rates))
        _count("open_values", self.open_values, 2)
        if self.values is not None:
            _count("values", self.values, 1)

    def decide(self, held: Held | None, claim: Evidence, clock: Clock) -> Decision:
        after = self.apply(held, claim, clock)
        if after.value != claim.value:
            return Decision(Outcome.KEEP, Reason.LESS_PROBABLE)
        if held is None:
            return Decision(Outcome.ACCEPT, Reason.FIRST)
        return Decision(Outcome.ACCEPT, Reason.CONFIRMED if claim.confirmed else Reason.MOST_PROBABLE)

    def apply(self, held: Held | None, claim: Evidence, clock: Clock) -> Held:
        """Return the belief after ``claim``, at the claim's own moment."""
        before = self._state(held) if held is not None else self._blank(claim)
        after = self._observed(before, claim)
        slot = kernel.likeliest(after.weights, self.rates, len(after.values))
        rests = after.supports[slot]
        return Held(after.values[slot], rests.confirmed, rests.turn, rests.at, rests.key, after)

    def read(self, held: Held, clock: Clock) -> Reading:
        if isinstance(held.belief, Told):
            return self._told(held, held.belief, clock)
        state = self._state(held)
        weights = self._aged(state, clock)
        slot = kernel.likeliest(weights, self.rates, len(state.values))
        chance = kernel.probability(weights, self.rates, len(state.values), slot)
        best, rests = state.values[slot], state.supports[slot]
        served = chance >= self.serve_at
        return Reading(
            best if served else None,
            rests.confirmed,
            chance,
            best,
            rests.turn,
            rests.at,
            rests.key,
            None if served else Reason.BELOW_PROBABILITY,
        )

    def _told(self, held: Held, told: Told, clock: Clock) -> Reading:
        """Read a closed value: how its probability aged after it was stored is not known any more."""
        served = told.probability is None or told.probability >= self.serve_at
        return Reading(
            held.value if served else None,
            held.confirmed,
            told.probability if told.at == clock.at else None,
            held.value,
            held.turn,
            held.at,
            held.key,
            None if served else Reason.BELOW_PROBABILITY,
        )

    def expired(self, held: Held, clock: Clock) -> Reason | None:
        return None

    def bound(self, values: int | None) -> Self:
        return replace(self, values=values)

    def dump_state(self, held: Held, dump: Callable[[Value], Dumped]) -> object | None:
        state = self._state(held)
        return {
            "rates": list(self.rates),
            "values": [dump(value) for value in state.values],
            "supports": [[s.confirmed, s.turn, s.at, s.key] for s in state.supports],
            "weights": list(state.weights),
            "turn": state.turn,
            "at": state.at,
        }

    def load_state(self, data: object, load: Callable[[object], Value]) -> object | None:
        read = cast("Mapping[str, Any] | None", data)
        if read is None or tuple(read["rates"]) != self.rates:
            return None
        supports = tuple(Support(*support) for support in read["supports"])
        weights = tuple(float(weight) for weight in read["weights"])
        state = BeliefState(tuple(read["values"]), supports, weights, read["turn"], read["at"])
        return self._loaded(state, load)

    def _blank(self, claim: Evidence) -> BeliefState:
        even = 1.0 / len(self.rates)
        return BeliefState((), (), (even,) * len(self.rates), claim.turn, claim.at)

    def _state(self, held: Held) -> BeliefState:
        if isinstance(held.belief, BeliefState):
            return held.belief
        # Held by another policy until now: the claim behind it is all that is known.
        claim = Evidence(held.value, held.confirmed, held.turn, held.at, held.key)
        return self._observed(self._blank(claim), claim)

    def _unseen(self, slots: int) -> int:
        if self.values is None:
            return max(self.open_values - slots, 1)
        return max(self.values - slots, 0)

    def _aged(self, state: BeliefState, clock: Clock) -> list[float]:
        turns, us = age(state.turn, state.at, clock)
        steps = turns + us / (MICROSECONDS * self.seconds_per_turn)
        weights, slots = list(state.weights), len(state.values)
        kernel.spread(weights, self.rates, slots, self._unseen(slots), steps)
        return weights

    def _observed(self, state: BeliefState, claim: Evidence) -> BeliefState:
        state = self._with_value(state, claim)
        weights = self._aged(state, Clock(claim.turn, claim.at))
        slots, slot = len(state.values), state.values.index(claim.value)
        served = kernel.likeliest(weights, self.rates, slots)
        if claim.confirmed:
            kernel.settle(weights, self.rates, slots, self._unseen(slots), slot, self.confirmed_noise)
        else:
            kernel.weigh(weights, self.rates, slots, self._unseen(slots), slot, self.inferred_noise)
        supports = _supported(state.supports, slot, claim, served=served == slot)
        turn, at = max(state.turn, claim.turn), max(state.at, claim.at)
        return BeliefState(state.values, supports, tuple(weights), turn, at)

    def _with_value(self, state: BeliefState, claim: Evidence) -> BeliefState:
        """Give a value that is seen for the first time a slot, with its share of the unseen."""
        if claim.value in state.values:
            return state
        if self.values is None and len(state.values) >= MOST_SEEN:
            state = _without(state, self._least(state))
        slots = len(state.values)
        unseen = self._unseen(slots)
        share = 1.0 / unseen if unseen else 0.0
        weights: list[float] = []
        for first in range(0, len(state.weights), slots + 1):
            *seen, rest = state.weights[first : first + slots + 1]
            weights += [*seen, rest * share, rest * (1.0 - share)]
        support = Support(claim.confirmed, claim.turn, claim.at, claim.key)
        values, supports = (*state.values, claim.value), (*state.supports, support)
        return replace(state, values=values, supports=supports, weights=tuple(weights))

    def _least(self, state: BeliefState) -> int:
        slots = len(state.values)
        chances = [kernel.probability(state.weights, self.rates, slots, slot) for slot in range(slots)]
        return chances.index(min(chances))

    def _loaded(self, state: BeliefState, load: Callable[[object], Value]) -> BeliefState | None:
        """Type the values of a stored state; one that the field no longer allows falls among the unseen."""
        typed: list[Value] = []
        for value in state.values:
            try:
                typed.append(load(value))
            except InvalidValue:
                state = _without(state, len(typed))
        return replace(state, values=tuple(typed)) if typed else None


def _without(state: BeliefState, slot: int) -> BeliefState:
    """Let one value fall back among the unseen, with its probability."""
    slots = len(state.values)
    weights: list[float] = []
    for first in range(0, len(state.weights), slots + 1):
        row = list(state.weights[first : first + slots + 1])
        row[-1] += row[slot]
        weights += row[:slot] + row[slot + 1 :]
    values = state.values[:slot] + state.values[slot + 1 :]
    supports = state.supports[:slot] + state.supports[slot + 1 :]
    return replace(state, values=values, supports=supports, weights=tuple(weights))


def _supported(
    supports: tuple[Support, ...], slot: int, claim: Evidence, *, served: bool
) -> tuple[Support, ...]:
    # An inference that agrees with what the person said does not take the place of the person's word.
    if served and supports[slot].confirmed and not claim.confirmed:
        return supports
    support = Support(claim.confirmed, claim.turn, claim.at, claim.key)
    return (*supports[:slot], support, *supports[slot + 1 :])


def _rates(rates: object) -> tuple[float, ...]:
    listed = isinstance(rates, (list, tuple))
    if not listed or not 1 <= len(cast("Sequence[object]", rates)) <= 64:
        raise InvalidArgument("rates must list 1 to 64 numbers from 0 to 0.5.", parameter="rates")
    return tuple(between("each of rates", rate, 0.0, 0.5) for rate in cast("Sequence[object]", rates))


def _count(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidArgument(f"{name} must be a whole number, {least} or more.", parameter=name)
