"""Transcripts on their way in: what a line may be, what a bad one says, and that nothing comes in twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import Backend
from tests.contract.memories import SECRET, infer, open_memory, say

from seihon import errors
from seihon.memory import Memory, transcripts
from seihon.memory.transcripts import Line
from seihon.model import BadLine, Message
from seihon.testing.clock import EPOCH, FakeClock

scenario = pytest.mark.scenario
OTHER_SECRET = b"another key of tests, of thirty-two bytes and more"


def line(content: Any = "hello", role: str = "user", **more: Any) -> str:
    """One line of a transcript."""
    return json.dumps({"role": role, "content": content, **more}, ensure_ascii=False)


def texts(memory: Memory, conversation: str = "imported", owner: str = "ann") -> list[str]:
    return [one.content for one in memory.messages(owner, conversation, limit=1_000)]


def counts(report: Any) -> tuple[int, int, int]:
    return report.added, report.present, report.deleted


def one_line(raw: Any) -> Line | BadLine:
    (found,) = transcripts.read([raw], conversation="imported")
    return found


# --- what a line may be ---


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hello", "hello"),
        ([{"type": "text", "text": "see"}, {"type": "text", "text": "this"}], "see\nthis"),
        ([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:"}}], "see"),
        (["plain"], "plain"),
        ([{"type": "image_url"}, {"type": "a type with spaces"}], "[image_url, other]"),
    ],
)
def test_content_is_text_or_parts(content: Any, words: str) -> None:
    found = one_line(line(content))
    assert isinstance(found, Line)
    assert found.draft.content == words


def test_of_other_parts_the_type_is_kept_and_nothing_else() -> None:
    found = one_line(line([{"type": "text", "text": "see"}, {"type": "image_url", "image_url": "secret"}]))
    assert isinstance(found, Line)
    assert found.draft.metadata == {"parts": ["image_url"]}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"tool_calls": [{"id": "t1", "type": "function", "function": {"name": "search"}}]},
            "[tool call: search]",
        ),
        ({"function_call": {"name": "lookup", "arguments": "{}"}}, "[tool call: lookup]"),
        ({"tool_calls": ["of an unknown form"]}, "[tool call]"),
    ],
)
def test_a_message_of_tool_calls_alone_is_kept_with_a_stand_in(more: dict[str, Any], words: str) -> None:
    found = one_line(line(None, "assistant", **more))
    assert isinstance(found, Line)
    assert found.draft.content == words
    calls = more.get("tool_calls") or [more["function_call"]]
    assert found.draft.metadata == {"tool_calls": calls}


def test_what_names_a_message_is_kept_beside_it() -> None:
    found = one_line(line("42", "tool", name="calc", tool_call_id="t1", metadata={"k": 1, "name": "mine"}))
    assert isinstance(found, Line)
    assert found.draft.metadata == {"name": "mine", "tool_call_id": "t1", "k": 1}


@pytest.mark.parametrize(("role", "read"), [("developer", "system"), ("function", "tool"), ("user", "user")])
def test_roles_of_before_and_after_are_read_by_their_names(role: str, read: str) -> None:
    found = one_line(line(role=role))
    assert isinstance(found, Line)
    assert found.draft.role == read


@scenario("L10")
@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("2024-02-03T04:05:06Z", datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)),
        ("2024-02-03T04:05:06+09:00", datetime(2024, 2, 2, 19, 5, 6, tzinfo=UTC)),
        ("2024-02-03T04:05:06", datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)),
        ("2024-02-03", datetime(2024, 2, 3, tzinfo=UTC)),
        (1706933106, datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)),
        (1706933106.25, datetime(2024, 2, 3, 4, 5, 6, 250_000, tzinfo=UTC)),
        (-1, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def test_an_instant_means_the_same_under_every_zone(
    told: Any, meant: datetime, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        found = one_line(line(created_at=told))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert isinstance(found, Line)
    assert found.draft.observed_at == (meant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


CANARY = "kestrel-4711"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (f'{{"role": "user", "content": "{CANARY}"', "bad_format"),
        (f'["{CANARY}"', "bad_format"),
        (f'"{CANARY}"', "bad_format"),
        (b"\xff\xfe" + CANARY.encode(), "bad_format"),
        (f'{{"role": "user", "content": "{CANARY}", "metadata": {{"x": NaN}}}}', "bad_format"),
        (f'{{"role": "user", "content": "{CANARY}", "metadata": {{"x": 1e999}}}}', "invalid_argument"),
        ('{"role": "user", "content": ' + "[" * 100_000, "bad_format"),
        (line(CANARY, role="robot"), "invalid_argument"),
        (line(CANARY, role=CANARY), "invalid_argument"),
        (json.dumps({"content": CANARY}), "invalid_argument"),
        (json.dumps({"role": ["user"], "content": CANARY}), "invalid_argument"),
        (line(f"{CANARY}\x00"), "invalid_text"),
        (f'{{"role": "user", "content": "{CANARY}\\ud800"}}', "invalid_text"),
        (line(CANARY * 100_000), "invalid_text"),
        (line(""), "invalid_text"),
        (line(None), "invalid_text"),
        (line({"text": CANARY}), "invalid_text"),
        (line([{"type": "text", "text": 5}]), "invalid_text"),
        (line(CANARY, created_at=CANARY), "invalid_argument"),
        (line(CANARY, created_at=True), "invalid_argument"),
        (line(CANARY, created_at=1e300), "invalid_argument"),
        (line(CANARY, created_at="9999-12-31T23:59:59-10:00"), "invalid_argument"),
        (line(CANARY, expires_at="soon"), "invalid_argument"),
        (line(CANARY, id=""), "invalid_text"),
        (line(CANARY, id=["a"]), "invalid_text"),
        (line(CANARY, id="x" * 300), "invalid_text"),
        (line(CANARY, conversation="a\nb"), "invalid_text"),
        (line(CANARY, metadata=[CANARY]), "invalid_argument"),
        (line(CANARY, metadata={"k": "x" * 20_000}), "invalid_argument"),
    ],
)
def test_a_bad_line_says_what_is_wrong_and_never_its_text(raw: Any, code: str) -> None:
    found = one_line(raw)
    assert isinstance(found, BadLine)
    assert (found.line, found.code) == (1, code)
    assert found.message.endswith(".")
    assert CANARY not in found.message


@given(st.text() | st.binary() | st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_no_line_is_more_than_bad(raw: Any) -> None:
    assert all(isinstance(one, Line | BadLine) for one in transcripts.read([raw], conversation="imported"))


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_whole_file_may_be_one_array_with_a_byte_order_mark(as_bytes: bool) -> None:
    messages = [
        {"role": "user", "content": "一つ\u2028目"},
        {"role": "robot"},
        {"role": "assistant", "content": "b"},
    ]
    text = "\ufeff\n" + json.dumps(messages, ensure_ascii=False, indent=1)
    found = list(transcripts.read(text.encode() if as_bytes else text, conversation="c"))
    read = [one.draft.content if isinstance(one, Line) else one.line for one in found]
    assert read == [
        "一つ\u2028目",
        2,
        "b",
    ]


def test_lines_are_numbered_from_1_blank_ones_too_and_split_at_line_feeds_alone() -> None:
    text = "\ufeff" + line("a\u2028b\x85c") + "\r\n\n  \n" + "{" + "\n" + line("d")
    found = list(transcripts.read(text, conversation="c"))
    assert [one.number if isinstance(one, Line) else -one.line for one in found] == [1, -4, 5]


# --- what an import does ---


@scenario("M10", "M11")
def test_one_dirty_line_of_a_hundred_is_reported_and_the_rest_is_stored(memory: Memory) -> None:
    lines = [line(f"大阪へ移転 {number}") for number in range(100)]
    lines[41] = line("大阪\x00へ移転")
    report = memory.import_transcript("ann", lines)
    assert counts(report) == (99, 0, 0)
    assert [(one.line, one.code) for one in report.bad] == [(42, "invalid_text")]
    assert len(texts(memory)) == 99
    assert memory.search("ann", "移転 99")[0].text == "大阪へ移転 99"


def test_an_import_of_bad_lines_alone_writes_nothing(memory: Memory) -> None:
    report = memory.import_transcript("ann", ["{", "", line("")])
    assert [one.line for one in report.bad] == [1, 3]
    assert memory.owner("ann").revision == 0


@pytest.mark.parametrize(
    "bad", [None, 7, 1.5, ["role"], object()], ids=["none", "int", "real", "list", "object"]
)
def test_a_line_that_is_no_text_is_reported_by_its_number(memory: Memory, bad: Any) -> None:
    good = {"role": "user", "content": "hello"}
    assert [one.line for one in memory.import_transcript("ann", [bad, good]).bad] == [1]
    assert [one.line for one in memory.import_transcript("ann", [good, bad]).bad] == [2]
    broken_array: Any = ["[", bad]
    assert [one.line for one in memory.import_transcript("ann", broken_array).bad] == [1]


@pytest.mark.parametrize(
    "lines", [None, 7, {"role": "user", "content": "hello"}], ids=["none", "int", "message"]
)
def test_what_is_no_lines_at_all_is_refused(memory: Memory, lines: Any) -> None:
    with pytest.raises(errors.InvalidArgument, match="`lines` must be"):
        memory.import_transcript("ann", lines)


@scenario("P7")
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("batch", [1, 3, 500])
def test_p3_importing_twice_adds_nothing(memory: Memory, named: bool, batch: int) -> None:
    said = ["ok", "yes", "ok", "ok", "no"]
    lines = [line(text, **({"id": f"x{n}"} if named else {})) for n, text in enumerate(said)]
    assert counts(memory.import_transcript("ann", lines, batch=batch)) == (5, 0, 0)
    revision = memory.owner("ann").revision
    assert counts(memory.import_transcript("ann", lines, batch=batch)) == (0, 5, 0)
    assert texts(memory) == said
    assert memory.owner("ann").revision == revision


def test_a_transcript_of_what_was_appended_live_adds_nothing(memory: Memory) -> None:
    for text in ("hi", "hi", "Ｈi there"):
        say(memory, text)
    report = memory.import_transcript(
        "ann", [line("hi"), line("hi"), line("Hi there"), line("hi")], conversation="c1"
    )
    assert counts(report) == (1, 3, 0)
    assert texts(memory, "c1") == ["hi", "hi", "Ｈi there", "hi"]


def test_lines_with_and_without_ids_side_by_side_come_in_once(memory: Memory) -> None:
    lines = [line("ok", id="a"), line("ok"), line("ok", id="b"), line("ok", id="a"), line("ok")]
    assert counts(memory.import_transcript("ann", lines, batch=2)) == (4, 1, 0)
    for batch in (1, 2, 500):
        assert counts(memory.import_transcript("ann", lines, batch=batch)) == (0, 5, 0)


def test_an_id_names_one_message_for_good(memory: Memory) -> None:
    lines = [
        line("one", id="a"),
        line("two", id="a"),
        line("one", id="a", conversation="other"),
        line("three", id=3),
    ]
    report = memory.import_transcript("ann", lines)
    assert counts(report) == (2, 0, 0)
    assert [(one.line, one.code) for one in report.bad] == [(2, "already_exists"), (3, "already_exists")]
    again = memory.import_transcript("ann", lines)
    assert (counts(again), again.bad) == ((0, 2, 0), report.bad)


def test_p1_a_message_that_was_edited_here_stays_corrected(memory: Memory) -> None:
    memory.import_transcript("ann", [line("I live in Kyoto", id="a")])
    memory.edit("ann", "a", "I live in Osaka", expect=1)
    assert counts(memory.import_transcript("ann", [line("I live in Kyoto", id="a")])) == (0, 1, 0)
    assert texts(memory) == ["I live in Osaka"]


@pytest.mark.parametrize("named", [True, False])
def test_p1_re_import_without_ids_brings_no_corrected_words_back(memory: Memory, named: bool) -> None:
    said = ["yes", "I live in Kyoto", "yes", "yes"]
    lines = [line(text, **({"id": f"x{n}"} if named else {})) for n, text in enumerate(said)]
    memory.import_transcript("ann", lines)
    first, home, *_ = memory.messages("ann", "imported").items
    memory.edit("ann", home.id, "I live in Osaka", expect=1)
    memory.edit("ann", first.id, "no", expect=1)
    memory.edit("ann", first.id, "never", expect=2)
    for more in ([], [line("yes")], [line("yes")]):
        lines += more
        assert counts(memory.import_transcript("ann", lines)) == (len(more), len(lines) - len(more), 0)
    assert texts(memory) == ["never", "I live in Osaka", "yes", "yes", "yes", "yes"]


def test_an_edit_of_one_message_keeps_no_other_out(memory: Memory) -> None:
    memory.import_transcript("ann", [line("yes", id="a")])
    memory.edit("ann", "a", "no", expect=1)
    assert counts(memory.import_transcript("ann", [line("yes", id="a"), line("yes", id="b")])) == (1, 1, 0)
    assert texts(memory) == ["no", "yes"]


def cut(lines: Iterable[str], after: int) -> Iterator[str]:
    for number, one in enumerate(lines):
        if number == after:
            raise ConnectionError
        yield one


def test_p6_an_import_that_was_cut_off_is_finished_by_the_next(memory: Memory) -> None:
    lines = [line(f"message {number % 7}") for number in range(50)]
    with pytest.raises(ConnectionError):
        memory.import_transcript("ann", cut(lines, 33), batch=10)
    assert len(texts(memory)) == 30
    assert memory.search("ann", "message"), "what came in can be found at once"
    assert counts(memory.import_transcript("ann", lines, batch=10)) == (20, 30, 0)
    assert texts(memory) == [f"message {number % 7}" for number in range(50)]


def test_progress_is_told_after_each_batch(memory: Memory) -> None:
    told: list[int] = []
    memory.import_transcript("ann", [line(f"m{n}") for n in range(5)] + ["{"], batch=4, progress=told.append)
    assert told == [4, 2]


# --- deletions ---


@scenario("P7")
@pytest.mark.parametrize("named", [True, False])
def test_p3_a_deleted_message_stays_out(memory: Memory, named: bool) -> None:
    lines = [
        line(text, **({"id": f"x{n}"} if named else {})) for n, text in enumerate(["a b", "my secret", "c d"])
    ]
    memory.import_transcript("ann", lines)
    (secret,) = [one for one in memory.messages("ann", "imported") if one.content == "my secret"]
    memory.forget_message("ann", secret.id)
    assert counts(memory.import_transcript("ann", lines)) == (0, 2, 1)
    assert texts(memory) == ["a b", "c d"]


@pytest.mark.parametrize(
    ("created_at", "outcome"),
    [
        (None, (0, 0, 1)),
        ("2025-06-01T00:00:00Z", (0, 0, 1)),
        ("2026-01-01T00:00:00Z", (0, 0, 1)),
        ("2099-01-01T00:00:00Z", (0, 0, 1)),
        ("2026-01-03T00:00:00Z", (1, 0, 0)),
    ],
)
def test_p3_the_same_words_under_a_new_id_are_new_only_if_said_later(
    memory: Memory, clock: FakeClock, created_at: str | None, outcome: tuple[int, int, int]
) -> None:
    memory.forget_message("ann", say(memory, "ｍy secret").id)
    clock.advance(days=5)
    lines = [line("my secret", id="new", conversation="c1", created_at=created_at)]
    assert counts(memory.import_transcript("ann", lines)) == outcome
    assert texts(memory, "c1") == ["my secret"] * outcome[0]


def test_re_import_without_ids_said_anew_after_its_deletion_is_new_once(
    memory: Memory, clock: FakeClock
) -> None:
    memory.forget_message("ann", say(memory, "call me").id)
    clock.advance(days=5)
    lines = [line("call me"), line("call me", created_at="2026-01-03T00:00:00Z")]
    assert counts(memory.import_transcript("ann", lines, conversation="c1")) == (1, 0, 1)
    assert counts(memory.import_transcript("ann", lines, conversation="c1")) == (0, 1, 1)
    assert texts(memory, "c1") == ["call me"]


@pytest.mark.parametrize("named", [True, False])
def test_p3_nothing_comes_back_into_a_deleted_conversation(memory: Memory, named: bool) -> None:
    lines = [line(text, **({"id": text} if named else {})) for text in ("a", "b")]
    memory.import_transcript("ann", lines)
    memory.forget_conversation("ann", "imported")
    more = [*lines, line("c", id="c")]
    assert counts(memory.import_transcript("ann", more)) == (0, 0, 3)
    assert counts(memory.import_transcript("ann", more, conversation="other")) == (
        (1, 0, 2) if named else (3, 0, 0)
    )


def test_p3_return_of_a_deleted_owner(memory: Memory) -> None:
    lines = [line("from before", id="a", conversation="c1")]
    memory.import_transcript("ann", lines)
    memory.forget_owner("ann")
    with pytest.raises(errors.OwnerDeleted):
        memory.import_transcript("ann", lines)
    memory.reopen("ann")
    assert counts(memory.import_transcript("ann", [*lines, line("new", id="b")])) == (1, 0, 1)
    assert texts(memory) == ["new"]


def test_p3_without_the_secret_lines_without_ids_are_refused_as_a_whole(
    backend: Backend, clock: FakeClock
) -> None:
    with open_memory(backend.url, clock, secret=SECRET) as memory:
        memory.forget_message("ann", say(memory, "my secret").id)
    with open_memory(backend.url, clock, secret=OTHER_SECRET) as memory:
        with pytest.raises(errors.Conflict, match="restore the secret"):
            memory.import_transcript("ann", [line("first", id="a"), line("my secret")], batch=1)
        assert memory.owner("ann").revision == 2
        assert counts(memory.import_transcript("ann", [line("first", id="a")])) == (1, 0, 0)
    with open_memory(backend.url, clock, secret=SECRET) as memory, pytest.raises(errors.Conflict):
        memory.import_transcript("ann", [line("first")])


# --- order, time and age ---


def of(memory: Memory, conversation: str) -> Sequence[Message]:
    return memory.messages("ann", conversation).items


def test_imported_2099_date_orders_as_now_and_beats_nothing(memory: Memory, clock: FakeClock) -> None:
    report = memory.import_transcript("ann", [line("liar", created_at="2099-01-01T00:00:00Z"), line("next")])
    assert report.added == 2
    liar, following = of(memory, "imported")
    assert liar.observed_at == datetime(2099, 1, 1, tzinfo=UTC)
    assert liar.at == following.at == EPOCH
    infer(memory, "city", "Mars", liar)
    clock.advance(days=1)
    infer(memory, "city", "Kyoto", say(memory, "I moved to Kyoto"))
    assert memory.profile("ann")["city"] == "Kyoto"


def test_imported_messages_keep_the_order_of_the_file(memory: Memory) -> None:
    stamps = ["2025-03-01", "2025-01-01", None, "2025-02-01"]
    memory.import_transcript("ann", [line(f"m{n}", created_at=at) for n, at in enumerate(stamps)], batch=2)
    found = of(memory, "imported")
    assert [one.seq for one in found] == [1, 2, 3, 4]
    assert [one.at for one in found] == sorted(one.at for one in found)
    assert found[0].at == found[1].at == datetime(2025, 3, 1, tzinfo=UTC)
    assert found[2].at == found[3].at >= EPOCH
    assert found[3].observed_at == datetime(2025, 2, 1, tzinfo=UTC)


def test_imported_history_and_age_in_turns(memory: Memory, clock: FakeClock) -> None:
    first = say(memory, "I am on the pro plan")
    memory.observe("ann", "plan", "pro", confidence="confirmed", message=first.id, quote="pro plan")
    clock.advance(days=2)
    say(memory, "and hello")
    before = memory.profile("ann").states["plan"]
    history = [line(f"old {n}", id=f"o{n}", created_at="2025-01-01") for n in range(40)]
    between = [line("between", created_at="2026-01-02", conversation="b")]
    memory.import_transcript("ann", [*history, *between, line("now", conversation="n")])
    assert memory.owner("ann").turn == 2
    assert memory.profile("ann").states["plan"].age_turns == before.age_turns == 1
    assert {one.turn for one in of(memory, "imported")} == {0}
    assert [one.turn for one in (*of(memory, "b"), *of(memory, "n"))] == [1, 2]


def test_imported_history_takes_its_place_though_others_write_meanwhile(
    memory: Memory, clock: FakeClock
) -> None:
    def lines() -> Iterator[str]:
        yield line("one", created_at="2025-01-01")
        clock.advance(days=1)
        say(memory, "live", to="live")
        clock.advance(days=1)
        yield line("two", created_at="2026-01-02T12:00:00Z")

    memory.import_transcript("ann", lines(), batch=1)
    assert [one.turn for one in of(memory, "imported")] == [0, 1]


def test_an_expiry_that_came_along_holds(memory: Memory, clock: FakeClock) -> None:
    memory.import_transcript("ann", [line("soon gone", expires_at="2026-01-02T00:00:00Z")])
    assert texts(memory) == ["soon gone"]
    clock.advance(days=2)
    assert texts(memory) == []
    assert memory.search("ann", "soon gone") == ()


@scenario("D7")
def test_the_history_tells_each_imported_message_with_its_time_and_its_deletion_last(memory: Memory) -> None:
    memory.import_transcript("ann", [line("a", id="a"), line("b", id="b")], source="backup")
    memory.forget_message("ann", "a")
    events = memory.changes("ann").items
    told = [(one.kind, one.key, one.actor, one.reason) for one in events]
    assert told[:2] == [
        ("message.imported", "a", "import", "backup"),
        ("message.imported", "b", "import", "backup"),
    ]
    assert told[-1][:2] == ("message.deleted", "a")
    assert [one.at for one in events] == sorted(one.at for one in events)
    assert all(one.at.tzinfo is UTC for one in events)


def test_many_conversations_come_in_at_once(memory: Memory) -> None:
    lines = [line("hello", conversation=f"c{n:03}") for n in range(100)]
    assert counts(memory.import_transcript("ann", lines)) == (100, 0, 0)
    assert counts(memory.import_transcript("ann", lines)) == (0, 100, 0)
    assert [one.messages for one in memory.conversations("ann")] == [1] * 100
