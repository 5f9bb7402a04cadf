"""The cache in a Redis or Valkey server, for many processes.

An owner's entries are the fields of one hash, so that one ``DEL`` takes out all of them, and there is no
list of keys that could miss one. The epoch of the last deletion is a key beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from seihon import errors
from seihon.derived.cache.contract import FENCE_S, MOST_OF_AN_OWNER

TIMEOUT_S: Final = 1.0
"""How long the server may take; a read that would wait longer is made anew instead."""

PREFIX: Final = "seihon"

# Compared and written in one step: between the two, a deletion could pass.
_PUT: Final = """
local fence = redis.call('GET', KEYS[2])
if fence and tonumber(fence) > tonumber(ARGV[3]) then return 0 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 1
"""
_DROP: Final = """
local fence = redis.call('GET', KEYS[2])
if not fence or tonumber(fence) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
end
local held = redis.call('HLEN', KEYS[1])
redis.call('DEL', KEYS[1])
return held
"""

REFUSED: Final = "files of the cache server: it does not let its client ask"
_POLL_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class _Files:
    """One kind of files, the command that writes it anew, and what `INFO persistence` calls its states."""

    name: str
    command: str
    busy: tuple[str, ...]
    status: str


_SNAPSHOT: Final = _Files("snapshot", "BGSAVE", ("rdb_bgsave_in_progress",), "rdb_last_bgsave_status")
_LOG: Final = _Files(
    "log",
    "BGREWRITEAOF",
    ("aof_rewrite_in_progress", "aof_rewrite_scheduled"),
    "aof_last_bgrewrite_status",
)


class _RefusedError(Exception):
    """The server does not let this client ask."""


class ServerCache:
    """A client of one server. ``url`` as ``redis://host:port/0``, ``rediss://…`` or ``unix://path``."""

    name: str = "redis"

    def __init__(self, url: str, *, timeout: float = TIMEOUT_S, prefix: str = PREFIX) -> None:
        self._client = _connect(url, timeout)
        self._prefix = prefix
        self._put = self._client.register_script(_PUT)
        self._drop = self._client.register_script(_DROP)

    def get(self, owner: str, key: str) -> bytes | None:
        """Return an entry that is still held."""
        found: bytes | None = self._do(lambda: self._client.hget(self._hash(owner), key))
        return found

    def put(self, owner: str, key: str, value: bytes, *, epoch: int, seconds: float) -> bool:
        """Hold an entry; see the contract. An owner's entries end together, with the last of them."""
        args = [key, value, epoch, max(1, int(seconds * 1_000)), MOST_OF_AN_OWNER]
        return bool(self._do(lambda: self._put(keys=self._keys(owner), args=args)))

    def drop(self, owner: str, *, epoch: int) -> int:
        """Take out whatever an owner holds; see the contract."""
        args = [epoch, int(FENCE_S * 1_000)]
        return int(self._do(lambda: self._drop(keys=self._keys(owner), args=args)))

    def held(self, owner: str) -> int:
        """Count what an owner holds."""
        return int(self._do(lambda: self._client.hlen(self._hash(owner))))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def rewrite(self, *, patience: float = 60.0) -> tuple[str, ...]:
        """Make the server write its files anew, since they hold what its memory held; return what was done.

        A server that keeps no files has nothing to do; one that does not let its client ask says so.

        Raises:
            Unavailable: the files were not written within ``patience`` seconds.
        """
        until = time.monotonic() + patience
        try:
            keeps = self._keeps()
            return tuple(self._again(kind, until) for kind in keeps)
        except _RefusedError:
            return (REFUSED,)

    def keeps_files(self) -> bool:
        """Tell whether there are files to write anew."""
        try:
            return bool(self._keeps())
        except _RefusedError:
            return False

    def _keeps(self) -> list[_Files]:
        """Return the kinds of files that the server keeps, or may have kept."""
        info = self._info()
        saves = self._asked(lambda: self._client.config_get("save"))["save"]
        snapshot = saves or info.get("rdb_saves", 1) or info.get("rdb_last_load_keys_loaded", 1)
        return [*([_SNAPSHOT] if snapshot else []), *([_LOG] if info["aof_enabled"] else [])]

    def _again(self, files: _Files, until: float) -> str:
        """Write one kind of files anew: one that is being written may have begun before the drop."""
        self._idle(files, until)
        self._asked(lambda: self._client.execute_command(files.command))
        self._idle(files, until)
        if self._info()[files.status] != "ok":
            raise errors.Unavailable("The cache server could not write its files anew.", files=files.name)
        return f"{files.name} of the cache server written anew"

    def _idle(self, files: _Files, until: float) -> None:
        while any(self._info().get(flag) for flag in files.busy):
            if time.monotonic() > until:
                raise errors.Unavailable("The cache server is still writing its files.", files=files.name)
            time.sleep(_POLL_S)

    def _info(self) -> dict[str, Any]:
        return dict(self._asked(lambda: self._client.info("persistence")))

    def _asked(self, act: Callable[[], Any]) -> Any:
        """Ask for something that a server may refuse its clients."""
        import redis

        try:
            return self._do(act)
        except errors.Unavailable as error:
            if isinstance(error.__cause__, redis.ResponseError):
                raise _RefusedError from error
            raise

    def _hash(self, owner: str) -> str:
        return f"{self._prefix}:{{{owner}}}:cache"

    def _keys(self, owner: str) -> list[str]:
        # The braces keep both keys on one node of a cluster.
        return [self._hash(owner), f"{self._prefix}:{{{owner}}}:epoch"]

    def _do(self, act: Callable[[], Any]) -> Any:
        import redis

        try:
            return act()
        except redis.RedisError as error:
            # The kind alone: a message of the server may hold what it was sent.
            raise errors.Unavailable(
                "The cache server does not answer.", kind=type(error).__name__
            ) from error


def _connect(url: str, timeout: float) -> Any:
    if find_spec("redis") is None:
        raise errors.Unavailable("A cache server needs the extra `seihon[redis]`; install it.")
    # Loaded by its name: its types are unknown in part, and every use would say so.
    redis = import_module("redis")
    try:
        return redis.Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout)
    except ValueError:
        raise errors.InvalidArgument(
            "The cache must be redis://, rediss:// or unix:// and an address."
        ) from None
