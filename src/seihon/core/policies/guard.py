"""``guard``: an inferred claim does not replace a confirmed value."""

# ruff: noqa: ARG001 - policies share one signature, and not every rule needs all of it

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from seihon.core.policies.codes import CONFIRMED, GUARDED, INFERRED_REPLACES_INFERRED
from seihon.core.policies.contract import OneClaim


def accepts(
    held_confirmed: int, claim_confirmed: int, age_turns: int, age_us: int, ttl_turns: int, ttl_us: int
) -> int:
    """Return the code of the rule that applies; 0 keeps the held value."""
    if claim_confirmed:
        return CONFIRMED
    if not held_confirmed:
        return INFERRED_REPLACES_INFERRED
    return GUARDED


@dataclass(frozen=True, slots=True)
class Guard(OneClaim):
    """The person's word stands until the person says otherwise. Right for facts that hardly ever change."""

    name: ClassVar[str] = "guard"

    def code(self, held_confirmed: int, claim_confirmed: int, age_turns: int, age_us: int) -> int:
        return accepts(held_confirmed, claim_confirmed, age_turns, age_us, -1, -1)
