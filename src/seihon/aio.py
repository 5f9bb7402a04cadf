"""``AsyncMemory``: the verbs of ``Memory`` for async code, one line each.

The core is synchronous and runs on a small pool of threads, about as many as there are cores: more would
only fight for one interpreter. No call blocks the event loop.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from seihon import errors
from seihon.memory import Memory
from seihon.model import Page, Receipt

P = ParamSpec("P")
R = TypeVar("R")
Verb = Callable[Concatenate[Memory, P], R]
AsyncVerb = Callable[Concatenate["AsyncMemory", P], Coroutine[Any, Any, R]]


def _on_the_pool(verb: Verb[P, R]) -> AsyncVerb[P, R]:
    @wraps(verb)
    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return _unwaited(await self.run(partial(verb, self.memory, *args, **kwargs)))

    return call


def _unwaited(answer: R) -> R:
    """Return the answer; a receipt in it would block the loop by its own ``wait``, and says so instead."""
    if isinstance(answer, Receipt):
        return cast("R", replace(answer, waiter=_refuse_to_block))
    if isinstance(answer, Page):
        page = cast("Page[Any]", answer)
        return cast("R", replace(page, items=tuple(_unwaited(item) for item in page.items)))
    return answer


def _refuse_to_block(_receipt: str, _timeout: float) -> Receipt:
    raise errors.InvalidArgument("From async code wait by `await memory.wait(owner, receipt.id)`.")


class AsyncMemory:
    """One tenant's memory for async code; ``AsyncMemory(Memory.open(…))`` or ``await AsyncMemory.open(…)``.

    A call that is cancelled while it runs still finishes in its thread: a write is whole or not at all.
    """

    def __init__(self, memory: Memory, *, threads: int | None = None) -> None:
        self.memory = memory
        self._pool = ThreadPoolExecutor(threads or max(2, os.cpu_count() or 2), thread_name_prefix="seihon")

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> Self:
        """Open as ``Memory.open`` does."""
        return cls(await asyncio.to_thread(Memory.open, *args, **kwargs))

    async def run(self, call: Callable[[], R]) -> R:
        """Run a call on the pool."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def close(self) -> None:
        """Wait for the calls in hand and close; the loop goes on meanwhile."""
        await asyncio.to_thread(self._pool.shutdown)
        await asyncio.to_thread(self.memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def export(self, *args: Any, **kwargs: Any) -> AsyncIterator[str]:
        """Yield the lines of an export, as ``Memory.export`` does, each read on the pool."""
        async for line in self._each(self.memory.export(*args, **kwargs)):
            yield line

    async def export_deletions(self, *args: Any, **kwargs: Any) -> AsyncIterator[str]:
        """Yield the lines of the journal of deletions, as ``Memory.export_deletions`` does."""
        async for line in self._each(self.memory.export_deletions(*args, **kwargs)):
            yield line

    async def owners(self) -> AsyncIterator[str]:
        """Yield the ids of the tenant's owners."""
        async for owner in self._each(self.memory.owners()):
            yield owner

    async def _each(self, items: Iterator[R]) -> AsyncIterator[R]:
        done = object()
        while (found := await self.run(partial(next, items, done))) is not done:
            yield cast("R", found)

    append = _on_the_pool(Memory.append)
    message = _on_the_pool(Memory.message)
    messages = _on_the_pool(Memory.messages)
    edit = _on_the_pool(Memory.edit)
    conversation = _on_the_pool(Memory.conversation)
    conversations = _on_the_pool(Memory.conversations)
    update_conversation = _on_the_pool(Memory.update_conversation)
    owner = _on_the_pool(Memory.owner)
    set = _on_the_pool(Memory.set)
    observe = _on_the_pool(Memory.observe)
    confirm = _on_the_pool(Memory.confirm)
    reject = _on_the_pool(Memory.reject)
    decline = _on_the_pool(Memory.decline)
    profile = _on_the_pool(Memory.profile)
    field = _on_the_pool(Memory.field)
    require = _on_the_pool(Memory.require)
    history = _on_the_pool(Memory.history)
    claim = _on_the_pool(Memory.claim)
    candidates = _on_the_pool(Memory.candidates)
    add_note = _on_the_pool(Memory.add_note)
    note = _on_the_pool(Memory.note)
    notes = _on_the_pool(Memory.notes)
    edit_note = _on_the_pool(Memory.edit_note)
    supersede_note = _on_the_pool(Memory.supersede_note)
    confirm_note = _on_the_pool(Memory.confirm_note)
    reject_note = _on_the_pool(Memory.reject_note)
    summaries = _on_the_pool(Memory.summaries)
    summarise = _on_the_pool(Memory.summarise)
    evaluate_summaries = _on_the_pool(Memory.evaluate_summaries)
    search = _on_the_pool(Memory.search)
    context = _on_the_pool(Memory.context)
    trace = _on_the_pool(Memory.trace)
    traces = _on_the_pool(Memory.traces)
    forget_message = _on_the_pool(Memory.forget_message)
    forget_messages = _on_the_pool(Memory.forget_messages)
    forget_matching = _on_the_pool(Memory.forget_matching)
    forget_note = _on_the_pool(Memory.forget_note)
    forget_field = _on_the_pool(Memory.forget_field)
    forget_conversation = _on_the_pool(Memory.forget_conversation)
    forget_owner = _on_the_pool(Memory.forget_owner)
    reopen = _on_the_pool(Memory.reopen)
    receipt = _on_the_pool(Memory.receipt)
    receipts = _on_the_pool(Memory.receipts)
    recheck_receipt = _on_the_pool(Memory.recheck_receipt)
    signed_receipt = _on_the_pool(Memory.signed_receipt)
    receipt_page = _on_the_pool(Memory.receipt_page)
    signing_keys = _on_the_pool(Memory.signing_keys)
    rotate_signing_key = _on_the_pool(Memory.rotate_signing_key)
    wait = _on_the_pool(Memory.wait)
    import_transcript = _on_the_pool(Memory.import_transcript)
    apply_deletions = _on_the_pool(Memory.apply_deletions)
    import_export = _on_the_pool(Memory.import_export)
    changes = _on_the_pool(Memory.changes)
    health = _on_the_pool(Memory.health)
    verify = _on_the_pool(Memory.verify)
    rebuild = _on_the_pool(Memory.rebuild)
    work = _on_the_pool(Memory.work)
    wake = _on_the_pool(Memory.wake)
    failures = _on_the_pool(Memory.failures)
    retry = _on_the_pool(Memory.retry)
    sweep = _on_the_pool(Memory.sweep)
    schema = _on_the_pool(Memory.schema)
    plan_schema = _on_the_pool(Memory.plan_schema)
    register_schema = _on_the_pool(Memory.register_schema)
    set_retention = _on_the_pool(Memory.set_retention)
    retention = _on_the_pool(Memory.retention)
    field_reads = _on_the_pool(Memory.field_reads)
