"""Theme L: expiry is part of every read, and time is UTC whatever the machine's zone."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text
from tests.conftest import Backend
from tests.contract.memories import PLANS, confirm, declared, infer, open_memory, say
from tests.contract.opening import engine_of
from tests.contract.surfaces import showing

from seihon import errors
from seihon.canonical import faults
from seihon.memory import Memory
from seihon.model import FieldStatus
from seihon.testing.clock import EPOCH, FakeClock
from seihon.testing.guard import StatementGuard

CANARY = "zxqorb"
HOUR = timedelta(hours=1)
ROOT = Path(__file__).resolve().parents[2]
ZONE = "Asia/Tokyo"


@pytest.mark.scenario("L1", "L2", "L4")
@pytest.mark.parametrize(
    "limit", ["time", "turns", "retention of the conversation", "retention of the tenant"]
)
def test_what_has_expired_is_absent_from_every_read_and_reading_extends_nothing(
    memory: Memory, clock: FakeClock, limit: str
) -> None:
    given = {"time": {"expires_at": EPOCH + HOUR}, "turns": {"expires_after_turns": 2}}.get(limit, {})
    message = memory.append("ann", "c1", "user", CANARY, **given)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    note = memory.add_note("ann", CANARY, **given)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    if limit.endswith("conversation"):
        memory.update_conversation("ann", "c1", retention=HOUR)
        memory.edit_note("ann", note.id, expect=1, expires_at=EPOCH + HOUR)
    elif limit.endswith("tenant"):
        memory.set_retention(HOUR)
    for _ in range(3):
        assert {"messages", "notes current", "search 0", "context 0"} <= set(showing(memory, "ann", CANARY))
    clock.advance(seconds=3_601)
    for turn in range(2):
        say(memory, f"turn {turn}", to="c2")
    # A migration carries what is stored, with its limits, until a sweep deletes it.
    assert showing(memory, "ann", CANARY) == ["export migration"]
    for read in (lambda: memory.message("ann", message.id), lambda: memory.note("ann", note.id)):
        with pytest.raises(errors.NotFound):
            read()
    for write in (
        lambda: memory.edit("ann", message.id, "x", expect=1),
        lambda: memory.edit_note("ann", note.id, expect=note.version, text="x"),
        lambda: memory.supersede_note("ann", note.id, "x"),
        lambda: memory.add_note("ann", "x", sources=[message.id]),
        lambda: infer(memory, "city", CANARY, message),
    ):
        with pytest.raises(errors.NotFound):
            write()
    memory.sweep("ann")
    assert showing(memory, "ann", CANARY) == []


@pytest.mark.scenario("L1", "L13")
def test_a_sweep_changes_no_answer(memory: Memory, clock: FakeClock) -> None:
    message = memory.append("ann", "c1", "user", "I am on Pro", expires_at=EPOCH + HOUR)
    confirm(memory, "plan", "pro", message)
    memory.add_note("ann", "on Pro", sources=[message.id])
    memory.add_note("ann", "likes tea")
    clock.advance(seconds=3_601)

    def answers() -> list[object]:
        states = memory.profile("ann").states
        return [
            {name: (state.value, state.status, state.reason) for name, state in states.items()},
            [one.text for one in memory.notes("ann")],
            [(one.id, one.messages) for one in memory.conversations("ann")],
            memory.messages("ann", "c1").items,
            [hit.text for hit in memory.search("ann", "Pro tea")],
            [
                (claim.value, claim.state, [q.text for q in claim.quotes])
                for claim in memory.history("ann", "plan")
            ],
        ]

    before = answers()
    swept = memory.sweep()
    assert (swept.messages, swept.notes) == (1, 1)
    assert answers() == before


@pytest.mark.scenario("L1")
def test_a_sweep_spares_what_was_given_more_time_while_it_ran(memory: Memory, clock: FakeClock) -> None:
    memory.update_conversation("ann", say(memory, "hello").conversation, retention=HOUR)
    clock.advance(seconds=3_601)

    def lift(point: str) -> None:
        if point == "sweep.before_forget":
            memory.update_conversation("ann", "c1", retention=None)

    stop = faults.listen(lift)
    try:
        swept = memory.sweep("ann")
    finally:
        stop()
    assert (swept.messages, swept.notes) == (0, 0)
    assert [one.content for one in memory.messages("ann", "c1")] == ["hello"]
    assert memory.receipts("ann").items == ()


@pytest.mark.scenario("L2")
def test_a_value_ends_by_its_limits_without_a_sweep(backend: Backend, clock: FakeClock) -> None:
    limits = {"policy": "naive", "blank_after_turns": 3, "blank_after_seconds": 86_400}
    with open_memory(backend.url, clock, schema=declared(plan={**PLANS, "x-seihon": limits})) as memory:
        memory.set("ann", "plan", "pro")
        for turn in range(4):
            assert memory.require("ann", "plan") == "pro"
            say(memory, f"turn {turn}")
        by_turns = memory.field("ann", "plan")
        assert (by_turns.status, by_turns.reason) == (FieldStatus.EXPIRED, "blank_after_turns")
        assert "plan: pro" not in memory.context("ann", query="plan").text
        memory.set("ann", "plan", "free")
        clock.advance(days=1, seconds=1)
        by_time = memory.field("ann", "plan")
        assert (by_time.reason, by_time.last_known) == ("blank_after_seconds", "free")
        with pytest.raises(errors.BlankField, match="expired"):
            memory.require("ann", "plan")


@pytest.mark.scenario("L5")
def test_what_has_expired_takes_no_place_among_the_best(memory: Memory, clock: FakeClock) -> None:
    for number in range(9):
        memory.append("ann", f"c{number}", "user", "harbour harbour tour", expires_at=EPOCH + HOUR)
    live = say(memory, "a long line in which the harbour comes up once, among many other words", to="live")
    clock.advance(seconds=3_601)
    assert [hit.id for hit in memory.search("ann", "harbour tour", k=1)] == [live.id]


@pytest.mark.scenario("L7", "L8")
def test_a_day_ends_where_its_zone_says_and_is_kept_in_utc(memory: Memory, clock: FakeClock) -> None:
    until = datetime(2026, 8, 14, tzinfo=ZoneInfo(ZONE))
    clock.set(datetime(2026, 8, 1, tzinfo=UTC))
    note = memory.add_note("ann", "in town until 13 August", expires_at=until)
    assert note.expires_at == datetime(2026, 8, 13, 15, tzinfo=UTC)
    for instant, there in (
        (datetime(2026, 8, 12, 14, 59, tzinfo=UTC), True),
        (datetime(2026, 8, 12, 15, 0, tzinfo=UTC), True),
        (datetime(2026, 8, 13, 14, 59, 59, 999_999, tzinfo=UTC), True),
        (datetime(2026, 8, 13, 15, 0, tzinfo=UTC), False),
    ):
        clock.set(instant)
        assert (len(memory.notes("ann")) == 1) is there


@pytest.mark.scenario("L8")
def test_a_filter_by_time_holds_across_a_change_of_the_clocks(memory: Memory, clock: FakeClock) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    night = [datetime(2026, 10, 25, 2, 30, tzinfo=berlin, fold=fold) for fold in (0, 1)]
    clock.set(datetime(2026, 11, 1, tzinfo=UTC))
    for number, instant in enumerate(night):
        memory.append("ann", f"c{number}", "user", f"half past two, {number}", observed_at=instant)
    assert [memory.messages("ann", f"c{n}").items[0].observed_at.hour for n in (0, 1)] == [0, 1]
    between = datetime(2026, 10, 25, 1, tzinfo=UTC)
    assert memory.forget_matching("ann", until=between).counts == {"messages": 1}
    assert memory.conversation("ann", "c1").messages == 1


@pytest.mark.scenario("L10")
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC", "America/Los_Angeles"])
def test_the_machines_zone_changes_nothing(zone: str) -> None:
    here = "tests/contract/test_scenarios_time.py"
    chosen = "sqlite and (absent or limits or day_ends or change_of or closed_at_once)"
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            here,
            "-k",
            chosen,
        ],
        cwd=ROOT,
        env={**os.environ, "TZ": zone, "PYTEST_ADDOPTS": "", "PYTEST_XDIST_WORKER": ""},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2_000:]
    assert " passed" in ran.stdout


@pytest.mark.scenario("L11")
def test_a_corrected_value_is_closed_at_once_in_sql_and_in_python(
    backend: Backend, memory: Memory, statement_guard: StatementGuard
) -> None:
    memory.set("ann", "plan", "pro")
    memory.set("ann", "plan", "free")
    assert memory.field("ann", "plan").value == "free"
    with engine_of(backend.admin_url) as engine, statement_guard.lifted(), engine.connect() as connection:
        rows = connection.execute(
            text("SELECT version, opened_at, closed_revision FROM field_values ORDER BY version")
        ).fetchall()
    at = EPOCH.timestamp() * 1_000_000
    assert [(row.version, row.closed_revision) for row in rows] == [(1, 2), (2, None)]
    assert all(at <= row.opened_at < at + 1_000_000 for row in rows)


@pytest.mark.scenario("L16")
def test_turns_are_counted_in_the_database_and_survive_a_restart(backend: Backend, clock: FakeClock) -> None:
    with open_memory(backend.url, clock) as one, open_memory(backend.url, clock) as two:
        note = one.add_note("ann", "for three turns", expires_after_turns=3)
        say(one, "first")
        say(two, "second")
    with open_memory(backend.url, clock) as memory:
        assert memory.owner("ann").turn == 2
        assert memory.note("ann", note.id) == note
        say(memory, "an answer", role="assistant")
        assert memory.note("ann", note.id) == note
        say(memory, "third")
        with pytest.raises(errors.NotFound):
            memory.note("ann", note.id)
