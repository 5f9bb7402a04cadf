"""What ended in another life ends here: the deletions of a migration, under receipts of this owner's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row

from seihon.canonical import deletions, notes
from seihon.canonical import transfer as store
from seihon.canonical.scope import Writer
from seihon.core.resolve import Position
from seihon.core.schema import Field
from seihon.memory import lineage
from seihon.memory.base import Base
from seihon.memory.carrying import resolving
from seihon.memory.carrying.resolving import IMPORTED, Other
from seihon.memory.fields import FIELD_DELETED
from seihon.memory.opening import open_receipt
from seihon.model import TargetKind


class Ending:
    """Ends what stands here for each tombstone that comes in."""

    def __init__(
        self, memory: Base, tx: Writer, fields: Mapping[str, Field], *, reason: str = IMPORTED
    ) -> None:
        self.changed = False
        self.owner_ended = False
        self._memory = memory
        self._tx = tx
        self._fields = fields
        self._reason = reason
        self._receipt: str | None = None
        self._counts: Counter[str] = Counter()
        self._raised = False

    def bury(self, graves: Sequence[Mapping[str, Any]]) -> None:
        """Write tombstones down and end what they stand for."""
        if not graves:
            return
        if not all(deletions.is_old_text(one["key"]) for one in graves):
            self._raise_epoch()
        receipts = {
            **self._messages([one["key"] for one in graves if one["kind"] == "message"]),
            **self._notes([one["key"] for one in graves if one["kind"] == "note"]),
        }
        for one in graves:
            if one["kind"] == "field":
                self._field(one)
            elif one["kind"] == "conversation":
                receipts.update(self._conversation(one["key"]))
        self._graves(
            [{**one, "receipt": receipts.get((one["kind"], one["key"]), one["receipt"])} for one in graves]
        )

    def owner(self, grave: Mapping[str, Any]) -> None:
        """End this owner; what was written here since the deletion goes with it."""
        self._raise_epoch()
        tx = self._tx
        receipt = self._open(TargetKind.OWNER, "", deletions.counts_of_owner(tx))
        self._graves([{**grave, "receipt": receipt}])
        tx.run(deletions.END_OWNER)
        tx.count(deletions.CLOSE_ALL_VALUES)
        tx.mark("owner:")
        tx.change("owner.deleted", "", self._reason)
        self.changed = self.owner_ended = True

    def edited(self, message: str) -> None:
        """Let go what was drawn from the words that a correction of the other life replaced."""
        self._tx.mark(f"message:{message}")
        self._tx.change("message.edited", message, self._reason)
        lineage.message_edited(self._memory, self._tx, message)

    def retract(self, ids: Sequence[str]) -> None:
        """End notes whose source ended; like any retraction it leaves no tombstone."""
        if ids:
            self._erase_notes(ids)
            self.changed = True

    def finish(self) -> None:
        """Open the receipt of the messages, notes and values that ended."""
        if self._receipt is not None:
            named = {"messages": TargetKind.MESSAGE, "notes": TargetKind.NOTE, "claims": TargetKind.FIELD}
            kind = next(kind for name, kind in named.items() if self._counts[name])
            self._open(kind, f"{self._counts.total()} records", self._counts, receipt=self._receipt)

    def _raise_epoch(self) -> None:
        if not self._raised:
            row = self._tx.run(store.MERGE_OWNER, deletions=1, turn_=0)
            self._tx.epoch = self._tx.epoch + 1 if row is None else row.epoch
            self._raised = True

    def _messages(self, ids: Sequence[str]) -> dict[tuple[str, str], str]:
        tx = self._tx
        live = [row.id for row in tx.all(deletions.EXPIRED_TO_ERASE, ids=list(ids))] if ids else []
        if not live:
            return {}
        receipt = self._shared()
        tx.count(deletions.ERASE_MESSAGES, ids=live)
        taken = self._taken(live)
        self._counts.update(messages=len(live), claims=taken.claims, notes=len(taken.notes))
        tx.mark(*(f"message:{one}" for one in live))
        for one in live:
            tx.change("message.deleted", one, self._reason)
        self._graves([self._note_grave(note, receipt) for note in taken.notes])
        return {("message", one): receipt for one in live}

    def _taken(self, live: Sequence[str]) -> lineage.Taken:
        """Take with messages what was drawn only from them."""
        return lineage.messages_deleted(self._memory, self._tx, live)

    def _notes(self, ids: Sequence[str]) -> dict[tuple[str, str], str]:
        rows = self._tx.all(store.NOTE_FATES, ids=list(ids)) if ids else ()
        live = [row.id for row in rows if row.ended is None]
        if not live:
            return {}
        receipt = self._shared()
        self._erase_notes(live)
        self._counts["notes"] += len(live)
        return {("note", one): receipt for one in live}

    def _erase_notes(self, ids: Sequence[str]) -> None:
        self._tx.count(notes.ERASE_NOTES, ids=list(ids))
        self._tx.count(notes.CUT_NOTE_SOURCES, notes=list(ids))
        self._tx.mark(*(f"note:{one}" for one in ids))
        for one in ids:
            self._tx.change("note.deleted", one, self._reason)

    def _conversation(self, key: str) -> dict[tuple[str, str], str]:
        tx = self._tx
        if tx.run(deletions.END_CONVERSATION, id=key) is None:
            return {}
        self.changed = True
        count = tx.first(deletions.COUNT_OF_CONVERSATION, conversation=key)
        taken = lineage.conversation_deleted(self._memory, tx, key)
        counts = {"messages": count[0] if count else 0, "claims": taken.claims, "notes": len(taken.notes)}
        receipt = self._open(TargetKind.CONVERSATION, key, counts)
        self._graves([self._note_grave(note, receipt) for note in taken.notes])
        tx.mark(f"conversation:{key}")
        tx.change("conversation.deleted", key, self._reason)
        return {("conversation", key): receipt}

    def _field(self, grave: Mapping[str, Any]) -> None:
        """Delete what was said of a field until then; what was said later stands."""
        tx = self._tx
        name, _, scope = grave["key"].partition("@")
        rows = tx.all(store.FIELD_CLAIMS_UNTIL, field=name, scope=scope, at=grave["at"])
        claims = [row.id for row in rows]
        resolving.withdraw(tx, claims, reason=FIELD_DELETED, keep_values=False)
        floor = Position(grave["at"], 0, 0, 0, 0)
        if name in self._fields:
            resolving.resolve(tx, self._fields[name], scope, Other(floor), reason=FIELD_DELETED)
        elif claims:
            resolving.blank_undeclared(tx, name, scope, claims, floor, reason=FIELD_DELETED)
        resolving.forget_values(tx, claims, reason=FIELD_DELETED)
        if claims:
            # The words are gone with this transaction; the receipt is for what copies and files hold.
            self._shared()
            self._counts["claims"] += len(claims)
            tx.change("field.deleted", grave["key"], self._reason)

    def _shared(self) -> str:
        """Return the one receipt of all messages, notes and values that end."""
        self.changed = True
        if self._receipt is None:
            self._receipt = self._tx.new_id("r")
        return self._receipt

    def _open(
        self, kind: TargetKind, key: str, counts: Mapping[str, int], *, receipt: str | None = None
    ) -> str:
        return open_receipt(
            self._memory, self._tx, kind, key, reason=self._reason, counts=counts, receipt=receipt
        )

    def _graves(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write tombstones with the time of the deletion itself, which later statements are compared by."""
        tx = self._tx
        own = {"revision": tx.revision, "epoch": tx.epoch}
        tx.add(deletions.ADD_TOMBSTONES, [{**row, **own} for row in rows])

    def grave(self, row: Row[Any], at: int) -> dict[str, Any]:
        """Return the tombstone of a message that a deletion of the other life reaches here."""
        told = {"at": at, "actor": self._tx.actor, "reason": self._reason, "receipt": ""}
        named = {"fingerprint": row.fingerprint, "conversation": row.conversation}
        return {"kind": "message", "key": row.id, **named, **told}

    def _note_grave(self, note: str, receipt: str) -> dict[str, Any]:
        return {
            "kind": "note",
            "key": note,
            "at": self._tx.now,
            "receipt": receipt,
            "actor": self._tx.actor,
            "reason": self._reason,
            "fingerprint": None,
            "conversation": None,
        }
