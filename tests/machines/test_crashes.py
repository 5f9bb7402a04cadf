"""A process that dies at any named point leaves what it acknowledged, no half, and its deletions to go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import DEEP, Backend
from tests.support.dying import DiedError, counted, dying
from tests.support.profiles import SCHEMA
from tests.support.slow import Slow

from seihon import errors
from seihon.canonical import index
from seihon.canonical.database import Options
from seihon.canonical.faults import POINTS
from seihon.canonical.scope import Writer
from seihon.derived.fulltext import FullText
from seihon.derived.outside import Webhook
from seihon.derived.outside.webhook import Letter
from seihon.memory import Memory
from seihon.model import OutsideState, StoreState
from seihon.testing.clock import FakeClock

SECRET = b"a secret of thirty-two bytes, or more"
CRM = Webhook("crm", "https://crm.test/", "whsec_" + "A" * 32)
# What the life below ends with: a sweep, a message, a field, a conversation.
DELETIONS = 4
OCCASIONS = 25
Step = Callable[[Memory, str], object]
State = tuple[Any, ...]


@contextmanager
def process(url: str, clock: FakeClock) -> Generator[Memory]:
    """A process's memory, with a store beside the index whose copies are slow, and a system outside."""
    memory = Memory.open(url, clock=clock, secret=SECRET, options=Options(pool_size=2), webhooks=[CRM])
    memory.copies.outside.send = acknowledged
    stores = (*memory.copies.stores, Slow())
    memory.copies.stores = memory.copies.worker.stores = stores
    memory.db.stores = {store.name: store.follows for store in stores}
    try:
        yield memory
    finally:
        # As when a process ends: connections go, nothing is finished.
        memory.db.close()


def acknowledged(_hook: Webhook, _letter: Letter, _at: int) -> OutsideState:
    return OutsideState.ACKNOWLEDGED


def refuses(_store: FullText, _tx: Writer, _keys: Sequence[str]) -> Sequence[str]:
    raise ValueError


def life(clock: FakeClock, patches: pytest.MonkeyPatch) -> list[Step]:
    """The steps of an owner's life, a verb each, in which every point is reached."""

    def index_fails(memory: Memory, owner: str) -> None:
        with patches.context() as patch:
            patch.setattr(FullText, "refresh", refuses)
            memory.append(owner, "c1", "user", "the index fails", id="m5")
        clock.advance(seconds=60)

    def time_passes(_memory: Memory, _owner: str) -> None:
        clock.advance(seconds=61)

    def loses_an_entry(memory: Memory, owner: str) -> None:
        with memory.db.derive(memory.key(owner)) as tx:
            tx.run(index.DROP_POSTINGS, docs=["message:m2"])
        memory.verify(owner, repair=True)

    def soon_gone(memory: Memory, owner: str) -> None:
        memory.append(owner, "c2", "user", "soon gone", id="m4", expires_at=clock() + timedelta(seconds=50))

    return [
        lambda m, o: m.append(o, "c1", "user", "first", id="m1"),
        lambda m, o: m.append(o, "c1", "user", "second", id="m2"),
        lambda m, o: m.append(o, "c2", "user", "third", id="m3"),
        lambda m, o: m.observe(o, "plan", "pro", confidence="confirmed", message="m1", quote="first"),
        lambda m, o: m.add_note(o, "a note on the third", id="n1", sources=["m3"]),
        lambda m, o: m.set(o, "nick", "Annie"),
        lambda m, o: m.edit(o, "m2", "second, mended", expect=1),
        index_fails,
        soon_gone,
        time_passes,
        lambda m, o: m.sweep(o),
        lambda m, o: m.forget_message(o, "m1"),
        lambda m, o: m.forget_field(o, "nick"),
        lambda m, o: m.forget_conversation(o, "c2"),
        lambda m, o: m.rebuild(o),
        loses_an_entry,
        lambda m, o: m.append(o, "c1", "user", "last", id="m6"),
    ]


def state(memory: Memory, owner: str) -> State:
    """What anybody can see of an owner, without ids and times."""
    talks = [one.id for one in memory.conversations(owner).items]
    said = [(talk, one.content, one.version) for talk in talks for one in memory.messages(owner, talk)]
    values = [(one.field, one.status, one.value) for one in memory.profile(owner).states.values()]
    claims = [(one.state, one.value) for one in memory.history(owner, "plan")]
    return tuple(said), tuple(one.text for one in memory.notes(owner)), tuple(values), tuple(claims)


def lived(memory: Memory, owner: str, steps: Sequence[Step]) -> list[State]:
    """Live a life undisturbed; return the state before it and after each step."""
    states = [state(memory, owner)]
    for step in steps:
        step(memory, owner)
        states.append(state(memory, owner))
    return states


@pytest.mark.timeout(3_600)
@pytest.mark.scenario("I4")
def test_p6_a_process_that_dies_at_any_named_point_leaves_no_half(
    backend: Backend, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    Memory.open(backend.url, schema=SCHEMA, secret=SECRET).close()
    steps = life(clock, monkeypatch)
    with process(backend.url, clock) as memory, counted() as times:
        states = lived(memory, "undisturbed", steps)
    assert set(times) == set(POINTS), "every named point is reached, and named"
    for point, at in occasions(times):
        try:
            dies_and_lives_on(backend.url, clock, steps, states, point=point, at=at)
        except (AssertionError, errors.SeihonError) as failed:
            failed.add_note(f"at the {at}. time that {point} is reached")
            raise


def occasions(times: Counter[str]) -> Iterator[tuple[str, int]]:
    """Where to die: at one occasion in the middle, in a deep run at some twenty-five all over the life."""
    for point in POINTS:
        step = max(1, times[point] // OCCASIONS)
        chosen = range(1, times[point] + 1, step) if DEEP else [times[point] // 2 + 1]
        yield from ((point, at) for at in chosen)


def dies_and_lives_on(
    url: str, clock: FakeClock, steps: Sequence[Step], states: Sequence[State], *, point: str, at: int
) -> None:
    """Die once in a life; a new process finds a whole state, and ends where an undisturbed life ends."""
    owner = f"{point}-{at}"
    done = dies(url, clock, owner, steps, point=point, at=at)
    with process(url, clock) as memory:
        found = state(memory, owner)
        assert found in (states[done], states[done + 1])
        whole = done + 1 if found != states[done] else done
        for step in steps[whole:]:
            step(memory, owner)
        assert state(memory, owner) == states[-1]
        nothing_is_left_to_do(memory, owner)
        found_ids = [one.id for one in memory.search(owner, "first second third gone", k=9)]
        assert found_ids[0] == "m2" and set(found_ids) <= {"m2", "m5", "m6"}
        assert len(memory.receipts(owner)) == DELETIONS


def dies(url: str, clock: FakeClock, owner: str, steps: Sequence[Step], *, point: str, at: int) -> int:
    """Live until the point is reached; return how many steps were acknowledged."""
    with process(url, clock) as memory, dying(point, at=at):
        for done, step in enumerate(steps):
            try:
                step(memory, owner)
            except DiedError:
                return done
    raise AssertionError("the point was not reached")


def nothing_is_left_to_do(memory: Memory, owner: str) -> None:
    """Every deletion gets to its end, every revision left its events, and no copy differs."""
    for receipt in memory.receipts(owner):
        assert receipt.wait(timeout=20).state is StoreState.VERIFIED
    memory.copies.drain(memory.key(owner))
    assert [one.differences for one in memory.verify(owner, store="fulltext")] == [()]
    told = {one.revision for one in memory.changes(owner, limit=1000)}
    assert told == set(range(1, memory.owner(owner).revision + 1))
