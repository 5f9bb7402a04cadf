"""Every canonical table of an owner as records: their shapes, pages to read and rows to add.

A shape is taken from the table itself, so a new column is carried from the day it is declared. Text leaves
and enters through the codec; what was deleted has no text to leave, and what a scope's tombstone has not
been overwritten of yet leaves without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, Insert, Row, Select, Table, and_, select, tuple_, update

from seihon.canonical import tables as t
from seihon.canonical.codec import from_json, to_json
from seihon.canonical.scope import OWNER, Reader, Writer, p

PAGE: Final = 500
BEFORE_ALL: Final = -(2**62)


class Form(Enum):
    """How a column's value is stored and written down."""

    NUMBER = "number"
    REAL = "real"
    WORD = "word"
    TEXT = "text"
    JSON = "json"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True)
class Part:
    """One column of a record; ``allowed`` holds the words that it is limited to, if it is."""

    name: str
    form: Form
    nullable: bool
    allowed: frozenset[str]
    key: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of record: its parts without the owner, how to page through it and how to add it."""

    record: str
    parts: tuple[Part, ...]
    page: Select[Any]
    order: tuple[str, ...]
    held: Select[Any]
    by: tuple[str, ...]
    add: Insert

    @property
    def key(self) -> tuple[str, ...]:
        """Return the names that tell one record of an owner from another."""
        return tuple(part.name for part in self.parts if part.key)

    @property
    def start(self) -> tuple[str | int, ...]:
        """Return the cursor before the first page."""
        forms = {part.name: part.form for part in self.parts}
        return tuple(-1 if forms[name] is Form.NUMBER else "" for name in self.order)


def _page(table: Table, *order: str) -> Select[Any]:
    """Return the owner's rows after a cursor, in the order of an index that leads with the owner."""
    columns = [table.c[name] for name in order]
    cursor = [p(f"after_{name}", table.c[name].type) for name in order]
    return (
        select(table)
        .where(table.c.owner == OWNER, tuple_(*columns) > tuple_(*cursor))
        .order_by(*columns)
        .limit(p("limit", t.Big))
    )


def _held(table: Table, *by: str) -> Select[Any]:
    """Return the keys of rows that stand or lie dead, looked up by some of their columns."""
    key = [column for column in table.primary_key.columns if column.name != "owner"]
    asked = [table.c[name].in_(p(name, many=True)) for name in by]
    return select(*key).where(table.c.owner == OWNER, *asked)


m, c = t.messages.c, t.conversations.c
OWNER_ROW = select(t.owners).where(t.owners.c.owner == OWNER)
CONVERSATION_PAGE = _page(t.conversations, "id")
# With the end of the conversation, which is the end of its messages too.
MESSAGE_PAGE = (
    _page(t.messages, "conversation", "seq")
    .add_columns(c.deleted_revision.label("scope_ended"))
    .join(t.conversations, and_(c.owner == m.owner, c.id == m.conversation))
    .where(c.owner == OWNER)
)
CLAIM_PAGE = _page(t.claims, "id")
CLAIM_SOURCE_PAGE = _page(t.claim_sources, "claim", "message")
FIELD_VALUE_PAGE = _page(t.field_values, "field", "scope", "version")
NOTE_PAGE = _page(t.notes, "id")
NOTE_SOURCE_PAGE = _page(t.note_sources, "note", "message")
TOMBSTONE_PAGE = _page(t.tombstones, "kind", "key")
RECEIPT_PAGE = _page(t.receipts, "id")
RECEIPT_STORE_PAGE = _page(t.receipt_stores, "receipt", "store")
CHANGE_PAGE = _page(t.changes, "revision", "ordinal")
CONVERSATIONS_HELD = _held(t.conversations, "id")
MESSAGES_HELD = _held(t.messages, "id")
CLAIMS_HELD = _held(t.claims, "id")
CLAIM_SOURCES_HELD = _held(t.claim_sources, "claim")
FIELD_VALUES_HELD = _held(t.field_values, "field")
NOTES_HELD = _held(t.notes, "id")
NOTE_SOURCES_HELD = _held(t.note_sources, "note")
TOMBSTONES_HELD = _held(t.tombstones, "kind", "key")
RECEIPTS_HELD = _held(t.receipts, "id")
RECEIPT_STORES_HELD = _held(t.receipt_stores, "receipt")
CHANGES_HELD = _held(t.changes, "revision")
RESTORE_OWNER = (
    update(t.owners)
    .where(t.owners.c.owner == OWNER)
    .values(
        revision=p("revision_", t.Big),
        epoch=p("epoch_", t.Big),
        turn=p("turn_", t.Big),
        floor_revision=p("floor_", t.Big),
        state=p("state_", t.Key),
        created_at=p("created_at_", t.Big),
        active_at=p("active_at_", t.Big),
        # What the file says was ordered up to there, or later; this database goes on above it.
        monotonic_at=p("active_at_", t.Big),
    )
)


