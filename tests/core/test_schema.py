"""One schema in three forms, and one clear sentence for each way to get it wrong."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field, create_model
from tests.core.making import SHAPES

from seihon.core.freshness import Limits
from seihon.core.policies import make
from seihon.core.resolve import Inferred
from seihon.core.schema import ProfileSchema, warnings
from seihon.core.schema_forms import FieldPolicy, from_json_schema, from_pydantic, from_yaml
from seihon.errors import InvalidArgument, InvalidValue, SchemaError
from seihon.memory import read_schema

STARTER = Path(__file__).parents[2] / "examples" / "schemas"

TEXT = """
title: Support
x-seihon:
  default_policy: {policy: guard_ttl, ttl_turns: 50, ttl_seconds: 7776000}
properties:
  billing_plan:
    type: string
    enum: [free, pro, ultra]
    x-seihon: {policy: guard_ttl, ttl_turns: 15, ttl_seconds: 2592000, scoped: false,
               synonyms: {free: [free plan, 無料プラン], pro: [Pro plan, プロプラン]}}
  verbosity:
    description: How long answers should be.
    type: string
    enum: [brief, detailed]
    x-seihon: {policy: guard, scoped: true, blank_after_turns: 400}
  channels:
    type: array
    items: {type: string, enum: [push, email]}
    uniqueItems: true
    x-seihon: {policy: belief, serve_at: 0.5, rates: [0.001, 0.01]}
  seats: {type: integer, minimum: 1, maximum: 500}
  device:
    type: string
    pattern: '^(iPhone|iPad) [0-9]{1,2}$'
    maxLength: 20
    x-seihon: {normalise: [trim], ttl_turns: 90}
  renewal: {type: string, format: date, x-seihon: {policy: naive, inferred: candidate}}
