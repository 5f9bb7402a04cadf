"""What the reference says of the package itself: names, verbs, nouns, errors, policies, schema."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any, get_args, get_type_hints

from scripts.reference_text import code, first_sentence, prose, shown, signature, table, type_text

import seihon
from seihon import errors, model
from seihon.aio import AsyncMemory
from seihon.core.fields import FIELD_TYPES, field_type
from seihon.core.fields.normal import Normal
from seihon.core.fields.shape import Shape
from seihon.core.freshness import Limits
from seihon.core.policies import POLICIES, Reason, parameters
from seihon.core.schema import Field, ProfileSchema
from seihon.core.schema_forms import FieldPolicy, from_json_schema
from seihon.memory import Memory
from seihon.memory.base import Base

Rows = Iterator[Sequence[object]]

# The smallest property of each type, to ask it what else it takes.
_SHAPES: dict[str, Shape] = {
    "enum": {"type": "string", "enum": ["free", "pro"]},
    "date": {"type": "string", "format": "date"},
    "string": {"type": "string", "pattern": "^[A-Z]{2}$"},
    "integer": {"type": "integer", "minimum": 1, "maximum": 10},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "enums": {"type": "array", "items": {"type": "string", "enum": ["ja", "en"]}},
}
_UNKNOWN = "no_such_key"

# Public for other groups of verbs, not for users.
_WITHIN = frozenset({"fields", "erase_expired", "flush_reads"})


def names() -> Rows:
    """Yield each public name and what it is."""
    for name in seihon.__all__:
        found = getattr(seihon, name)
        told = model.Unset if name == "KEEP" else found
        yield code(name), first_sentence(told)


def verbs() -> Iterator[str]:
    """Yield the verbs, group by group."""
    yield prose(Memory)
    yield table(("group", "verbs"), ((group.__name__, _links(group)) for group in Memory.__bases__))
    yield "### Opening\n"
    yield _verb("Memory.open", Memory.open)
    yield _verb("close", Memory.close)
    for group in Memory.__bases__:
        yield f"### {group.__name__}\n\n{prose(group)}"
        yield from (_verb(name, verb) for name, verb in verbs_of(group))
    yield f"### AsyncMemory\n\n{prose(AsyncMemory)}\n{_async_told()}\n"


def verbs_of(group: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield what a group gives to users."""
    for name, verb in vars(group).items():
        within = name.startswith("_") or name in _WITHIN or hasattr(Base, name)
        if inspect.isfunction(verb) and not within:
            yield name, verb


def nouns() -> Iterator[str]:
    """Yield the nouns: the public ones, then what else verbs take and give."""
    yield prose(model)
    public = [getattr(model, name) for name in model.__all__]
    known = [noun for noun in public if inspect.isclass(noun) and noun not in (model.Record, model.Unset)]
    seen = {noun.__name__ for noun in known}
    yield from (_noun(noun, noun.__name__) for noun in known)
    for noun in _reached():
        if noun not in known:
            double = noun.__name__ in seen
            seen.add(noun.__name__)
            yield _noun(
                noun, f"{noun.__module__.rpartition('.')[2]}.{noun.__name__}" if double else noun.__name__
            )
    yield f"### `FieldPolicy`\n\n{signature('FieldPolicy', FieldPolicy)}\n{prose(FieldPolicy)}"


def errors_told() -> str:
    """Return what all errors share."""
    return (
        "Every error is a `SeihonError` with `code`, `message` and `details` (ids and numbers, never a "
        "user's text), and `as_dict()`. An `except` of a class catches those below it.\n"
    )


def error_rows() -> Rows:
    """Yield the tree of errors, each below its parent."""
    yield from _tree(errors.SeihonError, 0)


def policies() -> Iterator[str]:
    """Yield each policy with its parameters, then the limits that all share."""
    for name, policy in POLICIES.items():
        yield f"### `{name}`\n\n{prose(policy)}"
        taken = {key: value for key, value in parameters(name).items() if key != "values"}
        if taken:
            yield table(("parameter", "default"), ((code(key), code(shown(v))) for key, v in taken.items()))
    yield f"### Limits of every policy\n\n{prose(Limits)}"
    yield table(
        ("limit", "default"), ((code(f.name), code(shown(f.default))) for f in dataclasses.fields(Limits))
    )


def reasons() -> Rows:
    """Yield the words of decisions."""
    for reason in Reason:
        yield code(reason.value), reason.text(), reason.text("ja")


