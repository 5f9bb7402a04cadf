"""The cache as reads and deletions use it: whatever fails here costs a read a miss, never an answer.

An entry goes through the codec's door, and carries a keyed mark of its owner, its key and its words: what
was damaged, forged or put under another owner is a miss.
"""

from __future__ import annotations

import hmac
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from seihon import errors
from seihon.canonical.codec import Codec, to_json
from seihon.canonical.fingerprints import Secret
from seihon.derived.cache.contract import Cache, FilesOfItsOwn
from seihon.derived.cache.local import SWEEP_S
from seihon.derived.failures import code_of

_log: Final = logging.getLogger(__name__)

IN_PROCESS: Final = "cache"
IN_SERVER: Final = "cache_server"
PLACES: Final = frozenset({IN_PROCESS, IN_SERVER})

LONGEST_S: Final = 60.0 - SWEEP_S
"""How long an entry is good, in seconds: with the time until it is swept, a minute in memory."""

REST_S: Final = 2.0
"""How long reads leave a cache alone that failed: each would wait for it."""

TRIES: Final = 3
NOT_SET_UP: Final = "not_set_up"
LEFTOVERS: Final = "leftovers"

T = TypeVar("T")


@dataclass(slots=True)
class Counts:
    """What this process asked of its cache; ``failures``: how often it did not answer."""

    hits: int = 0
    misses: int = 0
    failures: int = 0


@dataclass(slots=True)
class Kept:
    """A cache with the key of its entries. Without a cache everything is a miss.

    ``database`` tells apart databases that share a server and a secret.
    """

    cache: Cache | None = None
    secret: Secret | None = None
    codec: Codec | None = None
    database: str = ""
    counts: Counts = field(default_factory=Counts)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _silent_until: float = 0.0

    @property
    def is_on(self) -> bool:
        """Tell whether there is a cache to ask."""
        return self.cache is not None

    @property
    def name(self) -> str:
        """Return what it is, for people."""
        return "off" if self.cache is None else self.cache.name

    @property
    def places(self) -> tuple[str, ...]:
        """Return the places that a receipt names."""
        return (IN_PROCESS, IN_SERVER) if self._server is not None else (IN_PROCESS,)

    @property
    def is_in_process(self) -> bool:
        """Tell whether other processes may hold entries that no deletion of this one reaches."""
        return self.cache is not None and self._server is None

    @property
    def _server(self) -> FilesOfItsOwn | None:
        return self.cache if isinstance(self.cache, FilesOfItsOwn) else None

    # --- What reads ask: nothing here raises. ---

    def get(self, owner: str, what: Sequence[object]) -> str | None:
        """Return an entry's text."""
        if self.cache is None:
            return None
        name = self._digest(owner, "cache entry", to_json([self.database, *what]))
        found = self._tried(lambda cache: cache.get(self.holder(owner), name), None)
        text = None if found is None else self._opened(owner, name, found)
        with self._lock:
            self.counts.hits += text is not None
            self.counts.misses += text is None
        return text

    def put(self, owner: str, what: Sequence[object], text: str, *, epoch: int, seconds: float) -> None:
        """Hold a text for a while; one that was made before a deletion is refused there."""
        if self.cache is None or self.codec is None or seconds <= 0:
            return
        name = self._digest(owner, "cache entry", to_json([self.database, *what]))
        value = f"{self._mark(owner, name, text)}\n{self.codec.seal(owner, text)}".encode()
        most = min(seconds, LONGEST_S)
        self._tried(
            lambda cache: cache.put(self.holder(owner), name, value, epoch=epoch, seconds=most), False
        )

    def forget(self, owner: str, *, epoch: int) -> None:
        """Drop what an owner holds, if the cache answers; a receipt makes sure of it."""
        self._tried(lambda cache: cache.drop(self.holder(owner), epoch=epoch), 0)

    # --- What a deletion asks: outside any transaction. ---

    def cleared(self, owner: str, *, epoch: int) -> str:
        """Drop what an owner holds and read it back; return the code of what went wrong, or nothing."""
        if self.cache is None:
            return ""
        holder = self.holder(owner)
        try:
            for _ in range(TRIES):
                # Reads of now may put their own in between.
                self.cache.drop(holder, epoch=epoch)
                if self.cache.held(holder) == 0:
                    return ""
        except Exception as error:  # noqa: BLE001 - a cache may fail in any way
            return self._failed(error)
        return LEFTOVERS

    def rewritten(self) -> tuple[tuple[str, ...], str]:
        """Let a server write its files anew; return what was done, and the code of what went wrong."""
        if self._server is None:
            return (), ""
        try:
            return self._server.rewrite(), ""
        except Exception as error:  # noqa: BLE001 - as above
            return (), self._failed(error)

    def is_quick(self) -> bool:
        """Tell whether a call that deletes may wait for the cache: there are no files to write anew."""
        server = self._server
        return server is None or not self._tried(lambda _: server.keeps_files(), False)

    def close(self) -> None:
        """Give back what it holds in this process."""
        if self.cache is not None:
            self.cache.close()

    def holder(self, owner: str) -> str:
        """Return what stands for an owner in the cache."""
        return self._digest(owner, "cache")

    def _mark(self, owner: str, name: str, text: str) -> str:
        return self._digest(owner, "cache mark", name, text)

    def _digest(self, *parts: str) -> str:
        return errors.certain(self.secret, "a cache has its secret").digest(*parts)

    def _opened(self, owner: str, name: str, value: bytes) -> str | None:
        try:
            mark, _, sealed = value.partition(b"\n")
            text = errors.certain(self.codec, "a cache has its codec").open(owner, sealed.decode())
        except Exception as error:  # noqa: BLE001 - damaged, or sealed with a key that is gone
            self._failed(error)
            return None
        return text if hmac.compare_digest(mark, self._mark(owner, name, text).encode()) else None

    def _tried(self, act: Callable[[Cache], T], otherwise: T) -> T:
        if self.cache is None or time.monotonic() < self._silent_until:
            return otherwise
        try:
            return act(self.cache)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error)
            self._silent_until = time.monotonic() + REST_S
            return otherwise

    def _failed(self, error: Exception) -> str:
        with self._lock:
            self.counts.failures += 1
        code = code_of(error)
        _log.warning("The cache failed (%s).", code)
        return code
