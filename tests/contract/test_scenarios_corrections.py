"""Themes E and I: corrections lost, duplicated or beaten by the old fact; concurrent writes and retries."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text
from tests.conftest import Backend
from tests.contract.memories import confirm, infer, open_memory, say
from tests.contract.opening import engine_of

from seihon import errors
from seihon.canonical.database import Options
from seihon.memory import Derive, Memory
from seihon.model import ClaimState, FieldStatus, NoteState
from seihon.testing.clock import EPOCH, FakeClock
from seihon.testing.guard import StatementGuard

# -- E: the old fact and the new one


@pytest.mark.scenario("E1", "E8")
def test_the_opposite_of_a_fact_replaces_it_and_leaves_one_value(
    backend: Backend, memory: Memory, statement_guard: StatementGuard
) -> None:
    confirm(memory, "mood", "good", say(memory, "辛い料理が大好き"))
    liked = memory.add_note("ann", "辛い料理が好き")
    disliked = memory.supersede_note("ann", liked.id, "辛い料理は苦手になった")
    assert [note.text for note in memory.notes("ann")] == ["辛い料理は苦手になった"]
    assert memory.note("ann", liked.id).superseded_by == disliked.id
    memory.set("ann", "plan", "pro")
    memory.set("ann", "plan", "free")
    with engine_of(backend.admin_url) as engine, statement_guard.lifted(), engine.connect() as connection:
        for table, closed in (("field_values", "closed_revision IS NULL"), ("notes", "state = 'current'")):
            both = f"SELECT count(*) FROM {table} WHERE {closed} AND superseded_by IS NOT NULL"
            assert connection.execute(text(both)).scalar() == 0
        for wrong in (
            "UPDATE field_values SET superseded_by = 9 WHERE closed_revision IS NULL",
            "UPDATE notes SET superseded_by = 'n' WHERE state = 'current'",
        ):
            with pytest.raises(Exception, match=r"(?i)constraint"), connection.begin_nested():
                connection.execute(text(wrong))


@pytest.mark.scenario("E2", "E20")
@pytest.mark.parametrize(
    ("before", "after", "questions"),
    [
        ("I drink coffee", "I drink tea now", ("what do I drink now", "coffee or tea", "my drink", "drink")),
        ("コーヒーを飲みます", "今はお茶を飲みます", ("今は何を飲む", "コーヒー", "お茶", "飲み物")),
    ],
)
def test_only_the_newer_of_two_contradicting_notes_is_found(
    memory: Memory, before: str, after: str, questions: tuple[str, ...]
) -> None:
    old = memory.add_note("ann", before)
    new = memory.supersede_note("ann", old.id, after)
    for question in questions:
        assert [hit.id for hit in memory.search("ann", question)] in ([new.id], [])
        made = memory.context("ann", query=question)
        assert after in made.text
        assert before not in made.text
    assert [note.text for note in memory.notes("ann", state="superseded")] == [before]


@pytest.mark.scenario("E4")
def test_two_facts_about_two_things_are_two(memory: Memory) -> None:
    dream = memory.add_note("ann", "世界一周が夢")
    snack = memory.add_note("ann", "週末は夜食を食べる")
    assert [note.id for note in memory.notes("ann")] == [dream.id, snack.id]


@pytest.mark.scenario("E5")
def test_a_mention_does_not_touch_a_fact(memory: Memory) -> None:
    state = memory.set("ann", "city", "A社")
    for number in range(20):
        message = say(memory, f"A社の田中さんと{number}回目の会議をした")
        infer(memory, "seats", number + 1, message)
    assert memory.field("ann", "city").version == state.version
    assert memory.require("ann", "city") == "A社"


@pytest.mark.scenario("E7", "E23")
def test_a_corrected_sentence_is_marked_in_the_recent_turns_and_in_the_trace(memory: Memory) -> None:
    for number in range(10):
        confirm(memory, "city", "大阪", say(memory, f"オフィスは大阪です、と{number}回目"))
    confirm(memory, "city", "渋谷", say(memory, "もう関西にはいない、今は渋谷に通勤"))
    made = memory.context("ann", conversation="c1", query="オフィスはどこ", budget=3_000)
    assert made.text.count("[superseded: city is now 渋谷]") == 10
    assert "city: 渋谷" in made.text and "city: 大阪" not in made.text
    assert {item.reason for item in memory.trace("ann", made.trace).items if item.kind == "profile"} == {
        "current: newest"
    }
    assert memory.require("ann", "city") == "渋谷"


@pytest.mark.scenario("E10")
def test_setting_a_field_twice_makes_a_second_version_of_one_value(memory: Memory) -> None:
    assert memory.set("ann", "plan", "pro").version == 1
    assert memory.set("ann", "plan", "pro").version == 2
    assert memory.field("ann", "plan").version == 2
    assert list(memory.profile("ann").values()).count("pro") == 1


@pytest.mark.scenario("E11")
def test_one_fact_by_every_way_in_is_one_value(memory: Memory) -> None:
    message = say(memory, "I am on Pro")
    confirm(memory, "plan", "pro", message)
    infer(memory, "plan", "pro", message)
    confirm(memory, "plan", "Pro plan", message)
    memory.set("ann", "plan", "プロプラン")
    memory.observe("ann", "plan", "pro", confidence="confirmed", source="system")
    memory.observe("ann", "plan", "pro", confidence="inferred", source="import")
    line = {"role": "user", "content": "I am on Pro"}
    assert memory.import_transcript("ann", [line], conversation="c1").present == 1
    assert [value for value in memory.profile("ann").values() if value] == ["pro"]
    assert len(memory.search("ann", "I am on Pro")) == 1


@pytest.mark.scenario("E16", "E17")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("本番デプロイは許可", "本番デプロイは許可しない"),
        ("deploys are allowed", "deploys are not allowed"),
        ("持ち込み可", "持ち込み不可"),
        ("毎日報告します", "毎日報告しません"),
        ("締切は10月15日", "締切は10月16日"),
        ("予算1,200円", "予算12,000円"),
        ("use v2.0.1", "use v2.1.0"),
        ("dose: 5 mg", "dose: 5 g"),
    ],
)
def test_texts_that_differ_by_a_sign_are_never_one(memory: Memory, first: str, second: str) -> None:
    notes = [memory.add_note("ann", text) for text in (first, second)]
    assert [note.text for note in memory.notes("ann")] == [first, second]
    lines = [{"role": "user", "content": text} for text in (first, second)]
    assert memory.import_transcript("ann", lines).added == 2
    memory.set("ann", "city", first)
    assert memory.set("ann", "city", second).value == second
    assert memory.supersede_note("ann", notes[0].id, second).id != notes[1].id


@pytest.mark.scenario("E19")
def test_each_kind_of_memory_has_its_way_to_be_retracted(memory: Memory) -> None:
    message = say(memory, "keep it short, I am on Pro")
    confirm(memory, "plan", "pro", message)
    candidate = infer(memory, "length", "brief", message)
    note = memory.add_note("ann", "on Pro")
    waiting = memory.add_note("ann", "likes jazz", candidate=True)
    assert memory.reject("ann", candidate.id).state is ClaimState.REJECTED
    assert memory.reject_note("ann", waiting.id).state is NoteState.REJECTED
    memory.forget_note("ann", note.id)
    memory.forget_field("ann", "plan")
    assert memory.field("ann", "plan").status is FieldStatus.WITHDRAWN
    memory.forget_message("ann", message.id)
    assert memory.decline("ann", "plan").status is FieldStatus.DECLINED


@pytest.mark.scenario("E22")
def test_reading_strengthens_nothing_and_extends_nothing(memory: Memory, clock: FakeClock) -> None:
    memory.set("ann", "plan", "pro")
    note = memory.add_note("ann", "status: waiting for parts", expires_at=EPOCH + timedelta(days=1))
    before = memory.search("ann", "status waiting parts")
    revision = memory.owner("ann").revision
    for _ in range(30):
        memory.search("ann", "status waiting parts")
        memory.context("ann", query="status waiting parts", budget=300)
        memory.profile("ann")["plan"]
    assert memory.search("ann", "status waiting parts") == before
    assert memory.owner("ann").revision == revision
    assert memory.set("ann", "plan", "free").value == "free"
    clock.advance(days=1)
    with pytest.raises(errors.NotFound):
        memory.note("ann", note.id)


# -- I: writers at once


def in_parallel(count: int, act: Callable[[int], object]) -> None:
    threads = [threading.Thread(target=act, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.scenario("I2", "I8", "I16")
@pytest.mark.parametrize("what", ["field", "message", "note"])
def test_of_a_hundred_corrections_of_one_version_one_wins(
    backend: Backend, clock: FakeClock, what: str
) -> None:
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        message, note = say(memory, "version 1"), memory.add_note("ann", "version 1")
        memory.set("ann", "seats", 1)
        writers: dict[str, Callable[[int], int]] = {
            "field": lambda number: memory.set("ann", "seats", number + 2, expect=1).version,
            "message": lambda number: memory.edit("ann", message.id, f"by {number}", expect=1).version,
            "note": lambda number: memory.edit_note("ann", note.id, expect=1, text=f"by {number}").version,
        }
        told: Counter[tuple[str, int]] = Counter()

        def correct(number: int) -> None:
            try:
                told["won", writers[what](number)] += 1
            except errors.VersionConflict as refused:
                told["lost", refused.details["current"]] += 1

        in_parallel(
            8, lambda number: [correct(8 * turn + number) for turn in range(13) if 8 * turn + number < 100]
        )
        assert told == {("won", 2): 1, ("lost", 2): 99}
        assert memory.owner("ann").revision == 4


@pytest.mark.scenario("I7")
def test_a_writer_behind_a_long_lock_is_told_after_a_bounded_wait(backend: Backend, clock: FakeClock) -> None:
    with (
        open_memory(backend.url, clock) as holder,
        open_memory(backend.url, clock, options=Options(busy_timeout=0.2)) as memory,
    ):
        say(holder, "hello")
        with holder.db.write(holder.key("ann")):
            for write in (
                lambda: say(memory, "too early"),
                lambda: memory.set("ann", "plan", "pro"),
                lambda: memory.forget_owner("ann"),
            ):
                with pytest.raises(errors.Busy):
                    write()
            assert [one.content for one in memory.messages("ann", "c1")] == ["hello"]
        assert say(memory, "now").seq == 2


@pytest.mark.scenario("I11")
def test_first_words_said_at_once_are_all_kept(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as memory:
        in_parallel(20, lambda number: say(memory, f"first {number}"))
        found = memory.messages("ann", "c1").items
        assert [one.seq for one in found] == list(range(1, 21))
        assert {one.content for one in found} == {f"first {number}" for number in range(20)}
        assert memory.owner("ann").turn == 20
        assert memory.verify("ann")[0].differences == ()


@pytest.mark.scenario("I14")
def test_opposite_verbs_at_once_end_as_if_one_had_come_first(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as memory:
        for number in range(6):
            owner = f"u{number}"
            message = say(memory, "I am on Pro", owner=owner)

            def act(which: int, owner: str = owner, wanted: str = message.id) -> None:
                verbs = (
                    lambda: memory.forget_message(owner, wanted),
                    lambda: memory.edit(owner, wanted, "I am on Free", expect=1),
                    lambda: memory.observe(
                        owner, "plan", "pro", confidence="confirmed", message=wanted, quote="I am on Pro"
                    ),
                    lambda: say(memory, "hello", owner=owner),
                    lambda: memory.rebuild(owner),
                )
                try:
                    verbs[which]()
                except (errors.Gone, errors.VersionConflict, errors.InvalidArgument):
                    return

            in_parallel(5, act)
            with pytest.raises(errors.Gone):
                memory.message(owner, message.id)
            assert memory.profile(owner)["plan"] is None
            assert [one.content for one in memory.messages(owner, "c1")] == ["hello"]
            assert memory.verify(owner)[0].differences == ()
