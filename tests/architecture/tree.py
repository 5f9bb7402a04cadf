"""The files of the project and the functions in them, for the tests of this folder."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "seihon"
_GENERATED = ("__pycache__", ".venv", ".git", ".hypothesis", "build", "dist")


def tracked() -> list[Path]:
    """Every file under version control, and those about to be; without git, every file that is no product."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        names = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
        return [path for path in names if path.is_file()]
    return [path for path in ROOT.rglob("*") if path.is_file() and not set(path.parts) & set(_GENERATED)]


def sources() -> list[Path]:
    """The modules of the product; a schema revision is a record, which nobody shortens afterwards."""
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "versions" not in path.parts]


def relative(path: Path) -> str:
    """The path as it is written in messages."""
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a module with its number of lines, signature and docstring included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{relative(path)}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1
