"""A process killed in the middle of its writes, again and again: everything it acknowledged stands."""

from __future__ import annotations

import os
import random
import signal
import time
from dataclasses import dataclass, field

import pytest
from tests.conftest import DEEP, Backend
from tests.support.crowd import OWNER, SECRET, opened
from tests.support.processes import Crowd, Line
from tests.support.profiles import SCHEMA

from seihon import errors
from seihon.memory import Memory
from seihon.model import Message, StoreState

ROUNDS = 20 if DEEP else 5


@dataclass(slots=True)
class Told:
    """What the killed processes said: texts by message id, and the ids that went."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    gone: dict[str, str] = field(default_factory=dict[str, str])
    receipts: list[str] = field(default_factory=list[str])

    def hear(self, line: Line) -> None:
        """Take what a line acknowledges."""
        if "appended" in line or "edited" in line:
            self.texts[line.get("appended") or line["edited"]] = line["text"]
        if "forgotten" in line:
            self.gone[line["forgotten"]] = self.texts.pop(line["forgotten"])
            self.receipts.append(line["receipt"])


@pytest.mark.timeout(600)
@pytest.mark.scenario("D10", "I4")
def test_p6_what_a_killed_process_acknowledged_stands(backend: Backend) -> None:
    Memory.open(backend.url, schema=SCHEMA, secret=SECRET).close()
    told, chance = Told(), random.Random(4)
    for _ in range(ROUNDS):
        last = killed(backend.url, told, after=chance.uniform(0.05, 0.6))
        with opened(backend.url) as memory:
            stands(memory, told, last)


def killed(url: str, told: Told, *, after: float) -> Line:
    """Let a process write for a while, kill it, and return what it had begun last."""
    last: Line = {}
    with Crowd(url, [{"task": "forget", "seconds": 60}]) as crowd:
        pid, until = 0, float("inf")
        for line in crowd.lines():
            pid = line.get("pid", pid)
            if "ready" in line:
                until = time.monotonic() + after
            told.hear(line)
            last = line
            if time.monotonic() >= until:
                os.kill(pid, signal.SIGKILL)
                until = float("inf")
    assert "done" not in last and "error" not in last, last
    return last


def stands(memory: Memory, told: Told, last: Line) -> None:
    """Everything acknowledged is there as it was told; what was under way is there whole, or not at all."""
    found = {one.id: one.content for one in every_message(memory)}
    settle(told, found, last)
    assert found == told.texts
    for gone in told.gone:
        with pytest.raises(errors.Gone):
            memory.message(OWNER, gone)
    for receipt in told.receipts:
        assert memory.receipt(OWNER, receipt).wait(timeout=30).state is StoreState.VERIFIED
    memory.copies.drain(memory.key(OWNER))
    assert {one.differences for one in memory.verify(OWNER)} == {()}
    for canary in canaries(told):
        assert [hit for hit in memory.search(OWNER, canary, k=9) if canary in hit.text] == []


def every_message(memory: Memory) -> list[Message]:
    """Every message of the one conversation, page by page."""
    if not memory.conversations(OWNER).items:
        return []
    page = memory.messages(OWNER, "common", limit=1000)
    found = list(page.items)
    while page.next:
        page = memory.messages(OWNER, "common", limit=1000, cursor=page.next)
        found += page.items
    return found


def settle(told: Told, found: dict[str, str], last: Line) -> None:
    """Take over what was under way at the end if it was done."""
    if "appending" in last:
        told.texts |= {key: text for key, text in found.items() if text == last["appending"]}
    elif "editing" in last and found.get(last["editing"]) == last["text"]:
        told.texts[last["editing"]] = last["text"]
    elif "forgetting" in last and last["forgetting"] not in found:
        told.gone[last["forgetting"]] = told.texts.pop(last["forgetting"])


def canaries(told: Told) -> list[str]:
    """The words of forgotten texts that no other text has: what no search may find."""
    kept = {word for text in told.texts.values() for word in text.split()[:1]}
    return [text.split()[0] for text in list(told.gone.values())[-10:] if text.split()[0] not in kept]
