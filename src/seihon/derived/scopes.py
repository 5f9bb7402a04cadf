"""Keys of the outbox that name a scope: a conversation that was deleted, or an owner."""

from __future__ import annotations

from typing import Final

from seihon.canonical import index
from seihon.canonical.scope import Reader
from seihon.derived.contract import Target
from seihon.model import TargetKind

SCOPES: Final = frozenset({"conversation", "owner"})


def ended_scope(tx: Reader, key: str) -> Target | None:
    """Return what is to be taken out for a scope's key; ``None``: it stands, or is no scope."""
    kind, _, scope = key.partition(":")
    if kind == "owner":
        return Target(TargetKind.OWNER, "", tx.floor, tx.now) if tx.floor else None
    row = tx.first(index.CONVERSATION_ENDED, key=scope) if kind == "conversation" else None
    ended = None if row is None else row.deleted_revision
    return None if ended is None else Target(TargetKind.CONVERSATION, scope, ended, tx.now)
