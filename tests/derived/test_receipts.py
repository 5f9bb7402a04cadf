"""A deletion's way to ``verified``: nothing is claimed that was not read back, and nothing stops half-way."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, update
from tests.conftest import Backend
from tests.contract.memories import confirm, open_memory, say

from seihon import errors
from seihon.canonical import purge
from seihon.canonical import tables as t
from seihon.canonical.database import Database
from seihon.canonical.scope import OWNER, Reader, Writer
from seihon.derived import receipts, registry
from seihon.derived.contract import Store, Target
from seihon.derived.fulltext import FullText
from seihon.derived.pace import Effort, Pace
from seihon.memory import Derive, Memory
from seihon.model import Receipt, StoreState
from seihon.testing import faults
from seihon.testing.clock import FakeClock

RECEIPT_POINTS = [point for point in faults.POINTS if point.startswith("receipt.")]


def every_store(*instead: Store) -> tuple[Store, ...]:
    """Return the registered stores, those given in place of their namesakes."""
    given = {one.name: one for one in instead}
    return tuple(given.get(one.name, one) for one in registry())


def advance(memory: Memory, receipt: Receipt, *stores: Store) -> Receipt:
    receipts.advance(memory.db, every_store(*stores), memory.key("ann"), receipt.id)
    return memory.receipt("ann", receipt.id)


def states(receipt: Receipt) -> dict[str, StoreState]:
    return {one.store: one.state for one in receipt.stores}


def forget_message(memory: Memory) -> Receipt:
    message = say(memory, "I am on the pro plan")
    confirm(memory, "plan", "pro", message)
    memory.copies.worker.drain(memory.key("ann"))
    return memory.forget_message("ann", message.id)


def forget_note(memory: Memory) -> Receipt:
    note = memory.add_note("ann", "likes tea")
    memory.copies.worker.drain(memory.key("ann"))
    return memory.forget_note("ann", note.id)


def forget_field(memory: Memory) -> Receipt:
    memory.set("ann", "city", "Tokyo")
    return memory.forget_field("ann", "city")


def forget_conversation(memory: Memory) -> Receipt:
    for number in range(5):
        say(memory, f"tea {number}")
    memory.copies.worker.drain(memory.key("ann"))
    return memory.forget_conversation("ann", "c1")


def forget_owner(memory: Memory) -> Receipt:
    forget_message(memory)
    memory.set("ann", "city", "Tokyo")
    memory.add_note("ann", "likes tea")
    memory.append("ann", "c2", "user", "tea", idempotency_key="k1")
    memory.context("ann", query="tea", budget=200)
    return memory.forget_owner("ann")


KINDS = [forget_message, forget_note, forget_field, forget_conversation, forget_owner]


@pytest.mark.parametrize("forget", KINDS)
def test_p2_every_kind_of_deletion_is_verified(memory: Memory, forget: Callable[[Memory], Receipt]) -> None:
    opened = forget(memory)
    assert opened.state is StoreState.PENDING
    done = advance(memory, opened)
    assert done.state is StoreState.VERIFIED
    assert done.verified_at is not None
    assert set(states(done).values()) == {StoreState.VERIFIED}
    assert [one.store for one in done.stores] == list(receipts.places())
    assert done.level == receipts.level(memory.db)
    assert done.purge


@pytest.mark.parametrize("point", RECEIPT_POINTS)
@pytest.mark.parametrize("forget", [forget_message, forget_owner])
def test_p6_a_crash_at_any_point_is_made_up_for(
    memory: Memory, other: Memory, forget: Callable[[Memory], Receipt], point: str
) -> None:
    opened = forget(memory)
    with faults.crash(point), pytest.raises(faults.Crash):
        advance(memory, opened)
    between = other.receipt("ann", opened.id)
    assert (between.state is StoreState.VERIFIED) is (point == "receipt.after_verified")
    done = advance(other, opened)
    assert done.state is StoreState.VERIFIED
    assert set(states(done).values()) == {StoreState.VERIFIED}


class Stubborn(FullText):
    """An index that says it is empty and is not."""

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        return 0


class Broken(FullText):
    """An index that cannot be purged now; its error quotes what a user said, as errors do."""

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        raise ValueError("I am on the pro plan")


class Unreadable(FullText):
    """An index that cannot be read back."""

    def leftovers(self, tx: Reader, target: Target) -> int:
        raise OSError("I am on the pro plan")


@pytest.mark.parametrize(
    ("store", "code"), [(Stubborn(), "leftovers"), (Broken(), "ValueError"), (Unreadable(), "OSError")]
)
def test_p2_what_cannot_be_read_back_as_empty_is_failed_and_the_rest_goes_on(
    memory: Memory, store: Store, code: str
) -> None:
    opened = forget_message(memory)
    failed = advance(memory, opened, store)
    assert failed.state is StoreState.FAILED
    found = {one.store: (one.state, one.error, one.attempts) for one in failed.stores}
    assert found["fulltext"] == (StoreState.FAILED, code, 1)
    assert found["original"][0] is StoreState.VERIFIED
    assert found["files"][0] is StoreState.PENDING
    with pytest.raises(errors.Incomplete) as incomplete:
        memory.receipt("ann", opened.id).wait(0)
    assert incomplete.value.details["stores"] == ["fulltext", "cache", "files"]
    assert advance(memory, opened).state is StoreState.VERIFIED


def test_a_place_that_fails_is_left_alone_for_longer_each_time(memory: Memory, clock: FakeClock) -> None:
    opened = forget_message(memory)

    def attempts() -> int:
        receipts.advance_all(memory.db, every_store(Broken()), limit=10)
        return next(
            one.attempts for one in memory.receipt("ann", opened.id).stores if one.store == "fulltext"
        )

    assert [attempts(), attempts()] == [1, 1]
    clock.advance(seconds=1)
    assert [attempts(), attempts()] == [2, 2]
    clock.advance(seconds=1)
    assert attempts() == 2
    clock.advance(seconds=1)
    assert attempts() == 3


def test_many_receipts_are_carried_together(memory: Memory) -> None:
    said = [say(memory, f"tea {number}") for number in range(4)]
    opened = [memory.forget_message("ann", one.id) for one in said]
    opened.append(memory.forget_message("bob", say(memory, "tea", owner="bob").id))
    assert receipts.advance_all(memory.db, every_store(), limit=100) == (0, "")
    assert memory.receipt("bob", opened[-1].id).state is StoreState.VERIFIED
    assert {one.state for one in memory.receipts("ann")} == {StoreState.VERIFIED}


def test_p2_a_verified_receipt_can_be_checked_again(memory: Memory) -> None:
    opened = forget_message(memory)
    done = advance(memory, opened)
    key = memory.key("ann")
    with memory.db.derive(key) as tx:
        planted = {"term": "plan", "doc": f"message:{opened.key}", "tf": 1, "length": 1}
        tx.add(insert(t.ft_postings), [planted])
    assert receipts.verify_again(memory.db, every_store(), key, done.id) is StoreState.VERIFIED
    again = memory.receipt("ann", done.id)
    assert next(one.removed for one in again.stores if one.store == "fulltext") > next(
        one.removed for one in done.stores if one.store == "fulltext"
    )
    with memory.db.read(key) as tx:
        assert FullText().leftovers(tx, receipts.target_of(done)) == 0


def test_p2_a_text_that_an_overwrite_missed_is_found_and_overwritten(memory: Memory) -> None:
    opened = forget_owner(memory)
    advance(memory, opened)
    key = memory.key("ann")
    with memory.db.derive(key) as tx:
        tx.run(update(t.claims).where(t.claims.c.owner == OWNER).values(value='"pro"'))
    receipts.verify_again(memory.db, every_store(), key, opened.id)
    with memory.db.read(key) as tx:
        assert not tx.all(CLAIMS_WITH_VALUES)


CLAIMS_WITH_VALUES = t.claims.select().where(t.claims.c.owner == OWNER, t.claims.c.value.is_not(None))


def test_a_reader_of_the_log_delays_the_receipt_and_nothing_else(sqlite_path: Path, clock: FakeClock) -> None:
    memory = open_memory(f"sqlite:///{sqlite_path}", clock, derive=Derive.EXTERNAL)
    opened = forget_message(memory)
    reader = sqlite3.connect(str(sqlite_path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM messages").fetchone()
    waiting = advance(memory, opened)
    assert waiting.state is StoreState.PENDING
    assert {one.store: one.error for one in waiting.stores}["files"] == "readers"
    reader.close()
    assert advance(memory, opened).state is StoreState.VERIFIED
    memory.close()


@pytest.fixture
def purges(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each purge of the files, by what it answers."""
    done: list[str] = []
    whole = purge.purge

    def counted(db: Database) -> purge.Purged:
        found = whole(db)
        done.append(found.error)
        return found

    monkeypatch.setattr(purge, "purge", counted)
    return done