def schema() -> Iterator[str]:
    """Yield what a schema document may hold, then the field types."""
    yield prose(ProfileSchema)
    yield table(("place", "keys"), _schema_keys())
    yield f"### A field\n\n{prose(Field)}"
    for policy in POLICIES:
        block = {"policy": policy, **({"ttl_turns": 1} if policy == "guard_ttl" else {}), _UNKNOWN: 1}
        keys = _allowed(lambda block=block: from_json_schema(_document(block)))
        yield f"- `x-seihon` with `policy: {policy}` takes {keys}"
    yield "\n### Normalisation\n\n" + prose(Normal)
    yield "### Field types\n"
    for kind in FIELD_TYPES:
        yield _field_type(kind)


def _schema_keys() -> Rows:
    yield "the document", _allowed(lambda: from_json_schema({_UNKNOWN: 1}))
    yield "its `x-seihon`", _allowed(lambda: from_json_schema({"x-seihon": {_UNKNOWN: 1}}))


def _document(block: Shape) -> Shape:
    return {"properties": {"field": {"type": "boolean", "x-seihon": block}}}


def _field_type(kind: str) -> str:
    shape = _SHAPES[kind]
    made = field_type(shape, normal=Normal(), synonyms={}, place="")
    keys = _allowed(lambda: field_type({**shape, _UNKNOWN: 1}, normal=Normal(), synonyms={}, place=""))
    example = f"Declared as `{made.json_schema()}`; takes {keys}.\n".replace("'", '"').replace("True", "true")
    return f"#### `{kind}`\n\n{prose(FIELD_TYPES[kind])}\n{example}"


def _allowed(read: Callable[[], object]) -> str:
    """Return the keys that a place takes, as its refusal of an unknown one lists them."""
    try:
        read()
    except errors.SchemaError as refusal:
        listed = refusal.message.rpartition("allowed: ")[2].rstrip(".")
        return ", ".join(code(key) for key in listed.split(", "))
    raise AssertionError("an unknown key must be refused")


def _links(group: type) -> str:
    return ", ".join(f"[`{name}`](#verb-{name})" for name, _ in verbs_of(group))


def _verb(name: str, verb: Callable[..., Any]) -> str:
    anchor = f'<a id="verb-{name.lower()}"></a>\n\n'
    return f"{anchor}#### `{name}`\n\n{signature(name, verb)}\n{prose(verb)}"


def _async_told() -> str:
    iterated = [name for group in Memory.__bases__ for name, verb in verbs_of(group) if is_iterator(verb)]
    listed = ", ".join(code(name) for name in iterated)
    return f"It has every verb above, awaited; {listed} are read with `async for`."


def is_iterator(verb: Callable[..., Any]) -> bool:
    """Tell whether a verb yields its answer piece by piece."""
    return type_text(inspect.signature(verb).return_annotation).startswith("Iterator[")


def _reached() -> Iterator[type]:
    """Yield the nouns that are reached from the verbs' types, in that order."""
    waiting = [verb for group in Memory.__bases__ for _, verb in verbs_of(group)]
    found: dict[type, None] = {}
    for verb in (Memory.open, *waiting):
        for hint in get_type_hints(verb).values():
            _reach(hint, found)
    yield from found


def _reach(hint: Any, found: dict[type, None]) -> None:
    for part in get_args(hint):
        _reach(part, found)
    noun = inspect.isclass(hint) and (dataclasses.is_dataclass(hint) or issubclass(hint, Enum))
    if not noun or hint in found or not hint.__module__.startswith("seihon.") or hint is model.Unset:
        return
    found[hint] = None
    if not issubclass(hint, Enum):
        for inner in get_type_hints(hint).values():
            _reach(inner, found)


def _noun(noun: Any, title: str) -> str:
    head = f"### `{title}`\n\n{prose(noun)}\n"
    if issubclass(noun, Enum):
        return head + "One of " + ", ".join(code(member.value) for member in noun) + ".\n"
    if not dataclasses.is_dataclass(noun):
        return head
    fields = [field for field in dataclasses.fields(noun) if field.repr]
    return head + table(("field", "type", "default"), (_field(field) for field in fields))


def _field(field: dataclasses.Field[Any]) -> Sequence[str]:
    missing = dataclasses.MISSING
    default = "" if field.default is missing else code(shown(field.default))
    if field.default_factory is not missing:
        default = "empty"
    return code(field.name), code(type_text(field.type)), default


def _tree(error: type[errors.SeihonError], depth: int) -> Rows:
    mapped = errors.CODES[error.code]
    indent = "&nbsp;&nbsp;" * depth
    yield f"{indent}`{error.__name__}`", code(error.code), mapped.http, mapped.exit, first_sentence(error)
    for below in error.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from _tree(below, depth + 1)
