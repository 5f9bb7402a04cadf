"""A migration into an owner that has a life of its own: the union of both, in which every deletion wins.

Records meet by their ids. What ended there ends here, with all that was drawn from it, under a receipt of
this owner's own; what ended here stays out. Of a message or a note the higher version stands. Values are
resolved anew from the claims of both sides, above the higher floor. Events and closed values of the other
life are its own: what happens here is told in this owner's history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seihon import errors
from seihon.canonical import conversations, profiles
from seihon.canonical import transfer as store
from seihon.canonical.archive import Shape
from seihon.memory.carrying import resolving
from seihon.memory.carrying.ending import Ending
from seihon.memory.carrying.meeting import Meeting, Sides
from seihon.memory.carrying.meeting_claims import Claims, Links
from seihon.memory.carrying.meeting_messages import Conversations, Messages
from seihon.memory.carrying.meeting_notes import Notes
from seihon.memory.carrying.migrating import Migration, Numbered

_NEW_LIFE = (
    "The owner of the file was deleted and began a new life, which this one cannot be told from; import into "
    "an owner that has nothing, or delete this one first."
)


class Merging(Migration):
    """Unites two lives of an owner."""

    def begin(self, own: Mapping[str, Any]) -> None:
        self.ending = Ending(self.memory, self.tx, self.fields)
        self.sides = Sides(self, self.ending)
        links = Links(self.sides)
        self._meetings: Mapping[str, Meeting] = {
            "conversation": Conversations(self.sides),
            "message": Messages(self.sides),
            "note": Notes(self.sides),
            "note_source": links,
            "claim": Claims(self.sides),
            "claim_source": links,
        }
        self._other = own
        row = self.tx.first(conversations.TOMBSTONE, kind="owner", key="")
        self.sides.died_at = None if row is None else row.at
        self.tally.present += 1

    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        meeting = self._meetings.get(shape.record)
        if meeting is not None:
            meeting.meet(shape, rows)
            return
        self.tally.present += len(rows)
        if shape.record == "tombstone":
            self._end_owner(rows)
            for one in rows:
                self.sides.hear_grave(one.row, new=False)
        elif shape.record == "field_value":
            self._hear(rows)

    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        meeting = self._meetings.get(shape.record)
        if meeting is not None:
            meeting.add(shape, rows)
        elif shape.record == "tombstone":
            self._bury(rows)
        elif shape.record == "receipt":
            self._keep_receipts(shape, rows)
        elif shape.record == "receipt_store":
            self.store(shape, [one.row for one in rows])
        elif shape.record == "field_value":
            self._hear(rows)

    def end(self) -> None:
        if not self.ending.owner_ended:
            self._end_equals()
            for (name, scope), other in sorted(self.sides.places.items()):
                if name in self.fields and resolving.resolve(self.tx, self.fields[name], scope, other):
                    self.ending.changed = True
        moved = [end.row(self.tx, name) for name, end in self.sides.ends.items() if end.moved]
        self.tx.add(store.EXTEND_CONVERSATIONS, moved)
        if self.tally.added == 0 and not self.ending.changed:
            self.tx.discard()
            return
        self.ending.finish()
        self.tx.run(store.MERGE_OWNER, deletions=0, turn_=self._other["turn"])

    def _end_equals(self) -> None:
        """End what says here, under another id, what was deleted there later than it was said."""
        for place in sorted({mark[0] for mark in self.sides.buried}):
            marks = {mark: at for mark, at in self.sides.buried.items() if mark[0] == place}
            rows = self.tx.all(
                store.EQUAL_STANDING, conversations=[place], fingerprints=[mark[1] for mark in marks]
            )
            self.ending.bury(
                [
                    self.ending.grave(row, marks[row.conversation, row.fingerprint])
                    for row in rows
                    if row.id not in self.sides.alive and row.at <= marks[row.conversation, row.fingerprint]
                ]
            )

    def leave(self, shape: Shape, one: Numbered) -> None:
        if shape.record == "receipt_store":
            self.tally.present += 1
        else:
            super().leave(shape, one)

    def _bury(self, rows: Sequence[Numbered]) -> None:
        self._end_owner(rows)
        graves = [one.row for one in rows if one.row["kind"] != "owner"]
        for row in graves:
            row["fingerprint"] = self.foreign(row["fingerprint"])
            self.sides.hear_grave(row, new=True)
        self.ending.bury(graves)
        self.tally.added += len(graves)

    def _end_owner(self, rows: Sequence[Numbered]) -> None:
        """End this owner if the other was deleted later than this one ever was."""
        for one in rows:
            died_at, at = self.sides.died_at, one.row["at"]
            if one.row["kind"] != "owner" or (died_at is not None and at <= died_at):
                continue
            if self._other["state"] != "deleted":
                raise errors.Conflict(_NEW_LIFE)
            self.ending.owner(one.row)
            self.sides.died_at = at

    def _keep_receipts(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        """Keep the receipts of deletions that are done; the others are opened anew for what ends here."""
        kept: list[dict[str, Any]] = []
        for one in rows:
            if one.row["state"] == "verified":
                kept.append({**one.row, "revision": self._revision_at(one.row["opened_at"])})
            else:
                self.dropped.add((shape.record, one.row["id"]))
        self.store(shape, kept)

    def _revision_at(self, at: int) -> int:
        """Return this owner's revision at a time: a receipt reaches no further than what was written then."""
        row = self.tx.first(profiles.REVISION_AT, at=at)
        return 0 if row is None else row.revision

    def _hear(self, rows: Sequence[Numbered]) -> None:
        """Take note of where the other life's open values stand; the values follow from the claims."""
        for one in rows:
            if one.row["closed_revision"] is None:
                self.sides.hear(
                    one.row["field"], one.row["scope"], resolving.floor_of(one.row), one.row["status"]
                )
