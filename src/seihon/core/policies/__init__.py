"""Update policies: one file each, one line each in the registry."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from seihon.core.policies.belief import Belief
from seihon.core.policies.contract import Clock, Decision, Evidence, Held, Outcome, Policy, Reading, Told
from seihon.core.policies.guard import Guard
from seihon.core.policies.guard_ttl import GuardTtl
from seihon.core.policies.naive import Naive
from seihon.core.policies.reasons import Reason
from seihon.errors import InvalidArgument

__all__ = [
    "POLICIES",
    "Clock",
    "Decision",
    "Evidence",
    "Held",
    "Outcome",
    "Policy",
    "Reading",
    "Reason",
    "Told",
    "make",
    "parameters",
    "parameters_of",
]

POLICIES: Mapping[str, Callable[..., Policy]] = {
    "naive": Naive,
    "guard": Guard,
    "guard_ttl": GuardTtl,
    "belief": Belief,
}


def make(name: str, params: Mapping[str, object] | None = None) -> Policy:
    """Return the policy ``name`` with ``params``. Raises ``InvalidArgument`` naming what is allowed."""
    kind = POLICIES.get(name)
    if kind is None:
        raise InvalidArgument(f"There is no such policy; there are {', '.join(POLICIES)}.")
    allowed = parameters(name)
    unknown = sorted(set(params or {}) - set(allowed))
    if unknown:
        takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
        raise InvalidArgument(f"{name} has no parameter {', '.join(unknown)}; {takes}.", parameter=unknown[0])
    return kind(**(params or {}))


def parameters(name: str) -> Mapping[str, object]:
    """Return the parameters of the policy ``name`` with their defaults, in the order they are declared."""
    kind: Any = POLICIES[name]
    return {field.name: field.default for field in dataclasses.fields(kind)}


def parameters_of(policy: Policy) -> dict[str, object]:
    """Return the parameters in which ``policy`` differs from its defaults."""
    defaults = parameters(policy.name)
    given = {name: getattr(policy, name) for name in defaults}
    return {name: value for name, value in given.items() if value != defaults[name]}
