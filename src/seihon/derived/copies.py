"""The copies as the verbs see them: they follow a write, answer a search, and carry a deletion through."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seihon.canonical import operator, outbox
from seihon.canonical.database import Database
from seihon.canonical.scope import Followers, Reader
from seihon.canonical.summaries import STORE, TAIL, range_key
from seihon.derived import comparing, receipts, registry, vectors
from seihon.derived.comparing import Comparison
from seihon.derived.contract import Store
from seihon.derived.fulltext import Found, search
from seihon.derived.outside import Outside, Webhook
from seihon.derived.receipts import Effort
from seihon.derived.vectors import Asked
from seihon.derived.worker import Round, Worker
from seihon.model import Receipt, Record, us
from seihon.models.embedder import Embedder
from seihon.models.summariser import Summariser

__all__ = ["Comparison", "Copies", "Effort", "Health", "StoreHealth"]

OWNERS_PAGE = 500
RECEIPTS_IN_A_ROUND = 100
MARKED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class StoreHealth(Record):
    """How far one store is behind: keys waiting, of them failing, and the age of the oldest, in seconds."""

    store: str
    waiting: int
    failing: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True)
class Health(Record):
    """``ok`` while nothing fails; ``open_receipts``: deletions that are not verified yet, of which
    ``failed_receipts`` failed in some store; ``worker``: the code of this process's last failed round."""

    ok: bool
    stores: tuple[StoreHealth, ...]
    open_receipts: int
    failed_receipts: int = 0
    worker: str = ""


