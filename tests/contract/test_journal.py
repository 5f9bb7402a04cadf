"""A backup that is restored knows none of the deletions since: the journal carries each of them out again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Backend, Dialect
from tests.contract.memories import confirm, open_memory, say
from tests.contract.opening import admin_runs, kill_sessions
from tests.contract.surfaces import showing

from seihon import errors
from seihon.canonical import index
from seihon.memory import Derive, Memory
from seihon.model import StoreState
from seihon.testing.clock import FakeClock
from seihon.testing.postgres import PostgresAddress

CANARIES = ("ZXCANARY7f3a", "極秘カナリア七")
GONE = f"my card is {CANARIES[0]} {CANARIES[1]}"


@dataclass
class Copying:
    """A database of which a copy is made as it is now, to be restored later."""

    backend: Backend
    clock: FakeClock
    copy: Callable[[], Backend]

    def open(self, at: Backend | None = None, derive: Derive = Derive.INLINE) -> Memory:
        return open_memory((at or self.backend).url, self.clock, derive=derive)


@pytest.fixture
def copying(
    backend: Backend, clock: FakeClock, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Copying]:
    if backend.dialect is Dialect.SQLITE:

        def copy() -> Backend:
            target = tmp_path / "restored" / "memory.db"
            target.parent.mkdir()
            with closing(sqlite3.connect(str(backend.path))) as old, closing(sqlite3.connect(target)) as new:
                old.backup(new)
            return Backend(backend.dialect, f"sqlite:///{target}", f"sqlite:///{target}", target)

        yield Copying(backend, clock, copy)
        return
    server: PostgresAddress = request.getfixturevalue("pg_server")
    name = backend.url.rpartition("/")[2]
    restored = f"{name}_restored"

    def template() -> Backend:
        kill_sessions(server, backend.url)
        url = server.create_database(restored, template=name)
        return Backend(backend.dialect, url, server.admin_url(restored))

    yield Copying(backend, clock, template)
    admin_runs(server, f"DROP DATABASE IF EXISTS {restored} WITH (FORCE)")


def lived(memory: Memory) -> dict[str, str]:
    """What stands in the backup: every kind of record, each with the words that will be deleted."""
    ids = {"message": say(memory, GONE).id, "kept": say(memory, "I like tea", to="c3").id}
    memory.append("ann", "c2", "user", GONE, id="m_c2", metadata={"x": GONE})
    memory.add_note("ann", GONE, id="n1")
    memory.set("ann", "city", GONE)
    source = say(memory, f"we are on the pro plan {GONE}", to="c3")
    confirm(memory, "plan", "pro", source)
    ids["source"] = source.id
    memory.append("bob", "c1", "user", GONE, id="m_bob")
    memory.append("eve", "c1", "user", "untouched", id="m_eve")
    return ids


def deleted(memory: Memory, ids: dict[str, str]) -> list[str]:
    """What is deleted after the backup, some of it never seen by it."""
    late = say(memory, f"late {GONE}", to="c9")
    receipts = [
        memory.forget_message("ann", ids["message"], reason="card number pasted"),
        memory.forget_message("ann", ids["source"]),
        memory.forget_note("ann", "n1", actor="staff"),
        memory.forget_field("ann", "city"),
        memory.forget_conversation("ann", "c2"),
        memory.forget_message("ann", late.id),
        memory.forget_owner("bob"),
    ]
    ids["late"] = late.id
    return [one.id for one in receipts]


def journal_of(memory: Memory) -> list[str]:
    return list(memory.export_deletions())


def test_p3_a_restored_backup_loses_all_that_was_deleted_since(copying: Copying) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        receipts = deleted(memory, ids)
        lines = journal_of(memory)
        told = {one: memory.receipt("ann", one) for one in receipts[:-1]}
    assert not any(canary in line for line in lines for canary in CANARIES)

    with copying.open(restored, Derive.EXTERNAL) as memory:
        assert memory.message("ann", ids["message"]).content == GONE
        found = memory.apply_deletions(lines)
        assert (found.applied, found.present, found.owners, found.bad) == (7, 0, 2, ())
        assert [receipt for _, receipt in found.receipts] == receipts
        assert [showing(memory, "ann", canary, *CANARIES) for canary in CANARIES] == [[], []]
        assert showing(memory, "ann", "I like tea", "tea")
        for name in ("message", "source", "late"):
            with pytest.raises(errors.Gone):
                memory.message("ann", ids[name])
        with pytest.raises(errors.OwnerDeleted):
            memory.profile("bob")
        assert memory.message("eve", "m_eve").content == "untouched"
        state = memory.field("ann", "city")
        assert (state.status, state.value) == ("withdrawn", None)
        assert memory.field("ann", "plan").value is None

    with copying.open(restored) as memory:
        for owner, receipt in found.receipts:
            again = memory.receipt(owner, receipt).wait()
            assert again.state is StoreState.VERIFIED
            if owner == "ann":
                was = told[receipt]
                assert (again.kind, again.key, again.actor, again.reason) == (
                    was.kind,
                    was.key,
                    was.actor,
                    was.reason,
                )
        assert [one.differences for one in memory.verify("ann")] == [() for _ in memory.verify("ann")]
    if restored.path is not None:
        held = b"".join(path.read_bytes() for path in restored.path.parent.glob("memory.db*"))
        assert [canary for canary in CANARIES if canary.encode() in held] == []


def test_p3_nothing_can_be_written_under_what_the_backup_never_saw(copying: Copying) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        say(memory, "a talk that came later", to="c8")
        memory.forget_conversation("ann", "c8")
        memory.add_note("ann", GONE, id="n9")
        memory.forget_note("ann", "n9")
        memory.append("joe", "c1", "user", GONE, id="m_joe")
        memory.forget_owner("joe")
        deleted(memory, ids)
        lines = journal_of(memory)
    with copying.open(restored) as memory:
        memory.apply_deletions(lines)
        with pytest.raises(errors.Gone):
            memory.append("ann", "c9", "user", "again", id=ids["late"])
        with pytest.raises(errors.Gone):
            memory.append("ann", "c8", "user", "again")
        with pytest.raises(errors.Gone):
            memory.add_note("ann", "again", id="n9")
        with pytest.raises(errors.OwnerDeleted):
            memory.append("joe", "c1", "user", "again")
        transcript = [{"role": "user", "content": f"late {GONE}"}]
        assert memory.import_transcript("ann", transcript, conversation="c9").deleted == 1


def test_doing_it_twice_changes_nothing(copying: Copying) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        deleted(memory, ids)
        lines = journal_of(memory)
        here = memory.apply_deletions(lines)
        assert (here.applied, here.present) == (0, 7)
    with copying.open(restored) as memory:
        first = memory.apply_deletions(lines)
        before = [memory.owner("ann"), len(memory.receipts("ann")), list(memory.changes("ann", limit=1000))]
        second = memory.apply_deletions("\n".join(lines))
        assert (first.applied, second.applied, second.present, second.receipts) == (7, 0, 7, ())
        assert before == [
            memory.owner("ann"),
            len(memory.receipts("ann")),
            list(memory.changes("ann", limit=1000)),
        ]


def test_p3_a_deleted_correction_that_the_backup_never_saw_leaves_the_field_blank(copying: Copying) -> None:
    with copying.open() as memory:
        confirm(memory, "plan", "pro", say(memory, "we are on the pro plan"))
    restored = copying.copy()
    with copying.open() as memory:
        later = say(memory, "free now")
        confirm(memory, "plan", "free", later)
        memory.forget_message("ann", later.id)
        assert memory.field("ann", "plan").value is None
        lines = journal_of(memory)
    with copying.open(restored) as memory:
        assert memory.field("ann", "plan").value == "pro"
        memory.apply_deletions(lines)
        state = memory.field("ann", "plan")
        assert (state.status, state.value, state.reason) == ("withdrawn", None, "source_deleted")
        assert [one.value for one in memory.candidates("ann")] == ["pro"]
        assert memory.apply_deletions(lines).applied == 0


def test_an_owner_who_began_a_new_life_there_begins_one_here(copying: Copying) -> None:
    with copying.open() as memory:
        lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        memory.forget_owner("bob")
        memory.reopen("bob")
        said = memory.append("bob", "c1b", "user", GONE)
        memory.forget_message("bob", said.id)
        epoch = memory.owner("bob").epoch
        lines = journal_of(memory)
    with copying.open(restored) as memory:
        found = memory.apply_deletions(lines)
        assert (found.reopened, found.applied) == (1, 2)
        assert memory.owner("bob").epoch >= epoch
        assert showing(memory, "bob", CANARIES[0], *CANARIES) == []
        with pytest.raises(errors.Gone):
            memory.append("bob", "c1b", "user", "again", id=said.id)
        memory.forget_owner("bob")
        assert memory.apply_deletions(lines).reopened == 0, "it ended again here, later than there"
        with pytest.raises(errors.OwnerDeleted):
            memory.profile("bob")


def test_what_a_client_knows_of_the_lost_time_is_not_met_again(copying: Copying) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        for number in range(5):
            say(memory, f"more {number}")
        memory.forget_message("ann", ids["message"])
        last = memory.owner("ann")
        lines = journal_of(memory)
    with copying.open(restored) as memory:
        memory.apply_deletions(lines)
        here = memory.owner("ann")
        assert here.revision > last.revision and here.epoch > last.epoch
        kinds = [one.kind for one in memory.changes("ann", since=last.revision).items]
        assert "message.deleted" in kinds


def test_a_journal_can_begin_where_the_one_before_ended(copying: Copying, clock: FakeClock) -> None:
    with copying.open() as memory:
        first, second = say(memory, "one"), say(memory, "two")
        memory.forget_message("ann", first.id)
        until = memory.owner("ann").revision
        clock.advance(seconds=60)
        moment = clock()
        clock.advance(seconds=60)
        memory.forget_message("ann", second.id)
        for lines in (
            list(memory.export_deletions(since=moment)),
            list(memory.export_deletions(owner="ann", since=until)),
        ):
            told = [json.loads(line) for line in lines]
            assert [one["data"]["key"] for one in told if one.get("record") == "tombstone"] == [second.id]
        later = list(memory.export_deletions(since=clock() + timedelta(seconds=1)))
        assert [json.loads(line).get("record") for line in later[1:]] == ["end"]
        with pytest.raises(errors.InvalidArgument, match="owner"):
            memory.export_deletions(since=3)


def test_a_sweep_is_a_sweep_again(copying: Copying, clock: FakeClock) -> None:
    with copying.open() as memory:
        said = memory.append(
            "ann", "c1", "user", "we are on the pro plan", expires_at=clock() + timedelta(hours=1)
        )
        confirm(memory, "plan", "pro", said)
    restored = copying.copy()
    clock.advance(seconds=7200)
    with copying.open() as memory:
        memory.sweep()
        standing = memory.field("ann", "plan").value
        lines = journal_of(memory)
    with copying.open(restored) as memory:
        assert memory.apply_deletions(lines).applied == 1
        assert memory.field("ann", "plan").value == standing


def test_a_correction_that_was_lost_with_the_backup_is_named(copying: Copying) -> None:
    with copying.open() as memory:
        wrong, other = say(memory, "I live in Kyoto"), say(memory, "tea")
    restored = copying.copy()
    with copying.open() as memory:
        memory.edit("ann", wrong.id, "I live in Osaka", expect=1)
        memory.forget_message("ann", other.id)
        lines = journal_of(memory)
    with copying.open(restored) as memory:
        assert memory.apply_deletions(lines).corrections == (("ann", wrong.id),)
        memory.edit("ann", wrong.id, "I live in Osaka", expect=1)
        assert memory.apply_deletions(lines).corrections == ()


def test_a_journal_that_was_cut_or_is_none_or_another_tenants_is_refused(copying: Copying) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        deleted(memory, ids)
        lines = journal_of(memory)
    with copying.open(restored) as memory:
        for cut in (lines[:-1], lines[:3]):
            with pytest.raises(errors.BadFormat):
                memory.apply_deletions(cut)
        for none in ([], ["{}"], list(memory.export("eve"))):
            with pytest.raises(errors.BadFormat):
                memory.apply_deletions(none)
        assert memory.apply_deletions(lines).applied + memory.apply_deletions(lines).present > 0
    with open_memory(restored.url, copying.clock, tenant="other") as other, pytest.raises(errors.Conflict):
        other.apply_deletions(lines)


@pytest.mark.scenario("N10")
def test_a_restored_backup_is_caught_up_and_rebuilt_while_it_serves(copying: Copying) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        deleted(memory, ids)
        lines = journal_of(memory)
    with copying.open(restored, Derive.EXTERNAL) as memory:
        with memory.db.derive(memory.key("ann")) as tx:
            tx.run(index.DROP_POSTINGS, docs=[f"message:{ids['kept']}"])
        memory.apply_deletions(lines)
        assert memory.rebuild("ann", store="fulltext") > 0
        memory.append("ann", "c3", "user", "coffee, while it is rebuilt", id="m_new")
        memory.forget_message("ann", "m_new")
        assert showing(memory, "ann", CANARIES[0]) == []
    with copying.open(restored) as memory:
        memory.copies.drain(memory.key("ann"))
        assert [one.id for one in memory.search("ann", "tea")] == [ids["kept"]]
        assert memory.search("ann", f"coffee {CANARIES[0]}") == ()
        assert [one.differences for one in memory.verify("ann", store="fulltext")] == [()]


def test_a_line_that_does_not_hold_spoils_none_beside_it(copying: Copying) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        deleted(memory, ids)
        lines = journal_of(memory)
    broken: list[str] = []
    for line in lines:
        told = json.loads(line)
        if told.get("record") == "tombstone" and told["data"]["kind"] == "note":
            told["data"]["at"] = 2**60
        broken.append(json.dumps(told))
    with copying.open(restored) as memory:
        found = memory.apply_deletions(broken)
        assert [one.line for one in found.bad] == [
            number
            for number, line in enumerate(lines, 1)
            if '"kind":"note"' in line and '"tombstone"' in line
        ]
        assert memory.note("ann", "n1").text == GONE
        with pytest.raises(errors.Gone):
            memory.message("ann", ids["message"])
        assert memory.apply_deletions(lines).applied == 1
        with pytest.raises(errors.Gone):
            memory.note("ann", "n1")


@pytest.mark.parametrize("whose", ["ann", "bob"])
@pytest.mark.parametrize("how", ["unreadable", "out of bounds", "another kind"])
def test_p4_what_follows_a_broken_owner_is_nobodys(copying: Copying, whose: str, how: str) -> None:
    with copying.open() as memory:
        ids = lived(memory)
    restored = copying.copy()
    with copying.open() as memory:
        deleted(memory, ids)
        lines = journal_of(memory)
    told = [json.loads(line) for line in lines]
    owners = [number for number, one in enumerate(told) if one.get("record") == "owner"]
    at = next(number for number in owners if told[number]["data"]["owner"] == whose)
    after = next((number for number in owners if number > at), len(told) - 1)
    broken = {
        "unreadable": lines[at][: len(lines[at]) // 2],
        "out of bounds": json.dumps({**told[at], "data": {**told[at]["data"], "active_at": 2**60}}),
        "another kind": json.dumps({**told[at], "record": "ownr"}),
    }
    lines[at] = broken[how]
    with copying.open(restored) as memory:
        found = memory.apply_deletions(lines)
        assert {one.line for one in found.bad} >= set(range(at + 1, after + 1)), found.bad
        others = {"ann": "bob", "bob": "ann"}[whose]
        left = {owner: showing(memory, owner, CANARIES[0]) != [] for owner in (whose, others)}
        assert left == {whose: True, others: False}
        assert memory.message("eve", "m_eve").content == "untouched"
        assert memory.message("ann", ids["kept"]).content == "I like tea"
