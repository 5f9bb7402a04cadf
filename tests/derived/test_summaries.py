"""Summaries follow corrections and deletions, and nothing that a model does late brings anything back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, SECRET, confirm, say

from seihon import errors
from seihon.canonical import operator
from seihon.canonical import summaries as statements
from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER
from seihon.core import ranges
from seihon.core.fidelity import Line
from seihon.core.reading import SourceMessage
from seihon.memory import Derive, Memory
from seihon.model import Message, StoreState, Summary, SummaryState
from seihon.models.summariser import Summariser
from seihon.testing.clock import FakeClock
from seihon.testing.summarising import (
    EMPTY,
    REFUSING,
    REFUSING_IN_JAPANESE,
    ScriptedSummariser,
    quoting,
    saying,
)

FULL = ranges.SIZE
CANARY = "sk-test-000"
ROWS = select(t.summaries).where(t.summaries.c.owner == OWNER).order_by(t.summaries.c.version)
MARKS = select(t.dirty.c.store, t.dirty.c.key).where(t.dirty.c.owner == OWNER)


@contextmanager
def remembering(
    backend: Backend, clock: FakeClock, model: Summariser | str = "offline", derive: Derive = Derive.INLINE
) -> Generator[Memory]:
    with Memory.open(
        backend.url,
        clock=clock,
        schema=SCHEMA,
        tenant="acme",
        secret=SECRET,
        derive=derive,
        summariser=model,
    ) as memory:
        yield memory


@pytest.fixture
def model() -> ScriptedSummariser:
    return ScriptedSummariser(quoting)


@pytest.fixture
def memory(backend: Backend, clock: FakeClock, model: ScriptedSummariser) -> Iterator[Memory]:
    """A memory with a scripted model, whose copies follow only when told."""
    with remembering(backend, clock, model, Derive.EXTERNAL) as opened:
        yield opened


def talk(
    memory: Memory, count: int = FULL, *, to: str = "c1", owner: str = "ann", about: str = "I walk"
) -> list[Message]:
    """Add messages that differ; return all of the conversation."""
    lines = [{"role": "user", "content": f"{about} {n} km on day {n}."} for n in range(count)]
    memory.import_transcript(owner, lines, conversation=to)
    return list(messages(memory, to, owner))


def messages(memory: Memory, to: str = "c1", owner: str = "ann") -> tuple[Message, ...]:
    return memory.messages(owner, to, limit=1000).items


def follow(memory: Memory, owner: str = "ann") -> None:
    memory.copies.worker.drain(memory.key(owner))


def listed(memory: Memory, to: str = "c1", owner: str = "ann") -> tuple[Summary, ...]:
    return memory.summaries(owner, to, limit=1000).items


def the_one(memory: Memory, to: str = "c1", owner: str = "ann") -> Summary:
    (found,) = listed(memory, to, owner)
    return found


def rows(memory: Memory, owner: str = "ann") -> Sequence[Any]:
    with memory.db.read(memory.key(owner)) as tx:
        return tx.all(ROWS)


def marked(memory: Memory, store: str = statements.STORE) -> list[str]:
    with memory.db.read(memory.key("ann")) as tx:
        return sorted(row.key for row in tx.all(MARKS) if row.store == store)


def in_line(memory: Memory) -> bool:
    return not any(one.differences for one in memory.verify("ann"))


# -- what is covered


@pytest.mark.scenario("K1")
def test_each_message_of_a_long_conversation_is_covered_by_exactly_one_summary(
    backend: Backend, clock: FakeClock
) -> None:
    with remembering(backend, clock) as memory:
        said = talk(memory, 507)
        found = listed(memory)
        assert [(one.first_seq, one.last_seq) for one in found] == [
            ranges.bounds(block) for block in range(507 // FULL)
        ]
        assert [each for one in found for each in one.sources] == [
            one.id for one in said[: 507 // FULL * FULL]
        ]
        assert all(line.sources for one in found for line in one.lines)
        assert memory.summaries("ann", "c1", limit=7).next is not None
        assert in_line(memory)


def test_appending_beyond_a_range_touches_nothing_and_marks_nothing(
    memory: Memory, model: ScriptedSummariser
) -> None:
    talk(memory)
    follow(memory)
    before = the_one(memory)
    for number in range(FULL - 1):
        say(memory, f"more {number}")
        assert marked(memory) == []
    say(memory, "the last of its range")
    assert marked(memory) == [statements.range_key(1, "c1")]
    follow(memory)
    assert listed(memory)[0] == before
    assert len(model.asked) == 2


def test_the_tail_is_summarised_when_asked_and_gives_way_when_its_range_is_full(memory: Memory) -> None:
    talk(memory, 5)
    follow(memory)
    assert listed(memory) == ()
    assert memory.summarise("ann", "c1").waiting == 1, "a worker makes it"
    follow(memory)
    tail = the_one(memory)
    assert (tail.first_seq, tail.last_seq, tail.version, len(tail.sources)) == (1, 5, 1, 5)
    say(memory, "beyond the tail")
    assert the_one(memory) == tail
    assert in_line(memory)
    talk(memory, FULL - 6, about="We drive")
    follow(memory)
    whole = the_one(memory)
    assert (whole.first_seq, whole.last_seq, whole.version, len(whole.sources)) == (1, FULL, 2, FULL)
    assert [(row.state, row.text) for row in rows(memory)[:1]] == [("superseded", "")]


def test_the_same_messages_are_not_asked_for_twice(memory: Memory, model: ScriptedSummariser) -> None:
    talk(memory)
    follow(memory)
    before = the_one(memory)
    memory.summarise("ann", "c1")
    memory.rebuild("ann", store="summaries")
    follow(memory)
    assert (the_one(memory), len(model.asked)) == (before, 1)
    model.prompt_version = "2"
    memory.rebuild("ann", store="summaries")
    follow(memory)
    assert (the_one(memory).version, the_one(memory).prompt_version) == (2, "2")


def test_without_a_summariser_none_is_made_and_nothing_is_a_difference(
    backend: Backend, clock: FakeClock
) -> None:
    with remembering(backend, clock, "off") as memory:
        talk(memory, FULL)
        assert listed(memory) == ()
        assert memory.summarise("ann", "c1").waiting == 0
        assert marked(memory) == []
        assert in_line(memory)
    with remembering(backend, clock) as memory:
        assert memory.rebuild("ann", store="summaries") == 1
        assert the_one(memory).model == "offline"


def test_an_unknown_summariser_and_an_unknown_conversation_are_refused(
    backend: Backend, clock: FakeClock, memory: Memory
) -> None:
    with pytest.raises(errors.InvalidArgument, match="offline"), remembering(backend, clock, "attic"):
        pass
    say(memory, "hello")
    for verb in (memory.summaries, memory.summarise):
        with pytest.raises(errors.NotFound):
            verb("ann", "c2")
    memory.forget_conversation("ann", "c1")
    with pytest.raises(errors.Gone):
        memory.summaries("ann", "c1")


# -- P1: corrections win


def test_p1_an_edit_hides_the_summary_in_its_own_transaction(memory: Memory) -> None:
    said = talk(memory)
    follow(memory)
    memory.edit("ann", said[3].id, "I swim.", expect=1)
    gone = the_one(memory)
    assert (gone.state, gone.text, gone.lines) == (SummaryState.RETRACTED, "", ())
    assert {row.text for row in rows(memory)} == {""}
    assert "summary" not in {item.kind for item in memory.context("ann", conversation="c1").items}
    follow(memory)
    again = the_one(memory)
    assert (again.state, again.version, again.sources[said[3].id]) == (SummaryState.CURRENT, 2, 2)
    assert "I walk 3 km" not in again.text
    assert "I swim." in again.text


def test_p1_a_superseded_quote_is_taken_out_of_the_summary(memory: Memory, model: ScriptedSummariser) -> None:
    message = say(memory, "I'm on the Pro plan and I'm allergic to nuts.")
    other = say(memory, "I live in Rome.")
    talk(memory, FULL - 2)
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=message.id, quote="Pro plan")
    confirm(memory, "city", "Rome", other)
    follow(memory)
    assert "Pro plan" in the_one(memory).text
    memory.set("ann", "plan", "free")
    assert the_one(memory).state is SummaryState.RETRACTED
    follow(memory)
    again = the_one(memory)
    assert "Pro plan" not in again.text
    assert "I'm on the […] and I'm allergic to nuts." in again.text
    assert "I live in Rome." in again.text
    assert all("Pro plan" not in one.text for one in model.asked[-1]), "no model sees it"
    # It is what the field says again.
    memory.set("ann", "plan", "pro")
    follow(memory)
    assert "Pro plan" in the_one(memory).text
    assert in_line(memory)


def test_p1_a_value_that_is_deleted_goes_out_of_the_summary(memory: Memory) -> None:
    message = say(memory, "I'm on the Pro plan.")
    talk(memory, FULL - 1)
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=message.id, quote="Pro plan")
    follow(memory)
    memory.forget_field("ann", "plan")
    assert the_one(memory).state is SummaryState.RETRACTED
    follow(memory)
    assert "Pro plan" not in the_one(memory).text


def test_p1_a_late_claim_that_is_older_than_the_value_retracts_too(memory: Memory, clock: FakeClock) -> None:
    message = say(memory, "I'm on the Pro plan.")
    clock.advance(seconds=1)
    talk(memory, FULL - 1)
    follow(memory)
    memory.set("ann", "plan", "free")
    assert the_one(memory).state is SummaryState.CURRENT, "nothing was drawn from it so far"
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=message.id, quote="Pro plan")
    assert the_one(memory).state is SummaryState.RETRACTED
    follow(memory)
    assert "Pro plan" not in the_one(memory).text


def _nothing(*_args: object, **_named: object) -> None: ...


def test_p1_what_no_transaction_retracted_is_marked_at_read(
    memory: Memory, model: ScriptedSummariser, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.script(lambda given: quoting(given[:5]))
    message = say(memory, "I'm on the Pro plan.")
    talk(memory, 3 * FULL - 1, about="I have walked, and will walk for as long as my feet carry me, some")
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=message.id, quote="Pro plan")
    follow(memory)
    monkeypatch.setattr(statements, "retract_superseded", _nothing)
    memory.set("ann", "plan", "free")
    found = listed(memory)[0]
    assert [(one.field, one.replacement) for one in found.superseded] == [("plan", "free")]
    made = memory.context("ann", conversation="c1", query="plan", budget=3_000)
    (item,) = [one for one in made.items if one.id == found.id]
    assert item.marked
    assert f"[superseded: plan is now free] {found.text.splitlines()[0]}" in made.text
    assert {one.store: one.left for one in memory.verify("ann")}["summaries"] == 1


def test_a_quote_that_holds_again_and_is_still_left_out_is_no_fault(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = say(memory, "I'm on the Pro plan.")
    talk(memory, FULL - 1)
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=message.id, quote="Pro plan")
    memory.set("ann", "plan", "free")
    follow(memory)
    monkeypatch.setattr(statements, "retract_superseded", _nothing)
    memory.set("ann", "plan", "pro")
    assert in_line(memory)
    assert the_one(memory).superseded == ()
    memory.set("ann", "plan", "ultra")
    assert in_line(memory)


# -- P2 and P3: deletions reach it, and nothing comes back


@pytest.mark.scenario("A11", "A17")
def test_p2_a_deleted_message_is_in_no_summary_from_the_commit(memory: Memory) -> None:
    secret = say(memory, f"Oops: {CANARY}, and I'm not coming on Friday.")
    talk(memory, FULL - 1)
    follow(memory)
    assert CANARY in the_one(memory).text
    receipt = memory.forget_message("ann", secret.id)
    assert CANARY not in str([one.as_dict() for one in listed(memory)])
    assert CANARY not in memory.context("ann", conversation="c1", query="key").text
    memory.copies.drain(memory.key("ann"))
    done = memory.receipt("ann", receipt.id)
    assert done.state is StoreState.VERIFIED
    assert {one.store: one.state for one in done.stores}["summaries"] is StoreState.VERIFIED
    again = the_one(memory)
    assert CANARY not in again.text
    assert secret.id not in again.sources
    assert len(again.sources) == FULL - 1


@pytest.mark.scenario("A11", "D1")
@pytest.mark.parametrize("scope", ["message", "conversation", "owner"])
def test_p2_no_byte_of_a_summary_is_left(sqlite_path: Any, clock: FakeClock, scope: str) -> None:
    latin, japanese = "ZXCANARY7f3a", "極秘カナリア七"
    model = ScriptedSummariser(quoting)
    with Memory.open(sqlite_path, clock=clock, secret=SECRET, tenant="acme", summariser=model) as memory:
        for number in range(FULL):
            say(memory, f"The code is {latin}{number}, not {number}. 暗号は{japanese}ではありません。")
        assert latin in the_one(memory).text
        assert japanese in the_one(memory).text
        if scope == "message":
            receipt = memory.forget_messages("ann", [one.id for one in messages(memory)])
        elif scope == "conversation":
            receipt = memory.forget_conversation("ann", "c1")
        else:
            receipt = memory.forget_owner("ann")
        receipt.wait(30)
        files = list(sqlite_path.parent.glob(f"{sqlite_path.name}*"))
        found = [word for word in (latin, japanese) for file in files if word.encode() in file.read_bytes()]
        assert found == []


Doing = Callable[[Memory, Message], object]


def _edit(memory: Memory, message: Message) -> None:
    memory.edit("ann", message.id, "Something else.", expect=1)


def _forget(memory: Memory, message: Message) -> None:
    memory.forget_message("ann", message.id)


def _supersede(memory: Memory, _message: Message) -> None:
    memory.set("ann", "plan", "free")


def _forget_conversation(memory: Memory, message: Message) -> None:
    memory.forget_conversation("ann", message.conversation)


def _forget_owner(memory: Memory, _message: Message) -> None:
    memory.forget_owner("ann")


def _new_life(memory: Memory, message: Message) -> None:
    memory.forget_owner("ann")
    memory.reopen("ann")
    say(memory, "A new life.", to="c2")


WHILE_IT_IS_MADE = [_edit, _forget, _supersede, _forget_conversation, _forget_owner, _new_life]


@pytest.mark.scenario("B1", "B2", "I1")
@pytest.mark.parametrize("change", WHILE_IT_IS_MADE)
def test_p3_a_summary_that_was_begun_before_a_change_is_refused(
    memory: Memory, model: ScriptedSummariser, change: Doing
) -> None:
    message = say(memory, f"I'm on the Pro plan and the key is {CANARY}.")
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=message.id, quote="Pro plan")
    talk(memory, FULL - 1)

    def late(given: Sequence[SourceMessage]) -> tuple[Line, ...]:
        change(memory, message)
        return quoting(given)

    model.script(late, quoting)
    memory.copies.worker.run_once()
    assert {row.text for row in rows(memory)} <= {""}, "what it made was dropped"
    follow(memory)
    memory.copies.drain(memory.key("ann"))
    held = str([row.text for row in rows(memory) if row.state == "current"])
    if change is _supersede:
        assert "Pro plan" not in held
        assert CANARY in held
    else:
        assert CANARY not in held
    if change != _forget_owner:
        assert in_line(memory)
    assert memory.health().ok


def test_p3_a_newer_summary_is_not_replaced_by_one_begun_before_it(
    backend: Backend, clock: FakeClock, memory: Memory, model: ScriptedSummariser
) -> None:
    talk(memory)
    newer = ScriptedSummariser(quoting, name="newer")

    def late(given: Sequence[SourceMessage]) -> tuple[Line, ...]:
        clock.advance(seconds=61)  # the lease runs out meanwhile
        with remembering(backend, clock, newer, Derive.EXTERNAL) as other:
            follow(other)
        return quoting(given)

    model.script(late)
    memory.copies.worker.run_once()
    found = the_one(memory)
    assert (found.model, found.version) == ("newer", 1)
    assert marked(memory) == []


def test_p3_an_append_to_the_tail_meanwhile_is_no_change_of_what_was_read(
    memory: Memory, model: ScriptedSummariser
) -> None:
    talk(memory, 3)

    def late(given: Sequence[SourceMessage]) -> tuple[Line, ...]:
        say(memory, "one more")
        return quoting(given)

    model.script(late)
    memory.summarise("ann", "c1")
    follow(memory)
    assert (the_one(memory).last_seq, len(model.asked)) == (3, 1)


def test_p6_a_model_that_hangs_holds_no_transaction(memory: Memory, model: ScriptedSummariser) -> None:
    said = talk(memory)
    model.hold()
    worker = threading.Thread(target=follow, args=(memory,))
    worker.start()
    try:
        assert model.called.wait(10)
        memory.edit("ann", said[0].id, "Changed meanwhile.", expect=1)
    finally:
        model.release()
        worker.join(10)
    assert "Changed meanwhile." in the_one(memory).text


# -- a model that fails


class CoughError(Exception):
    """A model's own error, which may quote what it was given."""


