"""Theme D: text that is left behind in file pages, queues, history and logs."""

from __future__ import annotations

import logging
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import MetaData
from tests.conftest import Backend
from tests.contract.memories import confirm, infer, open_memory, say
from tests.contract.opening import engine_of

from seihon import errors
from seihon.canonical import purge
from seihon.memory import Derive, Memory
from seihon.model import StoreState
from seihon.testing.clock import FakeClock
from seihon.testing.guard import StatementGuard
from seihon.testing.postgres import PostgresAddress

LATIN, JAPANESE = "ZXCANARY7f3a", "極秘カナリア七"
# As it was given, as the index has it, and the first characters of what it cuts Japanese into.
TRACES = tuple(word.encode() for word in (LATIN, LATIN.lower(), JAPANESE, "極秘", "リア七"))
BOTH = f"{LATIN} {JAPANESE}"


def plant(memory: Memory) -> None:
    """Put both canaries into every text that an owner can have."""
    say(memory, "an unrelated line")
    message = memory.append("ann", "c1", "user", f"I live in {BOTH}", metadata={"from": BOTH})
    confirm(memory, "city", BOTH, message)
    infer(memory, "city", BOTH, message)
    memory.add_note("ann", f"lives in {BOTH}", metadata={"why": BOTH}, idempotency_key="k")
    memory.update_conversation("ann", "c1", metadata={"topic": BOTH})
    memory.context("ann", query=BOTH)
    memory.edit("ann", say(memory, f"not {BOTH}").id, "nothing", expect=1)
    memory.set("ann", "city", f"{BOTH} too")


def forget_each(memory: Memory) -> None:
    """Delete what ``plant`` planted, one kind after the other."""
    for note in memory.notes("ann"):
        memory.forget_note("ann", note.id)
    memory.forget_field("ann", "city")
    memory.forget_message("ann", memory.messages("ann", "c1").items[1].id)
    memory.forget_conversation("ann", "c1")


def hits(files: list[Path]) -> dict[str, int]:
    """Return how often any trace of the canaries is in each file that has one."""
    found: dict[str, int] = {}
    for file in files:
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            continue
        count = sum(data.count(trace) for trace in TRACES)
        if count:
            found[file.name] = count
    return found


def of_sqlite(path: Path) -> list[Path]:
    """Return the database and every file beside it that its name begins."""
    return sorted(path.parent.glob(f"{path.name}*"))


@pytest.mark.scenario("D1", "D2")
@pytest.mark.parametrize("derive", [Derive.INLINE, Derive.EXTERNAL])
@pytest.mark.parametrize("way", ["one by one", "owner"])
def test_no_byte_of_what_was_deleted_is_left_in_any_file_of_sqlite(
    sqlite_path: Path, clock: FakeClock, derive: Derive, way: str
) -> None:
    with open_memory(str(sqlite_path), clock, derive=derive) as memory:
        plant(memory)
        assert hits(of_sqlite(sqlite_path))
        if way == "owner":
            memory.forget_owner("ann")
        else:
            forget_each(memory)
        if derive is Derive.EXTERNAL:
            assert hits(of_sqlite(sqlite_path))
            memory.copies.drain(memory.key("ann"))
        for receipt in memory.receipts("ann"):
            assert receipt.state is StoreState.VERIFIED
            assert receipt.level == "secure_delete"
            assert receipt.purge == (purge.ZEROED, purge.TRUNCATED)
        assert hits(of_sqlite(sqlite_path)) == {}


@pytest.mark.scenario("D2")
def test_a_reader_that_holds_old_pages_keeps_a_receipt_open(
    sqlite_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "CHECKPOINT_WAIT_MS", 10)
    with open_memory(str(sqlite_path), clock) as memory, open_memory(str(sqlite_path), clock) as reader:
        plant(memory)
        with reader.db.read(reader.key("ann")):
            memory.forget_owner("ann")
            (receipt,) = memory.receipts("ann")
            states = {one.store: one.state for one in receipt.stores}
            assert receipt.state is not StoreState.VERIFIED
            assert states["files"] is not StoreState.VERIFIED
            assert states["original"] is StoreState.VERIFIED
        assert receipt.wait(10).state is StoreState.VERIFIED
        assert hits(of_sqlite(sqlite_path)) == {}


