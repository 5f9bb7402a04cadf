"""The word that a write says to workers elsewhere: ``NOTIFY`` on PostgreSQL, without a payload.

A transaction that notifies holds a lock of the whole server from then until it has committed, which keeps
others from sharing its sync. So of a busy process only one write in 50 ms says the word, in its own
transaction, and who hears it looks once more a moment later. A word that is lost (a pooler in between, a
server that restarts, a process that dies) costs no more than the worker's poll.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

CHANNEL: Final = "seihon_work"
NOTIFY: Final = f"NOTIFY {CHANNEL}"
LISTEN: Final = f"LISTEN {CHANNEL}"

SILENCE_S: Final = 0.05
"""For how long a process is silent after it said the word."""


class Word:
    """What a process says to the workers of its database; ``clock`` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said = float("-inf")

    def is_due(self) -> bool:
        """Tell whether a transaction that is about to commit should say it."""
        return self._clock() - self._said >= SILENCE_S

    def said(self) -> None:
        """Note that a transaction which said it has committed."""
        self._said = self._clock()
