"""Caches of finished contexts and of the vectors of questions: in this process, or in a server for many."""

from __future__ import annotations

from typing import Final

from seihon import errors
from seihon.derived.cache.contract import Cache
from seihon.derived.cache.kept import Kept
from seihon.derived.cache.local import LocalCache
from seihon.derived.cache.server import ServerCache

__all__ = ["MEMORY", "OFF", "Cache", "Kept", "LocalCache", "ServerCache", "cache"]

MEMORY: Final = "memory"
OFF: Final = "off"


def cache(name: str) -> Cache | None:
    """Return a new cache: ``memory``, the address of a server, or none for ``off``.

    Raises:
        InvalidArgument: it is none of these. Unavailable: the server's client is not installed.
    """
    if name == OFF:
        return None
    if name == MEMORY:
        return LocalCache()
    if "://" not in name:
        raise errors.InvalidArgument(
            "The cache must be memory, off, or the address of a server such as redis://localhost:6379/0.",
            name="cache",
        )
    return ServerCache(name)
