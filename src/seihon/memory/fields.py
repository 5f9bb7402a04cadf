"""One field in one scope inside a transaction: what stands, and how a claim or a withdrawal moves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import conversations
from seihon.canonical import profiles as store
from seihon.canonical.codec import to_json
from seihon.canonical.scope import Reader, Writer
from seihon.core.policies import Clock, Decision, Held, Outcome, Reason, Told
from seihon.core.resolve import Inferred, Position, Resolution, Statement, advance, resolve
from seihon.core.schema import Field
from seihon.core.values import Value
from seihon.memory import door

# Above every sequence number and version: a floor's own instant is below it as a whole.
TOP: Final = door.MAX_WHOLE
# Reasons of field states that no policy gives.
NO_VALUE = "no_value"
SOURCE_DELETED = "source_deleted"
SOURCE_EDITED = "source_edited"
SETTING_STANDS = "setting_stands"
FIELD_DELETED = "field_deleted"
DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class Spot:
    """A field's name in a scope, with its open value row (``None``: never had one), whatever the schema says.

    A deletion reaches by names what the schema no longer declares.
    """

    name: str
    scope: str
    row: Row[Any] | None
    floor: Position | None

    @property
    def version(self) -> int:
        """Return the version that ``expect`` compares; 0 before the first value."""
        return 0 if self.row is None else self.row.version

    @property
    def status(self) -> str:
        """Return the stored status: ``current``, ``blank``, ``withdrawn`` or ``declined``."""
        return "blank" if self.row is None else self.row.status


@dataclass(frozen=True, slots=True)
class Place(Spot):
    """A declared field in a scope, and what it holds."""

    field: Field
    held: Held | None

    def require(self, expect: int | None) -> None:
        """Refuse when the caller saw another version."""
        if expect is not None and expect != self.version:
            raise errors.VersionConflict(
                f"The field was changed by another writer; it has version {self.version} now.",
                kind="field",
                field=self.field.name,
                scope=self.scope,
                current=self.version,
            )


def spot(tx: Reader, name: str, scope: str) -> Spot:
    """Read what stands under a field's name in a scope, declared or not."""
    row = tx.first(store.VALUE, field=name, scope=scope)
    return Spot(name, scope, row, _floor(row))


def place(tx: Reader, field: Field, scope: str) -> Place:
    """Read what stands for a declared field in a scope."""
    row = tx.first(store.VALUE, field=field.name, scope=scope)
    return Place(field.name, scope, row, _floor(row), field, held_of(tx, field, row))


def held_of(tx: Reader, field: Field, row: Row[Any] | None) -> Held | None:
    """Return what a value row holds, or held; ``None`` for a blank, or a value the schema no longer allows.

    The weights behind a value go when it is closed: they hold what other claims said.
    """
    if row is None or row.status != "current":
        return None
    try:
        value = field.load(tx.open_json(row.value))
        belief = field.policy.load_state(tx.open_json(row.belief), field.type.load)
    except errors.InvalidValue:
        return None
    if row.closed_revision is not None:
        belief = Told(row.probability, row.opened_at)
    return Held(value, row.confidence == "confirmed", row.turn, row.at, row.claim, belief)


def _floor(row: Row[Any] | None) -> Position | None:
    if row is None or row.floor_at is None:
        return None
    return Position(row.floor_at, row.floor_seq, row.floor_version, 0, 0)


def statement_of(tx: Reader, field: Field, row: Row[Any]) -> Statement | None:
    """Return a recorded claim as a policy sees it; ``None`` when the schema no longer allows its value."""
    try:
        value = field.load(tx.open_json(row.value))
    except errors.InvalidValue:
        return None
    confirmed = row.confidence == "confirmed"
    return Statement(row.id, value, confirmed, row.turn, position_of(row), row.observed_at)


def position_of(row: Row[Any]) -> Position:
    """Return where a claim stands among all statements of its owner."""
    return Position(row.pos_at, row.pos_seq, row.pos_version, row.revision, row.ordinal)


def judge(tx: Reader, at: Place, statement: Statement) -> tuple[Held | None, Decision]:
    """Return what stands after a new statement, and what became of it.

    One that is newer than all others takes one step; a late one is folded into its own place.
    """
    if at.status == DECLINED and not statement.confirmed:
        return at.held, Decision(Outcome.CANDIDATE, Reason.NEEDS_CONFIRMATION)
    last = tx.first(store.LAST_STATEMENT, field=at.field.name, scope=at.scope)
    if last is None or statement.position > Position(*last):
        return advance(
            at.held,
            statement,
            policy=at.field.policy,
            inferred=at.field.inferred,
            floor=at.floor,
        )
    found = fold(tx, at, extra=[statement])
    decision = found.outcomes[statement.key]
    if decision.outcome is Outcome.ACCEPT and found.held is not None and found.held.value != statement.value:
        # It was the value in its time, which is over: what was said later stands.
        decision = Decision(Outcome.KEEP, Reason.OLDER)
    return found.held, decision