def _form(table: Table, column: Column[Any]) -> Form:
    place = (table.name, column.name)
    if place in t.TEXT_COLUMNS:
        return Form.TEXT if column.name in ("content", "text") else Form.JSON
    if place in t.STRUCTURAL_COLUMNS:
        return Form.STRUCTURE
    if column.type is t.Big:
        return Form.NUMBER
    return Form.WORD if column.type is t.Key else Form.REAL


def _allowed(table: Table) -> Mapping[str, frozenset[str]]:
    checks = (str(one.sqltext) for one in table.constraints if isinstance(one, CheckConstraint))
    found = (re.fullmatch(r"(\w+) IN \(([^)]*)\)", check) for check in checks)
    return {match[1]: frozenset(re.findall(r"'(\w+)'", match[2])) for match in found if match}


# What a record of a file does not tell: whose it is, and how this database keeps its writes in order.
_OF_HERE: Final = frozenset({"owner", "monotonic_at"})


def _shape(record: str, table: Table, page: Select[Any], order: str, held: Select[Any], by: str) -> Shape:
    allowed = _allowed(table)
    parts = tuple(
        Part(
            column.name,
            _form(table, column),
            bool(column.nullable),
            allowed.get(column.name, frozenset()),
            column.primary_key,
        )
        for column in table.columns
        if column.name not in _OF_HERE
    )
    return Shape(record, parts, page, tuple(order.split()), held, tuple(by.split()), table.insert())


OWNER_SHAPE: Final = _shape("owner", t.owners, OWNER_ROW, "", OWNER_ROW, "")
# In the order of their foreign keys, deletions first: what is dead is known before anything is added.
SHAPES: Final[tuple[Shape, ...]] = (
    _shape("receipt", t.receipts, RECEIPT_PAGE, "id", RECEIPTS_HELD, "id"),
    _shape(
        "receipt_store", t.receipt_stores, RECEIPT_STORE_PAGE, "receipt store", RECEIPT_STORES_HELD, "receipt"
    ),
    _shape("tombstone", t.tombstones, TOMBSTONE_PAGE, "kind key", TOMBSTONES_HELD, "kind key"),
    _shape("conversation", t.conversations, CONVERSATION_PAGE, "id", CONVERSATIONS_HELD, "id"),
    _shape("message", t.messages, MESSAGE_PAGE, "conversation seq", MESSAGES_HELD, "id"),
    _shape("note", t.notes, NOTE_PAGE, "id", NOTES_HELD, "id"),
    _shape("note_source", t.note_sources, NOTE_SOURCE_PAGE, "note message", NOTE_SOURCES_HELD, "note"),
    _shape("claim", t.claims, CLAIM_PAGE, "id", CLAIMS_HELD, "id"),
    _shape("claim_source", t.claim_sources, CLAIM_SOURCE_PAGE, "claim message", CLAIM_SOURCES_HELD, "claim"),
    _shape(
        "field_value", t.field_values, FIELD_VALUE_PAGE, "field scope version", FIELD_VALUES_HELD, "field"
    ),
    _shape("change", t.changes, CHANGE_PAGE, "revision ordinal", CHANGES_HELD, "revision"),
)
SHAPE_OF: Final[Mapping[str, Shape]] = {shape.record: shape for shape in SHAPES}
# What each record refers to: its column, and the kind of record that the column names.
REFERENCES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "receipt_store": (("receipt", "receipt"),),
    "message": (("conversation", "conversation"),),
    "note_source": (("note", "note"), ("message", "message")),
    "claim": (("message", "message"),),
    "claim_source": (("claim", "claim"), ("message", "message")),
    "field_value": (("claim", "claim"),),
}
# The column that says in which revision a record began; one of the floor or older is of an earlier life.
_BEGAN: Final = {
    "conversation": "created_revision",
    "message": "created_revision",
    "note": "created_revision",
    "claim": "revision",
    "field_value": "opened_revision",
}


