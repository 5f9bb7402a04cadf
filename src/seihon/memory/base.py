"""What every group of verbs stands on: the database, the tenant, the schema and the deriving of copies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from seihon import errors
from seihon.canonical import idempotency, tenants
from seihon.canonical.codec import from_json, to_json
from seihon.canonical.database import Database
from seihon.canonical.fingerprints import Secret
from seihon.canonical.scope import Reader, Writer
from seihon.canonical.signing import Signer
from seihon.core.schema import Field, ProfileSchema
from seihon.core.schema_forms import from_json_schema
from seihon.derived.copies import Copies
from seihon.memory import door
from seihon.model import Derive, Locale, OutOfReach

NO_SCHEMA: Final = "No profile schema is registered for this tenant; register one first (`register_schema`)."


UNTIL_REMOVED: Final = "until you remove it"
OTHER_MEMORY: Final = OutOfReach("memory of other running processes", "60 seconds")

ATTEMPTS: Final = 3
CHANGING: Final = "The owner's data changed faster than they could be read; try again."

Found = TypeVar("Found")


def stands(now: Reader, seen: tuple[int, int], *, last: bool) -> bool:
    """Tell whether what was read at an epoch and a revision may be answered ``now``.

    The ``last`` attempt bears newer writes, but never a deletion.
    """
    return now.epoch == seen[0] and (last or now.revision == seen[1])


@dataclass(frozen=True, slots=True)
class Setup:
    """What a ``Memory`` is opened with, beside its database.

    ``signer``: the keys that sign receipts; nothing of them is read before the first signature.
    ``out_of_reach``: places that may hold deleted text and that Seihon does not control, with their
    retention; every receipt names them. ``locale``: the language of shown values.
    """

    tenant: str
    secret: Secret
    signer: Signer
    derive: Derive = Derive.INLINE
    tokenizer: str = "cl100k"
    out_of_reach: tuple[OutOfReach, ...] = ()
    locale: Locale = Locale.EN


@dataclass(slots=True)
class Reads:
    """Counts of field reads by code, kept here and written now and then: a read must not cost a write."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str) -> None:
        """Count one read of a field."""
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1

    def take(self) -> Mapping[str, int]:
        """Return the counts so far and start again."""
        with self.lock:
            taken, self.counts = self.counts, {}
        return taken


