"""What tests of the ways in share: a user with an empty home, and a command line bound to a database."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.entry.running import ROOT, Run, inside

SCHEMA = ROOT / "examples" / "schemas" / "support.yaml"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without data, and no setting from outside."""
    for name in list(os.environ):
        if name.startswith(("SEIHON_", "XDG_")):
            monkeypatch.delenv(name)
    made = tmp_path / "home"
    made.mkdir()
    monkeypatch.setenv("HOME", str(made))
    return made


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The command line in this process, without a database of its own."""
    return lambda *arguments: inside(capfdbinary, arguments)


@pytest.fixture
def cli(call: Run, database_url: str) -> Run:
    """The command line on a fresh, migrated database, once on each engine."""
    return lambda *arguments: call("--db", database_url, *arguments)


@pytest.fixture
def ann(cli: Run) -> Run:
    """The same, with the support schema and ann, who has said two things."""
    assert cli("schema", "register", str(SCHEMA)).code == 0
    said = {"m1": "We are on the Pro plan.", "m2": "Please use email."}
    for name, text in said.items():
        assert cli("message", "add", "ann", "c1", "user", text, "--id", name).code == 0
    return cli