def records(tx: Reader, shape: Shape) -> Iterator[dict[str, Any]]:
    """Yield every record of one shape in the plain JSON values of its parts, a page at a time."""
    after = shape.start
    while True:
        cursor = {f"after_{name}": value for name, value in zip(shape.order, after, strict=True)}
        rows = tx.all(shape.page, limit=PAGE, **cursor)
        yield from (_written(tx, shape, row) for row in rows)
        if len(rows) < PAGE:
            return
        after = tuple(getattr(rows[-1], name) for name in shape.order)


def owner_record(tx: Reader) -> dict[str, Any] | None:
    """Return the owner's own record, ``None`` for one that was never written."""
    row = tx.first(OWNER_ROW)
    return None if row is None else _written(tx, OWNER_SHAPE, row)


def _written(tx: Reader, shape: Shape, row: Row[Any]) -> dict[str, Any]:
    dead = _is_dead(tx, shape, row)
    return {part.name: _value(tx, part, getattr(row, part.name), dead) for part in shape.parts}


def _is_dead(tx: Reader, shape: Shape, row: Row[Any]) -> bool:
    """Tell whether a record may not leave with its text, whatever is still stored of it."""
    ended = getattr(row, "deleted_revision", None) or getattr(row, "scope_ended", None)
    began = began_of(shape)
    return ended is not None or (began is not None and getattr(row, began) <= tx.floor)


def began_of(shape: Shape) -> str | None:
    """Return the name of the part that says in which revision a record began, if it has one."""
    return _BEGAN.get(shape.record)


def bare(shape: Shape, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without its text, as a dead one is stored."""
    empty = {Form.TEXT: "", Form.JSON: None}
    return {part.name: empty.get(part.form, data[part.name]) for part in shape.parts}


def held(tx: Reader, shape: Shape, wanted: Iterable[Mapping[str, Any]]) -> set[tuple[Any, ...]]:
    """Return which of these keys the owner has already, dead or alive; a key names what ``shape.by`` does."""
    rows = list(wanted)
    if not rows:
        return set()
    asked = {name: sorted({row[name] for row in rows}) for name in shape.by}
    return {tuple(row) for row in tx.all(shape.held, **asked)}


def _value(tx: Reader, part: Part, stored: Any, dead: bool) -> Any:
    match part.form:
        case Form.TEXT:
            return "" if dead else tx.open(stored)
        case Form.JSON:
            return None if dead else tx.open_json(stored)
        case Form.STRUCTURE:
            return from_json(stored)
        case _:
            return stored


def stored(tx: Writer, shape: Shape, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a record that was checked."""
    return {part.name: _stored(tx, part, data[part.name]) for part in shape.parts}


def _stored(tx: Writer, part: Part, value: Any) -> Any:
    match part.form:
        case Form.TEXT:
            return tx.seal(value) if value else ""
        case Form.JSON:
            return None if value is None else tx.seal_json(value)
        case Form.STRUCTURE:
            return to_json(value)
        case _:
            return value
