"""The reference is what the code says, and nothing public is missing from it."""

from __future__ import annotations

import difflib

import pytest
from scripts import reference, reference_code, reference_text

import seihon
from seihon import errors
from seihon.aio import AsyncMemory
from seihon.memory import Memory


def test_the_page_is_what_the_code_says() -> None:
    changed = list(
        difflib.unified_diff(
            reference.PAGE.read_text(encoding="utf-8").splitlines(),
            reference.page().splitlines(),
            "docs/reference.md",
            "make reference",
            n=0,
            lineterm="",
        )
    )
    assert changed == []


@pytest.mark.parametrize("name", seihon.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert f"\n| `{name}` | " in reference.page()


def test_async_code_has_every_verb() -> None:
    verbs = {name for group in Memory.__bases__ for name, _ in reference_code.verbs_of(group)}
    own = {"run", "close", "open"}
    assert {name for name in vars(AsyncMemory) if not name.startswith("_")} - own == verbs


def test_every_code_of_the_error_table_is_in_the_reference() -> None:
    codes = {row[1] for row in reference_code.error_rows()}
    assert codes == {f"`{code}`" for code in errors.CODES}


def test_a_docstring_becomes_markdown() -> None:
    def verb() -> None:
        """Do ``this``.

        Args:
            one: the first,
                on two lines. two: the second.

        Raises:
            Gone: it is.

        After all.
        """

    assert reference_text.prose(verb) == (
        "Do `this`.\n\n*Args*\n\n- `one`: the first, on two lines.\n- `two`: the second.\n\n"
        "*Raises*\n\n- `Gone`: it is.\n\nAfter all.\n"
    )
