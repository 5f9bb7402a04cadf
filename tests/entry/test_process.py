"""The command line as a process: streams, signals, pipes, encodings, and two processes on one database."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Backend
from tests.entry.conftest import SCHEMA
from tests.entry.running import Run, environment, script, shell, started

LONG = 20.0


def _until(done: Callable[[], bool]) -> None:
    """Wait for something that another process does; a test that waits in vain fails here."""
    end = time.monotonic() + LONG
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


@pytest.mark.scenario("O5")
def test_data_live_in_the_users_own_folder_whose_path_is_shown(home: Path) -> None:
    done = shell(home, "message", "add", "ann", "c1", "user", "Hello")
    file = home / ".local" / "share" / "seihon" / "memory.db"
    assert done.code == 0
    assert file.exists()
    assert str(file) in done.err
    assert file.parent.stat().st_mode & 0o077 == 0
    assert shell(home, "message", "list", "ann", "c1", "--quiet").err == ""


@pytest.mark.scenario("O1")
def test_stdout_holds_one_json_value_and_the_log_goes_to_stderr(home: Path) -> None:
    loud = {"SEIHON_DB": str(home / "x.db"), "SEIHON_LOG_LEVEL": "debug"}
    for arguments in (
        ["schema", "register", str(SCHEMA)],
        ["message", "add", "ann", "c1", "user", "We are on the Pro plan.", "--id", "m1"],
        ["forget", "message", "ann", "m1", "--yes", "--wait"],
        ["set", "ann", "billing_plan", "gold"],
        ["set", "ann"],
    ):
        done = shell(home, *arguments, "--json", variables=loud)
        value = done.data
        assert ("error" in value) is (done.code != 0), done
        assert "Traceback" not in done.err


def test_text_comes_from_stdin_in_any_script(home: Path) -> None:
    place = ["--db", str(home / "x.db"), "--json"]
    done = shell(home, "message", "add", "ann", "c1", "user", "-", *place, stdin="東京 🗼\n改行\n".encode())
    assert done.data["content"] == "東京 🗼\n改行"
    assert "東京 🗼" in done.out


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_json_is_utf8_whatever_the_locale(home: Path, locale: str) -> None:
    variables = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    place = ["--db", str(home / "x.db")]
    shell(home, "message", "add", "ann", "c1", "user", "-", *place, stdin="東京".encode())
    done = shell(home, "message", "list", "ann", "c1", "--json", *place, variables=variables)
    assert done.data["items"][0]["content"] == "東京"
    assert shell(home, "message", "list", "ann", "c1", *place, variables=variables).code == 0


def test_what_is_not_utf8_is_refused_where_it_stands(home: Path) -> None:
    place = ["--db", str(home / "x.db"), "--json"]
    typed = shell(home, "message", "add", "ann", "c1", "user", b"caf\xe9", *place)
    assert (typed.code, typed.error["code"]) == (2, "invalid_text")
    assert "Argument 6" in typed.error["message"]
    piped = shell(home, "message", "add", "ann", "c1", "user", "-", *place, stdin=b"caf\xe9")
    assert (piped.code, piped.error["code"]) == (2, "invalid_text")
    assert "byte 3" in piped.error["message"]
    zero = shell(home, "message", "add", "ann", "c1", "user", "-", *place, stdin=b"a\0b")
    assert (zero.code, zero.error["code"]) == (2, "invalid_text")


def test_no_stored_text_can_steer_a_terminal(home: Path) -> None:
    place = ["--db", str(home / "x.db")]
    hostile = "\x1b[2J\x1b]0;owned\x07 [red]markup[/red] :smile: \u202egnp.exe"
    shell(home, "message", "add", "ann", "c1", "user", "-", *place, stdin=hostile.encode())
    shown = shell(home, "message", "list", "ann", "c1", *place).out
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}
    assert "[red]markup" in shown
    assert ":smile:" in shown


def test_a_reader_that_goes_away_ends_it_quietly(home: Path) -> None:
    lines = "".join(json.dumps({"role": "user", "content": "x" * 500}) + "\n" for _ in range(600))
    place = ["--db", str(home / "x.db")]
    assert shell(home, "import", "ann", "-", *place, stdin=lines.encode()).code == 0
    process = started(home, "export", "ann", *place)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    told = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=LONG) == 141
    assert "Traceback" not in told
    assert "BrokenPipe" not in told


def test_ctrl_c_ends_an_import_quietly_and_what_was_stored_stays(home: Path) -> None:
    place = ["--db", str(home / "x.db")]
    process = subprocess.Popen(
        [*script(), "import", "ann", "-", "--conversation", "c1", *place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(b"".join(b'{"role": "user", "content": "Hi"}\n' for _ in range(1_000)))
    process.stdin.flush()
    assert b"Database" in process.stderr.readline()
    _until(lambda: shell(home, "message", "list", "ann", "c1", *place).code == 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONG)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert shell(home, "verify", *place).code == 0


def test_it_asks_nobody_when_there_is_nobody_to_ask(home: Path) -> None:
    place = ["--db", str(home / "x.db")]
    shell(home, "message", "add", "ann", "c1", "user", "Hello", "--id", "m1", *place)
    refused = shell(home, "forget", "owner", "ann", *place, stdin=b"y\n")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert shell(home, "message", "show", "ann", "m1", *place).code == 0


def test_on_a_terminal_it_asks_and_a_no_changes_nothing(home: Path) -> None:
    place = ["--db", str(home / "x.db")]
    shell(home, "message", "add", "ann", "c1", "user", "Hello", "--id", "m1", *place)
    no, _ = on_terminal(home, "forget", "message", "ann", "m1", *place, answer="n")
    assert no == 1
    assert shell(home, "message", "show", "ann", "m1", *place).code == 0
    yes, told = on_terminal(home, "forget", "message", "ann", "m1", "--wait", *place, answer="y")
    assert (yes, "verified" in told) == (0, True)
    asked = f"Delete the message m1 of ann for good, in {home / 'x.db'}? [y/N] "
    assert told.count("Delete the message m1 of ann for good") == 1
    assert told.startswith(asked)


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (["message", "ann", "m1", "m2"], "Delete the 2 messages m1, m2 of ann for good"),
        (["note", "ann", "n1"], "Delete the note n1 of ann for good"),
        (["field", "ann", "vip"], "Delete the value and the history of vip in the scope default of ann"),
        (["conversation", "ann", "c1"], "Delete the whole conversation c1 of ann for good"),
        (
            ["matching", "ann", "--conversation", "c1", "--until", "2026-03-01"],
            "Delete every message of the conversation c1 said before 2026-03-01 of ann for good",
        ),
        (["owner", "ann"], "Delete everything of ann for good"),
    ],
    ids=["messages", "note", "field", "conversation", "matching", "owner"],
)
def test_the_question_names_what_goes_and_whose_it_is(home: Path, arguments: list[str], asked: str) -> None:
    code, told = on_terminal(home, "forget", *arguments, "--db", str(home / "x.db"), answer="n")
    assert (code, told.startswith(asked), "x.db? [y/N]" in told) == (1, True, True), told


def test_a_terminal_sees_progress_and_a_pipe_does_not(home: Path) -> None:
    file = home / "chat.jsonl"
    file.write_text('{"role": "user", "content": "Hello", "id": "m1"}\n')
    place = ["--db", str(home / "x.db")]
    code, told = on_terminal(home, "import", "ann", str(file), *place)
    assert (code, "Importing" in told) == (0, True)
    piped = shell(home, "import", "ann", str(file), *place)
    assert "Importing" not in piped.out + piped.err


def on_terminal(home: Path, *arguments: str, answer: str | None = None) -> tuple[int, str]:
    """Run a command on a terminal of its own, answer its question; return its exit code and all it showed."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [*script(), *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(home)
    )
    os.close(theirs)
    seen = b""
    try:
        while True:
            assert select.select([ours], [], [], LONG)[0], seen
            seen += os.read(ours, 4096)
            if answer is not None and b"[y/N]" in seen:
                os.write(ours, answer.encode() + b"\n")
                answer = None
    except OSError:  # the command has ended and its side is closed
        return process.wait(timeout=LONG), seen.decode()
    finally:
        os.close(ours)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_the_worker_ends_gracefully(home: Path, number: signal.Signals) -> None:
    process = started(home, "worker", "--db", str(home / "x.db"))
    assert process.stderr is not None
    assert b"Database" in process.stderr.readline()
    assert b"Working" in process.stderr.readline()
    process.send_signal(number)
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert out == b""
    assert err == b"Stopped.\n"


