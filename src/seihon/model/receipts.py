"""The record of a deletion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from seihon.model.originals import BadLine
from seihon.model.outside import OutsideReceipt, OutsideState
from seihon.model.records import Record, plain
from seihon.model.words import StoreState, TargetKind


@dataclass(frozen=True, slots=True)
class StoreReceipt(Record):
    """How far a deletion is in one store; ``removed`` counts what was taken out of it."""

    store: str
    state: StoreState
    attempts: int
    removed: int
    updated_at: datetime
    error: str = ""


@dataclass(frozen=True, slots=True)
class OutOfReach(Record):
    """A place that Seihon does not control and that may hold what was deleted, with its retention."""

    name: str
    retention: str


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """One deletion as it stands: per store, what the physical purge did, and what is out of reach.

    ``state`` is that of the places that Seihon controls; ``outside`` holds the systems that were told of the
    deletion, whose word nobody can check.
    """

    id: str
    kind: TargetKind
    key: str
    state: StoreState
    level: str
    actor: str
    reason: str
    revision: int
    epoch: int
    opened_at: datetime
    verified_at: datetime | None
    counts: Mapping[str, int]
    records: tuple[str, ...]
    stores: tuple[StoreReceipt, ...]
    purge: tuple[str, ...]
    out_of_reach: tuple[OutOfReach, ...]
    outside: tuple[OutsideReceipt, ...] = ()
    waiter: Callable[[str, float], Receipt] | None = field(default=None, repr=False, compare=False)

    def wait(self, timeout: float = 60.0) -> Receipt:
        """Return the receipt once it is verified; systems outside that are due are told once, not waited for.

        Raises:
            Incomplete: it was not within ``timeout`` seconds; details name the stores that are open.
        """
        told = all(one.state in (OutsideState.SENT, OutsideState.ACKNOWLEDGED) for one in self.outside)
        if self.waiter is None or (self.state is StoreState.VERIFIED and told):
            return self
        return self.waiter(self.id, timeout)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        found = {name: getattr(self, name) for name in self.__slots__ if name != "waiter"}
        found["stores"] = [store.as_dict() for store in self.stores]
        found["out_of_reach"] = [place.as_dict() for place in self.out_of_reach]
        found["outside"] = [system.as_dict() for system in self.outside]
        return plain(found)


@dataclass(frozen=True, slots=True)
class Reapplied(Record):
    """What a journal of deletions changed here.

    ``applied`` deletions were carried out, under ``receipts`` (owner, receipt); ``present`` ones were here
    already. ``reopened``: owners whose new life began there as well. ``corrections`` (owner, message):
    messages that stand here with a text that was corrected after the copy was made. ``bad`` lines could not
    be read.
    """

    owners: int = 0
    applied: int = 0
    present: int = 0
    reopened: int = 0
    receipts: tuple[tuple[str, str], ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    bad: tuple[BadLine, ...] = ()

    def __add__(self, other: Reapplied) -> Reapplied:
        """Return both together."""
        return Reapplied(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    def with_bad(self, bad: tuple[BadLine, ...]) -> Reapplied:
        """Return it with the lines that could not be read."""
        return replace(self, bad=self.bad + bad)
