"""Schedules that went wrong elsewhere, step by step: who commits when is fixed, connections are real."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import event, select
from tests.conftest import Backend
from tests.contract.memories import POLICIES, confirm, infer, open_memory, plan_under, say
from tests.contract.surfaces import showing

from seihon import errors
from seihon.canonical import faults
from seihon.canonical.database import Options
from seihon.canonical.scope import Reader, Writer, live_messages, p
from seihon.derived.contract import RECORDS, Page, Store, Target
from seihon.derived.worker import Worker
from seihon.memory import Derive, Memory
from seihon.model import FieldStatus, Message, StoreState
from seihon.testing.clock import EPOCH, FakeClock

CANARY = "zxqorb"


@contextmanager
def at_point(point: str, act: Callable[[], object]) -> Generator[None]:
    """Do something once, when a named point is reached."""
    done: list[str] = []

    def listener(reached: str) -> None:
        if reached == point and not done:
            done.append(reached)
            act()

    stop = faults.listen(listener)
    try:
        yield
    finally:
        stop()
    assert done, f"{point} was not reached"


@contextmanager
def at_statement(memory: Memory, number: int, act: Callable[[], object]) -> Generator[list[str]]:
    """Do something just before the ``number``-th statement of a memory; gives the statements so far."""
    seen: list[str] = []

    def listener(_c: Any, _k: Any, statement: str, _v: Any, _x: Any, _m: bool) -> None:
        seen.append(statement)
        if len(seen) == number:
            act()

    event.listen(memory.db.engine, "before_cursor_execute", listener)
    try:
        yield seen
    finally:
        event.remove(memory.db.engine, "before_cursor_execute", listener)


@pytest.fixture
def other(backend: Backend, clock: FakeClock, memory: Memory) -> Iterator[Memory]:
    """A second process on the same database, whose copies somebody else derives."""
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as opened:
        yield opened


@pytest.fixture
def hasty(backend: Backend, clock: FakeClock, memory: Memory) -> Iterator[Memory]:
    """A second process that gives up on a held lock after a moment."""
    options = Options(busy_timeout=0.2)
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL, options=options) as opened:
        yield opened


# -- publishing a copy against a deletion

TEXT = select(live_messages.c.content, live_messages.c.revision).where(live_messages.c.id == p("id"))


@dataclass
class Slow:
    """A store whose copies take long to make: it publishes what it gathered, whatever stands by then."""

    name: str = "fulltext"
    follows: frozenset[str] = RECORDS
    batch: int = 200
    held: dict[str, str] = field(default_factory=dict[str, str])

    def gather(self, tx: Reader, keys: Sequence[str]) -> Mapping[str, str]:
        found = {key: tx.first(TEXT, id=key.partition(":")[2]) for key in keys}
        return {key: tx.open(row.content) for key, row in found.items() if row is not None}

    def prepare(self, originals: Mapping[str, str]) -> Mapping[str, str]:
        return originals

    def publish(self, tx: Writer, keys: Sequence[str], prepared: Mapping[str, str]) -> Sequence[str]:
        for key in keys:
            self.held.pop(key, None)
            if key in prepared:
                self.held[key] = prepared[key]
        return ()

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        return self.publish(tx, keys, self.gather(tx, keys))

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        return 0

    def leftovers(self, tx: Reader, target: Target) -> int:
        return 0

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        return ()

    def differences(self, tx: Reader, after: str, limit: int) -> Page:
        return Page((), None, 0)

    def repair(self, tx: Writer, keys: Sequence[str]) -> None:
        return None


def slow_worker(memory: Memory) -> tuple[Slow, Worker]:
    store = Slow()
    stores: list[Store] = [store]
    tokens = iter(f"w{number}" for number in range(100))
    return store, Worker(memory.db, stores, new_token=lambda: next(tokens))


@pytest.mark.scenario("B1", "B2")
@pytest.mark.parametrize("point", ["worker.after_lease", "worker.after_prepare"])
def test_a_copy_that_was_begun_before_a_deletion_is_not_published(other: Memory, point: str) -> None:
    message = say(other, CANARY)
    store, worker = slow_worker(other)
    with at_point(point, lambda: other.forget_message("ann", message.id)):
        worker.drain(other.key("ann"))
    assert store.held == {}
    worker.drain(other.key("ann"))
    assert store.held == {}


@pytest.mark.parametrize("point", ["worker.after_lease", "worker.after_prepare"])
def test_a_copy_that_was_begun_before_an_edit_is_made_again(other: Memory, point: str) -> None:
    message = say(other, "old words")
    store, worker = slow_worker(other)
    with at_point(point, lambda: other.edit("ann", message.id, "new words", expect=1)):
        worker.batch(other.key("ann"), store)
    assert store.held == {}
    worker.drain(other.key("ann"))
    assert store.held == {f"message:{message.id}": "new words"}


def test_a_copy_that_is_being_published_is_purged_by_the_deletion_that_waited_for_it(
    other: Memory, hasty: Memory
) -> None:
    message = say(other, CANARY)

    def waits() -> None:
        with pytest.raises(errors.Busy):
            hasty.forget_message("ann", message.id)

    with at_point("worker.before_settle", waits):
        other.copies.drain(other.key("ann"))
    assert [hit.id for hit in other.search("ann", CANARY)] == [message.id]
    receipt = hasty.forget_message("ann", message.id)
    assert other.search("ann", CANARY) == ()
    other.copies.drain(other.key("ann"))
    assert other.receipt("ann", receipt.id).state is StoreState.VERIFIED
    assert other.verify("ann")[0].differences == ()


def test_a_context_is_not_handed_out_after_a_deletion_of_what_it_read(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = say(memory, f"the word is {CANARY}")
    say(memory, "and the other word is cobalt")
    assembled = memory._assembled  # pyright: ignore[reportPrivateUsage]
    forgotten: list[str] = []

    def late(*args: Any) -> Any:
        if not forgotten:
            forgotten.append(other.forget_message("ann", message.id).id)
        return assembled(*args)

    monkeypatch.setattr(memory, "_assembled", late)
    made = memory.context("ann", conversation="c1", query=CANARY)
    assert forgotten and CANARY not in made.text and "cobalt" in made.text
    assert message.id not in {item.id for item in made.items}
    assert made.epoch == 1


def test_a_writer_that_waited_for_a_deletion_is_told_that_it_came_too_late(
    memory: Memory, other: Memory
) -> None:
    say(memory, "hello")
    told: list[object] = []

    def write() -> None:
        try:
            told.append(say(other, "too late"))
        except errors.Gone as refused:
            told.append(refused.code)

    waiting = threading.Thread(target=write)

    def begin() -> None:
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()

    with at_statement(memory, 3, begin):
        memory.forget_conversation("ann", "c1")
    waiting.join(10)
    assert told == ["gone"]


# -- torn reads


def before_and_after(text: str) -> set[str]:
    """Return which side of the correction a context shows."""
    sides = {
        "before": ("plan: pro", "\nI am on Pro\n"),
        "after": ("plan: free", "~~I am on Pro~~", "now on Free"),
    }
    return {side for side, signs in sides.items() if any(sign in text for sign in signs)}


def test_a_context_never_mixes_before_and_after_a_correction(memory: Memory, hasty: Memory) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro", owner="count"), owner="count")
    with at_statement(memory, 0, lambda: None) as statements:
        memory.context("count", conversation="c1", query="which plan")
    for number in range(1, len(statements) + 1):
        owner = f"ann{number}"
        confirm(memory, "plan", "pro", say(memory, "I am on Pro", owner=owner), owner=owner)

        def correct(owner: str = owner) -> None:
            # On SQLite nobody writes while the record of the context is written.
            with suppress(errors.Busy):
                confirm(hasty, "plan", "free", say(hasty, "now on Free", owner=owner), owner=owner)

        with at_statement(memory, number, correct):
            made = memory.context(owner, conversation="c1", query="which plan")
        assert len(before_and_after(made.text)) == 1, made.text
        assert made.revision == memory.owner(owner).revision or "plan: pro" in made.text


def test_a_search_never_marks_by_another_state_than_it_found(memory: Memory, other: Memory) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro", owner="count"), owner="count")
    with at_statement(memory, 0, lambda: None) as statements:
        memory.search("count", "Pro")
    for number in range(1, len(statements) + 1):
        owner = f"ann{number}"
        message = say(memory, "I am on Pro", owner=owner)
        confirm(memory, "plan", "pro", message, owner=owner)

        def edit(owner: str = owner, wanted: str = message.id) -> None:
            other.edit(owner, wanted, "now I am on Free", expect=1)

        with at_statement(memory, number, edit):
            found = memory.search(owner, "Pro")
        assert [(hit.text, hit.version, hit.superseded) for hit in found] in (
            [("I am on Pro", 1, ())],
            [],
        )


READS: dict[str, Callable[[Memory, str], object]] = {
    "search": lambda memory, owner: memory.search(owner, "Pro"),
    "profile": lambda memory, owner: [one for one in memory.profile(owner).values() if one is not None],
    "history": lambda memory, owner: [one for one in memory.history(owner, "plan").items if one.value],
}


@pytest.mark.parametrize("name", READS)
def test_what_was_deleted_while_it_was_read_is_not_handed_out(
    memory: Memory, other: Memory, name: str
) -> None:
    def told(owner: str) -> Message:
        message = say(memory, "I am on Pro", owner=owner)
        confirm(memory, "plan", "pro", message, owner=owner)
        return message

    told("count")
    with at_statement(memory, 0, lambda: None) as statements:
        assert READS[name](memory, "count")
    for number in range(1, len(statements) + 1):
        owner = f"ann{number}"
        message = told(owner)
        with at_statement(memory, number, partial(other.forget_message, owner, message.id)):
            assert not READS[name](memory, owner), statements[number - 1]


# -- late statements and deleted corrections


def played(memory: Memory) -> list[Any]:
    """Pro in message 1, something in 3, Free in 5; only 1 and 5 were looked at so far."""
    said = [
        say(memory, text)
        for text in ("I am on Pro", "go on", "what do free users get?", "and then?", "I am on Free now")
    ]
    confirm(memory, "plan", "pro", said[0])
    confirm(memory, "plan", "free", said[4])
    return said


def is_blank(memory: Memory) -> bool:
    state = memory.field("ann", "plan")
    return (state.status, state.value) == (FieldStatus.WITHDRAWN, None)


@pytest.mark.scenario("E13")
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("late", ["before", "after"])
def test_a_late_inference_and_a_deleted_correction_bring_nothing_back(
    backend: Backend, clock: FakeClock, policy: str, late: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        said = played(memory)
        if late == "before":
            infer(memory, "plan", "free", said[2])
        memory.forget_message("ann", said[4].id)
        assert is_blank(memory)
        for again in (
            lambda: infer(memory, "plan", "free", said[2]),
            lambda: infer(memory, "plan", "pro", said[2]),
            lambda: confirm(memory, "plan", "pro", said[0]),
            lambda: memory.rebuild("ann"),
            lambda: memory.observe(
                "ann", "plan", "pro", confidence="confirmed", source="system", observed_at=said[0].at
            ),
            lambda: memory.observe(
                "ann", "plan", "free", confidence="inferred", source="import", observed_at=said[2].at
            ),
        ):
            again()
            assert is_blank(memory), again
        assert {candidate.value for candidate in memory.candidates("ann")} >= {"pro"}
        assert confirm(memory, "plan", "free", say(memory, "yes, on Free")).outcome == "accept"
        assert memory.require("ann", "plan") == "free"


@pytest.mark.parametrize("policy", POLICIES)
def test_two_deleted_corrections_leave_the_later_ones_floor(
    backend: Backend, clock: FakeClock, policy: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        said = [say(memory, text) for text in ("on Pro", "on Free", "on Ultra")]
        for message, value in zip(said, ("pro", "free", "ultra"), strict=True):
            confirm(memory, "plan", value, message)
        for message in (said[2], said[1]):
            memory.forget_message("ann", message.id)
            assert is_blank(memory)
        confirm(memory, "plan", "pro", said[0])
        assert is_blank(memory)
        memory.forget_message("ann", said[0].id)
        assert memory.candidates("ann").items == ()


@pytest.mark.scenario("E13")
@pytest.mark.parametrize("policy", ["naive", "guard", "guard_ttl"])
def test_statements_count_in_the_order_in_which_they_were_said(
    backend: Backend, clock: FakeClock, policy: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        first = say(memory, "大阪 で Pro")
        second = say(memory, "東京 で Free", to="c2")
        confirm(memory, "plan", "free", second)
        late = confirm(memory, "plan", "pro", first)
        assert memory.require("ann", "plan") == "free"
        assert confirm(memory, "plan", "pro", first) == late
        assert memory.require("ann", "plan") == "free"
        assert memory.search("ann", "大阪")[0].superseded[0].replacement == "free"


@pytest.mark.parametrize("policy", ["naive", "guard", "guard_ttl"])
def test_a_date_of_2099_beats_nothing(backend: Backend, clock: FakeClock, policy: str) -> None:
    future = datetime(2099, 1, 1, tzinfo=UTC)
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        ahead = memory.append("ann", "c1", "user", "I am on Ultra", observed_at=future)
        confirm(memory, "plan", "ultra", ahead)
        memory.observe("ann", "plan", "ultra", confidence="confirmed", source="system", observed_at=future)
        confirm(memory, "plan", "pro", say(memory, "I am on Pro", to="c2"))
        assert memory.require("ann", "plan") == "pro"
        line = {"role": "user", "content": "I am on Ultra", "created_at": "2099-01-01T00:00:00Z", "id": "x"}
        memory.import_transcript("ann", [line], conversation="c3")
        assert memory.message("ann", "x").observed_at == future
        confirm(memory, "plan", "ultra", memory.message("ann", "x"))
        assert memory.set("ann", "plan", "free").value == "free"
        assert memory.require("ann", "plan") == "free"


def test_imported_history_ages_nothing_and_counts_as_of_its_time(memory: Memory, clock: FakeClock) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    lines = [
        {
            "role": "user",
            "content": f"line {number}",
            "id": f"h{number}",
            "created_at": (EPOCH - timedelta(days=60 - number)).isoformat(),
        }
        for number in range(40)
    ]
    assert memory.import_transcript("ann", lines, conversation="old").added == 40
    state = memory.field("ann", "plan")
    assert (state.status, state.value, state.age_turns) == (FieldStatus.CURRENT, "pro", 0)
    assert memory.owner("ann").turn == 1
    old = memory.message("ann", "h0")
    assert old.observed_at == EPOCH - timedelta(days=60)
    confirm(memory, "plan", "free", old)
    infer(memory, "plan", "free", memory.message("ann", "h39"))
    assert memory.require("ann", "plan") == "pro"


def test_lines_without_ids_that_were_deleted_stay_out_of_a_second_import(
    backend: Backend, clock: FakeClock
) -> None:
    lines = [{"role": "user", "content": text} for text in ("yes", CANARY, "yes")]
    with open_memory(backend.url, clock) as memory:
        assert memory.import_transcript("ann", lines, conversation="c1").added == 3
        memory.forget_message("ann", memory.messages("ann", "c1").items[1].id)
        again = memory.import_transcript("ann", lines, conversation="c1")
        assert (again.added, again.present, again.deleted) == (0, 2, 1)
        assert showing(memory, "ann", CANARY) == []
        assert say(memory, CANARY).content == CANARY
    with (
        open_memory(backend.url, clock, secret=b"another key of forty bytes, as it must be") as foreign,
        pytest.raises(errors.Conflict),
    ):
        foreign.import_transcript("ann", lines, conversation="c1")


# -- the return of a deleted owner


@pytest.mark.parametrize("derive", [Derive.INLINE, Derive.EXTERNAL])
def test_a_deleted_owner_returns_as_somebody_new(backend: Backend, clock: FakeClock, derive: Derive) -> None:
    with open_memory(backend.url, clock, derive=derive) as memory:
        message = memory.append("ann", "c1", "user", f"keep it {CANARY}", idempotency_key="k")
        note = memory.add_note("ann", f"likes {CANARY}", sources=[message.id])
        claim = infer(memory, "length", "brief", message)
        confirm(memory, "city", CANARY, message)
        trace = memory.context("ann", query=CANARY).trace
        before = memory.owner("ann")
        receipt = memory.forget_owner("ann")
        clock.advance(seconds=1)
        assert memory.reopen("ann") == before.epoch + 2
        assert showing(memory, "ann", CANARY) == []
        for dead in (
            lambda: memory.message("ann", message.id),
            lambda: memory.append("ann", "c2", "user", "x", id=message.id),
            lambda: memory.edit("ann", message.id, "x", expect=1),
            lambda: memory.note("ann", note.id),
            lambda: memory.add_note("ann", "x", id=note.id),
            lambda: memory.add_note("ann", "x", sources=[message.id]),
            lambda: memory.messages("ann", "c1"),
            lambda: say(memory, "hello"),
            lambda: infer(memory, "city", CANARY, message),
            lambda: memory.confirm("ann", claim.id),
            lambda: memory.claim("ann", claim.id),
            lambda: memory.trace("ann", trace),
        ):
            with pytest.raises((errors.Gone, errors.NotFound)):
                dead()
        assert memory.candidates("ann").items == ()
        assert memory.history("ann", "city").items == ()
        assert memory.traces("ann").items[-1].id != trace
        assert memory.profile("ann", as_of=before.revision)["city"] is None
        anew = memory.append("ann", "c2", "user", "hello again", idempotency_key="k2")
        assert (anew.seq, memory.owner("ann").revision) == (1, before.revision + 3)
        memory.copies.drain(memory.key("ann"))
        assert memory.receipt("ann", receipt.id).state is StoreState.VERIFIED
        assert [one.id for one in memory.conversations("ann")] == ["c2"]
        assert memory.messages("ann", "c2").items == (anew,)
        assert memory.verify("ann")[0].differences == ()


# -- reading on from a revision


def test_a_reader_that_polls_by_revision_loses_nothing_while_others_write(
    backend: Backend, clock: FakeClock, memory: Memory
) -> None:
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as writer:
        say(writer, "first")

        def write(number: int) -> None:
            for count in range(15):
                say(writer, f"{number} {count}", to=f"c{number}")

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        seen: list[tuple[int, int]] = []
        while True:
            running = any(thread.is_alive() for thread in threads)
            page = memory.changes("ann", since=seen[-1][0] if seen else 0, limit=7)
            seen += [(one.revision, one.ordinal) for one in page]
            if not running and not page.items:
                break
    assert [revision for revision, _ in seen] == list(range(1, 62))


def test_changes_are_whole_however_many_a_transaction_made(memory: Memory) -> None:
    said = [say(memory, f"message {number}") for number in range(9)]
    memory.forget_messages("ann", [one.id for one in said])
    memory.set("ann", "plan", "pro")
    found: list[tuple[int, int, str]] = []
    cursor = None
    while True:
        page = memory.changes("ann", since=8, limit=4, cursor=cursor)
        found += [(one.revision, one.ordinal, one.kind) for one in page]
        cursor = page.next
        if cursor is None:
            break
    deleted = [(10, ordinal, "message.deleted") for ordinal in range(9)]
    assert found == [
        (9, 0, "message.appended"),
        *deleted,
        (11, 0, "claim.recorded"),
        (11, 1, "field.changed"),
    ]


def test_revisions_and_times_have_neither_gap_nor_repetition(memory: Memory, clock: FakeClock) -> None:
    message = say(memory, "I am on Pro")
    with pytest.raises(errors.VersionConflict):
        memory.edit("ann", message.id, "x", expect=9)
    confirm(memory, "plan", "pro", message)
    confirm(memory, "plan", "pro", message)
    clock.advance(seconds=-1)
    memory.set("ann", "plan", "free")
    memory.forget_message("ann", message.id)
    events = memory.changes("ann").items
    assert sorted({one.revision for one in events}) == [1, 2, 3, 4]
    times = [one.at for one in events]
    assert times == sorted(times)
    assert all(time.tzinfo is UTC for time in times)
