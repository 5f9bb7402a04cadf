"""The copies as the verbs see them: they follow a write, answer a search, and carry a deletion through."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from seihon.canonical import operator, outbox
from seihon.canonical.database import Database
from seihon.canonical.listening import Listener
from seihon.canonical.scope import Followers, Reader
from seihon.canonical.summaries import STORE, TAIL, range_key
from seihon.derived import comparing, receipts, registry, vectors
from seihon.derived import health as lagging
from seihon.derived.cache import Kept
from seihon.derived.cache.carrying import epoch_of
from seihon.derived.comparing import Comparison
from seihon.derived.contract import Store
from seihon.derived.fulltext import Found, search
from seihon.derived.health import FailedKey, Health, StoreHealth
from seihon.derived.outside import Outside, Webhook
from seihon.derived.pace import IN_A_CALL, IN_A_ROUND, REST, SMALL_BATCH, Effort, Pace
from seihon.derived.vectors import Asked
from seihon.derived.vectors.embedding import set_name
from seihon.derived.worker import Round, Worker
from seihon.model import Receipt
from seihon.models.embedder import Embedder
from seihon.models.summariser import Summariser

__all__ = ["Comparison", "Copies", "Effort", "FailedKey", "Health", "Pace", "StoreHealth"]

OWNERS_PAGE = 500
RECEIPTS_IN_A_ROUND = 100
MARKED_AT_ONCE = 500
MOST_REMEMBERED = 1000
LISTENER_ENDS_S = 5.0


class Advanced(NamedTuple):
    """How many deletions of a round are still open, and whether one of them could go on at once."""

    open: int
    cut: bool


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
        kept: Kept | None = None,
    ) -> None:
        self.db = db
        self.kept = kept or Kept()
        self.models = tuple(one for one in (summariser and summariser.name, *map(set_name, embedders)) if one)
        self.stores = registry(summariser=summariser, embedders=embedders)
        self.embedders = tuple(embedders)
        # Whether the database ranks vectors by itself; whoever opens it looks.
        self.ranks_in_server = False
        # Owners that this process wrote to: a role that sees no others can still follow its own writes.
        self._written: dict[str, None] = {}
        self._receipts_after = ""
        # How far deletions came in this process that had their share of a go.
        self._came: dict[str, dict[str, Any]] = {}
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
        return receipts.places(self.kept)

    @property
    def level(self) -> str:
        """Return what "verified" reaches on this database."""
        return receipts.level(self.db)

    def drain(self, key: str, *, pace: Pace | None = None) -> None:
        """Do everything that is due for one owner, deletions first: receipts count what they took.

        With deletions go the messages to systems outside, last: what Seihon holds itself waits for nobody.
        """
        pace = pace or self.pace(Effort.ALL)
        self.carry([key], pace)
        if pace.cut:
            return
        self.worker.drain(key)
        if self.outside.places:
            self.outside.tell(key)

    def follow_write(self, key: str, *, deletions: bool) -> None:
        """Do in the call that wrote what does not take long; what is large waits for whoever comes next."""
        pace = self.pace(Effort.QUICK, share=IN_A_CALL, batch=SMALL_BATCH)
        if deletions:
            self.carry([key], pace)
        if not pace.cut:
            self.worker.drain(key, passes=IN_A_CALL)
        if deletions and self.outside.places:
            self.outside.tell(key)

    def pace(self, effort: Effort, **how: Any) -> Pace:
        """Return how deletions are carried on in one go of this process."""
        if len(self._came) > MOST_REMEMBERED:
            self._came.clear()
        return Pace(effort, came=self._came, **how)

    def carry(self, keys: Sequence[str], pace: Pace) -> int:
        """Carry the open deletions of these owners on together; return how many are still open."""
        return receipts.advance_owners(self.db, self.stores, keys, pace, kept=self.kept)

    def wake(self, key: str) -> None:
        """Tell the background worker that something of this owner was written."""
        self._written[key] = None
        self.worker.wake()

    def run(self, stop: threading.Event) -> None:
        """Work until ``stop`` is set; on PostgreSQL it is woken by what others write."""
        listener = self._listening(stop)
        try:
            self.worker.run(stop, each=lambda: self._round(stop))
        finally:
            if listener is not None:
                listener.join(timeout=LISTENER_ENDS_S)

    def _listening(self, stop: threading.Event) -> threading.Thread | None:
        if self.db.dialect != "postgresql" or not self.db.operates:
            return None
        ear = Listener(self.db.url, self.worker.wake)
        thread = threading.Thread(target=ear.run, args=(stop,), name="seihon-listener", daemon=True)
        thread.start()
        return thread

    def _round(self, stop: threading.Event) -> Round:
        """Follow what this process wrote, then, if the role may look across owners, what others did."""
        done = Round()
        for key in list(self._written):
            if not stop.is_set():
                done += self._follow_own(key, stop)
        if self.db.operates:
            done += self.worker.run_once()
            done.more |= self.advance(stop).cut
        return done

    def _follow_own(self, key: str, stop: threading.Event) -> Round:
        """Give an owner that this process wrote to its turn; it stays on the list while there is more."""
        # Taken off before: a write that comes meanwhile puts it on again.
        self._written.pop(key, None)
        try:
            pace = self._turn(stop)
            self.carry([key], pace)
            done = self.worker.turn(key)
        except BaseException:
            self._written[key] = None
            raise
        if done.more or pace.cut:
            self._written[key] = None
        return done

    def _turn(self, stop: threading.Event | None) -> Pace:
        return self.pace(Effort.DUE, share=IN_A_ROUND, rest=REST, stop=stop)

    def advance(self, stop: threading.Event | None = None) -> Advanced:
        """Give each of the next open deletions its turn; return how many of them are still open."""
        pace = self._turn(stop)
        left, self._receipts_after = receipts.advance_all(
            self.db,
            self.stores,
            pace,
            limit=RECEIPTS_IN_A_ROUND,
            after=self._receipts_after,
            kept=self.kept,
        )
        return Advanced(left, pace.cut)

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

    def ask(self, key: str, query: str) -> Asked:
        """Return the vectors of a question; called before any transaction, since a model may take long."""
        return vectors.ask_kept(self.db, self.kept, self.embedders, key, query)

    def forget(self, key: str) -> None:
        """Take out of the cache what an owner holds there: a deletion was committed, or copies may change
        without a write."""
        if self.kept.is_on:
            self.kept.forget(key, epoch=epoch_of(self.db, key))

    def summarise(self, key: str, conversation: str, last: int) -> Sequence[str]:
        """Mark each of the ranges 0 to ``last`` to be summarised, full or not; return their keys."""
        wanted = [range_key(block, conversation, TAIL) for block in range(last + 1)]
        for start in range(0, len(wanted), MARKED_AT_ONCE):
            with self.db.derive(key) as tx:
                outbox.mark(tx, STORE, wanted[start : start + MARKED_AT_ONCE])
        self.forget(key)
        return wanted

    def follow(self, key: str, store: str, *, told: Callable[[int], None] | None = None) -> None:
        """Do all that is due for one owner in one store; ``told``: how many keys each batch settled."""
        self.worker.follow(key, self._named(store), told=told)

    def receipt(self, tx: Reader, receipt: str) -> Receipt | None:
        """Return one receipt as it stands."""
        return receipts.read(tx, receipt)

    def receipts(self, tx: Reader, after: int, after_id: str, limit: int) -> list[Receipt]:
        """Return receipts in the order of their revisions, after a revision and id."""
        return receipts.page(tx, after, after_id, limit)

    def verify_receipt(self, key: str, receipt: str) -> None:
        """Read every place of a receipt back once more; what is found there is taken out again."""
        receipts.verify_again(self.db, self.stores, key, receipt, kept=self.kept)

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
        found = comparing.compare(self.db, self._named(store), key, repair=repair, progress=progress)
        if repair:
            self.forget(key)
        return found

    def rebuild(self, key: str, store: str, *, progress: Callable[[int], None] | None = None) -> int:
        """Mark every key of one store of one owner to be derived again."""
        marked = comparing.rebuild(self.db, self._named(store), key, progress=progress)
        self.forget(key)
        return marked

    def health(self) -> Health:
        """Return how far every store is behind."""
        names = (*self.store_names, *self.outside.places)
        return lagging.health(self.db, self.worker, names, self.kept)

    def failures(self, tenant: str, key: str | None, store: str, limit: int) -> list[FailedKey]:
        """Return the keys that failed of one owner or all of a tenant; ``""`` stands for every store."""
        if key is not None:
            with self.db.read(key) as tx:
                found = outbox.failures(tx, store, limit=limit)
        else:
            # What follows a slash in the order of characters is a zero.
            with self.db.operator() as tx:
                found = operator.failures(
                    tx, after=tenant + "/", before=tenant + "0", store=store, limit=limit
                )
        return [lagging.failed_key(one) for one in found]

    def failing_owners(self, tenant: str, store: str) -> Iterator[str]:
        """Yield the keys of a tenant's owners with keys that failed."""
        after, before = tenant + "/", tenant + "0"
        while True:
            with self.db.operator() as tx:
                found = operator.failing_owners(
                    tx, after=after, before=before, store=store, limit=OWNERS_PAGE
                )
            yield from found
            if len(found) < OWNERS_PAGE:
                return
            after = found[-1]

    def retry(self, key: str, store: str) -> int:
        """Let what failed of one owner be due at once; return how many keys."""
        with self.db.derive(key) as tx:
            count = outbox.retry(tx, store)
        self.forget(key)
        return count

    def _named(self, store: str) -> Store:
        return next(one for one in self.stores if one.name == store)
