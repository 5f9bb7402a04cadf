"""The page of reported faults says what the suite covers: the labels of the tests, and nothing else.

To renew its middle column: ``SEIHON_PAGES=write pytest tests/testing/test_scenarios_page.py``.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scenarios.md"
WRITE = os.environ.get("SEIHON_PAGES") == "write"
MARK = re.compile(r"^@(?:pytest\.mark\.)?scenario\(([^)]*)\)", re.MULTILINE)
LABEL = re.compile(r"[A-Z]\d+")
ROW = re.compile(
    r"^\| \*\*(?P<theme>[A-Z])\*\* (?P<title>[^|]*)\|(?P<covered>[^|]*)\|(?P<left>[^|]*)\|$", re.MULTILINE
)


def labelled() -> dict[str, list[str]]:
    """Return the labels that tests carry, by theme and in order."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "tests").rglob("test_*.py"):
        for marked in MARK.findall(path.read_text(encoding="utf-8")):
            for label in LABEL.findall(marked):
                found[label[0]].add(label)
    return {theme: sorted(labels, key=_number) for theme, labels in found.items()}


def _number(label: str) -> int:
    return int(label[1:])


def left(row: re.Match[str]) -> set[str]:
    """Return the labels that a row names as left: those before the colon of each reason."""
    heads = (part.partition(":")[0] for part in row["left"].split(";") if ":" in part)
    found: set[str] = set()
    for head in heads:
        for first, last in re.findall(r"([A-Z]\d+)(?: to ([A-Z]\d+))?", head):
            end = _number(last) if last else _number(first)
            found |= {f"{first[0]}{number}" for number in range(_number(first), end + 1)}
    return found


def test_the_page_names_what_is_covered_and_what_is_left() -> None:
    covered = labelled()
    page = PAGE.read_text(encoding="utf-8")
    if WRITE:
        page = ROW.sub(lambda row: _renewed(row, covered.get(row["theme"], [])), page)
        PAGE.write_text(page, encoding="utf-8")
    rows = list(ROW.finditer(page))
    assert {row["theme"]: LABEL.findall(row["covered"]) for row in rows if row["covered"].strip()} == covered
    assert len({row["theme"] for row in rows}) == len(rows) == 17
    for row in rows:
        assert row["covered"].strip() or "all:" in row["left"]
        assert not left(row) & set(covered.get(row["theme"], ())), row["theme"]


def _renewed(row: re.Match[str], labels: list[str]) -> str:
    shown = f" {', '.join(labels)} " if labels else " "
    return f"| **{row['theme']}** {row['title']}|{shown}|{row['left']}|"
