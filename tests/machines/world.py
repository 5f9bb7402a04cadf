"""One database under the machine, opened twice: one derives in the call, the other leaves it to later."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.machines.looking import COMMON
from tests.support.profiles import SCHEMA

from seihon.canonical.database import Options
from seihon.memory import Derive, Memory
from seihon.testing.clock import FakeClock

SECRET = b"a secret of thirty-two bytes, or more"


@dataclass(slots=True)
class World:
    """What all runs of one test share; every run has owners of its own."""

    url: str
    prompt: Memory
    lagging: Memory
    clock: FakeClock
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def text(self) -> str:
        """A new text with a canary of its own."""
        return f"zq{next(self.numbers)}x says the {COMMON} is open 港は開いている"

    def owner(self, kind: str) -> str:
        """A new owner's id."""
        return f"{kind}-{next(self.numbers)}"


@contextmanager
def world_of(url: str) -> Generator[World]:
    """Open a database for a whole test."""
    clock, ids = FakeClock(), count(1)

    def new_id(kind: str) -> str:
        return f"{kind}_{next(ids):08}"

    shared: dict[str, Any] = {
        "clock": clock,
        # In order: a run that is played again meets the same order everywhere.
        "new_id": new_id,
        "secret": SECRET,
        "options": Options(synchronous="normal", pool_size=3),
    }
    with (
        Memory.open(url, schema=SCHEMA, **shared) as prompt,
        Memory.open(url, derive=Derive.EXTERNAL, **shared) as lagging,
    ):
        yield World(url, prompt, lagging, clock)
