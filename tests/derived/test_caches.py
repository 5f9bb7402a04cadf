"""Caches: what both kinds promise, on a real server too, and what the server's files hold afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from seihon import errors
from seihon.derived.cache import Cache, LocalCache, ServerCache
from seihon.derived.cache import cache as named
from seihon.derived.cache.contract import MOST_OF_AN_OWNER
from seihon.derived.cache.server import REFUSED
from seihon.testing.valkey import ValkeyServer

CANARY = "zxqorb 桜の木"
FILES = {"save": "3600 1", "appendonly": "yes"}


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    with ValkeyServer() as started:
        yield started


@pytest.fixture(params=["memory", "server"])
def cache(request: pytest.FixtureRequest, server: ValkeyServer) -> Iterator[Cache]:
    made: Cache = (
        LocalCache() if request.param == "memory" else ServerCache(server.url, prefix=request.node.name)
    )
    with closing(made):
        yield made


def test_what_was_put_is_got_by_its_owner_and_key_alone(cache: Cache) -> None:
    assert cache.put("ann", "k", CANARY.encode(), epoch=1, seconds=60)
    assert cache.get("ann", "k") == CANARY.encode()
    assert cache.get("ann", "other") is None
    assert cache.get("bob", "k") is None
    assert (cache.held("ann"), cache.held("bob")) == (1, 0)


def test_p2_after_a_drop_nothing_of_the_owner_is_held(cache: Cache) -> None:
    for number in range(5):
        cache.put("ann", f"k{number}", b"x", epoch=1, seconds=60)
    cache.put("bob", "k", b"y", epoch=1, seconds=60)
    assert cache.drop("ann", epoch=2) == 5
    assert [cache.get("ann", f"k{number}") for number in range(5)] == [None] * 5
    assert (cache.held("ann"), cache.held("bob")) == (0, 1)
    assert cache.drop("ann", epoch=2) == 0


def test_p3_what_was_made_before_a_deletion_does_not_come_in_after_it(cache: Cache) -> None:
    cache.drop("ann", epoch=7)
    assert not cache.put("ann", "k", b"old", epoch=6, seconds=60)
    assert cache.held("ann") == 0
    assert cache.put("ann", "k", b"new", epoch=7, seconds=60)
    cache.drop("ann", epoch=3)  # a drop that was done again, late
    assert not cache.put("ann", "k", b"old", epoch=6, seconds=60)


def test_an_owner_holds_a_bounded_number_of_entries(cache: Cache) -> None:
    for number in range(3 * MOST_OF_AN_OWNER):
        cache.put("ann", f"k{number}", b"x", epoch=0, seconds=60)
        assert cache.get("ann", f"k{number}") == b"x"
        assert cache.held("ann") <= MOST_OF_AN_OWNER


def test_an_entry_ends_with_its_time() -> None:
    now = [0.0]
    cache = LocalCache(timer=lambda: now[0])
    cache.put("ann", "k", b"x", epoch=0, seconds=10)
    now[0] = 9.9
    assert cache.get("ann", "k") == b"x"
    now[0] = 10.0
    assert cache.get("ann", "k") is None
    assert cache.held("ann") == 0


def test_a_server_ends_entries_by_itself(server: ValkeyServer) -> None:
    with closing(ServerCache(server.url, prefix="ends")) as cache:
        cache.put("ann", "k", b"x", epoch=0, seconds=0.001)
        until(lambda: cache.held("ann") == 0)


def test_what_has_ended_leaves_the_memory_unasked() -> None:
    now = [0.0]
    cache = LocalCache(timer=lambda: now[0])
    cache.put("ann", "k", b"x", epoch=0, seconds=10)
    cache.put("bob", "k", b"x", epoch=0, seconds=20)
    now[0] = 10.0
    assert cache.sweep() == 1
    assert (cache.held("ann"), cache.held("bob")) == (0, 1)


@pytest.mark.parametrize("name", ["", "none", "redis", "localhost:6379"])
def test_a_cache_of_no_known_name_is_refused_with_what_is_allowed(name: str) -> None:
    with pytest.raises(errors.InvalidArgument, match="memory, off, or"):
        named(name)


def test_the_memory_is_bounded_and_what_was_asked_for_stays() -> None:
    cache = LocalCache(most=1_000)
    for name in ("a", "b", "c"):
        cache.put(name, "k", b"x" * 300, epoch=0, seconds=60)
    cache.get("a", "k")
    cache.put("d", "k", b"x" * 300, epoch=0, seconds=60)
    assert [cache.held(name) for name in ("a", "b", "c", "d")] == [1, 0, 1, 1]
    assert not cache.put("e", "k", b"x" * 1_001, epoch=0, seconds=60)


def test_closed_memory_holds_nothing() -> None:
    cache = LocalCache()
    cache.put("ann", "k", b"x", epoch=0, seconds=60)
    cache.close()
    assert cache.get("ann", "k") is None


def until(condition: Callable[[], bool]) -> None:
    import time

    limit = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.005)


def hits(server: ValkeyServer) -> int:
    return sum(CANARY.encode() in path.read_bytes() for path in server.folder.rglob("*") if path.is_file())


def test_p2_the_servers_files_hold_nothing_after_they_were_written_anew() -> None:
    with ValkeyServer(settings=FILES) as server, closing(ServerCache(server.url)) as cache:
        cache.put("ann", "k", CANARY.encode(), epoch=0, seconds=60)
        cache.rewrite()
        assert hits(server) == 2, "the scan must be able to find it"
        cache.drop("ann", epoch=1)
        assert cache.rewrite() == (
            "snapshot of the cache server written anew",
            "log of the cache server written anew",
        )
        assert hits(server) == 0


def test_a_server_that_keeps_no_files_has_none_to_write(server: ValkeyServer) -> None:
    with closing(ServerCache(server.url)) as cache:
        assert cache.rewrite() == ()


def test_a_server_that_refuses_to_be_asked_is_named_as_out_of_reach() -> None:
    with (
        ValkeyServer(settings={"rename-command": "CONFIG hidden"}) as server,
        closing(ServerCache(server.url)) as cache,
    ):
        assert cache.rewrite() == (REFUSED,)
        assert cache.drop("ann", epoch=1) == 0


def test_what_a_crash_left_in_the_servers_files_is_dropped_like_the_rest() -> None:
    with ValkeyServer(settings=FILES) as server:
        with closing(ServerCache(server.url)) as cache:
            cache.put("ann", "k", CANARY.encode(), epoch=0, seconds=60)
            cache.rewrite()
        server.stop()
        server.start()
        with closing(ServerCache(server.url)) as cache:
            assert cache.drop("ann", epoch=1) == 1
            cache.rewrite()
        assert hits(server) == 0


def test_a_server_that_is_gone_says_so_and_names_no_words() -> None:
    with ValkeyServer() as server:
        cache = ServerCache(server.url)
        server.stop()
        acts: tuple[Callable[[], object], ...] = (
            lambda: cache.get("ann", "k"),
            lambda: cache.put("ann", "k", CANARY.encode(), epoch=0, seconds=1),
            lambda: cache.drop("ann", epoch=1),
            cache.rewrite,
        )
        for act in acts:
            with pytest.raises(errors.Unavailable) as told:
                act()
            assert "zxqorb" not in str(told.value)


@pytest.mark.parametrize("url", ["", "localhost", "http://localhost"])
def test_an_address_that_is_none_is_refused_with_what_is_allowed(url: str) -> None:
    with pytest.raises(errors.InvalidArgument, match="redis://"):
        ServerCache(url)
