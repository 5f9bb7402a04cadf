"""A profile with one field for each policy, as the machines and the crowds use it."""

from __future__ import annotations

from typing import Any, Final

HOUR: Final = 3600

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "x-seihon": {"default_policy": {"policy": "naive"}},
    "properties": {
        "plan": {
            "type": "string",
            "enum": ["free", "pro", "ultra"],
            "x-seihon": {"policy": "guard_ttl", "ttl_turns": 3, "ttl_seconds": 2 * HOUR},
        },
        "length": {
            "type": "string",
            "enum": ["brief", "detailed"],
            "x-seihon": {"policy": "guard", "scoped": True},
        },
        "mood": {
            "type": "string",
            "enum": ["good", "bad", "mixed"],
            "x-seihon": {"policy": "belief", "inferred": "accept"},
        },
        "seats": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1_000_000,
            "x-seihon": {"policy": "guard", "blank_after_turns": 6},
        },
        "nick": {"type": "string", "maxLength": 40},
    },
}
