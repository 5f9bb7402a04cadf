"""Which words of a message no longer hold, and what stands instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seihon.canonical import profiles as store
from seihon.canonical.scope import Reader
from seihon.core.marks import Mark, MarkState
from seihon.core.schema import Field
from seihon.memory import reading
from seihon.memory.fields import value_json
from seihon.model import Superseded


def superseded(
    tx: Reader, messages: Sequence[str], fields: Mapping[str, Field], locale: str
) -> Mapping[str, tuple[Superseded, ...]]:
    """Return, per message, the quotes whose claim is no longer what its field says."""
    found: dict[str, list[Superseded]] = {}
    for row in tx.all(store.SUPERSEDED, messages=list(messages)) if messages else ():
        current = value_json(tx, row.current_value) if row.status == "current" else None
        if current is not None and value_json(tx, row.said) == current:
            continue
        shown = reading.render(fields.get(row.field), current, locale)
        one = Superseded(row.quote_start, row.quote_end, row.field, row.scope, shown)
        found.setdefault(row.message, []).append(one)
    return {
        message: tuple(sorted(spans, key=lambda s: (s.start, s.end, s.field)))
        for message, spans in found.items()
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
