"""Contexts from the cache: equal to one that is made, gone with whatever would change it, and never wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from secrets import token_bytes
from typing import Any

import pytest
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, confirm, declared, infer, say

from seihon import errors
from seihon.canonical import faults
from seihon.derived.cache import Cache, LocalCache, ServerCache
from seihon.derived.cache.kept import IN_PROCESS, IN_SERVER, LONGEST_S, Kept
from seihon.memory import Memory
from seihon.model import Context, OutOfReach, StoreState
from seihon.models.embedder import Kind
from seihon.testing.clock import FakeClock
from seihon.testing.embedder import FakeEmbedder
from seihon.testing.valkey import ValkeyServer

CANARY = "zxqorb"
FILES = {"save": "3600 1", "appendonly": "yes"}
Opener = Callable[..., Memory]


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    with ValkeyServer() as started:
        yield started


@pytest.fixture
def opened(backend: Backend, clock: FakeClock) -> Iterator[Opener]:
    """Open memories of one database, with a key of their own; they are closed with the test."""
    secret = token_bytes(32)
    with ExitStack() as stack:

        def open_memory(cache: str | Cache = "memory", **how: Any) -> Memory:
            given: dict[str, Any] = {
                "clock": clock,
                "schema": SCHEMA,
                "tenant": "acme",
                "secret": secret,
                **how,
            }
            return stack.enter_context(Memory.open(backend.url, cache=cache, **given))

        yield open_memory


@pytest.fixture(params=["memory", "server"])
def memory(request: pytest.FixtureRequest, opened: Opener, server: ValkeyServer) -> Iterator[Memory]:
    """A memory with a cache of its own of each kind."""
    if request.param == "memory":
        yield opened()
        return
    cache = ServerCache(server.url, prefix=request.node.name)
    yield opened(cache)
    cache.close()


def ask(memory: Memory, owner: str = "ann", **how: Any) -> Context:
    given: dict[str, Any] = {"conversation": "c1", "query": "ferry", **how}
    return memory.context(owner, **given)


def asked(memory: Memory, how: dict[str, Any], made: int) -> Context:
    """Return a context, and require that it was assembled as often as that."""
    calls: list[object] = []
    assembled: Callable[..., Any] = getattr(memory, "_assembled")  # noqa: B009 - to look, not to use

    def noted(*given: Any) -> Any:
        calls.append(given)
        return assembled(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_assembled", noted)
        found = ask(memory, **how)
    assert len(calls) == made
    return found


def is_made(memory: Memory, **how: Any) -> Context:
    """Return a context that is not from the cache."""
    return asked(memory, how, 1)


def is_kept(memory: Memory, **how: Any) -> Context:
    """Return a context from the cache."""
    return asked(memory, how, 0)


def same(one: Context) -> dict[str, Any]:
    return {**one.as_dict(), "trace": ""}


def test_p5_a_context_from_the_cache_equals_the_one_that_was_made_and_is_a_run_of_its_own(
    memory: Memory,
) -> None:
    message = say(memory, "the ferry at nine")
    confirm(memory, "plan", "pro", message)
    memory.add_note("ann", "likes the ferry")
    for render in ("text", "messages"):
        first, second = is_made(memory, render=render), is_kept(memory, render=render)
        assert same(first) == same(second)
        assert first.trace != second.trace
        told = [memory.trace("ann", one.trace).as_dict() for one in (first, second)]
        assert {**told[0], "id": "", "at": ""} == {**told[1], "id": "", "at": ""}
    with_newest = is_made(memory, query=None)
    assert same(is_kept(memory, query=None)) == same(with_newest)


@pytest.mark.parametrize(
    "other",
    [
        {"query": "boat"},
        {"query": None},
        {"conversation": "c2"},
        {"conversation": None},
        {"purpose": "research"},
        {"budget": 500},
        {"render": "messages"},
    ],
    ids=str,
)
def test_whatever_is_asked_otherwise_is_another_entry(opened: Opener, other: dict[str, Any]) -> None:
    memory = opened()
    say(memory, "the ferry at nine")
    is_made(memory)
    is_made(memory, **other)
    is_kept(memory)


WRITES: dict[str, Callable[[Memory, Any], object]] = {
    "append": lambda memory, _: say(memory, "another"),
    "edit": lambda memory, said: memory.edit("ann", said.id, "the boat at ten", expect=1),
    "set": lambda memory, _: memory.set("ann", "plan", "free"),
    "observe": lambda memory, said: infer(memory, "mood", "good", said),
    "note": lambda memory, _: memory.add_note("ann", "a ferry is a boat"),
    "forget": lambda memory, said: memory.forget_message("ann", said.id),
    "forget field": lambda memory, _: memory.forget_field("ann", "plan"),
    "schema": lambda memory, _: memory.register_schema(
        declared(**{**SCHEMA["properties"], "more": {"type": "boolean"}})
    ),
    "retention": lambda memory, _: memory.set_retention(timedelta(days=900)),
}


@pytest.mark.parametrize("name", WRITES)
def test_p1_every_write_makes_the_next_context_anew(memory: Memory, name: str) -> None:
    said = say(memory, "the ferry at nine")
    confirm(memory, "plan", "pro", said)
    say(memory, "and the weather")
    is_made(memory)
    WRITES[name](memory, said)
    found = is_made(memory)
    assert "plan: pro" not in found.text or name not in ("set", "forget field")
    assert "ferry at nine" not in found.text or name not in ("edit", "forget")


def test_a_context_is_not_kept_while_a_copy_has_yet_to_follow(opened: Opener) -> None:
    memory = opened(derive="external")
    say(memory, "the ferry at nine")
    assert "said_just_now" in {item.reason for item in is_made(memory, conversation=None).items}
    is_made(memory, conversation=None)
    memory.copies.drain(memory.key("ann"))
    is_made(memory, conversation=None)
    is_kept(memory, conversation=None)


def test_what_is_derived_anew_is_shown_at_once(opened: Opener) -> None:
    memory = opened()
    for number in range(6):
        say(memory, f"the ferry of pier {number} leaves at nine")
    is_made(memory)
    memory.summarise("ann", "c1")
    is_made(memory)
    memory.rebuild("ann")
    is_made(memory)
    is_kept(memory)


def test_an_entry_lasts_less_than_a_minute(opened: Opener, clock: FakeClock) -> None:
    memory = opened()
    say(memory, "the ferry at nine")
    is_made(memory)
    clock.advance(seconds=LONGEST_S - 0.001)
    is_kept(memory)
    clock.advance(seconds=0.001)
    is_made(memory)


def test_a_clock_that_was_set_back_finds_nothing_kept(opened: Opener, clock: FakeClock) -> None:
    memory = opened()
    say(memory, "the ferry at nine")
    is_made(memory)
    clock.advance(seconds=-1.0)
    before = ask(memory)
    clock.advance(seconds=-1.0)
    assert same(ask(memory)) == same(before)


ENDING: dict[str, Callable[[Memory, Any], object]] = {
    "message": lambda memory, at: memory.append("ann", "c1", "user", f"{CANARY} ferry", expires_at=at),
    "found message": lambda memory, at: memory.append("ann", "c9", "user", f"{CANARY} ferry", expires_at=at),
    "note": lambda memory, at: memory.add_note("ann", f"{CANARY} ferry", expires_at=at),
    "note by its source": lambda memory, at: memory.add_note(
        "ann", f"{CANARY} ferry", sources=[memory.append("ann", "c9", "user", "here", expires_at=at).id]
    ),
    "conversation": lambda memory, at: (
        memory.append("ann", "c9", "user", f"{CANARY} ferry"),
        memory.update_conversation("ann", "c9", retention=at - memory.clock()),
    ),
    "tenant": lambda memory, at: (
        memory.append("ann", "c9", "user", f"{CANARY} ferry"),
        memory.set_retention(at - memory.clock()),
    ),
}


@pytest.mark.scenario("L4")
@pytest.mark.parametrize("name", ENDING)
def test_a_kept_context_ends_with_the_first_of_its_items(opened: Opener, clock: FakeClock, name: str) -> None:
    memory = opened()
    ENDING[name](memory, clock() + timedelta(seconds=20))
    assert CANARY in is_made(memory).text
    clock.advance(seconds=19.9)
    assert CANARY in is_kept(memory).text
    clock.advance(seconds=0.1)
    assert CANARY not in is_made(memory).text


@pytest.mark.parametrize(
    ("rule", "then"),
    [
        ({"policy": "guard_ttl", "ttl_seconds": 20, "blank_after_seconds": None}, "stale"),
        ({"policy": "guard", "blank_after_seconds": 20}, ""),
        ({"policy": "belief", "serve_at": 0.98, "inferred_noise": 0.01, "seconds_per_turn": 20.0}, ""),
    ],
    ids=["stale", "blank", "belief"],
)
def test_a_kept_context_ends_as_a_value_changes_by_time_alone(
    opened: Opener, clock: FakeClock, rule: dict[str, Any], then: str
) -> None:
    memory = opened(schema=declared(plan={"type": "string", "enum": ["free", "pro"], "x-seihon": rule}))
    confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    first = is_made(memory)
    assert "plan: pro" in first.text
    for _ in range(49):
        clock.advance(seconds=1.0)
        fresh = opened("off", schema=None)
        assert ask(memory).text == fresh.context("ann", conversation="c1", query="ferry").text
        fresh.close()
    found = ask(memory)
    assert found.text != first.text
    assert then in found.text


@pytest.mark.scenario("A17")
def test_p2_a_deletion_leaves_nothing_of_its_owner_in_the_cache(memory: Memory) -> None:
    said = say(memory, f"the ferry {CANARY}")
    ask(memory)
    other = say(memory, "the ferry", owner="bob")
    ask(memory, "bob")
    cache, holder = memory.copies.kept.cache, memory.copies.kept.holder
    assert cache is not None and cache.held(holder(memory.key("ann"))) == 1
    receipt = memory.forget_message("ann", said.id).wait()
    assert cache.held(holder(memory.key("ann"))) == 0
    assert cache.held(holder(memory.key("bob"))) == 1 and other.id
    states = {one.store: one.state for one in receipt.stores}
    places = [name for name in states if name.startswith("cache")]
    assert places == list(memory.copies.kept.places)
    assert {states[name] for name in places} == {StoreState.VERIFIED}
    assert is_made(memory).items == ()


def test_p3_a_context_made_before_a_deletion_is_not_kept_after_it(memory: Memory) -> None:
    said = say(memory, f"the ferry {CANARY}")
    found = ask(memory)
    kept = memory.copies.kept
    memory.forget_message("ann", said.id).wait()
    kept.put(memory.key("ann"), ["late"], found.text, epoch=found.epoch, seconds=60)
    assert kept.get(memory.key("ann"), ["late"]) is None
    ask(memory)
    memory.forget_owner("ann").wait()
    with pytest.raises(errors.OwnerDeleted):
        ask(memory)


def test_p3_a_deletion_between_the_cache_and_the_answer_is_seen(memory: Memory) -> None:
    said = say(memory, f"the ferry {CANARY}")
    is_made(memory)
    kept, get = memory.copies.kept, Kept.get
    deleting = iter([lambda: memory.forget_message("ann", said.id)])

    def slow(self: Kept, owner: str, what: Any) -> str | None:
        text = get(self, owner, what)
        next(deleting, lambda: None)()
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kept, "get", slow)
        assert CANARY not in ask(memory).text
    assert kept.counts.hits == 1


class Remembering(LocalCache):
    """Tells what was put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, dict[str, bytes]] = {}

    def put(self, owner: str, key: str, value: bytes, *, epoch: int, seconds: float) -> bool:
        self.values.setdefault(owner, {})[key] = value
        return super().put(owner, key, value, epoch=epoch, seconds=seconds)