@pytest.mark.scenario("J20")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (REFUSING, "summary_refusal"),
        (REFUSING_IN_JAPANESE, "summary_refusal"),
        (EMPTY, "summary_empty"),
        (saying("Please accept my apologies."), "summary_apology"),
        (CoughError("I walk 3 km"), "CoughError"),
        (saying("They run 77 km a day."), "summary_unfaithful"),
    ],
)
def test_a_failing_model_keeps_the_old_summary_and_shows_a_failure(
    memory: Memory, model: ScriptedSummariser, clock: FakeClock, answer: Any, code: str
) -> None:
    talk(memory)
    follow(memory)
    before = the_one(memory)
    model.script(answer)
    model.prompt_version = "2"
    done = memory.rebuild("ann", store="summaries")
    follow(memory)
    assert done == 1
    assert the_one(memory) == before
    health = memory.health()
    assert not health.ok
    assert {one.store: one.failing for one in health.stores}["summaries"] == 1
    with memory.db.operator() as tx:
        assert [(one.key, one.error) for one in operator.failures(tx, limit=9)] == [
            (statements.range_key(0, "c1"), code)
        ]
    model.script(quoting)
    clock.advance(seconds=60)
    follow(memory)
    assert (the_one(memory).version, memory.health().ok) == (2, True)