def test_p2_a_call_that_deletes_leaves_large_files_to_whoever_waits(
    backend: Backend, clock: FakeClock, purges: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "QUICK_BYTES", 0)
    with open_memory(backend.url, clock, derive=Derive.INLINE) as memory:
        opened = [memory.forget_message("ann", say(memory, f"tea {number}").id) for number in range(3)]
        assert purges == []
        for one in opened:
            stands = memory.receipt("ann", one.id)
            assert (stands.state, stands.verified_at, stands.purge) == (StoreState.PENDING, None, ())
            assert {name for name, state in states(stands).items() if state is StoreState.PENDING} == {
                "cache",
                "files",
            }
        assert opened[-1].wait(timeout=5).state is StoreState.VERIFIED
        assert {one.state for one in memory.receipts("ann")} == {StoreState.VERIFIED}
        assert purges == [""]


def test_a_call_that_deletes_cleans_small_files(
    backend: Backend, clock: FakeClock, purges: list[str]
) -> None:
    with open_memory(backend.url, clock, derive=Derive.INLINE) as memory:
        assert memory.forget_message("ann", say(memory, "tea").id).state is StoreState.VERIFIED
    assert purges == [""]


def test_a_sweep_of_many_owners_cleans_large_files_once(
    backend: Backend, clock: FakeClock, purges: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "QUICK_BYTES", 0)
    with open_memory(backend.url, clock, derive=Derive.INLINE) as memory:
        for owner in ("ann", "bob", "eve"):
            say(memory, "tea", owner=owner)
        memory.set_retention(timedelta(days=1))
        clock.advance(seconds=90_000)
        assert memory.sweep().messages == 3
        assert {memory.receipts(owner).items[0].state for owner in ("ann", "bob", "eve")} == {
            StoreState.VERIFIED
        }
    assert purges == [""]


