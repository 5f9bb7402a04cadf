"""Exports and their way back: equal field by field into nothing, united with a life, deletions winning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, confirm, declared, infer, open_memory, say
from tests.contract.opening import admin_runs, engine_of
from tests.contract.surfaces import showing

from seihon import errors
from seihon.canonical import archive
from seihon.canonical import tables as t
from seihon.memory import Memory
from seihon.memory.carrying.records import ExportKind
from seihon.model import FieldStatus, NoteState, Source, StoreState
from seihon.testing.clock import EPOCH, FakeClock

scenario = pytest.mark.scenario

CANONICAL = (
    t.owners,
    t.conversations,
    t.messages,
    t.claims,
    t.claim_sources,
    t.field_values,
    t.notes,
    t.note_sources,
    t.tombstones,
    t.changes,
    t.receipts,
    t.receipt_stores,
)
SECRET_WORDS = "kestrel 4711"


@dataclass
class Two:
    """Two places that know the same tenant, and the clock of both."""

    here: Memory
    there: Memory
    clock: FakeClock

    def carry(self, kind: str = "migration", **how: Any) -> Any:
        """Carry what is here to there."""
        return self.there.import_export(self.here.export("ann", kind=kind), **how)

    def back(self) -> Any:
        """Carry what is there to here."""
        return self.here.import_export(self.there.export("ann", kind="migration"))


@pytest.fixture
def two(backend: Backend, elsewhere: str, clock: FakeClock) -> Iterator[Two]:
    with open_memory(backend.url, clock) as here, open_memory(elsewhere, clock) as there:
        yield Two(here, there, clock)


@pytest.fixture
def elsewhere(tmp_path: Path) -> str:
    """A second fresh database, on SQLite, so that PostgreSQL's export is read by another engine too."""
    return str(tmp_path / "elsewhere.sqlite")


def lived(memory: Memory, clock: FakeClock) -> None:
    """Give an owner a life in which everything happened once."""
    plan = say(memory, "I am on the pro plan since 猫")
    confirm(memory, "plan", "pro", plan)
    memory.observe(
        "ann", "length", "brief", confidence="confirmed", source="system", scope="research", extractor="crm"
    )
    memory.set("ann", "length", "detailed")
    city = say(memory, "moved to Kyoto", to="c2")
    infer(memory, "city", "Kyoto", city)
    infer(memory, "length", "brief", say(memory, "keep it brief"))
    for mood in ("good", "bad", "good"):
        infer(memory, "mood", mood, say(memory, f"feeling {mood}"))
    clock.advance(days=1)
    free = say(memory, "now on the free plan")
    confirm(memory, "plan", "free", free)
    tool = say(memory, "weather: rain", role="tool")
    infer(memory, "seats", 7, tool)
    memory.decline("ann", "seats")
    note = memory.add_note("ann", "likes tea", sources=[plan.id], metadata={"k": [1, None, "ü"]})
    memory.supersede_note("ann", note.id, "likes green tea")
    memory.add_note("ann", "maybe likes cats", candidate=True)
    doomed = memory.add_note("ann", SECRET_WORDS)
    limits: dict[str, Any] = {"expires_at": clock() + timedelta(hours=2), "expires_after_turns": 50}
    memory.append("ann", "c3", "assistant", "expires", metadata={"a": 1.5}, **limits)
    memory.update_conversation("ann", "c3", metadata={"topic": "tea"})
    edited = say(memory, SECRET_WORDS, to="c2")
    memory.edit("ann", edited.id, "mild words", expect=1)
    clock.advance(days=1)
    memory.forget_note("ann", doomed.id)
    gone = say(memory, SECRET_WORDS)
    infer(memory, "city", SECRET_WORDS, gone)
    memory.forget_message("ann", gone.id)
    say(memory, SECRET_WORDS, to="dead")
    memory.forget_conversation("ann", "dead")
    memory.set("ann", "seats", 12)
    memory.forget_field("ann", "seats")
    memory.import_transcript("ann", ['{"role": "user", "content": "old words", "created_at": "2020-05-01"}'])
    clock.advance(days=1)


