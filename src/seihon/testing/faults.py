"""Arming the named fault points: fail there, stop there, or look."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from seihon.canonical.faults import POINTS, listen
from seihon.errors import InvalidArgument

__all__ = ["POINTS", "Crash", "Gate", "at", "crash", "gate"]


class Crash(BaseException):
    """The process ends here: nothing catches it, nothing is cleaned up but what the database does itself."""


class Gate:
    """A point where whoever arrives waits: ``arrived`` is set by them, ``open`` lets them go on."""

    def __init__(self, timeout: float) -> None:
        self.arrived = threading.Event()
        self._go = threading.Event()
        self._timeout = timeout

    def open(self) -> None:
        """Let everybody through from now on."""
        self._go.set()

    def wait(self) -> None:
        """Wait at the gate, for as long as it was made for."""
        self.arrived.set()
        self._go.wait(self._timeout)


@contextmanager
def at(point: str, step: Callable[[], object], *, times: int = 1) -> Generator[None]:
    """Call ``step`` the first ``times`` times that a point is reached in the block.

    Raises:
        InvalidArgument: there is no such point.
    """
    if point not in POINTS:
        raise InvalidArgument("There is no such fault point; `POINTS` names them.")
    left = threading.Semaphore(times)

    def listener(reached: str) -> None:
        if reached == point and left.acquire(blocking=False):
            step()

    remove = listen(listener)
    try:
        yield
    finally:
        remove()


@contextmanager
def crash(point: str) -> Generator[None]:
    """End the work at a point with ``Crash``, once."""

    def end() -> None:
        raise Crash(point)

    with at(point, end):
        yield


@contextmanager
def gate(point: str, *, timeout: float = 10.0) -> Generator[Gate]:
    """Let the first to arrive at a point wait until the gate is opened, or the block ends."""
    barrier = Gate(timeout)
    with at(point, barrier.wait):
        try:
            yield barrier
        finally:
            barrier.open()
