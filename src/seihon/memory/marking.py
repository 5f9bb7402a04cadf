"""Which words of a message or a note no longer hold, and what stands instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row

from seihon.canonical import profiles as store
from seihon.canonical.scope import Reader
from seihon.core.marks import Mark, MarkState, places
from seihon.core.schema import Field
from seihon.memory import reading
from seihon.memory.fields import value_json
from seihon.model import Superseded

Spans = Mapping[str, tuple[Superseded, ...]]


def superseded(tx: Reader, messages: Sequence[str], fields: Mapping[str, Field], locale: str) -> Spans:
    """Return, per message, where the quotes stand whose claim is no longer what its field says."""
    found: dict[str, list[Superseded]] = {}
    for row in tx.all(store.SUPERSEDED, messages=list(messages)):
        span = _span(tx, row, fields, locale)
        if span is not None:
            found.setdefault(row.message, []).extend(_everywhere(span, tx.open(row.content)))
    return _sorted(found)


def _everywhere(span: Superseded, text: str) -> Iterator[Superseded]:
    """Yield the span at each place where its words stand in the message."""
    for start, end in places(text, span.start, span.end) or ((span.start, span.end),):
        yield replace(span, start=start, end=end)


def superseded_notes(
    tx: Reader, written: Mapping[str, int], fields: Mapping[str, Field], locale: str
) -> Spans:
    """Return, per note, what of its source messages no longer holds since the note was written.

    ``written`` gives each note's instant (us). Which words of the note say it is not known: the spans are
    empty, and the mark stands before the note.
    """
    found: dict[str, list[Superseded]] = {}
    for row in tx.all(store.SUPERSEDED_OF_NOTES, notes=list(written)):
        span = _span(tx, row, fields, locale)
        if span is not None and row.opened_at > written[row.note]:
            found.setdefault(row.note, []).append(replace(span, start=0, end=0))
    return _sorted(found)


def lost(
    tx: Reader, rows: Sequence[Row[Any]], fields: Mapping[str, Field], locale: str
) -> tuple[Superseded, ...]:
    """Return what no longer holds in a text whose own words are not known: the mark stands before it."""
    spans = (_span(tx, row, fields, locale) for row in rows)
    found = {"": [replace(span, start=0, end=0) for span in spans if span is not None]}
    return _sorted(found)[""]


def _span(tx: Reader, row: Row[Any], fields: Mapping[str, Field], locale: str) -> Superseded | None:
    """Return the stretch that a claim was drawn from, unless its field says the same again."""
    current = value_json(tx, row.current_value) if row.status == "current" else None
    if current is not None and value_json(tx, row.said) == current:
        return None
    shown = reading.render(fields.get(row.field), current, locale)
    # Without a quote the claim rests on the message as a whole: the mark stands before it.
    return Superseded(row.quote_start or 0, row.quote_end or 0, row.field, row.scope, shown)


def _sorted(found: Mapping[str, Sequence[Superseded]]) -> Spans:
    return {
        record: tuple(sorted(dict.fromkeys(spans), key=lambda s: (s.start, s.end, s.field)))
        for record, spans in found.items()
    }


def to_marks(spans: Sequence[Superseded]) -> tuple[Mark, ...]:
    """Return the spans as the assembly of a context takes them."""
    return tuple(
        Mark(
            span.start,
            span.end,
            span.field,
            span.replacement,
            MarkState.WITHDRAWN if span.replacement is None else MarkState.SUPERSEDED,
        )
        for span in spans
    )
