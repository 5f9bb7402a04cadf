"""Vectors as a store: the statements that fill it, empty it and compare it with the original.

Every statement but those of one set reaches the vectors of all models: a text is deleted from each.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import LargeBinary, and_, case, delete, exists, func, literal, null, or_, select, update

from seihon.canonical import tables as t
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.ordered import first
from seihon.canonical.scope import (
    FLOOR,
    OWNER,
    ByDialect,
    Reader,
    Writer,
    by_dialect,
    p,
    standing_messages,
)

STORE: Final = "vectors"
SET: Final = "set:"
"""What begins the key of a set that is to be dropped."""

FLAWED: Final = "vector_"
"""What begins the code of a text that a model cannot embed, while it embeds others."""

FILLING: Final = "filling"
SERVING: Final = "serving"
RETIRED: Final = "retired"

v, z, m, n, c, x = t.vectors.c, t.vector_sets.c, t.messages.c, t.notes.c, t.conversations.c, t.dirty.c
_ALIVE = v.vector.is_not(None)
_OF_DOCS = (v.owner == OWNER, v.doc.in_(p("docs", many=True)))

# --- The originals behind keys, dead or alive: `ended` is the revision of the deletion. ---

MESSAGES = (
    select(
        m.id,
        m.content.label("text"),
        m.metadata,
        m.revision,
        m.created_revision,
        func.coalesce(m.deleted_revision, c.deleted_revision).label("ended"),
    )
    .select_from(first(t.messages, (t.conversations, and_(c.owner == m.owner, c.id == m.conversation))))
    .where(m.owner == OWNER, c.owner == OWNER, m.id.in_(p("ids", many=True)))
)
NOTES = select(
    n.id,
    n.text,
    n.revision,
    n.created_revision,
    func.coalesce(n.deleted_revision, case((n.state == "current", null()), else_=n.revision)).label("ended"),
).where(n.owner == OWNER, n.id.in_(p("ids", many=True)))

# --- What is held. ---


def _held(size: Any) -> Any:
    return (
        select(
            v.doc,
            v.model,
            func.min(v.version).label("version"),
            func.min(v.input_hash).label("input_hash"),
            func.min(case((and_(_ALIVE, size == v.dim), 1), else_=0)).label("whole"),
            func.max(case((_ALIVE, 1), else_=0)).label("alive"),
            func.count().label("parts"),
        )
        .where(*_OF_DOCS)
        .group_by(v.doc, v.model)
    )


HELD = ByDialect(
    sqlite=_held(func.length(v.vector) / 4), postgresql=_held(func.coalesce(func.cardinality(v.vector), 0))
)
HELD_PAGE = (
    select(v.doc)
    .where(v.owner == OWNER, v.doc > p("after"), _ALIVE)
    .distinct()
    .order_by(v.doc)
    .limit(p("limit", t.Big))
)


def _put(insert: Any) -> Any:
    new = insert(t.vectors)
    return new.on_conflict_do_update(
        index_elements=["owner", "doc", "model", "part"],
        set_={name: new.excluded[name] for name in ("version", "dim", "input_hash", "vector")},
        where=v.version <= new.excluded.version,
    )


PUT_VECTORS = by_dialect(_put)
RENEW = (
    update(t.vectors)
    .where(v.owner == OWNER, v.doc == p("doc"), v.model == p("model"), _ALIVE)
    .values(version=p("version", t.Big))
)
DROP_OF_MODEL = delete(t.vectors).where(*_OF_DOCS, v.model == p("model"))
DROP = delete(t.vectors).where(*_OF_DOCS)
DROP_PARTS = delete(t.vectors).where(*_OF_DOCS, v.part > 0)
BURY = (
    update(t.vectors)
    .where(*_OF_DOCS, v.part == 0, _ALIVE)
    .values(
        vector=null(),
        input_hash="",
        dim=0,
        version=case((v.version > p("bound", t.Big), v.version), else_=p("bound", t.Big)),
    )
)

# --- What a deletion takes out, and the count of what is left. ---

HELD_OF_CONVERSATION = (
    select(v.doc, m.seq)
    .select_from(first(t.messages, (t.vectors, v.doc == literal(MESSAGE, t.Key) + m.id)))
    .where(
        v.owner == OWNER,
        _ALIVE,
        m.owner == OWNER,
        m.conversation == p("key"),
        m.seq > p("after", t.Big),
    )
    .distinct()
    .order_by(m.seq)
    .limit(p("limit", t.Big))
)
LEFT = select(func.count()).where(*_OF_DOCS, _ALIVE)
_BEFORE = (v.owner == OWNER, v.version <= p("bound", t.Big))
HELD_BEFORE = select(v.doc).where(*_BEFORE).distinct().limit(p("limit", t.Big))
DROP_BEFORE = delete(t.vectors).where(*_BEFORE, v.doc.in_(p("docs", many=True)))
LEFT_BEFORE = select(func.count()).where(*_BEFORE)
DROP_EMPTY_SETS = delete(t.vector_sets).where(
    z.owner == OWNER,
    ~exists(select(v.doc).where(v.owner == OWNER, v.model == z.model)).correlate(t.vector_sets),
)

# --- The sets: per model, whether it is being filled, serves, or is to be dropped. ---

SETS = select(z.model, z.state).where(z.owner == OWNER).order_by(z.model)


def _put_set(insert: Any) -> Any:
    new = insert(t.vector_sets)
    return new.on_conflict_do_update(index_elements=["owner", "model"], set_={"state": new.excluded.state})


PUT_SET = by_dialect(_put_set)
RETIRE_OTHERS = (
    update(t.vector_sets)
    .where(z.owner == OWNER, z.model != p("model"))
    .values(state=RETIRED)
    .returning(z.model)
)
DROP_SET = delete(t.vector_sets).where(z.owner == OWNER, z.model == p("model"))
DOCS_OF_SET = select(v.doc).where(v.owner == OWNER, v.model == p("model")).distinct().limit(p("limit", t.Big))
# Whether anything but these keys waits, apart from texts that failed by their own fault.
OTHERS_WAIT = (
    select(x.key)
    .where(
        x.owner == OWNER,
        x.store == STORE,
        or_(x.attempts == 0, func.substr(x.error, 1, len(FLAWED)) != FLAWED),
        x.key.not_in(p("keys", many=True)),
        func.substr(x.key, 1, len(SET)) != SET,
    )
    .limit(1)
)


def _lacks(doc: Any, revision: Any, of: Any) -> Any:
    """Tell whether the set lacks a text in its version, and nothing waits or has failed for it."""
    stored = exists(
        select(v.doc).where(
            v.owner == OWNER,
            v.doc == doc,
            v.model == p("model"),
            v.part == 0,
            v.version == revision,
            _ALIVE,
        )
    ).correlate(of)
    waits = exists(select(x.key).where(x.owner == OWNER, x.store == STORE, x.key == doc)).correlate(of)
    return and_(~stored, ~waits)


MISSING_MESSAGES = (
    standing_messages(m.id)
    .where(m.id > p("after"), _lacks(literal(MESSAGE, t.Key) + m.id, m.revision, t.messages))
    .order_by(m.id)
    .limit(p("limit", t.Big))
)
MISSING_NOTES = (
    select(n.id)
    .where(
        n.owner == OWNER,
        n.deleted_revision.is_(None),
        n.state == "current",
        n.created_revision > FLOOR,
        n.id > p("after"),
        _lacks(literal(NOTE, t.Key) + n.id, n.revision, t.notes),
    )
    .order_by(n.id)
    .limit(p("limit", t.Big))
)

# --- The vectors themselves. ---


def _stored(vector: Any) -> Any:
    # In no order: sorting rows of some kilobytes would go to disk.
    return select(v.doc, v.version, vector.label("vector")).where(
        v.owner == OWNER, v.model == p("model"), v.dim == p("dim", t.Big), _ALIVE
    )


# PostgreSQL sends an array as text, which takes ten times as long to read as its bytes.
STORED = ByDialect(
    sqlite=_stored(v.vector), postgresql=_stored(func.array_send(v.vector, type_=LargeBinary()))
)
ARRAY_HEAD: Final = 5
"""Words of 4 bytes before the elements of an array that PostgreSQL sends; each has its length before it."""


def sealed(tx: Writer, vector: array[float]) -> Any:
    """Return what is stored in place of a vector."""
    data = tx.seal_bytes(_little(vector).tobytes())
    if tx.dialect == "sqlite":
        return data
    floats = array("f", data)
    return _little(floats).tolist()


def opened(tx: Reader, rows: Sequence[Any]) -> list[bytes]:
    """Return each row's vector: 32-bit floats, little-endian or in an array as PostgreSQL sends it."""
    return [tx.open_bytes(row.vector) for row in rows]


def _little(vector: array[float]) -> array[float]:
    """Return a vector in little-endian order, or a little-endian one in the machine's."""
    if sys.byteorder == "little":
        return vector
    turned = vector[:]
    turned.byteswap()
    return turned