def fold(
    tx: Reader, at: Place, *, extra: Sequence[Statement] = (), without: frozenset[str] = frozenset()
) -> Resolution:
    """Fold every recorded claim of the field, and ``extra``, in the order of their positions."""
    rows = tx.all(store.STATEMENTS, field=at.field.name, scope=at.scope)
    recorded = (statement_of(tx, at.field, row) for row in rows if row.id not in without)
    known = [statement for statement in recorded if statement is not None]
    # What was recorded has passed the candidate rule already; it is not asked again.
    folded = resolve(known, policy=at.field.policy, inferred=Inferred.ACCEPT, floor=at.floor)
    if not extra:
        return folded
    # At or below the floor nothing waits either: `resolve` turns it down like a newest one.
    fresh = [s for s in extra if s.confirmed or at.field.inferred is Inferred.ACCEPT or _is_low(s, at)]
    waiting = {s.key: Decision(Outcome.CANDIDATE, Reason.NEEDS_CONFIRMATION) for s in extra if s not in fresh}
    both = resolve([*known, *fresh], policy=at.field.policy, inferred=Inferred.ACCEPT, floor=at.floor)
    return Resolution(both.held, {**both.outcomes, **waiting})


def _outweighed(at: Place) -> bool:
    """Tell whether the row still holds the weights of a policy that the field no longer has."""
    weighed = at.row is not None and at.row.belief is not None
    return weighed and at.held is not None and at.held.belief is None


def floor_now(tx: Writer, at: Spot) -> Position:
    """Return a floor above everything that was said so far, also when the clock was set back since."""
    last = tx.first(store.LAST_STATEMENT, field=at.name, scope=at.scope)
    said = tx.first(conversations.NEWEST_AT)
    times = [tx.monotonic, 0 if last is None else last.pos_at, 0 if said is None else said.at]
    times.append(0 if at.floor is None else at.floor.at)
    return Position(max(times), TOP, TOP, tx.revision, 0)


def _is_low(statement: Statement, at: Place) -> bool:
    return not statement.position.reaches(at.floor)


def store_held(
    tx: Writer, at: Place, held: Held | None, *, reason: str, floor: Position | None = None
) -> int:
    """Make ``held`` the field's current value if it is not so already; return the field's version."""
    if held == at.held and floor is None and not _outweighed(at):
        return at.version
    if held is None:
        return store_blank(tx, at, status="withdrawn", reason=reason, floor=floor)
    field = at.field
    belief = field.policy.dump_state(held, field.type.dump)
    version = store.close_and_open(
        tx,
        at.row,
        {
            **_bare(at, floor),
            "status": "current",
            "value": tx.seal(to_json(field.type.dump(held.value))),
            "confidence": "confirmed" if held.confirmed else "inferred",
            "claim": held.key,
            "observed_at": held.at,
            "turn": held.turn,
            "at": held.at,
            "belief": None if belief is None else tx.seal_json(belief),
            "probability": _probability(tx, field, held),
            "reason": reason,
        },
    )
    tx.change("field.changed", key_of(field.name, at.scope), reason)
    return version


def _probability(tx: Writer, field: Field, held: Held) -> float | None:
    """Return how probable a value is as it is stored, as exactly as every database holds it."""
    found = field.policy.read(held, Clock(tx.turn, tx.now)).probability
    return None if found is None else round(found, 6)


def store_blank(tx: Writer, at: Spot, *, status: str, reason: str, floor: Position | None) -> int:
    """Close the current value and leave the field blank, with the floor that keeps old statements out."""
    version = store.close_and_open(tx, at.row, {**_bare(at, floor), "status": status, "reason": reason})
    tx.change(f"field.{status}", key_of(at.name, at.scope), reason)
    return version


def key_of(field: str, scope: str) -> str:
    """Return the key of a field in a scope, as tombstones, changes and receipts name it."""
    return f"{field}@{scope}"


def _bare(at: Spot, floor: Position | None) -> dict[str, Any]:
    kept = floor if floor is not None else at.floor
    return {
        "field": at.name,
        "scope": at.scope,
        "value": None,
        "confidence": None,
        "claim": None,
        "observed_at": None,
        "turn": None,
        "at": None,
        "probability": None,
        "belief": None,
        "floor_at": None if kept is None else kept.at,
        "floor_seq": None if kept is None else kept.seq,
        "floor_version": None if kept is None else kept.version,
        "closed_revision": None,
        "superseded_by": None,
    }


def value_json(tx: Reader, stored: str | None) -> Value | None:
    """Return a stored value as its JSON form, tuples for lists, whatever the schema says today."""
    found = tx.open_json(stored)
    return tuple(found) if isinstance(found, list) else found  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
