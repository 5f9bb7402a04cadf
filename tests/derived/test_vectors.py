"""Vectors as a store: what is embedded and when, what fails alone, one model after another, and deletion."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import event
from tests.conftest import Backend
from tests.contract.memories import open_memory, say
from tests.derived.embedders import Scattered, failing, follow, held, open_with, states

from seihon import errors
from seihon.derived.contract import DifferenceKind
from seihon.derived.vectors import sets
from seihon.derived.vectors.parts import LONGEST, MOST, parts
from seihon.memory import Derive, Memory
from seihon.model import StoreState
from seihon.models.embedder import Kind
from seihon.testing.clock import FakeClock
from seihon.testing.embedder import FakeEmbedder

SERVING: Final = {"fake@1": "serving"}


@pytest.fixture
def fake() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def memory(backend: Backend, clock: FakeClock, fake: FakeEmbedder) -> Iterator[Memory]:
    with open_with(backend.url, clock, fake) as opened:
        yield opened


def passages(fake: FakeEmbedder) -> list[str]:
    return [text for kind, text in fake.seen if kind is Kind.PASSAGE]


# -- what is embedded


def test_each_text_is_embedded_once_whatever_is_rebuilt(memory: Memory, fake: FakeEmbedder) -> None:
    message = say(memory, "green tea")
    memory.add_note("ann", "likes tea")
    follow(memory)
    assert sorted(passages(fake)) == ["green tea", "likes tea"]
    assert states(memory) == SERVING
    memory.rebuild("ann", store="vectors")
    follow(memory)
    edited = memory.edit("ann", message.id, "black tea", expect=1)
    memory.edit("ann", message.id, "green tea", expect=edited.version)
    follow(memory)
    assert sorted(passages(fake)) == ["green tea", "likes tea"]
    assert [one.differences for one in memory.verify("ann", store="vectors")] == [()]


def test_a_text_is_embedded_with_the_name_of_who_says_it(memory: Memory, fake: FakeEmbedder) -> None:
    memory.import_transcript("ann", [{"role": "user", "name": "Haruka", "content": "I paint"}])
    follow(memory)
    assert passages(fake) == ["Haruka: I paint"]


def test_a_long_text_is_embedded_in_parts_and_found_by_each(memory: Memory, fake: FakeEmbedder) -> None:
    words = " ".join(f"word{n}." for n in range(400))
    message = memory.append("ann", "c1", "user", f"{words} A zebra crossed the road.")
    follow(memory)
    assert len(passages(fake)) == len(parts(words)) > 3
    hit = memory.search("ann", "zebra road")[0]
    assert hit.id == message.id
    memory.forget_message("ann", message.id)
    assert held(memory, [f"message:{message.id}"]) == {(f"message:{message.id}", "fake@1"): True}
    memory.copies.drain(memory.key("ann"))
    assert held(memory, [f"message:{message.id}"]) == {(f"message:{message.id}", "fake@1"): False}


@pytest.mark.parametrize(
    "text", ["x" * 50_000, "猫が好きです。" * 5_000, "a b " * 10_000, "  ", "🙂" * 3_000]
)
def test_parts_are_bounded_and_lose_nothing_of_the_beginning(text: str) -> None:
    found = parts(text)
    assert 1 <= len(found) <= MOST
    assert all(len(part) <= LONGEST for part in found)
    assert text.startswith("".join(found)) or not text.strip()
    assert "".join(found) == text or len(found) == MOST or not text.strip()


# -- off


def test_without_an_embedder_nothing_is_marked_asked_or_shown(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as memory:
        say(memory, "green tea")
        assert set(memory.db.stores) == {"fulltext", "summaries"}
        assert [one.store for one in memory.verify("ann")] == ["fulltext", "summaries"]
        assert [one.store for one in memory.health().stores] == ["fulltext", "summaries"]
        assert states(memory) == {}
        with pytest.raises(errors.InvalidArgument, match="no such store"):
            memory.rebuild("ann", store="vectors")


def test_p2_a_process_without_an_embedder_purges_vectors_all_the_same(
    memory: Memory, backend: Backend, clock: FakeClock
) -> None:
    message = say(memory, "green tea")
    follow(memory)
    with open_memory(backend.url, clock) as plain:
        receipt = plain.forget_message("ann", message.id)
        assert plain.receipt("ann", receipt.id).state == "verified"
    assert held(memory, [f"message:{message.id}"]) == {(f"message:{message.id}", "fake@1"): False}


def test_a_process_without_an_embedder_leaves_the_marks_of_others_alone(
    memory: Memory, backend: Backend, clock: FakeClock, fake: FakeEmbedder
) -> None:
    say(memory, "green tea")
    with open_memory(backend.url, clock) as plain:
        say(plain, "black tea")
    follow(memory)
    follow(memory)
    assert sorted(passages(fake)) == ["black tea", "green tea"]
    assert memory.verify("ann", store="vectors")[0].differences == ()


def test_an_embedder_is_told_by_a_sequence_of_names_or_models(tmp_path: object, fake: FakeEmbedder) -> None:
    for given in ("local", ("no such",), (fake, FakeEmbedder())):
        with pytest.raises(errors.InvalidArgument):
            Memory.open(embedders=given)


# -- what was there before


def test_an_owner_from_before_is_filled_little_by_little(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as plain:
        for number in range(3 * sets.AT_A_TIME):
            say(plain, f"tea number {number}")
    with open_with(backend.url, clock, fake := FakeEmbedder(), derive=Derive.INLINE) as memory:
        say(memory, "and coffee")
        assert 0 < len(passages(fake)) <= 2 * sets.AT_A_TIME, "who writes does not wait for all of it"
        assert states(memory) == {"fake@1": "filling"}
        assert memory.search("ann", "coffee")[0].text == "and coffee"
        while states(memory) != SERVING:
            follow(memory)
        assert len(passages(fake)) == 3 * sets.AT_A_TIME + 1
        assert memory.verify("ann", store="vectors")[0].differences == ()


def test_a_rebuild_fills_an_owner_at_once(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as plain:
        for number in range(40):
            say(plain, f"tea number {number}")
    with open_with(backend.url, clock, FakeEmbedder(), derive=Derive.INLINE) as memory:
        assert memory.rebuild("ann", store="vectors") == 40
        follow(memory)
        assert states(memory) == SERVING


# -- what fails, fails alone


@pytest.mark.parametrize(
    ("vector", "code"),
    [
        ([1.0], "vector_dimensions"),
        ([float("nan")] * 32, "vector_not_finite"),
        ([5.0] * 32, "vector_length"),
    ],
)
def test_a_flawed_vector_fails_its_text_and_nothing_else(
    backend: Backend, clock: FakeClock, vector: Sequence[float], code: str
) -> None:
    fake = FakeEmbedder(answers={"a bad one": vector})
    with open_with(backend.url, clock, fake) as memory:
        kept, bad = say(memory, "green tea"), say(memory, "a bad one")
        follow(memory)
        assert held(memory, [f"message:{kept.id}", f"message:{bad.id}"]) == {
            (f"message:{kept.id}", "fake@1"): True
        }
        assert passages(fake).count("green tea") == 1
        assert failing(memory) == {f"message:{bad.id}": code}
        assert states(memory) == SERVING
        assert memory.search("ann", "bad")[0].id == bad.id


def test_a_text_that_the_model_refuses_fails_alone(backend: Backend, clock: FakeClock) -> None:
    def refuse(texts: Sequence[str]) -> None:
        if "poison" in texts:
            raise ValueError("poison: a text of a person")

    with open_with(backend.url, clock, FakeEmbedder(on_call=refuse)) as memory:
        good, bad = say(memory, "green tea"), say(memory, "poison")
        follow(memory)
        assert held(memory, [f"message:{good.id}", f"message:{bad.id}"]) == {
            (f"message:{good.id}", "fake@1"): True
        }
        assert failing(memory) == {f"message:{bad.id}": "vector_refused"}
        assert states(memory) == SERVING


def test_a_model_that_is_down_loses_nothing_and_takes_no_vectors_away(
    backend: Backend, clock: FakeClock
) -> None:
    def down(_texts: Sequence[str]) -> None:
        calls.append(1)
        raise ConnectionError("the service does not answer")

    calls: list[int] = []
    with open_with(backend.url, clock, FakeEmbedder()) as memory:
        say(memory, "green tea")
        follow(memory)
    with open_with(backend.url, clock, FakeEmbedder("new", on_call=down), FakeEmbedder()) as memory:
        for number in range(20):
            say(memory, f"black tea {number}")
        follow(memory)
        assert states(memory)["fake@1"] == "serving"
        assert len(calls) < 10, "a model that is down is not asked for every text"
        assert {one.reason for one in memory.search("ann", "green tea", k=5)} >= {"found"}
        assert set(failing(memory).values()) == {"ConnectionError"}


def test_p3_a_deletion_while_the_model_thinks_is_not_undone(backend: Backend, clock: FakeClock) -> None:
    begun, released = threading.Event(), threading.Event()

    def hang(_texts: Sequence[str]) -> None:
        begun.set()
        assert released.wait(20)

    with open_with(backend.url, clock, FakeEmbedder(on_call=hang)) as memory:
        message = say(memory, "green tea")
        thread = threading.Thread(target=follow, args=(memory,))
        thread.start()
        assert begun.wait(20)
        receipt = memory.forget_message("ann", message.id)
        memory.copies.drain(memory.key("ann"))
        released.set()
        thread.join(20)
        follow(memory)
        assert not any(held(memory, [f"message:{message.id}"]).values())
        assert memory.receipt("ann", receipt.id).state == "verified"


# -- one model after another


def test_a_new_model_takes_over_once_nothing_is_missing(backend: Backend, clock: FakeClock) -> None:
    old, new = FakeEmbedder(), FakeEmbedder("new", dimensions=16)
    with open_with(backend.url, clock, old) as memory:
        said = [say(memory, f"tea number {number}") for number in range(60)]
        follow(memory)
    with open_with(backend.url, clock, new, old) as memory:
        docs = [f"message:{one.id}" for one in said]
        while states(memory).get("new@1") != "serving":
            served = next(name for name, state in states(memory).items() if state == "serving")
            assert served == "fake@1"
            gone = said.pop()
            memory.forget_message("ann", gone.id)
            fresh = say(memory, f"coffee number {len(said)}")
            said[0] = memory.edit("ann", said[0].id, f"tea again {len(said)}", expect=said[0].version)
            memory.copies.drain(memory.key("ann"))
            hits = memory.search("ann", "tea number", k=20)
            assert gone.id not in {one.id for one in hits}
            assert len(hits) == 20
            assert held(memory, [f"message:{fresh.id}"])[f"message:{fresh.id}", "fake@1"]
        follow(memory)
        assert states(memory) == {"new@1": "serving"}
        assert {name for _, name in held(memory, docs)} == {"new@1"}, "the old set is dropped"
        assert memory.verify("ann", store="vectors")[0].differences == ()


def test_the_old_model_alone_is_searched_by_words_once_it_is_not_configured(
    backend: Backend, clock: FakeClock
) -> None:
    with open_with(backend.url, clock, FakeEmbedder()) as memory:
        say(memory, "green tea")
        follow(memory)
    with open_with(backend.url, clock, FakeEmbedder("new")) as memory:
        assert [one.reason for one in memory.search("ann", "green")] == ["found"]
        memory.rebuild("ann", store="vectors")
        follow(memory)
        follow(memory)
        assert states(memory) == {"new@1": "serving"}


# -- comparing


def test_verify_names_and_mends_each_difference(memory: Memory) -> None:
    from sqlalchemy import delete, update

    from seihon.canonical import tables as t
    from seihon.canonical.scope import OWNER, p

    lost, changed = say(memory, "green tea"), say(memory, "black tea")
    follow(memory)
    v = t.vectors.c
    with memory.db.derive(memory.key("ann")) as tx:
        tx.count(delete(t.vectors).where(v.owner == OWNER, v.doc == p("doc")), doc=f"message:{lost.id}")
        torn = update(t.vectors).where(v.owner == OWNER, v.doc == p("doc")).values(dim=7)
        tx.count(torn, doc=f"message:{changed.id}")
    found = memory.verify("ann", store="vectors")[0].differences
    assert {one.key: one.kind for one in found} == {
        f"message:{lost.id}": DifferenceKind.GAP,
        f"message:{changed.id}": DifferenceKind.STALE,
    }
    memory.verify("ann", store="vectors", repair=True)
    follow(memory)
    assert memory.verify("ann", store="vectors")[0].differences == ()


# -- deletion


@pytest.mark.parametrize("way", ["one by one", "conversation", "owner"])
def test_p2_no_byte_of_a_deleted_texts_vector_is_left_in_a_sqlite_file(
    sqlite_path: Path, clock: FakeClock, way: str
) -> None:
    model = Scattered()
    with open_with(str(sqlite_path), clock, model, derive=Derive.INLINE) as memory:
        lines = [{"role": "user", "content": f"tea number {number}"} for number in range(80)]
        memory.import_transcript("ann", lines, conversation="gone")
        kept = say(memory, "this one stays", to="kept", owner="ann" if way != "owner" else "bob")
        gone = memory.messages("ann", "gone", limit=100).items
        match way:
            case "one by one":
                receipts = [memory.forget_message("ann", one.id) for one in gone]
            case "conversation":
                receipts = [memory.forget_conversation("ann", "gone")]
            case _:
                receipts = [memory.forget_owner("ann")]
        memory.work()
        assert {memory.receipt("ann", one.id).state for one in receipts} == {StoreState.VERIFIED}
        data = b"".join(file.read_bytes() for file in sqlite_path.parent.glob(f"{sqlite_path.name}*"))
    for text, count in {kept.content: 1, **{one.content: 0 for one in gone}}.items():
        vector = model.stored(text)
        pieces = [vector[start : start + 16] for start in range(0, len(vector), 16)]
        found = sum(data.count(piece) for piece in pieces)
        assert found == count * len(pieces), text


def test_p2_of_a_deleted_owner_not_even_a_sets_row_is_left(memory: Memory) -> None:
    message = say(memory, "green tea")
    follow(memory)
    memory.forget_owner("ann")
    memory.copies.drain(memory.key("ann"))
    follow(memory)
    assert states(memory) == {}
    assert held(memory, [f"message:{message.id}"]) == {}
    memory.reopen("ann")
    say(memory, "black tea", to="anew")
    follow(memory)
    assert states(memory) == SERVING


def test_a_batch_of_texts_takes_few_statements_each(memory: Memory) -> None:
    for number in range(31):
        say(memory, f"tea number {number}")
    sent: list[str] = []

    def note(_c: object, _cursor: object, sql: str, _v: object, _context: object, _many: bool) -> None:
        sent.append(sql)

    event.listen(memory.db.engine, "before_cursor_execute", note)
    memory.copies.follow(memory.key("ann"), "vectors")
    event.remove(memory.db.engine, "before_cursor_execute", note)
    assert len(sent) < 31 * 4, "a lease, and a row out and in, for each; the rest is shared"


def test_p2_the_receipt_of_a_deletion_counts_its_vectors(memory: Memory) -> None:
    message = say(memory, "green tea")
    follow(memory)
    receipt = memory.forget_message("ann", message.id)
    memory.copies.drain(memory.key("ann"))
    [vectors] = [one for one in memory.receipt("ann", receipt.id).stores if one.store == "vectors"]
    assert (vectors.state, vectors.removed) == (StoreState.VERIFIED, 1)