def test_files_that_cannot_be_cleaned_are_left_alone_for_longer_each_time(
    memory: Memory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def busy(_db: Database) -> purge.Purged:
        tried.append(len(tried))
        return purge.Purged((), purge.READERS)

    monkeypatch.setattr(purge, "purge", busy)
    opened = forget_message(memory)
    for _ in range(3):
        receipts.advance_all(memory.db, every_store(), limit=10)
    assert len(tried) == 1
    clock.advance(seconds=1)
    for effort in (Effort.QUICK, Effort.DUE):
        receipts.advance_owners(memory.db, every_store(), [memory.key("ann")], Pace(effort))
    assert len(tried) == 2
    stands = memory.receipt("ann", opened.id)
    assert {one.store: (one.error, one.attempts) for one in stands.stores}["files"] == ("readers", 2)
    # A new deletion is not made to wait by an old one, and what is cleaned for it serves both.
    monkeypatch.undo()
    later = memory.forget_message("ann", say(memory, "tea").id)
    receipts.advance_all(memory.db, every_store(), limit=10)
    assert {memory.receipt("ann", one.id).state for one in (opened, later)} == {StoreState.VERIFIED}


def test_p2_the_holder_of_a_receipt_has_it_read_back_again(memory: Memory) -> None:
    opened = forget_message(memory)
    assert memory.recheck_receipt("ann", opened.id).state is StoreState.PENDING, "it was never verified"
    done = advance(memory, opened)
    assert memory.recheck_receipt("ann", opened.id) == done
    with memory.db.derive(memory.key("ann")) as tx:
        planted = {"term": "plan", "doc": f"message:{opened.key}", "tf": 1, "length": 1}
        tx.add(insert(t.ft_postings), [planted])
    again = memory.recheck_receipt("ann", opened.id)
    assert again.state is StoreState.VERIFIED
    assert sum(one.removed for one in again.stores) > sum(one.removed for one in done.stores)
    with pytest.raises(errors.NotFound):
        memory.recheck_receipt("ann", "r_none")


def test_an_unknown_receipt_is_not_found(memory: Memory) -> None:
    say(memory, "tea")
    with pytest.raises(errors.NotFound):
        receipts.advance(memory.db, every_store(), memory.key("ann"), "r_none")


def test_a_deletion_of_an_owner_leaves_nothing_of_its_life_but_records(memory: Memory) -> None:
    advance(memory, forget_owner(memory))
    with memory.db.read(memory.key("ann")) as tx:
        held = {table.name: len(tx.all(table.select().where(table.c.owner == OWNER))) for table in GONE}
        answers = tx.all(t.idempotency.select().where(t.idempotency.c.owner == OWNER))
    assert held == dict.fromkeys(held, 0)
    assert {row.answer for row in answers} == {"null"}


GONE = (t.ft_documents, t.ft_postings, t.ft_statistics, t.traces, t.dirty)
