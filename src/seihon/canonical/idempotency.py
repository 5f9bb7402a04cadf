"""Idempotency records: a keyed hash of the key and of the request, and the id that was answered."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row, delete, select

from seihon.canonical import tables as t
from seihon.canonical.scope import NOW, OWNER, Reader, Writer, by_dialect, p

i = t.idempotency.c

REPLAYED_US: Final = 86_400_000_000
"""How long an answer can be replayed: a day."""

VOID: Final = "null"
"""What is left of an answer whose owner was deleted."""

FIND = select(i.request, i.answer).where(i.owner == OWNER, i.key == p("key"), i.expires_at > NOW)


def _keep(insert: Any) -> Any:
    new = insert(t.idempotency)
    kept = ("request", "answer", "created_at", "expires_at")
    return new.on_conflict_do_update(
        index_elements=["owner", "key"], set_={name: new.excluded[name] for name in kept}
    )


KEEP = by_dialect(_keep)
DROP_EXPIRED = delete(t.idempotency).where(i.owner == OWNER, i.expires_at <= NOW)


def find(tx: Reader, key: str) -> Row[Any] | None:
    """Return the unexpired record of a key."""
    return tx.first(FIND, key=key)


def drop_expired(tx: Writer) -> int:
    """Drop the answers that are not replayed any more; return how many went."""
    return tx.count(DROP_EXPIRED)


def keep(tx: Writer, key: str, request: str, answer: str) -> None:
    """Remember the answer of a request for a day."""
    tx.add(
        KEEP,
        [
            {
                "key": key,
                "request": request,
                "answer": answer,
                "created_at": tx.now,
                "expires_at": tx.now + REPLAYED_US,
            }
        ],
    )
