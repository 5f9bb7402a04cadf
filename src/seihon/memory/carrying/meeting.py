"""What the meetings of two lives share: who they are, what fell, and which fields are to be resolved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seihon.canonical.archive import Shape
from seihon.canonical.deletions import is_old_text
from seihon.core.resolve import Position
from seihon.memory.carrying.arrivals import End, Mark
from seihon.memory.carrying.ending import Ending
from seihon.memory.carrying.migrating import Migration, Numbered
from seihon.memory.carrying.resolving import Other


@dataclass(slots=True)
class Sides:
    """The state of a merge. ``died_at``: when this owner was last deleted (us), if it ever was.

    ``ends`` are the conversations of both; ``places`` the fields that either side may move. ``told`` are the
    messages that the file knows as deleted, ``buried`` the words whose deletion is new here, with its time,
    and ``alive`` the messages of such words that stand in the file all the same.
    """

    file: Migration
    ending: Ending
    died_at: int | None = None
    ends: dict[str, End] = field(default_factory=dict[str, End])
    places: dict[tuple[str, str], Other] = field(default_factory=dict[tuple[str, str], Other])
    told: set[str] = field(default_factory=set[str])
    buried: dict[Mark, int] = field(default_factory=dict[Mark, int])
    alive: set[str] = field(default_factory=set[str])

    def is_over(self, recorded_at: int) -> bool:
        """Tell whether a record fell with this owner."""
        closed = self.file.tx.state == "deleted" or self.ending.owner_ended
        return closed or (self.died_at is not None and recorded_at <= self.died_at)

    def hear_grave(self, row: Mapping[str, Any], *, new: bool) -> None:
        """Take note of a deletion of the other life."""
        if row["kind"] != "message":
            return
        self.told.add(row["key"])
        if (
            new
            and not is_old_text(row["key"])
            and row["fingerprint"] is not None
            and row["conversation"] is not None
        ):
            mark = (row["conversation"], row["fingerprint"])
            self.buried[mark] = max(row["at"], self.buried.get(mark, row["at"]))

    def hear(self, name: str, scope: str, floor: Position | None, status: str) -> None:
        """Take note of where the other life's open value stands."""
        known = self.places.get((name, scope), Other())
        self.places[name, scope] = replace(known, floor=floor, status=status)

    def touch(self, name: str, scope: str) -> None:
        """Take note of a claim that the other life brings to a field."""
        self.places[name, scope] = self.places.get((name, scope), Other()).with_claim()

    def of_now(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row as a record of this transaction."""
        revision = self.file.tx.revision
        ended = None if row["deleted_revision"] is None else revision
        return {**row, "created_revision": revision, "revision": revision, "deleted_revision": ended}

    def count_ended(self, one: Numbered) -> None:
        """Count what ended on this side; on the other it may have ended as well."""
        if one.row["deleted_revision"] is None:
            self.file.tally.deleted += 1
        else:
            self.file.tally.present += 1


class Meeting(ABC):
    """One kind of record on both sides."""

    def __init__(self, sides: Sides) -> None:
        self.sides = sides
        self.file = sides.file
        self.tx = sides.file.tx
        self.tally = sides.file.tally

    @abstractmethod
    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        """Bring together records that stand or lie dead on both sides."""

    @abstractmethod
    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        """Take in records that this side never had, unless they fell here."""


def ids(rows: Sequence[Numbered]) -> list[str]:
    """Return the ids of records."""
    return [one.row["id"] for one in rows]
