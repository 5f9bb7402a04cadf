"""Three ways to write one schema: JSON Schema, a Pydantic model, YAML. All go through the first.

What is not understood is refused, never ignored: a rule that is dropped in silence does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from seihon.core.fields import field_type
from seihon.core.fields.normal import from_steps
from seihon.core.fields.shape import Shape, a_count, a_flag, a_list, a_text, an_object, only, wrong
from seihon.core.freshness import Limits
from seihon.core.policies import POLICIES, make, parameters
from seihon.core.resolve import Inferred
from seihon.core.schema import Field, ProfileSchema, Rule
from seihon.errors import InvalidArgument, SchemaError

MARK = "x-seihon"

_LIMITS = ("blank_after_turns", "blank_after_seconds")
_HABITS = ("scoped", "inferred", "normalise", "synonyms")
_DERIVED = {"values": "follows from the field's type"}
_ROOT = (
    "$schema",
    "$id",
    "type",
    "title",
    "description",
    "properties",
    "required",
    "additionalProperties",
    MARK,
)


def from_json_schema(document: object) -> ProfileSchema:
    """Return the schema that a JSON Schema object with ``x-seihon`` blocks declares.

    Raises ``SchemaError`` naming the place and what is allowed there.
    """
    root = an_object(document, "")
    only(root, _ROOT, "")
    _check_root(root)
    block = an_object(root.get(MARK, {}), MARK)
    only(block, ("default_policy", "version"), MARK)
    version = a_count(block.get("version", 1), f"{MARK}/version", least=1, most=2**31 - 1)
    place = f"{MARK}/default_policy"
    default = an_object(block["default_policy"], place) if "default_policy" in block else None
    if default is not None:
        only(default, ("policy", *_rule_keys(default, place)), place)
    properties = an_object(root.get("properties"), "properties")
    fields = {name: _field(name, shape, default) for name, shape in properties.items()}
    return ProfileSchema(
        fields,
        None if default is None else _rule(default, place),
        version,
        *(a_text(root[key], key) if root.get(key) else "" for key in ("title", "description")),
    )


def from_yaml(text: str) -> ProfileSchema:
    """Return the schema written as YAML of the same. A key given twice is an error."""
    from seihon.core.schema_yaml import read

    return from_json_schema(read(text))


class Model(Protocol):
    """What is used of a Pydantic model class, so that this module needs no Pydantic."""

    def model_json_schema(self, by_alias: bool = True) -> dict[str, Any]:
        """Return the model's JSON Schema."""
        ...


def from_pydantic(model: Model) -> ProfileSchema:
    """Return the schema of a Pydantic model whose fields are ``Annotated[… | None, FieldPolicy(…)] = None``.

    The default policy stands in the model's configuration:
    ``ConfigDict(json_schema_extra={"x-seihon": {"default_policy": FieldPolicy(…).block}})``.
    """
    document = model.model_json_schema(by_alias=False)
    definitions = document.pop("$defs", {})
    required = document.get("required")
    if required:
        raise wrong("required", f"a profile field can be blank: write {required[0]}: … | None = None.")
    properties = document.get("properties", {})
    document["properties"] = {name: _inlined(shape, definitions) for name, shape in properties.items()}
    return from_json_schema(document)


class FieldPolicy:
    """The ``x-seihon`` block of one Pydantic field: ``FieldPolicy("guard_ttl", ttl_turns=15, scoped=True)``.

    Without a policy, the schema's default applies. It also shows in the model's own JSON Schema.

    Raises ``SchemaError`` naming what is allowed, for a policy that there is not or options it does not take.
    """

    def __init__(self, policy: str | None = None, /, **options: object) -> None:
        self.block: dict[str, Any] = {**({} if policy is None else {"policy": policy}), **options}
        only(options, (*_options(policy), *_HABITS), _HERE)
        if policy is not None:
            _rule({name: value for name, value in self.block.items() if name not in _HABITS}, _HERE)

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(core_schema), MARK: self.block}


_HERE = "FieldPolicy"


def _options(policy: str | None) -> tuple[str, ...]:
    """Return the options of a policy; of any, where the schema's default is not known yet."""
    names = POLICIES if policy is None else (policy,)
    return tuple(dict.fromkeys(key for name in names for key in _rule_keys({"policy": name}, _HERE)))


def _check_root(root: Shape) -> None:
    if root.get("type", "object") != "object":
        raise wrong("type", "must be object.")
    if a_list(root.get("required", []), "required"):
        raise wrong("required", "must be empty: a model that sees a required field fills it by guessing.")
    if root.get("additionalProperties", False) is not False:
        raise wrong("additionalProperties", "must be false: fields that are not declared are not kept.")


