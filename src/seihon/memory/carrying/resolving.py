"""What a field holds once two lives of its owner are one: a fold over the claims of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from seihon.canonical import profiles
from seihon.canonical.scope import Writer
from seihon.core.resolve import Position
from seihon.core.schema import Field
from seihon.memory.fields import DECLINED, Place, fold, place, spot, store_blank, store_held

IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Other:
    """What the other life says of a field in a scope: its floor, and how its open value stands."""

    floor: Position | None = None
    status: str = "current"
    claimed: bool = False

    def with_claim(self) -> Other:
        """Return it with the word that a claim of the other life was added."""
        return replace(self, claimed=True)


def resolve(tx: Writer, field: Field, scope: str, other: Other, *, reason: str = IMPORTED) -> bool:
    """Let a field follow the union of claims, above the higher of both floors; tell whether it moved."""
    at = place(tx, field, scope)
    raised = other.floor if is_higher(other.floor, at.floor) else None
    if raised is None and not other.claimed:
        return False
    above = at if raised is None else replace(at, floor=raised)
    held = fold(tx, above).held
    if held is None:
        return _blank(tx, at, raised, other, reason)
    if at.status == DECLINED and not held.confirmed:
        # Who does not want to say is not overruled by an inference of the other life.
        return False
    return store_held(tx, at, held, reason=reason, floor=raised) != at.version


def _blank(tx: Writer, at: Place, raised: Position | None, other: Other, reason: str) -> bool:
    if raised is None and at.status != "current":
        return False
    status = DECLINED if raised is not None and other.status == DECLINED else "withdrawn"
    store_blank(tx, at, status=status, reason=reason, floor=raised)
    return True


def blank_undeclared(
    tx: Writer, name: str, scope: str, claims: Sequence[str], floor: Position, *, reason: str
) -> None:
    """Close a value that one of these claims made, or that weighs what they said; no field is declared."""
    at = spot(tx, name, scope)
    if at.row is not None and (at.row.claim in claims or at.row.belief is not None):
        raised = floor if is_higher(floor, at.floor) else None
        store_blank(tx, at, status="withdrawn", reason=reason, floor=raised)


def is_higher(one: Position | None, other: Position | None) -> bool:
    """Tell whether a floor lies above another, where both are told of by their places alone."""
    if one is None or other is None:
        return other is None and one is not None
    return (one.at, one.seq, one.version) > (other.at, other.seq, other.version)


def withdraw(tx: Writer, claims: Sequence[str], *, reason: str, keep_values: bool) -> None:
    """Mark claims withdrawn, with or without what they said."""
    if claims:
        tx.count(profiles.WITHDRAW_CLAIMS, ids=list(claims), reason_=reason, keep=int(keep_values))


def forget_values(tx: Writer, claims: Sequence[str], *, reason: str) -> None:
    """Take the words of withdrawn claims out of the values that they made."""
    if claims:
        tx.count(profiles.BLANK_VALUES_OF_CLAIMS, ids=list(claims), reason_=reason)


def floor_of(row: Any) -> Position | None:
    """Return the floor of a value's record."""
    if row["floor_at"] is None:
        return None
    return Position(row["floor_at"], row["floor_seq"], row["floor_version"], 0, 0)
