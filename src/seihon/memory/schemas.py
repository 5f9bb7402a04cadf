"""Verbs on a tenant's profile schema, retention and field reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError

from seihon import errors
from seihon.canonical import profiles, tenants
from seihon.canonical.codec import from_json, to_json
from seihon.core.fields.shape import wrong
from seihon.core.schema import ProfileSchema, SchemaWarning, warnings
from seihon.core.schema_diff import Change, ChangeKind, Effect, diff, effect
from seihon.core.schema_forms import from_json_schema, from_pydantic, from_yaml
from seihon.memory import door
from seihon.memory.base import NO_SCHEMA, Base
from seihon.model import FieldReads, instant

SchemaForm = ProfileSchema | type[BaseModel] | Mapping[str, Any] | str | Path

# Changes that leave every stored value as it is.
_HARMLESS = frozenset({ChangeKind.ADDED, ChangeKind.ENUM_WIDENED, ChangeKind.SPELLING_CHANGED})


def read_schema(form: SchemaForm) -> ProfileSchema:
    """Return the schema that a Pydantic class, a JSON Schema (a dict), a YAML text or a YAML file declares.

    Raises:
        SchemaError: it does not hold together; the sentence names the place.
    """
    if isinstance(form, ProfileSchema):
        return form
    if isinstance(form, Path):
        return from_yaml(_text_of(form))
    if isinstance(form, str):
        if _FILE_NAME.fullmatch(form):
            raise errors.SchemaError("The text is the name of a file; give it as a path: Path(name).")
        return from_yaml(form)
    if isinstance(form, type):
        return _from_class(form)
    return from_json_schema(form)


_FILE_NAME = re.compile(r"[^\n:{]+\.(ya?ml|json)")


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise errors.SchemaError(f"The schema file {path} cannot be read as text in UTF-8.") from None


def _from_class(form: type[Any]) -> ProfileSchema:
    if not issubclass(form, BaseModel):
        raise errors.SchemaError("A class that declares a schema must be a Pydantic model.")
    try:
        return from_pydantic(form)
    except PydanticUserError:
        raise wrong(
            f"properties/{_unsayable(form)}",
            "JSON Schema has no word for its type; declare a text, a number, a boolean, a date or a Literal.",
        ) from None


def _unsayable(form: type[BaseModel]) -> str:
    """Return the first field whose type has no JSON Schema."""
    for name, declared in form.model_fields.items():
        try:
            TypeAdapter[Any](declared.annotation or Any).json_schema()
        except PydanticUserError:
            return name
    return "?"


@dataclass(frozen=True, slots=True)
class SchemaPlan:
    """What registering a schema would do: ``version`` it would get, changes, their effect, warnings.

    ``current`` is the version in force when it was planned, ``None`` before the first.
    """

    version: int
    changes: tuple[Change, ...]
    effect: Effect
    warnings: tuple[SchemaWarning, ...]
    current: int | None = None

    @property
    def unchanged(self) -> bool:
        """Tell whether the schema is the one in force already."""
        return self.version == self.current

    @property
    def harmless(self) -> bool:
        """Tell whether every stored value stays as it is, so that no plan is needed to register it."""
        return all(change.kind in _HARMLESS for change in self.changes)


class Schemas(Base):
    """Register and read the tenant's schema; limit what it keeps; find fields that no code reads."""

    def schema(self) -> ProfileSchema:
        """Return the tenant's newest schema.

        Raises:
            SchemaError: none is registered.
        """
        with self.db.tenant(self.setup.tenant) as tx:
            row = tx.first(tenants.SCHEMA)
        if row is None:
            raise errors.SchemaError(NO_SCHEMA)
        return from_json_schema(from_json(row.body))

    def plan_schema(self, form: SchemaForm) -> SchemaPlan:
        """Report what registering a schema would do to the values that people have; change nothing."""
        new = read_schema(form)
        old = self._newest()
        if old is None:
            difference = diff(new, new)
            return SchemaPlan(1, (), effect(difference, ()), tuple(warnings(new)))
        difference = diff(old, new)
        unchanged = not difference.changes and _body(old) == _body(new)
        version = old.version if unchanged else old.version + 1
        told = effect(difference, self._values() if difference.changes else ())
        return SchemaPlan(version, difference.changes, told, tuple(warnings(new)), old.version)

    def register_schema(self, form: SchemaForm, *, plan: SchemaPlan | None = None) -> SchemaPlan:
        """Register a schema as the tenant's next version and return what it did.

        A schema equal to the newest is not registered again. One that does more than add fields, values or
        spellings needs the ``plan`` that ``plan_schema`` reported, so that nobody applies it unread.

        Raises:
            Conflict: the change needs a plan, or another version came in between.
        """
        made = self.plan_schema(form)
        if plan is None and not made.harmless:
            raise errors.Conflict(
                "The schema changes fields that people may have values for; pass the plan of `plan_schema`.",
                changes=[f"{change.field}: {change.kind}" for change in made.changes],
            )
        if plan is not None and (plan.version, plan.changes) != (made.version, made.changes):
            raise errors.Conflict(
                "The plan is of another change of the schema; plan again.", version=made.version
            )
        if made.unchanged:
            return made
        body = to_json(replace(read_schema(form), version=made.version).to_json_schema())
        with self.db.tenant(self.setup.tenant, write=True) as tx:
            row = tx.first(tenants.ADD_SCHEMA, version=made.version, body=body)
        if row is not None:
            return made
        # Processes that start together register the same one.
        told = self.plan_schema(form)
        if not told.unchanged:
            raise errors.Conflict("Another schema was registered at the same time; plan again.")
        return told

    def set_retention(self, retention: timedelta | None) -> None:
        """Limit how long any message or note of the tenant can be read, counted from its own time."""
        limit = door.duration(retention, "retention")
        with self.db.tenant(self.setup.tenant, write=True) as tx:
            tx.execute(tenants.SET_RETENTION, {"retain": limit})

    def retention(self) -> timedelta | None:
        """Return the tenant's retention, ``None`` for no limit."""
        with self.db.tenant(self.setup.tenant) as tx:
            row = tx.first(tenants.RETENTION)
        return None if row is None or row.retain_us is None else timedelta(microseconds=row.retain_us)

    def field_reads(self) -> tuple[FieldReads, ...]:
        """Return how often code read each field, the never-read ones first."""
        self.flush_reads()
        with self.db.tenant(self.setup.tenant) as tx:
            counted = {row.field: row for row in tx.all(tenants.READS)}
        fields = self.schema().fields
        found = [
            FieldReads(name, row.reads if row else 0, instant(row.last_read_at) if row else None)
            for name in fields
            for row in [counted.get(name)]
        ]
        return tuple(sorted(found, key=lambda one: (one.reads, one.field)))

    def flush_reads(self) -> None:
        """Write the counts of reads that are still in memory."""
        taken = self.reads.take()
        if taken:
            with self.db.tenant(self.setup.tenant, write=True) as tx:
                tenants.add_reads(tx, taken)

    def _newest(self) -> ProfileSchema | None:
        with self.db.tenant(self.setup.tenant) as tx:
            row = tx.first(tenants.SCHEMA)
        return None if row is None else from_json_schema(from_json(row.body))

    def _values(self) -> Iterator[tuple[str, str, str, object]]:
        """Yield every current value of the tenant, owner by owner: no statement crosses owners' texts."""
        for key in self.copies.owners(self.setup.tenant):
            with self.db.read(key) as tx:
                for row in tx.all(profiles.VALUES_EVERYWHERE):
                    if row.status == "current":
                        yield key, row.field, row.scope, tx.open_json(row.value)


def _body(schema: ProfileSchema) -> str:
    return to_json(replace(schema, version=1).to_json_schema())