def _field(name: str, given: object, default: Shape | None) -> Field:
    place = f"properties/{name}"
    shape = _unwrapped(an_object(given, place), place)
    block = an_object(shape.get(MARK, {}), f"{place}/{MARK}")
    ruled = block if "policy" in block or default is None else {**default, **_only_rules(block)}
    only(block, ("policy", *_rule_keys(ruled, f"{place}/{MARK}"), *_HABITS), f"{place}/{MARK}")
    rule = _rule(ruled, f"{place}/{MARK}")
    scoped = a_flag(block.get("scoped", False), f"{place}/{MARK}/scoped")
    normal = from_steps(block.get("normalise", []), f"{place}/{MARK}/normalise")
    kind = {key: value for key, value in shape.items() if key not in ("title", "description", MARK)}
    typed = field_type(kind, normal=normal, synonyms=block.get("synonyms", {}), place=place)
    told = a_text(shape["description"], f"{place}/description") if shape.get("description") else ""
    inferred = _inferred(block, scoped, place)
    try:
        return Field(name, typed, rule.policy, rule.limits, inferred, scoped, told)
    except SchemaError as error:
        raise wrong("properties", error.message) from None


def _inferred(block: Shape, scoped: bool, place: str) -> Inferred:
    # A preference guessed in one place is asked about before it rules there.
    given = block.get("inferred", Inferred.CANDIDATE if scoped else Inferred.ACCEPT)
    if given not in tuple(Inferred):
        raise wrong(f"{place}/{MARK}/inferred", f"must be {' or '.join(Inferred)}.")
    return Inferred(str(given))


def _rule_keys(block: Shape, place: str) -> tuple[str, ...]:
    """Return the keys that may stand beside ``policy``. Raises ``SchemaError`` for a policy there is not."""
    name = block.get("policy")
    if name is None:
        raise wrong(place, "must name a policy, or the schema a default_policy.")
    if not isinstance(name, str) or name not in POLICIES:
        raise wrong(f"{place}/policy", f"must be one of {', '.join(POLICIES)}.")
    return (*(key for key in parameters(name) if key not in _DERIVED), *_LIMITS)


def _only_rules(block: Shape) -> Shape:
    return {key: value for key, value in block.items() if key not in _HABITS}


def _rule(block: Shape, place: str) -> Rule:
    allowed = ("policy", *_rule_keys(block, place))
    given = {key: value for key, value in block.items() if key in allowed}
    limits = {key: given.pop(key) for key in _LIMITS if key in given}
    name = str(given.pop("policy"))
    try:
        policy = make(name, given)
        # Past the time for which a fact is trusted it is not served as if it were today's.
        limits.setdefault("blank_after_seconds", getattr(policy, "ttl_seconds", None))
        return Rule(policy, Limits(**cast("dict[str, Any]", limits)))
    except InvalidArgument as error:
        raise wrong(f"{place}/{error.details.get('parameter', 'policy')}", error.message) from None


def _unwrapped(shape: Shape, place: str) -> Shape:
    """Return a property without the marks of "may be null": every profile field may be blank."""
    if shape.get("default", None) is not None:
        raise wrong(f"{place}/default", "must be null or absent: a blank field is not filled with a guess.")
    shape = {key: value for key, value in shape.items() if key != "default"}
    if "anyOf" in shape:
        shape = _of_one_kind(shape, place)
    kinds = shape.get("type")
    if isinstance(kinds, (list, tuple)):
        kept = [kind for kind in cast("list[object]", kinds) if kind != "null"]
        if len(kept) != 1:
            raise wrong(f"{place}/type", "must be one type, or one type and null.")
        names = [name for name in a_list(shape.get("enum", []), f"{place}/enum") if name is not None]
        shape = {**shape, "type": kept[0], **({"enum": names} if "enum" in shape else {})}
    if "const" in shape:
        shape = {**{key: value for key, value in shape.items() if key != "const"}, "enum": [shape["const"]]}
    return shape


def _of_one_kind(shape: Shape, place: str) -> Shape:
    options = [an_object(option, f"{place}/anyOf") for option in a_list(shape["anyOf"], f"{place}/anyOf")]
    kept = [option for option in options if option.get("type") != "null"]
    if len(kept) != 1:
        raise wrong(
            f"{place}/anyOf", "must be one type and null: a field has one type, not a union of several."
        )
    outer = {key: value for key, value in shape.items() if key != "anyOf"}
    twice = sorted((set(outer) & set(kept[0])) - {"title", "description"})
    if twice:
        raise wrong(place, f"declares {', '.join(twice)} twice, inside and outside of anyOf.")
    return {**kept[0], **outer}


def _inlined(shape: Any, definitions: Mapping[str, Any]) -> Any:
    """Return ``shape`` with references replaced by what they name, without generated titles."""
    if isinstance(shape, list):
        return [_inlined(item, definitions) for item in cast("list[Any]", shape)]
    if not isinstance(shape, dict):
        return shape
    here = dict(cast("dict[str, Any]", shape))
    target = here.pop("$ref", None)
    if target is not None:
        named = definitions[str(target).rsplit("/", 1)[-1]]
        if named.get("type") == "object":
            # Its parts may refer to itself; that it is an object is all that has to be told.
            return {"type": "object", **({MARK: here[MARK]} if MARK in here else {})}
        here = {**{k: v for k, v in named.items() if k not in ("title", "description")}, **here}
    here.pop("title", None)
    return {key: value if key == MARK else _inlined(value, definitions) for key, value in here.items()}