def test_a_failed_summary_is_told_to_whoever_asked_for_it(backend: Backend, clock: FakeClock) -> None:
    with remembering(backend, clock, ScriptedSummariser(EMPTY)) as memory:
        talk(memory, FULL + 3)
        done = memory.summarise("ann", "c1")
        assert (done.ranges, done.waiting, done.failed) == (2, 2, ("summary_empty",))


@pytest.mark.scenario("K2")
def test_lines_that_their_sources_do_not_support_are_dropped(
    memory: Memory, model: ScriptedSummariser
) -> None:
    said = talk(memory)
    good = Line("I walk 3 km on day 3.", (said[3].id,))
    invented = Line("Ann Sato walks 9 km, not 3.", (said[3].id,))
    foreign = Line("I walk 4 km on day 4.", ("m_none",))
    model.script((invented, good, foreign))
    follow(memory)
    found = the_one(memory)
    assert ([line.text for line in found.lines], found.flagged) == ([good.text], 2)


def test_a_range_with_nothing_to_keep_has_an_empty_summary_and_is_no_failure(
    backend: Backend, clock: FakeClock
) -> None:
    with remembering(backend, clock) as memory:
        for _ in range(FULL):
            say(memory, "Thanks!")
        found = the_one(memory)
        assert (found.state, found.lines, found.tokens) == (SummaryState.CURRENT, (), 0)
        assert in_line(memory)
        assert memory.health().ok
        assert "summary" not in {one.kind for one in memory.context("ann", conversation="c1").items}


