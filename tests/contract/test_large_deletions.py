"""Deletions of many records: no list is too long for a database, and no batch looks back at earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest
from sqlalchemy import event, update
from sqlalchemy import exc as sa
from tests.conftest import Backend
from tests.contract.memories import open_memory

from seihon import errors
from seihon.canonical import erasing, failures
from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, p
from seihon.derived.contract import Target
from seihon.derived.fulltext import FullText
from seihon.memory import Derive, Memory
from seihon.model import StoreState, TargetKind, us
from seihon.testing.clock import FakeClock

MANY = 1_200
BATCH = 4
WRITE_BACK = (
    update(t.messages)
    .where(t.messages.c.owner == OWNER, t.messages.c.id == p("id"))
    .values(content="again", deleted_revision=None)
)


@pytest.fixture
def slowly(backend: Backend, clock: FakeClock) -> Generator[Memory]:
    """A memory whose copies follow only when told."""
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        yield memory


def tell(memory: Memory, count: int) -> list[str]:
    lines = [{"role": "user", "content": f"the dog walks at {number}"} for number in range(count)]
    memory.import_transcript("ann", lines, conversation="talk")
    ids: list[str] = []
    cursor = None
    while len(ids) < count:
        page = memory.messages("ann", "talk", limit=1_000, cursor=cursor)
        ids.extend(one.id for one in page.items)
        cursor = page.next
    memory.copies.drain(memory.key("ann"))
    return ids


def widest(memory: Memory, act: Callable[[], object]) -> int:
    """Return how many values the statement with the most of them had."""
    found: list[int] = []

    def note(_c: Any, _cursor: Any, _sql: str, values: Any, _context: Any, many: bool) -> None:
        found.append(0 if many or not values else sum(1 for _ in values))

    event.listen(memory.db.engine, "before_cursor_execute", note)
    try:
        act()
    finally:
        event.remove(memory.db.engine, "before_cursor_execute", note)
    return max(found)


def test_a_long_list_of_messages_is_one_deletion(slowly: Memory) -> None:
    ids = tell(slowly, MANY)
    note = slowly.add_note("ann", "walks a dog", sources=ids[-1:])
    assert widest(slowly, lambda: slowly.forget_messages("ann", ids)) < MANY
    (receipt,) = slowly.receipts("ann")
    assert receipt.counts == {"messages": MANY, "notes": 1}
    slowly.copies.drain(slowly.key("ann"))
    assert slowly.wait("ann", receipt.id, 0).state is StoreState.VERIFIED
    assert slowly.messages("ann", "talk").items == ()
    with pytest.raises(errors.Gone):
        slowly.note("ann", note.id)


def test_a_deletion_by_a_filter_may_match_many(slowly: Memory) -> None:
    tell(slowly, MANY)
    assert widest(slowly, lambda: slowly.forget_matching("ann", conversation="talk")) < MANY
    assert slowly.receipts("ann").items[0].counts == {"messages": MANY}


def test_more_ids_than_a_statement_takes_values_are_answered(slowly: Memory) -> None:
    tell(slowly, 1)
    with pytest.raises(errors.NotFound):
        slowly.forget_messages("ann", [f"m_{number}" for number in range(70_000)])


def test_what_a_driver_refuses_to_send_is_not_called_unavailable(slowly: Memory) -> None:
    many = 70_000 if slowly.db.dialect == "postgresql" else 300_000
    marks = ", ".join(("%s" if many == 70_000 else "?",) * many)
    with slowly.db.read(slowly.key("ann")) as tx, pytest.raises(sa.DBAPIError) as caught:
        tx.line.send(f"SELECT 1 WHERE 1 IN ({marks})", (1,) * many)
    found = failures.translate(caught.value)
    assert not isinstance(found, errors.Unavailable | errors.Busy)


def ended(memory: Memory) -> Target:
    receipt = memory.forget_conversation("ann", "talk")
    opened = us(receipt.opened_at)
    return Target(TargetKind.CONVERSATION, receipt.key, receipt.revision, opened, receipt.id)


def erase(memory: Memory, target: Target) -> int:
    with memory.db.derive(memory.key("ann")) as tx:
        return erasing.erase(
            tx,
            target.kind,
            key=target.key,
            receipt=target.receipt,
            bound=target.bound,
            limit=BATCH,
            progress=target.progress,
        )


def test_a_batch_begins_where_the_one_before_ended_and_the_last_looks_at_all(slowly: Memory) -> None:
    ids = tell(slowly, 10)
    target = ended(slowly)
    came: list[Any] = []
    for expected in (BATCH, BATCH):
        assert erase(slowly, target) == expected
        came.append(target.progress["original"])
    first = came[0][1]
    assert came == [(0, first), (0, first + BATCH)]
    # What is written back behind the run is found by its last look.
    with slowly.db.derive(slowly.key("ann")) as tx:
        assert tx.count(WRITE_BACK, id=ids[0]) == 1
    assert [erase(slowly, target) for _ in range(3)] == [2, 1, 0]
    assert target.progress == {}


def test_a_run_that_was_cut_off_is_begun_anew(slowly: Memory) -> None:
    tell(slowly, 10)
    target = ended(slowly)
    assert erase(slowly, target) == BATCH
    again = Target(target.kind, target.key, target.bound, target.at, target.receipt)
    assert [erase(slowly, again) for _ in range(3)] == [BATCH, 2, 0]
    slowly.copies.drain(slowly.key("ann"))
    assert slowly.wait("ann", target.receipt, 0).state is StoreState.VERIFIED


def test_an_owners_rows_are_gone_through_in_order(slowly: Memory) -> None:
    ids = sorted(tell(slowly, 10))
    receipt = slowly.forget_owner("ann")
    target = Target(TargetKind.OWNER, "", receipt.revision, us(receipt.opened_at), receipt.id)
    assert erase(slowly, target) == BATCH
    assert target.progress["original"] == (0, ids[BATCH - 1])
    while erase(slowly, target):
        pass
    slowly.copies.drain(slowly.key("ann"))
    assert slowly.wait("ann", receipt.id, 0).state is StoreState.VERIFIED


def test_the_index_gives_up_a_conversation_in_its_order(slowly: Memory) -> None:
    tell(slowly, 10)
    target, index = ended(slowly), FullText()
    taken: list[int] = []
    came: list[int | None] = []
    while not taken or taken[-1]:
        with slowly.db.derive(slowly.key("ann")) as tx:
            taken.append(index.purge(tx, target, BATCH))
        came.append(target.progress.get("fulltext"))
    assert taken == [4, 4, 2, 0]
    assert came[-1] is None
    assert came[:-1] == sorted(one for one in came if one is not None)
    with slowly.db.read(slowly.key("ann")) as tx:
        assert index.leftovers(tx, target) == 0
