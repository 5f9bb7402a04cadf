"""Theme D: rows that are left behind, in any table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.conftest import Backend
from tests.contract.memories import confirm, infer, open_memory, say
from tests.contract.opening import engine_of

from seihon.canonical import tables as t
from seihon.memory import Derive, Memory
from seihon.model import StoreState
from seihon.testing.clock import FakeClock

SAID, CALLER, KEPT = "zxsaid7f3a", "zxcaller7f3a", "zxkept7f3a"
INDEX = ("ft_documents", "ft_postings", "ft_statistics")


def plant(memory: Memory, owner: str, talk: str, word: str) -> None:
    """Put a word into every text that may come from a conversation, and what the caller says of its calls."""
    message = memory.append(owner, talk, "user", f"I live in {word}", metadata={"from": word})
    memory.append(owner, talk, "assistant", f"So {word} it is")
    confirm(memory, "city", word, message, owner=owner)
    infer(memory, "city", word, message, owner=owner)
    memory.add_note(owner, f"lives in {word}", metadata={"why": word}, sources=[message.id])
    memory.update_conversation(owner, talk, metadata={"topic": word})
    memory.context(owner, conversation=talk, query=word)
    memory.append(owner, talk, "user", f"{word} again", idempotency_key=f"{talk}-{word}")
    memory.edit(owner, say(memory, f"not {word}", owner=owner, to=talk).id, "nothing", expect=1)


def rows(backend: Backend, owner: str) -> dict[str, list[Mapping[str, Any]]]:
    """Return every row of an owner in every table there is, as the database's administrator sees them."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    with engine_of(backend.admin_url) as engine, engine.connect() as connection:
        for table in t.metadata.sorted_tables:
            if "owner" in table.c:
                asked = table.select().where(table.c.owner == owner).order_by(*table.primary_key.columns)
                found[table.name] = [dict(row) for row in connection.execute(asked).mappings()]
    return found


def holding(found: Mapping[str, list[Mapping[str, Any]]], word: str) -> set[str]:
    """Return the tables with a row that holds a word, or the beginning of it."""
    return {name for name, held in found.items() if word[:6] in str(held)}


@pytest.mark.scenario("D5")
@pytest.mark.parametrize("derive", [Derive.INLINE, Derive.EXTERNAL])
def test_a_deleted_owner_leaves_no_text_and_no_row_of_an_index_in_any_table(
    backend: Backend, clock: FakeClock, derive: Derive
) -> None:
    with open_memory(backend.url, clock, derive=derive) as memory:
        for owner in ("ann", "bob"):
            plant(memory, owner, "c1", SAID)
            plant(memory, owner, "c2", SAID)
            memory.observe(owner, "city", "Bonn", confidence="inferred", source="system", extractor=CALLER)
            memory.add_note(owner, "gone", id="n1")
            memory.set(owner, "length", "brief", actor=CALLER)
            memory.forget_note(owner, "n1", reason=CALLER, actor=CALLER)
        assert {"messages", "claims", "field_values", "notes", "conversations", "ft_postings"} <= holding(
            rows(backend, memory.key("ann")), SAID
        ) | {"ft_postings" if derive is Derive.EXTERNAL else ""}
        assert {"claims", "changes", "tombstones", "receipts"} <= holding(
            rows(backend, memory.key("ann")), CALLER
        )
        other = rows(backend, memory.key("bob"))
        receipt = memory.forget_owner("ann", reason="account closed")
        memory.copies.drain(memory.key("ann"))
        assert memory.receipt("ann", receipt.id).state is StoreState.VERIFIED
        left = rows(backend, memory.key("ann"))
        assert holding(left, SAID) == set()
        assert [name for name in INDEX if left[name]] == []
        assert holding(left, CALLER) == {"receipts"}, (
            "who asked for a deletion and why stays with its receipt"
        )
        assert [row["reason"] for row in left["changes"] if row["reason"]] == ["account closed"]
        assert rows(backend, memory.key("bob")) == other


@pytest.mark.scenario("D5")
@pytest.mark.parametrize("derive", [Derive.INLINE, Derive.EXTERNAL])
def test_a_deleted_conversation_leaves_no_text_and_no_row_of_an_index_in_any_table(
    backend: Backend, clock: FakeClock, derive: Derive
) -> None:
    with open_memory(backend.url, clock, derive=derive) as memory:
        plant(memory, "ann", "c2", KEPT)
        plant(memory, "ann", "c1", SAID)
        memory.copies.drain(memory.key("ann"))
        ids = [
            row["id"] for row in rows(backend, memory.key("ann"))["messages"] if row["conversation"] == "c1"
        ]
        kept = holding(rows(backend, memory.key("ann")), KEPT)
        receipt = memory.forget_conversation("ann", "c1")
        memory.copies.drain(memory.key("ann"))
        assert memory.receipt("ann", receipt.id).state is StoreState.VERIFIED
        left = rows(backend, memory.key("ann"))
        assert holding(left, SAID) == set()
        gone = {f"message:{one}" for one in ids}
        assert [row for row in left["ft_postings"] if row["doc"] in gone] == []
        # What the index remembers of them is that they are gone, by id and version.
        assert {row["length"] for row in left["ft_documents"] if row["doc"] in gone} == {-1}
        assert left["traces"] and {row["conversation"] for row in left["traces"]} == {"c2"}
        assert holding(left, KEPT) == kept
