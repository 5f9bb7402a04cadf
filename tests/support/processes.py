"""Starting a crowd of processes and hearing what they did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self

ROOT: Final = Path(__file__).parents[2]
Line = dict[str, Any]


class Crowd:
    """Processes that each do a task on one database; used in a ``with`` block, which leaves none behind."""

    def __init__(self, url: str, tasks: Sequence[Line]) -> None:
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the block
        asked = json.dumps({"url": url, "tasks": list(tasks)})
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.crowd", asked],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
        self.process.wait()
        self._said.close()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def lines(self) -> Iterator[Line]:
        """Yield what is told, as it is told, until every process has ended."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield json.loads(line)

    def ended_well(self) -> None:
        """Fail with what the processes said last unless every one ended well."""
        code = self.process.wait(60)
        self._said.seek(0)
        assert code == 0, self._said.read()[-4_000:]


def run(url: str, tasks: Sequence[Line]) -> list[Line]:
    """Run a crowd to its end and return all that was told."""
    with Crowd(url, tasks) as crowd:
        told = list(crowd.lines())
        crowd.ended_well()
    return told


def told(lines: Sequence[Line], word: str) -> list[Any]:
    """Return what was told under a word, in order."""
    return [line[word] for line in lines if word in line]
