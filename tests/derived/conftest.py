"""What tests of the copies share: a memory whose copies follow only when told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.conftest import Backend
from tests.contract.memories import open_memory

from seihon.memory import Derive, Memory
from seihon.testing.clock import FakeClock


@pytest.fixture
def memory(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    """Nothing follows by itself, so that a test sees each step."""
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as opened:
        yield opened


@pytest.fixture
def other(backend: Backend, clock: FakeClock, memory: Memory) -> Iterator[Memory]:
    """A second process's view of the same database."""
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as opened:
        yield opened