def test_p4_an_entry_under_another_owner_or_of_another_secret_is_a_miss(opened: Opener) -> None:
    cache = Remembering()
    memory = opened(cache)
    say(memory, f"the ferry {CANARY}")
    say(memory, "the ferry", owner="bob")
    ask(memory)
    ask(memory, "bob")
    kept = memory.copies.kept
    ann, bob = (kept.holder(memory.key(owner)) for owner in ("ann", "bob"))
    assert "ann" not in ann
    # What a broken server or a hand in it would do: every entry of one owner under every key of another.
    (entry,) = cache.values[ann].values()
    for key in cache.values[bob]:
        cache.put(bob, key, entry, epoch=0, seconds=60)
    assert CANARY not in is_made(memory, owner="bob").text
    other = opened(cache, secret=b"another key of thirty-two bytes or more")
    assert CANARY in is_made(other).text


@pytest.mark.scenario("A16")
def test_two_memories_share_a_server_and_a_deletion_in_one_reaches_both(
    opened: Opener, server: ValkeyServer
) -> None:
    one, two = opened(server.url), opened(server.url)
    said = say(one, f"the ferry {CANARY}")
    first = is_made(one)
    assert same(is_kept(two)) == same(first)
    receipt = two.forget_message("ann", said.id).wait()
    assert {place.store for place in receipt.stores} >= {IN_PROCESS, IN_SERVER}
    assert is_made(one).items == is_kept(two).items == ()
    assert receipt.out_of_reach == ()


