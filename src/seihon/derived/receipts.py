"""How a deletion gets from its commit to ``verified``: place by place, batch by batch, and read back.

Places are emptied in their recorded order, the cache and the files last. A place is ``verified`` when, after
an empty batch, a fresh snapshot finds nothing of the target in it; the receipt when every place is. Each step
is a transaction of its own that can be cut off and done again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from seihon import errors
from seihon.canonical import operator, purge
from seihon.canonical import receipts as records
from seihon.canonical.database import Database
from seihon.canonical.faults import reach
from seihon.canonical.receipts import page, read
from seihon.derived import registry
from seihon.derived.cache import Kept
from seihon.derived.cache.carrying import Emptied, empty
from seihon.derived.cache.kept import PLACES as CACHES
from seihon.derived.contract import Place, Store, Target
from seihon.derived.failures import DATABASE_ITSELF, code_of
from seihon.derived.pace import Effort, Pace, TurnOver
from seihon.derived.places import all_places
from seihon.model import Receipt, StoreReceipt, StoreState, us

__all__ = [
    "Effort",
    "Pace",
    "advance",
    "advance_all",
    "advance_owners",
    "level",
    "page",
    "places",
    "read",
    "verify_again",
]

FILES: Final = "files"
LAST: Final = CACHES | {FILES}
"""Places that are emptied for all receipts of a pass at once."""

NO_CACHE: Final = Kept()
LONGEST_WAIT_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Job:
    """One open receipt of an owner."""

    owner: str
    receipt: str


class Standing(Enum):
    """How a receipt stands once its places were looked at."""

    OPEN = auto()  # some place holds something still
    RESTING = auto()  # cache and files are all that is left, and they wait for their time
    READY = auto()  # cache and files are all that is left
    DONE = auto()


@dataclass(frozen=True, slots=True)
class Found:
    """A receipt once its places were looked at: how it stands, and which of the last places are undone."""

    standing: Standing
    last: frozenset[str] = frozenset()


def places(kept: Kept = NO_CACHE) -> tuple[str, ...]:
    """Return every place that a receipt names, in the order in which they are purged."""
    return (*(place.name for place in all_places(registry())), *kept.places, FILES)


def level(db: Database) -> str:
    """Return what ``verified`` reaches on this database."""
    return purge.level(db)


def advance(
    db: Database, stores: Sequence[Store], owner: str, receipt: str, *, kept: Kept = NO_CACHE
) -> StoreState:
    """Carry one deletion as far as it goes; return how it stands.

    Raises:
        NotFound: the owner has no such receipt.
    """
    _carry(db, stores, [Job(owner, receipt)], Pace(Effort.ALL), kept)
    return _required(db, owner, receipt).state


def advance_owners(
    db: Database,
    stores: Sequence[Store],
    owners: Sequence[str],
    pace: Pace,
    *,
    limit: int = 100,
    kept: Kept = NO_CACHE,
) -> int:
    """Carry at most ``limit`` open deletions of each owner on, one purge of the files for all.

    Returns how many of them stay open.
    """
    jobs: list[Job] = []
    for owner in owners:
        with db.read(owner) as tx:
            jobs += [Job(owner, receipt) for receipt in records.still_open(tx, limit)]
    return _carry(db, stores, jobs, pace, kept)


def advance_all(
    db: Database,
    stores: Sequence[Store],
    pace: Pace | None = None,
    *,
    limit: int,
    after: str = "",
    kept: Kept = NO_CACHE,
) -> tuple[int, str]:
    """Carry open deletions of all owners on, one purge of the files for all.

    Returns how many of them stay open, and the ``after`` of the next call: owners take turns, so that one
    whose deletions fail holds up no other.
    """
    with db.operator() as tx:
        found = operator.open_receipts(tx, after=after, limit=limit)
    left = _carry(db, stores, [Job(*one) for one in found], pace or Pace(Effort.DUE), kept)
    return left, found[-1][0] if len(found) == limit else ""


def verify_again(
    db: Database, stores: Sequence[Store], owner: str, receipt: str, *, kept: Kept = NO_CACHE
) -> StoreState:
    """Read every place of a verified receipt back once more; what is found there is taken out again.

    What the cache holds by now was made after the deletion, and is dropped only with what else is found.
    """
    found = _required(db, owner, receipt)
    if found.state is not StoreState.VERIFIED:
        return found.state
    target = target_of(found)
    with db.read(owner) as tx:
        held = [place for place in all_places(stores) if place.leftovers(tx, target)]
    if not held:
        return found.state
    with db.derive(owner) as tx:
        for place in held:
            records.judge(tx, receipt, place.name, StoreState.FAILED, error="leftovers")
        for name in (one.store for one in found.stores if one.store in LAST):
            records.judge(tx, receipt, name, StoreState.PENDING)
        records.reopen(tx, receipt)
    return advance(db, stores, owner, receipt, kept=kept)


def _carry(db: Database, stores: Sequence[Store], jobs: Sequence[Job], pace: Pace, kept: Kept) -> int:
    """Empty and read back the places of each receipt, then the last ones once; return how many stay open."""
    found = {job: _clear(db, stores, job, pace) for job in jobs}
    unfinished = [job for job in jobs if found[job].standing is not Standing.DONE]
    if all(one.standing is not Standing.READY for one in found.values()):
        return len(unfinished)
    if pace.effort is Effort.QUICK and not (purge.is_quick(db) and kept.is_quick()):
        return len(unfinished)
    # One that rests would have had nothing else done for it.
    cleared = [job for job in unfinished if found[job].standing is not Standing.OPEN]
    reach("receipt.before_cache")
    emptied = empty(db, kept, [job.owner for job in cleared])
    reach("receipt.before_files")
    purged = purge.purge(db)
    reach("receipt.after_files")
    return len(unfinished) - sum(_finish(db, job, found[job].last, emptied, purged) for job in cleared)


def _clear(db: Database, stores: Sequence[Store], job: Job, pace: Pace) -> Found:
    """Empty every place of one receipt but the last; each was read back, unless it stays open."""
    found = _required(db, job.owner, job.receipt)
    if found.state is StoreState.VERIFIED:
        pace.came.pop(job.receipt, None)
        return Found(Standing.DONE)
    undone = {one.store for one in found.stores if one.state is not StoreState.VERIFIED}
    now = None if pace.effort is Effort.ALL else us(db.clock())
    waiting = {one.store for one in found.stores if now is not None and _waits(one, now)}
    due = [place for place in all_places(stores) if place.name in undone - waiting]
    target = target_of(found, progress=pace.came.pop(job.receipt, {}))
    try:
        failed = _empty(db, job, target, due, pace)
    except TurnOver:
        pace.came[job.receipt] = target.progress
        return Found(Standing.OPEN)
    if failed or undone & waiting - LAST:
        return Found(Standing.OPEN)
    last = frozenset(undone & LAST)
    return Found(Standing.RESTING if last and last <= waiting else Standing.READY, last)


def _empty(db: Database, job: Job, target: Target, due: Sequence[Place], pace: Pace) -> dict[str, str]:
    """Purge places and read them back; return the codes of those that failed."""
    if not due:
        return {}
    failed = _purge(db, job, target, due, pace)
    reach("receipt.before_read_back")
    failed.update(_read_back(db, job.owner, target, [one for one in due if one.name not in failed]))
    reach("receipt.after_read_back")
    with db.derive(job.owner) as tx:
        for place in due:
            code = failed.get(place.name, "")
            state = StoreState.FAILED if code else StoreState.VERIFIED
            records.judge(tx, job.receipt, place.name, state, error=code)
        records.set_state(tx, job.receipt, StoreState.FAILED if failed else StoreState.PENDING)
    return failed


def _purge(db: Database, job: Job, target: Target, due: Sequence[Place], pace: Pace) -> dict[str, str]:
    """Take batches out of all places until each had an empty one; return the codes of those that failed.

    Raises:
        TurnOver: the deletion had its share of this go; what it took out stays out.
    """
    failed: dict[str, str] = {}
    rest, batches = list(due), 0
    while rest:
        pace.require_turn(batches)
        batches += 1
        try:
            rest = _batch(db, job, target, rest, pace)
        except DATABASE_ITSELF:
            raise
        except Exception as error:  # noqa: BLE001 - a store may fail in any way; the others go on
            # What the places went over in this batch was rolled back with it.
            target.progress.clear()
            if len(rest) == 1:
                failed[rest[0].name] = code_of(error)
                break
            for place in rest:
                failed.update(_purge(db, job, target, [place], pace))
            break
    return failed


def _batch(db: Database, job: Job, target: Target, due: Sequence[Place], pace: Pace) -> list[Place]:
    """Take one batch out of each place, in order; return those that may hold more."""
    reach("receipt.before_batch")
    began = time.perf_counter()
    with db.derive(job.owner) as tx:
        removed = {place.name: place.purge(tx, target, pace.batch) for place in due}
        for name, count in removed.items():
            if count:
                records.add_removed(tx, job.receipt, name, count)
        reach("receipt.before_batch_commit")
    reach("receipt.after_batch")
    pace.after_batch(sum(removed.values()), time.perf_counter() - began)
    return [place for place in due if removed[place.name]]


def _read_back(db: Database, owner: str, target: Target, due: Sequence[Place]) -> dict[str, str]:
    found: dict[str, str] = {}
    for place in due:
        try:
            with db.read(owner) as tx:
                if place.leftovers(tx, target):
                    found[place.name] = "leftovers"
        except DATABASE_ITSELF:
            raise
        except Exception as error:  # noqa: BLE001 - what cannot be read back is not verified
            found[place.name] = code_of(error)
    return found


def _finish(db: Database, job: Job, last: frozenset[str], emptied: Emptied, purged: purge.Purged) -> bool:
    """Note what became of the last places and close the receipt; ``False``: it stays open."""
    codes = {place: emptied.code(place, job.owner) for place in sorted(last & CACHES)}
    reach("receipt.before_verified")
    with db.derive(job.owner) as tx:
        for place, code in codes.items():
            state = StoreState.FAILED if code else StoreState.VERIFIED
            records.judge(tx, job.receipt, place, state, error=code)
        if any(codes.values()):
            records.set_state(tx, job.receipt, StoreState.FAILED)
        state = StoreState.PENDING if purged.error else StoreState.VERIFIED
        records.judge(tx, job.receipt, FILES, state, error=purged.error)
        steps = (*purged.steps, *emptied.steps)
        done = records.verify(tx, job.receipt, level=purge.level(db), purge=steps)
    reach("receipt.after_verified")
    return done


def target_of(found: Receipt, *, progress: dict[str, Any] | None = None) -> Target:
    """Return what a receipt's deletion removes, as places are told."""
    came = {} if progress is None else progress
    return Target(found.kind, found.key, found.revision, us(found.opened_at), found.id, came)


def _waits(store: StoreReceipt, now: int) -> bool:
    """Tell whether a place that could not be finished is left alone for now: longer after each attempt."""
    if store.state is StoreState.VERIFIED or not store.error:
        return False
    wait = min(LONGEST_WAIT_S, 0.5 * 2.0 ** min(store.attempts, 20))
    return us(store.updated_at) + int(wait * 1_000_000) > now


def _required(db: Database, owner: str, receipt: str) -> Receipt:
    with db.read(owner) as tx:
        found = records.read(tx, receipt)
    if found is None:
        raise errors.NotFound("No such receipt of this owner.", kind="receipt", id=receipt)
    return found
