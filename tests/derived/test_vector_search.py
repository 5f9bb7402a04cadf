"""Search by words and vectors: the same hits wherever vectors are ranked, and never what does not stand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event
from tests.conftest import Backend
from tests.contract.memories import open_memory, say
from tests.contract.opening import admin_runs
from tests.derived.embedders import follow, held, open_with
from tests.derived.test_search import sentence

from seihon.canonical.transaction import Transaction
from seihon.core import rank
from seihon.memory import Memory
from seihon.model import us
from seihon.models.embedder import Kind
from seihon.testing.clock import FakeClock
from seihon.testing.embedder import FakeEmbedder
from seihon.testing.hybrid import HybridIndex

PLACES = ("sqlite", "postgresql", "extension")


@pytest.fixture(params=PLACES)
def url(request: pytest.FixtureRequest) -> str:
    """A database on SQLite, on PostgreSQL without the extension for vectors, and with it."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_path"))
    found: str = request.getfixturevalue("pg_database")
    if request.param == "extension":
        server = request.getfixturevalue("pg_server")
        admin_runs(server, "CREATE EXTENSION vector", database=found.rpartition("/")[2])
    return found


@pytest.fixture
def fake() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def memory(
    url: str, clock: FakeClock, fake: FakeEmbedder, request: pytest.FixtureRequest
) -> Iterator[Memory]:
    with open_with(url, clock, fake) as opened:
        assert opened.copies.ranks_in_server == ("extension" in request.node.name)
        yield opened


def meant(memory: Memory, answers: dict[str, list[float]]) -> None:
    """Put texts and questions where the test wants them."""
    for one in memory.copies.embedders:
        one.answers.update(answers)  # type: ignore[attr-defined]


def at(*places: int) -> list[float]:
    """Return a vector of length 1 in the direction of these dimensions."""
    length = len(places) ** 0.5
    return [1.0 / length if n in places else 0.0 for n in range(32)]


def test_the_databases_order_and_score_like_the_search_in_memory(
    memory: Memory, clock: FakeClock, fake: FakeEmbedder
) -> None:
    rng = random.Random(5)
    index = HybridIndex()
    for number in range(300):
        clock.advance(timedelta(seconds=rng.randrange(1, 50)))
        one = memory.append("ann", f"c{number % 7}", "user", sentence(rng))
        key = f"message:{one.id}"
        index.add(rank.Place(key, one.conversation, one.seq, us(one.observed_at)), one.content)
        index.put(key, fake.embed([one.content], Kind.PASSAGE)[0])
    follow(memory)
    for _ in range(25):
        query = sentence(rng)
        expected = index.hybrid(query, fake.embed([query], Kind.QUERY)[0], 10)
        found = memory.search("ann", query, k=10)
        assert [hit.score for hit in found] == pytest.approx([one.score for one in expected], abs=1e-4)
        known = {one.place.key for one in index.hybrid(query, fake.embed([query], Kind.QUERY)[0], 14)}
        assert {f"message:{hit.id}" for hit in found} <= known


def test_what_is_near_in_meaning_is_found_in_other_words(memory: Memory) -> None:
    meant(memory, {"I am vegetarian": at(1, 2), "any dietary limits?": at(1), "zzz": at(9)})
    wanted = say(memory, "I am vegetarian", to="c1")
    for number in range(30):
        say(memory, f"the train was late {number}", to="c2")
    follow(memory)
    first = memory.search("ann", "any dietary limits?")[0]
    assert (first.id, first.reason) == (wanted.id, "near")
    with memory.db.read(memory.key("ann")) as tx:
        words = memory.copies.search(
            tx, "any dietary limits?", k=5, conversation=None, kind=None, scopes=None
        )
    assert words == []
    items = memory.context("ann", query="any dietary limits?", budget=2_000).items
    assert "near" in {item.reason for item in items if item.id == wanted.id}


def test_a_context_looks_for_what_its_newest_message_means(memory: Memory) -> None:
    meant(memory, {"I am vegetarian": at(1, 2), "where shall we eat?": at(1)})
    wanted = say(memory, "I am vegetarian", to="c1")
    for number in range(30):
        say(memory, f"the train was late {number}", to="c2")
    say(memory, "where shall we eat?", to="c3")
    follow(memory)
    items = memory.context("ann", conversation="c3", budget=1_000).items
    assert [item.reason for item in items if item.id == wanted.id] == ["near"]


@pytest.mark.parametrize("fate", ["forgotten", "edited", "expired", "conversation", "owner"])
def test_p2_what_does_not_stand_is_not_found_though_its_vector_is_there(
    memory: Memory, clock: FakeClock, fate: str
) -> None:
    meant(memory, {"I am vegetarian": at(1, 2), "any dietary limits?": at(1)})
    over = clock() + timedelta(hours=1) if fate == "expired" else None
    gone = memory.append("ann", "c1", "user", "I am vegetarian", expires_at=over)
    say(memory, "the train was late", to="c2")
    follow(memory)
    assert memory.search("ann", "any dietary limits?")[0].id == gone.id
    match fate:
        case "forgotten":
            memory.forget_message("ann", gone.id)
        case "edited":
            memory.edit("ann", gone.id, "I eat anything", expect=1)
        case "expired":
            clock.advance(timedelta(hours=2))
        case "conversation":
            memory.forget_conversation("ann", "c1")
        case _:
            memory.forget_owner("ann")
            memory.reopen("ann")
            say(memory, "the train was late", to="c3")
    assert any(held(memory, [f"message:{gone.id}"]).values()), "nothing has followed yet"
    assert gone.id not in {hit.id for hit in memory.search("ann", "any dietary limits?")}