def test_a_cache_in_the_process_names_other_processes_as_out_of_reach(opened: Opener) -> None:
    memory = opened()
    receipt = memory.forget_message("ann", say(memory, "the ferry").id)
    assert receipt.out_of_reach == (OutOfReach("memory of other running processes", "60 seconds"),)
    off = opened("off")
    assert off.forget_message("ann", say(off, "the ferry").id).out_of_reach == ()


def test_p2_a_servers_files_hold_nothing_once_the_receipt_is_verified(opened: Opener) -> None:
    with ValkeyServer(settings=FILES) as server:
        memory = opened(server.url)
        said = [say(memory, f"the ferry {CANARY}"), say(memory, f"again {CANARY}")]
        ask(memory)
        ServerCache(server.url).rewrite()
        assert scan(server) == 2, "the scan must be able to find it"
        waiting = [memory.forget_message("ann", one.id) for one in said]
        for receipt in waiting:
            steps = receipt.wait().purge
            assert "log of the cache server written anew" in steps
        assert scan(server) == 0


def scan(server: ValkeyServer) -> int:
    return sum(CANARY.encode() in path.read_bytes() for path in server.folder.rglob("*") if path.is_file())


def test_a_server_that_is_down_costs_a_miss_and_leaves_the_receipt_open(
    opened: Opener, clock: FakeClock
) -> None:
    with ValkeyServer() as server:
        memory = opened(server.url)
        said = say(memory, f"the ferry {CANARY}")
        first = is_made(memory)
        server.stop()
        assert same(is_made(memory)) == same(first)
        assert memory.health().cache_failures > 0
        receipt = memory.forget_message("ann", said.id)
        assert CANARY not in ask(memory).text
        states = {one.store: (one.state, one.error) for one in memory.receipt("ann", receipt.id).stores}
        assert states[IN_SERVER] == (StoreState.FAILED, "unavailable")
        assert states["files"][0] is StoreState.VERIFIED
        with pytest.raises(errors.Incomplete) as told:
            receipt.wait(0.1)
        assert told.value.details["stores"] == [IN_SERVER]
        server.start()
        assert receipt.wait().state is StoreState.VERIFIED


