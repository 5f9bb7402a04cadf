"""Traces of context runs: ids, versions and counts, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import Row, delete, or_, select, tuple_

from seihon.canonical import tables as t
from seihon.canonical.codec import from_json, to_json
from seihon.canonical.scope import FLOOR, NOW, OWNER, Writer, p
from seihon.model import ContextItem, ContextOmission, Trace, instant

r = t.traces.c

ADD_TRACE = t.traces.insert()
# A context of an earlier life is as dead as what it showed; only an owner without one has runs at revision 0.
_OF_THIS_LIFE = or_(r.revision > FLOOR, FLOOR == 0)
TRACE = select(t.traces).where(r.owner == OWNER, r.id == p("id"), _OF_THIS_LIFE)
TRACES = (
    select(t.traces)
    .where(r.owner == OWNER, _OF_THIS_LIFE, tuple_(r.at, r.id) < tuple_(p("before", t.Big), p("before_id")))
    .order_by(r.at.desc(), r.id.desc())
    .limit(p("limit", t.Big))
)
DROP_OLD = delete(t.traces).where(r.owner == OWNER, r.at < NOW - p("keep", t.Big))
KEEP_DAYS: Final = 30
"""How long a trace is kept. Each context leaves one; it is asked for while somebody asks why an answer was
given, and a month is longer than that takes."""


def add(tx: Writer, trace: Trace, at: int) -> None:
    """Store one run."""
    row = {
        "id": trace.id,
        "at": at,
        "conversation": trace.conversation or "",
        "purpose": trace.purpose,
        "tokenizer": trace.tokenizer,
        "budget": trace.budget,
        "tokens": trace.tokens,
        "revision": trace.revision,
        "epoch": trace.epoch,
        "items": to_json([_named(one, _ITEM) for one in trace.items]),
        "omissions": to_json([_named(one, _OMISSION) for one in trace.omissions]),
    }
    tx.add(ADD_TRACE, [row])


def drop_old(tx: Writer) -> int:
    """Drop the traces that are older than ``KEEP_DAYS``; return how many went."""
    return tx.count(DROP_OLD, keep=KEEP_DAYS * 86_400_000_000)


_ITEM = [field.name for field in fields(ContextItem)]
_OMISSION = [field.name for field in fields(ContextOmission)]


def _named(one: object, names: Sequence[str]) -> dict[str, Any]:
    # `dataclasses.asdict` copies every value; a context has more than a hundred of these.
    return {name: getattr(one, name) for name in names}


def to_trace(row: Row[Any]) -> Trace:
    """Return the noun of a trace's row."""
    return Trace(
        id=row.id,
        at=instant(row.at),
        conversation=row.conversation or None,
        purpose=row.purpose,
        tokenizer=row.tokenizer,
        budget=row.budget,
        tokens=row.tokens,
        revision=row.revision,
        epoch=row.epoch,
        items=tuple(ContextItem(**item) for item in from_json(row.items)),
        omissions=tuple(ContextOmission(**one) for one in from_json(row.omissions)),
    )
