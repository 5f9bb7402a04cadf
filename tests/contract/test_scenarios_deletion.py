"""Themes A and C: a deleted memory that still answers; deletions reported wrongly, in part, or too widely."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import MetaData, func, select, text
from tests.conftest import Backend
from tests.contract.memories import confirm, infer, open_memory, say
from tests.contract.opening import engine_of
from tests.contract.surfaces import showing

from seihon import errors
from seihon.canonical import faults
from seihon.derived.contract import DifferenceKind
from seihon.memory import Derive, Memory
from seihon.model import HitKind, NoteState, StoreState
from seihon.testing.clock import FakeClock
from seihon.testing.guard import StatementGuard

# -- A: a deleted memory still answers


@pytest.mark.scenario("A1", "A2")
def test_facts_deleted_together_answer_to_none_of_their_own_words(memory: Memory, clock: FakeClock) -> None:
    facts = ("母は盛岡に住む", "allergic to shellfish", "通勤は自転車", "plays the cello", "猫の名はモカ")
    said = [say(memory, fact) for fact in facts]
    receipt = memory.forget_matching("ann", conversation="c1")
    for _ in range(2):
        for fact, message in zip(facts, said, strict=True):
            assert memory.search("ann", fact) == ()
            assert fact not in memory.context("ann", query=fact).text
            with pytest.raises(errors.Gone):
                memory.message("ann", message.id)
        clock.advance(seconds=60)
    assert receipt.counts == {"messages": 5}
    assert {store.state for store in memory.receipt("ann", receipt.id).stores} == {StoreState.VERIFIED}


@pytest.mark.scenario("A2", "A10")
def test_every_path_agrees_that_a_deleted_record_is_gone(memory: Memory) -> None:
    message, note = (
        say(memory, "the vault is behind the mirror"),
        memory.add_note("ann", "mirror in the hall"),
    )
    for forget, record in ((memory.forget_message, message.id), (memory.forget_note, note.id)):
        forget("ann", record)
        assert record not in {hit.id for hit in memory.search("ann", "mirror vault hall")}
        made = memory.context("ann", query="mirror vault", conversation="c1")
        assert record not in {item.id for item in (*made.items, *made.omissions)}
    assert memory.messages("ann", "c1").items == ()
    assert memory.notes("ann").items == ()


@pytest.mark.scenario("A4")
def test_an_answer_and_every_count_drop_a_note_together(memory: Memory) -> None:
    message = say(memory, "計画の名前を決めたい")
    note = memory.add_note("ann", "プロジェクト名はアヒル計画", sources=[message.id])
    assert "アヒル" in memory.context("ann", query="プロジェクト名").text
    memory.forget_note("ann", note.id)
    assert "アヒル" not in memory.context("ann", query="プロジェクト名").text
    assert len(memory.notes("ann")) == 0
    memory.forget_message("ann", message.id)
    assert memory.conversation("ann", "c1").messages == 0
    assert memory.forget_conversation("ann", "c1").counts == {}


@pytest.mark.scenario("A5")
@pytest.mark.parametrize("way", ["conversation", "time", "ids"])
def test_every_filter_of_a_bulk_deletion_reaches_the_index(
    memory: Memory, clock: FakeClock, way: str
) -> None:
    first = [say(memory, f"harbour log {number}", to="s1") for number in range(20)]
    clock.advance(days=1)
    second = [say(memory, f"mountain log {number}", to="s2") for number in range(20)]
    receipt = {
        "conversation": lambda: memory.forget_matching("ann", conversation="s1"),
        "time": lambda: memory.forget_matching("ann", until=second[0].at),
        "ids": lambda: memory.forget_messages("ann", [one.id for one in first]),
    }[way]()
    assert receipt.counts == {"messages": 20}
    assert memory.search("ann", "harbour") == ()
    assert len(memory.search("ann", "mountain", k=50)) == 20
    assert memory.messages("ann", "s1").items == ()


@pytest.mark.scenario("A7")
def test_nothing_points_at_a_conversation_that_is_gone(memory: Memory) -> None:
    for number in range(3):
        message = say(memory, f"I am on Pro, says talk {number}", to=f"t{number}")
        confirm(memory, "plan", "pro", message)
        infer(memory, "length", "brief", message)
        memory.add_note("ann", f"from talk {number}", sources=[message.id])
    for number in range(3):
        memory.forget_conversation("ann", f"t{number}")
    assert memory.conversations("ann").items == ()
    for state in NoteState:
        assert memory.notes("ann", state=state).items == ()
    assert memory.candidates("ann").items == ()
    assert set(memory.profile("ann").values()) == {None}
    assert memory.context("ann", query="talk Pro").items == ()


@pytest.mark.scenario("A8")
def test_a_rebuild_does_not_bring_a_deleted_fact_into_an_answer(memory: Memory, clock: FakeClock) -> None:
    gone = say(memory, "the reading group meets in the old mill")
    kept = say(memory, "the reading group meets on Thursdays")
    memory.forget_message("ann", gone.id)
    assert memory.rebuild("ann") > 0
    for _ in range(5):
        made = memory.context("ann", query="where and when does the reading group meet")
        assert {item.id for item in made.items} == {kept.id}
        assert "mill" not in made.text
        assert memory.trace("ann", made.trace).items == made.items
        clock.advance(seconds=120)


@pytest.mark.scenario("A10")
def test_an_orphan_in_the_index_is_not_shown_and_is_reported_and_removed(
    backend: Backend, memory: Memory, statement_guard: StatementGuard
) -> None:
    say(memory, "hello harbour")
    with engine_of(backend.admin_url) as engine, statement_guard.lifted(), engine.begin() as connection:
        connection.execute(
            text("INSERT INTO ft_documents VALUES ('acme/ann', 'message:m_lost', 'message', 'c1', 9, 9, 1)")
        )
        connection.execute(
            text("INSERT INTO ft_postings VALUES ('acme/ann', 'harbour', 'message:m_lost', 1, 1)")
        )
    assert len(memory.search("ann", "harbour")) == 1
    (found,) = memory.verify("ann", store="fulltext")
    assert ("message:m_lost", DifferenceKind.ORPHAN) in {(one.key, one.kind) for one in found.differences}
    memory.verify("ann", repair=True)
    (again,) = memory.verify("ann", store="fulltext")
    assert again.differences == ()


@pytest.mark.scenario("A11")
def test_a_text_with_several_sources_goes_with_any_of_them(memory: Memory) -> None:
    with_canary = say(memory, "Sato says the code is ZX7f3a")
    without = say(memory, "Sato will call on Friday")
    memory.add_note("ann", "Sato: code ZX7f3a, calls on Friday", sources=[with_canary.id, without.id])
    memory.forget_message("ann", with_canary.id)
    assert showing(memory, "ann", "ZX7f3a", "Sato code Friday") == []
    assert [hit.id for hit in memory.search("ann", "Sato")] == [without.id]


@pytest.mark.scenario("A13")
@pytest.mark.parametrize(
    "row",
    [
        "INSERT INTO claim_sources (owner, claim, message, message_version) VALUES ('acme/ann', 'c', 'm', 1)",
        "INSERT INTO note_sources (owner, note, message, message_version) VALUES ('acme/ann', 'n', 'm', 1)",
        "UPDATE claims SET message = NULL",
        "UPDATE claims SET message = 'm_none'",
        "UPDATE field_values SET claim = NULL",
    ],
)
def test_a_derived_row_without_a_source_cannot_exist(
    backend: Backend, memory: Memory, statement_guard: StatementGuard, row: str
) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    with (
        engine_of(backend.admin_url) as engine,
        statement_guard.lifted(),
        engine.connect() as connection,
        pytest.raises(Exception, match=r"(?i)constraint"),
    ):
        connection.execute(text(row))
    with pytest.raises(errors.InvalidArgument):
        memory.observe("ann", "plan", "pro", confidence="inferred")
    with pytest.raises(errors.InvalidArgument):
        memory.add_note("ann", "drawn from nowhere", source="message")


@pytest.mark.scenario("A16")
def test_two_processes_answer_at_once_that_an_owner_is_gone(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as one, open_memory(backend.url, clock) as two:
        one.set("ann", "plan", "pro")
        assert [there.profile("ann")["plan"] for there in (one, two)] == ["pro", "pro"]
        one.forget_owner("ann")
        for there in (one, two):
            with pytest.raises(errors.OwnerDeleted):
                there.profile("ann")


@pytest.mark.scenario("A17")
def test_a_pasted_secret_is_in_no_later_context(memory: Memory) -> None:
    message = say(memory, "oops: sk-test-000")
    say(memory, "I see a key, please remove it", role="assistant")
    memory.context("ann", conversation="c1")
    memory.forget_message("ann", message.id)
    for turn in ("what did I paste?", "the key, again?", "sk-test-000?"[:6]):
        say(memory, turn)
        made = memory.context("ann", conversation="c1")
        assert "sk-test-000" not in made.text
        assert message.id not in {item.id for item in made.items}
        assert "sk-test-000" not in str(memory.trace("ann", made.trace).as_dict())


@pytest.mark.scenario("A19")
def test_equal_texts_live_and_go_one_by_one(memory: Memory) -> None:
    words = "はい、それでお願いします"
    first, second = say(memory, words), say(memory, words, to="c2")
    theirs = say(memory, words, owner="bob")
    memory.forget_message("ann", first.id)
    assert [hit.id for hit in memory.search("ann", words)] == [second.id]
    assert [hit.id for hit in memory.search("bob", words)] == [theirs.id]


@pytest.mark.scenario("A20")
def test_a_deleted_account_leaves_only_the_record_of_its_deletion(
    backend: Backend, memory: Memory, statement_guard: StatementGuard
) -> None:
    message = say(memory, "zxqorb lives in Kyoto")
    confirm(memory, "city", "zxqorb", message)
    memory.add_note("ann", "zxqorb", sources=[message.id], idempotency_key="k")
    memory.context("ann", query="zxqorb")
    memory.forget_owner("ann")
    holding: set[str] = set()
    with engine_of(backend.admin_url) as engine, statement_guard.lifted(), engine.connect() as connection:
        found = MetaData()
        found.reflect(connection)
        for table in found.tables.values():
            rows = [str(row) for row in connection.execute(table.select())]
            assert not any("zxqorb" in row for row in rows), table.name
            if any("acme/ann" in row for row in rows):
                holding.add(table.name)
    # Of an answer its hashes stay for a day, so that a late retry is refused and not done anew.
    assert not holding & {"ft_documents", "ft_postings", "ft_statistics", "traces", "dirty"}
    assert {"owners", "tombstones", "receipts", "receipt_stores", "changes"} <= holding


# -- C: deletion reported wrongly, done in part, or done too widely


@pytest.mark.scenario("C1")
def test_more_than_two_pages_go_in_one_deletion_and_are_counted(memory: Memory) -> None:
    lines = [{"role": "user", "content": f"harbour log {number}"} for number in range(250)]
    memory.import_transcript("ann", lines, conversation="c1")
    theirs = say(memory, "harbour log of bob", owner="bob")
    receipt = memory.forget_owner("ann")
    assert receipt.counts["messages"] == 250
    assert receipt.state is StoreState.VERIFIED
    removed = {store.store: store.removed for store in memory.receipt("ann", receipt.id).stores}
    assert removed["fulltext"] >= 250
    memory.reopen("ann")
    assert memory.search("ann", "harbour", k=1_000) == ()
    assert memory.conversations("ann").items == ()
    assert [hit.id for hit in memory.search("bob", "harbour")] == [theirs.id]


@pytest.mark.scenario("C2")
def test_a_filter_that_is_empty_unknown_or_misspelt_is_never_everything(memory: Memory) -> None:
    for owner in ("u1", "u2"):
        for number in range(20):
            say(memory, f"log {number}", owner=owner)
    wrong: tuple[Callable[[], object], ...] = (
        lambda: memory.forget_matching("u1"),
        lambda: memory.forget_matching("u1", conversation=None),
        lambda: memory.forget_matching("u1", conversation=""),
        lambda: memory.forget_matching("u1", conversation="unknown"),
        lambda: memory.forget_matching("u1", conversatoin="c1"),  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
        lambda: memory.forget_messages("u1", []),
        lambda: memory.forget_messages("u1", [""]),
        lambda: memory.forget_conversation("u1", "*"),
        lambda: memory.forget_conversation("u1", ""),
        lambda: memory.forget_owner(""),
        lambda: memory.forget_owner("u%"),
        lambda: memory.forget_owner("u_"),
        lambda: memory.forget_owner(None),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    )
    for call in wrong:
        with pytest.raises((errors.InvalidArgument, errors.NotFound, TypeError)):
            call()
    memory.forget_owner("u1")
    assert memory.conversation("u2", "c1").messages == 20


@pytest.mark.scenario("C4")
def test_each_claim_of_a_receipt_was_read_back(
    backend: Backend, memory: Memory, statement_guard: StatementGuard, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = say(memory, "the harbour is frozen")
    store = memory.copies.stores[0]
    with monkeypatch.context() as patched:
        # A store that says that it purged and did nothing.
        patched.setattr(type(store), "purge", _nothing)
        receipt = memory.forget_message("ann", message.id)
    assert receipt.state is StoreState.FAILED
    states = {one.store: (one.state, one.error) for one in receipt.stores}
    assert states["original"] == (StoreState.VERIFIED, "")
    assert states["fulltext"] == (StoreState.FAILED, "leftovers")
    assert states["files"][0] is StoreState.PENDING


def _nothing(*_: object) -> int:
    return 0


@pytest.mark.scenario("C5")
def test_a_receipt_names_the_store_that_failed_and_a_retry_finishes_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    lines = [{"role": "user", "content": f"harbour log {number}"} for number in range(501)]
    memory.import_transcript("ann", lines, conversation="c1")
    store = memory.copies.stores[0]
    purge = type(store).purge
    left = [2]

    def fails_later(*args: object) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError
        return purge(*args)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

    with monkeypatch.context() as patched:
        patched.setattr(type(store), "purge", fails_later)
        receipt = memory.forget_conversation("ann", "c1")
        states = {one.store: (one.state, one.error) for one in receipt.stores}
        assert receipt.state is StoreState.FAILED
        assert states["fulltext"] == (StoreState.FAILED, "RuntimeError")
    assert memory.search("ann", "harbour") == ()
    clock.advance(seconds=600)
    done = receipt.wait(10)
    assert (done.state, done.counts["messages"]) == (StoreState.VERIFIED, 501)
    assert {one.state for one in done.stores} == {StoreState.VERIFIED}


RECEIPT_POINTS = [point for point in faults.POINTS if point.startswith("receipt.")]


@pytest.mark.scenario("C7")
@pytest.mark.parametrize("point", RECEIPT_POINTS)
def test_a_deletion_that_was_cut_off_is_hidden_and_goes_on(
    backend: Backend, clock: FakeClock, point: str
) -> None:
    def cut(reached: str) -> None:
        if reached == point:
            raise KeyboardInterrupt

    with open_memory(backend.url, clock) as memory:
        message, kept = say(memory, "the frozen harbour"), say(memory, "the quiet harbour")
        stop = faults.listen(cut)
        try:
            with pytest.raises(KeyboardInterrupt):
                memory.forget_message("ann", message.id)
        finally:
            stop()
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        assert [hit.id for hit in memory.search("ann", "harbour")] == [kept.id]
        memory.copies.drain(memory.key("ann"))
        (receipt,) = memory.receipts("ann")
        assert receipt.state is StoreState.VERIFIED
        assert memory.verify("ann")[0].differences == ()
        assert [hit.id for hit in memory.search("ann", "harbour")] == [kept.id]


@pytest.mark.scenario("C8")
def test_every_id_that_is_shown_can_be_read_corrected_and_forgotten(memory: Memory) -> None:
    confirm(memory, "plan", "pro", say(memory, "the harbour tour is on Pro"))
    memory.add_note("ann", "loves the harbour")
    made = memory.context("ann", query="harbour", conversation="c1")
    for item in memory.trace("ann", made.trace).items:
        if item.kind == "profile":
            field, _, scope = item.id.partition("@")
            assert memory.set("ann", field, "free", scope=scope, expect=item.version).version == 2
            memory.forget_field("ann", field, scope=scope)
    for hit in memory.search("ann", "harbour"):
        if hit.kind is HitKind.MESSAGE:
            memory.edit("ann", hit.id, memory.message("ann", hit.id).content + "!", expect=hit.version)
            memory.forget_message("ann", hit.id)
        else:
            memory.edit_note("ann", memory.note("ann", hit.id).id, expect=hit.version, text="harbour!")
            memory.forget_note("ann", hit.id)
    assert memory.search("ann", "harbour") == ()


@pytest.mark.scenario("C13")
def test_superseding_deleting_and_their_purge_are_three_things(
    backend: Backend, memory: Memory, statement_guard: StatementGuard
) -> None:
    old = memory.add_note("ann", "prefers zxqorb")
    memory.supersede_note("ann", old.id, "prefers tea")
    assert memory.note("ann", old.id).text == "prefers zxqorb"
    memory.forget_note("ann", old.id)
    with pytest.raises(errors.Gone):
        memory.note("ann", old.id)
    with engine_of(backend.admin_url) as engine, statement_guard.lifted(), engine.connect() as connection:
        notes = MetaData()
        notes.reflect(connection, only=["notes"])
        table = notes.tables["notes"]
        gone = select(func.count()).select_from(table).where(table.c.id == old.id, table.c.text == "")
        assert connection.execute(gone).scalar() == 1
