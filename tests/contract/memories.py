"""What tests of the verbs share: a profile with a field of each kind, and short ways to say things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from seihon.canonical.database import Options
from seihon.memory import Derive, Memory, SchemaForm
from seihon.model import Claim, Message, OutOfReach

SECRET: Final = b"a key of tests, of thirty-two bytes and more"
MONTH: Final = 30 * 86_400
PLANS: Final = {"type": "string", "enum": ["free", "pro", "ultra"]}
MOODS: Final = {"type": "string", "enum": ["good", "bad"]}
POLICIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "naive": {"policy": "naive"},
    "guard": {"policy": "guard"},
    "guard_ttl": {"policy": "guard_ttl", "ttl_turns": 15, "ttl_seconds": MONTH},
    "belief": {"policy": "belief"},
}


def declared(**fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of these fields; one without a policy takes ``guard``."""
    return {
        "type": "object",
        "x-seihon": {"default_policy": {"policy": "guard"}},
        "properties": fields,
    }


SCHEMA: Final = declared(
    plan={
        **PLANS,
        "x-seihon": {**POLICIES["guard_ttl"], "synonyms": {"pro": ["Pro plan", "プロプラン"]}},
    },
    length={"type": "string", "enum": ["brief", "detailed"], "x-seihon": {"scoped": True}},
    mood={**MOODS, "x-seihon": {"policy": "belief"}},
    city={"type": "string", "x-seihon": {"policy": "naive"}},
    seats={"type": "integer", "minimum": 1, "maximum": 500},
)


def plan_under(policy: str) -> dict[str, Any]:
    """Return the schema whose one field ``plan`` is under a policy."""
    return declared(plan={**PLANS, "x-seihon": POLICIES[policy]})


def open_memory(
    url: str,
    clock: Callable[[], datetime],
    *,
    schema: SchemaForm | None = SCHEMA,
    tenant: str = "acme",
    derive: Derive = Derive.INLINE,
    secret: bytes = SECRET,
    out_of_reach: Sequence[OutOfReach] = (),
    options: Options | None = None,
    cache: str = "memory",
) -> Memory:
    """Open the memory of a test's database."""
    return Memory.open(
        url,
        clock=clock,
        schema=schema,
        tenant=tenant,
        derive=derive,
        secret=secret,
        out_of_reach=out_of_reach,
        options=options,
        cache=cache,
    )


def say(memory: Memory, text: str, *, to: str = "c1", owner: str = "ann", role: str = "user") -> Message:
    """Add one message."""
    return memory.append(owner, to, role, text)


def confirm(memory: Memory, field: str, value: object, message: Message, *, owner: str = "ann") -> Claim:
    """Record that the person said so in a message, whose whole text is the quote."""
    return memory.observe(
        owner, field, value, confidence="confirmed", message=message.id, quote=message.content
    )


def infer(memory: Memory, field: str, value: object, message: Message, *, owner: str = "ann") -> Claim:
    """Record that a model concluded so from a message."""
    return memory.observe(
        owner, field, value, confidence="inferred", message=message.id, quote=message.content
    )
