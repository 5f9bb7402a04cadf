"""Full-text search over real databases against the same search in memory, and what may never answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import event
from tests.contract.memories import say

from seihon.core import rank
from seihon.derived.fulltext import Found, search
from seihon.memory import Memory
from seihon.model import Message, us
from seihon.testing.clock import FakeClock
from seihon.testing.reference import ReferenceIndex

WORDS = [
    "tea",
    "coffee",
    "green",
    "black",
    "order",
    "late",
    "refund",
    "plan",
    "pro",
    "free",
    "Tokyo",
    "Osaka",
    "night",
    "morning",
    "allergic",
    "nuts",
    "POL-358",
    "v2.0.1",
    "don't",
    "e-mail",
    "train",
    "window",
    "seat",
    "12",
    "1,200",
]
JAPANESE = "東京に住んでいます。猫が好きです。私はPythonを使う。大阪へ引っ越した。契約番号はPOL-358です。"


def follow(memory: Memory, owner: str = "ann") -> None:
    memory.copies.worker.drain(memory.key(owner))


def found(memory: Memory, query: str, *, owner: str = "ann", k: int = 10, **filters: object) -> list[Found]:
    with memory.db.read(memory.key(owner)) as tx:
        return search(tx, query, k=k, **filters)  # type: ignore[arg-type]


def texts(hits: Sequence[Found]) -> list[str]:
    return [hit.text for hit in hits]


def sentence(rng: random.Random) -> str:
    if rng.random() < 0.3:
        start = rng.randrange(len(JAPANESE) - 12)
        return JAPANESE[start : start + rng.randrange(4, 12)]
    return " ".join(rng.choices(WORDS, k=rng.randrange(2, 9)))


def reference_of(messages: Sequence[Message]) -> ReferenceIndex:
    index = ReferenceIndex()
    for one in messages:
        place = rank.Place(f"message:{one.id}", one.conversation, one.seq, us(one.observed_at))
        index.add(place, one.content)
    return index


def test_the_database_orders_and_scores_like_the_reference(memory: Memory, clock: FakeClock) -> None:
    rng = random.Random(11)
    said: list[Message] = []
    for number in range(160):
        clock.advance(seconds=1)
        said.append(say(memory, sentence(rng), to=f"c{number % 5}"))
    follow(memory)
    index = reference_of(said)
    for _ in range(40):
        query = sentence(rng)
        wanted = index.search(query, 10)
        hits = found(memory, query)
        assert [hit.doc for hit in hits] == [one.place.key for one in wanted], query
        assert [hit.score for hit in hits] == pytest.approx([one.score for one in wanted], abs=1e-9)
        assert [hit.own for hit in hits] == pytest.approx([one.own for one in wanted], abs=1e-9)


def test_deletions_leave_the_ranking_of_what_was_never_written(memory: Memory) -> None:
    kept = [say(memory, text) for text in ("green tea", "late train", "tea for two")]
    gone = [say(memory, f"tea number {number}") for number in range(20)]
    follow(memory)
    for one in gone:
        memory.forget_message("ann", one.id)
    memory.copies.drain(memory.key("ann"))
    wanted = reference_of(kept).search("tea", 10)
    hits = found(memory, "tea")
    assert [(hit.id, hit.score) for hit in hits] == [
        (one.place.key.partition(":")[2], pytest.approx(one.score, abs=1e-9)) for one in wanted
    ]


@pytest.mark.parametrize("query", ["", "   ", "!?…。、", "\u200b", "zebra"])
def test_a_query_without_a_known_term_finds_nothing(memory: Memory, query: str) -> None:
    say(memory, "green tea")
    follow(memory)
    assert found(memory, query) == []


def test_an_empty_index_and_an_unknown_owner_find_nothing(memory: Memory) -> None:
    assert found(memory, "tea") == []
    assert found(memory, "tea", owner="nobody") == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("猫", "猫が好きです"),
        ("東京", "東京に住んでいます"),
        ("Python", "私はPythonを使う"),
        ("POL-358", "order POL-358 is late"),
        ("don't", "I don't know"),
        ("ＰＯＬ－３５８", "order POL-358 is late"),
    ],
)
def test_what_was_written_is_found(memory: Memory, query: str, text: str) -> None:
    say(memory, text)
    say(memory, "something else altogether", to="c2")
    follow(memory)
    assert texts(found(memory, query))[:1] == [text]


def test_p1_an_edited_message_is_silent_until_it_is_indexed_again(memory: Memory) -> None:
    message = say(memory, "I live in Tokyo")
    follow(memory)
    memory.edit("ann", message.id, "I live in Osaka", expect=1)
    assert found(memory, "Tokyo") == []
    assert found(memory, "Osaka") == []
    follow(memory)
    assert found(memory, "Tokyo") == []
    assert texts(found(memory, "Osaka")) == ["I live in Osaka"]


def test_p2_a_deleted_message_is_silent_whatever_the_index_holds(memory: Memory) -> None:
    message = say(memory, "I live in Tokyo")
    follow(memory)
    memory.forget_message("ann", message.id)
    assert found(memory, "Tokyo") == []


def test_p2_a_deleted_conversation_and_owner_are_silent_at_once(memory: Memory) -> None:
    say(memory, "tea here", to="c1")
    say(memory, "tea there", to="c2")
    follow(memory)
    memory.forget_conversation("ann", "c1")
    assert texts(found(memory, "tea")) == ["tea there"]
    memory.forget_owner("ann")
    assert found(memory, "tea") == []


def test_what_has_expired_is_silent_before_any_sweep(memory: Memory, clock: FakeClock) -> None:
    memory.append("ann", "c1", "user", "tea today", expires_at=clock() + timedelta(hours=1))
    say(memory, "tea for ever", to="c2")
    follow(memory)
    assert len(found(memory, "tea")) == 2
    clock.advance(seconds=3601)
    assert texts(found(memory, "tea")) == ["tea for ever"]


def test_the_dead_do_not_push_the_living_out_of_the_cut(memory: Memory) -> None:
    say(memory, "some tea or other in a rather long sentence about this and that", to="kept")
    for number in range(120):
        say(memory, "tea", to=f"gone{number % 3}")
    follow(memory)
    for number in range(3):
        memory.forget_conversation("ann", f"gone{number}")
    assert len(found(memory, "tea", k=1)) == 1


def test_notes_answer_while_they_are_current(memory: Memory) -> None:
    first = memory.add_note("ann", "likes green tea")
    follow(memory)
    assert [(hit.kind, hit.id, hit.conversation) for hit in found(memory, "tea")] == [
        ("note", first.id, None)
    ]
    second = memory.supersede_note("ann", first.id, "likes black tea", expect=first.version)
    assert found(memory, "green") == []
    follow(memory)
    assert [hit.id for hit in found(memory, "tea")] == [second.id]


def test_notes_lend_each_other_nothing(memory: Memory) -> None:
    memory.add_note("ann", "likes green tea")
    memory.add_note("ann", "has a dog")
    follow(memory)
    assert texts(found(memory, "tea")) == ["likes green tea"]


def test_filters_narrow_what_is_found(memory: Memory) -> None:
    say(memory, "tea in one", to="c1")
    say(memory, "tea in two", to="c2")
    memory.add_note("ann", "tea in a note", scope="research")
    follow(memory)
    assert set(texts(found(memory, "tea", conversation="c1"))) == {"tea in one"}
    assert set(texts(found(memory, "tea", kind="note"))) == {"tea in a note"}
    assert "tea in a note" not in texts(found(memory, "tea", kind="message"))
    assert "tea in a note" not in texts(found(memory, "tea", scopes=["default"]))
    assert "tea in a note" in texts(found(memory, "tea", scopes=["default", "research"]))


def test_p4_another_owners_words_change_neither_rank_nor_score(memory: Memory) -> None:
    for text in ("green tea", "late train", "tea for two"):
        say(memory, text)
    follow(memory)
    before = found(memory, "tea")
    for number in range(30):
        say(memory, f"tea and more tea {number}", owner="bob")
    follow(memory, "bob")
    assert found(memory, "tea") == before


def test_a_search_takes_the_same_statements_whatever_it_finds(memory: Memory) -> None:
    say(memory, "tea")
    follow(memory)
    few = statements_of(memory, "tea order")
    for number in range(60):
        say(memory, f"tea order {number}", to=f"c{number % 7}")
    follow(memory)
    assert statements_of(memory, "tea order") == few
    assert sum(statement.startswith(("SELECT", "WITH")) for statement in few) <= 5


def statements_of(memory: Memory, query: str) -> list[str]:
    seen: list[str] = []

    def listener(_c: object, _k: object, statement: str, *_rest: object) -> None:
        seen.append(statement.split("(")[0][:60])

    event.listen(memory.db.engine, "before_cursor_execute", listener)
    try:
        found(memory, query)
    finally:
        event.remove(memory.db.engine, "before_cursor_execute", listener)
    return seen
