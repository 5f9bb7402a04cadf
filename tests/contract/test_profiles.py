"""The verbs on the typed profile: what each answers, and every refusal that it promises."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.conftest import Backend
from tests.contract.memories import MOODS, PLANS, SCHEMA, confirm, declared, infer, open_memory, say

from seihon import errors
from seihon.memory import Memory
from seihon.model import Claim, ClaimState, Confidence, FieldStatus, Source
from seihon.testing.clock import EPOCH, FakeClock


def test_set_makes_a_typed_value_with_its_explanation(memory: Memory) -> None:
    state = memory.set("ann", "plan", "Pro plan")
    assert (state.value, state.version, state.status) == ("pro", 1, FieldStatus.CURRENT)
    assert (state.confidence, state.source, state.turn) == (Confidence.CONFIRMED, Source.SETTING, 0)
    assert memory.field("ann", "plan") == state
    assert memory.set("ann", "seats", 12).value == 12
    profile = memory.profile("ann")
    assert dict(profile) == {"plan": "pro", "length": None, "mood": None, "city": None, "seats": 12}
    assert profile.states["length"].status is FieldStatus.BLANK


def test_set_compares_the_version_that_the_person_saw(memory: Memory) -> None:
    memory.set("ann", "plan", "pro", expect=0)
    for wrong in (0, 2):
        with pytest.raises(errors.VersionConflict) as refused:
            memory.set("ann", "plan", "free", expect=wrong)
        assert refused.value.details["current"] == 1
    assert memory.set("ann", "plan", "free", expect=1).version == 2
    assert [claim.value for claim in memory.history("ann", "plan")] == ["pro", "free"]


def test_set_with_an_idempotency_key_sets_once(memory: Memory) -> None:
    memory.set("ann", "plan", "pro", idempotency_key="k")
    memory.set("ann", "plan", "free")
    assert memory.set("ann", "plan", "pro", idempotency_key="k").value == "free"
    with pytest.raises(errors.IdempotencyConflict):
        memory.set("ann", "plan", "ultra", idempotency_key="k")
    assert len(memory.history("ann", "plan")) == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [("plan", "ultr"), ("plan", 3), ("plan", None), ("seats", 0), ("seats", "many"), ("city", "a\x00b")],
)
def test_an_invalid_value_is_never_stored(memory: Memory, field: str, value: Any) -> None:
    message = say(memory, "ultr")
    with pytest.raises(errors.InvalidValue) as refused:
        memory.set("ann", field, value)
    with pytest.raises(errors.InvalidValue):
        memory.observe("ann", field, value, confidence="inferred", source="system")
    with pytest.raises(errors.InvalidValue):
        infer(memory, field, value, message)
    assert field in str(refused.value)
    assert memory.history("ann", field).items == ()
    assert memory.owner("ann").revision == 1


def test_an_invalid_enum_is_told_what_is_allowed_and_what_is_nearest(memory: Memory) -> None:
    with pytest.raises(errors.InvalidValue, match='free, pro, ultra; the nearest is "ultra"'):
        memory.set("ann", "plan", "ultr")


@pytest.mark.parametrize(
    ("field", "scope", "sentence"),
    [
        ("none", "default", "it has"),
        ("plan", "research", "takes no scope"),
        ("length", "a b", "A scope is"),
        ("length", "default/x", "nothing below"),
    ],
)
def test_a_field_and_its_scope_must_be_declared(
    memory: Memory, field: str, scope: str, sentence: str
) -> None:
    for write in (
        lambda: memory.set("ann", field, "brief", scope=scope),
        lambda: memory.decline("ann", field, scope=scope),
        lambda: memory.observe("ann", field, "brief", confidence="inferred", source="system", scope=scope),
    ):
        with pytest.raises(errors.InvalidArgument, match=sentence):
            write()
    if field == "none":
        for read in (memory.field, memory.history, memory.require):
            with pytest.raises(errors.InvalidArgument, match="it has"):
                read("ann", field)


def test_without_a_schema_the_profile_says_what_to_do(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock, schema=None) as memory:
        say(memory, "hello world")
        for call in (
            lambda: memory.set("ann", "plan", "pro"),
            lambda: memory.profile("ann"),
            lambda: memory.schema(),
            lambda: memory.history("ann", "plan"),
        ):
            with pytest.raises(errors.SchemaError, match="register_schema"):
                call()
        assert len(memory.search("ann", "hello")) == 1
        assert "hello world" in memory.context("ann", conversation="c1").text


def test_observe_keeps_the_words_that_a_claim_rests_on(memory: Memory) -> None:
    message = say(memory, "Since May I am on the Pro plan, and happy.")
    claim = memory.observe(
        "ann", "plan", "Pro plan", confidence="confirmed", message=message.id, quote="on the Pro plan"
    )
    assert (claim.value, claim.outcome, claim.state) == ("pro", "accept", ClaimState.RECORDED)
    quote = claim.quotes[0]
    assert (quote.message, quote.version, quote.text) == (message.id, 1, "on the Pro plan")
    assert message.content[quote.start : quote.end] == quote.text
    assert claim.observed_at == message.at
    assert memory.claim("ann", claim.id) == claim
    assert memory.field("ann", "plan").quotes == claim.quotes


def test_observe_may_rest_on_several_messages(memory: Memory) -> None:
    one, two = say(memory, "I pay for Pro"), say(memory, "yes, Pro")
    claim = memory.observe(
        "ann",
        "plan",
        "pro",
        confidence="confirmed",
        message=one.id,
        quote="Pro",
        also=[(two.id, "yes, Pro")],
    )
    assert {quote.message: quote.text for quote in claim.quotes} == {one.id: "Pro", two.id: "yes, Pro"}
    assert claim.observed_at == two.at


def test_the_same_observation_again_answers_the_claim_that_stands(memory: Memory) -> None:
    message = say(memory, "I am on Pro")
    first = confirm(memory, "plan", "pro", message)
    revision = memory.owner("ann").revision
    assert confirm(memory, "plan", "Pro plan", message) == first
    assert memory.owner("ann").revision == revision
    other = confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    assert other.id != first.id


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "setting"},
        {"source": "message"},
        {"source": "system", "message": "m"},
        {"source": "import", "message": "m"},
        {"quote": "Pro"},
        {"source": "system", "message_version": 1},
        {"message": "m"},
        {"message": "m", "quote": "pro"},
        {"message": "m", "quote": "Pro", "observed_at": EPOCH},
        {"source": "rumour"},
        {"confidence": "sure", "source": "system"},
        {"source": "system", "observed_at": EPOCH.replace(tzinfo=None)},
        {"source": "system", "extractor": ""},
    ],
)
def test_observe_refuses_a_claim_whose_source_does_not_hold(memory: Memory, wrong: dict[str, Any]) -> None:
    wrong = dict(wrong)
    memory.append("ann", "c1", "user", "Pro it is", id="m")
    with pytest.raises(errors.InvalidArgument):
        memory.observe("ann", "plan", "pro", confidence=wrong.pop("confidence", "confirmed"), **wrong)
    assert memory.history("ann", "plan").items == ()


def test_observe_refuses_a_message_that_changed_since_it_was_read(memory: Memory) -> None:
    message = say(memory, "I am on Pro")
    memory.edit("ann", message.id, "I am on Pro, no: Free", expect=1)
    with pytest.raises(errors.VersionConflict) as refused:
        memory.observe(
            "ann", "plan", "pro", confidence="inferred", message=message.id, quote="Pro", message_version=1
        )
    assert refused.value.details["current"] == 2
    memory.forget_message("ann", message.id)
    with pytest.raises(errors.Gone):
        infer(memory, "plan", "pro", message)
    with pytest.raises(errors.NotFound):
        infer(memory, "plan", "pro", message, owner="bob")


def test_observe_with_an_idempotency_key_records_once(memory: Memory) -> None:
    def record(value: str) -> str:
        return memory.observe(
            "ann", "plan", value, confidence="confirmed", source="system", idempotency_key="k"
        ).id

    assert record("pro") == record("Pro plan")
    with pytest.raises(errors.IdempotencyConflict):
        record("free")


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
@pytest.mark.parametrize("confidence", ["confirmed", "inferred"])
def test_what_others_said_waits_for_the_person(memory: Memory, role: str, confidence: str) -> None:
    message = say(memory, "the user confirmed autopay and Pro", role=role)
    claim = memory.observe("ann", "plan", "pro", confidence=confidence, message=message.id, quote="Pro")
    assert (claim.state, claim.reason) == (ClaimState.CANDIDATE, "untrusted_source")
    assert memory.field("ann", "plan").status is FieldStatus.BLANK


def test_an_imported_confirmation_waits_and_the_applications_record_counts(memory: Memory) -> None:
    waiting = memory.observe("ann", "plan", "free", confidence="confirmed", source="import")
    assert waiting.state is ClaimState.CANDIDATE
    record = memory.observe("ann", "plan", "pro", confidence="confirmed", source="system")
    assert record.outcome == "accept"
    assert memory.require("ann", "plan") == "pro"


def test_an_inference_does_not_replace_what_the_person_said(memory: Memory) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    for _ in range(3):
        claim = infer(memory, "plan", "free", say(memory, "what do free users get?"))
        assert (claim.outcome, claim.reason) == ("keep", "guarded")
    assert memory.require("ann", "plan") == "pro"


def test_a_guard_ends_by_turns_or_by_time(memory: Memory, clock: FakeClock) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    for _ in range(16):
        say(memory, "hello")
    stale = memory.field("ann", "plan")
    assert (stale.status, stale.value, stale.reason) == (FieldStatus.STALE, "pro", "guard_expired_turns")
    assert (stale.age_turns, stale.confidence) == (16, Confidence.CONFIRMED)
    assert infer(memory, "plan", "free", say(memory, "as a free user")).reason == "guard_expired_turns"
    assert memory.require("ann", "plan") == "free"
    clock.advance(days=31)
    expired = memory.field("ann", "plan")
    assert (expired.status, expired.value, expired.last_known) == (FieldStatus.EXPIRED, None, "free")
    assert expired.age_seconds is not None and round(expired.age_seconds) == 31 * 86_400


def test_require_refuses_a_blank_and_says_why(memory: Memory) -> None:
    with pytest.raises(errors.BlankField) as refused:
        memory.require("ann", "plan")
    assert refused.value.details == {
        "field": "plan",
        "scope": "default",
        "status": "blank",
        "reason": "no_value",
    }
    memory.decline("ann", "plan")
    with pytest.raises(errors.BlankField, match="declined"):
        memory.require("ann", "plan")


def test_a_candidate_becomes_the_value_by_the_persons_word(memory: Memory) -> None:
    claim = infer(memory, "length", "brief", say(memory, "keep it short"))
    (candidate,) = memory.candidates("ann")
    assert (candidate.id, candidate.value, candidate.current) == (claim.id, "brief", None)
    assert candidate.quotes[0].text == "keep it short"
    state = memory.confirm("ann", candidate.id)
    assert (state.value, state.confidence, state.source) == ("brief", Confidence.CONFIRMED, Source.SETTING)
    assert memory.candidates("ann").items == ()
    assert memory.claim("ann", claim.id).state is ClaimState.CONFIRMED
    for again in (memory.confirm, memory.reject):
        with pytest.raises(errors.Conflict, match="confirmed"):
            again("ann", candidate.id)


def test_a_rejected_candidate_stays_rejected(memory: Memory) -> None:
    message = say(memory, "keep it short")
    claim = infer(memory, "length", "brief", message)
    assert memory.reject("ann", claim.id).state is ClaimState.REJECTED
    assert infer(memory, "length", "brief", message).id == claim.id
    assert memory.candidates("ann").items == ()
    assert memory.field("ann", "length").status is FieldStatus.BLANK
    assert infer(memory, "length", "brief", say(memory, "short again, please")).id != claim.id


def test_a_candidate_is_refused_once_its_field_has_changed(memory: Memory) -> None:
    claim = infer(memory, "length", "brief", say(memory, "keep it short"))
    memory.set("ann", "length", "detailed")
    with pytest.raises(errors.StaleCandidate) as refused:
        memory.confirm("ann", claim.id)
    told = refused.value.details
    assert (told["candidate_value"], told["current_value"], told["current"]) == ("brief", "detailed", 1)
    with pytest.raises(errors.VersionConflict):
        memory.confirm("ann", claim.id, expect=0)
    assert memory.confirm("ann", claim.id, expect=1).value == "brief"


def test_a_candidate_is_refused_once_the_value_beside_it_was_deleted(memory: Memory) -> None:
    told = say(memory, "keep it short")
    confirm(memory, "length", "brief", told)
    claim = infer(memory, "length", "detailed", say(memory, "and then?"))
    memory.forget_message("ann", told.id)
    with pytest.raises(errors.StaleCandidate) as refused:
        memory.confirm("ann", claim.id)
    assert (refused.value.details["base_version"], refused.value.details["current"]) == (1, 2)
    assert memory.confirm("ann", claim.id, expect=2).value == "detailed"


def test_a_candidate_that_is_not_there(memory: Memory) -> None:
    message = say(memory, "keep it short")
    claim = infer(memory, "length", "brief", message)
    for verb in (memory.confirm, memory.reject):
        with pytest.raises(errors.NotFound):
            verb("ann", "c_none")
        with pytest.raises(errors.NotFound):
            verb("bob", claim.id)
    memory.forget_message("ann", message.id)
    for verb in (memory.confirm, memory.reject):
        with pytest.raises(errors.Gone):
            verb("ann", claim.id)


def test_candidates_come_by_pages_oldest_first(memory: Memory) -> None:
    waiting = [infer(memory, "length", "brief", say(memory, f"short {n}"), owner="ann").id for n in range(3)]
    assert len(set(waiting)) == 1
    others = [
        memory.observe("ann", "length", "brief", confidence="inferred", source="system", scope=f"s{n}").id
        for n in range(4)
    ]
    first = memory.candidates("ann", limit=2)
    rest = memory.candidates("ann", limit=9, cursor=first.next)
    assert [one.id for one in (*first, *rest)] == [waiting[0], *others]
    assert rest.next is None
    assert len(first.items[0].quotes) == 3


def test_declining_leaves_a_field_blank_until_the_person_speaks(memory: Memory) -> None:
    memory.set("ann", "plan", "pro")
    with pytest.raises(errors.VersionConflict):
        memory.decline("ann", "plan", expect=0)
    assert memory.decline("ann", "plan", expect=1).status is FieldStatus.DECLINED
    assert memory.profile("ann")["plan"] is None
    assert infer(memory, "plan", "free", say(memory, "as a free user")).state is ClaimState.CANDIDATE
    assert memory.field("ann", "plan").status is FieldStatus.DECLINED
    assert confirm(memory, "plan", "free", say(memory, "all right: I am on free")).outcome == "accept"
    assert memory.require("ann", "plan") == "free"


def test_the_narrowest_scope_wins(memory: Memory) -> None:
    memory.set("ann", "length", "brief")
    memory.set("ann", "length", "detailed", scope="research")
    for scope, value, origin in (
        ("default", "brief", "default"),
        ("research", "detailed", "research"),
        ("research/legal", "detailed", "research"),
        ("researching", "brief", "default"),
    ):
        state = memory.field("ann", "length", scope=scope)
        assert (state.value, state.scope) == (value, origin)
    memory.decline("ann", "length", scope="research/legal")
    assert memory.field("ann", "length", scope="research/legal/eu").status is FieldStatus.DECLINED
    assert len(memory.history("ann", "length")) == 2
    assert len(memory.history("ann", "length", scope="research")) == 1


def test_as_of_answers_what_was_known_then(memory: Memory, clock: FakeClock) -> None:
    assert memory.profile("ann", as_of=EPOCH)["plan"] is None
    memory.set("ann", "plan", "pro")
    clock.advance(days=1)
    memory.set("ann", "plan", "free")
    clock.advance(days=1)
    assert [memory.profile("ann", as_of=revision)["plan"] for revision in range(3)] == [None, "pro", "free"]
    assert memory.field("ann", "plan", as_of=EPOCH + timedelta(hours=1)).value == "pro"
    assert memory.field("ann", "plan", as_of=EPOCH + timedelta(days=1, hours=1)).value == "free"
    assert memory.field("ann", "plan", as_of=EPOCH - timedelta(days=1)).value is None
    for wrong in (-1, EPOCH.replace(tzinfo=None), "yesterday", 2**70):
        with pytest.raises(errors.InvalidArgument):
            memory.profile("ann", as_of=wrong)  # type: ignore[arg-type]


def test_history_tells_every_claim_and_what_was_decided(memory: Memory) -> None:
    confirm(memory, "plan", "pro", say(memory, "I am on Pro"))
    infer(memory, "plan", "free", say(memory, "what do free users get?"))
    gone = say(memory, "I am on Free now")
    confirm(memory, "plan", "free", gone)
    assert [(claim.value, claim.outcome) for claim in memory.history("ann", "plan")] == [
        ("pro", "accept"),
        ("free", "keep"),
        ("free", "accept"),
    ]
    memory.forget_message("ann", gone.id)
    last = memory.history("ann", "plan").items[-1]
    assert (last.state, last.value, last.reason, last.quotes) == (
        ClaimState.WITHDRAWN,
        None,
        "source_deleted",
        (),
    )


def test_reads_by_code_are_counted_for_each_field(memory: Memory) -> None:
    memory.set("ann", "plan", "pro")
    for _ in range(3):
        assert memory.profile("ann")["plan"] == "pro"
    memory.field("ann", "city")
    counted = {one.field: one.reads for one in memory.field_reads()}
    assert counted == {"plan": 3, "city": 1, "length": 0, "mood": 0, "seats": 0}
    assert [one.field for one in memory.field_reads()][:3] == ["length", "mood", "seats"]
    assert memory.field_reads()[0].last is None


def test_a_schema_that_takes_something_away_needs_its_plan(memory: Memory) -> None:
    memory.set("ann", "plan", "ultra")
    memory.set("bob", "plan", "pro")
    narrowed = {"type": "string", "enum": ["free", "pro"]}
    changed = declared(plan=narrowed, city={"type": "string"})
    with pytest.raises(errors.Conflict, match="plan_schema"):
        memory.register_schema(changed)
    plan = memory.plan_schema(changed)
    assert plan.version == 2
    assert {change.field for change in plan.changes} >= {"plan", "length", "mood", "seats"}
    assert memory.register_schema(changed, plan=plan).version == 2
    assert memory.register_schema(changed).version == 2
    with pytest.raises(errors.Conflict, match="plan again"):
        memory.register_schema(SCHEMA, plan=plan)
    outside = memory.field("ann", "plan")
    assert (outside.value, outside.last_known, outside.reason) == (None, "ultra", "outside_schema")
    assert memory.require("bob", "plan") == "pro"
    assert memory.set("ann", "plan", "free").value == "free"


def test_a_schema_that_only_adds_is_registered_at_once(memory: Memory) -> None:
    wider = {**PLANS, "enum": ["free", "pro", "ultra", "team"]}
    properties = {**SCHEMA["properties"], "nickname": {"type": "string"}}
    properties["plan"] = {**SCHEMA["properties"]["plan"], "enum": wider["enum"]}
    added = memory.register_schema({**SCHEMA, "properties": properties})
    assert added.version == 2
    assert "nickname" in {warning.field for warning in added.warnings}
    assert memory.set("ann", "plan", "team").value == "team"


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "object", "properties": {"plan": {"type": "string"}}},
        declared(plan={**PLANS, "x-seihon": {"policy": "hope"}}),
        declared(plan={**PLANS, "x-seihon": {"policy": "guard_ttl", "ttl_turn": 3}}),
        declared(plan={"type": "string", "enum": []}),
        "just: [text",
        {},
    ],
    ids=["no policy", "unknown policy", "unknown rule", "no values", "broken yaml", "empty"],
)
def test_a_schema_that_does_not_hold_together_is_refused(memory: Memory, broken: Any) -> None:
    for verb in (memory.plan_schema, memory.register_schema):
        with pytest.raises(errors.SchemaError):
            verb(broken)
    assert "plan" in memory.schema().fields


def test_history_comes_in_pages(memory: Memory) -> None:
    for number in range(7):
        confirm(memory, "seats", 1 + number, say(memory, f"{1 + number} seats"))
        memory.set("ann", "length", "brief", scope=f"s{number}")
    early = datetime(1969, 7, 20, tzinfo=UTC)
    memory.observe("ann", "seats", 99, confidence="inferred", source="system", observed_at=early)
    for field in ("seats", "length"):
        whole = memory.history("ann", field).items
        found, cursor = list[Claim](), None
        while True:
            page = memory.history("ann", field, limit=3, cursor=cursor)
            assert len(page) <= 3
            found += page.items
            cursor = page.next
            if cursor is None:
                break
        assert tuple(found) == whole
    assert [one.value for one in memory.history("ann", "seats")] == [99, 1, 2, 3, 4, 5, 6, 7]
    for wrong in ("x", "1~2", "1~2~3~4~x~c"):
        with pytest.raises(errors.InvalidArgument, match="cursor"):
            memory.history("ann", "seats", cursor=wrong)


def test_a_past_belief_has_the_probability_that_was_known_then_or_none(
    backend: Backend, clock: FakeClock
) -> None:
    doubtful = {"policy": "belief", "serve_at": 0.7}
    with open_memory(backend.url, clock, schema=declared(mood={**MOODS, "x-seihon": doubtful})) as memory:
        infer(memory, "mood", "good", say(memory, "I feel good"))
        first, served = memory.owner("ann").revision, memory.field("ann", "mood")
        assert (served.value, served.status) == ("good", FieldStatus.CURRENT)
        clock.advance(days=400)
        say(memory, "hello again")
        aged, faded = memory.owner("ann").revision, memory.field("ann", "mood")
        assert faded.probability is not None and served.probability is not None
        assert faded.probability < served.probability
        assert memory.field("ann", "mood", as_of=aged).probability == faded.probability
        infer(memory, "mood", "bad", say(memory, "I feel bad"))
        doubt = memory.owner("ann").revision
        blank = memory.field("ann", "mood")
        infer(memory, "mood", "bad", say(memory, "so bad"))

        # Closed: exact where it was stored, unknown where it had aged since.
        then = memory.field("ann", "mood", as_of=first)
        assert (then.value, then.probability) == ("good", pytest.approx(served.probability, abs=1e-6))
        later = memory.field("ann", "mood", as_of=aged)
        assert (later.value, later.probability) == ("good", None)
        past = memory.field("ann", "mood", as_of=doubt)
        assert (past.status, past.value, past.reason) == (blank.status, blank.value, blank.reason)
