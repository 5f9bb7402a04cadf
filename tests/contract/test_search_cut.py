"""However many better sums belong to what may not answer, what may is found: the cut comes after the join."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.conftest import Backend
from tests.contract.memories import open_memory

from seihon.core import rank
from seihon.memory import Memory
from seihon.testing.clock import FakeClock

# More than the best sums that are looked up first, which are twice the pool.
CROWD = 2 * rank.pool(1) + 50


@pytest.fixture
def crowded(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    """Very many short texts that say the word, two long ones elsewhere that say it too, and a note."""
    with open_memory(backend.url, clock) as memory:
        soon = (clock() + timedelta(hours=1)).isoformat()
        loud = [{"role": "user", "content": f"dog {n}", "expires_at": soon} for n in range(CROWD)]
        memory.import_transcript("ann", loud, conversation="loud")
        for number in range(2):
            words = " ".join(f"w{number}x{n}" for n in range(60))
            memory.append("ann", "quiet", "user", f"{words} dog", id=f"quiet{number}")
        memory.add_note("ann", " ".join(f"n{n}" for n in range(80)) + " dog")
        yield memory


def test_best_sums_come_first_while_they_live(crowded: Memory) -> None:
    assert {hit.conversation for hit in crowded.search("ann", "dog", k=5)} == {"loud"}


def test_a_filter_finds_what_is_far_below_the_cut(crowded: Memory) -> None:
    found = crowded.search("ann", "dog", k=5, conversation="quiet")
    assert {hit.id for hit in found} == {"quiet0", "quiet1"}
    assert [hit.kind for hit in crowded.search("ann", "dog", k=5, kind="note")] == ["note"]


def test_p2_expired_texts_leave_their_places_to_the_living(crowded: Memory, clock: FakeClock) -> None:
    clock.advance(timedelta(hours=2))
    found = crowded.search("ann", "dog", k=5)
    assert {hit.id for hit in found if hit.kind == "message"} == {"quiet0", "quiet1"}
    assert len(found) == 3


def test_p2_a_deleted_conversation_leaves_its_places_to_the_living(crowded: Memory) -> None:
    crowded.forget_conversation("ann", "loud")
    assert len(crowded.search("ann", "dog", k=5)) == 3
