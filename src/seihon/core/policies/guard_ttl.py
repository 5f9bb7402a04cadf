"""``guard_ttl``: a guard that ends when the confirmed value has grown old, in turns or in time.

Both limits matter. Turns alone never end the guard of somebody who stays away for a year; time alone lets
the busiest people keep an old value longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from seihon.core.policies.codes import (
    CONFIRMED,
    GUARD_EXPIRED_SECONDS,
    GUARD_EXPIRED_TURNS,
    GUARDED,
    INFERRED_REPLACES_INFERRED,
    NO_LIMIT,
)
from seihon.core.policies.contract import OneClaim
from seihon.core.policies.params import limit
from seihon.core.values import MICROSECONDS
from seihon.errors import InvalidArgument


def accepts(
    held_confirmed: int, claim_confirmed: int, age_turns: int, age_us: int, ttl_turns: int, ttl_us: int
) -> int:
    """Return the code of the rule that applies; 0 keeps the held value. A negative limit is no limit.

    A value exactly as old as its limit is still guarded.
    """
    if claim_confirmed:
        return CONFIRMED
    if not held_confirmed:
        return INFERRED_REPLACES_INFERRED
    if ttl_turns >= 0 and age_turns > ttl_turns:
        return GUARD_EXPIRED_TURNS
    if ttl_us >= 0 and age_us > ttl_us:
        return GUARD_EXPIRED_SECONDS
    return GUARDED


@dataclass(frozen=True, slots=True)
class GuardTtl(OneClaim):
    """A guard for ``ttl_turns`` turns or ``ttl_seconds`` seconds, whichever pass first.

    A quarter of the fact's usual lifetime is a good limit. Raises ``InvalidArgument`` without any limit.
    """

    name: ClassVar[str] = "guard_ttl"
    ttl_turns: int | None = None
    ttl_seconds: int | None = None

    def __post_init__(self) -> None:
        limit("ttl_turns", self.ttl_turns)
        limit("ttl_seconds", self.ttl_seconds)
        if self.ttl_turns is None and self.ttl_seconds is None:
            raise InvalidArgument(
                "guard_ttl needs ttl_turns, ttl_seconds or both; without a limit use guard."
            )

    def code(self, held_confirmed: int, claim_confirmed: int, age_turns: int, age_us: int) -> int:
        turns = NO_LIMIT if self.ttl_turns is None else self.ttl_turns
        us = NO_LIMIT if self.ttl_seconds is None else self.ttl_seconds * MICROSECONDS
        return accepts(held_confirmed, claim_confirmed, age_turns, age_us, turns, us)
