"""Messages that were checked and are not stored yet, and the rows they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from seihon.canonical.fingerprints import Secret
from seihon.canonical.scope import Writer
from seihon.model import Message, Role, Trust

# Only the person's own words and the application's own record can ever confirm a value.
TRUST: Final[Mapping[Role, Trust]] = {
    Role.USER: Trust.PERSON,
    Role.ASSISTANT: Trust.UNTRUSTED,
    Role.TOOL: Trust.UNTRUSTED,
    Role.SYSTEM: Trust.UNTRUSTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A checked message; times in microseconds, ``expires_after`` in user messages."""

    conversation: str
    role: Role
    content: str
    metadata: Mapping[str, Any] | None = None
    observed_at: int | None = None
    expires_at: int | None = None
    expires_after: int | None = None

    @property
    def identity(self) -> tuple[str, Role, str]:
        """What two copies of one message share."""
        return self.conversation, self.role, self.content

    def is_of(self, message: Message) -> bool:
        """Tell whether a stored message is this one."""
        return (message.conversation, message.role, message.content) == self.identity

    def request(self, given: str | None) -> list[Any]:
        """Return what an idempotent repetition must repeat."""
        limits = [self.observed_at, self.expires_at, self.expires_after]
        return [*self.identity, given, *limits, dict(self.metadata or {})]


def message_row(
    tx: Writer, secret: Secret, draft: Draft, message_id: str, *, seq: int, at: int, turn: int
) -> dict[str, Any]:
    """Return the complete row of a new message."""
    return {
        "id": message_id,
        "conversation": draft.conversation,
        "seq": seq,
        "role": draft.role.value,
        "trust": TRUST[draft.role].value,
        "content": tx.seal(draft.content),
        "metadata": None if draft.metadata is None else tx.seal_json(draft.metadata),
        "observed_at": tx.now if draft.observed_at is None else draft.observed_at,
        "at": at,
        "turn": turn,
        "version": 1,
        "created_revision": tx.revision,
        "revision": tx.revision,
        "recorded_at": tx.now,
        "expires_at": draft.expires_at,
        "expires_turn": None if draft.expires_after is None else tx.turn + draft.expires_after,
        "fingerprint": secret.of_message(tx.owner, draft.conversation, draft.role.value, draft.content),
        "deleted_revision": None,
    }
