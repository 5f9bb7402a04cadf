"""The cache in the memory of this process: the default, for one process at a time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from seihon.derived.cache.contract import FENCE_S, MOST_OF_AN_OWNER

MOST_BYTES: Final = 32 * 2**20
"""The size of all entries together; beyond it the ones that were not asked for longest go."""


SWEEP_S: Final = 10.0
"""How long after its end an entry may still lie in memory, in seconds."""


@dataclass(frozen=True, slots=True)
class _Entry:
    value: bytes
    until: float


class LocalCache:
    """A bounded dictionary. ``timer`` gives seconds that only grow."""

    name: str = "memory"

    def __init__(self, *, most: int = MOST_BYTES, timer: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._timer = timer
        self._lock = threading.Lock()
        self._owners: OrderedDict[str, OrderedDict[str, _Entry]] = OrderedDict()
        self._bytes = 0
        self._fences: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._sweeper: threading.Thread | None = None

    def get(self, owner: str, key: str) -> bytes | None:
        """Return an entry that is still held; it is the newest then."""
        with self._lock:
            held = self._owners.get(owner)
            found = held.get(key) if held is not None else None
            if found is None:
                return None
            if found.until <= self._timer():
                self._take(owner, key)
                return None
            self._owners.move_to_end(owner)
            return found.value

    def put(self, owner: str, key: str, value: bytes, *, epoch: int, seconds: float) -> bool:
        """Hold an entry; see the contract. One larger than the whole cache is not kept."""
        with self._lock:
            now = self._timer()
            if epoch < self._fences.get(owner, (0, 0.0))[0] or len(value) > self._most:
                return False
            self._take(owner, key)
            held = self._owners.setdefault(owner, OrderedDict())
            held[key] = _Entry(value, now + seconds)
            self._owners.move_to_end(owner)
            self._bytes += len(value)
            self._trim(owner)
            self._sweep_later()
            return True

    def drop(self, owner: str, *, epoch: int) -> int:
        """Take out whatever an owner holds; see the contract."""
        with self._lock:
            now = self._timer()
            self._fences[owner] = (max(epoch, self._fences.get(owner, (0, 0.0))[0]), now)
            self._fences.move_to_end(owner)
            while now - next(iter(self._fences.values()))[1] > FENCE_S:
                self._fences.popitem(last=False)
            held = self._owners.pop(owner, None) or {}
            self._bytes -= sum(len(entry.value) for entry in held.values())
            return len(held)

    def held(self, owner: str) -> int:
        """Count what an owner holds."""
        with self._lock:
            return len(self._owners.get(owner, ()))

    def close(self) -> None:
        """Forget everything: memory that is given back holds nobody's words."""
        with self._lock:
            self._owners.clear()
            self._bytes = 0

    def sweep(self) -> int:
        """Take out what has ended, asked for or not; return how much is held still."""
        with self._lock:
            now = self._timer()
            ended = [
                (owner, key)
                for owner, held in self._owners.items()
                for key, entry in held.items()
                if entry.until <= now
            ]
            for owner, key in ended:
                self._take(owner, key)
            return len(self._owners)

    def _sweep_later(self) -> None:
        """Let a thread sweep while anything is held: a process that nobody asks would hold it for good."""
        if self._sweeper is None or not self._sweeper.is_alive():
            self._sweeper = threading.Timer(SWEEP_S, self._sweep_and_on)
            self._sweeper.daemon = True
            self._sweeper.start()

    def _sweep_and_on(self) -> None:
        left = self.sweep()
        with self._lock:
            self._sweeper = None
            if left:
                self._sweep_later()

    def _take(self, owner: str, key: str) -> None:
        held = self._owners.get(owner)
        gone = held.pop(key, None) if held is not None else None
        if gone is not None:
            self._bytes -= len(gone.value)
        if held is not None and not held:
            del self._owners[owner]

    def _trim(self, owner: str) -> None:
        while len(self._owners[owner]) > MOST_OF_AN_OWNER:
            self._take(owner, next(iter(self._owners[owner])))
        while self._bytes > self._most:
            oldest = next(iter(self._owners))
            self._take(oldest, next(iter(self._owners[oldest])))
