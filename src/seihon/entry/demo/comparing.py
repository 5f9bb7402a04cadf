"""The same claims under every policy: what each would decide, by the functions that decide in earnest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from seihon.core.policies import Clock, Evidence, Policy, Reason, make, parameters_of
from seihon.core.schema import Field
from seihon.model import Claim, us

POLICIES: Final = ("naive", "guard", "guard_ttl", "belief")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one policy decides on an inference. ``value`` stands after it; ``probability`` for belief."""

    policy: str
    when: str
    outcome: str
    reason: str
    text: str
    value: str
    probability: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def verdicts(
    field: Field, confirmed: Claim, inferred: str, *, turn: int, moments: dict[str, datetime]
) -> Iterator[Verdict]:
    """Yield what each policy makes of an inference that comes at each of the moments."""
    first = Evidence(
        field.parse(confirmed.value), True, confirmed.turn, us(confirmed.observed_at), confirmed.id
    )
    for when, at in moments.items():
        second = Evidence(field.parse(inferred), False, turn, us(at), "inference")
        for name in POLICIES:
            yield _verdict(_policy(name, field), first, second, when)


def _policy(name: str, field: Field) -> Policy:
    """Return a policy for the field: its own with its own limits, the others as they come."""
    params = parameters_of(field.policy) if field.policy.name == name else {}
    return make(name, {key: value for key, value in params.items() if key != "values"}).bound(
        field.type.cardinality()
    )


def _verdict(policy: Policy, first: Evidence, second: Evidence, when: str) -> Verdict:
    before = policy.apply(None, first, Clock(first.turn, first.at))
    clock = Clock(second.turn, second.at)
    decision = policy.decide(before, second, clock)
    after = policy.apply(before, second, clock) or before
    reading = None if after is None else policy.read(after, clock)
    return Verdict(
        policy.name,
        when,
        decision.outcome.value,
        decision.reason.value,
        Reason(decision.reason).text(),
        "(blank)" if reading is None or reading.value is None else str(reading.value),
        None if reading is None else reading.probability,
    )
