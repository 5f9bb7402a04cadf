"""Maintenance proposes and never removes: what follows, compares or rebuilds leaves the original alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import event
from tests.contract.memories import say

from seihon.memory import Memory

CANONICAL: Final = frozenset(
    {
        "changes",
        "claims",
        "conversations",
        "field_values",
        "messages",
        "note_sources",
        "notes",
        "owners",
        "schemas",
        "tenants",
        "tombstones",
    }
)
_WRITES: Final = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)")


def written(memory: Memory, act: Callable[[], object]) -> set[tuple[str, str]]:
    """Return what an act does to which table: the first word of each statement, and those inside of it."""
    found: set[tuple[str, str]] = set()

    def note(_c: Any, _cursor: Any, sql: str, _values: Any, _context: Any, _many: bool) -> None:
        # A lock is no write, and what a conflict updates is the row that was to be inserted.
        plain = sql.replace("FOR UPDATE", "").replace("DO UPDATE SET", "")
        found.update((verb, table) for verb, table in _WRITES.findall(plain))

    event.listen(memory.db.engine, "before_cursor_execute", note)
    try:
        act()
    finally:
        event.remove(memory.db.engine, "before_cursor_execute", note)
    return found


def talk(memory: Memory) -> list[str]:
    said = [say(memory, f"the dog walks at {number}").id for number in range(40)]
    memory.add_note("ann", "walks a dog", sources=said[:1])
    memory.set("ann", "plan", "pro")
    return said


def maintain(memory: Memory) -> None:
    memory.work()
    memory.rebuild("ann")
    memory.work()
    memory.verify("ann", repair=True)
    memory.retry("ann")


def test_what_follows_compares_and_rebuilds_writes_no_table_of_the_original(memory: Memory) -> None:
    talk(memory)
    found = written(memory, lambda: maintain(memory))
    assert {table for _, table in found} & CANONICAL == set()
    assert ("INSERT INTO", "ft_postings") in found, "it did something"


def test_a_deletion_carried_on_overwrites_rows_and_removes_none(memory: Memory) -> None:
    said = talk(memory)
    memory.work()
    memory.forget_message("ann", said[0])
    memory.forget_conversation("ann", "c1")
    memory.forget_owner("ann")
    found = written(memory, lambda: maintain(memory))
    assert {verb for verb, table in found if table in CANONICAL} <= {"UPDATE"}
    assert ("UPDATE", "messages") in found, "words were overwritten"
    assert all(one.verified_at for one in memory.receipts("ann").items)
