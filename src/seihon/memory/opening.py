"""The opening of a deletion's receipt, the same for whatever deletes: its places, its systems outside."""

from __future__ import annotations

from collections.abc import Mapping

from seihon.canonical import deletions, outside
from seihon.canonical.scope import Writer
from seihon.memory.base import Base
from seihon.model import TargetKind


def open_receipt(
    memory: Base,
    tx: Writer,
    kind: TargetKind,
    key: str,
    *,
    reason: str,
    counts: Mapping[str, int],
    receipt: str | None = None,
) -> str:
    """Open a receipt in the deleting transaction and return its id, a new one where none is given."""
    opened = receipt or tx.new_id("r")
    systems = memory.copies.outside.places
    deletions.open_receipt(
        tx,
        receipt=opened,
        kind=kind.value,
        key=key,
        reason=reason,
        level=memory.copies.level,
        counts={name: count for name, count in counts.items() if count},
        stores=(*memory.copies.receipt_stores, *systems),
        out_of_reach=memory.out_of_reach(),
    )
    outside.tell(tx, systems, opened)
    return opened
