"""How fresh a held value is at one moment: served as it is, served as stale, or blank."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from seihon.core.policies import Clock, Held, Policy, Reading, Reason
from seihon.core.policies.contract import age
from seihon.core.policies.params import limit
from seihon.core.values import MICROSECONDS


class FreshnessState(StrEnum):
    """What a read makes of a held value."""

    CURRENT = "current"
    STALE = "stale"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Limits:
    """Ages past which a field reads blank, under every policy and for inferred values too.

    ``None`` is no limit. A schema that does not say takes ``blank_after_seconds`` from the policy's
    ``ttl_seconds``. An age equal to its limit is still served.
    """

    blank_after_turns: int | None = None
    blank_after_seconds: int | None = None

    def __post_init__(self) -> None:
        limit("blank_after_turns", self.blank_after_turns)
        limit("blank_after_seconds", self.blank_after_seconds)


@dataclass(frozen=True, slots=True)
class Freshness:
    """The state of one field at one moment, the reason when it is not current, and what was read.

    Ages are those of the claim behind the value; they and ``reading`` are ``None`` when nothing is held.
    ``reading.best`` is the last known value of a blank field.
    """

    state: FreshnessState
    reason: Reason | None
    age_turns: int | None
    age_seconds: float | None
    reading: Reading | None


def freshness(held: Held | None, clock: Clock, limits: Limits, policy: Policy) -> Freshness:
    """Judge ``held`` at ``clock``.

    Stale means that a guard limit has passed: an inference may replace the value, which is served until then.
    """
    if held is None:
        return Freshness(FreshnessState.BLANK, Reason.NO_VALUE, None, None, None)
    reading = policy.read(held, clock)
    turns, us = age(reading.turn, reading.at, clock)
    state, reason = FreshnessState.CURRENT, None
    if blank := reading.reason or _too_old(turns, us, limits):
        state, reason = FreshnessState.BLANK, blank
    elif stale := policy.expired(held, clock):
        state, reason = FreshnessState.STALE, stale
    return Freshness(state, reason, turns, us / MICROSECONDS, reading)


def steady_until(held: Held | None, clock: Clock, limits: Limits, policy: Policy, until: int) -> int:
    """Return the first moment after ``clock``, at most ``until`` (us), at which time alone changes a read.

    What has changed by ``until`` is taken to change once in between, as ages do that only grow.
    """
    if held is None:
        return until

    def shown(at: int) -> object:
        found = freshness(held, Clock(clock.turn, at), limits, policy)
        return found.state, found.reason, found.reading and (found.reading.value, found.reading.key)

    now = shown(clock.at)
    if shown(until) == now:
        return until
    same, other = clock.at, until
    while other - same > 1:
        middle = (same + other) // 2
        same, other = (middle, other) if shown(middle) == now else (same, middle)
    return other


def _too_old(turns: int, us: int, limits: Limits) -> Reason | None:
    if limits.blank_after_turns is not None and turns > limits.blank_after_turns:
        return Reason.BLANK_AFTER_TURNS
    if limits.blank_after_seconds is not None and us > limits.blank_after_seconds * MICROSECONDS:
        return Reason.BLANK_AFTER_SECONDS
    return None