class Base:
    """Opens transactions for the verbs. A verb is a transaction; what it calls takes the handle."""

    def __init__(self, db: Database, setup: Setup, copies: Copies, clock: Callable[[], datetime]) -> None:
        self.db = db
        self.setup = setup
        self.copies = copies
        self.clock = clock
        self.reads = Reads()
        self._schemas: dict[int, ProfileSchema] = {}

    def key(self, owner: str) -> str:
        """Return the owner's key: the tenant and the owner's id."""
        return f"{self.setup.tenant}/{door.identifier(owner, 'owner')}"

    @contextmanager
    def reading(self, owner: str, *, deleted: bool = False) -> Generator[Reader]:
        """Open a snapshot of an owner; one that was deleted is refused unless ``deleted``."""
        with self.db.read(self.key(owner)) as tx:
            if not deleted:
                tx.require_live()
            yield tx

    def settled(self, owner: str, read: Callable[[Reader], Found]) -> Found:
        """Return what ``read`` finds in a snapshot of an owner that still stands as it is handed out.

        Reading and ranking take a while. A fresh statement looks again: what was deleted meanwhile is never
        answered, and what was written meanwhile is read too, unless an owner is written to without a pause.

        Raises:
            Busy: there was a deletion during each attempt.
        """
        for attempt in range(1, ATTEMPTS + 1):
            with self.reading(owner) as tx:
                found, seen = read(tx), (tx.epoch, tx.revision)
            with self.reading(owner) as now:
                if stands(now, seen, last=attempt == ATTEMPTS):
                    return found
        raise errors.Busy(CHANGING)

    @contextmanager
    def writing(
        self,
        owner: str,
        *,
        turns: int = 0,
        deletions: int = 0,
        revive: bool = False,
        actor: str = "application",
    ) -> Generator[Writer]:
        """Open a write transaction of an owner; the copies follow after its commit."""
        key, by = self.key(owner), door.identifier(actor, "actor")
        with self.db.write(key, turns=turns, deletions=deletions, revive=revive) as tx:
            tx.actor = by
            yield tx
        self.after_commit(key, deletions=deletions > 0)

    def after_commit(self, key: str, *, deletions: bool = False) -> None:
        """Let the copies follow a write: now, or by waking whoever does it."""
        if deletions:
            # Nothing of it is served any more. Here it goes at once, by the receipt for certain.
            with suppress(errors.SeihonError):
                self.copies.forget(key)
        if self.setup.derive is Derive.INLINE:
            # The write is durable and was acknowledged; what cannot follow now stays in the outbox.
            with suppress(errors.SeihonError):
                self.copies.follow_write(key, deletions=deletions)
        elif self.setup.derive is Derive.BACKGROUND:
            self.copies.wake(key)
        else:
            # A thread of this process may be at work; those elsewhere hear or poll.
            self.copies.worker.wake()

    def out_of_reach(self) -> list[dict[str, str]]:
        """Return the places that a receipt names as it opens: those told, copies that migrations left, and
        caches in other processes."""
        copies = (OutOfReach(name, UNTIL_REMOVED) for name in self.db.backups())
        others = (OTHER_MEMORY,) if self.copies.kept.is_in_process else ()
        places = (*self.setup.out_of_reach, *copies, *others)
        return [{"name": place.name, "retention": place.retention} for place in places]

    def schema_of(self, tx: Reader) -> ProfileSchema:
        """Return the tenant's newest schema.

        Raises:
            SchemaError: none is registered.
        """
        version = tx.schema_version
        row = None
        if version is None:
            # An owner without a row yet: the opening statement had nothing to join the version to.
            row = tx.first(tenants.SCHEMA)
            version = None if row is None else row.version
        if version is None:
            raise errors.SchemaError(NO_SCHEMA)
        if version not in self._schemas:
            found = row or tx.first(tenants.SCHEMA_VERSION, version=version)
            row = errors.certain(found, "schemas are never removed")
            self._schemas[version] = from_json_schema(from_json(row.body))
        return self._schemas[version]

    def fields(self, tx: Reader) -> Mapping[str, Field]:
        """Return the declared fields; none without a schema, which reads and deletions do not need."""
        try:
            return self.schema_of(tx).fields
        except errors.SchemaError:
            return {}

    def schema_version(self, tx: Reader) -> int:
        """Return the version number of the tenant's newest schema."""
        return self.schema_of(tx).version

    def once(
        self,
        tx: Writer,
        key: str | None,
        verb: str,
        request: Sequence[Any],
        act: Callable[[], str],
        *,
        keeps_standing: bool = True,
    ) -> str:
        """Run ``act`` once for an idempotency key and return the record id that it answered.

        A repeated request with the same key answers the first id and changes nothing. ``keeps_standing``:
        the key is kept too when ``act`` found what it was asked for and stored nothing.

        Raises:
            IdempotencyConflict: the key was used with another request.
        """
        if key is None:
            return act()
        digest = self.setup.secret.digest
        hidden = digest(tx.owner, "key", door.identifier(key, "idempotency_key"))
        body = digest(tx.owner, verb, to_json(list(request)))
        earlier = idempotency.find(tx, hidden)
        if earlier is not None:
            if earlier.request != body:
                raise errors.IdempotencyConflict("The idempotency key was used before with another request.")
            if earlier.answer == idempotency.VOID:
                raise errors.Gone("The request was answered in an earlier life of the owner.")
            tx.discard()
            return str(from_json(earlier.answer))
        answer = act()
        if tx.discarded and not keeps_standing:
            return answer
        if tx.discarded:
            # Nothing new was stored, but the key must not be used for anything else.
            tx.discarded = False
            tx.change("request.answered", answer)
        idempotency.keep(tx, hidden, body, to_json(answer))
        return answer