class Copies:
    """Every derived store of one database, behind a few verbs."""

    def __init__(
        self,
        db: Database,
        new_id: Callable[[str], str],
        *,
        webhooks: Sequence[Webhook] = (),
        summariser: Summariser | None = None,
        embedders: Sequence[Embedder] = (),
    ) -> None:
        self.db = db
        self.stores = registry(summariser=summariser, embedders=embedders)
        self.embedders = tuple(embedders)
        # Whether the database ranks vectors by itself; whoever opens it looks.
        self.ranks_in_server = False
        # Owners that this process wrote to: a role that sees no others can still follow its own writes.
        self._written: dict[str, None] = {}
        self._receipts_after = ""
        self.outside = Outside(db, webhooks, new_token=lambda: new_id("w"))
        # A store that follows nothing here must not settle what another process has marked for it.
        following = tuple(store for store in self.stores if store.follows)
        self.worker = Worker(db, following, new_token=lambda: new_id("w"), tell=self.outside.tell)

    @staticmethod
    def followers(embedders: Sequence[Embedder] = ()) -> Followers:
        """Return the stores that a write marks, with the kinds of keys that each follows."""
        return {store.name: store.follows for store in registry(embedders=embedders) if store.follows}

    @property
    def store_names(self) -> tuple[str, ...]:
        """Return the names of the stores that follow, and can be compared and rebuilt."""
        return tuple(store.name for store in self.worker.stores)

    @property
    def receipt_stores(self) -> tuple[str, ...]:
        """Return every place that a receipt names, in the order in which they are purged."""
        return receipts.places()

    @property
    def level(self) -> str:
        """Return what "verified" reaches on this database."""
        return receipts.level(self.db)

    def drain(self, key: str, *, deletions: Effort | None = Effort.ALL) -> None:
        """Do everything that is due for one owner, ``deletions`` first: receipts count what they took.

        With deletions go the messages to systems outside, last: what Seihon holds itself waits for nobody.
        """
        if deletions is not None:
            self.carry([key], deletions)
        self.worker.drain(key)
        if deletions is not None and self.outside.places:
            self.outside.tell(key)

    def carry(self, keys: Sequence[str], effort: Effort) -> int:
        """Carry the open deletions of these owners on together; return how many are still open."""
        return receipts.advance_owners(self.db, self.stores, keys, effort)

    def wake(self, key: str) -> None:
        """Tell the background worker that something of this owner was written."""
        self._written[key] = None
        self.worker.wake()

    def run(self, stop: threading.Event) -> None:
        """Work until ``stop`` is set."""
        self.worker.run(stop, each=self._round)

    def _round(self) -> Round:
        """Follow what this process wrote, then, if the role may look across owners, what others did."""
        done = Round()
        for key in list(self._written):
            # Taken off before: a write that comes meanwhile puts it on again.
            del self._written[key]
            try:
                self.drain(key, deletions=Effort.DUE)
            except BaseException:
                self._written[key] = None
                raise
            done.owners += 1
        if self.db.operates:
            done += self.worker.run_once()
            self.advance()
        return done

    def advance(self) -> int:
        """Carry on a round of open deletions; return how many of them are still open."""
        left, self._receipts_after = receipts.advance_all(
            self.db, self.stores, limit=RECEIPTS_IN_A_ROUND, after=self._receipts_after
        )
        return left

    def search(
        self,
        tx: Reader,
        query: str,
        *,
        k: int,
        conversation: str | None,
        kind: str | None,
        scopes: Sequence[str] | None,
        asked: Asked | None = None,
    ) -> list[Found]:
        """Return the best live hits in the reader's snapshot; ``asked`` is what `ask` gave before it."""
        narrowed: dict[str, Any] = {"k": k, "conversation": conversation, "kind": kind, "scopes": scopes}
        if not asked:
            return search(tx, query, **narrowed)
        return vectors.search(tx, query, asked, in_server=self.ranks_in_server, **narrowed)

    def ask(self, query: str) -> Asked:
        """Return the vectors of a question; called before any transaction, since a model may take long."""
        return vectors.ask(self.embedders, query)

    def summarise(self, key: str, conversation: str, last: int) -> Sequence[str]:
        """Mark each of the ranges 0 to ``last`` to be summarised, full or not; return their keys."""
        wanted = [range_key(block, conversation, TAIL) for block in range(last + 1)]
        for start in range(0, len(wanted), MARKED_AT_ONCE):
            with self.db.derive(key) as tx:
                outbox.mark(tx, STORE, wanted[start : start + MARKED_AT_ONCE])
        return wanted

    def follow(self, key: str, store: str) -> None:
        """Do everything that is due for one owner in one store."""
        self.worker.follow(key, self._named(store))

    def receipt(self, tx: Reader, receipt: str) -> Receipt | None:
        """Return one receipt as it stands."""
        return receipts.read(tx, receipt)

    def receipts(self, tx: Reader, after: int, after_id: str, limit: int) -> list[Receipt]:
        """Return receipts in the order of their revisions, after a revision and id."""
        return receipts.page(tx, after, after_id, limit)

    def verify_receipt(self, key: str, receipt: str) -> None:
        """Read every place of a receipt back once more; what is found there is taken out again."""
        receipts.verify_again(self.db, self.stores, key, receipt)

    @staticmethod
    def with_waiter(receipt: Receipt, waiter: Callable[[str, float], Receipt]) -> Receipt:
        """Return the receipt with the means to wait for it."""
        return replace(receipt, waiter=waiter)

    def owners(self, tenant: str) -> Iterator[str]:
        """Yield the keys of a tenant's owners, deleted ones too, in order."""
        prefix = tenant + "/"
        after = prefix
        while True:
            with self.db.operator() as tx:
                found = operator.owners(tx, after=after, limit=OWNERS_PAGE)
            yield from (key for key in found if key.startswith(prefix))
            if len(found) < OWNERS_PAGE or not found[-1].startswith(prefix):
                return
            after = found[-1]

    def compare(
        self, key: str, store: str, *, repair: bool, progress: Callable[[int], None] | None
    ) -> Comparison:
        """Compare one store of one owner with the original."""
        return comparing.compare(self.db, self._named(store), key, repair=repair, progress=progress)

    def rebuild(self, key: str, store: str) -> int:
        """Mark every key of one store of one owner to be derived again."""
        return comparing.rebuild(self.db, self._named(store), key)

    def health(self) -> Health:
        """Return how far every store is behind."""
        now = us(self.db.clock())
        with self.db.operator() as tx:
            behind = {one.store: one for one in operator.lag(tx)}
            still_open, failed = operator.receipts(tx)
        stores = tuple(
            StoreHealth(name, one.keys, one.failing, max(0, now - one.oldest) / 1_000_000)
            if (one := behind.get(name))
            else StoreHealth(name, 0, 0, 0.0)
            for name in (*self.store_names, *self.outside.places)
        )
        worker = self.worker.last_error
        ok = not (failed or worker or any(store.failing for store in stores))
        return Health(ok, stores, still_open, failed, worker)

    def _named(self, store: str) -> Store:
        return next(one for one in self.stores if one.name == store)
