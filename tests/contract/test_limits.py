"""What is taken at the door fits into every key of both databases, and costs no more than its size."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from tests.conftest import Backend
from tests.contract.memories import confirm, open_memory

from seihon import errors
from seihon.core import scopes
from seihon.memory import Memory, door
from seihon.model import StoreState
from seihon.testing.clock import FakeClock

CHANCE = random.Random(7)
WIDTHS = {1: (0x61, 0x7A), 2: (0x400, 0x44F), 3: (0x4E00, 0x9FFF), 4: (0x20000, 0x2A6DF)}


def longest(width: int) -> str:
    """An id as long as may be, of signs with so many bytes each, that no database can compress."""
    count = min(door.MAX_ID, door.MAX_ID_BYTES // width)
    return "".join(chr(CHANCE.randint(*WIDTHS[width])) for _ in range(count))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_longest_ids_meet_in_every_key(backend: Backend, clock: FakeClock, width: int) -> None:
    owner, talk, said, note, scope = (longest(width) for _ in range(5))
    with open_memory(backend.url, clock, tenant=longest(width)) as memory:
        message = memory.append(owner, talk, "user", "I am on the pro plan, briefly", id=said)
        confirm(memory, "plan", "pro", message, owner=owner)
        memory.set(owner, "length", "brief", scope=scope)
        memory.add_note(owner, "likes the pro plan", id=note, sources=[said])
        assert {hit.id for hit in memory.search(owner, "pro plan")} == {said, note}
        memory.edit(owner, said, expect=1, content="I am on the free plan")
        for forgotten in (
            memory.forget_field(owner, "length", scope=scope),
            memory.forget_message(owner, said),
            memory.forget_conversation(owner, talk),
            memory.forget_owner(owner),
        ):
            assert forgotten.wait(timeout=10).state is StoreState.VERIFIED


@pytest.mark.parametrize("width", [1, 3, 4])
def test_an_id_that_is_longer_is_refused_on_both_databases(memory: Memory, width: int) -> None:
    given = longest(width) + chr(WIDTHS[width][0])
    with pytest.raises(errors.InvalidText) as refused:
        memory.append("ann", "c1", "user", "tea", id=given)
    assert "at most" in refused.value.message
    with pytest.raises(errors.InvalidText):
        memory.profile(given)
    with pytest.raises(errors.InvalidArgument):
        scopes.scope(given)


def doubled(times: int) -> Any:
    value: Any = ["x"]
    for _ in range(times):
        value = [value, value]
    return value


def looped() -> Any:
    value: dict[str, Any] = {}
    value["a"] = value["b"] = value
    return value


@pytest.mark.parametrize(
    "metadata",
    [
        pytest.param({"a": doubled(28)}, id="lists that stand in many places"),
        pytest.param({"a": [["x" * 8_000] * 100] * 100}, id="a text that stands in many places"),
        pytest.param({"x" * 9_000: 1, "a": {"x" * 9_000: 1}}, id="long keys"),
        pytest.param(looped(), id="an object inside itself"),
        pytest.param({"a": 10**5_000}, id="a huge number"),
    ],
)
def test_metadata_cost_no_more_than_their_limit(memory: Memory, metadata: dict[str, Any]) -> None:
    begun = time.process_time()
    with pytest.raises(errors.InvalidArgument):
        memory.append("ann", "c1", "user", "tea", metadata=metadata)
    assert time.process_time() - begun < 2