@pytest.mark.scenario("D1")
def test_the_receipt_says_what_postgresql_may_still_hold_at_its_standard_level(
    pg_database: str, pg_server: PostgresAddress, clock: FakeClock
) -> None:
    name = pg_database.rpartition("/")[2]
    with open_memory(pg_database, clock) as memory:
        plant(memory)
        forget_each(memory)
        for receipt in memory.receipts("ann"):
            assert (receipt.state, receipt.level) == (StoreState.VERIFIED, "standard")
            told = " ".join(receipt.purge)
            for place in ("free space", "write-ahead log"):
                assert place in told
    with psycopg.connect(pg_server.admin_url(name), autocommit=True) as admin:
        folder = Path(_one(admin, "SHOW data_directory"))
        database = _one(admin, "SELECT oid FROM pg_database WHERE datname = current_database()")
        admin.execute("CHECKPOINT")
        tables = folder / "base" / str(database)
        named = {
            _one(admin, "SELECT pg_relation_filenode(%s::regclass)::text", table)
            for table in (*purge.TOUCHED, *_indexes(admin))
        }
    elsewhere = [
        file
        for file in folder.rglob("*")
        if file.is_file() and file.parent not in (tables, folder / "pg_wal") and "base" not in file.parts
    ]
    assert hits(elsewhere) == {}
    assert hits([*tables.iterdir(), *(folder / "pg_wal").glob("0*")])
    assert {file.partition(".")[0] for file in hits(list(tables.iterdir()))} <= named


def _indexes(admin: psycopg.Connection) -> list[str]:
    rows = admin.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid > 16000").fetchall()
    return [row[0] for row in rows]


def _one(admin: psycopg.Connection, statement: str, *values: str) -> str:
    row = admin.execute(statement.encode(), values).fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.scenario("D4")
def test_no_queue_or_record_beside_the_original_ever_holds_text(
    backend: Backend, clock: FakeClock, statement_guard: StatementGuard
) -> None:
    with open_memory(backend.url, clock, derive=Derive.EXTERNAL) as memory:
        plant(memory)
        memory.forget_message("ann", memory.messages("ann", "c1").items[1].id)
        original = {"messages", "notes", "claims", "field_values", "conversations"}
        with engine_of(backend.admin_url) as engine, statement_guard.lifted(), engine.connect() as raw:
            found = MetaData()
            found.reflect(raw)
            holding = {
                table.name
                for table in found.tables.values()
                if any(LATIN.lower() in str(row).lower() for row in raw.execute(table.select()))
            }
        assert holding <= original


@pytest.mark.scenario("D7")
def test_every_event_has_its_time_and_its_place_and_a_deletion_is_last(
    memory: Memory, clock: FakeClock
) -> None:
    note = memory.add_note("ann", "likes tea")
    clock.advance(seconds=5)
    memory.edit_note("ann", note.id, expect=1, text="likes green tea")
    clock.advance(seconds=5)
    memory.forget_note("ann", note.id)
    events = memory.changes("ann").items
    assert [one.kind for one in events] == ["note.added", "note.edited", "note.deleted"]
    assert [(one.at - events[0].at).total_seconds() for one in events] == [0, 5, 10]
    assert [(one.revision, one.ordinal) for one in events] == [(1, 0), (2, 0), (3, 0)]
    assert {one.key for one in events} == {note.id}


@pytest.mark.scenario("D8")
def test_neither_logs_nor_refusals_hold_what_was_said(
    backend: Backend, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), open_memory(backend.url, clock) as memory:
        plant(memory)
        refused: list[str] = []
        for call in (
            lambda: say(memory, f"{BOTH}\x00"),
            lambda: memory.set("ann", "plan", BOTH),
            lambda: memory.set("ann", BOTH, "pro"),
            lambda: memory.append("ann", "c1", BOTH, "x"),
            lambda: memory.set("ann", "length", "brief", scope=BOTH),
        ):
            with pytest.raises(errors.SeihonError) as told:
                call()
            refused.append(f"{told.value!r} {told.value.as_dict()}")
        forget_each(memory)
    for text in (caplog.text, *refused):
        assert LATIN.lower() not in text.lower()
        assert JAPANESE not in text
