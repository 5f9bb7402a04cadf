"""Bytes: what is verified is in no file that the database keeps."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contract.memories import confirm, open_memory, say
from tests.derived.embedders import Scattered, open_with

from seihon import errors
from seihon.canonical import migrations, purge, residue
from seihon.canonical.database import Options
from seihon.memory import Derive, Memory
from seihon.model import StoreState
from seihon.testing.clock import FakeClock
from seihon.testing.postgres import PostgresServer

FAST = Options(synchronous="normal")


@pytest.fixture
def memory(sqlite_path: Path, clock: FakeClock) -> Iterator[Memory]:
    with open_memory(f"sqlite:///{sqlite_path}", clock, derive=Derive.EXTERNAL, options=FAST) as opened:
        yield opened


def files_of(path: Path) -> bytes:
    """Return every byte beside and in a SQLite file, read by another process.

    Closing a descriptor of the file here would drop the locks that this process holds on it.
    """
    code = "import sys, pathlib; p = pathlib.Path(sys.argv[1]); sys.stdout.buffer.write(b''.join("
    code += "f.read_bytes() for f in sorted(p.parent.glob(p.name + '*'))))"
    return subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=True).stdout


def marked(path: Path) -> set[int]:
    return {int(found) for found in re.findall(rb"zq(\d{6})zq", files_of(path))}


def text(rng: random.Random, number: int) -> str:
    words = " ".join(f"w{rng.randrange(800)}" for _ in range(rng.choice((2, 5, 15, 60, 300))))
    return f"zq{number:06}zq {words} zq{number:06}zq"


def integrity(path: Path) -> str:
    with sqlite3.connect(path) as connection:
        found: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
    connection.close()
    return found


def test_p2_no_byte_of_many_deletions_is_left_in_a_file_that_goes_on_growing(
    memory: Memory, sqlite_path: Path
) -> None:
    rng = random.Random(5)
    alive: dict[int, tuple[str, str]] = {}
    dead: set[int] = set()
    number = 0
    for _ in range(3):
        for _ in range(150):
            owner = f"o{rng.randrange(3)}"
            alive[number] = owner, memory.append(owner, f"c{rng.randrange(3)}", "user", text(rng, number)).id
            number += 1
        gone = [one for one in alive if rng.random() < 0.3]
        for owner in ("o0", "o1", "o2"):
            memory.copies.worker.drain(memory.key(owner))
            memory.forget_messages(owner, [alive[one][1] for one in gone if alive[one][0] == owner])
            memory.copies.drain(memory.key(owner))
        for one in gone:
            del alive[one]
        dead.update(gone)
        found = marked(sqlite_path)
        assert found & dead == set()
        assert set(alive) <= found
    assert integrity(sqlite_path) == "ok"


def test_the_residue_is_real_and_zeroing_it_changes_no_row(memory: Memory, sqlite_path: Path) -> None:
    rng = random.Random(6)
    for number in range(120):
        say(memory, text(rng, number), to=f"c{number % 5}")
    memory.copies.worker.drain(memory.key("ann"))
    with memory.db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    copy = sqlite_path.with_name("copy.sqlite")
    shutil.copyfile(sqlite_path, copy)
    before = dump(copy)
    with sqlite3.connect(copy, isolation_level=None) as connection:
        assert residue.scrub(connection.cursor(), copy) is True
        assert residue.scrub(connection.cursor(), copy) is None, "the log is not empty after the commit"
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert residue.scrub(connection.cursor(), copy) is False
    connection.close()
    assert integrity(copy) == "ok"
    assert dump(copy) == [line for line in before if "scrubs" not in line]


def dump(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        lines = [line for line in connection.iterdump() if "scrubs" not in line]
    connection.close()
    return lines


def test_a_page_that_does_not_add_up_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA auto_vacuum=FULL")
        connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT)")
        with pytest.raises(OSError, match="another layout"):
            residue.scrub(connection.cursor(), path)
        assert not connection.in_transaction
    connection.close()


def test_where_pages_cannot_be_written_the_file_is_rewritten(
    memory: Memory, sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = say(memory, "zq000001zq on the pro plan")
    memory.copies.worker.drain(memory.key("ann"))

    def refuse(_path: Path) -> None:
        return None

    monkeypatch.setattr(residue, "_descriptor", refuse)
    receipt = memory.forget_message("ann", message.id)
    memory.copies.drain(memory.key("ann"))
    assert memory.receipt("ann", receipt.id).purge == (purge.REWRITTEN, purge.TRUNCATED)
    assert marked(sqlite_path) == set()


def test_readers_and_writers_go_on_while_pages_are_cleaned(
    memory: Memory, sqlite_path: Path, clock: FakeClock
) -> None:
    stop, failures = threading.Event(), list[BaseException]()
    busy = open_memory(f"sqlite:///{sqlite_path}", clock, options=FAST)

    def write() -> None:
        number = 0
        try:
            while not stop.is_set():
                message = busy.append("bob", "c1", "user", f"tea {number} " * 20)
                assert busy.message("bob", message.id).content == message.content
                assert busy.search("bob", f"tea {number}")
                number += 1
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(15):
            message = say(memory, f"zq{number:06}zq " * 30)
            memory.copies.worker.drain(memory.key("ann"))
            receipt = memory.forget_message("ann", message.id)
            while memory.receipt("ann", receipt.id).state is not StoreState.VERIFIED:
                memory.copies.drain(memory.key("ann"))
    finally:
        stop.set()
        thread.join(20)
    assert failures == []
    busy.close()
    assert marked(sqlite_path) == set()
    assert integrity(sqlite_path) == "ok"


CANARIES = {
    "zqcanary": b"zqcanary",
    "正本犬猫": "正本犬猫".encode(),
    "a vector": Scattered().stored("zqcanary1 正本犬猫 pro")[:64],
}


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server of its own: its whole data directory is read."""
    with PostgresServer() as started:
        yield started