def test_a_process_without_the_server_does_not_close_a_receipt_that_names_it(
    opened: Opener, server: ValkeyServer
) -> None:
    memory, other = opened(server.url, derive="external"), opened("off")
    receipt = memory.forget_message("ann", say(memory, "the ferry").id)
    with pytest.raises(errors.Incomplete):
        other.wait("ann", receipt.id, 0.1)
    codes = {one.store: one.error for one in other.receipt("ann", receipt.id).stores}
    assert codes[IN_SERVER] == "not_set_up"
    memory.copies.drain(memory.key("ann"))
    assert memory.receipt("ann", receipt.id).state is StoreState.VERIFIED


def test_no_transaction_is_open_while_a_deletion_waits_for_the_cache(opened: Opener) -> None:
    told: list[str] = []

    class Watched(LocalCache):
        def drop(self, owner: str, *, epoch: int) -> int:
            told.append("drop")
            return super().drop(owner, epoch=epoch)

    memory = opened(Watched())
    said = say(memory, "the ferry")
    ask(memory)
    stop = faults.listen(told.append)
    try:
        memory.forget_message("ann", said.id).wait()
    finally:
        stop()
    at = [place for place, one in enumerate(told) if one == "drop"]
    assert len(at) == 2
    # Between the beginning of a transaction and its end there is no drop: both follow a commit.
    assert told[at[0] - 1] == "tx.begun" or told[at[0] - 1].startswith("write.after")
    assert "receipt.before_cache" in told[: at[1]]


def questions(model: FakeEmbedder) -> int:
    return sum(kind is Kind.QUERY for kind, _ in model.seen)


def test_the_vector_of_a_question_is_made_once_for_each_owner_until_a_deletion(opened: Opener) -> None:
    model = FakeEmbedder()
    memory = opened(embedders=(model,))
    said = say(memory, "the ferry at nine")
    first = memory.search("ann", "ferry")
    assert memory.search("ann", "ferry") == first
    ask(memory)
    assert questions(model) == 1
    memory.search("bob", "ferry")
    assert questions(model) == 2
    memory.forget_message("ann", said.id)
    memory.search("ann", "ferry")
    assert questions(model) == 3
