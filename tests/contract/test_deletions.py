"""The verbs of deletion and their receipts: what each answers, and every refusal that it promises."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Backend
from tests.contract.memories import confirm, infer, open_memory, say

from seihon import errors
from seihon.memory import Derive, Memory
from seihon.memory.operations import Swept
from seihon.model import ClaimState, FieldStatus, OutOfReach, Receipt, StoreState, TargetKind
from seihon.testing.clock import EPOCH, FakeClock

ORDER = ("original", "fulltext", "summaries", "vectors", "traces", "idempotency", "outbox", "cache", "files")


def held(memory: Memory) -> list[str]:
    """Return the texts of every message that can be read."""
    ids = [one.id for one in memory.conversations("ann")]
    return [message.content for one in ids for message in memory.messages("ann", one)]


def test_a_receipt_tells_what_was_deleted_and_how_far_it_is(memory: Memory) -> None:
    message = say(memory, "I am on Pro")
    confirm(memory, "plan", "pro", message)
    memory.add_note("ann", "on Pro", sources=[message.id])
    receipt = memory.forget_message("ann", message.id, reason="asked by mail", actor="support")
    assert (receipt.kind, receipt.key) == (TargetKind.MESSAGE, message.id)
    assert receipt.counts == {"messages": 1, "claims": 1, "notes": 1}
    assert (receipt.reason, receipt.actor) == ("asked by mail", "support")
    assert (receipt.revision, receipt.epoch) == (4, 1)
    assert receipt.state is StoreState.VERIFIED
    assert receipt.verified_at is not None and receipt.verified_at >= receipt.opened_at
    assert tuple(store.store for store in receipt.stores) == ORDER
    assert {store.state for store in receipt.stores} == {StoreState.VERIFIED}
    assert memory.receipt("ann", receipt.id) == receipt.wait(0)
    assert receipt.as_dict()["state"] == "verified"


def test_the_level_of_a_receipt_says_what_verified_reaches(memory: Memory) -> None:
    receipt = memory.forget_message("ann", say(memory, "hello").id)
    if memory.db.dialect == "sqlite":
        assert receipt.level == "secure_delete"
        assert len(receipt.purge) == 2
    else:
        assert receipt.level == "standard"
        assert "write-ahead log" in receipt.purge[-1]


def test_a_receipt_names_what_is_out_of_reach(backend: Backend, clock: FakeClock) -> None:
    places = (OutOfReach("backups", "30 days"), OutOfReach("model provider", "none"))
    with open_memory(backend.url, clock, out_of_reach=places, cache="off") as memory:
        receipt = memory.forget_message("ann", say(memory, "hello").id)
        assert receipt.out_of_reach == places


def test_several_messages_go_under_one_receipt_or_none_goes(memory: Memory) -> None:
    one, two, three = (say(memory, text) for text in ("one", "two", "three"))
    for wrong in ([one.id, "m_none"], [one.id, ""], []):
        with pytest.raises((errors.NotFound, errors.InvalidArgument)):
            memory.forget_messages("ann", wrong)
    assert held(memory) == ["one", "two", "three"]
    receipt = memory.forget_messages("ann", [one.id, two.id, one.id])
    assert receipt.counts == {"messages": 2}
    with pytest.raises(errors.Gone):
        memory.forget_messages("ann", [three.id, one.id])
    assert held(memory) == ["three"]


def test_a_stretch_of_time_or_a_conversation_is_deleted_by_what_matches(
    memory: Memory, clock: FakeClock
) -> None:
    for day in range(4):
        say(memory, f"day {day}", to=f"c{day % 2}")
        clock.advance(days=1)
    for nothing in ({}, {"conversation": None, "since": None, "until": None}):
        with pytest.raises(errors.InvalidArgument, match="forget_owner"):
            memory.forget_matching("ann", **nothing)  # type: ignore[arg-type]
    for unknown in ({"conversation": "none"}, {"until": EPOCH}, {"since": EPOCH + timedelta(days=9)}):
        with pytest.raises(errors.NotFound):
            memory.forget_matching("ann", **unknown)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgument):
        memory.forget_matching("ann", since=EPOCH.replace(tzinfo=None))
    day = timedelta(days=1)
    assert memory.forget_matching("ann", since=EPOCH + day, until=EPOCH + 2 * day).counts == {"messages": 1}
    assert memory.forget_matching("ann", conversation="c0", since=EPOCH + day).counts == {"messages": 1}
    assert sorted(held(memory)) == ["day 0", "day 3"]
    assert memory.forget_matching("ann", conversation="c1").counts == {"messages": 1}
    assert say(memory, "and on", to="c1").seq == 3


def test_a_note_is_deleted_alone(memory: Memory) -> None:
    message = say(memory, "I like tea")
    note = memory.add_note("ann", "likes tea", sources=[message.id])
    receipt = memory.forget_note("ann", note.id)
    assert (receipt.kind, receipt.key, receipt.counts) == (TargetKind.NOTE, note.id, {"notes": 1})
    assert memory.message("ann", message.id) == message
    with pytest.raises(errors.Gone):
        memory.forget_note("ann", note.id)


def test_a_claim_with_another_source_outlives_one_of_them(memory: Memory) -> None:
    one, two = say(memory, "Pro it is"), say(memory, "yes, Pro")
    claim = memory.observe(
        "ann",
        "plan",
        "pro",
        confidence="confirmed",
        message=one.id,
        quote="Pro",
        also=[(two.id, "yes, Pro")],
    )
    memory.forget_message("ann", one.id)
    assert memory.require("ann", "plan") == "pro"
    assert [quote.message for quote in memory.claim("ann", claim.id).quotes] == [two.id]
    memory.forget_message("ann", two.id)
    assert memory.field("ann", "plan").status is FieldStatus.WITHDRAWN


def test_a_deleted_field_is_blank_and_stays_so_against_what_was_said_before(memory: Memory) -> None:
    message = say(memory, "I am on Pro")
    confirm(memory, "plan", "pro", message)
    memory.set("ann", "plan", "ultra")
    receipt = memory.forget_field("ann", "plan")
    assert (receipt.kind, receipt.key, receipt.counts) == (TargetKind.FIELD, "plan@default", {"claims": 2})
    state = memory.field("ann", "plan")
    assert (state.status, state.reason, state.last_known) == (FieldStatus.WITHDRAWN, "field_deleted", None)
    assert [memory.profile("ann", as_of=n)["plan"] for n in range(5)] == [None] * 5
    assert {claim.value for claim in memory.history("ann", "plan")} == {None}
    again = confirm(memory, "plan", "pro", message)
    assert (again.state, again.value) == (ClaimState.REJECTED, None)
    assert memory.message("ann", message.id) == message
    assert memory.set("ann", "plan", "free").value == "free"


def test_a_field_is_deleted_in_one_scope(memory: Memory) -> None:
    memory.set("ann", "length", "brief")
    memory.set("ann", "length", "detailed", scope="research")
    memory.forget_field("ann", "length", scope="research")
    assert memory.field("ann", "length").value == "brief"
    assert memory.field("ann", "length", scope="research").value == "brief"
    for unknown in ("plan", "mood"):
        with pytest.raises(errors.NotFound):
            memory.forget_field("ann", unknown)


def test_a_candidate_goes_with_its_field(memory: Memory) -> None:
    claim = infer(memory, "length", "brief", say(memory, "keep it short"))
    assert memory.forget_field("ann", "length").counts == {"claims": 1}
    assert memory.candidates("ann").items == ()
    with pytest.raises(errors.Gone):
        memory.confirm("ann", claim.id)


def test_a_conversation_goes_with_all_that_was_drawn_from_it(memory: Memory) -> None:
    memory.set("ann", "seats", 3)
    said = [say(memory, text) for text in ("I am on Pro", "I live in Kyoto")]
    confirm(memory, "plan", "pro", said[0])
    confirm(memory, "city", "Kyoto", said[1])
    memory.add_note("ann", "lives in Kyoto", sources=[said[1].id])
    memory.update_conversation("ann", "c1", metadata={"topic": "moving"})
    other = say(memory, "hello", to="c2")
    receipt = memory.forget_conversation("ann", "c1")
    assert (receipt.kind, receipt.key) == (TargetKind.CONVERSATION, "c1")
    assert receipt.counts == {"messages": 2, "claims": 2, "notes": 1}
    assert [one.id for one in memory.conversations("ann")] == ["c2"]
    assert memory.messages("ann", "c2").items == (other,)
    assert {name: value for name, value in memory.profile("ann").items() if value} == {"seats": 3}
    assert memory.notes("ann").items == ()
    with pytest.raises(errors.NotFound):
        memory.forget_conversation("ann", "c3")
    with pytest.raises(errors.Gone):
        memory.forget_conversation("ann", "c1")


def test_an_owner_goes_whole_and_comes_back_as_somebody_new(memory: Memory) -> None:
    with pytest.raises(errors.NotFound):
        memory.forget_owner("ann")
    with pytest.raises(errors.Conflict):
        memory.reopen("ann")
    assert memory.owner("ann").revision == 0
    say(memory, "hello")
    memory.set("ann", "plan", "pro")
    memory.add_note("ann", "likes tea")
    receipt = memory.forget_owner("ann")
    assert receipt.counts == {"messages": 1, "notes": 1, "claims": 1, "conversations": 1}
    assert memory.reopen("ann") == 2
    with pytest.raises(errors.Conflict):
        memory.reopen("ann")
    assert held(memory) == []
    assert memory.profile("ann")["plan"] is None
    assert memory.set("ann", "plan", "free", expect=0).version == 2


def test_receipts_come_by_pages_oldest_first(memory: Memory) -> None:
    made = [memory.forget_message("ann", say(memory, f"message {n}").id).id for n in range(5)]
    memory.forget_message("bob", memory.append("bob", "c1", "user", "hello").id)
    first = memory.receipts("ann", limit=2)
    second = memory.receipts("ann", limit=2, cursor=first.next)
    last = memory.receipts("ann", limit=2, cursor=second.next)
    assert [one.id for page in (first, second, last) for one in page] == made
    assert last.next is None
    for owner, wanted in (("ann", "r_none"), ("bob", made[0])):
        with pytest.raises(errors.NotFound):
            memory.receipt(owner, wanted)


@contextmanager
def deleted_without_a_worker(
    backend: Backend, clock: FakeClock, derive: Derive
) -> Generator[tuple[Memory, Receipt]]:
    with open_memory(backend.url, clock, derive=derive) as memory:
        message = say(memory, "the canary sings")
        yield memory, memory.forget_message("ann", message.id)


def test_a_deletion_is_hidden_at_once_and_verified_when_its_worker_comes(
    backend: Backend, clock: FakeClock
) -> None:
    with deleted_without_a_worker(backend, clock, Derive.EXTERNAL) as (memory, receipt):
        assert receipt.state is StoreState.PENDING
        assert memory.search("ann", "canary") == ()
        with pytest.raises(errors.Incomplete) as refused:
            receipt.wait(0)
        assert refused.value.details == {"receipt": receipt.id, "stores": list(ORDER)}
        with open_memory(backend.url, clock) as worker:
            worker.copies.drain(worker.key("ann"))
        assert receipt.wait(0).state is StoreState.VERIFIED


def test_waiting_lets_a_background_worker_finish(backend: Backend, clock: FakeClock) -> None:
    with deleted_without_a_worker(backend, clock, Derive.BACKGROUND) as (_, receipt):
        assert receipt.wait(30).state is StoreState.VERIFIED


def test_a_receipt_names_the_copies_that_migrations_left(memory: Memory) -> None:
    if memory.db.dialect == "postgresql":
        assert memory.db.backups() == []
        return
    file = Path(memory.db.url.database or "")
    copies = [f"{file.name}.0001.backup", f"{file.name}.0001.backup.2"]
    for name in (*copies, "other.db.0001.backup"):
        file.with_name(name).touch()
    receipt = memory.forget_message("ann", say(memory, "hello").id)
    found = [one for one in receipt.out_of_reach if one.retention == "until you remove it"]
    assert [one.name for one in found] == copies


def test_a_sweep_drops_old_traces_and_answers_that_are_not_replayed(memory: Memory, clock: FakeClock) -> None:
    def told(key: str) -> None:
        memory.append("ann", "c1", "user", key, idempotency_key=key)
        memory.context("ann", query=key)

    told("early")
    clock.advance(seconds=29 * 86_400)
    told("late")
    assert memory.sweep() == Swept(0, 0, answers=1)
    clock.advance(seconds=2 * 86_400)
    assert memory.sweep("ann") == Swept(0, 0, answers=1, traces=1)
    assert len(memory.traces("ann").items) == 1
    assert memory.sweep() == Swept(0, 0)


def test_every_deletion_is_in_the_owners_history_with_its_reason(memory: Memory) -> None:
    memory.forget_message("ann", say(memory, "hello").id, reason="typo", actor="ann")
    last = memory.changes("ann").items[-1]
    assert (last.kind, last.reason, last.actor) == ("message.deleted", "typo", "ann")


def test_a_sweep_deletes_what_no_read_shows_any_more(memory: Memory, clock: FakeClock) -> None:
    soon = EPOCH + timedelta(hours=1)
    message = memory.append("ann", "c1", "user", "code 4711", expires_at=soon)
    note = memory.add_note("ann", "has a code", expires_at=soon)
    kept = say(memory, "hello")
    assert memory.sweep() == Swept(0, 0)
    clock.advance(seconds=3_601)
    swept = memory.sweep("ann")
    assert (swept.messages, swept.notes) == (1, 1)
    for read in (lambda: memory.message("ann", message.id), lambda: memory.note("ann", note.id)):
        with pytest.raises(errors.Gone):
            read()
    assert held(memory) == [kept.content]
    (receipt,) = memory.receipts("ann")
    assert (receipt.actor, receipt.reason, receipt.state) == ("retention", "expired", StoreState.VERIFIED)
