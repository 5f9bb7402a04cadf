"""What the contract suite adds: a memory, a database of the store's own, and the guard over statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.conftest import Backend

from seihon.canonical import operator
from seihon.canonical.database import Database
from seihon.derived.contract import RECORDS
from seihon.testing.clock import FakeClock
from seihon.testing.guard import StatementGuard
from seihon.testing.statements import statements_of

if TYPE_CHECKING:
    from seihon.memory import Memory


@pytest.fixture(autouse=True)
def statement_guard() -> Iterator[StatementGuard]:
    """Fail a test whose code sends a statement on an owner's table without its owner.

    The operator's statements are the only ones that cross owners; PostgreSQL has policies for them.
    """
    crossing = statements_of(operator)
    with StatementGuard(allowed=[named.on(d) for named in crossing for d in named.dialects]) as guard:
        yield guard


@pytest.fixture
def db(backend: Backend, clock: FakeClock) -> Iterator[Database]:
    """The store on a fresh database of each engine, as the application's role."""
    numbers = iter(range(1, 1_000_000))
    database = Database(
        backend.url,
        clock=clock,
        new_id=lambda kind: f"{kind}_{next(numbers)}",
        stores={"fulltext": RECORDS},
    )
    yield database
    database.close()


@pytest.fixture
def memory(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    """A tenant's memory with the schema of ``memories``, on a fresh database of each engine."""
    from tests.contract.memories import open_memory

    with open_memory(backend.url, clock) as opened:
        yield opened