def test_one_process_writes_and_a_worker_process_derives(
    home: Path, backend: Backend, call: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEIHON_DERIVE", "external")
    monkeypatch.setenv("SEIHON_DB", backend.url)
    call("message", "add", "ann", "c1", "user", "The ferry leaves at nine.", "--id", "m1")
    assert call("search", "ann", "ferry", "--json").data == []
    worker = started(home, "worker", "--quiet", "--db", backend.url)
    try:
        _until(lambda: [hit["id"] for hit in call("search", "ann", "ferry", "--json").data] == ["m1"])
        receipt = call("forget", "message", "ann", "m1", "--yes", "--json").data["id"]
        waited = call("receipt", "wait", "ann", receipt, "--timeout", str(LONG), "--json")
        assert waited.data["state"] == "verified"
    finally:
        worker.terminate()
        worker.communicate(timeout=LONG)
    assert worker.returncode == 0


def test_a_worker_that_runs_once_stops_when_nothing_is_due(
    backend: Backend, call: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEIHON_DERIVE", "external")
    monkeypatch.setenv("SEIHON_DB", backend.url)
    call("message", "add", "ann", "c1", "user", "The ferry leaves at nine.")
    assert call("worker", "--once", "--json").data["settled"] >= 1
    assert call("worker", "--once", "--json").data["settled"] == 0
    assert len(call("search", "ann", "ferry", "--json").data) == 1


def test_help_is_quick_and_loads_nothing_heavy(home: Path) -> None:
    heavy = {
        "sqlalchemy",
        "pydantic_settings",
        "tiktoken",
        "alembic",
        "yaml",
        "rich.console",
        "seihon.memory",
    }
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from seihon.entry.cli import main; main(['--help'])"],
        capture_output=True,
        env=environment(home),
        check=True,
        timeout=LONG,
    )
    loaded = {line.rpartition("|")[2].strip() for line in told.stderr.decode().splitlines()}
    assert "seihon.entry.cli" in loaded
    assert loaded & heavy == set()
