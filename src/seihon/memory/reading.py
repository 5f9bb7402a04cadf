"""From stored value rows to what a read answers: states, ages, quotes, and which scope wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import profiles as store
from seihon.canonical.scope import Reader
from seihon.core.freshness import Freshness, FreshnessState, freshness
from seihon.core.policies import Clock, Outcome
from seihon.core.schema import Field, ProfileSchema
from seihon.memory.fields import NO_VALUE, held_of, value_json
from seihon.model import (
    Claim,
    ClaimState,
    Confidence,
    FieldState,
    FieldStatus,
    Quote,
    Source,
    Value,
    instant,
)

OUTSIDE_SCHEMA = "outside_schema"
# What the person made of a candidate.
REJECTED = "rejected"
CONFIRMED = "confirmed"
# A scope in one of these states answers for itself; otherwise a broader scope is asked.
_ANSWERS = frozenset({FieldStatus.CURRENT, FieldStatus.STALE, FieldStatus.DECLINED})


def states(
    tx: Reader,
    schema: ProfileSchema,
    scopes: Sequence[str],
    rows: Iterable[Row[Any]],
    clock: Clock,
    *,
    with_quotes: bool = True,
) -> Mapping[str, FieldState]:
    """Return one state for each field: that of the narrowest scope that has an answer.

    ``scopes`` run from the narrowest to ``default``.
    """
    by_place = {(row.field, row.scope): row for row in rows}
    quoted = [row.claim for row in by_place.values() if row.claim is not None] if with_quotes else []
    quotes = store.quotes(tx, quoted)
    return {
        name: _narrowest(
            [
                state_of(tx, field, scope, by_place.get((name, scope)), clock, quotes)
                for scope in scopes
                if scope == scopes[-1] or field.scoped
            ]
        )
        for name, field in schema.fields.items()
    }


def _narrowest(found: Sequence[FieldState]) -> FieldState:
    for state in found:
        if state.status in _ANSWERS:
            return state
    # Nobody answers: the narrowest that ever held something explains the blank best.
    return next((state for state in found if state.version), found[-1])


def state_of(
    tx: Reader,
    field: Field,
    scope: str,
    row: Row[Any] | None,
    clock: Clock,
    quotes: Mapping[str, tuple[Quote, ...]],
) -> FieldState:
    """Return what one value row answers at ``clock``."""
    if row is None:
        return FieldState(field.name, scope, FieldStatus.BLANK, NO_VALUE)
    if row.status != "current":
        return FieldState(field.name, scope, FieldStatus(row.status), row.reason, row.version)
    held = held_of(tx, field, row)
    if held is None:
        return FieldState(
            field.name,
            scope,
            FieldStatus.BLANK,
            OUTSIDE_SCHEMA,
            row.version,
            last_known=value_json(tx, row.value),
        )
    fresh = freshness(held, clock, field.limits, field.policy)
    return _served(field, scope, row, fresh, quotes.get(row.claim, ()))


def _served(
    field: Field, scope: str, row: Row[Any], fresh: Freshness, quotes: tuple[Quote, ...]
) -> FieldState:
    reading = errors.certain(fresh.reading, "a held value has a reading")
    served = fresh.state is not FreshnessState.BLANK
    return FieldState(
        field.name,
        scope,
        _status(fresh),
        row.reason if fresh.reason is None else fresh.reason.value,
        row.version,
        value=reading.value if served else None,
        last_known=None if served else reading.best,
        confidence=Confidence.CONFIRMED if reading.confirmed else Confidence.INFERRED,
        probability=reading.probability,
        observed_at=instant(reading.at),
        turn=reading.turn,
        age_turns=fresh.age_turns,
        age_seconds=fresh.age_seconds,
        claim=reading.key,
        source=None if row.source is None else Source(row.source),
        quotes=quotes,
    )


def _status(fresh: Freshness) -> FieldStatus:
    match fresh.state:
        case FreshnessState.CURRENT:
            return FieldStatus.CURRENT
        case FreshnessState.STALE:
            return FieldStatus.STALE
        case FreshnessState.BLANK:
            # Too old is a state of its own; too uncertain is a plain blank.
            too_old = fresh.reason is not None and fresh.reason.value.startswith("blank_after")
            return FieldStatus.EXPIRED if too_old else FieldStatus.BLANK


def render(field: Field | None, value: Value | None, locale: str) -> str | None:
    """Return a value as a person reads it; ``None`` stays ``None``."""
    if value is None or field is None:
        return None if value is None else str(value)
    try:
        return field.type.render(
            field.load(list(value) if isinstance(value, tuple) else value), locale=locale
        )
    except errors.InvalidValue:
        return str(value)


def to_claims(tx: Reader, rows: Sequence[Row[Any]]) -> tuple[Claim, ...]:
    """Return the nouns of claims, their quotes read in one statement; a withdrawn one shows no words."""
    quotes = store.quotes(tx, [row.id for row in rows if row.state != ClaimState.WITHDRAWN])
    return tuple(
        Claim(
            id=row.id,
            field=row.field,
            scope=row.scope,
            value=value_json(tx, row.value),
            confidence=Confidence(row.confidence),
            source=Source(row.source),
            state=ClaimState(row.state),
            outcome=outcome,
            reason=reason,
            observed_at=instant(row.observed_at),
            recorded_at=instant(row.recorded_at),
            turn=row.turn,
            revision=row.revision,
            extractor=row.extractor,
            quotes=quotes.get(row.id, ()),
        )
        for row in rows
        for outcome, reason in [_decided(row)]
    )


def _decided(row: Row[Any]) -> tuple[str, str]:
    """Return what was decided in the end: where the person was asked, that is what they said.

    The policy's own decision stays stored: whether a claim was ever the value depends on it.
    """
    match row.state:
        case ClaimState.REJECTED if row.outcome != Outcome.REJECT:
            return Outcome.REJECT.value, REJECTED
        case ClaimState.CONFIRMED:
            return Outcome.ACCEPT.value, CONFIRMED
        case _:
            return row.outcome, row.reason
