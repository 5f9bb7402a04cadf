"""Verbs of the journal of deletions: kept outside the database, carried out again on a restored copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any, Final

from seihon import errors
from seihon.canonical import conversations, deletions, profiles
from seihon.canonical import journal as store
from seihon.canonical import transfer as known
from seihon.canonical.database import SKEW_US
from seihon.canonical.scope import Reader
from seihon.memory import door, transcripts
from seihon.memory.base import Base
from seihon.memory.carrying import exports, journal, records
from seihon.memory.carrying.journal import Deletion, Life, Reading
from seihon.memory.carrying.reapplying import REAPPLIED, Again, raise_floor
from seihon.model import Reapplied, us

KEYS_AT_ONCE: Final = 500


class Journal(Base):
    """What a backup cannot know: the deletions since. Ids, times and fingerprints, no text."""

    def export_deletions(
        self, *, owner: str | None = None, since: datetime | int | None = None
    ) -> Iterator[str]:
        """Return the deletions as JSON lines: a header, each owner's in their order, and an end.

        Keep them outside the database and its backups. Each owner is read in a snapshot of its own.

        Args:
            owner: one owner, or all of the tenant.
            since: deletions after an instant, or after a revision of the one owner.

        Raises:
            InvalidArgument: a revision without an owner: each owner counts its own.
        """
        if isinstance(since, int) and owner is None:
            raise errors.InvalidArgument("A revision for `since` needs `owner`: each counts its own.")
        moment = None if isinstance(since, int) else door.moment(since, "since")
        revision = door.whole(since, "since") if isinstance(since, int) else None
        keys = [self.key(owner)] if owner is not None else self.copies.owners(self.setup.tenant)
        told = self._told(iter(keys), revision=revision, moment=moment)
        head = journal.header(us(self.clock()), self.setup.tenant, self.setup.secret.id)
        return chain([head], exports.whole(told))

    def apply_deletions(
        self, lines: transcripts.Lines, *, progress: Callable[[int], None] | None = None
    ) -> Reapplied:
        """Carry out the deletions of a journal that this database does not have: on a restored older copy.

        Each is a deletion like any other, under the receipt that it had: hidden at its commit, then erased
        and read back. What was deleted there and never was here leaves its tombstone, so that nothing can be
        written under its id; floors of fields are raised to where they stood. Done twice, nothing changes.

        Run it before anybody writes. What was written since the copy is lost with it, and so is a correction;
        ``corrections`` names the messages whose old text stands here.

        Args:
            progress: called with how many deletions were looked at since the last call.

        Raises:
            BadFormat: the file is no journal, or was cut off; the owners before the cut are done.
            Conflict: the journal is another tenant's.
        """
        numbered = transcripts.items(lines)
        first = next(numbered, None)
        tenant = journal.read_tenant(None if first is None else first[1])
        if tenant != self.setup.tenant:
            raise errors.Conflict("The journal is another tenant's; open the memory of that tenant.")
        reading = Reading(us(self.clock()) + SKEW_US)
        done = Reapplied()
        for life in reading.lives(records.read_entries(numbered)):
            done += self._reapply(life)
            if progress is not None:
                progress(len(life.deletions))
        return done.with_bad(tuple(reading.bad))

    def _told(
        self, keys: Iterator[str], *, revision: int | None, moment: int | None
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for key in keys:
            with self.db.read(key) as tx:
                since = _revision_at(tx, moment) if revision is None else revision
                yield from journal.of_owner(tx, key.partition("/")[2], since)

    def _reapply(self, life: Life) -> Reapplied:
        key = self.key(life.owner)
        with self.db.read(key) as tx:
            missing = [(one, left) for one in life.deletions if (left := _missing(tx, one))]
            behind = bool(missing) and (tx.revision < life.revision or tx.epoch < life.epoch)
            corrections = _lost(tx, life.edited)
        if behind:
            with self.db.write(key, revive=True) as tx:
                tx.change("owner.restored", "", REAPPLIED)
                store.catch_up(tx, revision=life.revision, epoch=life.epoch)
        receipts = [self._again(key, one, left) for one, left in missing]
        reopened = self._reopen_as_there(key, life)
        moved = self._raise_floors(key, life)
        if receipts or moved or reopened:
            self.after_commit(key, deletions=True)
        return Reapplied(
            owners=1,
            applied=len(receipts),
            present=len(life.deletions) - len(receipts),
            reopened=int(reopened),
            receipts=tuple((life.owner, receipt) for receipt in receipts),
            corrections=tuple((life.owner, message) for message in corrections),
        )

    def _again(self, key: str, deletion: Deletion, graves: list[dict[str, Any]]) -> str:
        with self.db.write(key, revive=True) as tx:
            is_held = not deletion.receipt or bool(store.deletions(tx, [deletion.receipt]))
            receipt = tx.new_id("r") if is_held else deletion.receipt
            Again(self, tx, self.fields(tx), deletion, receipt).carry_out(graves)
        return receipt

    def _reopen_as_there(self, key: str, life: Life) -> bool:
        """Begin the new life that began there after the owner was deleted, unless it ended again here."""
        if life.state != "live" or life.died_at is None:
            return False
        with self.db.write(key, revive=True, deletions=1) as tx:
            grave = tx.first(conversations.TOMBSTONE, kind="owner", key="")
            is_newer = grave is not None and grave.at > life.died_at
            if tx.state != "deleted" or is_newer or tx.run(deletions.REOPEN_OWNER) is None:
                tx.discard()
                return False
            tx.change("owner.reopened", "", REAPPLIED)
        return True

    def _raise_floors(self, key: str, life: Life) -> bool:
        if not life.floors or life.state != "live":
            return False
        with self.db.write(key, revive=True) as tx:
            if tx.state != "live":
                tx.discard()
                return False
            fields = self.fields(tx)
            moved = [raise_floor(tx, fields, floor) for floor in life.floors]
            if not any(moved):
                tx.discard()
        return any(moved)


def _revision_at(tx: Reader, moment: int | None) -> int:
    """Return the revision that stood at an instant; -1: from the beginning."""
    row = None if moment is None else tx.first(profiles.REVISION_AT, at=moment)
    return -1 if row is None else row.revision


def _missing(tx: Reader, deletion: Deletion) -> list[dict[str, Any]]:
    """Return the tombstones of a deletion that are not here, nor later ones in their place."""
    held: dict[tuple[str, str], int] = {}
    for kind in sorted({one["kind"] for one in deletion.graves}):
        keys = [one["key"] for one in deletion.graves if one["kind"] == kind]
        for begin in range(0, len(keys), KEYS_AT_ONCE):
            rows = tx.all(known.GRAVE_TIMES, kind=kind, keys=keys[begin : begin + KEYS_AT_ONCE])
            held.update({(kind, row.key): row.at for row in rows})
    return [one for one in deletion.graves if held.get((one["kind"], one["key"]), one["at"] - 1) < one["at"]]


def _lost(tx: Reader, edited: Mapping[str, int]) -> list[str]:
    """Return the messages that stand here with a text that was corrected there."""
    ids = sorted(edited)
    found: list[str] = []
    for begin in range(0, len(ids), KEYS_AT_ONCE):
        rows = tx.all(known.MESSAGE_FATES, ids=ids[begin : begin + KEYS_AT_ONCE])
        found += [row.id for row in rows if row.ended is None and row.version <= edited[row.id]]
    return found
