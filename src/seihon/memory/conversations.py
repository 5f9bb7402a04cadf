"""Verbs on conversations and their messages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from seihon import errors
from seihon.canonical import conversations as store
from seihon.canonical import deletions
from seihon.canonical.scope import Reader, Writer
from seihon.memory import covering, door, lineage
from seihon.memory.base import Base
from seihon.memory.drafts import Draft, message_row
from seihon.model import KEEP, Conversation, Message, Owner, Page, Role, Unset


class Conversations(Base):
    """Append, read, edit and limit; deletion is a verb of its own (``forget``)."""

    def append(
        self,
        owner: str,
        conversation: str,
        role: Role | str,
        content: str,
        *,
        id: str | None = None,
        observed_at: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        expires_at: datetime | None = None,
        expires_after_turns: int | None = None,
        expect: int | None = None,
        idempotency_key: str | None = None,
    ) -> Message:
        """Add one message at the end of a conversation, which is made on first use.

        Args:
            observed_at: when it was said; clamped to the time of the commit, so that a date in the future
                beats nothing.
            expect: the conversation's version that the caller saw (0: none yet).
            expires_after_turns: how many further user messages it lives.
            idempotency_key: a repeated call with it answers the first message and adds nothing.

        Raises:
            VersionConflict: the conversation moved on; details carry its current version.
            Gone: the conversation, or a message of this id, was deleted.
            AlreadyExists: another message has this id.
        """
        draft = Draft(
            conversation=door.identifier(conversation, "conversation"),
            role=door.choice(role, "role", Role),
            content=door.text(content, "content"),
            metadata=door.metadata(metadata),
            observed_at=door.moment(observed_at, "observed_at"),
            expires_at=door.moment(expires_at, "expires_at"),
            expires_after=door.maybe_whole(expires_after_turns, "expires_after_turns", least=1),
        )
        given = None if id is None else door.identifier(id, "id")
        expected = door.maybe_whole(expect, "expect")
        turns = 1 if draft.role is Role.USER else 0
        with self.writing(owner, turns=turns) as tx:
            found = self.once(
                tx,
                idempotency_key,
                "append",
                draft.request(given),
                lambda: self._append(tx, draft, given, expected),
                keeps_standing=False,  # the turn that the transaction began with would be counted
            )
            if not tx.discarded:
                return store.get(tx, found)
        # It stood before, and this call changed nothing: it is read in the owner's turn as it is.
        return self._standing(owner, found, None if idempotency_key is not None else draft)

    def _append(self, tx: Writer, draft: Draft, given: str | None, expect: int | None) -> str:
        if given is not None and self._is_taken(tx, given):
            tx.discard()
            return given
        door.ahead(draft.expires_at, tx.now, "expires_at")
        seq, at, version = store.open_places(tx, draft.conversation, count=1, at=tx.place(draft.observed_at))
        if expect is not None and version - 1 != expect:
            raise errors.VersionConflict(
                f"The conversation moved on; it has version {version - 1} now.",
                kind="conversation",
                id=draft.conversation,
                current=version - 1,
            )
        message_id = given or tx.new_id("m")
        row = message_row(tx, self.setup.secret, draft, message_id, seq=seq, at=at, turn=tx.turn)
        store.add_messages(tx, [row])
        tx.mark(f"message:{message_id}")
        covering.appended(tx, draft.conversation, seq)
        tx.change("message.appended", message_id)
        return message_id

    @staticmethod
    def _is_taken(tx: Reader, message_id: str) -> bool:
        """Tell whether a message has this id already; refuse one that is dead."""
        if store.is_dead(tx, "message", message_id):
            raise errors.Gone(
                "The message was deleted and its id is never used again.", kind="message", id=message_id
            )
        return tx.first(store.MESSAGE_FATE, id=message_id) is not None

    def _standing(self, owner: str, message_id: str, draft: Draft | None) -> Message:
        """Return the message that stood already; one that is not the draft's has its id by chance."""
        with self.reading(owner) as tx:
            row = tx.first(store.MESSAGE, id=message_id)
            found = None if row is None else store.to_message(tx, row)
            if found is None and draft is None:
                store.refuse_missing(tx, "message", message_id)
        if found is not None and (draft is None or draft.is_of(found)):
            return found
        raise errors.AlreadyExists("Another message has this id.", kind="message", id=message_id)

    def message(self, owner: str, message_id: str) -> Message:
        """Return one message.

        Raises:
            Gone: it was deleted. NotFound: there is none, or its time has passed.
        """
        wanted = door.identifier(message_id, "id")
        with self.reading(owner) as tx:
            return store.get(tx, wanted)

    def messages(
        self, owner: str, conversation: str, *, limit: int = 100, cursor: str | None = None
    ) -> Page[Message]:
        """Return a page of a conversation's live messages in their order.

        Raises:
            Gone: the conversation was deleted. NotFound: there is none.
        """
        wanted = door.identifier(conversation, "conversation")
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        after = door.cursor(cursor, 1)
        with self.reading(owner) as tx:
            self._require_conversation(tx, wanted)
            start = 0 if after is None else int(after[0])
            rows = tx.all(store.PAGE, conversation=wanted, after=start, limit=size + 1)
            items = tuple(store.to_message(tx, row) for row in rows[:size])
        return Page(items, door.make_cursor(items[-1].seq) if len(rows) > size else None)

    def edit(
        self,
        owner: str,
        message_id: str,
        content: str,
        *,
        expect: int,
        metadata: Mapping[str, Any] | Unset | None = KEEP,
    ) -> Message:
        """Replace a message's text; what was drawn from the old text is withdrawn in the same transaction.

        The old text is not kept. ``metadata`` left out stays as it was.

        Raises:
            VersionConflict: another edit came first; details carry the current version.
            Gone, NotFound: as ``message``.
        """
        wanted, fresh = door.identifier(message_id, "id"), door.text(content, "content")
        meta = metadata if isinstance(metadata, Unset) else door.metadata(metadata)
        expected = door.whole(expect, "expect", least=1)
        with self.writing(owner) as tx:
            before = store.get(tx, wanted)
            kept = before.metadata if isinstance(meta, Unset) else meta
            self._replace_text(tx, before, expected, fresh, kept)
            tx.run(store.TOUCH_CONVERSATION, id=before.conversation)
            self._bury_text(tx, before)
            lineage.message_edited(self, tx, wanted)
            tx.mark(f"message:{wanted}")
            tx.change("message.edited", wanted)
            return store.get(tx, wanted)

    def _replace_text(
        self, tx: Writer, before: Message, expected: int, fresh: str, metadata: Mapping[str, Any] | None
    ) -> None:
        """Overwrite a message in the version that the caller saw."""
        row = tx.run(
            store.EDIT_MESSAGE,
            id=before.id,
            expect=expected,
            content_=tx.seal(fresh),
            metadata_=tx.seal_json(metadata) if metadata else None,
            fingerprint_=self._mark_of(tx, before, fresh),
        )
        if row is None:
            raise errors.VersionConflict(
                f"The message was changed by another writer; it has version {before.version} now.",
                kind="message",
                id=before.id,
                current=before.version,
            )

    def _mark_of(self, tx: Reader, message: Message, content: str) -> str:
        """Return the fingerprint of a text where the message stands."""
        place, role = message.conversation, message.role.value
        return self.setup.secret.of_message(tx.owner, place, role, content)

    def _bury_text(self, tx: Writer, before: Message) -> None:
        """Remember an old text by its fingerprint: importing its transcript again must not bring it back."""
        grave = {
            "kind": "message",
            "key": deletions.old_text_key(before.id, before.version),
            "fingerprint": self._mark_of(tx, before, before.content),
            "conversation": before.conversation,
        }
        deletions.bury(tx, [grave], receipt="", reason="edited")

    def conversation(self, owner: str, conversation: str) -> Conversation:
        """Return one conversation.

        Raises:
            Gone: it was deleted. NotFound: there is none.
        """
        wanted = door.identifier(conversation, "conversation")
        with self.reading(owner) as tx:
            return self._require_conversation(tx, wanted)

    def conversations(self, owner: str, *, limit: int = 100, cursor: str | None = None) -> Page[Conversation]:
        """Return a page of an owner's conversations in the order of their ids."""
        size = door.whole(limit, "limit", least=1, most=door.MAX_PAGE)
        after = "" if cursor is None else door.identifier(cursor, "cursor")
        with self.reading(owner) as tx:
            rows = tx.all(store.CONVERSATIONS, after=after, limit=size + 1)
            counts = self._counts(tx, [row.id for row in rows[:size]])
            items = tuple(store.to_conversation(tx, row, counts.get(row.id, 0)) for row in rows[:size])
        return Page(items, items[-1].id if len(rows) > size else None)

    def update_conversation(
        self,
        owner: str,
        conversation: str,
        *,
        retention: timedelta | Unset | None = KEEP,
        metadata: Mapping[str, Any] | Unset | None = KEEP,
    ) -> Conversation:
        """Set a conversation's metadata, and how long after it was said each message may be read.

        What is left out stays; ``None`` takes it away.

        Raises:
            Gone: it was deleted. NotFound: there is none.
        """
        wanted = door.identifier(conversation, "conversation")
        limit = retention if isinstance(retention, Unset) else door.duration(retention, "retention")
        meta = metadata if isinstance(metadata, Unset) else door.metadata(metadata)
        with self.writing(owner) as tx:
            before = tx.first(store.CONVERSATION, id=wanted)
            if before is None:
                store.refuse_missing(tx, "conversation", wanted)
            kept = before.metadata if isinstance(meta, Unset) else meta and tx.seal_json(meta)
            tx.run(
                store.SET_CONVERSATION,
                id=wanted,
                retain=before.retain_us if isinstance(limit, Unset) else limit,
                metadata_=kept,
            )
            tx.change("conversation.updated", wanted)
            return self._require_conversation(tx, wanted)

    def owner(self, owner: str) -> Owner:
        """Return an owner's counters; one that was never written has all of them at 0."""
        with self.reading(owner, deleted=True) as tx:
            return Owner(owner, tx.revision, tx.epoch, tx.turn, tx.state == "deleted")

    def _require_conversation(self, tx: Reader, conversation: str) -> Conversation:
        row = tx.first(store.CONVERSATION, id=conversation)
        if row is None:
            store.refuse_missing(tx, "conversation", conversation)
        return store.to_conversation(tx, row, self._counts(tx, [conversation]).get(conversation, 0))

    @staticmethod
    def _counts(tx: Reader, ids: list[str]) -> Mapping[str, int]:
        if not ids:
            return {}
        return {row.conversation: row.messages for row in tx.all(store.COUNT_LIVE, ids=ids)}
