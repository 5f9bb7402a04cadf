"""Deletions: tombstones, the overwriting of canonical rows, and the opening of a receipt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import func, select, update

from seihon.canonical import tables as t
from seihon.canonical.codec import to_json
from seihon.canonical.scope import FLOOR, OWNER, REVISION, Reader, Writer, by_dialect, p, standing_messages

m, c, o, n, b = t.messages.c, t.conversations.c, t.owners.c, t.notes.c, t.tombstones.c

# Opens the key of a tombstone that stands for a message's old text: no id holds a control character, so such
# a key is never taken for a message's, nor in the way of one.
OLD_TEXT: Final = "\x1f"


def _add_tombstones(insert: Any) -> Any:
    statement = insert(t.tombstones)
    new = statement.excluded
    kept = ("revision", "epoch", "at", "receipt", "actor", "reason")
    # What the words are known by is told by whoever knew them last.
    marks = {name: func.coalesce(new[name], b[name]) for name in ("fingerprint", "conversation")}
    return statement.on_conflict_do_update(
        index_elements=["owner", "kind", "key"], set_={**{name: new[name] for name in kept}, **marks}
    )


ADD_TOMBSTONES = by_dialect(_add_tombstones)
ERASE_MESSAGES = (
    update(t.messages)
    .where(m.owner == OWNER, m.id.in_(p("ids", many=True)), m.deleted_revision.is_(None))
    .values(content="", metadata=None, deleted_revision=REVISION, version=m.version + 1, revision=REVISION)
)
END_CONVERSATION = (
    update(t.conversations)
    .where(c.owner == OWNER, c.id == p("id"), c.deleted_revision.is_(None), c.created_revision > FLOOR)
    .values(deleted_revision=REVISION, metadata=None, version=c.version + 1, revision=REVISION)
    .returning(c.id)
)
END_OWNER = (
    update(t.owners)
    .where(o.owner == OWNER, o.state == "live")
    .values(state="deleted", floor_revision=REVISION)
    .returning(o.epoch)
)
# An earlier life's open values would stand in the way of the next one's.
CLOSE_ALL_VALUES = (
    update(t.field_values)
    .where(t.field_values.c.owner == OWNER, t.field_values.c.closed_revision.is_(None))
    .values(closed_revision=REVISION, belief=None)
)
REOPEN_OWNER = (
    update(t.owners).where(o.owner == OWNER, o.state == "deleted").values(state="live").returning(o.epoch)
)
COUNT_OF_CONVERSATION = select(func.count()).where(
    m.owner == OWNER, m.conversation == p("conversation"), m.deleted_revision.is_(None)
)
COUNTS_OF_OWNER = select(
    select(func.count())
    .where(m.owner == OWNER, m.deleted_revision.is_(None), m.created_revision > FLOOR)
    .scalar_subquery()
    .label("messages"),
    select(func.count())
    .where(n.owner == OWNER, n.deleted_revision.is_(None), n.created_revision > FLOOR)
    .scalar_subquery()
    .label("notes"),
    select(func.count())
    .where(t.claims.c.owner == OWNER, t.claims.c.revision > FLOOR, t.claims.c.state != "withdrawn")
    .scalar_subquery()
    .label("claims"),
    select(func.count())
    .where(c.owner == OWNER, c.deleted_revision.is_(None), c.created_revision > FLOOR)
    .scalar_subquery()
    .label("conversations"),
)
# Every bulk filter fans out to ids, which are then deleted like single ones.
# One whose time has passed can be deleted like any other: nobody has to wait for a sweep.
_STANDING = standing_messages(m.id, m.conversation, m.fingerprint)
MATCHING = _STANDING.where(
    p("conversation", t.Key).is_(None) | (m.conversation == p("conversation", t.Key)),
    p("since", t.Big).is_(None) | (m.observed_at >= p("since", t.Big)),
    p("until", t.Big).is_(None) | (m.observed_at < p("until", t.Big)),
).order_by(m.conversation, m.seq)
MESSAGES_TO_ERASE = _STANDING.where(m.id.in_(p("ids", many=True)))
EXPIRED_TO_ERASE = select(m.id, m.conversation, m.fingerprint).where(
    m.owner == OWNER, m.id.in_(p("ids", many=True)), m.deleted_revision.is_(None)
)
ADD_RECEIPT = t.receipts.insert()
ADD_RECEIPT_STORES = t.receipt_stores.insert()


def old_text_key(message: str, version: int) -> str:
    """Return the key of the tombstone of what a message said in a version that was edited."""
    return f"{OLD_TEXT}{message}{OLD_TEXT}{version}"


def is_old_text(key: str) -> bool:
    """Tell whether a tombstone stands for an old text: its message lives on, with other words."""
    return key.startswith(OLD_TEXT)


def bury(
    tx: Writer,
    rows: Sequence[Mapping[str, Any]],
    *,
    receipt: str,
    reason: str,
) -> None:
    """Write tombstones; ``rows`` hold ``kind`` and ``key``, messages also fingerprint and conversation."""
    shared = {
        "revision": tx.revision,
        "epoch": tx.epoch,
        "at": tx.now,
        "receipt": receipt,
        "actor": tx.actor,
        "reason": reason,
    }
    tx.add(ADD_TOMBSTONES, [{"fingerprint": None, "conversation": None, **row, **shared} for row in rows])


def open_receipt(
    tx: Writer,
    *,
    receipt: str,
    kind: str,
    key: str,
    reason: str,
    level: str,
    counts: Mapping[str, int],
    stores: Sequence[str],
    out_of_reach: Sequence[Mapping[str, str]],
) -> None:
    """Open the durable record of one deletion, every store pending; the first one is the original."""
    tx.add(
        ADD_RECEIPT,
        [
            {
                "id": receipt,
                "kind": kind,
                "key": key,
                "state": "pending",
                "level": level,
                "actor": tx.actor,
                "reason": reason,
                "revision": tx.revision,
                "epoch": tx.epoch,
                "opened_at": tx.now,
                "counts": to_json(dict(counts)),
                "purge": "[]",
                "out_of_reach": to_json([dict(place) for place in out_of_reach]),
            }
        ],
    )
    tx.add(
        ADD_RECEIPT_STORES,
        [
            {
                "receipt": receipt,
                "store": store,
                "ordinal": ordinal,
                "state": "pending",
                "attempts": 0,
                "removed": 0 if ordinal else _overwritten(kind, counts),
                "error": "",
                "updated_at": tx.now,
            }
            for ordinal, store in enumerate(stores)
        ],
    )


def _overwritten(kind: str, counts: Mapping[str, int]) -> int:
    """Return how many rows the deletion overwrites itself; a scope's own rows follow in batches."""
    if kind == "owner":
        return 0
    return sum(count for name, count in counts.items() if kind != "conversation" or name != "messages")


def counts_of_owner(tx: Reader) -> dict[str, int]:
    """Return how many live records of each kind the owner has."""
    row = tx.first(COUNTS_OF_OWNER)
    if row is None:
        return {}
    return {kind: getattr(row, kind) for kind in ("messages", "notes", "claims", "conversations")}