"""


class Channel(StrEnum):
    """How to reach somebody."""

    PUSH = "push"
    EMAIL = "email"


class Support(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "x-seihon": {
                "default_policy": FieldPolicy("guard_ttl", ttl_turns=50, ttl_seconds=7_776_000).block
            }
        },
    )

    billing_plan: Annotated[
        Literal["free", "pro", "ultra"] | None,
        FieldPolicy(
            "guard_ttl",
            ttl_turns=15,
            ttl_seconds=2_592_000,
            synonyms={"free": ["free plan", "無料プラン"], "pro": ["Pro plan", "プロプラン"]},
        ),
    ] = None
    verbosity: Annotated[
        Literal["brief", "detailed"] | None,
        FieldPolicy("guard", scoped=True, blank_after_turns=400),
        Field(description="How long answers should be."),
    ] = None
    channels: Annotated[set[Channel], FieldPolicy("belief", serve_at=0.5, rates=[0.001, 0.01])] | None = None
    seats: Annotated[int | None, Field(ge=1, le=500)] = None
    device: Annotated[
        str | None,
        Field(pattern="^(iPhone|iPad) [0-9]{1,2}$", max_length=20),
        FieldPolicy(normalise=["trim"], ttl_turns=90),
    ] = None
    renewal: Annotated[date | None, FieldPolicy("naive", inferred="candidate")] = None


def test_three_forms_give_one_schema() -> None:
    schema = from_yaml(TEXT)
    assert from_pydantic(Support) == schema
    assert from_json_schema(yaml.safe_load(TEXT)) == schema
    assert from_json_schema(json.loads(json.dumps(schema.to_json_schema()))) == schema
    assert from_yaml(json.dumps(schema.to_json_schema(), ensure_ascii=False)) == schema


def test_what_a_schema_says_about_its_fields() -> None:
    schema = from_yaml(TEXT)
    plan, verbosity = schema.field("billing_plan"), schema.field("verbosity")
    assert plan.policy == make("guard_ttl", {"ttl_turns": 15, "ttl_seconds": 2_592_000})
    assert plan.limits == Limits(blank_after_seconds=2_592_000)
    assert (plan.inferred, verbosity.inferred) == (Inferred.ACCEPT, Inferred.CANDIDATE)
    assert verbosity.limits == Limits(blank_after_turns=400)
    assert schema.field("channels").policy == make(
        "belief", {"serve_at": 0.5, "rates": [0.001, 0.01], "values": 4}
    )


def test_a_field_without_a_policy_takes_the_default_and_may_change_one_number_of_it() -> None:
    schema = from_yaml(TEXT)
    assert schema.field("seats").policy == make("guard_ttl", {"ttl_turns": 50, "ttl_seconds": 7_776_000})
    assert schema.field("device").policy == make("guard_ttl", {"ttl_turns": 90, "ttl_seconds": 7_776_000})


def test_what_a_model_sees_has_no_required_field() -> None:
    document = from_yaml(TEXT).json_schema_for_models()
    assert "required" not in json.dumps(document)
    assert "x-seihon" not in json.dumps(document)
    assert document["properties"]["billing_plan"] == {
        "type": "string",
        "enum": ["free", "pro", "ultra"],
        "description": "Also written: free: free plan, 無料プラン; pro: Pro plan, プロプラン.",
    }
    assert document["properties"]["verbosity"]["description"] == "How long answers should be."


def test_null_beside_a_type_is_understood_since_every_field_may_be_blank() -> None:
    plain = one({"type": "string", "enum": ["a", "b"]})
    for shape in (
        {"type": ["string", "null"], "enum": ["a", "b", None]},
        {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}], "default": None},
    ):
        assert one(shape) == plain
    assert one({"const": "a"}) == one({"type": "string", "enum": ["a"]})


def one(shape: Mapping[str, Any], **root: Any) -> ProfileSchema:
    default = {"x-seihon": {"default_policy": {"policy": "naive"}}}
    return from_json_schema({**default, "properties": {"it": shape}, **root})


def ruled(**block: Any) -> dict[str, Any]:
    return {"type": "string", "enum": ["a", "b"], "x-seihon": block}


@pytest.mark.parametrize(
    ("shape", "place", "says"),
    [
        (ruled(policy="newest"), "it/x-seihon/policy", "must be one of naive, guard, guard_ttl, belief"),
        (ruled(policy=["guard"]), "it/x-seihon/policy", "must be one of naive, guard, guard_ttl, belief"),
        (ruled(policy="guard", ttl_turns=5), "it/x-seihon", "ttl_turns is not supported here"),
        (ruled(policy="guard_ttl"), "it/x-seihon/policy", "needs ttl_turns, ttl_seconds or both"),
        (ruled(policy="guard_ttl", ttl_turns=-1), "it/x-seihon/ttl_turns", "whole number from 0"),
        (ruled(policy="guard_ttl", ttl_turns="15"), "it/x-seihon/ttl_turns", "whole number from 0"),
        (ruled(policy="guard", blank_after_seconds=0.5), "it/x-seihon/blank_after_seconds", "whole number"),
        (ruled(policy="belief", serve_at=2), "it/x-seihon/serve_at", "from 0 to 1"),
        (ruled(policy="belief", values=3), "it/x-seihon", "values is not supported here"),
        (ruled(ttl=5), "it/x-seihon", "ttl is not supported here"),
        (ruled(scoped="yes"), "it/x-seihon/scoped", "must be true or false"),
        (ruled(inferred="maybe"), "it/x-seihon/inferred", "must be accept or candidate"),
        (ruled(inferred=[]), "it/x-seihon/inferred", "must be accept or candidate"),
        (ruled(normalise=["lower"]), "it/x-seihon/normalise", "allowed: nfkc, trim, case"),
        (ruled(normalise=[["trim"]]), "it/x-seihon/normalise", "allowed: nfkc, trim, case"),
        (ruled(normalise=["trim", "trim"]), "it/x-seihon/normalise", "twice"),
        (ruled(synonyms={"c": ["d"]}), "it/x-seihon/synonyms", '"c" is not one of the values: a, b'),
        (ruled(synonyms={"a": ["x"], "b": ["x"]}), "it/x-seihon/synonyms/b", '"x" already means "a"'),
        (ruled(synonyms={"a": ["b"]}), "it/x-seihon/synonyms/a", '"b" already means "b"'),
        (ruled(synonyms={"a": ["x", "x"]}), "it/x-seihon/synonyms/a", "is there already"),
        (
            ruled(synonyms={"a": ["X"], "b": ["x"]}, normalise=["case"]),
            "it/x-seihon/synonyms/b",
            '"x" already means "a"',
        ),
        (ruled(synonyms={"a": []}), "it/x-seihon/synonyms/a", "at least one"),
        (ruled(synonyms={"a": "x"}), "it/x-seihon/synonyms/a", "must be a list"),
        (ruled(synonyms={"a": [""]}), "it/x-seihon/synonyms/a", "must be text"),
        (ruled(synonyms=["a"]), "it/x-seihon/synonyms", "must be an object"),
        ({"type": "integer", "x-seihon": {"synonyms": {"1": ["one"]}}}, "it/x-seihon/synonyms", "belongs to"),
        ({"type": "string", "enum": []}, "it/enum", "1 to 500 values"),
        ({"type": "string", "enum": ["a", "a"]}, "it/enum", "are the same value"),
        ({"type": "string", "enum": ["a", True]}, "it/enum", "in YAML, quote words such as yes"),
        ({"type": "string", "enum": "ab"}, "it/enum", "must be a list"),
        (
            {"type": "string", "enum": ["a", "A"], "x-seihon": {"normalise": ["case"]}},
            "it/enum",
            "same value",
        ),
        ({"type": "string", "pattern": "("}, "it/pattern", "not a regular expression"),
        ({"type": "string", "pattern": "(?i)a"}, "it/pattern", "must not set flags"),
        ({"type": "string", "maxLength": 0}, "it/maxLength", "whole number from 1 to 10000"),
        ({"type": "string", "minLength": 2}, "it", "minLength is not supported here"),
        (
            {"type": "string", "format": "email"},
            "it",
            "format: email is no type of a profile field",
        ),
        ({"type": "integer", "minimum": 5, "maximum": 1}, "it/minimum", "must not be above maximum"),
        ({"type": "integer", "minimum": 0.5}, "it/minimum", "whole number"),
        ({"type": "integer", "exclusiveMinimum": 1}, "it", "exclusiveMinimum is not supported here"),
        ({"type": "number", "maximum": float("nan")}, "it/maximum", "finite number"),
        ({"type": "number", "multipleOf": 2}, "it", "multipleOf is not supported here"),
        ({"type": "array", "items": {"type": "string"}}, "it/items", "closed list"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1}, "it", "minItems"),
        ({"type": "object"}, "it", "must be a string"),
        ({"type": ["string", "integer"]}, "it/type", "must be one type"),
        ({"type": "string", "default": "a"}, "it/default", "must be null or absent"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "it/anyOf", "must be one type and null"),
        ({"$ref": "#/$defs/x"}, "it", "must be a string"),
        ({"type": "string", "x-seihon": []}, "it/x-seihon", "must be an object"),
        ("string", "it", "must be an object"),
    ],
)
def test_a_field_that_does_not_hold_together_is_refused_with_its_place(
    shape: Any, place: str, says: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        one(shape)
    assert caught.value.details["place"] == f"properties/{place}"
    assert caught.value.message.startswith(f"properties/{place}: ")
    assert says in caught.value.message
    assert caught.value.message.endswith(".")


@pytest.mark.parametrize(
    ("root", "place", "says"),
    [
        ({"required": ["it"]}, "required", "must be empty"),
        ({"additionalProperties": True}, "additionalProperties", "must be false"),
        ({"type": "array"}, "type", "must be object"),
        ({"patternProperties": {}}, "", "patternProperties is not supported here"),
        ({"properties": None}, "properties", "must be an object"),
        ({"properties": {1: {}}}, "properties", "not text"),
        ({"x-seihon": {"default": {}}}, "x-seihon", "default is not supported here"),
        ({"x-seihon": {"default_policy": "guard"}}, "x-seihon/default_policy", "must be an object"),
        ({"x-seihon": {"default_policy": {}}}, "x-seihon/default_policy", "must name a policy"),
        ({"x-seihon": {"default_policy": {"policy": "x"}}}, "x-seihon/default_policy/policy", "one of naive"),
        (
            {"x-seihon": {"default_policy": {"policy": "guard", "scoped": True}}},
            "x-seihon/default_policy",
            "scoped is not supported here",
        ),
        ({"x-seihon": {"version": 0}}, "x-seihon/version", "whole number from 1"),
        ({"x-seihon": {}}, "properties/it/x-seihon", "must name a policy, or the schema a default_policy"),
        ({"properties": {"2nd": {"type": "boolean"}}}, "properties", "A field's name is"),
        ({"title": 3}, "title", "must be text"),
    ],
)
def test_a_schema_that_does_not_hold_together_is_refused_with_its_place(
    root: Mapping[str, Any], place: str, says: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        one({"type": "boolean"}, **root)
    assert caught.value.details["place"] == place
    assert says in caught.value.message


@pytest.mark.parametrize("document", [None, [], "x", 5])
def test_what_is_not_an_object_is_no_schema(document: object) -> None:
    with pytest.raises(SchemaError, match="the schema: must be an object"):
        from_json_schema(document)


def test_a_schema_has_at_least_one_and_at_most_500_fields() -> None:
    for count in (0, 501):
        fields = {f"f{number}": {"type": "boolean"} for number in range(count)}
        with pytest.raises(SchemaError, match="1 to 500 fields"):
            one({}, properties=fields)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "properties: {a: {type: boolean}, a: {type: string}}",
            "from line 1 of the YAML gives a key twice",
        ),
        ("properties:\n  a: [", "not one YAML document at line 2"),
        ("a: 1\n---\nb: 2\n", "not one YAML document"),
        ("!!python/object/apply:os.getcwd []", "not one YAML document"),
        (
            "properties: {a: {type: string, enum: [yes, no]}}\nx-seihon: {default_policy: {policy: naive}}",
            "quote",
        ),
        ("properties: {on: {type: boolean}}", "not text; quote it"),
        ("? [a, b]\n: 1\n", "YAML"),
        ("at: 2026-13-45", "cannot be read"),
        ("&a [*a]", "inside that very block"),
        ("", "must be an object"),
    ],
)
def test_the_traps_of_yaml_are_refused(text: str, says: str) -> None:
    with pytest.raises(SchemaError) as caught:
        from_yaml(text)
    assert says in caught.value.message


def test_a_pydantic_field_must_be_able_to_be_blank() -> None:
    class Must(BaseModel):
        plan: Annotated[Literal["free"], FieldPolicy("naive")]

    class Filled(BaseModel):
        plan: Annotated[Literal["free"], FieldPolicy("naive")] = "free"

    class Nested(BaseModel):
        inner: Annotated[Must | None, FieldPolicy("naive")] = None

    for model, says in (
        (Must, "a profile field can be blank"),
        (Filled, "null or absent"),
        (Nested, "nested"),
    ):
        with pytest.raises(SchemaError, match=says):
            from_pydantic(model)


def test_a_policy_shows_in_the_models_own_json_schema() -> None:
    shown = Support.model_json_schema()["properties"]["seats"]
    assert "x-seihon" not in shown
    assert Support.model_json_schema()["properties"]["renewal"]["x-seihon"] == {
        "policy": "naive",
        "inferred": "candidate",
    }


def test_an_unknown_field_is_refused_naming_the_fields_there_are() -> None:
    with pytest.raises(InvalidArgument, match="it has billing_plan, verbosity, channels"):
        from_yaml(TEXT).field("billing")


@pytest.mark.parametrize(
    ("shape", "block", "codes"),
    [
        ({"type": "string"}, {"policy": "naive"}, ["open_string"]),
        ({"type": "string", "pattern": "a"}, {"policy": "naive"}, ["unanchored_pattern"]),
        ({"type": "string", "pattern": "^a$"}, {"policy": "naive"}, []),
        ({"type": "boolean"}, {"policy": "guard"}, ["guard_without_end"]),
        ({"type": "boolean"}, {"policy": "guard", "blank_after_turns": 9}, []),
        ({"type": "boolean"}, {"policy": "guard_ttl", "ttl_turns": 9}, ["no_limit_in_seconds"]),
        ({"type": "boolean"}, {"policy": "guard_ttl", "ttl_seconds": 9}, ["no_limit_in_turns"]),
        ({"type": "number"}, {"policy": "belief"}, ["belief_on_open_values"]),
        ({"type": "boolean"}, {"policy": "belief"}, []),
    ],
)
def test_what_is_likely_to_disappoint_draws_a_warning(
    shape: dict[str, Any], block: dict[str, Any], codes: list[str]
) -> None:
    found = warnings(one({**shape, "x-seihon": block}))
    assert [warning.code for warning in found] == codes
    assert all(warning.field == "it" and warning.text.endswith(".") for warning in found)


@pytest.fixture(scope="module")
def starter() -> ProfileSchema:
    return from_yaml((STARTER / "starter.yaml").read_text(encoding="utf-8"))


def test_the_starter_schema_is_the_same_in_yaml_and_as_a_model(
    starter: ProfileSchema, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("starter", STARTER / "starter.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "starter", module)
    spec.loader.exec_module(module)
    assert from_pydantic(module.AppDeveloper) == starter


def test_the_starter_schema_reads_a_japanese_developers_words(starter: ProfileSchema) -> None:
    assert len(starter.fields) == 20
    assert warnings(starter) == []
    words = {
        "billing_plan": ("プロプラン", "pro"),
        "review_prompt_timing": ("３回目起動", "third_launch"),
        "monetization": ("サブスク", "subscription"),
        "design_system": ("独自", "custom"),
        "asset_pipeline": ("Figma→SwiftGen", "Figma and SwiftGen"),
        "localization_langs": (["日本語", "EN"], ("ja", "en")),
        "team_size": ("1", 1),
        "min_os_version": ("iOS ２６", "iOS 26"),
    }
    for name, (said, value) in words.items():
        assert starter.field(name).parse(said) == value
    assert starter.field("preferred_locale").inferred is Inferred.CANDIDATE


def test_every_field_type_fits_in_a_schema() -> None:
    root = {"x-seihon": {"default_policy": {"policy": "belief"}}, "properties": SHAPES}
    schema = from_json_schema(root)
    assert from_json_schema(schema.to_json_schema()) == schema
    assert [declared.type.kind for declared in schema.fields.values()] == list(SHAPES)


class Point(BaseModel):
    x: int = 0


@pytest.mark.parametrize(
    ("annotation", "says"),
    [
        (datetime, "a date with a time (datetime) is no type of a profile field; it must be a string"),
        (timedelta, "a duration is no type"),
        (Point, "an object (a nested model, or a dict) is no type"),
        (dict[str, int], "an object (a nested model, or a dict) is no type"),
        (tuple[int, str], "an array with a type for each place (a tuple) is no type"),
        (Literal[1, 2], "an enum of values that are not text is no type"),
        (int | str, "not a union of several"),
        (list[str], "a closed list of texts"),
        (Callable, "JSON Schema has no word for its type"),
    ],
    ids=str,
)
def test_a_type_that_no_field_has_is_told_with_the_field_and_those_there_are(
    annotation: Any, says: str
) -> None:
    declared: Any = (Annotated[annotation | None, FieldPolicy("naive")], None)
    made = create_model("Made", seen=declared)
    with pytest.raises(SchemaError, match=r"^properties/seen(/\w+)?: ") as refused:
        read_schema(made)
    assert says in refused.value.message


def test_a_list_of_one_name_is_a_list() -> None:
    made = create_model("Made", one=(Annotated[list[Literal["ja"]] | None, FieldPolicy("naive")], None))
    assert read_schema(made).field("one").parse(["ja"]) == ("ja",)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("schema.yaml", "give it as a path"),
        (Path("/nowhere/schema.yaml"), "cannot be read"),
        (dict, "must be a Pydantic model"),
        (7, "must be an object"),
    ],
    ids=str,
)
def test_what_is_no_schema_at_all_is_refused_as_a_schema(form: Any, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        read_schema(form)


@pytest.mark.parametrize(
    ("policy", "options", "says"),
    [
        ("guardttl", {}, "must be one of naive, guard, guard_ttl, belief"),
        (7, {}, "must be one of naive"),
        ("guard_ttl", {"ttl_turn": 3}, "ttl_turn is not supported here; allowed: .*ttl_turns"),
        ("guard_ttl", {"ttl_turns": -3}, "FieldPolicy/ttl_turns: .*whole number"),
        ("naive", {"ttl_turns": 3}, "ttl_turns is not supported here"),
        (None, {"ttl": 3}, "ttl is not supported here"),
    ],
)
def test_a_field_policy_is_checked_where_it_is_written(policy: Any, options: Any, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        FieldPolicy(policy, **options)


def test_a_field_policy_without_a_name_takes_the_options_of_any() -> None:
    assert FieldPolicy(ttl_turns=3, scoped=True).block == {"ttl_turns": 3, "scoped": True}


def test_a_list_and_a_boolean_say_the_form_that_they_take() -> None:
    root = {"x-seihon": {"default_policy": {"policy": "naive"}}, "properties": SHAPES}
    schema = from_json_schema(root)
    one: Any = schema.fields["enums"].json_schema()["items"]
    refused_values: list[Any] = [one["enum"][0], [*one["enum"], "?"]]
    for wrong in refused_values:
        with pytest.raises(InvalidValue, match=r'must be a list such as \["') as refused:
            schema.field("enums").parse(wrong)
        assert "each one of" in refused.value.message
    with pytest.raises(InvalidValue, match="must be true or false"):
        schema.field("boolean").parse("yes, sir")
