"""What a new schema changes, and what becomes of the values that people have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.core.making import SHAPES

from seihon.core.schema import ProfileSchema
from seihon.core.schema_diff import Affected, Change, ChangeKind, Fate, diff, effect
from seihon.core.schema_forms import from_json_schema

PLAN = SHAPES["enum"]


def schema(**properties: Mapping[str, Any]) -> ProfileSchema:
    return from_json_schema({"x-seihon": {"default_policy": {"policy": "naive"}}, "properties": properties})


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    found = diff(schema(it=old), schema(it=new)).changes
    return [(str(change.kind), change.values) for change in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (PLAN, PLAN, []),
        (PLAN, {"type": "string", "enum": ["free", "pro"]}, [("enum_narrowed", ("ultra",))]),
        (
            PLAN,
            {"type": "string", "enum": ["free", "pro", "max"]},
            [("enum_narrowed", ("ultra",)), ("enum_widened", ("max",))],
        ),
        (PLAN, {"type": "string"}, [("type_changed", ())]),
        (SHAPES["integer"], {"type": "integer"}, [("bounds_changed", ())]),
        (PLAN, {**PLAN, "x-seihon": {"policy": "guard"}}, [("policy_changed", ())]),
        (PLAN, {**PLAN, "x-seihon": {"blank_after_turns": 5}}, [("limits_changed", ())]),
        (PLAN, {**PLAN, "x-seihon": {"normalise": ["case"]}}, [("spelling_changed", ())]),
        (PLAN, {**PLAN, "x-seihon": {"synonyms": {"pro": ["plus"]}}}, [("spelling_changed", ())]),
        (PLAN, {**PLAN, "x-seihon": {"scoped": True}}, [("inferred_changed", ()), ("scoped_changed", ())]),
        (PLAN, {**PLAN, "description": "Other words."}, []),
    ],
)
def test_each_kind_of_change(
    old: Mapping[str, Any], new: Mapping[str, Any], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert changes(old, new) == expected


def test_a_wider_enum_does_not_count_as_another_belief() -> None:
    belief: dict[str, Any] = {"x-seihon": {"policy": "belief"}}
    wider: dict[str, Any] = {"type": "string", "enum": ["free", "pro", "ultra", "max"]}
    assert changes({**PLAN, **belief}, {**wider, **belief}) == [("enum_widened", ("max",))]


def test_fields_that_come_and_go() -> None:
    found = diff(schema(a=PLAN, b=PLAN), schema(b=PLAN, c=PLAN)).changes
    assert found == (Change("c", ChangeKind.ADDED), Change("a", ChangeKind.REMOVED))


def test_the_effect_names_keys_and_counts_and_repeats_no_value() -> None:
    new_plan = {**PLAN, "enum": ["free", "plus"], "x-seihon": {"synonyms": {"plus": ["pro"]}}}
    difference = diff(schema(plan=PLAN, seats=SHAPES["integer"]), schema(plan=new_plan))
    found = effect(
        difference,
        [
            ("acme/ann", "plan", "default", "free"),
            ("acme/bob", "plan", "default", "pro"),
            ("acme/bob", "plan", "research", "ultra"),
            ("acme/bob", "seats", "default", 3),
        ],
    )
    assert found.counts == {Fate.KEPT: 1, Fate.CONVERTED: 1, Fate.REFUSED: 1, Fate.REMOVED: 1}
    assert found.affected == (
        Affected("acme/bob", "plan", "default", Fate.CONVERTED),
        Affected("acme/bob", "plan", "research", Fate.REFUSED),
        Affected("acme/bob", "seats", "default", Fate.REMOVED),
    )
    assert "ultra" not in repr(found)


def test_no_stored_value_is_affected_by_an_equal_schema() -> None:
    same = schema(**SHAPES)
    stored = [
        ("o", "enum", "default", "pro"),
        ("o", "enums", "default", ["a"]),
        ("o", "date", "x", "2026-01-01"),
    ]
    found = effect(diff(same, same), stored)
    assert found.affected == ()
    assert found.counts[Fate.KEPT] == 3
