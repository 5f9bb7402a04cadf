"""A pattern that would take for ever on a text that almost matches is answered in time."""

from __future__ import annotations

import pytest

from seihon.core.fields.normal import AS_GIVEN
from seihon.core.fields.string import String
from seihon.core.schema_forms import from_json_schema
from seihon.errors import InvalidValue, SchemaError


def test_a_catastrophic_pattern_is_given_up() -> None:
    block = {"type": "string", "pattern": "^(a+)+$", "x-seihon": {"policy": "naive"}}
    field = from_json_schema({"properties": {"code": block}}).field("code")
    assert field.parse("aaaa") == "aaaa"
    with pytest.raises(InvalidValue):
        field.parse("a" * 60 + "!")


@pytest.mark.parametrize(
    "pattern",
    [
        "a{4294967290}",
        "a{" + "9" * 5_000 + "}",
        "((((a{30}){30}){30}){30}){30}",
        "[a-z]{100000}",
        "ab" * 20_000,
    ],
)
def test_a_pattern_whose_repeats_would_fill_the_memory_is_refused(pattern: str) -> None:
    with pytest.raises(SchemaError) as refused:
        of_pattern(pattern)
    assert "written out" in refused.value.message


@pytest.mark.parametrize(
    "pattern", ["a++b{10000}", r"(\{900000\}|[{900000}]){2,900000}", "^(" + "x{100}" * 100 + ")$"]
)
def test_repeats_that_stay_small_are_taken(pattern: str) -> None:
    assert of_pattern(pattern).pattern == pattern


def of_pattern(pattern: str) -> String:
    return String.from_schema({"type": "string", "pattern": pattern}, AS_GIVEN, {}, "properties/it")
