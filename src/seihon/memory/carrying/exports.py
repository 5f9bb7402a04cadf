"""Writing an owner down, for the person or for a migration, out of one snapshot and a page at a time.

For the person (portability): what they can read. Conversations, messages, current notes, values with their
sources, the claims behind them, candidates named as such. Nothing deleted, expired or superseded, and none
of the bookkeeping. A message has the form that transcripts have, so other systems can read it.

For a migration: every canonical row, dead ones without text, with the tombstones, receipts, closed values,
claims of every state and events. Copies, traces, idempotency answers and the tenant's schema stay behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row

from seihon.canonical import archive, profiles
from seihon.canonical import conversations as conversation_store
from seihon.canonical import notes as note_store
from seihon.canonical import transfer as store
from seihon.canonical.scope import Reader
from seihon.core.policies import Clock
from seihon.core.schema import Field
from seihon.memory import reading
from seihon.memory.carrying.records import END, FORMAT, ExportKind, line, written
from seihon.memory.fields import value_json
from seihon.model import Claim, ClaimState, FieldState, NoteState, Quote, instant, plain

PAGE = archive.PAGE


def header(tx: Reader, kind: ExportKind, owner: str, key_id: str) -> str:
    """Return the first line: whose memory this is, as of when, and which secret its fingerprints need."""
    return line(
        {
            "seihon": FORMAT,
            "kind": kind.value,
            "owner": owner,
            "tenant": tx.tenant,
            "exported_at": plain(instant(tx.now)),
            "revision": tx.revision,
            "epoch": tx.epoch,
            "key_id": key_id,
        }
    )


def whole(records: Iterator[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines of the records, and the end that counts them."""
    count = 0
    for record, data in records:
        count += 1
        yield written(record, data)
    yield written(END, {"records": count})


def for_migration(tx: Reader) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every canonical row, in the order in which rows can be added again."""
    own = archive.owner_record(tx)
    if own is not None:
        yield archive.OWNER_SHAPE.record, own
    for shape in archive.SHAPES:
        for data in archive.records(tx, shape):
            yield shape.record, data


def for_person(tx: Reader, fields: Mapping[str, Field]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what the person can read."""
    yield from (("conversation", data) for data in _conversations(tx))
    yield from (("message", data) for data in _messages(tx))
    yield from (("note", data) for data in _notes(tx))
    yield from (("value", data) for data in _values(tx, fields))
    yield from (("candidate" if waits else "claim", data) for waits, data in _claims(tx))


def _conversations(tx: Reader) -> Iterator[Mapping[str, Any]]:
    for row in _paged(tx, conversation_store.CONVERSATIONS, {"after": "id"}, after=""):
        retention = row.retain_us
        yield {
            "id": row.id,
            "created_at": plain(instant(row.created_at)),
            "retention_seconds": None if retention is None else retention / 1_000_000,
            "metadata": tx.open_json(row.metadata) or {},
        }


def _messages(tx: Reader) -> Iterator[Mapping[str, Any]]:
    cursor = {"after": "conversation", "after_seq": "seq"}
    for row in _paged(tx, store.MESSAGES_IN_ORDER, cursor, after="", after_seq=-1):
        yield {
            "id": row.id,
            "conversation": row.conversation,
            "role": row.role,
            "content": tx.open(row.content),
            "created_at": plain(instant(row.observed_at)),
            "expires_at": None if row.expires_at is None else plain(instant(row.expires_at)),
            "metadata": tx.open_json(row.metadata) or {},
        }


def _pages(
    tx: Reader, statement: Any, cursor: Mapping[str, str], **named: Any
) -> Iterator[Sequence[Row[Any]]]:
    """Yield the pages of a statement; ``cursor`` maps its parameters to the columns that they follow.

    ``named``: the parameters of the first page.
    """
    while True:
        rows = tx.all(statement, limit=PAGE, **named)
        yield rows
        if len(rows) < PAGE:
            return
        named |= {name: getattr(rows[-1], column) for name, column in cursor.items()}


def _paged(tx: Reader, statement: Any, cursor: Mapping[str, str], **named: Any) -> Iterator[Row[Any]]:
    """Yield the rows of a statement, page after page."""
    for rows in _pages(tx, statement, cursor, **named):
        yield from rows


_OF_NOTES: Final = (
    "id",
    "text",
    "scope",
    "state",
    "source",
    "observed_at",
    "expires_at",
    "sources",
    "metadata",
)


def _notes(tx: Reader) -> Iterator[Mapping[str, Any]]:
    states = [NoteState.CURRENT.value, NoteState.CANDIDATE.value]
    cursor, first = {"after": "at", "after_id": "id"}, archive.BEFORE_ALL
    for rows in _pages(tx, note_store.NOTES, cursor, states=states, after=first, after_id=""):
        for note in note_store.to_notes(tx, rows):
            yield {name: plain(getattr(note, name)) for name in _OF_NOTES}


def _values(tx: Reader, fields: Mapping[str, Field]) -> Iterator[Mapping[str, Any]]:
    """Yield each field's state in each scope where something was ever said of it."""
    rows = tx.all(profiles.VALUES_EVERYWHERE)
    quotes = profiles.quotes(tx, [row.claim for row in rows if row.claim is not None])
    clock = Clock(tx.turn, tx.now)
    for row in rows:
        declared = fields.get(row.field)
        if declared is None:
            yield _undeclared(tx, row)
        else:
            yield _state(reading.state_of(tx, declared, row.scope, row, clock, quotes))


def _state(state: FieldState) -> Mapping[str, Any]:
    kept = ("field", "scope", "status", "value", "confidence", "observed_at", "source", "reason")
    return {
        **{name: plain(getattr(state, name)) for name in kept},
        "quotes": [_quote(one) for one in state.quotes],
    }


def _undeclared(tx: Reader, row: Row[Any]) -> Mapping[str, Any]:
    """A field that the schema no longer has: no code reads it, and it is still the person's."""
    return {
        "field": row.field,
        "scope": row.scope,
        "status": row.status,
        "value": plain(value_json(tx, row.value)),
        "confidence": row.confidence,
        "observed_at": None if row.observed_at is None else plain(instant(row.observed_at)),
        "source": row.source,
        "reason": reading.OUTSIDE_SCHEMA,
        "quotes": [],
    }


def _claims(tx: Reader) -> Iterator[tuple[bool, Mapping[str, Any]]]:
    """Yield what was recorded of each field, and whether it waits for the person's word."""
    for rows in _pages(tx, store.CLAIMS_IN_ORDER, {"after": "id"}, after=""):
        for claim in reading.to_claims(tx, rows):
            yield claim.state is ClaimState.CANDIDATE, _claim(claim)


def _claim(claim: Claim) -> Mapping[str, Any]:
    kept = ("id", "field", "scope", "value", "confidence", "source", "state", "observed_at", "reason")
    return {
        **{name: plain(getattr(claim, name)) for name in kept},
        "quotes": [_quote(one) for one in claim.quotes],
    }


def _quote(quote: Quote) -> Mapping[str, Any]:
    return {"message": quote.message, "text": quote.text}
