"""Verbs of deletion: one service for every surface.

The deleting transaction hides everything at its commit; the copies and the files follow, and the receipt
says how far they are. It is ``verified`` only after each store was read back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import conversations, notes, profiles
from seihon.canonical import deletions as store
from seihon.canonical.scope import Writer
from seihon.core import scopes
from seihon.derived.pace import REST, Effort
from seihon.memory import door, lineage
from seihon.memory.base import Base
from seihon.memory.fields import FIELD_DELETED, floor_now, key_of, spot, store_blank
from seihon.memory.opening import open_receipt
from seihon.model import Derive, Page, Receipt, StoreState, TargetKind

POLL_SECONDS = 0.05
LONGEST_POLL_SECONDS = 1.0
LEAST_SECONDS = 1.0
"""What a wait of no time at all still does."""


class Deletions(Base):
    """``forget…`` for each kind of target, and the receipts."""

    def forget_message(
        self, owner: str, message: str, *, reason: str = "requested", actor: str = "person"
    ) -> Receipt:
        """Delete one message, and with it what was drawn only from it.

        Raises:
            Gone: it was deleted before. NotFound: there is none.
        """
        return self.forget_messages(owner, [message], reason=reason, actor=actor)

    def forget_messages(
        self, owner: str, messages: Sequence[str], *, reason: str = "requested", actor: str = "person"
    ) -> Receipt:
        """Delete several messages under one receipt.

        Raises:
            InvalidArgument: no message is named; an empty list is never "everything".
            Gone, NotFound: one of them cannot be deleted; then none was.
        """
        if isinstance(messages, str):
            raise errors.InvalidArgument("`messages` must be a list of ids; for one use `forget_message`.")
        wanted = [door.identifier(one, "id") for one in dict.fromkeys(messages)]
        if not wanted:
            raise errors.InvalidArgument("Name at least one message; an empty list deletes nothing.")
        with self.writing(owner, deletions=1, actor=actor) as tx:
            live = {row.id: row for row in tx.all(store.MESSAGES_TO_ERASE, ids=wanted)}
            for message in wanted:
                if message not in live:
                    conversations.refuse_missing(tx, "message", message)
            receipt = self._erase_messages(
                tx, [live[one] for one in wanted], door.identifier(reason, "reason")
            )
        return self.receipt(owner, receipt)

    def forget_matching(
        self,
        owner: str,
        *,
        conversation: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        reason: str = "requested",
        actor: str = "person",
    ) -> Receipt:
        """Delete the messages of a conversation, of a stretch of time (``since`` included), or of both.

        Raises:
            InvalidArgument: no filter at all; an empty filter is never "everything".
            NotFound: nothing matches.
        """
        if conversation is None and since is None and until is None:
            raise errors.InvalidArgument(
                "Give `conversation`, `since` or `until`; everything of an owner goes with `forget_owner`."
            )
        where = None if conversation is None else door.identifier(conversation, "conversation")
        start, end = door.moment(since, "since"), door.moment(until, "until")
        with self.writing(owner, deletions=1, actor=actor) as tx:
            rows = tx.all(store.MATCHING, conversation=where, since=start, until=end)
            if not rows:
                raise errors.NotFound("No message of this owner matches.", kind="message")
            receipt = self._erase_messages(tx, rows, door.identifier(reason, "reason"))
        return self.receipt(owner, receipt)

    def forget_note(
        self, owner: str, note: str, *, reason: str = "requested", actor: str = "person"
    ) -> Receipt:
        """Delete one note.

        Raises:
            Gone: it was deleted before. NotFound: there is none.
        """
        wanted, why = door.identifier(note, "id"), door.identifier(reason, "reason")
        with self.writing(owner, deletions=1, actor=actor) as tx:
            notes.get(tx, wanted)
            receipt = self._open(tx, TargetKind.NOTE, wanted, why, {"notes": 1})
            store.bury(tx, [{"kind": "note", "key": wanted}], receipt=receipt, reason=why)
            tx.count(notes.ERASE_NOTES, ids=[wanted])
            tx.count(notes.CUT_NOTE_SOURCES, notes=[wanted])
            tx.mark(f"note:{wanted}")
            tx.change("note.deleted", wanted, why)
        return self.receipt(owner, receipt)

    def forget_field(
        self,
        owner: str,
        field: str,
        *,
        scope: str = scopes.DEFAULT,
        reason: str = "requested",
        actor: str = "person",
    ) -> Receipt:
        """Delete a field's value in a scope, with every claim about it so far.

        The field is blank from the commit on; nothing said before it becomes the value again. The messages
        that said it stay: delete them by themselves. The schema is not asked: what it no longer declares, or
        no longer scopes, can be deleted all the same. Done again, it counts what was claimed since, which
        may be nothing; what was said in between and is not extracted yet does not become the value either.

        Raises:
            NotFound: nothing was ever known of the field in this scope.
        """
        name, where = door.identifier(field, "field"), scopes.scope(scope)
        why = door.identifier(reason, "reason")
        with self.writing(owner, deletions=1, actor=actor) as tx:
            at = spot(tx, name, where)
            known = tx.all(profiles.CLAIMS_OF_FIELD, field=name, scope=where)
            if at.row is None and not known:
                raise errors.NotFound("Nothing is known of this field in this scope.", field=name)
            claims = [row.id for row in known if row.reason != FIELD_DELETED]
            key = key_of(name, where)
            receipt = self._open(tx, TargetKind.FIELD, key, why, {"claims": len(claims)})
            store.bury(tx, [{"kind": "field", "key": key}], receipt=receipt, reason=why)
            floor = floor_now(tx, at)
            if claims:
                tx.count(profiles.WITHDRAW_CLAIMS, ids=claims, reason_=FIELD_DELETED, keep=0)
            store_blank(tx, at, status="withdrawn", reason=FIELD_DELETED, floor=floor)
            tx.count(profiles.BLANK_FIELD_VALUES, field=name, scope=where, reason_=FIELD_DELETED)
            tx.change("field.deleted", key, why)
        return self.receipt(owner, receipt)

    def forget_conversation(
        self, owner: str, conversation: str, *, reason: str = "requested", actor: str = "person"
    ) -> Receipt:
        """Delete a whole conversation by one tombstone; its rows are overwritten in batches.

        Raises:
            Gone: it was deleted before. NotFound: there is none.
        """
        wanted, why = door.identifier(conversation, "conversation"), door.identifier(reason, "reason")
        with self.writing(owner, deletions=1, actor=actor) as tx:
            ended = tx.run(store.END_CONVERSATION, id=wanted)
            if ended is None:
                conversations.refuse_missing(tx, "conversation", wanted)
            count = tx.first(store.COUNT_OF_CONVERSATION, conversation=wanted)
            taken = lineage.conversation_deleted(self, tx, wanted)
            counts = {"messages": count[0] if count else 0, "claims": taken.claims, "notes": len(taken.notes)}
            receipt = self._open(tx, TargetKind.CONVERSATION, wanted, why, counts)
            graves = [{"kind": "conversation", "key": wanted}, *_note_graves(taken.notes)]
            store.bury(tx, graves, receipt=receipt, reason=why)
            tx.mark(f"conversation:{wanted}")
            tx.change("conversation.deleted", wanted, why)
        return self.receipt(owner, receipt)

    def forget_owner(self, owner: str, *, reason: str = "requested", actor: str = "person") -> Receipt:
        """Delete everything of an owner by one tombstone; rows are overwritten in batches.

        The call itself carries out the first of them; of a large owner the rest is done by whoever waits for
        the receipt, or by the worker. The owner refuses writes until ``reopen``. The receipt and the
        tombstones stay, without text.

        Raises:
            OwnerDeleted: it was deleted before. NotFound: nothing was ever stored for it.
        """
        why = door.identifier(reason, "reason")
        with self.writing(owner, deletions=1, actor=actor) as tx:
            if tx.revision == 1:
                raise errors.NotFound("Nothing is stored for this owner.", kind="owner")
            counts = store.counts_of_owner(tx)
            receipt = self._open(tx, TargetKind.OWNER, "", why, counts)
            store.bury(tx, [{"kind": "owner", "key": ""}], receipt=receipt, reason=why)
            tx.run(store.END_OWNER)
            tx.count(store.CLOSE_ALL_VALUES)
            tx.mark("owner:")
            tx.change("owner.deleted", "", why)
        return self.receipt(owner, receipt)

    def reopen(self, owner: str, *, reason: str = "requested", actor: str = "operator") -> int:
        """Start a new life under a deleted owner's id; return its epoch. Old ids stay dead.

        Raises:
            Conflict: the owner was not deleted.
        """
        why = door.identifier(reason, "reason")
        with self.writing(owner, deletions=1, revive=True, actor=actor) as tx:
            row = tx.run(store.REOPEN_OWNER)
            if row is None:
                raise errors.Conflict("The owner was not deleted.", kind="owner")
            tx.change("owner.reopened", "", why)
            return row.epoch

    def receipt(self, owner: str, receipt: str) -> Receipt:
        """Return a deletion's receipt as it stands.

        Raises:
            NotFound: there is none of this id.
        """
        wanted = door.identifier(receipt, "receipt")
        with self.reading(owner, deleted=True) as tx:
            found = self.copies.receipt(tx, wanted)
        if found is None:
            raise errors.NotFound("No such receipt of this owner.", kind="receipt", id=wanted)
        return self._waitable(owner, found)

    def receipts(self, owner: str, *, limit: int = 100, cursor: str | None = None) -> Page[Receipt]:
        """Return a page of an owner's receipts, oldest first."""
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        after = door.cursor(cursor, 2) or ("-1", "")
        with self.reading(owner, deleted=True) as tx:
            found = self.copies.receipts(tx, int(after[0]), after[1], size + 1)
        items = tuple(self._waitable(owner, one) for one in found[:size])
        following = None
        if len(found) > size:
            following = door.make_cursor(items[-1].revision, items[-1].id)
        return Page(items, following)

    def recheck_receipt(self, owner: str, receipt: str) -> Receipt:
        """Read every place of a verified deletion back once more, and return the receipt as it stands then.

        What is found (a file that was restored from a copy, a row that another program wrote) is taken out
        again, and the receipt is verified anew; one that is not verified yet is answered as it stands.

        Raises:
            NotFound: there is none of this id.
        """
        self.copies.verify_receipt(self.key(owner), door.identifier(receipt, "receipt"))
        return self.receipt(owner, receipt)

    def _waitable(self, owner: str, receipt: Receipt) -> Receipt:
        return self.copies.with_waiter(receipt, lambda found, timeout: self.wait(owner, found, timeout))

    def wait(
        self,
        owner: str,
        receipt: str,
        timeout: float = 60.0,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> Receipt:
        """Return a receipt once it is verified; under ``inline`` this does the work that is left.

        Args:
            timeout: in seconds; the batch in hand is finished.
            progress: called with how many copies were taken out since the last call, by this process.

        Raises:
            Incomplete: it was not within ``timeout``; details name the stores that are open.
        """
        deadline = time.monotonic() + timeout
        poll = POLL_SECONDS
        while True:
            if self.setup.derive is not Derive.EXTERNAL:
                pace = self.copies.pace(Effort.ALL, until=max(deadline, time.monotonic() + LEAST_SECONDS))
                pace.told, pace.rest = progress, REST
                self.copies.drain(self.key(owner), pace=pace)
            found = self.receipt(owner, receipt)
            if found.state is StoreState.VERIFIED:
                return found
            if time.monotonic() >= deadline:
                open_stores = [s.store for s in found.stores if s.state is not StoreState.VERIFIED]
                raise errors.Incomplete(
                    "The deletion is not verified yet; the stores that are open go on being retried.",
                    receipt=receipt,
                    stores=open_stores,
                )
            time.sleep(min(poll, max(0.0, deadline - time.monotonic())))
            poll = min(2 * poll, LONGEST_POLL_SECONDS)

    def erase_expired(self, owner: str, limit: int) -> tuple[int, int]:
        """Delete records whose time has passed under one receipt, and change no answer by it.

        No read showed their words any more, nor a note that was drawn from them. Values have limits of their
        own, and stand by those as they did before.

        Returns how many messages and notes, at most ``limit`` each. What has expired is read in the deleting
        transaction: a limit that was lifted in the meantime counts.
        """
        with self.writing(owner, deletions=1, actor="retention") as tx:
            expired = [row.id for row in tx.all(conversations.EXPIRED, limit=limit)]
            old_notes = [row.id for row in tx.all(conversations.EXPIRED_NOTES, limit=limit)]
            if not expired and not old_notes:
                tx.discard()
                return 0, 0
            rows = tx.all(store.EXPIRED_TO_ERASE, ids=expired)
            tx.count(store.ERASE_MESSAGES, ids=expired)
            receipt = self._bury_messages(tx, rows, "expired", lineage.messages_expired(tx, expired))
            tx.count(notes.ERASE_NOTES, ids=old_notes)
            tx.count(notes.CUT_NOTE_SOURCES, notes=old_notes)
            store.bury(tx, _note_graves(old_notes), receipt=receipt, reason="expired")
            tx.mark(*(f"note:{one}" for one in old_notes))
            for one in old_notes:
                tx.change("note.deleted", one, "expired")
        return len(expired), len(old_notes)

    def _erase_messages(self, tx: Writer, rows: Sequence[Row[Any]], reason: str) -> str:
        """Overwrite messages and what was drawn only from them, and open their receipt."""
        ids = [row.id for row in rows]
        tx.count(store.ERASE_MESSAGES, ids=ids)
        return self._bury_messages(tx, rows, reason, lineage.messages_deleted(self, tx, ids))

    def _bury_messages(self, tx: Writer, rows: Sequence[Row[Any]], reason: str, taken: lineage.Taken) -> str:
        """Write the tombstones of overwritten messages, with what went with them, and open their receipt."""
        ids = [row.id for row in rows]
        counts = {"messages": len(ids), "claims": taken.claims, "notes": len(taken.notes)}
        key = ids[0] if len(ids) == 1 else f"{len(ids)} messages"
        receipt = self._open(tx, TargetKind.MESSAGE, key, reason, counts)
        graves = [
            {
                "kind": "message",
                "key": row.id,
                "fingerprint": row.fingerprint,
                "conversation": row.conversation,
            }
            for row in rows
        ]
        store.bury(tx, [*graves, *_note_graves(taken.notes)], receipt=receipt, reason=reason)
        tx.mark(*(f"message:{one}" for one in ids))
        for one in ids:
            tx.change("message.deleted", one, reason)
        return receipt

    def _open(self, tx: Writer, kind: TargetKind, key: str, reason: str, counts: dict[str, int]) -> str:
        return open_receipt(self, tx, kind, key, reason=reason, counts=counts)


def _note_graves(ids: Sequence[str]) -> list[dict[str, str]]:
    return [{"kind": "note", "key": note} for note in ids]
