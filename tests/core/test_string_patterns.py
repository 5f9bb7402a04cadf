"""A pattern that would take for ever on a text that almost matches is answered in time."""

from __future__ import annotations

import pytest

from seihon.core.schema_forms import from_json_schema
from seihon.errors import InvalidValue


def test_a_catastrophic_pattern_is_given_up() -> None:
    block = {"type": "string", "pattern": "^(a+)+$", "x-seihon": {"policy": "naive"}}
    field = from_json_schema({"properties": {"code": block}}).field("code")
    assert field.parse("aaaa") == "aaaa"
    with pytest.raises(InvalidValue):
        field.parse("a" * 60 + "!")
