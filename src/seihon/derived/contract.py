"""What a derived store promises. One file with these methods and one registry line make a store.

Keys name an original: ``message:<id>``, ``note:<id>``, ``conversation:<id>`` and ``owner:``, or a part of one
that a store knows (a range of a conversation). The writing transaction marks them for the stores that follow
their kind, the worker brings them here. A store returns keys and numbers; texts are read from
the original.

The six promises, as they bind a store:

- P1 (corrections win) and P3 (nothing comes back): ``refresh`` reads the original *in the transaction that
  writes the copy*, under the owner's lock, and keeps a copy only if its version is not older than the one
  held. The version of a tombstone is remembered like any other.
- P2 (deletions reach everything): after ``purge`` has returned 0, ``leftovers`` finds nothing of the target,
  neither by its id nor by what the store holds.
- P4 (nobody else's): a store works through an owner's handle and never crosses owners.
- P5 (everything is explained): ``differences`` names each key that disagrees with the original, and how.
- P6 (nothing acknowledged is lost): every method may be run again, or cut off by a crash at any point,
  and the next run ends in the same state; ``repair`` and a rebuild never empty what serves.

Nothing here changes the original: a store, the worker, a comparison and a rebuild write derived tables and
the outbox alone. Maintenance may propose (a difference, a dead letter, a summary); what it proposes becomes
part of the original by a verb alone. The one exception serves a verb that has committed: carrying a deletion
on overwrites the words of rows that it has ended, and removes no row.

A store whose copies are slow to make (a model call) is a ``PreparedStore``: it gathers originals in one
transaction, prepares outside any, and publishes in a second one against the versions that it gathered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from seihon.canonical.scope import Reader, Writer
from seihon.model import TargetKind

RECORDS: Final = frozenset({"message", "note", "conversation", "owner"})
"""The kinds of keys that name a record, or a scope of them that was deleted."""


class DifferenceKind(StrEnum):
    """How a copy disagrees with the original."""

    ORPHAN = "orphan"  # a copy of nothing that stands
    GAP = "gap"  # an original without its copy
    STALE = "stale"  # a copy of another version, or with other contents
    COUNT = "count"  # a statistic that does not add up


@dataclass(frozen=True, slots=True)
class Difference:
    """One key on which a store disagrees with the original."""

    key: str
    kind: DifferenceKind


class Page(NamedTuple):
    """One page of a comparison; ``next`` is the cursor of the following one, ``None`` at the end."""

    differences: tuple[Difference, ...]
    next: str | None
    compared: int


@dataclass(frozen=True, slots=True)
class Target:
    """What a deletion removes.

    ``key`` is the record's id, ``field@scope`` for a field, ``""`` for the owner. ``bound`` is the revision
    of the deletion: what was written after it is not its. ``at`` is its instant in microseconds. Each
    record that goes with it has a tombstone that names ``receipt``, or ended at ``bound``.

    ``progress`` is for the places: how far each came in this run, under its name, so that a batch need not
    look again at what earlier ones took out. It is empty in a new run and after a batch that failed.
    """

    kind: TargetKind
    key: str
    bound: int
    at: int
    receipt: str = ""
    progress: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)


class Place(Protocol):
    """A place that a deletion has to reach: it can be emptied of a target and be read back."""

    @property
    def name(self) -> str:
        """Return the word by which receipts and the outbox know the place."""
        ...

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        """Take out at most about ``limit`` copies of the target; return how many, 0: nothing was left."""
        ...

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Read back: return how many copies, or parts of copies, of the target are still held."""
        ...


@runtime_checkable
class Store(Place, Protocol):
    """A copy that follows the original."""

    @property
    def follows(self) -> frozenset[str]:
        """Return the kinds of keys that the store is told of: what stands before the colon.

        Of `RECORDS` each writing transaction marks its own; a further kind is marked by whoever knows it.
        """
        ...

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        """Bring the copies of these keys in line with the original as it is now, in this transaction.

        Returns the keys that need another pass (a scope too large for one).
        """
        ...

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        """Return keys whose original stands or that are held, in their order after ``after``."""
        ...

    def differences(self, tx: Reader, after: str, limit: int) -> Page:
        """Compare a page of copies with the original; ``after`` is ``""`` or an earlier page's ``next``."""
        ...

    def repair(self, tx: Writer, keys: Sequence[str]) -> None:
        """Make the copies of these keys anew from the original, whatever is held."""
        ...


@runtime_checkable
class PreparedStore(Store, Protocol):
    """A store whose copies are prepared outside any transaction.

    Its ``refresh`` takes out what no longer holds and answers the keys that are to be prepared, and its
    ``repair`` takes out what is false and marks the keys: neither waits for a model, and what is true goes on
    serving.
    """

    @property
    def batch(self) -> int:
        """Return how many keys are leased and prepared together; 1 where a call is slow or may fail."""
        ...

    def gather(self, tx: Reader, keys: Sequence[str]) -> Any:
        """Return what is needed to prepare these keys, with the versions it was read at."""
        ...

    def prepare(self, originals: Any) -> Any:
        """Make the copies; called outside any transaction, may take long and may be done in vain."""
        ...

    def publish(self, tx: Writer, keys: Sequence[str], prepared: Any) -> Sequence[str]:
        """Keep those prepared copies whose original is still in the version they were made from.

        Returns the keys that need another pass.
        """
        ...


@runtime_checkable
class PartialStore(PreparedStore, Protocol):
    """A prepared store of which some of a batch may fail, without the others."""

    def failures(self, prepared: Any) -> Mapping[str, str]:
        """Return the keys that could not be prepared, each with a word of ours for why; they wait."""
        ...
