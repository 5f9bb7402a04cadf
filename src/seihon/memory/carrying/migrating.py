"""A migration on its way in, record by record in one transaction: it comes in whole or not at all.

What both ways in share: each line is checked, stands in its place in the order of the file, is new, and
refers to what is there. ``restoring`` fills an owner that has nothing; ``merging`` meets one that does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from seihon import errors
from seihon.canonical import archive, outside
from seihon.canonical import transfer as store
from seihon.canonical.archive import OWNER_SHAPE, REFERENCES, SHAPE_OF, SHAPES, Shape
from seihon.canonical.database import SKEW_US
from seihon.canonical.scope import Writer
from seihon.core.schema import Field
from seihon.memory.base import Base
from seihon.memory.carrying.arrivals import Tally
from seihon.memory.carrying.records import Bounds, Entry, Header, checked
from seihon.model import BadLine

_PLACE: Final = {shape.record: place for place, shape in enumerate(SHAPES, start=1)} | {"owner": 0}
# A fingerprint keeps the name of its secret; one that was made for another owner matches nothing here, so
# it loses the name and an import that would rely on it is refused.
_OF_ANOTHER_OWNER: Final = "moved"


@dataclass(frozen=True, slots=True)
class Numbered:
    """A checked record with its line's number."""

    number: int
    row: dict[str, Any]


