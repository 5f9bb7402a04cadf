"""The sets of vectors: what a comparison finds in them, what a repair leaves in service, how they fill."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import delete, update
from tests.conftest import Backend
from tests.contract.memories import open_memory, say
from tests.derived.embedders import follow, held, open_with, states

from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, Reader, p
from seihon.derived.contract import DifferenceKind
from seihon.derived.vectors import sets
from seihon.memory import Derive, Memory
from seihon.testing.clock import FakeClock
from seihon.testing.embedder import FakeEmbedder

TEXTS = 40
NEW = FakeEmbedder("new", dimensions=16)
v = t.vectors.c


@pytest.fixture
def changing(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    """A memory between two models: the first one's set serves, the other's is empty yet."""
    with open_with(backend.url, clock, FakeEmbedder()) as memory:
        for number in range(TEXTS):
            say(memory, f"tea number {number}")
        follow(memory)
    with open_with(backend.url, clock, NEW, FakeEmbedder()) as memory:
        say(memory, "and coffee")
        memory.copies.worker.batch(memory.key("ann"), memory.copies.stores[2])
        assert states(memory) == {"fake@1": "serving", "new@1": "filling"}
        yield memory


def docs(memory: Memory) -> list[str]:
    """Return the keys of all texts, the last first; the new set is filled from the other end."""
    return sorted(
        (f"message:{one.id}" for one in memory.messages("ann", "c1", limit=100).items), reverse=True
    )


def served(memory: Memory) -> int:
    """Return how many texts have a vector in the set that serves."""
    found = held(memory, docs(memory))
    return sum(alive for (_, name), alive in found.items() if name == "fake@1")


def test_what_a_new_set_lacks_lags_and_is_no_difference_of_the_one_that_serves(changing: Memory) -> None:
    compared = changing.verify("ann", store="vectors", repair=True)[0]
    assert (compared.differences, compared.repaired) == ((), 0)
    assert served(changing) == TEXTS + 1


def test_p6_a_repair_takes_nothing_out_of_service_that_is_true(changing: Memory) -> None:
    torn, lost, *_ = docs(changing)
    with changing.db.derive(changing.key("ann")) as tx:
        one = (v.owner == OWNER, v.doc == p("doc"), v.model == "fake@1")
        tx.count(update(t.vectors).where(*one).values(version=0), doc=torn)
        tx.count(delete(t.vectors).where(*one), doc=lost)
    changing.verify("ann", store="vectors", repair=True)
    assert served(changing) == TEXTS
    changing.copies.worker.batch(changing.key("ann"), changing.copies.stores[2])
    assert served(changing) == TEXTS + 1
    assert changing.verify("ann", store="vectors")[0].differences == ()


def test_a_vector_of_no_text_is_taken_out_by_a_repair(changing: Memory) -> None:
    gone = docs(changing)[0]
    with changing.db.derive(changing.key("ann")) as tx:
        stray = update(t.vectors).where(v.owner == OWNER, v.doc == p("doc")).values(doc="message:nowhere")
        tx.count(stray, doc=gone)
    found = changing.verify("ann", store="vectors", repair=True)[0]
    assert {one.key: one.kind for one in found.differences} == {
        gone: DifferenceKind.GAP,
        "message:nowhere": DifferenceKind.ORPHAN,
    }
    assert (found.left, held(changing, ["message:nowhere"])) == (0, {})


def test_a_long_text_that_misses_a_part_differs_and_is_embedded_anew(
    backend: Backend, clock: FakeClock
) -> None:
    with open_with(backend.url, clock, FakeEmbedder()) as memory:
        long = memory.append("ann", "c1", "user", "word. " * 400)
        follow(memory)
        last = (v.owner == OWNER, v.part > 0)
        with memory.db.derive(memory.key("ann")) as tx:
            assert tx.count(delete(t.vectors).where(*last)) > 0
        found = memory.verify("ann", store="vectors", repair=True)[0].differences
        assert {one.key: one.kind for one in found} == {f"message:{long.id}": DifferenceKind.STALE}
        follow(memory)
        assert memory.verify("ann", store="vectors")[0].differences == ()


def test_a_set_is_filled_in_one_walk_and_looked_through_once_more_before_it_serves(
    backend: Backend, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(backend.url, clock) as plain:
        for number in range(3 * sets.AT_A_TIME):
            say(plain, f"tea number {number}")
        plain.add_note("ann", "likes tea")
    walked: list[str] = []
    look = sets._missing  # pyright: ignore[reportPrivateUsage] - where each look begins is what is tested

    def noted(tx: Reader, model: str, after: str) -> list[str]:
        walked.append(after)
        return look(tx, model, after)

    monkeypatch.setattr(sets, "_missing", noted)
    with open_with(backend.url, clock, FakeEmbedder(), derive=Derive.EXTERNAL) as memory:
        say(memory, "and coffee")
        while states(memory) != {"fake@1": "serving"}:
            follow(memory)
        assert memory.verify("ann", store="vectors")[0].differences == ()
    assert (walked[0], walked[-1]) == ("", "")
    assert walked[1:-1] == sorted(set(walked[1:-1]))
    assert len(walked) >= 4
