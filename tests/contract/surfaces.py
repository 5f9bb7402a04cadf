"""Every way to read an owner's memory, so that a test of a promise can ask them all at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from seihon import errors
from seihon.memory import Memory
from seihon.memory.carrying.records import ExportKind
from seihon.model import NoteState, Page, Record

MANY = 1_000


def shown(memory: Memory, owner: str, *queries: str) -> dict[str, str]:
    """Return what each surface shows of an owner as one text; a refusal shows its code.

    ``queries`` are what is searched and asked for.
    """
    return {name: _text(read) for name, read in _reads(memory, owner, queries)}


def showing(memory: Memory, owner: str, canary: str, *queries: str) -> list[str]:
    """Return the names of the surfaces that show ``canary``; it is searched and asked for as well."""
    found = shown(memory, owner, canary, *queries)
    return [name for name, text in found.items() if canary in text]


def _reads(memory: Memory, owner: str, queries: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "messages", lambda: [_messages(memory, owner, one) for one in _conversations(memory, owner)]
    yield "summaries", lambda: [_summaries(memory, owner, one) for one in _conversations(memory, owner)]
    yield "conversations", lambda: memory.conversations(owner, limit=MANY)
    for state in NoteState:
        yield f"notes {state}", lambda state=state: memory.notes(owner, state=state, limit=MANY)
    for number, query in enumerate(queries):
        yield f"search {number}", lambda query=query: [hit.as_dict() for hit in memory.search(owner, query)]
        yield f"context {number}", lambda query=query: memory.context(owner, query=query, budget=4_000)
    yield (
        "recent",
        lambda: [memory.context(owner, conversation=one) for one in _conversations(memory, owner)],
    )
    yield "profile", lambda: [memory.profile(owner, scope=one).as_dict() for one in ("default", "research")]
    yield "as of", lambda: _past(memory, owner)
    for field in memory.schema().fields:
        yield f"history {field}", lambda field=field: memory.history(owner, field, limit=MANY)
    yield "candidates", lambda: memory.candidates(owner, limit=MANY)
    yield "traces", lambda: memory.traces(owner, limit=MANY)
    yield "changes", lambda: memory.changes(owner, limit=MANY)
    yield "receipts", lambda: memory.receipts(owner, limit=MANY)
    for kind in ExportKind:
        yield f"export {kind}", lambda kind=kind: list(memory.export(owner, kind=kind))


def _conversations(memory: Memory, owner: str) -> list[str]:
    return [one.id for one in memory.conversations(owner, limit=MANY)]


def _summaries(memory: Memory, owner: str, conversation: str) -> Page[Any]:
    return memory.summaries(owner, conversation, limit=MANY)


def _messages(memory: Memory, owner: str, conversation: str) -> Page[Any]:
    return memory.messages(owner, conversation, limit=MANY)


def _past(memory: Memory, owner: str) -> list[Any]:
    last = memory.owner(owner).revision
    return [
        memory.profile(owner, as_of=revision).as_dict() for revision in range(max(0, last - 30), last + 1)
    ]


def _text(read: Callable[[], Any]) -> str:
    try:
        found = read()
    except (errors.Gone, errors.NotFound) as refused:
        return str(refused.as_dict())
    return json.dumps(_plain(found), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.as_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in cast("list[Any]", value)]
    return value