# -- time


@pytest.mark.scenario("L2")
def test_a_summary_expires_with_the_first_of_its_messages(memory: Memory, clock: FakeClock) -> None:
    until = clock() + timedelta(days=1)
    memory.append("ann", "c1", "user", f"For a day: {CANARY} is not the code.", expires_at=until)
    talk(memory, FULL - 1)
    follow(memory)
    assert the_one(memory).expires_at == until
    clock.set(until)
    hidden = the_one(memory)
    assert (hidden.state, hidden.text) == (SummaryState.HIDDEN, "")
    assert in_line(memory), "it waits for the sweep, and is no fault"
    memory.sweep("ann")
    memory.copies.drain(memory.key("ann"))
    assert CANARY not in the_one(memory).text
    assert len(the_one(memory).sources) == FULL - 1


def test_retention_that_is_set_later_hides_what_is_past_it(memory: Memory, clock: FakeClock) -> None:
    talk(memory)
    follow(memory)
    clock.advance(days=2)
    memory.update_conversation("ann", "c1", retention=timedelta(days=1))
    assert the_one(memory).state is SummaryState.HIDDEN
    memory.update_conversation("ann", "c1", retention=None)
    assert the_one(memory).state is SummaryState.CURRENT


def test_turns_expire_a_summary_too(memory: Memory) -> None:
    memory.append("ann", "c1", "user", "Only for a while.", expires_after_turns=FULL)
    for number in range(FULL - 1):
        say(memory, f"I walk {number} km.")
    follow(memory)
    assert the_one(memory).state is SummaryState.CURRENT
    say(memory, "One turn more.")
    assert listed(memory)[0].state is SummaryState.HIDDEN


