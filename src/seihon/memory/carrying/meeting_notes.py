"""Notes of two lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seihon.canonical import transfer as store
from seihon.canonical.archive import Shape
from seihon.memory.carrying.meeting import Meeting, ids
from seihon.memory.carrying.migrating import Numbered


class Notes(Meeting):
    """A note that ended on either side has ended; of two versions the higher one stands."""

    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:  # noqa: ARG002 - one shape only
        fates = {row.id: row for row in self.tx.all(store.NOTE_FATES, ids=ids(rows))}
        dead = self.file.graves("note", ids(rows))
        ended: list[str] = []
        for one in rows:
            fate = fates[one.row["id"]]
            if one.row["id"] in dead or fate.ended is not None or fate.created_revision <= self.tx.floor:
                self.sides.count_ended(one)
            elif one.row["deleted_revision"] is not None:
                ended.append(one.row["id"])
                self.tally.present += 1
            elif one.row["version"] > fate.version:
                self._adopt(one.row)
            elif one.row["version"] == fate.version and one.row["text"] != self.tx.open(fate.text):
                self.file.contest(one)
            else:
                self.tally.present += 1
        self.sides.ending.retract(ended)

    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        dead = self.file.graves("note", ids(rows))
        kept: list[dict[str, Any]] = []
        for one in rows:
            ended = one.row["deleted_revision"] is not None
            if not ended and (one.row["id"] in dead or self.sides.is_over(one.row["recorded_at"])):
                self.file.drop(shape, one)
            else:
                kept.append(self.sides.of_now(one.row))
        self.file.store(shape, kept)
        for row in kept:
            self.tx.mark(f"note:{row['id']}")
            self.tx.change("note.imported", row["id"])

    def _adopt(self, row: Mapping[str, Any]) -> None:
        meta = row["metadata"]
        self.tx.run(
            store.ADOPT_NOTE,
            id=row["id"],
            version_=row["version"],
            text_=self.tx.seal(row["text"]),
            metadata_=None if meta is None else self.tx.seal_json(meta),
            scope_=row["scope"],
            state_=row["state"],
            superseded_by_=row["superseded_by"],
            expires_at_=row["expires_at"],
            expires_turn_=row["expires_turn"],
        )
        self.tx.mark(f"note:{row['id']}")
        self.tx.change("note.edited", row["id"], "imported")
        self.tally.added += 1
