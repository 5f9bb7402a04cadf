"""From the statements about one field to what stands: a fold in order, or one step for the newest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from seihon.core.policies import Clock, Decision, Evidence, Held, Outcome, Policy, Reason
from seihon.core.values import Value
from seihon.errors import InvalidArgument


class Inferred(StrEnum):
    """What a field does with inferences: let the policy judge them, or hold them for the person's word."""

    ACCEPT = "accept"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where a statement stands among all of its owner, independent of when it was processed.

    ``at``: its time in the owner's order (us), which a clock set back does not lower; ``seq`` and
    ``version``: of its message; ``revision``: the commit that wrote it; ``ordinal``: among the claims of that
    commit.
    """

    at: int
    seq: int
    version: int
    revision: int
    ordinal: int

    def reaches(self, floor: Position | None) -> bool:
        """Say whether this is above ``floor``, which bars its own message and all that came before it."""
        if floor is None:
            return True
        return (self.at, self.seq, self.version) > (floor.at, floor.seq, floor.version)


@dataclass(frozen=True, slots=True)
class Statement:
    """One claim with its place. ``key`` is its id, unique among the statements of a field.

    ``observed_at``: when it was said (us), from which its age counts; ``None``: at its position's time.
    """

    key: str
    value: Value
    confirmed: bool
    turn: int
    position: Position
    observed_at: int | None = None

    @property
    def said_at(self) -> int:
        """Return when it was said (us)."""
        return self.position.at if self.observed_at is None else self.observed_at


@dataclass(frozen=True, slots=True)
class Resolution:
    """What stands after all statements, and what became of each when its turn came."""

    held: Held | None = None
    outcomes: Mapping[str, Decision] = field(default_factory=dict[str, Decision])


def resolve(
    statements: Iterable[Statement],
    *,
    policy: Policy,
    inferred: Inferred = Inferred.ACCEPT,
    floor: Position | None = None,
) -> Resolution:
    """Fold ``statements`` in the order of their positions; the order they are given in does not matter.

    Raises ``InvalidArgument`` when two statements carry one key.
    """
    held: Held | None = None
    outcomes: dict[str, Decision] = {}
    for statement in sorted(statements, key=lambda s: (s.position, s.key)):
        if statement.key in outcomes:
            raise InvalidArgument("Each statement of a field must have a key of its own.")
        held, outcomes[statement.key] = advance(
            held, statement, policy=policy, inferred=inferred, floor=floor
        )
    return Resolution(held, outcomes)


def advance(
    held: Held | None,
    statement: Statement,
    *,
    policy: Policy,
    inferred: Inferred = Inferred.ACCEPT,
    floor: Position | None = None,
) -> tuple[Held | None, Decision]:
    """Take one step: ``statement`` must be newer than all that made ``held``."""
    if not statement.position.reaches(floor):
        return held, Decision(Outcome.REJECT, Reason.BELOW_FLOOR)
    if inferred is Inferred.CANDIDATE and not statement.confirmed:
        return held, Decision(Outcome.CANDIDATE, Reason.NEEDS_CONFIRMATION)
    at = statement.said_at
    claim = Evidence(statement.value, statement.confirmed, statement.turn, at, statement.key)
    clock = Clock(statement.turn, at)
    return policy.apply(held, claim, clock), policy.decide(held, claim, clock)
