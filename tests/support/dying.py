"""A process that dies at a named point, without dying: it stops there, and nothing of it runs on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from seihon.canonical import faults


class DiedError(BaseException):
    """Raised at the point; no ``except Exception`` on the way can take it for an error."""


@contextmanager
def counted() -> Generator[Counter[str]]:
    """Count how often each point is reached."""
    times: Counter[str] = Counter()
    leave = faults.listen(lambda point: times.update([point]))
    try:
        yield times
    finally:
        leave()


@contextmanager
def dying(point: str, *, at: int) -> Generator[None]:
    """Die at the ``at``-th time that a point is reached."""
    times = 0

    def listen(reached: str) -> None:
        nonlocal times
        times += reached == point
        if reached == point and times == at:
            raise DiedError(point)

    leave = faults.listen(listen)
    try:
        yield
    finally:
        leave()
