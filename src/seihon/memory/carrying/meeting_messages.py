"""Conversations and messages of two lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row

from seihon.canonical import conversations
from seihon.canonical import transfer as store
from seihon.canonical.archive import Shape
from seihon.memory import covering
from seihon.memory.carrying.arrivals import End, Mark
from seihon.memory.carrying.meeting import Meeting, ids
from seihon.memory.carrying.migrating import Numbered


class Conversations(Meeting):
    """A conversation that ended on either side has ended."""

    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:  # noqa: ARG002 - one shape only
        fates = {row.id: row for row in self.tx.all(store.CONVERSATION_ENDS, ids=ids(rows))}
        dead = self.file.graves("conversation", ids(rows))
        for one in rows:
            fate = fates[one.row["id"]]
            gone = fate.deleted_revision is not None or fate.created_revision <= self.tx.floor
            gone = gone or one.row["id"] in dead
            self.sides.ends[one.row["id"]] = End(fate.last_seq, fate.last_at, dead=gone)
            if gone:
                self.sides.count_ended(one)
            else:
                self._unite(one.row, fate)

    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        dead = self.file.graves("conversation", ids(rows))
        kept: list[dict[str, Any]] = []
        for one in rows:
            ended = one.row["deleted_revision"] is not None
            if not ended and (one.row["id"] in dead or self.sides.is_over(one.row["created_at"])):
                self.file.drop(shape, one)
            else:
                self.sides.ends[one.row["id"]] = End(0, one.row["last_at"], dead=ended)
                kept.append(self.sides.of_now(one.row))
        self.file.store(shape, kept)

    def _unite(self, row: Mapping[str, Any], fate: Row[Any]) -> None:
        self.tally.present += 1
        if row["deleted_revision"] is None and row["version"] > fate.version:
            meta = row["metadata"]
            self.tx.run(
                conversations.SET_CONVERSATION,
                id=row["id"],
                retain=row["retain_us"],
                metadata_=None if meta is None else self.tx.seal_json(meta),
            )


class Messages(Meeting):
    """A message that ended on either side has ended; of two versions the higher one stands."""

    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:  # noqa: ARG002 - one shape only
        fates = {row.id: row for row in self.tx.all(store.MESSAGE_FATES, ids=ids(rows))}
        dead = self.file.graves("message", ids(rows))
        for one in rows:
            fate = fates[one.row["id"]]
            live = one.row["deleted_revision"] is None
            mark = self._mark(one.row) if live else None
            differs = live and mark != (fate.conversation, fate.fingerprint)
            if one.row["id"] in dead or fate.ended is not None or fate.created_revision <= self.tx.floor:
                self.sides.count_ended(one)
            elif live and one.row["version"] > fate.version:
                self._adopt(one.row)
            elif differs and one.row["version"] == fate.version:
                self.file.contest(one)
            else:
                self.tally.present += 1

    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        dead = self.file.graves("message", ids(rows))
        marks = {one.row["id"]: self._mark(one.row) for one in rows if one.row["deleted_revision"] is None}
        buried = self._buried(list(marks.values()))
        kept: list[dict[str, Any]] = []
        for one in rows:
            mark = marks.get(one.row["id"])
            if mark is None:
                kept.append(self._placed(one.row, self.file.foreign(one.row["fingerprint"])))
            elif one.row["id"] in dead or self._fell(one.row, buried.get(mark)):
                self.file.drop(shape, one)
            else:
                kept.append(self._placed(one.row, mark[1]))
        self.file.store(shape, kept)
        covering.added(self.tx, kept)
        for row in kept:
            self.tx.mark(f"message:{row['id']}")
            self.tx.change("message.imported", row["id"])

    def _adopt(self, row: Mapping[str, Any]) -> None:
        """Take over a correction, and let go what was drawn from the words that it corrected."""
        meta = row["metadata"]
        self.tx.run(
            store.ADOPT_MESSAGE,
            id=row["id"],
            version_=row["version"],
            content_=self.tx.seal(row["content"]),
            metadata_=None if meta is None else self.tx.seal_json(meta),
            fingerprint_=self.file.fingerprint(row),
            expires_at_=row["expires_at"],
            expires_turn_=row["expires_turn"],
        )
        self.sides.ending.edited(row["id"])
        self.tally.added += 1

    def _mark(self, row: Mapping[str, Any]) -> Mark:
        """Return the mark of a live message of the file, and note that it stands there."""
        mark = (row["conversation"], self.file.fingerprint(row))
        if mark in self.sides.buried:
            self.sides.alive.add(row["id"])
        return mark

    def _buried(self, marks: Sequence[Mark]) -> Mapping[Mark, int]:
        """Return which words were deleted here, and until when, by deletions that the file does not know.

        What stands in the file beside a deletion that it knows was not meant by it.
        """
        asked = {"conversations": [mark[0] for mark in marks], "fingerprints": [mark[1] for mark in marks]}
        found: dict[Mark, int] = {}
        for row in self.tx.all(store.BURIED_KEYS, **asked) if marks else ():
            mark = (row.conversation, row.fingerprint)
            if row.key not in self.sides.told:
                found[mark] = max(row.at, found.get(mark, row.at))
        return found

    def _fell(self, row: Mapping[str, Any], deleted_at: int | None) -> bool:
        """Tell whether the words, the conversation or the whole owner ended here after this was said."""
        closed = self.sides.ends[row["conversation"]].dead or self.sides.is_over(row["recorded_at"])
        return closed or (deleted_at is not None and row["at"] <= deleted_at)

    def _placed(self, row: Mapping[str, Any], fingerprint: str | None) -> dict[str, Any]:
        """Return a message with a number of its own in its conversation."""
        end = self.sides.ends[row["conversation"]]
        seq = row["seq"] if row["seq"] > end.seq else end.seq + 1
        end.seq, end.at, end.moved = seq, max(end.at, row["at"]), True
        return {**self.sides.of_now(row), "seq": seq, "fingerprint": fingerprint}