# -- P4 and others


@pytest.mark.scenario("G11")
def test_p4_a_summary_has_the_sources_of_one_owner(backend: Backend, clock: FakeClock) -> None:
    with remembering(backend, clock) as memory:
        for number in range(FULL):
            for owner in ("ann", "bob"):
                say(memory, f"The budget of {owner} is not {number} yen.", owner=owner)
        for owner, other in (("ann", "bob"), ("bob", "ann")):
            found = the_one(memory, owner=owner)
            assert other not in found.text
            assert set(found.sources) == {one.id for one in messages(memory, owner=owner)}


@pytest.mark.scenario("M8")
def test_japanese_stays_japanese(backend: Backend, clock: FakeClock) -> None:
    with remembering(backend, clock) as memory:
        for number in range(FULL):
            say(memory, f"{number}月の出張には行けません。")
        assert "出張には行けません" in the_one(memory).text
        assert "[ユーザー 2026-01-01]" in the_one(memory).text


def test_what_is_imported_is_summarised_anew(backend: Backend, clock: FakeClock) -> None:
    with remembering(backend, clock) as memory:
        talk(memory, 2 * FULL + 3)
        lines = list(memory.export("ann", kind="migration"))
        memory.import_export(lines, owner="eve")
        mine, theirs = listed(memory), listed(memory, owner="eve")
        assert [one.text for one in theirs] == [one.text for one in mine]
        assert not {one.id for one in theirs} & {one.id for one in mine}


def test_ids_with_slashes_and_colons_are_told_apart(backend: Backend, clock: FakeClock) -> None:
    with remembering(backend, clock) as memory:
        for name in ("a/b", "a", "a/0000000000/b", "x:y"):
            talk(memory, FULL, to=name)
            assert the_one(memory, to=name).conversation == name
        assert in_line(memory)
