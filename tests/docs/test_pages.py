"""What the pages point at exists: files, headings, commands of make, commands of the command line."""

from __future__ import annotations

import re

import pytest
from tests.docs import pages
from tests.docs.pages import Page

ALL = pages.all_pages()
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_every_relative_link_resolves(page: Page) -> None:
    broken = [target for target in page.links() if not _resolves(page, target)]
    assert broken == []


def _resolves(page: Page, target: str) -> bool:
    if _ELSEWHERE.match(target):
        return True
    name, _, fragment = target.partition("#")
    path = (page.path.parent / name).resolve() if name else page.path
    if not path.exists():
        return False
    return not fragment or fragment in pages.read(path).anchors()


def test_every_page_can_be_reached_from_the_readme() -> None:
    by_path = {page.path: page for page in ALL}
    seen, waiting = set[object](), [pages.ROOT / "README.md"]
    while waiting:
        here = waiting.pop()
        if here in seen or here not in by_path:
            continue
        seen.add(here)
        near = [target for target in by_path[here].links() if not _ELSEWHERE.match(target)]
        waiting += [(here.parent / target.partition("#")[0]).resolve() for target in near]
    assert {page.name for page in ALL if page.path not in seen} == set()


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.name)
def test_every_target_of_make_exists(page: Page) -> None:
    known = set(re.findall(r"(?m)^([a-z-]+):", (pages.ROOT / "Makefile").read_text()))
    text = page.prose + "".join(block.text for block in page.blocks)
    used = set(re.findall(r"(?m)(?:^|`)make ([a-z-]+)", text))
    assert used <= known


def test_a_fragment_that_is_not_there_is_found_out() -> None:
    page = pages.parse("# One two\n\n[x](#one-two) [y](#three) [z](nowhere.md)\n", pages.DOCS / "none.md")
    assert [target for target in page.links() if not _resolves(page, target) and "#one" not in target] == [
        "#three",
        "nowhere.md",
    ]
    assert page.anchors() == {"one-two"}
