"""``derive="background"``: the copies follow in a thread, also for a role that sees no other owners."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.conftest import Backend

from seihon import errors
from seihon.memory import Derive, Memory

SECRET = b"a secret of the tests, 32 bytes long"


def _soon(found: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not found():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _follows(memory: Memory) -> None:
    said = memory.append("ann", "talk", "user", "a lantern in the window")
    assert _soon(lambda: bool(memory.search("ann", "lantern")))
    receipt = memory.forget_message("ann", said.id)
    assert memory.search("ann", "lantern") == ()
    assert _soon(lambda: str(memory.receipt("ann", receipt.id).state) == "verified")


def test_the_copies_follow_in_a_thread(backend: Backend) -> None:
    with Memory.open(backend.url, derive="background", secret=SECRET) as memory:
        _follows(memory)


def test_they_follow_for_a_role_that_sees_its_own_writes_only(backend: Backend) -> None:
    stop = threading.Event()
    with Memory.open(backend.url, derive="external", secret=SECRET) as memory:
        memory.db.operates = False
        memory.setup = replace(memory.setup, derive=Derive.BACKGROUND)
        thread = threading.Thread(target=memory.copies.run, args=(stop,))
        thread.start()
        try:
            _follows(memory)
        finally:
            stop.set()
            memory.copies.worker.wake()
            thread.join()


def test_a_role_without_the_right_is_refused_instead_of_shown_nothing(backend: Backend) -> None:
    with Memory.open(backend.url, secret=SECRET) as memory:
        memory.append("ann", "talk", "user", "hello")
        memory.db.operates = False
        with pytest.raises(errors.Unsafe, match="across owners"):
            memory.health()
        with pytest.raises(errors.Unsafe, match="across owners"):
            memory.verify()
        assert not any(one.left for one in memory.verify("ann"))
