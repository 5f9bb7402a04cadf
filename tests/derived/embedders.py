"""What tests of vectors share: a memory with embedders, and where its vectors are ranked."""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence

from sqlalchemy import select
from tests.contract.memories import SCHEMA, SECRET

from seihon.canonical import tables as t
from seihon.canonical import vectors as statements
from seihon.canonical.scope import OWNER
from seihon.derived.vectors.embedding import unit
from seihon.memory import Derive, Memory
from seihon.models.embedder import Embedder, Kind, Vector
from seihon.testing.clock import FakeClock
from seihon.testing.embedder import FakeEmbedder


class Scattered(FakeEmbedder):
    """Gives each text a vector of its own, of as many floats as a model in use has."""

    def __init__(self) -> None:
        super().__init__("scattered", dimensions=384)

    def stored(self, text: str) -> bytes:
        """Return the bytes under which the vector of a short text is stored."""
        return unit(self.embed([text], Kind.PASSAGE)[0]).tobytes()

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        return [unit(array("f", random.Random(text).choices(range(-999, 999), k=384))) for text in texts]


def open_with(
    url: str, clock: FakeClock, *embedders: Embedder | str, derive: Derive = Derive.EXTERNAL
) -> Memory:
    """Open a test's memory with these embedders."""
    return Memory.open(
        url, clock=clock, schema=SCHEMA, tenant="acme", derive=derive, secret=SECRET, embedders=embedders
    )


def follow(memory: Memory, owner: str = "ann") -> None:
    """Let every copy follow all that is due."""
    memory.copies.worker.drain(memory.key(owner))


def states(memory: Memory, owner: str = "ann") -> dict[str, str]:
    """Return the sets of an owner's vectors with their states."""
    with memory.db.read(memory.key(owner)) as tx:
        return {row.model: row.state for row in tx.all(statements.SETS)}


def held(memory: Memory, docs: Sequence[str], owner: str = "ann") -> dict[tuple[str, str], bool]:
    """Return whether vectors are held of these texts, by key and set; a tombstone holds none."""
    with memory.db.read(memory.key(owner)) as tx:
        return {(row.doc, row.model): bool(row.alive) for row in tx.all(statements.HELD, docs=list(docs))}


def failing(memory: Memory, owner: str = "ann") -> dict[str, str]:
    """Return the keys of vectors that failed, with their codes."""
    d = t.dirty.c
    failed = select(d.key, d.error).where(d.owner == OWNER, d.store == "vectors", d.attempts > 0)
    with memory.db.read(memory.key(owner)) as tx:
        return {row.key: row.error for row in tx.all(failed)}
