"""How long a call waits for systems outside: a share of its time, whatever is due and whoever is down."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, SECRET, say
from tests.support.receiver import SECRET as SHARED

from seihon.derived import outside
from seihon.derived.outside.webhook import Letter, Unreached, Webhook
from seihon.memory import Derive, Memory
from seihon.model import OutsideState
from seihon.testing.clock import FakeClock

DOWN = Webhook("a_down", "https://down.test/", SHARED)
UP = Webhook("b_up", "https://up.test/", SHARED)


class Network:
    """What was sent, in order; ``slow``: seconds that each takes; ``refused``: receipts never taken."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.slow = 0.0
        self.refused = set[str]()

    def send(self, hook: Webhook, letter: Letter, _timestamp: int) -> OutsideState:
        self.sent.append((hook.name, letter.id))
        time.sleep(self.slow)
        if hook is DOWN or letter.id in self.refused:
            raise Unreached("timeout" if hook is DOWN else "status_400")
        return OutsideState.ACKNOWLEDGED

    def names(self) -> list[str]:
        """Give the systems that were tried since the last call."""
        found = [name for name, _ in self.sent]
        self.sent.clear()
        return found


@pytest.fixture
def network() -> Network:
    return Network()


@pytest.fixture
def memory(backend: Backend, clock: FakeClock, network: Network) -> Iterator[Memory]:
    with Memory.open(
        backend.url, clock=clock, schema=SCHEMA, secret=SECRET, derive=Derive.EXTERNAL, webhooks=(DOWN, UP)
    ) as memory:
        memory.copies.outside.send = network.send
        yield memory


def forget(memory: Memory, count: int) -> list[str]:
    return sorted(memory.forget_message("ann", say(memory, "tea").id).id for _ in range(count))


def tell(memory: Memory) -> int:
    return memory.copies.outside.tell(memory.key("ann"))


def test_a_system_that_is_down_is_tried_once_in_a_call(memory: Memory, network: Network) -> None:
    forget(memory, 3)
    assert tell(memory) == 4
    assert sorted(network.names()) == ["a_down", "b_up", "b_up", "b_up"]
    assert tell(memory) == 1, "the next message, once"
    assert network.names() == ["a_down"]


def test_no_message_is_begun_after_the_share_of_a_call(
    memory: Memory, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "SHARE_S", 0.3)
    network.slow = 0.2
    forget(memory, 5)
    begun = time.monotonic()
    assert tell(memory) == 2
    assert time.monotonic() - begun < 1.0
    network.slow = 0.0
    tell(memory)
    assert network.names().count("b_up") == 5


def test_a_system_that_was_down_uses_up_the_time_of_no_other(
    memory: Memory, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "SHARE_S", 0.0)
    forget(memory, 2)
    for _ in range(4):
        assert tell(memory) == 1
    assert network.names() == ["a_down", "b_up", "b_up", "a_down"]


def test_a_message_that_is_always_refused_holds_up_no_other(
    memory: Memory, network: Network, clock: FakeClock
) -> None:
    first, *others = forget(memory, 3)
    network.refused = {first}
    tell(memory)
    for _ in range(2):
        clock.advance(seconds=7200)
        tell(memory)
    taken = {one for name, one in network.sent if name == "b_up"}
    assert taken == {first, *others}
    states = {one: memory.receipt("ann", one).outside[1].state for one in (first, *others)}
    assert states == {first: OutsideState.FAILED} | dict.fromkeys(others, OutsideState.ACKNOWLEDGED)


def test_a_call_that_deletes_waits_for_one_attempt_beyond_its_share(
    backend: Backend, clock: FakeClock, network: Network, memory: Memory
) -> None:
    forget(memory, 4)
    network.slow = 0.6
    with Memory.open(
        backend.url, clock=clock, schema=SCHEMA, secret=SECRET, derive=Derive.INLINE, webhooks=(DOWN, UP)
    ) as inline:
        inline.copies.outside.send = network.send
        inline.forget_message("ann", say(inline, "tea").id)
    assert len(network.sent) == 2, "0.6 seconds each, and none is begun after one second"
