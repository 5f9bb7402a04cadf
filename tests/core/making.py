"""What the tests of the core share: policies of each kind, a field of each type, statements."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from hypothesis import strategies as st

from seihon.core.fields import FIELD_TYPES, FieldType
from seihon.core.policies import POLICIES, Policy, make
from seihon.core.resolve import Position, Statement
from seihon.core.schema import Field
from seihon.core.schema_forms import from_json_schema
from seihon.core.values import MICROSECONDS, Value

DAY = 86_400
PARAMS: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "guard_ttl": (
        {"ttl_turns": 3},
        {"ttl_seconds": 2 * DAY},
        {"ttl_turns": 5, "ttl_seconds": DAY},
        {"ttl_turns": 0},
    ),
    "belief": ({}, {"serve_at": 0.7}, {"confirmed_noise": 0.4}, {"rates": [0.0]}, {"rates": [0.5, 0.01]}),
}


def every_policy() -> list[Policy]:
    """Every registered policy, with its defaults or with several settings."""
    return [make(name, params) for name in POLICIES for params in PARAMS.get(name, ({},))]


SHAPES: Mapping[str, Mapping[str, object]] = {
    "enum": {"type": "string", "enum": ["free", "pro", "ultra"]},
    "date": {"type": "string", "format": "date"},
    "string": {"type": "string", "pattern": "^[a-z]{1,8}$"},
    "integer": {"type": "integer", "minimum": -5, "maximum": 5},
    "number": {"type": "number", "minimum": -10, "maximum": 10},
    "boolean": {"type": "boolean"},
    "enums": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
}

VALUES: Mapping[str, st.SearchStrategy[Value]] = {
    "enum": st.sampled_from(["free", "pro", "ultra"]),
    "date": st.dates(min_value=date(2020, 1, 1), max_value=date(2030, 1, 1)),
    "string": st.from_regex("[a-z]{1,8}", fullmatch=True),
    "integer": st.integers(-5, 5),
    "number": st.floats(-10, 10).map(lambda number: number + 0.0),
    "boolean": st.booleans(),
    "enums": st.sets(st.sampled_from("abc")).map(lambda chosen: tuple(sorted(chosen))),
}


def field(shape: Mapping[str, object], **block: object) -> Field:
    """One field by its JSON Schema; without a policy it is naive."""
    marked = {**shape, "x-seihon": {"policy": "naive", **block}}
    return from_json_schema({"properties": {"it": marked}}).field("it")


def every_type() -> dict[str, FieldType]:
    """One field type of every registered kind."""
    return {kind: field(SHAPES[kind]).type for kind in FIELD_TYPES}


def bound(policy: Policy, kind: str) -> Policy:
    """The policy as a field of that kind holds it."""
    return policy.bound(every_type()[kind].cardinality())


@st.composite
def statements(draw: st.DrawFn, kind: str = "enum", max_size: int = 12) -> list[Statement]:
    """Statements in the order of their positions: turns never fall, and some share a moment or a turn."""
    count = draw(st.integers(0, max_size))
    pool = draw(st.lists(VALUES[kind], min_size=1, max_size=4))
    turn, at, found = 0, 1_700_000_000 * MICROSECONDS, list[Statement]()
    for number in range(count):
        turn += draw(st.integers(0, 4))
        at += draw(st.sampled_from([0, 1, 60, DAY, 40 * DAY])) * MICROSECONDS
        position = Position(at, turn, 1, number, 0)
        found.append(
            Statement(f"c{number}", draw(st.sampled_from(pool)), draw(st.booleans()), turn, position)
        )
    return found
