"""How far deletions are carried in one go, and who gets his turn after how much of one."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

BATCH: Final = 250
"""How many copies of a place one transaction takes out: SQLite's one writer is held for some 30 ms."""

SMALL_BATCH: Final = 125
"""The same in the call that deletes."""

IN_A_CALL: Final = 4
"""Batches of a deletion that the deleting call itself carries out, the empty one that ends it included: some
400 records. What is larger is left to whoever waits for it, or to the worker."""

IN_A_ROUND: Final = 8
"""Batches of one deletion in a round of the worker: the others get their turn after some 0.3 s."""

REST: Final = 0.5
"""How long a long deletion rests after a batch, as a share of what the batch took: SQLite's one writer
must let others in between, and the next lock is taken by whoever asks first."""

LONG: Final = 200
"""After a batch of fewer copies than that nobody needs a rest."""


class Effort(Enum):
    """Which places of a deletion are looked at.

    ``ALL``: somebody waits for it. ``DUE``: what failed waits longer from one time to the next. ``QUICK``: as
    ``DUE``, in a call that deletes: files that take long to clean are left to whoever comes next.
    """

    ALL = auto()
    DUE = auto()
    QUICK = auto()


class TurnOver(Exception):  # noqa: N818 - it says what is the case
    """A deletion had its share; it goes on at its next turn."""


@dataclass(slots=True)
class Pace:
    """How deletions are carried on.

    ``batch``: about so many copies of a place at once; ``share``: the most batches of each deletion;
    ``until``: when to leave off (``time.monotonic``); ``stop``: leaves off when set. ``rest``: a pause after
    each batch, as a share of its time. ``told``: called with how many copies a batch took out. ``came``: how
    far each deletion came in this process, so that its next turn need not look again at what earlier ones
    took out.

    ``cut`` says, afterwards, that some deletion could go on at once.
    """

    effort: Effort
    batch: int = BATCH
    share: float = math.inf
    until: float = math.inf
    stop: threading.Event | None = None
    rest: float = 0.0
    told: Callable[[int], None] | None = None
    came: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    cut: bool = False

    def require_turn(self, batches: int) -> None:
        """Let a deletion that had so many batches have one more.

        Raises:
            TurnOver: it had its share, or there is no time for another.
        """
        stopped = self.stop is not None and self.stop.is_set()
        if batches >= self.share or stopped or time.monotonic() >= self.until:
            self.cut = True
            raise TurnOver

    def after_batch(self, count: int, took: float) -> None:
        """Tell of a batch that took out ``count`` copies in ``took`` seconds, and rest."""
        if self.told is not None and count:
            self.told(count)
        if self.rest and count >= LONG:
            time.sleep(self.rest * took)
