"""Caches of finished contexts and of the vectors of questions: in this process, or in a server for many."""

from __future__ import annotations

from seihon.derived.cache.contract import Cache
from seihon.derived.cache.local import LocalCache
from seihon.derived.cache.server import ServerCache

__all__ = ["Cache", "LocalCache", "ServerCache"]
