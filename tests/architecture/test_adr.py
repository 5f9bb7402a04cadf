"""The decisions: numbered without a gap, each in the index, each with a reason."""

from __future__ import annotations

import re
from pathlib import Path

from tests.architecture import tree

FOLDER = tree.ROOT / "docs" / "adr"


def decisions() -> list[Path]:
    return sorted(FOLDER.glob("[0-9][0-9][0-9][0-9]-*.md"))


def test_numbers_run_from_one_without_a_gap() -> None:
    numbers = [int(path.name[:4]) for path in decisions()]
    assert numbers
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_index_links_every_decision_once_and_nothing_else() -> None:
    linked = re.findall(r"\]\((?:\./)?(\d{4}-[^)#]+\.md)\)", (FOLDER / "README.md").read_text())
    assert sorted(linked) == [path.name for path in decisions()]


def test_a_decision_has_a_title_and_more_to_say() -> None:
    for path in decisions():
        first, *rest = path.read_text().splitlines()
        assert first.startswith("# "), path.name
        assert len([line for line in rest if line.strip()]) >= 3, path.name
