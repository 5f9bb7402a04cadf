"""What a new schema changes, and what that does to the values people have, told before it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from seihon.core.fields.enum import Enum
from seihon.core.fields.enums import Enums
from seihon.core.schema import Field, ProfileSchema
from seihon.errors import InvalidValue


class ChangeKind(StrEnum):
    """What is different about a field."""

    ADDED = "added"
    REMOVED = "removed"
    TYPE_CHANGED = "type_changed"
    BOUNDS_CHANGED = "bounds_changed"
    ENUM_NARROWED = "enum_narrowed"
    ENUM_WIDENED = "enum_widened"
    SPELLING_CHANGED = "spelling_changed"
    POLICY_CHANGED = "policy_changed"
    LIMITS_CHANGED = "limits_changed"
    INFERRED_CHANGED = "inferred_changed"
    SCOPED_CHANGED = "scoped_changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. ``values``: the names that an enum lost or gained."""

    field: str
    kind: ChangeKind
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    """All differences between two schemas, in the order of the fields, the removed ones last."""

    old: ProfileSchema
    new: ProfileSchema
    changes: tuple[Change, ...]


class Fate(StrEnum):
    """What becomes of a stored value under the new schema."""

    KEPT = "kept"
    CONVERTED = "converted"
    REFUSED = "refused"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Affected:
    """A stored value that does not simply stay, by its key; never the value itself."""

    owner: str
    field: str
    scope: str
    fate: Fate


@dataclass(frozen=True, slots=True)
class Effect:
    """How many stored values meet which fate, and which ones do not simply stay."""

    counts: Mapping[Fate, int]
    affected: tuple[Affected, ...]


def diff(old: ProfileSchema, new: ProfileSchema) -> SchemaDiff:
    """Compare field by field; a renamed field is one removed and one added."""
    changes: list[Change] = []
    for name, field in new.fields.items():
        before = old.fields.get(name)
        changes += [Change(name, ChangeKind.ADDED)] if before is None else _changes(before, field)
    changes += [Change(name, ChangeKind.REMOVED) for name in old.fields if name not in new.fields]
    return SchemaDiff(old, new, tuple(changes))


def effect(difference: SchemaDiff, values: Iterable[tuple[str, str, str, object]]) -> Effect:
    """Say what becomes of ``(owner, field, scope, value in JSON form)`` under the new schema.

    Converted: the new type does not hold the value as it is, and reads it as another (a synonym, another
    type). Refused: it will be flagged and read blank. Removed: its field is gone.
    """
    counts: Counter[Fate] = Counter()
    affected: list[Affected] = []
    for owner, name, scope, value in values:
        fate = _fate(difference.new.fields.get(name), value)
        counts[fate] += 1
        if fate is not Fate.KEPT:
            affected.append(Affected(owner, name, scope, fate))
    return Effect({fate: counts[fate] for fate in Fate}, tuple(affected))


def _fate(field: Field | None, value: object) -> Fate:
    if field is None:
        return Fate.REMOVED
    for read, fate in ((field.load, Fate.KEPT), (field.parse, Fate.CONVERTED)):
        try:
            read(value)
        except InvalidValue:
            continue
        return fate
    return Fate.REFUSED


def _changes(old: Field, new: Field) -> list[Change]:
    found = _type_changes(old, new)
    found += [Change(new.name, kind) for kind, part in _PARTS.items() if part(old) != part(new)]
    return found


_PARTS: Mapping[ChangeKind, Callable[[Field], object]] = {
    ChangeKind.SPELLING_CHANGED: lambda field: (field.type.normal, field.synonyms),
    ChangeKind.POLICY_CHANGED: lambda field: field.policy.bound(None),
    ChangeKind.LIMITS_CHANGED: lambda field: field.limits,
    ChangeKind.INFERRED_CHANGED: lambda field: field.inferred,
    ChangeKind.SCOPED_CHANGED: lambda field: field.scoped,
}


def _type_changes(old: Field, new: Field) -> list[Change]:
    if old.type.kind != new.type.kind:
        return [Change(new.name, ChangeKind.TYPE_CHANGED)]
    before, after = _names(old), _names(new)
    lost = tuple(name for name in before if name not in after)
    gained = tuple(name for name in after if name not in before)
    found = [Change(new.name, ChangeKind.ENUM_NARROWED, lost)] if lost else []
    found += [Change(new.name, ChangeKind.ENUM_WIDENED, gained)] if gained else []
    if not (before or after) and old.type.json_schema() != new.type.json_schema():
        found.append(Change(new.name, ChangeKind.BOUNDS_CHANGED))
    return found


def _names(field: Field) -> tuple[str, ...]:
    if isinstance(field.type, Enums):
        return field.type.each.names
    return field.type.names if isinstance(field.type, Enum) else ()
