"""Running the command line: in this process for speed, or as the console script for what a process is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from seihon.entry.cli import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Result:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What stdout holds as one JSON value; anything beside it fails the test."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error that was told under ``--json``."""
        assert set(self.data) == {"error"}, self.out
        return self.data["error"]


Run = Callable[..., Result]


def script() -> list[str]:
    """The console script of this environment, or the same entry point where it is not installed."""
    installed = Path(sys.executable).with_name("seihon")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "seihon.entry.cli"]


def environment(home: Path, **more: str) -> dict[str, str]:
    """A user of their own: no settings, no data yet."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SEIHON_", "XDG_"))}
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return {**kept, "HOME": str(home), "PYTHONPATH": path, "PYTHONWARNINGS": "default", **more}


def shell(
    home: Path, *arguments: str | bytes, stdin: bytes = b"", variables: Mapping[str, str] | None = None
) -> Result:
    """Run the console script."""
    done = subprocess.run(
        [*script(), *arguments],
        input=stdin,
        capture_output=True,
        env=environment(home, **(variables or {})),
        timeout=60,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def started(home: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the console script and leave it running."""
    return subprocess.Popen(
        [*script(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )


def inside(capture: pytest.CaptureFixture[bytes], arguments: Sequence[str]) -> Result:
    """Run the command line in this process."""
    capture.readouterr()
    code = main(list(arguments))
    out, err = capture.readouterr()
    return Result(code, out.decode(), err.decode())
