"""The journal of deletions on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.entry.running import Run


@pytest.fixture
def journal(ann: Run, tmp_path: Path) -> str:
    """The journal of two deletions."""
    file = tmp_path / "journal.jsonl"
    ann("forget", "message", "ann", "m1", "--yes")
    ann("forget", "message", "ann", "m2", "--yes", "--reason", "asked by mail")
    assert ann("deletions", "export", str(file)).out == "7 lines were written.\n"
    return str(file)


def test_a_journal_is_applied_once(call: Run, journal: str, tmp_path: Path) -> None:
    place = ["--db", str(tmp_path / "restored.db")]
    for name in ("m1", "m2", "m3"):
        call("message", "add", "ann", "c1", "user", f"text {name}", "--id", name, *place)
    found = call("deletions", "apply", journal, "--wait", *place)
    assert found.code == 0
    assert found.out.startswith("2 deletions carried out again, 0 were known here; 1 owners, 0 of them")
    left = call("message", "list", "ann", "c1", "--json", *place).data["items"]
    assert [one["id"] for one in left] == ["m3"]
    told = call("receipt", "list", "ann", "--json", *place).data["items"]
    assert [(one["state"], one["reason"]) for one in told] == [
        ("verified", "requested"),
        ("verified", "asked by mail"),
    ]
    assert call("deletions", "apply", journal, "--json", *place).data["present"] == 2


def test_what_is_no_journal_is_refused(ann: Run, tmp_path: Path) -> None:
    other = tmp_path / "export.jsonl"
    assert ann("export", "ann", "-o", str(other)).code == 0
    assert ann("deletions", "apply", str(other), "--json").error["code"] == "bad_format"
    assert ann("deletions", "export", str(other), "--json").error["code"] == "invalid_argument"
    wrong = ann("deletions", "export", "-", "--since", "3")
    assert (wrong.code, "--owner" in wrong.err) == (2, True)


def test_a_journal_goes_to_stdout(ann: Run) -> None:
    ann("forget", "message", "ann", "m1", "--yes")
    lines = ann("deletions", "export", "-", "--owner", "ann", "--since", "0").out.splitlines()
    assert [line.split('"')[3] for line in lines[1:]] == ["owner", "deletion", "tombstone", "end"]
