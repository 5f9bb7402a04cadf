"""A profile schema: typed fields, each with its update policy, limits and what it does with inferences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seihon.core.fields import FieldType, Synonyms
from seihon.core.fields.contract import named
from seihon.core.freshness import Limits
from seihon.core.policies import Policy, parameters_of
from seihon.core.resolve import Inferred
from seihon.core.values import Value
from seihon.errors import InvalidValue, SchemaError, unknown_field

MOST_FIELDS = 500

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Rule:
    """An update policy with the limits past which the field reads blank."""

    policy: Policy
    limits: Limits = field(default_factory=Limits)

    def block(self) -> dict[str, object]:
        """Return the rule as it is written in an ``x-seihon`` block, without what goes without saying."""
        params = {name: value for name, value in parameters_of(self.policy).items() if name != "values"}
        block: dict[str, object] = {"policy": self.policy.name}
        block |= {name: list(v) if isinstance(v, tuple) else v for name, v in params.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if self.limits.blank_after_turns is not None:
            block["blank_after_turns"] = self.limits.blank_after_turns
        if self.limits.blank_after_seconds != params.get("ttl_seconds"):
            block["blank_after_seconds"] = self.limits.blank_after_seconds
        return block


@dataclass(frozen=True, slots=True)
class Field:
    """One field. ``scoped``: it may hold a value for each scope. A field can always be blank.

    Raises ``SchemaError`` for a name that is not an identifier of at most 64 letters, digits and ``_``.
    """

    name: str
    type: FieldType
    policy: Policy
    limits: Limits = field(default_factory=Limits)
    inferred: Inferred = Inferred.ACCEPT
    scoped: bool = False
    description: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise SchemaError(
                "A field's name is 1 to 64 of the letters A to Z and a to z, digits and _, "
                "and does not begin with a digit."
            )
        object.__setattr__(self, "policy", self.policy.bound(self.type.cardinality()))

    @property
    def synonyms(self) -> Synonyms:
        """The other ways to write each value."""
        return self.type.synonyms

    def parse(self, raw: object) -> Value:
        """Return the typed, normalised value. Raises ``InvalidValue`` naming the field and what fits."""
        return self._named(self.type.parse, raw)

    def load(self, data: object) -> Value:
        """Return a stored value. Raises ``InvalidValue`` when the type as declared now does not allow it."""
        return self._named(self.type.load, data)

    def json_schema(self) -> dict[str, object]:
        """Return the property as declared, ``x-seihon`` block included; it reads back equal."""
        block = Rule(self.policy, self.limits).block()
        block |= {"inferred": str(self.inferred), "scoped": self.scoped}
        if steps := self.type.normal.steps():
            block["normalise"] = steps
        if self.synonyms:
            block["synonyms"] = {name: list(listed) for name, listed in self.synonyms.items()}
        described = {"description": self.description} if self.description else {}
        return {**self.type.json_schema(), **described, "x-seihon": block}

    def json_schema_for_models(self) -> dict[str, object]:
        """Return the property as a model sees it: type, description, and what people write for each value."""
        spelled = "; ".join(f"{name}: {', '.join(listed)}" for name, listed in self.synonyms.items())
        told = " ".join(filter(None, (self.description, spelled and f"Also written: {spelled}.")))
        return {**self.type.json_schema(), **({"description": told} if told else {})}

    def _named(self, read: Callable[[object], Value], given: object) -> Value:
        try:
            return read(given)
        except InvalidValue as error:
            raise named(error, self.name) from None


@dataclass(frozen=True, slots=True)
class ProfileSchema:
    """The fields of a profile. ``default_policy`` is the rule of fields that declare none of their own.

    Raises ``SchemaError`` when it has no field, or more than 500.
    """

    fields: Mapping[str, Field]
    default_policy: Rule | None = None
    version: int = 1
    title: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.fields) <= MOST_FIELDS:
            raise SchemaError(f"A schema has 1 to {MOST_FIELDS} fields.")
        if any(name != declared.name for name, declared in self.fields.items()):
            raise SchemaError("Each field must be listed under its own name.")

    def field(self, name: str) -> Field:
        """Return one field. Raises ``UnknownField`` naming the fields there are."""
        found = self.fields.get(name)
        if found is None:
            raise unknown_field(self.fields)
        return found

    def to_json_schema(self) -> dict[str, Any]:
        """Return the schema as JSON Schema; reading it back gives an equal schema."""
        head: dict[str, Any] = {"type": "object"}
        head |= {"title": self.title} if self.title else {}
        head |= {"description": self.description} if self.description else {}
        block: dict[str, Any] = {"version": self.version}
        block |= {"default_policy": self.default_policy.block()} if self.default_policy else {}
        properties = {name: declared.json_schema() for name, declared in self.fields.items()}
        return {**head, "x-seihon": block, "properties": properties, "additionalProperties": False}

    def json_schema_for_models(self) -> dict[str, Any]:
        """Return what an extractor asks a model for: every field optional, so that none invites a guess."""
        properties = {name: declared.json_schema_for_models() for name, declared in self.fields.items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class SchemaWarning:
    """Something that holds together and is likely to disappoint. ``code`` is stable."""

    field: str
    code: str
    text: str


def warnings(schema: ProfileSchema) -> list[SchemaWarning]:
    """Return what is worth a second look, in the order of the fields."""
    return [
        SchemaWarning(name, code, text)
        for name, declared in schema.fields.items()
        for code, (test, text) in _DOUBTS.items()
        if test(declared)
    ]


def _is_open_text(declared: Field) -> bool:
    return declared.type.kind == "string" and getattr(declared.type, "pattern", None) is None


def _is_unanchored(declared: Field) -> bool:
    pattern = getattr(declared.type, "pattern", None)
    return pattern is not None and not (pattern.startswith("^") and pattern.endswith("$"))


def _lacks(limit: str) -> Callable[[Field], bool]:
    return lambda declared: declared.policy.name == "guard_ttl" and getattr(declared.policy, limit) is None


_DOUBTS: Mapping[str, tuple[Callable[[Field], bool], str]] = {
    "open_string": (
        _is_open_text,
        "Free text accepts a guess as readily as a fact; list the values, or declare a pattern.",
    ),
    "unanchored_pattern": (
        _is_unanchored,
        "The pattern matches anywhere in a text; begin it with ^ and end it with $ to check the whole.",
    ),
    "no_limit_in_seconds": (
        _lacks("ttl_seconds"),
        "Without ttl_seconds, somebody who returns after months is served the old value as current.",
    ),
    "no_limit_in_turns": (
        _lacks("ttl_turns"),
        "Without ttl_turns, the busiest people keep an outdated value for the most turns.",
    ),
    "guard_without_end": (
        lambda declared: declared.policy.name == "guard" and declared.limits == Limits(),
        "A guard without an end keeps an outdated value until the person speaks; guard_ttl ends it.",
    ),
    "belief_on_open_values": (
        lambda declared: declared.policy.name == "belief" and declared.type.cardinality() is None,
        "Belief weighs best among a closed list of values; here it goes by the values seen so far.",
    ),
}
