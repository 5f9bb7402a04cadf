"""What must not be in any file of the project: addresses of this or that machine, and work put off."""

from __future__ import annotations

import re
import tomllib

import pytest
from tests.architecture import tree

# The one-letter classes keep this file from holding what it looks for.
PUT_OFF = ["[T]ODO", "[F]IXME", "[X]XX", "[N]otImplementedError", "[H]ACK"]
MACHINES = ["/[w]ork/", "/[r]oot/", "/[h]ome/[a-z]", "/[o]pt/", r"\.\./[s]hared"]
HOSTS = [
    r"[p]ypi\.org",
    "[p]ythonhosted",
    "(?<!no-emit-)[i]ndex-url",
    "(?<!no-emit-)[f]ind-links",
    r"[n]pmjs\.",
]
# A test that does not run hides a gap.
GAPS = ["[m]ark\\.(skip|xfail)", "[p]ytest\\.(skip|xfail)", "[i]mportorskip"]

LOCK_FILES = {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "package-lock.json"}
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
    ".json",
    ".jsonl",
    ".sh",
    ".sql",
    ".mako",
    ".html",
    "",
}


def hits(patterns: list[str]) -> list[str]:
    """Where a pattern occurs as a word of its own: ``file:line: the match``."""
    wanted = re.compile("|".join(rf"(?<!\w)(?:{pattern})" for pattern in patterns))
    found: list[str] = []
    for path in tree.tracked():
        if path.suffix not in TEXT or path.name == "LICENSE":
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            found += [f"{tree.relative(path)}:{number}: {match[0]}" for match in wanted.finditer(line)]
    return found


@pytest.mark.parametrize(
    "patterns", [PUT_OFF, MACHINES, HOSTS, GAPS], ids=["put off", "machines", "hosts", "gaps"]
)
def test_no_file_holds(patterns: list[str]) -> None:
    assert hits(patterns) == []


def test_the_search_finds_what_is_there() -> None:
    assert any(hit.startswith("pyproject.toml:") for hit in hits(["requires-python"]))


def test_pins_are_the_only_record_of_versions() -> None:
    assert [tree.relative(path) for path in tree.tracked() if path.name in LOCK_FILES] == []


@pytest.mark.parametrize("name", ["dev", "uv"])
def test_every_pin_has_a_version_and_a_hash(name: str) -> None:
    text = (tree.ROOT / "requirements" / f"{name}.txt").read_text()
    entries = re.split(r"\n(?=[a-z])", re.sub(r"(?m)^\s*#.*\n", "", text).strip())
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9-]+(\[[a-z,-]+\])?==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def test_the_pins_name_every_declared_dependency() -> None:
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]
    extras = [entry for extra in project["optional-dependencies"].values() for entry in extra]
    declared = {re.split(r"[\[><=]", entry)[0] for entry in (*project["dependencies"], *extras)}
    text = (tree.ROOT / "requirements" / "dev.txt").read_text()
    assert declared <= set(re.findall(r"(?m)^([a-z0-9-]+)", text))
