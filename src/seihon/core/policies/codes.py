"""What a kernel answers: a small integer, so that the same function runs compiled over millions of turns.

Zero keeps the held value; every other code accepts the claim. ``REASON_OF[code]`` is its stable word.
"""

from __future__ import annotations

from seihon.core.policies.reasons import Reason

GUARDED = 0
NEWEST = 1
CONFIRMED = 2
INFERRED_REPLACES_INFERRED = 3
GUARD_EXPIRED_TURNS = 4
GUARD_EXPIRED_SECONDS = 5

REASON_OF: tuple[Reason, ...] = (
    Reason.GUARDED,
    Reason.NEWEST,
    Reason.CONFIRMED,
    Reason.INFERRED_REPLACES_INFERRED,
    Reason.GUARD_EXPIRED_TURNS,
    Reason.GUARD_EXPIRED_SECONDS,
)

NO_LIMIT = -1
"""How a kernel is told that a limit is not set."""