class Migration(ABC):
    """One file on its way into one owner. ``take`` its entries in order, then ``finish``."""

    def __init__(
        self, memory: Base, tx: Writer, header: Header, tally: Tally, fields: Mapping[str, Field]
    ) -> None:
        self.memory = memory
        self.tx = tx
        self.tally = tally
        self.fields = fields
        self.moved = f"{header.tenant}/{header.owner}" != tx.owner
        self.own: dict[str, Any] | None = None
        self.dropped: set[tuple[str, str]] = set()
        self._bounds = Bounds(header.revision, tx.now + SKEW_US)
        self._place = -1
        self._unknown: set[str] = set()

    @abstractmethod
    def begin(self, own: Mapping[str, Any]) -> None:
        """Take note of the owner's own record, which comes first."""

    @abstractmethod
    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        """Take note of records that this owner has already."""

    @abstractmethod
    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        """Store records that are new here."""

    @abstractmethod
    def end(self) -> None:
        """Do what can only be done once every record is there."""

    def take(self, entries: Sequence[Entry | BadLine]) -> None:
        """Take a stretch of the file."""
        for record, run in groupby(entries, key=lambda one: one.record if isinstance(one, Entry) else ""):
            found = list(run)
            if record == OWNER_SHAPE.record:
                self._take_owner([one for one in found if isinstance(one, Entry)])
            elif record in SHAPE_OF:
                self._take(SHAPE_OF[record], [one for one in found if isinstance(one, Entry)])
            else:
                self.tally.bad += [_unknown(one) for one in found]

    def finish(self) -> None:
        """Store what is left to store.

        Raises:
            BadFormat: the file holds no record of its owner.
        """
        self._required()
        self.end()

    def fingerprint(self, row: Mapping[str, Any]) -> str:
        """Return the fingerprint of a live message, made here: nothing that a file says is relied on."""
        return self.memory.setup.secret.of_message(
            self.tx.owner, row["conversation"], row["role"], row["content"]
        )

    def foreign(self, fingerprint: str | None) -> str | None:
        """Return the fingerprint of what was deleted, disowned if it was made for another owner."""
        if fingerprint is None or not self.moved:
            return fingerprint
        return f"{_OF_ANOTHER_OWNER}:{fingerprint.partition(':')[2]}"

    def refuse(self, one: Numbered, told: str) -> None:
        """Report a record that cannot be stored."""
        self.tally.bad.append(BadLine(one.number, errors.InvalidArgument.code, told))

    def contest(self, one: Numbered) -> None:
        """Report a record that both lives changed, each in its way and equally often: nobody decides here."""
        told = "Both lives changed this record to the same version; the one here was kept."
        self.tally.bad.append(BadLine(one.number, errors.VersionConflict.code, told))

    def drop(self, shape: Shape, one: Numbered) -> None:
        """Keep out a record that was deleted, and with it whatever refers to it."""
        self.tally.deleted += 1
        if len(shape.key) == 1:
            self.dropped.add((shape.record, one.row[shape.key[0]]))

    def leave(self, shape: Shape, one: Numbered) -> None:
        """Keep out what refers to a record that was kept out."""
        self.drop(shape, one)

    def store(self, shape: Shape, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows and count them."""
        self.tx.add(shape.add, [archive.stored(self.tx, shape, row) for row in rows])
        if shape.record == "receipt_store":
            outside.resume(self.tx, rows)
        self.tally.added += len(rows)

    def graves(self, kind: str, keys: Sequence[str]) -> set[str]:
        """Return which of these keys a tombstone stands for."""
        return (
            {row.key for row in self.tx.all(store.GRAVES, kinds=[kind], keys=list(keys))} if keys else set()
        )

    def note_unknown_field(self, one: Numbered) -> None:
        """Warn at the first claim about each field that the schema here does not have; nothing is lost."""
        name = one.row["field"]
        if name not in self.fields and name not in self._unknown:
            self._unknown.add(name)
            told = (
                "The schema here has no field of this name. What is known of it was kept, and can be read "
                "once a schema declares it."
            )
            self.tally.warnings.append(BadLine(one.number, errors.UnknownField.code, told))

    def _required(self) -> Mapping[str, Any]:
        if self.own is None:
            raise errors.BadFormat("A migration holds the record of its owner before any other.")
        return self.own

    def _take_owner(self, entries: Sequence[Entry]) -> None:
        for one in self._checked(OWNER_SHAPE, entries):
            if self.own is not None:
                self.refuse(one, "A migration holds one record of its owner.")
                continue
            self.own = one.row
            self.begin(one.row)

    def _take(self, shape: Shape, entries: Sequence[Entry]) -> None:
        self._required()
        rows = list(self._checked(shape, entries))
        held = archive.held(self.tx, shape, [one.row for one in rows])
        fresh: list[Numbered] = []
        known: list[Numbered] = []
        for one in rows:
            key = tuple(one.row[name] for name in shape.key)
            (known if key in held else fresh).append(one)
            held.add(key)
        if known:
            self.meet(shape, known)
        self.add(shape, self._connected(shape, fresh))

    def _checked(self, shape: Shape, entries: Sequence[Entry]) -> Iterator[Numbered]:
        place = _PLACE[shape.record]
        for entry in entries:
            try:
                if place < self._place:
                    raise errors.BadFormat(f"A {shape.record} comes too late in the file.")
                yield Numbered(entry.number, checked(shape, entry.data, self._bounds))
            except errors.SeihonError as error:
                self.tally.bad.append(BadLine(entry.number, error.code, error.message))
        self._place = max(self._place, place)

    def _connected(self, shape: Shape, rows: Sequence[Numbered]) -> list[Numbered]:
        """Return the records whose references are there."""
        left = list(rows)
        for column, target in REFERENCES.get(shape.record, ()):
            wanted = SHAPE_OF[target]
            names = [{"id": one.row[column]} for one in left if one.row[column] is not None]
            there = {key[0] for key in archive.held(self.tx, wanted, names)}
            left = [one for one in left if self._refers(shape, one, column, target, there)]
        return left

    def _refers(self, shape: Shape, one: Numbered, column: str, target: str, there: set[Any]) -> bool:
        name = one.row[column]
        if name is None or name in there:
            return True
        if (target, name) in self.dropped:
            self.leave(shape, one)
        else:
            self.refuse(one, f"`{column}` names a {target} that is not there.")
        return False


def _unknown(one: Entry | BadLine) -> BadLine:
    if isinstance(one, BadLine):
        return one
    return BadLine(one.number, errors.BadFormat.code, "A migration holds no records of that kind.")
