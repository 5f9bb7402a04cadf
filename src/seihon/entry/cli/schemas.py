"""``schema …``: the tenant's profile schema."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli import output
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.errors import Conflict, SchemaError

if TYPE_CHECKING:
    from seihon.core.schema import ProfileSchema
    from seihon.memory import SchemaForm, SchemaPlan

File = Annotated[
    str, typer.Argument(metavar="FILE", help="YAML, or JSON Schema, with x-seihon blocks; - reads stdin.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    from seihon.entry.cli.app import group

    schemas = group(app, "schema", "The profile's fields, types and policies.")
    command(schemas, "show")(show)
    command(schemas, "plan")(plan)
    command(schemas, "register")(register_file)
    command(schemas, "example")(example)


def show(session: Session) -> None:
    """Show the schema in force."""
    with session.memory() as memory:
        found = memory.schema()
    session.answer(found.to_json_schema(), lambda screen: _show(screen, found))


def plan(session: Session, file: File) -> None:
    """Tell what registering a schema would do; change nothing.

    It counts what becomes of the values that people have.
    """
    form = _read(file)
    with session.memory(writes=True) as memory:
        found = memory.plan_schema(form)
    session.answer(_plan(found, applied=False), lambda screen: _show_plan(screen, found, file))


def register_file(
    session: Session,
    file: File,
    apply: Annotated[
        bool, typer.Option("--apply", help="Also where values are affected, as `schema plan` tells.")
    ] = False,
) -> None:
    """Register a schema as the next version.

    One equal to the newest changes nothing.
    """
    form = _read(file)
    with session.memory(writes=True) as memory:
        planned = memory.plan_schema(form) if apply else None
        try:
            found = memory.register_schema(form, plan=planned)
        except Conflict as refused:
            if "changes" not in refused.details:
                raise
            raise Conflict(
                "The schema changes fields that people may have values for; "
                "look at `seihon schema plan` and register it with --apply.",
                **refused.details,
            ) from None
    applied = not found.unchanged
    session.answer(_plan(found, applied=applied), lambda screen: _show_registered(screen, found))


def example(session: Session) -> None:
    """Print a starter schema of twenty fields, to copy and cut down."""
    from seihon.entry import examples

    text = examples.text("schemas/starter.yaml")
    if session.asked.json:
        from seihon.memory import read_schema

        output.write_json(read_schema(text).to_json_schema())
    else:
        output.write_line(text.rstrip("\n"))


def _read(file: str) -> SchemaForm:
    """Read a file's schema; JSON by its first character, so that stdin works as well."""
    text = take.file_text(file).removeprefix("\ufeff")
    if not text.lstrip().startswith("{"):
        return text
    try:
        return _object(json.loads(text))
    except (ValueError, RecursionError):
        raise SchemaError("The file must be one JSON object or one YAML document.") from None


def _object(found: Any) -> Mapping[str, Any]:
    return found


def _plan(found: SchemaPlan, *, applied: bool) -> dict[str, Any]:
    return {
        "applied": applied,
        "version": found.version,
        "changes": [
            {"field": one.field, "kind": one.kind.value, "values": list(one.values)} for one in found.changes
        ],
        "effect": {
            "counts": {fate.value: count for fate, count in found.effect.counts.items()},
            "affected": [
                {"owner": one.owner, "field": one.field, "scope": one.scope, "fate": one.fate.value}
                for one in found.effect.affected
            ],
        },
        "warnings": [{"field": one.field, "code": one.code, "text": one.text} for one in found.warnings],
    }


def _show_plan(screen: Screen, found: SchemaPlan, file: str) -> None:
    if found.unchanged:
        screen.line(f"It is the schema in force, version {found.version}; there is nothing to register.")
        return
    screen.line(f"Nothing was applied. Registered, it would be version {found.version}:")
    _show_effect(screen, found)
    apply = "" if found.harmless else " --apply"
    screen.line(f"To register it: seihon schema register {shlex.quote(file)}{apply}", wrap=False)


def _show_registered(screen: Screen, found: SchemaPlan) -> None:
    if found.unchanged:
        screen.line(f"It is the schema in force, version {found.version}; nothing was changed.")
        return
    screen.line(f"Registered as version {found.version}, in force from now on.")
    _show_effect(screen, found)


def _show_effect(screen: Screen, found: SchemaPlan) -> None:
    for change in found.changes:
        screen.line(f"  {change.field}: {change.kind.value} {', '.join(change.values)}".rstrip())
    for fate, count in found.effect.counts.items():
        if count:
            screen.line(f"  {count} {'value' if count == 1 else 'values'} {fate.value}")
    for one in found.warnings:
        screen.line(f"  note on {one.field}: {one.text}")


def _show(screen: Screen, schema: ProfileSchema) -> None:
    rows = [
        (one.name, one.type.kind, one.policy.name, one.inferred, "yes" if one.scoped else "", one.description)
        for one in schema.fields.values()
    ]
    screen.line(f"Version {schema.version}")
    screen.table(["field", "type", "policy", "inferences", "scoped", "description"], rows)
