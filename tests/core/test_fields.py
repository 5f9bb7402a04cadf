"""Every field type: what it accepts, what it refuses, and what it says when it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.making import SHAPES, VALUES, every_type, field

from seihon.core.fields import FIELD_TYPES, FieldType
from seihon.core.fields.normal import Normal
from seihon.core.values import Value
from seihon.errors import InvalidValue, SchemaError

TYPES = every_type()
PLAN = field(
    SHAPES["enum"],
    normalise=["nfkc", "trim", "case"],
    synonyms={"free": ["free plan", "無料プラン"], "pro": ["Pro plan", "プロプラン"]},
)
STRICT_PLAN = field(SHAPES["enum"])

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@st.composite
def typed(draw: st.DrawFn) -> tuple[FieldType, Value]:
    kind = draw(st.sampled_from(list(FIELD_TYPES)))
    return TYPES[kind], draw(VALUES[kind])


@given(typed())
def test_a_value_survives_json_and_parsing_again(case: tuple[FieldType, Value]) -> None:
    kind, value = case
    dumped = kind.dump(value)
    again = kind.load(json.loads(json.dumps(dumped)))
    assert again == value
    assert type(again) is type(value)
    assert kind.parse(value) == value
    assert kind.parse(dumped) == value
    assert hash(again) == hash(value)


@given(typed(), st.sampled_from(["en", "ja", "ja-JP", "fr"]))
def test_every_value_can_be_read_by_people(case: tuple[FieldType, Value], locale: str) -> None:
    kind, value = case
    assert kind.render(value, locale=locale)


def outcome(read: Callable[[object], Value], raw: object) -> Value | InvalidValue:
    try:
        return read(raw)
    except InvalidValue as error:
        return error


@given(st.sampled_from(list(TYPES.values())), anything)
def test_anything_at_all_is_either_a_value_or_refused(kind: FieldType, raw: object) -> None:
    for read in (kind.parse, kind.load):
        found = outcome(read, raw)
        if isinstance(found, InvalidValue):
            assert found.message.startswith("The value must be ")
        else:
            assert kind.load(kind.dump(found)) == found


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("enum", "Free"),
        ("enum", "free "),
        ("enum", 1),
        ("enum", None),
        ("enum", ["free"]),
        ("string", ""),
        ("string", "ab\n"),
        ("string", "ABC"),
        ("string", "a" * 9),
        ("string", 3),
        ("integer", True),
        ("integer", 2.5),
        ("integer", 6),
        ("integer", "1.0"),
        ("integer", "1_0"),
        ("integer", " 1"),
        ("integer", "１"),
        ("integer", float("nan")),
        ("integer", float("inf")),
        ("integer", "9" * 5_000),
        ("number", False),
        ("number", float("nan")),
        ("number", float("-inf")),
        ("number", "nan"),
        ("number", "Infinity"),
        ("number", "1e999"),
        ("number", "0x10"),
        ("number", 10**400),
        ("number", 10.5),
        ("boolean", 1),
        ("boolean", 0),
        ("boolean", "yes"),
        ("boolean", "True"),
        ("boolean", None),
        ("date", "2026-2-3"),
        ("date", "20260203"),
        ("date", "2026-02-30"),
        ("date", "02/03/2026"),
        ("date", "2026-02-03T00:00:00"),
        ("date", "２０２６-02-03"),
        ("date", datetime(2026, 2, 3, tzinfo=UTC)),
        ("date", 20260203),
        ("enums", "a"),
        ("enums", ["a", "d"]),
        ("enums", [["a"]]),
        ("enums", {"a": 1}),
    ],
)
def test_what_a_type_refuses(kind: str, raw: object) -> None:
    with pytest.raises(InvalidValue):
        TYPES[kind].parse(raw)


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("integer", "-3", -3),
        ("integer", "+3", 3),
        ("integer", 3.0, 3),
        ("number", 3, 3.0),
        ("number", "-2.5e0", -2.5),
        ("number", "-0.0", 0.0),
        ("boolean", "true", True),
        ("date", "2024-02-29", date(2024, 2, 29)),
        ("enums", ["c", "a", "c"], ("a", "c")),
        ("enums", [], ()),
        ("enums", {"b"}, ("b",)),
    ],
)
def test_what_a_type_reads(kind: str, raw: object, value: Value) -> None:
    found = TYPES[kind].parse(raw)
    assert (found, type(found)) == (value, type(value))
    assert str(found) == str(value)


@pytest.mark.parametrize(
    ("kind", "value", "english", "japanese"),
    [
        ("boolean", True, "yes", "はい"),
        ("boolean", False, "no", "いいえ"),
        ("date", date(2026, 3, 1), "2026-03-01", "2026年3月1日"),
        ("number", 3.0, "3", "3"),
        ("number", 0.1, "0.1", "0.1"),
        ("enums", ("a", "b"), "a, b", "a、b"),
        ("enums", (), "none", "なし"),
        ("enum", "pro", "pro", "pro"),
    ],
)
def test_how_people_read_values(kind: str, value: Value, english: str, japanese: str) -> None:
    assert TYPES[kind].render(value) == english
    assert TYPES[kind].render(value, locale="ja") == japanese


def test_only_declared_normalisation_is_applied() -> None:
    assert PLAN.parse(" Ｐｒｏ\u3000") == "pro"
    assert PLAN.parse("PRO PLAN") == "pro"
    assert PLAN.parse("無料プラン") == "free"
    for raw in (" pro", "Pro", "ｐｒｏ", "無料プラン"):
        with pytest.raises(InvalidValue):
            STRICT_PLAN.parse(raw)
    case_only = field(SHAPES["enum"], normalise=["case"])
    assert case_only.parse("ULTRA") == "ultra"
    with pytest.raises(InvalidValue):
        case_only.parse("ultra ")


def test_stored_values_are_not_normalised_again() -> None:
    with pytest.raises(InvalidValue):
        PLAN.load("Pro plan")


@pytest.mark.scenario("J8")
def test_a_refusal_names_the_field_the_allowed_values_and_the_nearest() -> None:
    with pytest.raises(InvalidValue) as caught:
        PLAN.parse("plo plan")
    assert caught.value.message == 'The field it must be one of free, pro, ultra; the nearest is "pro".'
    assert caught.value.details == {"field": "it", "allowed": "one of free, pro, ultra", "nearest": "pro"}


@pytest.mark.scenario("J7")
@given(st.text(st.sampled_from("abcprou猫東京らー0189"), min_size=4))
def test_a_refusal_never_repeats_what_was_said(secret: str) -> None:
    for kind in TYPES.values():
        refused = outcome(kind.parse, f"秘{secret}密")
        assert isinstance(refused, InvalidValue)
        assert secret not in json.dumps(refused.as_dict(), ensure_ascii=False)
        assert refused.__cause__ is None


def test_a_guess_in_words_is_not_a_device() -> None:
    device = field({"type": "string", "pattern": "^(iPhone|iPad) [A-Za-z0-9 ]+$"}, normalise=["nfkc", "trim"])
    assert device.parse(" iPhone １５ ") == "iPhone 15"
    for raw in (
        "たぶん iPhone のどれか",
        "iPhone のどれか",
        "iPhone 15\n8",
        "iPhone 15\x00",
        "iPhone \ud800",
    ):
        with pytest.raises(InvalidValue):
            device.parse(raw)


def test_a_pattern_matches_anywhere_unless_anchored_as_in_json_schema() -> None:
    assert field({"type": "string", "pattern": "[0-9]"}).parse("room 5") == "room 5"


def test_text_in_a_case_free_string_is_kept_in_lower_case() -> None:
    named = field({"type": "string"}, normalise=["case"], synonyms={"tokyo": ["東京", "Edo"]})
    assert [named.parse(raw) for raw in ("OSAKA", "EDO", "東京", "Tokyo")] == [
        "osaka",
        "tokyo",
        "tokyo",
        "tokyo",
    ]


def test_a_yes_counts_only_where_it_is_declared() -> None:
    answer = field(
        {"type": "boolean"}, normalise=["case"], synonyms={"true": ["yes", "はい"], "false": ["no"]}
    )
    assert [answer.parse(raw) for raw in ("YES", "はい", "no", "TRUE", False)] == [
        True,
        True,
        False,
        True,
        False,
    ]


def test_digits_of_another_width_are_read_where_declared() -> None:
    assert field({"type": "integer"}, normalise=["nfkc", "trim"]).parse(" １２ ") == 12


@given(st.text(), st.booleans(), st.booleans(), st.booleans())
def test_normalising_twice_changes_nothing(text: str, nfkc: bool, trim: bool, case: bool) -> None:
    normal = Normal(nfkc=nfkc, trim=trim, case=case)
    assert normal.text(normal.text(text)) == normal.text(text)


def test_very_many_allowed_values_are_named_in_part_only() -> None:
    wide = field({"type": "string", "enum": [f"v{number}" for number in range(300)]})
    with pytest.raises(InvalidValue, match="and 280 more"):
        wide.parse("w" * 50_000)


@pytest.mark.parametrize(
    ("kind", "count"),
    [("enum", 3), ("boolean", 2), ("integer", 11), ("enums", 8), ("string", None), ("date", None)],
)
def test_how_many_values_there_are(kind: str, count: int | None) -> None:
    assert TYPES[kind].cardinality() == count


@pytest.mark.parametrize("kind", FIELD_TYPES)
def test_a_type_reads_its_own_json_schema_back(kind: str) -> None:
    assert TYPES[kind].kind == kind
    assert field(TYPES[kind].json_schema()).type == TYPES[kind]


def test_a_type_that_is_not_supported_is_refused() -> None:
    for shape in ({"type": "object"}, {"type": "null"}, {}, {"type": "array"}, {"enum": [1, 2]}):
        with pytest.raises(SchemaError):
            field(shape)
