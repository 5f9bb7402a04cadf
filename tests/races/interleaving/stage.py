"""The world that schedules run in, and the owner of each: the same small life, copied for every schedule.

The life: three messages of one conversation and one of another, a field said in the second message, a note
drawn from it, all indexed, embedded and summarised; and a fourth message that the copies have yet to look at.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import pytest
from tests.conftest import Backend, Dialect
from tests.contract.memories import SCHEMA, SECRET, open_memory
from tests.races.interleaving.raw import TEMPLATE, Raw
from tests.races.interleaving.scheduler import Grain, Schedule, Turn
from tests.races.interleaving.shelf import Shelf

from seihon.canonical import purge
from seihon.canonical.database import Database, Options
from seihon.canonical.purge import Purged
from seihon.derived import copies, receipts, registry
from seihon.derived.contract import Store
from seihon.memory import Memory
from seihon.testing.clock import FakeClock
from seihon.testing.embedder import FakeEmbedder

NEIGHBOUR: Final = "neighbour"
COMMON: Final = "harbour"
OLD, NEW, LATE = "zq1v", "zq2v", "zq0v"
"""Cities: said in the second message, in the third, and concluded from the first."""
TEXTS: Final = {
    "m0": f"zq0x at the {COMMON} in {LATE}",
    "m1": f"zq1x I live in {OLD} by the {COMMON}",
    "m2": f"zq2x I live in {NEW} now, {COMMON}",
    "m3": f"zq3x the {COMMON} is open",
    "other": f"zq4x another {COMMON}",
    "note": f"zq5x lives by the {COMMON}",
}
CONVERSATION: Final = "c1"
SLOTS: Final = 3
FILES_EVERY: Final = 20


@dataclass(slots=True)
class World:
    """One database: a memory for each actor, as processes have them, and one that looks on.

    ``home`` looks on, ends what is left to do, and takes part in no schedule.
    """

    home: Memory
    slots: list[Memory]
    shelf: Shelf
    clock: FakeClock
    raw: Raw
    schedule: Schedule | None = None
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    neighbour: Any = None
    turn: Turn | None = None
    last: Schedule = field(default_factory=lambda: Schedule(Grain.EDGES))

    @property
    def dialect(self) -> Dialect:
        """The database's engine."""
        return Dialect.POSTGRES if self.raw.is_server else Dialect.SQLITE

    @property
    def is_writing(self) -> bool:
        """Tell whether an actor holds SQLite's one writer."""
        return self.turn is not None and self.turn.holder is not None

    def owner(self) -> str:
        """Make a new owner with the stage's life; return its id."""
        name = f"ann{next(self.numbers)}"
        self.raw.copy(f"acme/{name}")
        for key, copy in self.shelf.of(TEMPLATE).items():
            self.shelf.held[f"acme/{name}", key] = copy
        return name

    def begin(self, grain: Grain) -> Schedule:
        """Return a schedule that knows who waits for a lock here."""
        self.last = self.schedule = Schedule(grain, self._blocked if self.raw.is_server else None)
        return self.schedule

    def _blocked(self) -> Collection[str]:
        return frozenset(self.raw.waiting())

    def beside(self) -> Any:
        """What a neighbour has, whom no schedule may touch."""
        seen = self.home.owner(NEIGHBOUR), self.home.messages(NEIGHBOUR, CONVERSATION).items
        return (*seen, [hit.id for hit in self.home.search(NEIGHBOUR, COMMON)])


def slot_name(number: int) -> str:
    """Return the name by which the server knows an actor's connections."""
    return f"actor{number}"


@contextmanager
def world_of(backend: Backend) -> Generator[World]:
    """Open a database for many schedules."""
    clock, shelf = FakeClock(), Shelf()
    options = Options(busy_timeout=20.0, pool_size=2, synchronous="normal")

    def opened(name: str) -> Memory:
        url = backend.url
        if backend.dialect is Dialect.POSTGRES:
            url += f"?application_name={name}"
        embedders = [FakeEmbedder()]
        return Memory.open(
            url,
            tenant="acme",
            secret=SECRET,
            clock=clock,
            derive="external",
            options=options,
            embedders=embedders,
        )

    open_memory(backend.url, clock, schema=SCHEMA).close()
    with registered(shelf):
        home, slots = opened("home"), [opened(slot_name(number)) for number in range(SLOTS)]
        yield from _played(backend, World(home, slots, shelf, clock, Raw(backend)))


@contextmanager
def registered(store: Store) -> Generator[None]:
    """Put a store behind those of the product, for as long as the block."""

    def every(**models: Any) -> tuple[Store, ...]:
        return (*registry(**models), store)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "registry", every)
        patch.setattr(receipts, "registry", every)
        yield


@contextmanager
def files_now_and_then() -> Generator[None]:
    """Clean the files after one deletion in so many: that is proven elsewhere, and takes most of the time."""
    clean, times = purge.purge, count()

    def seldom(db: Database) -> Purged:
        return Purged(("left out",)) if next(times) % FILES_EVERY else clean(db)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(purge, "purge", seldom)
        patch.setattr(purge, "CHECKPOINT_WAIT_MS", 1)
        yield


def _played(backend: Backend, world: World) -> Generator[World]:
    memories = (world.home, *world.slots)
    if backend.dialect is Dialect.SQLITE:
        turn: Any = Turn(lambda: world.schedule)
        world.turn = turn
        for memory in memories:
            memory.db.ground.turn = turn
    try:
        furnish(world)
        world.raw.prepare()
        with files_now_and_then():
            yield world
        assert world.beside() == world.neighbour
    finally:
        for memory in memories:
            memory.close()
        world.raw.close()


def furnish(world: World) -> None:
    """Live the template's life, and give the neighbour something."""
    memory, ann = world.home, TEMPLATE.partition("/")[2]
    for key in ("m0", "m1", "m2"):
        memory.append(ann, CONVERSATION, "user", TEXTS[key], id=key)
        world.clock.advance(seconds=1)
    memory.append(ann, "c2", "user", TEXTS["other"], id="other")
    memory.observe(ann, "city", OLD, confidence="confirmed", message="m1", quote=TEXTS["m1"])
    memory.add_note(ann, TEXTS["note"], id="note", sources=["m1"])
    memory.summarise(ann, CONVERSATION)
    memory.copies.drain(memory.key(ann))
    memory.append(ann, CONVERSATION, "user", TEXTS["m3"], id="m3")
    memory.append(NEIGHBOUR, CONVERSATION, "user", TEXTS["other"])
    memory.copies.drain(memory.key(NEIGHBOUR))
    world.neighbour = world.beside()
