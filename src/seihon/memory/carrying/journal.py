"""The lines of a journal of deletions: a header, for each owner what was deleted and in which order, an end.

``{"seihon": 1, "kind": "deletions", …}``, then ``owner``, and under it ``deletion``, ``tombstone`` and
``floor`` records. Ids, times and fingerprints; no text. What comes back in is checked like any file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from seihon import errors
from seihon.canonical import archive, journal
from seihon.canonical.archive import OWNER_SHAPE, SHAPE_OF
from seihon.canonical.deletions import is_old_text
from seihon.canonical.scope import Reader
from seihon.core.resolve import Position
from seihon.memory import door, transcripts
from seihon.memory.carrying import records
from seihon.memory.carrying.records import Bounds, Entry
from seihon.model import BadLine, TargetKind, instant, plain

KIND: Final = "deletions"
GRAVE: Final = SHAPE_OF["tombstone"]
_STATUSES: Final = frozenset({"current", "blank", "withdrawn", "declined"})


@dataclass(frozen=True, slots=True)
class Deletion:
    """One deletion: its receipt, what it was asked to remove, by whom, and the tombstones that it left."""

    receipt: str
    kind: TargetKind
    key: str
    actor: str
    reason: str
    graves: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@dataclass(frozen=True, slots=True)
class Floor:
    """Up to where nothing said of a field becomes its value again; ``status`` and ``reason`` of that time."""

    field: str
    scope: str
    status: str
    reason: str
    position: Position


@dataclass(slots=True)
class Life:
    """What a journal tells of one owner. ``edited``: the versions of messages whose text was replaced."""

    owner: str
    revision: int
    epoch: int
    state: str
    deletions: list[Deletion] = field(default_factory=list[Deletion])
    floors: list[Floor] = field(default_factory=list[Floor])
    edited: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def died_at(self) -> int | None:
        """Return when the owner was last deleted (us), as far as the journal goes back."""
        times = [one["at"] for each in self.deletions for one in each.graves if one["kind"] == "owner"]
        return max(times, default=None)


def header(tx_now: int, tenant: str, key_id: str) -> str:
    """Return the first line: whose deletions these are, as of when (us), and whose fingerprints."""
    return records.line(
        {
            "seihon": records.FORMAT,
            "kind": KIND,
            "tenant": tenant,
            "exported_at": plain(instant(tx_now)),
            "key_id": key_id,
        }
    )


def of_owner(tx: Reader, owner: str, since: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records of one owner, none if nothing was deleted after the revision ``since``."""
    rows = journal.graves(tx, since)
    if not rows:
        return
    yield "owner", {"owner": owner, **(archive.owner_record(tx) or {})}
    known = journal.deletions(tx, sorted({row.receipt for row in rows}))
    last: tuple[int, str] | None = None
    for row in rows:
        if (row.revision, row.receipt) != last and not is_old_text(row.key):
            last = (row.revision, row.receipt)
            yield "deletion", _deletion(known.get(row.receipt, row), row.receipt)
        yield "tombstone", {part.name: getattr(row, part.name) for part in GRAVE.parts}
    yield from (("floor", _floor(row)) for row in tx.all(journal.FLOORS))


def _deletion(row: Any, receipt: str) -> Mapping[str, Any]:
    named = {name: getattr(row, name) for name in ("kind", "key", "actor", "reason")}
    return {"receipt": receipt, **named}


def _floor(row: Any) -> Mapping[str, Any]:
    names = ("field", "scope", "status", "reason", "floor_at", "floor_seq", "floor_version")
    return {name: getattr(row, name) for name in names}


def read_tenant(raw: transcripts.Raw | BadLine | None) -> str:
    """Return whose deletions a journal holds.

    Raises:
        BadFormat: the line is no header of a journal.
    """
    found: Mapping[str, Any] = {}
    if raw is not None and not isinstance(raw, BadLine):
        found = transcripts.parse(raw)
    if (found.get("seihon"), found.get("kind")) != (records.FORMAT, KIND):
        raise errors.BadFormat(_NO_HEADER)
    return door.tenant(found.get("tenant"))