LATER = EPOCH + timedelta(days=30)


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of a migration, for tests that do not need where it came from."""
    clock = FakeClock()
    with open_memory(str(tmp_path_factory.mktemp("life") / "life.sqlite"), clock) as memory:
        lived(memory, clock)
        return records(memory)


@pytest.fixture
def arrived(memory: Memory, clock: FakeClock) -> Memory:
    """An empty place, some time after the life that is carried there."""
    clock.set(LATER)
    return memory


def rows_of(url: str) -> dict[str, list[dict[str, Any]]]:
    """Every canonical row of the owner, read beneath the walls."""
    with engine_of(url) as engine, engine.connect() as connection:
        found = {
            table.name: connection.execute(select(table).where(table.c.owner == "acme/ann")).mappings()
            for table in CANONICAL
        }
        return {name: sorted(map(dict, rows), key=str) for name, rows in found.items()}


def records(memory: Memory, kind: str = "migration", owner: str = "ann") -> list[str]:
    return list(memory.export(owner, kind=kind))


def data(lines: list[str], record: str) -> list[Mapping[str, Any]]:
    found = [json.loads(one) for one in lines]
    return [one["data"] for one in found if one.get("record") == record]


def counts(report: Any) -> tuple[int, int, int]:
    return report.added, report.present, report.deleted


# --- the round trip ---


@scenario("P8")
def test_a_migration_into_nothing_is_equal_field_by_field(two: Two, backend: Backend, elsewhere: str) -> None:
    lived(two.here, two.clock)
    two.here.update_conversation("ann", "c1", retention=timedelta(days=40))
    lines = records(two.here)
    report = two.there.import_export(lines)
    assert (report.present, report.deleted, report.bad) == (0, 0, ())
    assert report.added == len(lines) - 2
    assert records(two.there)[1:] == lines[1:]
    admin = rows_of(backend.admin_url)
    assert rows_of(elsewhere) == admin
    assert all(admin.values()), "each canonical table is part of the comparison"


@scenario("P8")
def test_either_engine_takes_what_the_other_wrote_down(arrived: Memory, life: list[str]) -> None:
    assert arrived.import_export(life).bad == ()
    assert records(arrived)[1:] == life[1:]


@scenario("P8")
def test_what_was_carried_reads_as_before_and_lives_on(two: Two) -> None:
    lived(two.here, two.clock)
    two.carry()
    for query, found in (("green tea", "likes green tea"), ("猫", "I am on the pro plan since 猫")):
        here, there = (memory.search("ann", query) for memory in (two.here, two.there))
        assert there == here
        assert there[0].text == found
    for field in SCHEMA["properties"]:
        assert two.there.history("ann", field) == two.here.history("ann", field)
    for revision in range(two.here.owner("ann").revision + 1):
        past = [memory.profile("ann", as_of=revision).as_dict() for memory in (two.here, two.there)]
        assert past[0] == past[1]
    assert two.there.profile("ann").as_dict() == two.here.profile("ann").as_dict()
    assert [one.as_dict() for one in two.there.receipts("ann")] == [
        one.as_dict() for one in two.here.receipts("ann")
    ]
    before = two.there.owner("ann")
    said = say(two.there, "living on")
    assert (said.revision, said.turn) == (before.revision + 1, before.turn + 1)
    assert differences(two.there) == []


def differences(memory: Memory, owner: str = "ann") -> list[Any]:
    """Return where a copy disagrees with the original."""
    return [found for one in memory.verify(owner) for found in one.differences]


@scenario("P7")
def test_p3_importing_ones_own_export_twice_adds_nothing(two: Two) -> None:
    lived(two.here, two.clock)
    for kind in ExportKind:
        lines = records(two.here, kind)
        before = records(two.here)[1:]
        for _ in range(2):
            assert two.here.import_export(lines).added == 0
        assert records(two.here)[1:] == before
    migration = records(two.here)
    two.there.import_export(migration)
    assert two.there.import_export(migration).added == 0
    assert records(two.there)[1:] == migration[1:]


@scenario("P10")
def test_a_persons_export_holds_what_they_can_read_and_no_more(two: Two) -> None:
    lived(two.here, two.clock)
    lines = records(two.here, "person")
    text = "\n".join(lines)
    assert SECRET_WORDS not in text
    assert "expires" not in [one["content"] for one in data(lines, "message")]
    assert [one["text"] for one in data(lines, "note")] == ["likes green tea", "maybe likes cats"]
    assert [one["state"] for one in data(lines, "note")] == ["current", "candidate"]
    values = {(one["field"], one["scope"]): one for one in data(lines, "value")}
    assert values["plan", "default"]["value"] == "free"
    assert values["plan", "default"]["quotes"][0]["text"] == "now on the free plan"
    assert values["length", "research"]["value"] == "brief"
    assert values["seats", "default"]["value"] is None
    assert {one["value"] for one in data(lines, "claim") if one["field"] == "plan"} == {"pro", "free"}
    assert {one["field"] for one in data(lines, "candidate")} == {"city", "length"}
    assert {"tombstone", "receipt", "change", "owner"}.isdisjoint(
        json.loads(one).get("record") for one in lines
    )


@scenario("P10")
def test_a_migration_carries_deletions_without_their_text(two: Two) -> None:
    lived(two.here, two.clock)
    lines = records(two.here)
    assert SECRET_WORDS not in "\n".join(lines)
    assert {one["kind"] for one in data(lines, "tombstone")} == {"message", "note", "conversation", "field"}
    assert len(data(lines, "receipt")) == 4
    assert "expires" in [one["content"] for one in data(lines, "message")], "not swept yet, with its limits"


@scenario("P10")
@pytest.mark.parametrize("kind", list(ExportKind))
def test_p3_no_export_brings_an_item_back(two: Two, kind: str) -> None:
    lived(two.here, two.clock)
    note = two.here.notes("ann").items[0]
    message = two.here.messages("ann", "c1").items[0]
    lines = records(two.here, kind)
    two.here.forget_note("ann", note.id)
    two.here.forget_message("ann", message.id)
    two.here.forget_conversation("ann", "c2")
    two.here.forget_field("ann", "plan")
    report = two.here.import_export(lines)
    assert (report.added, report.bad) == (0, ())
    assert report.deleted >= 4
    assert showing(two.here, "ann", "pro plan") == []
    assert showing(two.here, "ann", "green tea") == []
    assert two.here.profile("ann")["plan"] is None
    with pytest.raises(errors.Gone):
        two.here.messages("ann", "c2")


def test_the_header_says_whose_and_as_of_when(two: Two) -> None:
    lived(two.here, two.clock)
    head = json.loads(records(two.here)[0])
    owner = two.here.owner("ann")
    assert list(head) == ["seihon", "kind", "owner", "tenant", "exported_at", "revision", "epoch", "key_id"]
    assert (head["owner"], head["tenant"], head["seihon"]) == ("ann", "acme", 1)
    assert (head["revision"], head["epoch"]) == (owner.revision, owner.epoch)
    assert datetime.fromisoformat(head["exported_at"]) == two.clock()


def test_an_export_is_one_snapshot_of_many_pages(memory: Memory) -> None:
    lines = [
        f'{{"role": "user", "content": "message {n}", "id": "m{n:05}"}}' for n in range(archive.PAGE * 2 + 1)
    ]
    memory.import_transcript("ann", lines)
    export = memory.export("ann", kind="migration")
    head = json.loads(next(export))
    say(memory, "too late")
    memory.forget_message("ann", "m01000")
    found = [json.loads(one) for one in export]
    contents = [one["data"]["content"] for one in found if one["record"] == "message"]
    assert contents == [f"message {n}" for n in range(archive.PAGE * 2 + 1)]
    assert head["revision"] == found[0]["data"]["revision"]
    assert found[-1] == {"record": "end", "data": {"records": len(found) - 1}}


@pytest.mark.parametrize("kind", list(ExportKind))
def test_an_export_that_is_dropped_lets_go(memory: Memory, kind: str) -> None:
    say(memory, "hello")
    for _ in range(20):
        next(memory.export("ann", kind=kind))
    assert memory.forget_owner("ann").wait(5).state is StoreState.VERIFIED


@scenario("P8")
def test_an_export_works_where_nothing_can_be_written(
    backend: Backend, pg_server: Any, clock: FakeClock
) -> None:
    with open_memory(backend.url, clock) as memory:
        lived(memory, clock)
        expected = {kind: records(memory, kind) for kind in ExportKind}
    with read_only(backend, pg_server, clock) as memory:
        for kind in ExportKind:
            assert records(memory, kind) == expected[kind]
        with pytest.raises(errors.SeihonError):
            say(memory, "refused")


def read_only(backend: Backend, pg_server: Any, clock: FakeClock) -> Memory:
    """Open a memory that cannot write, as on a standby or a mounted backup."""
    if backend.path is None:
        name = backend.url.rpartition("/")[2]
        admin_runs(pg_server, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        return open_memory(backend.url, clock, schema=None)
    memory = open_memory(backend.url, clock, schema=None)
    engine = memory.db.engine
    event.listen(engine, "connect", _forbid_writing)
    engine.dispose()
    return memory


def _forbid_writing(raw: Any, _record: Any) -> None:
    raw.execute("PRAGMA query_only=ON")


# --- owners who are gone ---


@scenario("P8")
def test_a_deleted_owner_can_be_moved_and_stays_deleted(two: Two) -> None:
    lived(two.here, two.clock)
    two.here.forget_owner("ann")
    with pytest.raises(errors.OwnerDeleted):
        two.here.export("ann")
    lines = records(two.here)
    assert "pro plan" not in "\n".join(lines)
    assert two.there.import_export(lines).bad == ()
    assert two.there.owner("ann").deleted
    assert records(two.there)[1:] == lines[1:]
    assert two.there.import_export(lines).added == 0
    with pytest.raises(errors.OwnerDeleted):
        say(two.there, "hello")
    two.there.reopen("ann")
    say(two.there, "a new life", to="fresh")
    assert two.there.import_export(lines).added == 0


def test_a_scope_that_is_not_overwritten_yet_leaves_without_its_text(
    backend: Backend, clock: FakeClock
) -> None:
    from seihon.memory import Derive

    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        say(memory, SECRET_WORDS, to="dead")
        memory.update_conversation("ann", "dead", metadata={"topic": SECRET_WORDS})
        say(memory, "stays")
        memory.forget_conversation("ann", "dead")
        assert SECRET_WORDS not in "\n".join(records(memory))
        memory.set("ann", "city", SECRET_WORDS)
        memory.add_note("ann", SECRET_WORDS)
        memory.forget_owner("ann")
        assert SECRET_WORDS not in "\n".join(records(memory))
        memory.reopen("ann")
        assert SECRET_WORDS not in "\n".join(records(memory))


def test_an_owner_without_anything_cannot_be_exported(memory: Memory) -> None:
    for kind in ExportKind:
        with pytest.raises(errors.NotFound):
            memory.export("ann", kind=kind)
    with pytest.raises(errors.InvalidArgument, match="person, migration"):
        memory.export("ann", kind="everything")


# --- two lives ---


def test_two_lives_become_one_whichever_way_they_meet(two: Two) -> None:
    lived(two.here, two.clock)
    two.carry()
    confirm(two.here, "city", "Osaka", say(two.here, "I live in Osaka"))
    two.clock.advance(days=1)
    confirm(two.there, "city", "Nara", say(two.there, "I live in Nara"))
    note = two.there.add_note("ann", "plays go")
    edited = two.there.edit("ann", two.there.messages("ann", "c2").items[0].id, "moved to Uji", expect=1)
    two.clock.advance(days=1)
    assert two.carry().bad == ()
    assert two.back().bad == ()
    for memory in (two.here, two.there):
        words = {one.content for one in memory.messages("ann", "c1")}
        assert {"I live in Osaka", "I live in Nara"} <= words
        assert memory.profile("ann")["city"] == "Nara"
        assert memory.note("ann", note.id).text == "plays go"
        assert memory.message("ann", edited.id).content == "moved to Uji"
        assert memory.search("ann", "plays go")[0].id == note.id
        seqs = [one.seq for one in memory.messages("ann", "c1")]
        assert len(set(seqs)) == len(seqs)
    for _ in range(2):
        assert two.carry().added == 0
        assert two.back().added == 0


@pytest.mark.parametrize("where", ["here", "there"])
def test_p3_a_tombstone_of_either_side_deletes_on_both(two: Two, where: str) -> None:
    lived(two.here, two.clock)
    message = say(two.here, SECRET_WORDS)
    confirm(two.here, "city", SECRET_WORDS, message)
    note = two.here.add_note("ann", f"drawn: {SECRET_WORDS}", sources=[message.id])
    say(two.here, SECRET_WORDS, to="c9")
    two.carry()
    deleting = getattr(two, where)
    deleting.forget_message("ann", message.id)
    deleting.forget_conversation("ann", "c9")
    epochs = two.here.owner("ann").epoch + two.there.owner("ann").epoch
    two.clock.advance(days=1)
    for report in (two.carry(), two.back()):
        assert report.bad == ()
    for memory in (two.here, two.there):
        assert showing(memory, "ann", SECRET_WORDS) == []
        with pytest.raises(errors.Gone):
            memory.note("ann", note.id)
        assert all(one.state is StoreState.VERIFIED for one in memory.receipts("ann"))
        assert memory.profile("ann").states["city"].status is FieldStatus.WITHDRAWN
        assert differences(memory) == []
    assert two.here.owner("ann").epoch + two.there.owner("ann").epoch > epochs
    two.carry()
    assert two.back().added == two.carry().added == 0


def test_p3_what_was_said_of_a_field_before_its_deletion_stays_out_and_later_words_stand(two: Two) -> None:
    confirm(two.here, "city", "Kyoto", say(two.here, "in Kyoto"))
    two.carry()
    two.clock.advance(days=1)
    infer(two.there, "city", "Nara", say(two.there, "perhaps in Nara"))
    two.clock.advance(days=1)
    two.here.forget_field("ann", "city")
    two.clock.advance(days=1)
    confirm(two.there, "plan", "pro", say(two.there, "on pro"))
    two.carry()
    assert two.there.profile("ann")["city"] is None
    assert showing(two.there, "ann", '"Nara"') == []
    assert two.back().bad == ()
    assert two.here.profile("ann")["city"] is None
    assert two.here.profile("ann")["plan"] == "pro"
    two.clock.advance(days=1)
    confirm(two.there, "city", "Uji", say(two.there, "in Uji"))
    two.back()
    assert two.here.profile("ann")["city"] == "Uji"
    assert two.carry().added == 0


def test_p3_later_words_survive_a_deletion_that_arrives_after_them(two: Two) -> None:
    confirm(two.here, "city", "Kyoto", say(two.here, "in Kyoto"))
    two.carry()
    two.clock.advance(days=1)
    two.here.forget_field("ann", "city")
    two.clock.advance(days=1)
    confirm(two.there, "city", "Uji", say(two.there, "in Uji"))
    two.carry()
    assert two.there.profile("ann")["city"] == "Uji"
    assert [one.value for one in two.there.history("ann", "city")] == [None, "Uji"]
    assert all(one.wait(5).state is StoreState.VERIFIED for one in two.there.receipts("ann"))
    assert two.there.profile("ann")["city"] == "Uji"


def test_p3_a_deleted_correction_does_not_bring_the_corrected_value_back(two: Two) -> None:
    confirm(two.here, "plan", "pro", say(two.here, "on pro"))
    two.carry()
    correction = say(two.here, "on free")
    confirm(two.here, "plan", "free", correction)
    two.here.forget_message("ann", correction.id)
    infer(two.there, "plan", "pro", two.there.messages("ann", "c1").items[0])
    two.carry()
    two.back()
    for memory in (two.here, two.there):
        assert memory.profile("ann")["plan"] is None


def test_p6_two_corrections_of_one_message_are_told_and_neither_is_overwritten(two: Two) -> None:
    message, note = say(two.here, "I live in Kyoto"), two.here.add_note("ann", "likes tea")
    two.carry()
    for memory, word in ((two.here, "Osaka"), (two.there, "Nara")):
        memory.edit("ann", message.id, f"I live in {word}", expect=1)
        memory.edit_note("ann", note.id, expect=1, text=f"likes {word}")
    for report in (two.carry(), two.back()):
        assert [one.code for one in report.bad] == ["version_conflict"] * 2
        assert report.added == 0
    assert two.here.message("ann", message.id).content == "I live in Osaka"
    assert two.there.note("ann", note.id).text == "likes Nara"
    two.here.edit("ann", message.id, "I live in Uji", expect=2)
    assert [one.code for one in two.carry().bad] == ["version_conflict"]
    assert two.there.message("ann", message.id).content == "I live in Uji"


def test_p3_words_deleted_there_go_here_too_under_whatever_id_they_came(two: Two) -> None:
    say(two.here, "a beginning")
    two.carry()
    line = {"role": "user", "content": SECRET_WORDS}
    for memory in (two.here, two.there):
        memory.import_transcript("ann", [line])
    (message,) = two.here.messages("ann", "imported")
    two.here.forget_message("ann", message.id)
    two.clock.advance(days=1)
    two.carry()
    two.back()
    for memory in (two.here, two.there):
        assert showing(memory, "ann", SECRET_WORDS) == []
        assert counts(memory.import_transcript("ann", [line])) == (0, 0, 1)
    assert two.carry().added == 0


def test_p6_an_equal_message_that_was_left_standing_stands_on_both_sides(two: Two) -> None:
    say(two.there, "somewhere else", to="c9")
    doomed = say(two.here, "ok")
    spared = say(two.here, "ok")
    two.here.forget_message("ann", doomed.id)
    for report in (two.carry(), two.back(), two.carry()):
        assert report.bad == ()
    for memory in (two.here, two.there):
        assert [one.id for one in memory.messages("ann", "c1")] == [spared.id]


def test_p6_a_correction_there_ends_no_other_message_that_says_the_same_here(two: Two) -> None:
    message = say(two.here, "yes")
    two.carry()
    other = say(two.there, "yes")
    two.here.edit("ann", message.id, "no", expect=1)
    epoch = two.there.owner("ann").epoch
    for report in (two.carry(), two.back()):
        assert report.bad == ()
    for memory in (two.here, two.there):
        assert {one.id: one.content for one in memory.messages("ann", "c1")} == {
            message.id: "no",
            other.id: "yes",
        }
    assert two.there.owner("ann").epoch == epoch
    assert two.carry().added == two.back().added == 0


def test_that_somebody_does_not_want_to_say_is_carried_by_itself(two: Two) -> None:
    say(two.here, "hello")
    two.carry()
    two.clock.advance(days=1)
    two.here.decline("ann", "city")
    two.carry()
    assert two.there.field("ann", "city").status is FieldStatus.DECLINED
    infer(two.there, "city", "Kyoto", say(two.there, "the train to Kyoto"))
    assert two.there.profile("ann")["city"] is None


def test_p3_an_owner_deleted_there_is_deleted_here(two: Two) -> None:
    lived(two.here, two.clock)
    two.carry()
    two.there.forget_owner("ann")
    say(two.here, "unaware")
    two.clock.advance(days=1)
    two.back()
    assert two.here.owner("ann").deleted
    assert all(one.wait(5).state is StoreState.VERIFIED for one in two.here.receipts("ann"))
    assert records(two.here)[1:] != records(two.there)[1:]
    for _ in range(2):
        assert two.carry().bad == two.back().bad == ()
    assert two.carry().added == two.back().added == 0


def test_p3_an_owner_who_returned_here_is_not_given_the_old_life(two: Two) -> None:
    lived(two.here, two.clock)
    two.carry()
    two.clock.advance(days=1)
    two.here.forget_owner("ann")
    two.here.reopen("ann")
    said = say(two.here, "a new life", to="fresh")
    two.clock.advance(days=1)
    later = say(two.there, "said elsewhere, later", to="elsewhere")
    report = two.back()
    assert report.deleted > 10
    found = [
        one.content for name in two.here.conversations("ann") for one in two.here.messages("ann", name.id)
    ]
    assert found == [later.content, said.content]
    assert two.here.profile("ann")["plan"] is None
    with pytest.raises(errors.Conflict, match="new life"):
        two.carry()
    assert two.there.message("ann", later.id).content == later.content


# --- a person's export in another place ---


def test_a_persons_export_brings_messages_notes_and_values_as_inferences(two: Two) -> None:
    lived(two.here, two.clock)
    report = two.carry("person")
    assert report.bad == ()
    assert two.carry("person").added == 0
    assert records(two.there, "person") == records(two.there, "person")
    plan = two.there.profile("ann").states["plan"]
    assert (plan.value, plan.source, plan.confidence) == ("free", Source.IMPORT, "inferred")
    assert [one.text for one in two.there.notes("ann")] == ["likes green tea"]
    assert [one.text for one in two.there.notes("ann", state=NoteState.CANDIDATE)] == ["maybe likes cats"]
    assert {one.value for one in two.there.candidates("ann")} == {"brief", "detailed"}
    here, there = (
        [one["data"] for one in map(json.loads, records(memory, "person")) if one.get("record") == "message"]
        for memory in (two.here, two.there)
    )
    assert there == here


def test_a_note_goes_with_its_message_in_the_other_place_too(two: Two) -> None:
    message = say(two.here, "I like tea")
    two.here.add_note("ann", "likes tea", sources=[message.id])
    two.carry("person")
    two.there.forget_message("ann", message.id)
    assert two.there.notes("ann").items == ()
    assert counts(two.carry("person")) == (0, 1, 2)


def test_a_persons_export_that_was_cut_off_keeps_what_came(two: Two) -> None:
    lived(two.here, two.clock)
    lines = records(two.here, "person")
    report = two.there.import_export(lines[:6])
    assert [(one.line, one.code) for one in report.bad] == [(7, "bad_format")]
    assert report.added == 5


def test_conversations_keep_their_limits(two: Two) -> None:
    lived(two.here, two.clock)
    two.here.update_conversation("ann", "c3", retention=timedelta(days=40))
    two.carry("person")
    found = two.there.conversation("ann", "c3")
    assert (found.retention, found.metadata) == (timedelta(days=40), {"topic": "tea"})


# --- whose, and from where ---


def test_another_tenant_or_owner_must_be_named(two: Two, backend: Backend, clock: FakeClock) -> None:
    lived(two.here, two.clock)
    lines = records(two.here)
    with open_memory(backend.url, clock, tenant="globex") as globex:
        with pytest.raises(errors.Conflict, match="another tenant"):
            globex.import_export(lines)
        assert globex.import_export(lines, owner="bob").bad == ()
        assert globex.profile("bob")["plan"] == "free"
        assert globex.import_export(lines, owner="bob").added == 0
        with pytest.raises(errors.Conflict, match="restore the secret"):
            globex.import_transcript("bob", ['{"role": "user", "content": "hello"}'])


def test_p3_the_secret_travels_with_a_migration_and_keeps_deleted_words_out(two: Two) -> None:
    two.here.forget_message("ann", say(two.here, SECRET_WORDS).id)
    two.carry()
    line = json.dumps({"role": "user", "content": SECRET_WORDS})
    report = two.there.import_transcript("ann", [line], conversation="c1")
    assert counts(report) == (0, 0, 1)


def test_claims_about_unknown_fields_are_kept_and_reported(two: Two, tmp_path: Any) -> None:
    lived(two.here, two.clock)
    small = declared(plan=SCHEMA["properties"]["plan"])
    with open_memory(str(tmp_path / "small.sqlite"), two.clock, schema=small) as memory:
        report = memory.import_export(two.here.export("ann", kind="migration"))
        assert (report.bad, {one.code for one in report.warnings}) == ((), {"unknown_field"})
        assert len(report.warnings) == 4
        assert records(memory)[1:] == records(two.here)[1:]
        assert memory.profile("ann")["plan"] == "free"


# --- hostile files ---


def changed(lines: list[str], record: str, change: Callable[[dict[str, Any]], Any]) -> list[str]:
    """Return the file with the first record of a kind changed."""
    done = False
    out: list[str] = []
    for one in lines:
        found = json.loads(one)
        if not done and found.get("record") == record:
            change(found["data"])
            done = True
        out.append(json.dumps(found))
    assert done
    return out


BROKEN: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("message", lambda row: row.update(content="\x00")),
    ("message", lambda row: row.update(content="x" * 2_000_000)),
    ("message", lambda row: row.update(role="robot")),
    ("message", lambda row: row.update(trust="everyone")),
    ("message", lambda row: row.update(seq=2**60)),
    ("message", lambda row: row.update(seq=0)),
    ("message", lambda row: row.update(version="1")),
    ("message", lambda row: row.update(created_revision=10**9)),
    ("message", lambda row: row.update(at=10**17)),
    ("message", lambda row: row.update(observed_at=2**62)),
    ("message", lambda row: row.update(deleted_revision=1)),
    ("message", lambda row: row.update(conversation="nowhere")),
    ("message", lambda row: row.update(metadata=["x"])),
    ("message", lambda row: row.update(id="")),
    ("message", lambda row: row.update({'"; DROP TABLE messages; --': 1})),
    ("message", lambda row: row.pop("trust")),
    ("note", lambda row: row.update(state="current" if row["superseded_by"] else "superseded")),
    ("note", lambda row: row.update(text=None)),
    ("claim", lambda row: row.update(value={"a": 1})),
    ("claim", lambda row: row.update(source="rumour")),
    ("claim", lambda row: row.update(message="nothing")),
    ("field_value", lambda row: row.update(status="current", claim=None)),
    ("field_value", lambda row: row.update(probability="high", floor_at=None, floor_seq=3)),
    ("tombstone", lambda row: row.update(kind="planet")),
    ("conversation", lambda row: row.update(last_at=True)),
    ("change", lambda row: row.update(revision=-1)),
    ("receipt_store", lambda row: row.update(receipt="none")),
]


@pytest.mark.parametrize("known", [False, True])
def test_a_line_that_does_not_hold_is_reported_and_spoils_no_other(
    arrived: Memory, life: list[str], known: bool
) -> None:
    for case, (record, change) in enumerate(BROKEN):
        owner = f"owner {case}"
        if known:
            say(arrived, "already alive", to="other", owner=owner)
        broken = changed(life, record, change)
        number = next(n for n, one in enumerate(life, start=1) if json.loads(one).get("record") == record)
        report = arrived.import_export(broken, owner=owner)
        assert number in [one.line for one in report.bad], (record, case)
        assert not any("kestrel" in one.message or "DROP" in one.message for one in report.bad)
        assert report.added > 20
        assert arrived.import_export(life, owner=owner).bad == ()
        assert differences(arrived, owner) == []


def revised(lines: list[str], old: str, new: str) -> list[str]:
    """Return the file with another header."""
    assert old in lines[0]
    return [lines[0].replace(old, new), *lines[1:]]


BREAKS: list[tuple[Callable[[list[str]], list[str]], type[Exception]]] = [
    (lambda _: [], errors.BadFormat),
    (lambda _: ["{}"], errors.BadFormat),
    (lambda _: ["not JSON"], errors.BadFormat),
    (lambda lines: lines[1:], errors.BadFormat),
    (lambda lines: lines[:-1], errors.BadFormat),
    (lambda lines: [*lines[:5], *lines[6:]], errors.BadFormat),
    (lambda lines: [lines[0], *lines[2:]], errors.BadFormat),
    (lambda lines: revised(lines, '"seihon":1', '"seihon":2'), errors.BadFormat),
    (lambda lines: revised(lines, '"seihon":1', '"seihon":true'), errors.BadFormat),
    (lambda lines: revised(lines, '"migration"', '"all"'), errors.BadFormat),
    (lambda lines: revised(lines, '"owner":"ann"', '"owner":""'), errors.BadFormat),
    (lambda lines: revised(lines, '"revision":', f'"revision":{10**17}'), errors.BadFormat),
    (lambda lines: revised(lines, '"exported_at":"20', '"exported_at":"21'), errors.Conflict),
]


def test_p6_a_migration_comes_in_whole_or_not_at_all(arrived: Memory, life: list[str]) -> None:
    for break_, error in BREAKS:
        with pytest.raises(error):
            arrived.import_export(break_(life))
        assert arrived.owner("ann").revision == 0
    assert arrived.import_export(revised(life, '"revision":', '"revision":9')).bad == ()


def test_p3_a_file_that_contradicts_its_own_tombstones_brings_nothing_back(
    arrived: Memory, life: list[str]
) -> None:
    dead = next(one for one in data(life, "message") if one["deleted_revision"] is not None)

    def revived(one: str) -> str:
        found = json.loads(one)
        if found.get("record") == "message" and found["data"]["id"] == dead["id"]:
            found["data"].update(content=SECRET_WORDS, deleted_revision=None)
        if found.get("record") == "message" and found["data"]["conversation"] == "dead":
            found["data"].update(content=SECRET_WORDS, deleted_revision=None)
        return json.dumps(found)

    report = arrived.import_export([revived(one) for one in life])
    assert report.deleted >= 1
    assert showing(arrived, "ann", SECRET_WORDS) == []
    assert SECRET_WORDS not in "\n".join(records(arrived))


def test_records_that_come_twice_or_too_late_are_not_taken(arrived: Memory, life: list[str]) -> None:
    message = next(one for one in life if '"record":"message"' in one)
    late = next(one for one in life if '"record":"tombstone"' in one)
    end = json.dumps({"record": "end", "data": {"records": len(life) + 1}})
    report = arrived.import_export([*life[:-1], message, late, '{"record": "planet", "data": {}}', end])
    assert [(one.line, one.code) for one in report.bad] == [
        (len(life), "bad_format"),
        (len(life) + 1, "bad_format"),
        (len(life) + 2, "bad_format"),
    ]


def test_progress_tells_how_many_lines_were_read(arrived: Memory, life: list[str]) -> None:
    told: list[int] = []
    arrived.import_export(life, progress=told.append)
    assert sum(told) == len(life) - 2
