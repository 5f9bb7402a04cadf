"""Scopes match by whole segments, and the narrowest wins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.scopes import applicable, scope
from seihon.errors import InvalidArgument

segments = st.text(st.sampled_from("abz09_-:ねこ"), min_size=1, max_size=5).filter(lambda s: s != "default")
scopes = st.lists(segments, min_size=1, max_size=8).map("/".join) | st.just("default")


def test_the_narrowest_applicable_scope_comes_first() -> None:
    assert applicable("research/legal") == ("research/legal", "research", "default")
    assert applicable("default") == ("default",)


@pytest.mark.scenario("G8")
def test_a_scope_does_not_match_by_bare_prefix() -> None:
    assert "project:app" not in applicable("project:application")
    assert "project:app" not in applicable("project:app2/sub")
    assert "project:app" in applicable("project:app/sub")
    assert "project:app/sub" not in applicable("project:app")


@given(scopes, scopes)
def test_a_scope_applies_at_itself_and_below_and_the_default_everywhere(outer: str, inner: str) -> None:
    below = inner.startswith(f"{outer}/")
    assert (outer in applicable(inner)) == (outer in ("default", inner) or below)


@given(scopes)
def test_applicable_scopes_are_scopes_from_the_narrowest_to_the_default(where: str) -> None:
    chain = applicable(where)
    assert (chain[0], chain[-1]) == (where, "default")
    assert len(set(chain)) == len(chain)
    assert all(scope(each) == each for each in chain)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "/",
        "a/",
        "/a",
        "a//b",
        "*",
        "a/*",
        "a?",
        "a%",
        "a b",
        "..",
        "a/../b",
        "a\\b",
        "a\x00",
        "a\ud800",
        "e\u0301",
        "x" * 201,
        "/".join("abcdefghi"),
        "default/a",
        None,
        7,
    ],
)
def test_what_is_not_a_scope_is_refused_without_repeating_it(bad: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        scope(bad)
    assert "scope" in caught.value.message
    assert not isinstance(bad, str) or len(bad) < 3 or bad not in caught.value.message or bad == "default/a"


def test_what_looks_like_a_wildcard_is_refused_rather_than_taken_literally() -> None:
    for asked in ("research/*", "%", "_%"):
        with pytest.raises(InvalidArgument):
            applicable(asked)
    assert "a_b" not in applicable("axb")
