"""``naive``: the newest claim is the value."""

# ruff: noqa: ARG001 - policies share one signature, and not every rule needs all of it

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from seihon.core.policies.codes import NEWEST
from seihon.core.policies.contract import OneClaim


def accepts(
    held_confirmed: int, claim_confirmed: int, age_turns: int, age_us: int, ttl_turns: int, ttl_us: int
) -> int:
    """Return the code of the rule that applies; 0 keeps the held value."""
    return NEWEST


@dataclass(frozen=True, slots=True)
class Naive(OneClaim):
    """Last write wins. Right for facts that change faster than people mention them."""

    name: ClassVar[str] = "naive"

    def code(self, held_confirmed: int, claim_confirmed: int, age_turns: int, age_us: int) -> int:
        return accepts(held_confirmed, claim_confirmed, age_turns, age_us, -1, -1)
