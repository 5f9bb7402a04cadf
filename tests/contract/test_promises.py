"""The six promises, by name, on every surface that exists.

The walls behind P4 and the transactions behind P6 have files of their own, ``test_walls`` and
``test_transactions``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import MetaData, text
from tests.conftest import Backend
from tests.contract.memories import POLICIES, SCHEMA, confirm, infer, open_memory, plan_under, say
from tests.contract.opening import engine_of
from tests.contract.surfaces import showing, shown

from seihon import errors
from seihon.canonical import faults
from seihon.memory import Derive, Memory
from seihon.model import ClaimState, FieldStatus, Receipt, Source, StoreState
from seihon.testing.clock import FakeClock
from seihon.testing.guard import StatementGuard

# A word that the index keeps as it is.
CANARY = "zxqorb"
TABLES_OF_THE_INDEX = ("ft_documents", "ft_postings", "ft_statistics")

# -- P1: corrections win

CORRECTIONS: dict[str, Callable[[Memory], object]] = {
    "a setting": lambda memory: memory.set("ann", "plan", "free"),
    "a claim": lambda memory: confirm(memory, "plan", "free", say(memory, "now on free")),
    "the application's record": lambda memory: memory.observe(
        "ann", "plan", "free", confidence="confirmed", source="system"
    ),
}


@pytest.mark.parametrize("way", CORRECTIONS)
@pytest.mark.parametrize("policy", ["naive", "guard", "guard_ttl"])
def test_p1_a_corrected_value_is_current_nowhere(
    backend: Backend, clock: FakeClock, way: str, policy: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
        CORRECTIONS[way](memory)
        assert memory.require("ann", "plan") == "free"
        assert memory.profile("ann", as_of=memory.owner("ann").revision)["plan"] == "free"
        made = memory.context("ann", query="which plan", budget=400)
        assert "plan: free" in made.text
        assert "plan: pro" not in made.text


def test_p1_a_superseded_quote_is_marked_wherever_it_stands_and_the_rest_stays(memory: Memory) -> None:
    message = say(memory, "I am on Pro and I am allergic to nuts")
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=message.id, quote="I am on Pro")
    say(memory, "something else")
    memory.set("ann", "plan", "free")
    hit = memory.search("ann", "allergic nuts")[0]
    (mark,) = hit.superseded
    assert (hit.text[mark.start : mark.end], mark.field, mark.replacement) == ("I am on Pro", "plan", "free")
    for made in (
        memory.context("ann", query="allergic nuts"),
        memory.context("ann", conversation="c1"),
    ):
        assert "~~I am on Pro~~ [superseded: plan is now free] and I am allergic to nuts" in made.text


def test_p1_an_edit_leaves_the_old_words_nowhere(memory: Memory) -> None:
    message = say(memory, f"I am on Pro, {CANARY}")
    confirm(memory, "plan", "pro", message)
    memory.add_note("ann", f"on Pro, {CANARY}", sources=[message.id])
    memory.edit("ann", message.id, "I am on Free", expect=1)
    assert showing(memory, "ann", CANARY, "Pro") == []
    state = memory.field("ann", "plan")
    assert (state.status, state.reason) == (FieldStatus.WITHDRAWN, "source_edited")


def test_p1_the_index_answers_no_old_words_while_it_is_behind(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as prompt:
        message = say(prompt, "the codeword is ivory")
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        memory.edit("ann", message.id, "the codeword is cobalt", expect=1)
        assert memory.search("ann", "ivory") == ()
        assert "cobalt" in memory.context("ann", query="what is cobalt").text
        assert showing(memory, "ann", "ivory", "codeword") == []


def test_p1_a_superseded_note_is_read_by_its_link_alone(memory: Memory) -> None:
    note = memory.add_note("ann", f"drinks {CANARY}")
    memory.supersede_note("ann", note.id, "drinks tea")
    assert showing(memory, "ann", CANARY, "drinks") == ["notes superseded", "export migration"]


def test_p1_the_words_behind_a_confirmed_candidate_are_marked_once_they_are_corrected(memory: Memory) -> None:
    claim = infer(memory, "length", "brief", say(memory, "keep answers short please"))
    memory.confirm("ann", claim.id)
    assert memory.search("ann", "answers")[0].superseded == ()
    memory.set("ann", "length", "detailed")
    assert memory.search("ann", "answers")[0].superseded[0].replacement == "detailed"


def test_p1_two_open_values_of_one_field_cannot_be_stored(
    backend: Backend, memory: Memory, statement_guard: StatementGuard
) -> None:
    memory.set("ann", "plan", "pro")
    memory.set("ann", "plan", "free")
    with engine_of(backend.admin_url) as engine, statement_guard.lifted(), engine.connect() as connection:
        opened = connection.execute(text("SELECT version FROM field_values WHERE closed_revision IS NULL"))
        assert opened.scalars().all() == [2]
        with pytest.raises(Exception, match=r"uq_field_values_current|UNIQUE"):
            connection.execute(text("UPDATE field_values SET closed_revision = NULL, superseded_by = NULL"))


# -- P2: deletions reach everything


def fill(memory: Memory) -> None:
    """Put the canary into every text of an owner."""
    message = memory.append("ann", "c1", "user", f"I live in {CANARY}", metadata={"where": CANARY})
    confirm(memory, "city", CANARY, message)
    memory.add_note("ann", f"loves {CANARY}", metadata={"why": CANARY})
    memory.update_conversation("ann", "c1", metadata={"topic": CANARY})
    memory.context("ann", query=CANARY)


FORGET: dict[str, Callable[[Memory], Receipt]] = {
    "message": lambda memory: memory.forget_message("ann", memory.messages("ann", "c1").items[0].id),
    "note": lambda memory: memory.forget_note("ann", memory.notes("ann").items[0].id),
    "field": lambda memory: memory.forget_field("ann", "city"),
    "conversation": lambda memory: memory.forget_conversation("ann", "c1"),
    "owner": lambda memory: memory.forget_owner("ann"),
}
EXPORTS = ("export person", "export migration")
# What shows the canary of everything else after one of them was deleted.
LEFT: dict[str, tuple[str, ...]] = {
    "message": ("conversations", "notes current", "search 0", "context 0", "recent", *EXPORTS),
    "note": (
        "messages",
        "conversations",
        "search 0",
        "context 0",
        "recent",
        "profile",
        "as of",
        "history city",
        *EXPORTS,
    ),
    "field": ("messages", "conversations", "notes current", "search 0", "context 0", "recent", *EXPORTS),
    "conversation": ("notes current", "search 0", "context 0", *EXPORTS),
    "owner": (),
}


@pytest.mark.parametrize("derive", [Derive.INLINE, Derive.EXTERNAL])
@pytest.mark.parametrize("target", LEFT)
def test_p2_nothing_deleted_is_readable_from_the_commit_on(
    backend: Backend, clock: FakeClock, target: str, derive: Derive
) -> None:
    with open_memory(backend.url, clock) as prompt:
        fill(prompt)
        assert len(showing(prompt, "ann", CANARY)) >= 9
    with open_memory(backend.url, clock, derive=derive) as memory:
        FORGET[target](memory)
        assert set(showing(memory, "ann", CANARY)) <= set(LEFT[target])


def test_p2_everything_deleted_one_by_one_is_shown_nowhere(memory: Memory) -> None:
    fill(memory)
    for target in ("message", "note", "field", "conversation"):
        assert FORGET[target](memory).state is StoreState.VERIFIED
    assert showing(memory, "ann", CANARY, "loves live") == []


def test_p2_no_row_of_any_table_holds_what_a_verified_receipt_took(
    backend: Backend, memory: Memory, statement_guard: StatementGuard
) -> None:
    fill(memory)
    for target in ("message", "note", "conversation"):
        FORGET[target](memory)
    assert rows_with(backend, CANARY, statement_guard) == []
    memory.append("ann", "c9", "user", CANARY)
    assert rows_with(backend, CANARY, statement_guard) == ["ft_postings", "messages"]
    memory.forget_owner("ann")
    assert rows_with(backend, CANARY, statement_guard) == []


def rows_with(backend: Backend, canary: str, guard: StatementGuard) -> list[str]:
    """Return the tables with a row that holds the canary anywhere, beneath every wall."""
    with engine_of(backend.admin_url) as engine, guard.lifted(), engine.connect() as connection:
        found = MetaData()
        found.reflect(connection)
        return sorted(
            table.name
            for table in found.tables.values()
            if any(canary in str(row) for row in connection.execute(table.select()))
        )


def test_p2_a_receipt_is_not_verified_while_a_store_still_holds_something(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    message = say(memory, "hello")
    store = memory.copies.stores[0]
    with monkeypatch.context() as patched:
        patched.setattr(type(store), "leftovers", _always_one)
        receipt = memory.forget_message("ann", message.id)
        states = {one.store: one.state for one in receipt.stores}
        assert receipt.state is StoreState.FAILED
        assert states["fulltext"] is StoreState.FAILED
        assert states["files"] is StoreState.PENDING
        assert receipt.stores[1].error
        assert memory.health().open_receipts == 1
    clock.advance(seconds=600)
    assert receipt.wait(10).state is StoreState.VERIFIED
    assert memory.health().open_receipts == 0


def _always_one(*_: object) -> int:
    return 1


# -- P3: nothing comes back


@pytest.mark.scenario("B7")
def test_p3_a_deleted_message_is_not_written_again(memory: Memory) -> None:
    message = memory.append("ann", "c1", "user", CANARY, id="m", idempotency_key="k")
    memory.forget_message("ann", "m")
    for stale in (
        lambda: memory.append("ann", "c1", "user", CANARY, id="m"),
        lambda: memory.append("ann", "c1", "user", CANARY, id="m", idempotency_key="k"),
        lambda: memory.edit("ann", "m", CANARY, expect=message.version),
        lambda: memory.add_note("ann", CANARY, sources=["m"]),
        lambda: infer(memory, "city", CANARY, message),
        lambda: memory.forget_message("ann", "m"),
    ):
        with pytest.raises(errors.Gone):
            stale()
    assert showing(memory, "ann", CANARY) == []
    anew = say(memory, CANARY)
    assert anew.id != "m"
    assert memory.message("ann", anew.id).content == CANARY


@pytest.mark.parametrize("policy", POLICIES)
def test_p3_a_deleted_correction_does_not_bring_the_old_value_back(
    backend: Backend, clock: FakeClock, policy: str
) -> None:
    with open_memory(backend.url, clock, schema=plan_under(policy)) as memory:
        first = say(memory, "I am on Pro")
        confirm(memory, "plan", "pro", first)
        correction = say(memory, "no: Free")
        confirm(memory, "plan", "free", correction)
        memory.forget_message("ann", correction.id)
        memory.rebuild("ann")
        confirm(memory, "plan", "pro", first)
        state = memory.field("ann", "plan")
        assert (state.status, state.value) == (FieldStatus.WITHDRAWN, None)
        (candidate,) = memory.candidates("ann")
        assert (candidate.value, candidate.reason) == ("pro", "superseded_by_withdrawn")
        (mark,) = memory.search("ann", "Pro")[0].superseded
        assert mark.replacement is None
        made = memory.context("ann", conversation="c1").text
        assert "~~I am on Pro~~ [no longer current: plan is blank]" in made
        assert memory.confirm("ann", candidate.id).value == "pro"


@pytest.mark.scenario("B4")
def test_p3_what_the_person_rejected_is_not_proposed_again(memory: Memory) -> None:
    message = say(memory, "keep it short")
    claim = infer(memory, "length", "brief", message)
    memory.reject("ann", claim.id)
    memory.rebuild("ann")
    for again in (infer, confirm):
        assert again(memory, "length", "brief", message).state is ClaimState.REJECTED
    assert memory.candidates("ann").items == ()
    assert memory.field("ann", "length").value is None


@pytest.mark.parametrize("target", ["message", "note", "conversation", "owner"])
def test_p3_an_index_from_before_the_deletion_answers_nothing(
    backend: Backend, memory: Memory, statement_guard: StatementGuard, target: str
) -> None:
    fill(memory)
    with engine_of(backend.admin_url) as engine, statement_guard.lifted():
        with engine.begin() as connection:
            for table in TABLES_OF_THE_INDEX:
                connection.execute(text(f"CREATE TABLE old_{table} AS SELECT * FROM {table}"))
        FORGET[target](memory)
        with engine.begin() as connection:
            for table in TABLES_OF_THE_INDEX:
                connection.execute(text(f"DELETE FROM {table}"))
                connection.execute(text(f"INSERT INTO {table} SELECT * FROM old_{table}"))
    if target == "owner":
        memory.reopen("ann")
    found = {hit.kind for hit in memory.search("ann", CANARY)}
    assert (
        found == {"message": {"note"}, "note": {"message"}, "conversation": {"note"}, "owner": set()}[target]
    )


# -- P4: nobody else's


def test_p4_nothing_of_one_owner_is_shown_to_another(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as memory, open_memory(backend.url, clock, tenant="zeta") as other:
        fill(memory)
        for there, owner in ((memory, "bob"), (memory, "an"), (memory, "ann2"), (other, "ann")):
            there.append(owner, "c1", "user", "I live in Kyoto and I love it", id=f"of {owner}")
            assert showing(there, owner, CANARY, "live loves Kyoto") == []
            assert {hit.conversation for hit in there.search(owner, "live loves")} == {"c1"}


def test_p4_the_ids_of_one_owner_are_nothing_to_another(memory: Memory) -> None:
    message = say(memory, "keep it short")
    note = memory.add_note("ann", "likes tea")
    claim = infer(memory, "length", "brief", message)
    trace = memory.context("ann", query="short").trace
    receipt = memory.forget_note("ann", memory.add_note("ann", "likes coffee").id).id
    say(memory, "hello", owner="bob")
    for call in (
        lambda: memory.message("bob", message.id),
        lambda: memory.edit("bob", message.id, "x", expect=1),
        lambda: memory.forget_message("bob", message.id),
        lambda: memory.note("bob", note.id),
        lambda: memory.forget_note("bob", note.id),
        lambda: memory.claim("bob", claim.id),
        lambda: memory.confirm("bob", claim.id),
        lambda: memory.reject("bob", claim.id),
        lambda: memory.trace("bob", trace),
        lambda: memory.receipt("bob", receipt),
        lambda: memory.add_note("bob", "x", sources=[message.id]),
    ):
        with pytest.raises(errors.NotFound):
            call()
    assert memory.message("ann", message.id) == message


# -- P5: everything is explained


def test_p5_a_value_names_its_source_and_version_and_a_blank_its_reason(memory: Memory) -> None:
    message = say(memory, "I am on Pro")
    claim = confirm(memory, "plan", "pro", message)
    state = memory.field("ann", "plan")
    assert (state.claim, state.version, state.source) == (claim.id, 1, Source.MESSAGE)
    assert (state.quotes[0].message, state.quotes[0].version) == (message.id, 1)
    assert (state.observed_at, state.turn) == (message.at, 1)
    for name, one in memory.profile("ann").states.items():
        assert one.reason, name
        assert (one.value is None) == (one.version == 0)


def test_p5_a_context_explains_each_item_and_each_omission_by_ids(memory: Memory) -> None:
    for number in range(12):
        say(memory, f"message {number} about the harbour and its long history of trade")
    memory.set("ann", "plan", "pro")
    memory.add_note("ann", "likes the harbour")
    made = memory.context("ann", conversation="c1", query="harbour", budget=150)
    assert made.items and made.omissions
    assert all(one.id and one.version and one.reason and one.tokens for one in made.items)
    assert all(one.id and one.reason for one in made.omissions)
    trace = memory.trace("ann", made.trace)
    assert (trace.items, trace.omissions) == (made.items, made.omissions)
    assert (trace.revision, trace.epoch, trace.tokens, trace.budget) == (14, 0, made.tokens, 150)
    assert "harbour" not in str(trace.as_dict())
    assert memory.traces("ann").items == (trace,)


def test_p5_the_history_of_an_owner_tells_who_did_what_and_why(memory: Memory) -> None:
    message = say(memory, "I am on Pro")
    confirm(memory, "plan", "pro", message)
    memory.set("ann", "plan", "free", actor="support")
    memory.forget_message("ann", message.id, reason="asked", actor="ann")
    told = [(one.revision, one.kind, one.actor) for one in memory.changes("ann")]
    assert told == [
        (1, "message.appended", "application"),
        (2, "claim.recorded", "application"),
        (2, "field.changed", "application"),
        (3, "claim.recorded", "support"),
        (3, "field.changed", "support"),
        (4, "claim.withdrawn", "ann"),
        (4, "message.deleted", "ann"),
    ]


def test_p5_every_refusal_is_a_sentence_with_a_code_and_without_the_text(memory: Memory) -> None:
    message = say(memory, "hello")
    for call in (
        lambda: memory.set("ann", "plan", CANARY),
        lambda: say(memory, f"{CANARY}\x00"),
        lambda: memory.observe(
            "ann", "plan", "pro", confidence="confirmed", message=message.id, quote=CANARY
        ),
        lambda: memory.edit("ann", message.id, CANARY, expect=7),
        lambda: memory.append("ann", "c1", "user", CANARY, id=message.id),
        lambda: memory.add_note("ann", CANARY, scope="a b"),
        lambda: memory.field("ann", CANARY),
    ):
        with pytest.raises(errors.SeihonError) as refused:
            call()
        told = refused.value.as_dict()
        assert told["code"] in errors.CODES
        assert told["message"][0].isupper() or told["message"][0] == "`"
        assert told["message"].endswith((".", '"')) or "nearest" in told["message"]
        assert CANARY not in str(told)


# -- P6: nothing acknowledged is lost


def test_p6_what_was_answered_is_there_after_a_restart(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as memory:
        fill(memory)
        before = shown(memory, "ann", "live")
    with open_memory(backend.url, clock, schema=SCHEMA) as memory:
        after = shown(memory, "ann", "live")
    for surface in before:
        if not surface.startswith(("context", "recent", "traces")):
            assert after[surface] == before[surface], surface


def test_p6_of_writers_with_one_version_one_wins_and_the_others_are_told(memory: Memory) -> None:
    memory.set("ann", "seats", 1)
    told: list[object] = []

    def write(number: int) -> None:
        try:
            told.append(memory.set("ann", "seats", number, expect=1).value)
        except errors.VersionConflict as refused:
            told.append(refused)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won = [one for one in told if isinstance(one, int)]
    lost = [one for one in told if isinstance(one, errors.VersionConflict)]
    assert (len(won), len(lost)) == (1, 7)
    assert {one.details["current"] for one in lost} == {2}
    assert memory.require("ann", "seats") == won[0]


def test_p6_a_failed_write_leaves_no_half(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    message = say(memory, "I am on Pro")
    confirm(memory, "plan", "pro", message)
    before = shown(memory, "ann", "Pro")
    with monkeypatch.context() as patched:
        patched.setattr("seihon.canonical.scope.Writer.change", _fails)
        for write in (
            lambda: say(memory, "hello"),
            lambda: memory.set("ann", "plan", "free"),
            lambda: memory.edit("ann", message.id, "I am on Free", expect=1),
            lambda: memory.add_note("ann", "likes tea", sources=[message.id]),
            lambda: memory.forget_message("ann", message.id),
            lambda: memory.forget_owner("ann"),
        ):
            with pytest.raises(RuntimeError):
                write()
    after = shown(memory, "ann", "Pro")
    assert {name: after[name] for name in after if not name.startswith(("context", "recent", "traces"))} == {
        name: before[name] for name in before if not name.startswith(("context", "recent", "traces"))
    }


def _fails(*_: object) -> None:
    raise RuntimeError


def test_p6_a_write_stands_when_its_copies_cannot_follow(memory: Memory, clock: FakeClock) -> None:
    def broken(point: str) -> None:
        if point == "worker.before_refresh":
            raise RuntimeError(CANARY)

    stop = faults.listen(broken)
    try:
        message = say(memory, "the ferry leaves at nine")
    finally:
        stop()
    assert memory.message("ann", message.id) == message
    assert not memory.health().ok
    assert CANARY not in str(memory.health().as_dict())
    assert "ferry" in memory.context("ann", query="ferry").text
    clock.advance(seconds=3_600)
    say(memory, "and then?")
    assert memory.health().ok
    assert memory.search("ann", "ferry")[0].id == message.id
