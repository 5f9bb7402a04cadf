"""Deletions when the schema has moved on: what it no longer declares can be deleted, and stays deleted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from sqlalchemy import Row, select
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, confirm, declared, infer, open_memory, plan_under, say

from seihon import errors
from seihon.canonical import erasing
from seihon.canonical import tables as t
from seihon.memory import Derive, Memory, SchemaForm
from seihon.model import ClaimState, FieldStatus, StoreState
from seihon.testing.clock import FakeClock

WITHOUT = declared(plan=SCHEMA["properties"]["plan"])


def move(memory: Memory, schema: SchemaForm) -> None:
    """Register a schema that takes something away."""
    memory.register_schema(schema, plan=memory.plan_schema(schema))


def values_of(memory: Memory, field: str) -> Sequence[Row[Any]]:
    """Return every stored version of a field."""
    with memory.db.read(memory.key("ann")) as tx:
        v = t.field_values.c
        owned = select(v.status, v.value, v.belief, v.claim, v.closed_revision)
        return tx.all(owned.where(v.owner == tx.owner, v.field == field).order_by(v.version))


def assert_nothing_of_it(memory: Memory, field: str, value: str) -> None:
    """Fail if a value is stored, exported, or answered once its field is declared again."""
    assert all((row.value, row.belief, row.claim) == (None, None, None) for row in values_of(memory, field))
    for kind in ("person", "migration"):
        assert value not in "\n".join(memory.export("ann", kind=kind))
    move(memory, SCHEMA)
    state = memory.field("ann", field)
    assert (state.value, state.last_known) == (None, None)
    assert state.status is FieldStatus.WITHDRAWN


def by_message(memory: Memory, message: str) -> None:
    assert memory.forget_message("ann", message).wait().state is StoreState.VERIFIED


def by_conversation(memory: Memory, _message: str) -> None:
    assert memory.forget_conversation("ann", "c1").wait().state is StoreState.VERIFIED


def by_edit_and_message(memory: Memory, message: str) -> None:
    memory.edit("ann", message, "nothing of the kind", expect=1)
    by_message(memory, message)


def by_field(memory: Memory, _message: str) -> None:
    assert memory.forget_field("ann", "city").wait().state is StoreState.VERIFIED
    memory.forget_conversation("ann", "c1")


@pytest.mark.parametrize("delete", [by_message, by_conversation, by_edit_and_message, by_field])
def test_a_value_goes_although_its_field_left_the_schema(
    memory: Memory, delete: Callable[[Memory, str], None]
) -> None:
    message = say(memory, "tokyo")
    memory.observe("ann", "city", "tokyo", confidence="inferred", message=message.id, quote="tokyo")
    move(memory, WITHOUT)
    delete(memory, message.id)
    assert_nothing_of_it(memory, "city", "tokyo")


def test_what_was_weighed_goes_although_its_field_left_the_schema(memory: Memory) -> None:
    for _ in range(3):
        infer(memory, "mood", "good", say(memory, "good"))
    message = say(memory, "bad", to="c2")
    infer(memory, "mood", "bad", message)
    assert memory.field("ann", "mood").value == "good"
    move(memory, WITHOUT)
    memory.forget_message("ann", message.id).wait()
    assert all(row.belief is None for row in values_of(memory, "mood"))
    memory.forget_conversation("ann", "c1").wait()
    assert_nothing_of_it(memory, "mood", '"good"')


def test_a_value_with_another_source_stays_while_its_field_is_away(memory: Memory) -> None:
    first, second = say(memory, "osaka"), say(memory, "tokyo")
    infer(memory, "city", "osaka", first)
    infer(memory, "city", "tokyo", second)
    move(memory, WITHOUT)
    memory.forget_message("ann", first.id).wait()
    move(memory, SCHEMA)
    assert memory.require("ann", "city") == "tokyo"


def test_the_superseded_value_waits_when_its_successor_went_without_a_field(memory: Memory) -> None:
    first, second = say(memory, "osaka"), say(memory, "tokyo")
    waiting = infer(memory, "city", "osaka", first)
    infer(memory, "city", "tokyo", second)
    move(memory, WITHOUT)
    memory.forget_message("ann", second.id).wait()
    move(memory, SCHEMA)
    assert memory.field("ann", "city").value is None
    assert memory.claim("ann", waiting.id).state is ClaimState.CANDIDATE


def test_the_read_back_sees_an_open_value_of_a_withdrawn_claim(memory: Memory) -> None:
    message = say(memory, "tokyo")
    claim = confirm(memory, "city", "tokyo", message)
    sealed = values_of(memory, "city")[0].value
    receipt = memory.forget_message("ann", message.id)
    with memory.db.write(memory.key("ann")) as tx:
        v = t.field_values.c
        back = {"status": "current", "value": sealed, "claim": claim.id}
        tx.count(t.field_values.update().where(v.owner == tx.owner, v.closed_revision.is_(None)).values(back))
    with memory.db.read(memory.key("ann")) as tx:
        left = erasing.left(tx, "message", key=message.id, receipt=receipt.id, bound=receipt.revision)
    assert left == 1


def test_a_removed_field_and_a_scope_that_is_taken_no_more_can_be_deleted(memory: Memory) -> None:
    memory.set("ann", "city", "tokyo")
    memory.set("ann", "length", "brief", scope="research")
    plain = {"length": {"type": "string", "enum": ["brief", "detailed"]}}
    move(memory, declared(**plain))
    for field, scope in (("city", "default"), ("length", "research")):
        receipt = memory.forget_field("ann", field, scope=scope).wait()
        assert (receipt.state, receipt.key) == (StoreState.VERIFIED, f"{field}@{scope}")
        assert all(row.value is None for row in values_of(memory, field))
    assert "tokyo" not in "\n".join(memory.export("ann"))
    for field, scope in (("nonesuch", "default"), ("city", "research"), ("length", "default")):
        with pytest.raises(errors.NotFound):
            memory.forget_field("ann", field, scope=scope)
    for field, scope in (("", "default"), ("city\n", "default"), ("city", "a b"), ("city", "default/x")):
        with pytest.raises(errors.InvalidArgument):
            memory.forget_field("ann", field, scope=scope)


@pytest.fixture
def other(backend: Backend, clock: FakeClock) -> Iterator[Memory]:
    """Another tenant of the same database, whose schema lacks the field."""
    with open_memory(backend.url, clock, schema=WITHOUT, tenant="away") as opened:
        yield opened


@pytest.mark.parametrize("by", ["message", "field"])
def test_a_deletion_that_comes_in_reaches_a_field_that_is_not_declared_here(
    memory: Memory, other: Memory, by: str
) -> None:
    other.register_schema({**WITHOUT, "properties": SCHEMA["properties"]})
    message = say(memory, "tokyo")
    confirm(memory, "city", "tokyo", message)
    other.import_export(memory.export("ann", kind="migration"), owner="ann")
    assert other.require("ann", "city") == "tokyo"
    move(other, WITHOUT)
    say(other, "a life of its own")
    if by == "message":
        memory.forget_message("ann", message.id)
    else:
        memory.forget_field("ann", "city")
        memory.forget_message("ann", message.id)
    other.import_export(memory.export("ann", kind="migration"), owner="ann")
    assert_nothing_of_it(other, "city", "tokyo")


def test_an_edit_takes_no_id_from_other_messages(memory: Memory) -> None:
    memory.append("ann", "c1", "user", "one", id="a")
    memory.edit("ann", "a", "two", expect=1)
    assert memory.append("ann", "c1", "user", "mine", id="a@1").content == "mine"
    memory.forget_message("ann", "a@1")
    memory.append("ann", "c1", "user", "three", id="b@1")
    memory.append("ann", "c1", "user", "four", id="b")
    receipt = memory.forget_message("ann", "b@1")
    memory.edit("ann", "b", "five", expect=1)
    with memory.db.read(memory.key("ann")) as tx:
        b = t.tombstones.c
        row = tx.first(select(b.receipt, b.reason).where(b.owner == tx.owner, b.key == "b@1"))
    assert row is not None and tuple(row) == (receipt.id, "requested")
    assert receipt.wait().state is StoreState.VERIFIED
    for dead in ("a@1", "b@1"):
        with pytest.raises(errors.Gone):
            memory.append("ann", "c1", "user", "again", id=dead)


def test_an_old_text_stays_away_whatever_a_deletion_is_called(memory: Memory) -> None:
    lines = [json.dumps({"role": "user", "content": text, "id": text}) for text in ("one", "two")]
    memory.import_transcript("ann", lines)
    memory.edit("ann", "one", "uno", expect=1)
    memory.forget_message("ann", "two", reason="edited")
    bare = [json.dumps({"role": "user", "content": text}) for text in ("one", "two")]
    for given in (lines, bare):
        assert memory.import_transcript("ann", given).added == 0
    assert [one.content for one in memory.messages("ann", "imported").items] == ["uno"]


def test_an_edit_that_comes_in_ends_no_message_of_a_like_name(memory: Memory, other: Memory) -> None:
    memory.append("ann", "c1", "user", "one", id="a")
    other.import_export(memory.export("ann", kind="migration"), owner="ann")
    other.append("ann", "c1", "user", "mine", id="a@1")
    memory.edit("ann", "a", "two", expect=1)
    other.import_export(memory.export("ann", kind="migration"), owner="ann")
    assert [one.content for one in other.messages("ann", "c1").items] == ["two", "mine"]


@pytest.mark.parametrize(("theirs", "refused"), [(SCHEMA, False), (plan_under("naive"), True)])
def test_p6_one_schema_registered_twice_at_once_is_one_version(
    backend: Backend, clock: FakeClock, theirs: Mapping[str, Any], refused: bool
) -> None:
    with (
        open_memory(backend.url, clock, schema=None, derive=Derive.EXTERNAL) as ours,
        open_memory(backend.url, clock, schema=None, derive=Derive.EXTERNAL) as other,
    ):
        newest = ours._newest  # pyright: ignore[reportPrivateUsage] - what is read last before the write

        def overtaken() -> object:
            found = newest()
            if other.plan_schema(theirs).current is None:
                other.register_schema(theirs)
            return found

        ours.__dict__["_newest"] = overtaken
        if refused:
            with pytest.raises(errors.Conflict, match="at the same time"):
                ours.register_schema(SCHEMA)
        else:
            assert ours.register_schema(SCHEMA).version == 1
        assert other.schema().version == 1