def hits(server: PostgresServer) -> dict[str, int]:
    """Return in how many files of the data directory each canary is."""
    files = [path.read_bytes() for path in server.data.rglob("*") if path.is_file()]
    return {name: sum(canary in data for data in files) for name, canary in CANARIES.items()}


def test_p2_a_strict_purge_leaves_no_byte_in_the_data_directory(server: PostgresServer) -> None:
    url = server.address.create_database("strict")
    migrations.upgrade(url)
    with open_with(url, FakeClock(), Scattered()) as memory:
        said = [say(memory, f"zqcanary{number} 正本犬猫 pro", to=f"c{number % 3}") for number in range(60)]
        confirm(memory, "city", "zqcanary Town", said[0])
        memory.add_note("ann", "zqcanary in a note 正本犬猫")
        memory.set("ann", "city", "zqcanary City")
        memory.copies.worker.drain(memory.key("ann"))
        memory.context("ann", query="zqcanary", budget=400)
        purge.strict(server.address.admin_url("strict"))
        assert all(hits(server).values()), "what lives is there"
        receipt = memory.forget_owner("ann")
        memory.copies.drain(memory.key("ann"))
        done = memory.receipt("ann", receipt.id)
        assert done.state is StoreState.VERIFIED
        assert done.level == "standard"
        assert purge.STANDARD in done.purge
        assert any(hits(server).values()), "as the receipt says, free space and log may hold it"
        assert purge.strict(server.address.admin_url("strict"))
        assert hits(server) == dict.fromkeys(CANARIES, 0)


def test_a_strict_purge_without_the_rights_or_a_server_is_refused(server: PostgresServer) -> None:
    url = server.address.create_database("rights")
    migrations.upgrade(url)
    with pytest.raises(errors.Unsafe):
        purge.strict(url)
    with pytest.raises(errors.InvalidArgument):
        purge.strict("seihon.sqlite")
