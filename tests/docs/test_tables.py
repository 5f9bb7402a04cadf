"""A table that explains a closed set of words explains each of them, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from tests.docs import pages
from tests.docs.pages import Page

from seihon import errors
from seihon.canonical import purge
from seihon.core.assemble import Omitted
from seihon.core.policies import POLICIES, Outcome, Reason
from seihon.derived.contract import DifferenceKind
from seihon.entry import settings
from seihon.memory import Derive, claiming, fields, reading
from seihon.model import FieldStatus, Role, StoreState

_CODE = re.compile(r"`([^`]+)`")
_NOT_OF_A_POLICY = {
    claiming.UNTRUSTED_SOURCE,
    "superseded_by_withdrawn",
    fields.SOURCE_DELETED,
    fields.SOURCE_EDITED,
    fields.SETTING_STANDS,
    fields.FIELD_DELETED,
    fields.DECLINED,
    reading.OUTSIDE_SCHEMA,
}
CLOSED: list[tuple[str, str, Iterable[str]]] = [
    ("docs/concepts.md", "role", Role),
    ("docs/concepts.md", "outcome", Outcome),
    ("docs/concepts.md", "status", FieldStatus),
    ("docs/how-to/contexts.md", "reason of an omission", Omitted),
    ("docs/how-to/deletion.md", "state", StoreState),
    ("docs/how-to/deletion.md", "level", purge.LEVELS.values()),
    ("docs/how-to/operate.md", "`derive`", Derive),
    ("docs/how-to/operate.md", "difference", DifferenceKind),
    ("docs/how-to/policies.md", "policy", POLICIES),
    ("docs/how-to/policies.md", "reason", _NOT_OF_A_POLICY),
    ("docs/reference.md", "reason", Reason),
]


def first_column(page: Page, heading: str) -> list[str]:
    """The words in code of the first column of each table that is headed so."""
    found: list[str] = []
    inside = False
    for line in page.prose.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif inside:
            found += _CODE.findall(cells[0])
        else:
            inside = cells[0] == heading
    return found


@pytest.mark.parametrize(("name", "heading", "words"), CLOSED, ids=[f"{one[0]}-{one[1]}" for one in CLOSED])
def test_a_table_explains_every_word_of_its_set(name: str, heading: str, words: Iterable[str]) -> None:
    told = first_column(pages.read(pages.ROOT / name), heading)
    assert sorted(told) == sorted(str(word) for word in words)


HOW_TO = [page for page in pages.all_pages() if page.path.parent.name == "how-to"]


@pytest.mark.parametrize("page", HOW_TO, ids=lambda page: page.name)
def test_every_error_of_a_page_exists(page: Page) -> None:
    told = {name for name in first_column(page, "error") if name[:1].isupper()}
    assert told
    assert {name for name in told if not hasattr(errors, name)} == set()


@pytest.mark.parametrize("page", pages.all_pages(), ids=lambda page: page.name)
def test_every_variable_of_a_page_is_read(page: Page) -> None:
    text = page.prose + "".join(block.text for block in page.blocks)
    known = {settings.PREFIX + name.upper() for name in settings.Settings.model_fields}
    beside = {"SEIHON_CONFIG", "SEIHON_DEBUG", "SEIHON_DEEP"}
    assert set(re.findall(r"\bSEIHON_[A-Z_]+[A-Z]\b", text)) <= known | beside