def test_dead_neighbours_in_the_vectors_push_no_live_text_out(memory: Memory) -> None:
    """The cut comes after the join: a pool full of dead texts would answer nothing."""
    meant(memory, {f"gone {n}": at(1) for n in range(230)} | {"I am vegetarian": at(1, 2), "limits?": at(1)})
    for number in range(230):
        say(memory, f"gone {number}", to="gone")
    wanted = say(memory, "I am vegetarian", to="c1")
    follow(memory)
    memory.forget_conversation("ann", "gone")
    assert [hit.id for hit in memory.search("ann", "limits?", k=1)] == [wanted.id]


def test_a_narrowed_search_is_narrowed_before_the_cut(memory: Memory) -> None:
    meant(memory, {f"close {n}": at(1) for n in range(230)} | {"further": at(1, 2), "limits?": at(1)})
    for number in range(230):
        say(memory, f"close {number}", to="c1")
    other = say(memory, "further", to="c2")
    note = memory.add_note("ann", "further", scope="research")
    follow(memory)
    assert [hit.id for hit in memory.search("ann", "limits?", conversation="c2")] == [other.id]
    assert [hit.id for hit in memory.search("ann", "limits?", kind="note")] == [note.id]
    assert memory.search("ann", "limits?", kind="note", scope="default") == ()


def test_p4_another_owners_vectors_answer_nothing(memory: Memory) -> None:
    meant(memory, {"I am vegetarian": at(1, 2), "any dietary limits?": at(1)})
    say(memory, "I am vegetarian", owner="bob")
    say(memory, "the train was late")
    follow(memory, "bob")
    follow(memory)
    assert {hit.text for hit in memory.search("ann", "any dietary limits?")} == {"the train was late"}


def test_a_model_that_fails_or_gives_a_flawed_vector_leaves_the_words(url: str, clock: FakeClock) -> None:
    def fail(texts: Any) -> None:
        if "train?" in texts:
            raise ConnectionError

    fake = FakeEmbedder(on_call=fail, answers={"late?": [1.0]})
    with open_with(url, clock, fake) as memory:
        one = say(memory, "the train was late")
        follow(memory)
        for query in ("train?", "late?"):
            assert [(hit.id, hit.reason) for hit in memory.search("ann", query)] == [(one.id, "found")]


def test_no_model_is_asked_inside_a_transaction(
    url: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_now: list[object] = []
    seen: list[int] = []
    enter, leave = Transaction.__enter__, Transaction.__exit__

    def entering(one: Transaction) -> Transaction:
        open_now.append(one)
        return enter(one)

    def leaving(one: Transaction, *told: Any) -> None:
        open_now.remove(one)
        leave(one, *told)

    monkeypatch.setattr(Transaction, "__enter__", entering)
    monkeypatch.setattr(Transaction, "__exit__", leaving)
    with open_with(url, clock, FakeEmbedder(on_call=lambda _: seen.append(len(open_now)))) as memory:
        say(memory, "green tea")
        follow(memory)
        memory.search("ann", "tea")
        memory.context("ann", conversation="c1")
        assert seen == [0, 0, 0]


def test_a_search_sends_a_constant_number_of_statements(memory: Memory) -> None:
    for number in range(120):
        memory.append("ann", "c1", "user", f"tea number {number}")
    memory.append("bob", "c1", "user", "tea")
    follow(memory)
    follow(memory, "bob")

    def sent(act: Callable[[], object]) -> int:
        found: list[str] = []

        def note(_c: Any, _cursor: Any, sql: str, _v: Any, _context: Any, _many: bool) -> None:
            if not sql.startswith(("PRAGMA", "BEGIN", "SET ")):
                found.append(sql)

        event.listen(memory.db.engine, "before_cursor_execute", note)
        act()
        event.remove(memory.db.engine, "before_cursor_execute", note)
        return len(found)

    memory.search("bob", "tea")  # reads the schema, once
    memory.search("ann", "tea")  # embeds the question, once
    few = sent(lambda: memory.search("bob", "tea", k=1))
    assert [sent(lambda k=k: memory.search("ann", "tea", k=k)) for k in (1, 10, 100)] == [few] * 3


def test_words_alone_send_what_they_sent(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as memory:
        say(memory, "green tea")
        heard: list[str] = []

        def note(_c: Any, _cursor: Any, sql: str, _v: Any, _context: Any, _many: bool) -> None:
            heard.append(sql)

        event.listen(memory.db.engine, "before_cursor_execute", note)
        memory.search("ann", "tea")
        memory.context("ann", conversation="c1")
        event.remove(memory.db.engine, "before_cursor_execute", note)
        assert not [sql for sql in heard if "vector" in sql]
