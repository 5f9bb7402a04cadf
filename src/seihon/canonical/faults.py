"""Named points at the edges of commits, where a test may stop, fail or look.

In production ``reach`` finds nobody listening and returns. A test arms a point with ``listen``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

POINTS: Final = (
    "tx.begin",
    "tx.begun",
    "write.before_commit",
    "write.after_commit",
    "worker.before_refresh",
    "worker.before_settle",
    "worker.before_commit",
    "worker.after_commit",
    "worker.after_lease",
    "worker.after_prepare",
    "worker.before_fail",
    "outside.after_lease",
    "outside.after_send",
    "outside.after_commit",
    "receipt.before_batch",
    "receipt.before_batch_commit",
    "receipt.after_batch",
    "receipt.before_read_back",
    "receipt.after_read_back",
    "receipt.before_cache",
    "receipt.before_files",
    "receipt.after_files",
    "receipt.before_verified",
    "receipt.after_verified",
    "rebuild.after_page",
    "verify.before_repair",
    "sweep.before_forget",
)

Listener = Callable[[str], None]
_listeners: list[Listener] = []


def reach(point: str) -> None:
    """Say that a named point is reached; whoever listens may raise or wait."""
    for listener in _listeners:
        listener(point)


def listen(listener: Listener) -> Callable[[], None]:
    """Add a listener to every point and return what removes it again."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)
