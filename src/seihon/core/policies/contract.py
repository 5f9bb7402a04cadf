"""What every update policy takes and gives. Values are opaque here: policies compare them, nothing else."""

# ruff: noqa: ARG002 - policies share one signature, and not every rule needs all of it

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol, Self

from seihon.core.policies.codes import GUARD_EXPIRED_SECONDS, GUARD_EXPIRED_TURNS, REASON_OF
from seihon.core.policies.reasons import Reason
from seihon.core.values import Dumped, Value


class Outcome(StrEnum):
    """What becomes of a claim."""

    ACCEPT = "accept"
    KEEP = "keep"
    CANDIDATE = "candidate"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome and the rule behind it."""

    outcome: Outcome
    reason: Reason


@dataclass(frozen=True, slots=True)
class Clock:
    """The moment of a decision or a read: the owner's turn, and microseconds since the epoch."""

    turn: int
    at: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One claim as a policy sees it. ``key`` names the claim and means nothing to the policy."""

    value: Value
    confirmed: bool
    turn: int
    at: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """What stands for a field after some claims.

    ``confirmed``, ``turn``, ``at`` and ``key`` are those of the claim the value rests on. ``belief`` is the
    policy's own state, opaque to everybody else; only :meth:`Policy.dump_state` turns it into JSON.
    """

    value: Value
    confirmed: bool
    turn: int
    at: int
    key: str = ""
    belief: object | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What is left of a belief once its value was closed: the probability that it had at ``at`` (us)."""

    probability: float | None
    at: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a read serves at one moment, age limits aside.

    ``value`` is ``None`` when the policy declines to serve, ``reason`` then says why. ``best`` is the value
    it would have served, ``turn``, ``at`` and ``key`` are those of the claim behind it. ``probability`` is
    ``None`` where the policy has none, or where what it followed from is no longer kept.
    """

    value: Value | None
    confirmed: bool
    probability: float | None
    best: Value
    turn: int
    at: int
    key: str
    reason: Reason | None = None


class Policy(Protocol):
    """An update policy: pure, frozen, equal when its parameters are equal."""

    name: ClassVar[str]

    def decide(self, held: Held | None, claim: Evidence, clock: Clock) -> Decision:
        """Say what becomes of ``claim`` at ``clock``."""
        ...

    def apply(self, held: Held | None, claim: Evidence, clock: Clock) -> Held | None:
        """Return what stands after ``claim``. A kept claim may still move a belief."""
        ...

    def read(self, held: Held, clock: Clock) -> Reading:
        """Return what is served at ``clock``."""
        ...

    def expired(self, held: Held, clock: Clock) -> Reason | None:
        """Return the guard limit that has passed at ``clock``, if the value is no longer guarded by it."""
        ...

    def bound(self, values: int | None) -> Self:
        """Return the policy told how many values the field can hold (``None``: any number)."""
        ...

    def dump_state(self, held: Held, dump: Callable[[Value], Dumped]) -> object | None:
        """Return ``held.belief`` as JSON data, ``None`` if the policy keeps no state."""
        ...

    def load_state(self, data: object, load: Callable[[object], Value]) -> object | None:
        """Return the state that :meth:`dump_state` wrote, equal to the bit.

        A value that ``load`` refuses by now is left out; of a state kept under other parameters, or of none,
        nothing is left (``None``).
        """
        ...


class OneClaim(ABC):
    """The shared face of policies whose state is one claim; each gives only its ``code``."""

    __slots__ = ()

    @abstractmethod
    def code(self, held_confirmed: int, claim_confirmed: int, age_turns: int, age_us: int) -> int:
        """Return the kernel's answer with the policy's own limits filled in."""

    def decide(self, held: Held | None, claim: Evidence, clock: Clock) -> Decision:
        if held is None:
            return Decision(Outcome.ACCEPT, Reason.FIRST)
        code = self._at(held, claim_confirmed=int(claim.confirmed), clock=clock)
        return Decision(Outcome.ACCEPT if code else Outcome.KEEP, REASON_OF[code])

    def apply(self, held: Held | None, claim: Evidence, clock: Clock) -> Held | None:
        if self.decide(held, claim, clock).outcome is not Outcome.ACCEPT:
            return held
        return Held(claim.value, claim.confirmed, claim.turn, claim.at, claim.key)

    def read(self, held: Held, clock: Clock) -> Reading:
        return Reading(held.value, held.confirmed, None, held.value, held.turn, held.at, held.key)

    def expired(self, held: Held, clock: Clock) -> Reason | None:
        # Asked with the claim that a guard is there to stop: an inference, now.
        code = self._at(held, claim_confirmed=0, clock=clock)
        return REASON_OF[code] if code in (GUARD_EXPIRED_TURNS, GUARD_EXPIRED_SECONDS) else None

    def bound(self, values: int | None) -> Self:
        return self

    def dump_state(self, held: Held, dump: Callable[[Value], Dumped]) -> object | None:
        return None

    def load_state(self, data: object, load: Callable[[object], Value]) -> object | None:
        return None

    def _at(self, held: Held, *, claim_confirmed: int, clock: Clock) -> int:
        turns, us = age(held.turn, held.at, clock)
        return self.code(int(held.confirmed), claim_confirmed, turns, us)


def age(turn: int, at: int, clock: Clock) -> tuple[int, int]:
    """Return the age in turns and microseconds; what lies ahead of the clock has no age yet."""
    return max(0, clock.turn - turn), max(0, clock.at - at)
