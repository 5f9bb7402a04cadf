"""The conversations, claims and schemas that ship as examples."""

from __future__ import annotations

from functools import cache
from pathlib import Path


def text(name: str) -> str:
    """Return an example by its path, such as ``schemas/starter.yaml``."""
    return (_folder() / name).read_text(encoding="utf-8")


def lines(name: str) -> list[str]:
    """Return the lines of an example in JSONL."""
    return [line for line in text(name).splitlines() if line.strip()]


@cache
def _folder() -> Path:
    """Return the folder inside the installed package, or the repository's own beside ``src``."""
    here = Path(__file__).resolve()
    installed = here.parent / "examples"
    return installed if installed.is_dir() else here.parents[3] / "examples"
