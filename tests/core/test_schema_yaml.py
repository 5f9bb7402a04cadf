"""YAML that is made to cost much more than its length."""

from __future__ import annotations

import time

import pytest

from seihon.core import schema_yaml
from seihon.core.schema_forms import from_yaml
from seihon.errors import SchemaError

NINE = range(9)


def laughs(first: str, one: str) -> str:
    """Nested aliases: each line names the one before it nine times."""
    lines = [f"a0: &a0 {first}", *(f"a{n + 1}: &a{n + 1} {one.format(n=n)}" for n in range(12))]
    return "\n".join(lines)


LISTS = laughs("[lol]", "[" + ", ".join("*a{n}" for _ in NINE) + "]")
MAPPINGS = laughs("{k: v}", "{{" + ", ".join(f"k{m}: *a{{n}}" for m in NINE) + "}}")
MERGES = laughs("{k: v}", "{{<<: [" + ", ".join("*a{n}" for _ in NINE) + "]}}")
KEYS = laughs("[lol]", "{{" + ", ".join(f"? [{m}, *a{{n}}]\n: v" for m in NINE) + "}}")
PAIRS = laughs("[lol]", "!!omap [" + ", ".join("k: *a{n}" for _ in NINE) + "]")
SETS = laughs("[lol]", "!!set {{" + ", ".join("[*a{n}]" for _ in NINE) + "}}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(LISTS, "aliases followed", id="lists"),
        pytest.param(MAPPINGS, "aliases followed", id="mappings"),
        pytest.param(MERGES, "aliases followed", id="merges"),
        pytest.param(KEYS, "aliases followed", id="keys"),
        pytest.param(PAIRS, "aliases followed", id="pairs"),
        pytest.param(SETS, "aliases followed", id="sets"),
        pytest.param("? [a, b]\n: v", "a key that is no word", id="a list as a key"),
        pytest.param("a: &a {b: *a}", "inside that very block", id="a loop"),
        pytest.param("a: &a [{b: [*a]}]", "inside that very block", id="a longer loop"),
        pytest.param("a: " + "1:" * 100_000 + "1", "too long for a number", id="base 60"),
        pytest.param("a: " + "9" * 200_000, "too long for a number", id="digits"),
        pytest.param("a: 0x" + "f" * 200_000, "too long for a number", id="hexadecimal"),
        pytest.param("a: " + "[" * 100_000, "nested too deep", id="depth"),
        pytest.param("a: '" + "x" * 500_000 + "'", "at most 500000 are allowed", id="length"),
    ],
)
def test_a_document_costs_no_more_than_its_length(text: str, says: str) -> None:
    begun = time.process_time()
    with pytest.raises(SchemaError) as refused:
        from_yaml(text)
    assert says in refused.value.message
    assert len(refused.value.message) < 200
    assert time.process_time() - begun < 3


def test_aliases_that_stay_small_are_followed() -> None:
    text = "a: &a {type: string}\nb: {<<: *a, maxLength: 5}\nc: [*a, *a]\nd: 'quoted text'"
    one = {"type": "string"}
    found = {"a": one, "b": {**one, "maxLength": 5}, "c": [one, one], "d": "quoted text"}
    assert schema_yaml.read(text) == found
