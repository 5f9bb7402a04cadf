"""Verbs for those who run it: health, comparing and rebuilding copies, sweeping, an owner's history."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import conversations, idempotency, profiles, traces
from seihon.canonical.faults import reach
from seihon.derived.copies import Comparison, FailedKey, Health
from seihon.derived.pace import Effort
from seihon.memory import door
from seihon.memory.deletions import Deletions
from seihon.model import Change, Derive, Page, instant

SWEEP_BATCH = 500


@dataclass(frozen=True, slots=True)
class Swept:
    """How many records a sweep deleted because their time had passed.

    ``answers``: those kept for replay whose time is over. ``traces``: those older than 30 days.
    """

    messages: int
    notes: int
    answers: int = 0
    traces: int = 0

    def __add__(self, other: Swept) -> Swept:
        """Return both together."""
        return Swept(
            self.messages + other.messages,
            self.notes + other.notes,
            self.answers + other.answers,
            self.traces + other.traces,
        )


class Operations(Deletions):
    """Everything here is safe to run at any time, while others read and write."""

    def changes(
        self, owner: str, *, since: int = 0, limit: int = 100, cursor: str | None = None
    ) -> Page[Change]:
        """Return a page of what happened to an owner after a revision, in order, by ids.

        A page ends with a whole revision, unless that alone is longer than ``limit``; ``next`` goes on inside
        it. An owner that was deleted still answers: its deletion is the last event.
        """
        begin = (door.whole(since, "since"), door.MAX_WHOLE)
        revision, ordinal = door.numbers(cursor, 2) or begin
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        with self.reading(owner, deleted=True) as tx:
            rows = tx.all(profiles.CHANGES_SINCE, after=revision, ordinal=ordinal, limit=size + 1)
        shown = _whole_revisions(rows, size)
        items = tuple(
            Change(
                row.revision, row.ordinal, instant(row.at), row.turn, row.kind, row.key, row.actor, row.reason
            )
            for row in shown
        )
        last = items[-1] if len(rows) > len(shown) else None
        return Page(items, None if last is None else door.make_cursor(last.revision, last.ordinal))

    def owners(self) -> Iterator[str]:
        """Yield the ids of the tenant's owners that were ever written, deleted ones too."""
        for key in self.copies.owners(self.setup.tenant):
            yield self._id_of(key)

    def _id_of(self, key: str) -> str:
        return key[len(self.setup.tenant) + 1 :]

    def _key_of(self, owner: str) -> str:
        """Return the key of an owner that there is, deleted or not. Raises ``NotFound`` for any other."""
        with self.reading(owner, deleted=True) as tx:
            conversations.require_owner(tx)
        return self.key(owner)

    def work(self, stop: threading.Event | None = None) -> int:
        """Bring the copies up to date and carry deletions on, of every owner; return how many keys followed.

        Args:
            stop: works until it is set, and looks again when ``wake`` is called; without one, until nothing
                is due.

        Raises:
            Unsafe: on PostgreSQL, as a role that sees one owner at a time.
        """
        if stop is not None:
            self.copies.run(stop)
            return 0
        settled, still_open = 0, -1
        while True:
            done = self.copies.worker.run_once()
            settled += done.settled
            before, still_open = still_open, self.copies.health().open_receipts
            cut = self.copies.advance().cut
            if not (done.settled or done.unfinished or cut) and still_open == before:
                return settled

    def wake(self) -> None:
        """Let ``work`` in another thread look at once for what is due, or for its ``stop``."""
        self.copies.worker.wake()

    def health(self) -> Health:
        """Return how far each copy lags, its oldest dirty key, its failures, and open receipts."""
        return self.copies.health()

    def failures(
        self, owner: str | None = None, *, store: str | None = None, limit: int = 100
    ) -> tuple[FailedKey, ...]:
        """Return the keys that stores could not follow, dead letters among them, the most stubborn first.

        Args:
            owner: one owner, or all of the tenant. store: one store, or a system outside by its place in
                receipts, or each.

        Raises:
            Unsafe: all of the tenant are asked for on PostgreSQL, as a role that sees one owner at a time.
        """
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        key = None if owner is None else self._key_of(owner)
        found = self.copies.failures(self.setup.tenant, key, self._failing_store(store), size)
        return tuple(replace(one, owner=self._id_of(one.owner)) for one in found)

    def retry(self, owner: str | None = None, *, store: str | None = None) -> int:
        """Let everything that failed be due at once, dead letters too; return how many keys.

        What is made of them follows as after a write. ``owner``, ``store`` and errors: as in ``failures``.
        """
        name = self._failing_store(store)
        if owner is not None:
            keys = [self._key_of(owner)]
        else:
            keys = list(self.copies.failing_owners(self.setup.tenant, name))
        count = 0
        for key in keys:
            retried = self.copies.retry(key, name)
            count += retried
            if retried:
                self.after_commit(key)
        return count

    def _failing_store(self, store: str | None) -> str:
        if store is None or store in self.copies.outside.places:
            return store or ""
        return self._stores(store)[0]

    def verify(
        self,
        owner: str | None = None,
        *,
        store: str | None = None,
        repair: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[Comparison, ...]:
        """Compare derived stores with the original, and make them right with ``repair``.

        Args:
            owner: one owner, or all of the tenant. store: one store, or each.
            progress: called with how many keys were compared since the last call.

        Returns a comparison for each owner, named by its id, and store.

        Raises:
            NotFound: nothing was ever stored for the owner that is named.
        """
        names = self._stores(store)
        keys = [self._key_of(owner)] if owner is not None else list(self.copies.owners(self.setup.tenant))
        return tuple(
            replace(self.copies.compare(key, name, repair=repair, progress=progress), owner=self._id_of(key))
            for key in keys
            for name in names
        )

    def rebuild(
        self,
        owner: str | None = None,
        *,
        store: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Mark every key of a store to be derived again, and let it follow; return how many were marked.

        What serves goes on serving until its successor is there, while others read, write and delete. Nothing
        is emptied first: a store whose originals cannot be read, or that names none, keeps what it holds.

        Args:
            owner: one owner, or all of the tenant. store: one store, or each.
            progress: called with how many more keys were marked, and again as they are derived in this call.

        Raises:
            Incomplete: a store could not name its keys. NotFound: there is no such owner.
        """
        names = self._stores(store)
        keys = [self._key_of(owner)] if owner is not None else list(self.copies.owners(self.setup.tenant))
        marked = 0
        for key in keys:
            for name in names:
                marked += self.copies.rebuild(key, name, progress=progress)
                if self.setup.derive is Derive.INLINE:
                    with suppress(errors.SeihonError):
                        self.copies.follow(key, name, told=progress)
            self.after_commit(key)
        return marked

    def sweep(self, owner: str | None = None) -> Swept:
        """Delete the records whose time has passed. Reads leave them out already; this frees the space.

        With them go answers that can no longer be replayed, and traces older than 30 days.
        """
        if owner is not None:
            self._key_of(owner)
        ids = [owner] if owner is not None else list(self.owners())
        total = Swept(0, 0)
        for one in ids:
            total += self._sweep(one) + self._sweep_records(one)
        if total.messages or total.notes:
            self._finish_deletions(ids)
        return total

    def _finish_deletions(self, owners: Sequence[str]) -> None:
        """Under ``inline``: clean files that were too large for the deleting calls, once for all."""
        if self.setup.derive is Derive.INLINE:
            with suppress(errors.SeihonError):
                self.copies.carry([self.key(one) for one in owners], self.copies.pace(Effort.DUE))

    def _sweep_records(self, owner: str) -> Swept:
        """Drop what holds no words and what nothing asks for any more; no receipt is opened for that."""
        with self.db.derive(self.key(owner)) as tx:
            return Swept(0, 0, idempotency.drop_expired(tx), traces.drop_old(tx))

    def _sweep(self, owner: str) -> Swept:
        swept = Swept(0, 0)
        while self._has_expired(owner):
            reach("sweep.before_forget")
            try:
                found = self.erase_expired(owner, SWEEP_BATCH)
            except errors.OwnerDeleted:
                break
            swept = Swept(swept.messages + found[0], swept.notes + found[1])
        return swept

    def _has_expired(self, owner: str) -> bool:
        with self.reading(owner, deleted=True) as tx:
            asked = (conversations.EXPIRED, conversations.EXPIRED_NOTES)
            return tx.state == "live" and any(tx.first(one, limit=1) is not None for one in asked)

    def _stores(self, store: str | None) -> tuple[str, ...]:
        names = self.copies.store_names
        if store is None:
            return names
        if store not in names:
            raise errors.InvalidArgument(f"There is no such store; there are {', '.join(names)}.")
        return (store,)


def _whole_revisions(rows: Sequence[Row[Any]], size: int) -> Sequence[Row[Any]]:
    """Return at most ``size`` rows that end with a revision: who stops there has seen whole transactions."""
    if len(rows) <= size:
        return rows
    whole = [row for row in rows[:size] if row.revision < rows[size].revision]
    return whole or rows[:size]
