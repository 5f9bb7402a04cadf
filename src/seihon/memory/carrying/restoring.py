"""A migration into an owner that has nothing: every row as it was, field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from seihon.canonical import archive
from seihon.canonical.archive import Shape
from seihon.memory import covering
from seihon.memory.carrying.migrating import Migration, Numbered

_BURIABLE: Final = frozenset({"conversation", "message", "note"})


class Restoring(Migration):
    """Takes rows as they are; what contradicts a deletion in the same file is kept out."""

    _floor = 0

    def begin(self, own: Mapping[str, Any]) -> None:
        self._floor = own["floor_revision"]
        self._ended: set[str] = set()
        self._last_seq: dict[str, int] = {}
        self._open: set[tuple[str, str]] = set()
        self.tally.added += 1

    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:  # noqa: ARG002 - the file holds it twice
        self.tally.present += len(rows)

    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        buried = self._buried(shape, rows)
        kept: list[Mapping[str, Any]] = []
        for one in rows:
            if one.row.get("id") in buried:
                self.drop(shape, one)
            elif self._fits(shape, one):
                kept.append(archive.bare(shape, one.row) if self._is_dead(shape, one.row) else one.row)
        self.store(shape, kept)
        if shape.record in ("message", "note"):
            self.tx.mark(*(f"{shape.record}:{row['id']}" for row in kept))
        if shape.record == "message":
            covering.added(self.tx, kept)

    def end(self) -> None:
        own = self._required()
        self.tx.run(
            archive.RESTORE_OWNER,
            revision_=max(1, own["revision"]),
            epoch_=own["epoch"],
            turn_=own["turn"],
            floor_=own["floor_revision"],
            state_=own["state"],
            created_at_=own["created_at"],
            active_at_=own["active_at"],
        )

    def _buried(self, shape: Shape, rows: Sequence[Numbered]) -> set[str]:
        """Return the live records that a tombstone of the same file stands for."""
        if shape.record not in _BURIABLE:
            return set()
        live = [one.row["id"] for one in rows if one.row["deleted_revision"] is None]
        return self.graves(shape.record, live)

    def _is_dead(self, shape: Shape, row: Mapping[str, Any]) -> bool:
        began = archive.began_of(shape)
        ended = row.get("deleted_revision") is not None or row.get("conversation") in self._ended
        return (shape.record == "message" and ended) or (began is not None and row[began] <= self._floor)

    def _fits(self, shape: Shape, one: Numbered) -> bool:
        """Make a record this owner's; ``False``: it contradicts others of the file."""
        match shape.record:
            case "conversation" if one.row["deleted_revision"] is not None:
                self._ended.add(one.row["id"])
            case "message":
                return self._message(shape, one)
            case "tombstone":
                one.row["fingerprint"] = self.foreign(one.row["fingerprint"])
            case "claim":
                self.note_unknown_field(one)
            case "field_value" if one.row["closed_revision"] is None:
                return self._open_value(one)
            case _:
                pass
        return True

    def _message(self, shape: Shape, one: Numbered) -> bool:
        row = one.row
        if row["seq"] <= self._last_seq.get(row["conversation"], 0):
            self.refuse(one, "`seq` must rise from message to message of a conversation.")
            return False
        self._last_seq[row["conversation"]] = row["seq"]
        dead = self._is_dead(shape, row)
        row["fingerprint"] = self.foreign(row["fingerprint"]) if dead else self.fingerprint(row)
        return True

    def _open_value(self, one: Numbered) -> bool:
        place = (one.row["field"], one.row["scope"])
        if place in self._open:
            self.refuse(one, "A field has one open value in a scope.")
            return False
        self._open.add(place)
        return True
