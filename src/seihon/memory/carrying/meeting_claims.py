"""Claims of two lives, and what links claims and notes to their messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row

from seihon.canonical import profiles
from seihon.canonical import transfer as store
from seihon.canonical.archive import Shape
from seihon.memory import lineage
from seihon.memory.carrying import resolving
from seihon.memory.carrying.meeting import Meeting, ids
from seihon.memory.carrying.migrating import Numbered
from seihon.memory.carrying.records import MOST
from seihon.memory.fields import key_of, spot
from seihon.model import ClaimState

_ANSWERED = frozenset({ClaimState.CONFIRMED, ClaimState.REJECTED})


class Claims(Meeting):
    """A claim that was withdrawn on either side is withdrawn; an answer to a candidate is an answer."""

    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:  # noqa: ARG002 - one shape only
        fates = {row.id: row for row in self.tx.all(store.CLAIM_FATES, ids=ids(rows))}
        for one in rows:
            fate = fates.get(one.row["id"])
            if fate is None:
                # Of a life that ended here.
                self.tally.deleted += 1
                continue
            self.tally.present += 1
            if one.row["state"] == ClaimState.WITHDRAWN and fate.state != ClaimState.WITHDRAWN:
                self._withdraw(one.row, fate)
            elif one.row["state"] in _ANSWERED and fate.state == ClaimState.CANDIDATE:
                self._answer(one.row)
            elif one.row["state"] == ClaimState.CANDIDATE and fate.state == ClaimState.RECORDED:
                self._doubt(one.row)

    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        sources = _fates(self.tx, [one.row["message"] for one in rows])
        deleted = {row.key: row.at for row in self._field_graves(rows)}
        kept: list[dict[str, Any]] = []
        for one in rows:
            row = one.row
            until = deleted.get(key_of(row["field"], row["scope"]))
            gone = row["message"] is not None and sources[row["message"]].ended is not None
            spoken = row["state"] != ClaimState.WITHDRAWN
            if spoken and (gone or self.sides.is_over(row["recorded_at"]) or _is_by(row["pos_at"], until)):
                self.file.drop(shape, one)
                continue
            self.file.note_unknown_field(one)
            kept.append(self._of_here(row))
        self.file.store(shape, kept)
        for row in kept:
            self._tell(row)

    def _of_here(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a claim in this owner's revisions; those of one moment keep their order."""
        tx = self.tx
        revision, ordinal = row["revision"], row["ordinal"]
        if not tx.floor < revision <= tx.revision:
            revision, ordinal = tx.revision, min(revision * 1_000 + ordinal, MOST)
        ended = None if row["ended_revision"] is None else tx.revision
        return {**row, "revision": revision, "ordinal": ordinal, "ended_revision": ended}

    def _tell(self, row: Mapping[str, Any]) -> None:
        waits = row["state"] == ClaimState.CANDIDATE
        self.tx.change("candidate.raised" if waits else "claim.imported", row["id"], row["reason"])
        if row["state"] == ClaimState.RECORDED:
            self.sides.touch(row["field"], row["scope"])

    def _field_graves(self, rows: Sequence[Numbered]) -> Sequence[Row[Any]]:
        keys = {key_of(one.row["field"], one.row["scope"]) for one in rows}
        return self.tx.all(store.GRAVE_TIMES, kind="field", keys=list(keys)) if keys else ()

    def _withdraw(self, row: Mapping[str, Any], fate: Row[Any]) -> None:
        """Let a claim go that was withdrawn there, and its value with it."""
        keeps = row["value"] is not None
        resolving.withdraw(self.tx, [fate.id], reason=row["reason"], keep_values=keeps)
        declared = self.file.fields.get(fate.field)
        lineage.withdraw_from(self.tx, declared, fate.field, fate.scope, [fate], reason=row["reason"])
        if not keeps:
            resolving.forget_values(self.tx, [fate.id], reason=row["reason"])
        self.tx.change("claim.withdrawn", fate.id, row["reason"])
        self.sides.ending.changed = True

    def _doubt(self, row: Mapping[str, Any]) -> None:
        """Let a claim wait for the person's word that a deletion there made doubtful."""
        field, scope = row["field"], row["scope"]
        base = spot(self.tx, field, scope).version
        self.tx.run(
            profiles.END_CLAIM,
            id=row["id"],
            was="recorded",
            state_="candidate",
            reason_=row["reason"],
            base=base,
        )
        self.tx.change("candidate.raised", row["id"], row["reason"])
        self.sides.touch(field, scope)
        self.sides.ending.changed = True

    def _answer(self, row: Mapping[str, Any]) -> None:
        self.tx.run(store.END_CLAIM, id=row["id"], state_=row["state"], reason_=row["reason"])
        self.tx.change(f"candidate.{row['state']}", row["id"])
        self.sides.ending.changed = True


class Links(Meeting):
    """From a claim or a note to a message, in the version that it was drawn from."""

    def meet(self, shape: Shape, rows: Sequence[Numbered]) -> None:  # noqa: ARG002 - the same for both
        self.tally.present += len(rows)

    def add(self, shape: Shape, rows: Sequence[Numbered]) -> None:
        sources = _fates(self.tx, [one.row["message"] for one in rows])
        kept: list[dict[str, Any]] = []
        orphans: list[str] = []
        for one in rows:
            fate = sources[one.row["message"]]
            if fate.ended is not None:
                self.file.drop(shape, one)
                orphans += [one.row["note"]] if shape.record == "note_source" else []
            elif fate.version != one.row["message_version"]:
                # Edited on this side since: the link was cut here, with what it carried.
                self.tally.present += 1
            else:
                kept.append(one.row)
        self.file.store(shape, kept)
        self.sides.ending.retract(self._standing(orphans))

    def _standing(self, notes: Sequence[str]) -> list[str]:
        found = self.tx.all(store.NOTE_FATES, ids=list(notes)) if notes else ()
        return [row.id for row in found if row.ended is None]


def _fates(tx: Any, messages: Sequence[str | None]) -> Mapping[str, Row[Any]]:
    named = [one for one in messages if one is not None]
    found: Sequence[Row[Any]] = tx.all(store.MESSAGE_FATES, ids=named) if named else ()
    return {row.id: row for row in found}


def _is_by(said_at: int, deleted_at: int | None) -> bool:
    return deleted_at is not None and said_at <= deleted_at
