"""Theme G: another user's, tenant's or scope's memory."""

from __future__ import annotations

import pytest
from tests.conftest import Backend, Dialect
from tests.contract.memories import confirm, infer, open_memory, say
from tests.contract.surfaces import showing

from seihon import errors
from seihon.memory import Memory
from seihon.testing.clock import FakeClock

IDS = ("u", "u1", "u 1", "U1", "u%", "u_1", "u/1", "u1/", "'u1", "ü1", "ｕ１")


@pytest.mark.scenario("G1", "G10")
def test_the_same_conversation_id_and_words_stay_apart(memory: Memory) -> None:
    for owner in ("u1", "u2"):
        message = say(memory, f"the meeting of {owner} is in the north wing", owner=owner)
        confirm(memory, "city", f"city of {owner}", message, owner=owner)
        infer(memory, "length", "brief", message, owner=owner)
        memory.add_note(owner, f"{owner} likes the north wing", sources=[message.id])
    assert showing(memory, "u2", "u1", "meeting north wing") == []
    assert showing(memory, "u1", "u2", "meeting north wing") == []
    made = memory.context("u2", query="meeting north wing", conversation="c1")
    assert {item.kind for item in made.items} >= {"recent", "profile", "note"}


@pytest.mark.scenario("G2")
def test_a_stranger_finds_nothing_and_an_unknown_filter_is_an_error(memory: Memory) -> None:
    say(memory, "the meeting is in the north wing", owner="u1")
    assert memory.search("nobody", "meeting north wing") == ()
    # A conversation of somebody else answers as one that never was.
    for nobodys in ("c2", "nosuch"):
        with pytest.raises(errors.NotFound, match="No such conversation of this owner"):
            memory.search("u1", "meeting", conversation=nobodys)
    made = memory.context("nobody", query="meeting north wing")
    assert made.items == () and "north" not in made.text
    for unknown in ({"user": "u1"}, {"filters": {"user_id": "u1"}}, {"owner_id": "u1"}):
        with pytest.raises(TypeError):
            memory.search("nobody", "meeting", **unknown)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    with pytest.raises(errors.InvalidArgument):
        memory.search("u1", "meeting", kind="everything")


@pytest.mark.scenario("G4", "G5")
def test_every_read_answers_for_the_owner_that_it_is_asked_for(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as memory, open_memory(backend.url, clock, tenant="zeta") as zeta:
        message = say(memory, "zxqorb", owner="u1")
        memory.add_note("u1", "zxqorb")
        confirm(memory, "city", "zxqorb", message, owner="u1")
        for there, owner in ((memory, "u2"), (zeta, "u1"), (zeta, "acme/u1"), (memory, "acme/u1")):
            there.set(owner, "plan", "pro")
            assert showing(there, owner, "zxqorb") == []
            assert list(there.owners()).count(owner) == 1


@pytest.mark.scenario("G7")
def test_ids_that_look_alike_are_different_people(memory: Memory) -> None:
    for number, owner in enumerate(IDS):
        with pytest.raises(errors.InvalidValue):
            memory.set(owner, "plan", "none")
        say(memory, f"harbour secret {number}", owner=owner)
    for number, owner in enumerate(IDS):
        assert [hit.text for hit in memory.search(owner, "harbour secret", k=50)] == [
            f"harbour secret {number}"
        ]
        assert memory.owner(owner).revision == 1
    assert sorted(memory.owners()) == sorted(IDS)
    memory.forget_owner("u%")
    memory.forget_owner("u_1")
    for number, owner in enumerate(IDS):
        if owner not in ("u%", "u_1"):
            assert memory.messages(owner, "c1").items[0].content == f"harbour secret {number}"


@pytest.mark.scenario("G7")
def test_conversations_and_records_match_by_their_whole_id(memory: Memory) -> None:
    for conversation in IDS:
        say(memory, f"harbour of {conversation}", to=conversation)
    for conversation in IDS:
        found = memory.search("ann", "harbour", conversation=conversation)
        assert {hit.conversation for hit in found} == {conversation}
    memory.forget_conversation("ann", "u%")
    assert len(memory.conversations("ann")) == len(IDS) - 1


@pytest.mark.scenario("G8")
def test_a_scope_is_matched_by_whole_segments(memory: Memory) -> None:
    for scope, value in (("project:app", "brief"), ("project:application", "detailed")):
        memory.set("ann", "length", value, scope=scope)
        memory.add_note("ann", f"a note for {scope} about the harbour", scope=scope)
    for where, value in (
        ("project:app", "brief"),
        ("project:app/sub", "brief"),
        ("project:application", "detailed"),
        ("project:ap", None),
        ("project:app2", None),
        ("default", None),
    ):
        assert memory.profile("ann", scope=where)["length"] == value
        found = memory.search("ann", "harbour", scope=where)
        expected = where.partition("/")[0]
        assert {hit.text for hit in found} == (
            {f"a note for {expected} about the harbour"} if value else set()
        )
        made = memory.context("ann", query="harbour", purpose=where)
        assert ("length" in made.text) is (value is not None)
    assert memory.profile("ann", scope="project:_pp")["length"] is None
    for wildcard in ("project:%", "project:*", "%"):
        with pytest.raises(errors.InvalidArgument):
            memory.profile("ann", scope=wildcard)


@pytest.mark.scenario("G13")
def test_both_engines_are_there_whenever_this_suite_runs(backend: Backend) -> None:
    assert set(Dialect) == {Dialect.SQLITE, Dialect.POSTGRES}
    assert backend.url.startswith({"sqlite": "sqlite:", "postgres": "postgresql:"}[backend.dialect])
