"""A deletion of a journal, carried out again: what it reached there ends here, under the same receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from seihon.canonical import profiles
from seihon.canonical.scope import Writer
from seihon.core.schema import Field
from seihon.memory import lineage
from seihon.memory.base import Base
from seihon.memory.carrying import resolving
from seihon.memory.carrying.ending import Ending
from seihon.memory.carrying.journal import Deletion, Floor
from seihon.memory.carrying.resolving import Other
from seihon.memory.fields import SOURCE_DELETED, spot, store_blank
from seihon.memory.lineage import Taken
from seihon.memory.opening import open_receipt
from seihon.model import TargetKind

REAPPLIED: Final = "reapplied"


class Again(Ending):
    """Ends what stands here of one deletion, and opens its receipt under the id that people hold."""

    def __init__(
        self, memory: Base, tx: Writer, fields: Mapping[str, Field], deletion: Deletion, receipt: str
    ) -> None:
        super().__init__(memory, tx, fields, reason=REAPPLIED)
        self._deletion = deletion
        self._receipt = receipt
        tx.actor = deletion.actor

    def carry_out(self, graves: Sequence[Mapping[str, Any]]) -> None:
        """Bury what is told, and open the receipt: also where nothing of it was ever here."""
        told = [{**one, "receipt": self._receipt} for one in graves]
        self._raise_epoch()
        for one in told:
            if one["kind"] == "owner":
                self.owner(one)
        self.bury([one for one in told if one["kind"] != "owner"])
        open_receipt(
            self._memory,
            self._tx,
            self._deletion.kind,
            self._deletion.key,
            reason=self._deletion.reason,
            counts=self._counts,
            receipt=self._receipt,
        )

    def _taken(self, live: Sequence[str]) -> Taken:
        if (self._deletion.actor, self._deletion.reason) == ("retention", "expired"):
            # A sweep: what was drawn from the messages stood by limits of its own, and does so here.
            return lineage.messages_expired(self._tx, live)
        return super()._taken(live)

    def _open(
        self,
        kind: TargetKind,  # noqa: ARG002 - it has a receipt already
        key: str,  # noqa: ARG002
        counts: Mapping[str, int],
        *,
        receipt: str | None = None,  # noqa: ARG002
    ) -> str:
        self._counts.update(counts)
        return self._shared()


def raise_floor(tx: Writer, fields: Mapping[str, Field], floor: Floor) -> bool:
    """Let nothing that was said up to a floor be a field's value; tell whether anything moved.

    What stood there waits for the person's word: the statement that superseded it was lost with the copy.
    """
    before = spot(tx, floor.field, floor.scope)
    reason = floor.reason if floor.status != "current" else SOURCE_DELETED
    if floor.field in fields:
        told = Other(floor.position, status=floor.status)
        moved = resolving.resolve(tx, fields[floor.field], floor.scope, told, reason=reason)
    elif resolving.is_higher(floor.position, before.floor):
        is_below = before.row is None or before.row.at is None or before.row.at <= floor.position.at
        if not is_below:
            return False
        store_blank(tx, before, status="withdrawn", reason=reason, floor=floor.position)
        moved = True
    else:
        return False
    if moved and before.status == "current":
        _let_wait(tx, before.row.claim if before.row else None, floor)
    return moved


def _let_wait(tx: Writer, claim: str | None, floor: Floor) -> None:
    after = spot(tx, floor.field, floor.scope)
    if claim is None or after.status not in ("withdrawn", "blank"):
        return
    told = "superseded_by_withdrawn"
    raised = tx.run(
        profiles.END_CLAIM, id=claim, was="recorded", state_="candidate", reason_=told, base=after.version
    )
    if raised is not None:
        tx.change("candidate.raised", claim, told)