_NO_HEADER: Final = (
    f'A journal of deletions begins with its header, {{"seihon": {records.FORMAT}, "kind": "{KIND}", …}}.'
)


_OF_AN_OWNER: Final = frozenset({"deletion", "tombstone", "floor"})


class Reading:
    """Takes the records of a journal in their order and gives back each owner once it is whole."""

    def __init__(self, latest: int) -> None:
        self.bad: list[BadLine] = []
        self._latest = latest
        self._life: Life | None = None

    def lives(self, entries: Iterator[Entry | BadLine]) -> Iterator[Life]:
        """Yield owner after owner.

        Raises:
            BadFormat: the file was cut off; what it holds of the last owner is not given.
        """
        for entry in entries:
            # A line that cannot be read may have named the next owner: what follows it is nobody's.
            if isinstance(entry, BadLine) or entry.record not in _OF_AN_OWNER:
                done, self._life = self._life, None
                if done is not None:
                    yield done
            if isinstance(entry, BadLine):
                self.bad.append(entry)
                continue
            try:
                self._take(entry)
            except errors.SeihonError as error:
                self.bad.append(BadLine(entry.number, error.code, error.message))
        if self._life is not None:
            yield self._life

    def _take(self, entry: Entry) -> None:
        if entry.record == "owner":
            self._life = self._begin(entry.data)
            return
        if self._life is None:
            raise errors.BadFormat("A record of a journal comes after its owner's.")
        match entry.record:
            case "deletion":
                self._life.deletions.append(_read_deletion(entry.data))
            case "tombstone":
                self._bury(self._life, entry.data)
            case "floor":
                self._life.floors.append(_read_floor(entry.data, self._latest))
            case _:
                raise errors.BadFormat("A journal holds no records of that kind.")

    def _begin(self, data: Mapping[str, Any]) -> Life:
        own = {name: value for name, value in data.items() if name != "owner"}
        row = records.checked(OWNER_SHAPE, own, Bounds(records.MOST, self._latest))
        return Life(door.identifier(data.get("owner"), "owner"), row["revision"], row["epoch"], row["state"])

    def _bury(self, life: Life, data: Mapping[str, Any]) -> None:
        row = records.checked(GRAVE, data, Bounds(life.revision, self._latest))
        if is_old_text(row["key"]):
            message, _, version = row["key"][1:].rpartition(row["key"][0])
            life.edited[message] = max(life.edited.get(message, 0), int(version) if version.isdigit() else 0)
        elif life.deletions and life.deletions[-1].receipt == row["receipt"]:
            life.deletions[-1].graves.append(row)
        else:
            raise errors.BadFormat("A tombstone comes after its deletion.")


def _read_deletion(data: Mapping[str, Any]) -> Deletion:
    receipt, key, actor, reason = _words(data, "receipt", "key", "actor", "reason")
    return Deletion(receipt, door.choice(data.get("kind"), "kind", TargetKind), key, actor, reason)


def _read_floor(data: Mapping[str, Any], latest: int) -> Floor:
    name, scope, status, reason = _words(data, "field", "scope", "status", "reason")
    if status not in _STATUSES:
        raise errors.InvalidArgument(f"`status` must be one of: {', '.join(sorted(_STATUSES))}.")
    at = door.whole(data.get("floor_at"), "floor_at", most=latest)
    seq, version = (
        door.whole(data.get(name), name, most=records.MOST) for name in ("floor_seq", "floor_version")
    )
    return Floor(name, scope, status, reason, Position(at, seq, version, 0, 0))


def _words(data: Mapping[str, Any], *names: str) -> list[str]:
    return [door.text(data.get(name), name, limit=records.MAX_WORD, empty=True) for name in names]
