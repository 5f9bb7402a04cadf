"""The verbs on conversations and messages: what each answers, and every refusal that it promises."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.contract.memories import say

from seihon import errors
from seihon.memory import Memory
from seihon.model import Owner, Role, Trust
from seihon.testing.clock import EPOCH, FakeClock

NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 - a datetime without a zone is what is refused
BAD_TEXTS = ("", "   ", "a\x00b", "a\ud800b", "a" * 1_000_001)
BAD_IDS = ("", " a", "a ", "a\nb", "a\x00b", "a\u2028b", "a" * 201)


def test_append_answers_the_message_as_it_stands(memory: Memory) -> None:
    first = memory.append(
        "ann", "c1", "user", "I moved to Kyoto.", metadata={"channel": "web", "n": [1, None]}
    )
    second = memory.append("ann", "c1", "assistant", "Noted.")
    assert (first.seq, first.version, first.role, first.turn) == (1, 1, Role.USER, 1)
    assert (second.seq, second.turn, second.role) == (2, 1, Role.ASSISTANT)
    assert first.metadata == {"channel": "web", "n": [1, None]}
    assert memory.message("ann", first.id) == first
    assert memory.messages("ann", "c1").items == (first, second)
    assert first.at < second.at


@pytest.mark.parametrize(
    ("role", "trust"),
    [
        ("user", Trust.PERSON),
        ("assistant", Trust.UNTRUSTED),
        ("tool", Trust.UNTRUSTED),
        ("system", Trust.UNTRUSTED),
    ],
)
def test_only_the_persons_own_words_are_trusted(memory: Memory, role: str, trust: Trust) -> None:
    assert say(memory, "hello", role=role).trust is trust


def test_append_compares_the_version_that_the_caller_saw(memory: Memory) -> None:
    memory.append("ann", "c1", "user", "one", expect=0)
    for wrong in (0, 2):
        with pytest.raises(errors.VersionConflict) as refused:
            memory.append("ann", "c1", "user", "two", expect=wrong)
        assert refused.value.details["current"] == 1
    memory.append("ann", "c1", "user", "two", expect=1)
    assert memory.conversation("ann", "c1").version == 2
    assert [one.content for one in memory.messages("ann", "c1")] == ["one", "two"]
    assert memory.owner("ann").revision == 2


def test_append_with_an_idempotency_key_adds_once(memory: Memory, clock: FakeClock) -> None:
    first = memory.append("ann", "c1", "user", "yes", idempotency_key="k")
    assert memory.append("ann", "c1", "user", "yes", idempotency_key="k") == first
    assert memory.owner("ann").turn == 1
    with pytest.raises(errors.IdempotencyConflict):
        memory.append("ann", "c1", "user", "no", idempotency_key="k")
    with pytest.raises(errors.IdempotencyConflict):
        memory.append("ann", "c2", "user", "yes", idempotency_key="k")
    assert memory.append("bob", "c1", "user", "yes", idempotency_key="k").id != first.id
    clock.advance(days=2)
    assert memory.append("ann", "c1", "user", "yes", idempotency_key="k").seq == 2


def test_append_with_an_id_adds_once(memory: Memory) -> None:
    first = memory.append("ann", "c1", "user", "yes", id="x")
    assert memory.append("ann", "c1", "user", "yes", id="x") == first
    for other in (("c1", "user", "no"), ("c2", "user", "yes"), ("c1", "assistant", "yes")):
        with pytest.raises(errors.AlreadyExists):
            memory.append("ann", *other, id="x")
    assert memory.owner("ann") == Owner("ann", revision=1, epoch=0, turn=1, deleted=False)
    assert memory.append("bob", "c1", "user", "no", id="x").id == "x"


def test_a_time_is_clamped_to_the_commit_and_to_the_order_of_the_conversation(
    memory: Memory, clock: FakeClock
) -> None:
    future = datetime(2099, 1, 1, tzinfo=UTC)
    ahead = memory.append("ann", "c1", "user", "from tomorrow", observed_at=future)
    assert ahead.observed_at == future
    assert ahead.at - EPOCH < timedelta(seconds=1)
    clock.advance(days=1)
    behind = memory.append("ann", "c1", "user", "of old", observed_at=EPOCH - timedelta(days=9))
    assert behind.observed_at == EPOCH - timedelta(days=9)
    assert behind.at == ahead.at


@pytest.mark.parametrize("text", BAD_TEXTS, ids=["empty", "blank", "nul", "surrogate", "long"])
def test_text_that_cannot_be_stored_is_refused_everywhere(memory: Memory, text: str) -> None:
    message = say(memory, "hello")
    with pytest.raises(errors.InvalidText):
        say(memory, text)
    with pytest.raises(errors.InvalidText):
        memory.edit("ann", message.id, text, expect=1)
    assert memory.message("ann", message.id) == message


@pytest.mark.parametrize("bad", BAD_IDS)
def test_an_id_is_refused_that_nobody_could_type_again(memory: Memory, bad: str) -> None:
    for call in (
        lambda: memory.append(bad, "c1", "user", "x"),
        lambda: memory.append("ann", bad, "user", "x"),
        lambda: memory.append("ann", "c1", "user", "x", id=bad),
        lambda: memory.append("ann", "c1", "user", "x", idempotency_key=bad),
        lambda: memory.message("ann", bad),
        lambda: memory.messages("ann", bad),
    ):
        with pytest.raises(errors.InvalidText):
            call()
    assert not memory.owner("ann").revision


@pytest.mark.parametrize(
    "wrong",
    [
        {"observed_at": NAIVE},
        {"expires_at": NAIVE},
        {"expires_after_turns": 0},
        {"expires_after_turns": 1.5},
        {"expect": -1},
        {"expect": True},
        {"metadata": {"n": float("nan")}},
        {"metadata": {"when": EPOCH}},
        {"metadata": {"text": "a\x00b"}},
        {"metadata": {"text": "x" * 20_000}},
        {"metadata": ["a"]},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_append_refuses_what_no_retry_makes_right(memory: Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidArgument):
        memory.append("ann", "c1", "user", "x", **wrong)
    with pytest.raises(errors.InvalidArgument, match="user, assistant, tool, system"):
        memory.append("ann", "c1", "robot", "x")
    assert memory.owner("ann").revision == 0


def test_edit_replaces_the_text_and_keeps_what_is_not_named(memory: Memory) -> None:
    before = memory.append("ann", "c1", "user", "I live in Osaka", metadata={"n": 1})
    after = memory.edit("ann", before.id, "I live in Kyoto", expect=1)
    assert (after.content, after.version, after.metadata) == ("I live in Kyoto", 2, {"n": 1})
    assert (after.id, after.seq, after.at, after.turn) == (before.id, before.seq, before.at, before.turn)
    assert memory.edit("ann", before.id, "I live in Kyoto", expect=2, metadata=None).metadata == {}
    assert memory.conversation("ann", "c1").version == 3
    with pytest.raises(errors.VersionConflict) as refused:
        memory.edit("ann", before.id, "I live in Nara", expect=1)
    assert refused.value.details["current"] == 3


def test_a_message_that_is_not_there_is_not_found_and_a_deleted_one_is_gone(memory: Memory) -> None:
    message = say(memory, "hello")
    for call in (
        lambda: memory.message("bob", message.id),
        lambda: memory.message("ann", "m_none"),
        lambda: memory.edit("ann", "m_none", "x", expect=1),
        lambda: memory.edit("bob", message.id, "x", expect=1),
        lambda: memory.messages("ann", "none"),
        lambda: memory.conversation("ann", "none"),
        lambda: memory.update_conversation("ann", "none", metadata=None),
    ):
        with pytest.raises(errors.NotFound):
            call()
    memory.forget_message("ann", message.id)
    for call in (
        lambda: memory.message("ann", message.id),
        lambda: memory.edit("ann", message.id, "x", expect=1),
        lambda: memory.append("ann", "c1", "user", "hello", id=message.id),
    ):
        with pytest.raises(errors.Gone):
            call()
    with pytest.raises(errors.NotFound):
        memory.message("bob", message.id)


def test_a_deleted_conversation_is_gone_for_good(memory: Memory) -> None:
    message = say(memory, "hello")
    memory.forget_conversation("ann", "c1")
    for call in (
        lambda: memory.messages("ann", "c1"),
        lambda: memory.conversation("ann", "c1"),
        lambda: memory.update_conversation("ann", "c1", metadata={"n": 1}),
        lambda: memory.context("ann", conversation="c1"),
        lambda: memory.message("ann", message.id),
        lambda: say(memory, "again"),
        lambda: memory.append("ann", "c2", "user", "hello", id=message.id),
    ):
        with pytest.raises(errors.Gone):
            call()
    assert memory.conversations("ann").items == ()


def test_pages_hold_everything_once_in_order(memory: Memory) -> None:
    sent = [say(memory, f"message {number}", to=f"c{number % 3}").id for number in range(12)]
    found: list[str] = []
    cursor = None
    while True:
        page = memory.conversations("ann", limit=2, cursor=cursor)
        for conversation in page:
            assert conversation.messages == 4
            first = memory.messages("ann", conversation.id, limit=3)
            rest = memory.messages("ann", conversation.id, limit=3, cursor=first.next)
            assert (len(first), len(rest), rest.next) == (3, 1, None)
            found += [one.id for one in (*first, *rest)]
        cursor = page.next
        if cursor is None:
            break
    assert sorted(found) == sorted(sent)


@pytest.mark.parametrize("cursor", ["x", "--5", "²", "9" * 40, ""])
def test_a_cursor_is_the_next_of_an_earlier_page(memory: Memory, cursor: str) -> None:
    say(memory, "hello")
    memory.add_note("ann", "a note")
    for read in (
        lambda: memory.messages("ann", "c1", cursor=cursor),
        lambda: memory.notes("ann", cursor=cursor),
        lambda: memory.candidates("ann", cursor=cursor),
        lambda: memory.receipts("ann", cursor=cursor),
        lambda: memory.traces("ann", cursor=cursor),
        lambda: memory.changes("ann", cursor=cursor),
    ):
        with pytest.raises(errors.InvalidArgument):
            read()


@pytest.mark.parametrize("limit", [0, 1_001, 1.0, True])
def test_a_page_has_one_to_a_thousand_items(memory: Memory, limit: Any) -> None:
    say(memory, "hello")
    for read in (memory.conversations, memory.notes, memory.candidates, memory.receipts, memory.traces):
        with pytest.raises(errors.InvalidArgument, match="limit"):
            read("ann", limit=limit)
    with pytest.raises(errors.InvalidArgument, match="limit"):
        memory.messages("ann", "c1", limit=limit)


def test_a_message_lives_as_long_as_it_was_given(memory: Memory, clock: FakeClock) -> None:
    timed = memory.append("ann", "c1", "user", "code 1234", expires_at=EPOCH + timedelta(hours=1))
    turned = memory.append("ann", "c1", "user", "for two turns", expires_after_turns=2)
    say(memory, "one more")
    assert memory.conversation("ann", "c1").messages == 3
    clock.advance(seconds=3_600)
    with pytest.raises(errors.NotFound):
        memory.message("ann", timed.id)
    assert memory.message("ann", turned.id) == turned
    say(memory, "and another")
    with pytest.raises(errors.NotFound):
        memory.message("ann", turned.id)
    assert memory.conversation("ann", "c1").messages == 2


def test_a_conversation_keeps_its_messages_for_its_retention(memory: Memory, clock: FakeClock) -> None:
    old = say(memory, "old")
    assert memory.update_conversation("ann", "c1", retention=timedelta(days=7)).retention == timedelta(days=7)
    clock.advance(days=6)
    new = say(memory, "new")
    clock.advance(days=1, seconds=1)
    assert memory.messages("ann", "c1").items == (new,)
    with pytest.raises(errors.NotFound):
        memory.message("ann", old.id)
    kept = memory.update_conversation("ann", "c1", metadata={"topic": "billing"})
    assert (kept.retention, kept.metadata) == (timedelta(days=7), {"topic": "billing"})
    freed = memory.update_conversation("ann", "c1", retention=None)
    assert (freed.retention, freed.metadata, freed.messages) == (None, {"topic": "billing"}, 2)
    with pytest.raises(errors.InvalidArgument):
        memory.update_conversation("ann", "c1", retention=timedelta(0))


def test_a_tenants_retention_holds_for_messages_and_notes(memory: Memory, clock: FakeClock) -> None:
    memory.set_retention(timedelta(days=30))
    assert memory.retention() == timedelta(days=30)
    message, note = say(memory, "hello"), memory.add_note("ann", "a note")
    clock.advance(days=30, seconds=1)
    for read in (lambda: memory.message("ann", message.id), lambda: memory.note("ann", note.id)):
        with pytest.raises(errors.NotFound):
            read()
    memory.set_retention(None)
    assert memory.message("ann", message.id) == message
    assert memory.note("ann", note.id) == note


def test_an_owner_that_was_never_written_has_nothing(memory: Memory) -> None:
    assert memory.owner("nobody") == Owner("nobody", revision=0, epoch=0, turn=0, deleted=False)
    assert memory.conversations("nobody").items == ()
    assert memory.search("nobody", "anything") == ()
    assert set(memory.profile("nobody").values()) == {None}


def test_a_deleted_owner_answers_that_it_is_gone(memory: Memory) -> None:
    message, note = say(memory, "hello"), memory.add_note("ann", "a note")
    receipt = memory.forget_owner("ann")
    for call in (
        lambda: memory.message("ann", message.id),
        lambda: memory.messages("ann", "c1"),
        lambda: memory.conversation("ann", "c1"),
        lambda: memory.conversations("ann"),
        lambda: memory.note("ann", note.id),
        lambda: memory.notes("ann"),
        lambda: memory.profile("ann"),
        lambda: memory.profile("ann", as_of=1),
        lambda: memory.field("ann", "plan"),
        lambda: memory.history("ann", "plan"),
        lambda: memory.candidates("ann"),
        lambda: memory.search("ann", "hello"),
        lambda: memory.context("ann", query="hello"),
        lambda: memory.traces("ann"),
        lambda: say(memory, "hello"),
        lambda: memory.set("ann", "plan", "pro"),
        lambda: memory.add_note("ann", "x"),
        lambda: memory.forget_owner("ann"),
    ):
        with pytest.raises(errors.OwnerDeleted):
            call()
    assert memory.owner("ann").deleted
    assert memory.receipt("ann", receipt.id).id == receipt.id
    assert memory.changes("ann").items[-1].kind == "owner.deleted"
