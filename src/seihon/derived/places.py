"""The places beside the derived stores that a deletion has to reach, each emptied and read back."""

from __future__ import annotations

from collections.abc import Sequence

from seihon.canonical import erasing, records
from seihon.canonical.scope import Reader, Writer
from seihon.derived.contract import Place, Target
from seihon.model import TargetKind


class Original:
    """The canonical rows: their words are overwritten in batches, the rows stay without them."""

    name: str = "original"

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        """Overwrite a batch."""
        return erasing.erase(
            tx,
            target.kind,
            key=target.key,
            receipt=target.receipt,
            bound=target.bound,
            limit=limit,
            progress=target.progress,
        )

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Count rows that still hold text."""
        return erasing.left(tx, target.kind, key=target.key, receipt=target.receipt, bound=target.bound)


class Traces:
    """Traces of context runs: no text, but they go with their conversation and their owner."""

    name: str = "traces"

    def purge(self, tx: Writer, target: Target, limit: int) -> int:  # noqa: ARG002 - few rows, at once
        """Drop the traces of a deleted conversation or owner."""
        if target.kind is TargetKind.OWNER:
            return records.drop(tx, records.DROP_TRACES, bound=target.bound)
        if target.kind is TargetKind.CONVERSATION:
            return records.drop(tx, records.DROP_TRACES_OF_CONVERSATION, key=target.key)
        return 0

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Count them."""
        if target.kind is TargetKind.OWNER:
            return records.left(tx, records.LEFT_TRACES, bound=target.bound)
        if target.kind is TargetKind.CONVERSATION:
            return records.left(tx, records.LEFT_TRACES_OF_CONVERSATION, key=target.key)
        return 0


class Idempotency:
    """Answers kept for replay: hashes and ids. They stay with their owner, so that a late retry of a
    request whose record was deleted is answered, not done again."""

    name: str = "idempotency"

    def purge(self, tx: Writer, target: Target, limit: int) -> int:  # noqa: ARG002 - few rows, at once
        """Void the answers of a deleted owner: hashes stay for a day, so that no late retry is done anew."""
        if target.kind is not TargetKind.OWNER:
            return 0
        return records.drop(tx, records.VOID_ANSWERS, at=target.at)

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Count them."""
        if target.kind is not TargetKind.OWNER:
            return 0
        return records.left(tx, records.LEFT_ANSWERS, at=target.at)


class Outbox:
    """Marks of keys that no store has to look at any more once their owner is gone."""

    name: str = "outbox"

    def purge(self, tx: Writer, target: Target, limit: int) -> int:  # noqa: ARG002 - one statement
        """Drop the marks of a deleted owner."""
        if target.kind is not TargetKind.OWNER:
            return 0
        return records.drop(tx, records.DROP_MARKS, bound=target.bound)

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Count them."""
        if target.kind is not TargetKind.OWNER:
            return 0
        return records.left(tx, records.LEFT_MARKS, bound=target.bound)


def all_places(stores: Sequence[Place]) -> tuple[Place, ...]:
    """Return every place in the order in which it is purged: the original first, then what follows it."""
    return (Original(), *stores, Traces(), Idempotency(), Outbox())
