"""A connection that hears of writes on PostgreSQL, so that a worker need not wait for its next poll."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy.engine import URL

from seihon.canonical.database import Options, make_engine
from seihon.canonical.waking import LISTEN, SILENCE_S

AGAIN_S: Final = 2 * SILENCE_S
"""How long after a word whoever heard it looks once more: what was written in silence commits by then."""

PATIENCE_S: Final = 0.2
"""How often a listener that hears nothing looks whether it is to stop."""

LONGEST_WAIT_S: Final = 30.0
_log: Final = logging.getLogger(__name__)


class Listener:
    """Hears of writes on a connection of its own, which is replaced when it breaks; a poll bridges the gap.

    ``heard`` is called for each word, and whenever listening begins: something may have been missed.
    """

    def __init__(self, url: URL, heard: Callable[[], None]) -> None:
        self._url = url
        self._heard = heard
        self.is_listening = threading.Event()

    def run(self, stop: threading.Event) -> None:
        """Listen until ``stop`` is set."""
        tries = 0
        while not stop.is_set():
            try:
                self._listen(stop)
            except Exception as error:  # noqa: BLE001 - a listener that died would never hear again
                # The name alone: an error's own text may hold a host or a user.
                _log.warning("The worker polls, since it cannot listen: %s.", type(error).__name__)
            tries = 0 if self.is_listening.is_set() else tries + 1
            self.is_listening.clear()
            stop.wait(min(LONGEST_WAIT_S, 2.0**tries - 0.5))

    def _listen(self, stop: threading.Event) -> None:
        engine = make_engine(self._url, Options(pool_size=1))
        raw: Any = engine.raw_connection()
        try:
            connection = raw.driver_connection
            connection.autocommit = True
            connection.execute(LISTEN)
            self.is_listening.set()
            self._look(stop)
            while not stop.is_set():
                # A generator that ends after the first word, or without one.
                if any(True for _ in connection.notifies(timeout=PATIENCE_S, stop_after=1)):
                    self._look(stop)
        finally:
            raw.invalidate()
            engine.dispose()

    def _look(self, stop: threading.Event) -> None:
        """Let the worker look now, and once what was written in silence has committed."""
        self._heard()
        stop.wait(AGAIN_S)
        self._heard()
