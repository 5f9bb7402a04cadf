"""Every way to go wrong: one sentence that says what is allowed, the right exit code, a code under --json."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import Dialect
from tests.entry.conftest import SCHEMA
from tests.entry.running import Run

from seihon.canonical.migrations import upgrade
from seihon.errors import CODES
from seihon.memory import Memory
from seihon.testing.postgres import PostgresAddress

# Arguments, the code, and words that the sentence must hold: what is allowed, or what stands.
ON_A_DATABASE: list[tuple[list[str], str, str]] = [
    (["profile", "ann", "--require", "colour"], "unknown_field", "it has"),
    (["set", "ann", "colour", "red"], "unknown_field", "billing_plan"),
    (["set", "ann", "billing_plan", "gold"], "invalid_value", "free, pro, ultra"),
    (["set", "ann", "team_size", "many"], "invalid_value", "whole number"),
    (["set", "ann", "team_size", "[1"], "bad_format", "JSON array"),
    (["set", "ann", "billing_plan", "pro", "--scope", "research"], "invalid_argument", "takes no scope"),
    (
        ["set", "ann", "billing_plan", "pro", "--expect", "7"],
        "version_conflict",
        "changed by another writer; it has version 0 now",
    ),
    (["profile", "ann", "--require", "billing_plan"], "blank_field", "ask the person"),
    (["profile", "ann", "--as-of", "yesterday"], "invalid_argument", "2026-03-01"),
    (["profile", "ann", "--as-of", "2026-03-01T10:00"], "invalid_argument", "zone"),
    (["observe", "ann", "billing_plan", "pro", "--message", "m9"], "not_found", "No such message"),
    (
        ["observe", "ann", "billing_plan", "pro", "--confidence", "sure"],
        "invalid_argument",
        "confirmed, inferred",
    ),
    (
        ["observe", "ann", "billing_plan", "pro", "--message", "m1", "--quote", "never said"],
        "invalid_argument",
        "word for word",
    ),
    (["candidates", "confirm", "ann", "k9"], "not_found", "candidate"),
    (["message", "add", "ann", "c1", "robot", "Hi"], "invalid_argument", "user, assistant, tool, system"),
    (["message", "add", "ann", "c1", "user", ""], "invalid_text", "empty"),
    (["message", "add", "ann", "c1", "user", "Hi", "--expect", "9"], "version_conflict", "it has version 1"),
    (["message", "add", "ann", "c1", "user", "Hi", "--id", "m1"], "already_exists", "this id"),
    (["message", "add", "ann", "c1", "user", "Hi", "--metadata", "[1]"], "bad_format", "JSON object"),
    (["message", "edit", "ann", "m1", "Hi", "--expect", "5"], "version_conflict", "it has version 1 now"),
    (["message", "show", "ann", "m9"], "not_found", "No such message"),
    (["message", "list", "nobody", "c1"], "not_found", "No such conversation"),
    (["message", "list", "ann", "c1", "--cursor", "x"], "invalid_argument", "`next`"),
    (["message", "list", "ann", "c1", "--limit", "0"], "invalid_argument", "at least 1"),
    (["conversation", "limit", "ann", "c1", "forever"], "invalid_argument", "90d"),
    (["note", "list", "ann", "--state", "lost"], "invalid_argument", "current"),
    (["note", "add", "ann", "Hi", "--from", "m9"], "not_found", "No such message"),
    (["context", "ann", "--budget", "-1"], "invalid_argument", "at least 0"),
    (["context", "ann", "--render", "poem"], "invalid_argument", "text, messages"),
    (["search", "ann", "x", "--kind", "song"], "invalid_argument", "message, note"),
    (["search", "ann", "x", "--conversation", "nosuch"], "not_found", "No such conversation"),
    (["search", "ann", "x", "-k", "5000"], "invalid_argument", "at most 1000"),
    (["trace", "show", "ann", "t9"], "not_found", "No such trace"),
    (["forget", "message", "ann", "m9", "--yes"], "not_found", "No such message"),
    (
        ["forget", "matching", "ann", "--yes"],
        "invalid_argument",
        "Give --conversation, --since or --until; everything of an owner goes with `seihon forget owner`.",
    ),
    (["observe", "ann", "billing_plan", "pro"], "invalid_argument", "needs --message, its id"),
    (
        ["observe", "ann", "billing_plan", "pro", "--source", "system", "--quote", "x"],
        "invalid_argument",
        "To give --quote, give --message as well",
    ),
    (
        ["observe", "ann", "billing_plan", "pro", "--message", "m1", "--at", "2026-01-01"],
        "invalid_argument",
        "leave out --at",
    ),
    (
        ["observe", "ann", "billing_plan", "pro", "--message", "m1", "--confidence", "confirmed"],
        "invalid_argument",
        "needs --quote",
    ),
    (
        ["observe", "ann", "billing_plan", "pro", "--source", "setting"],
        "invalid_argument",
        "recorded with `seihon set`; `seihon observe` takes",
    ),
    (["message", "show", "ann", " m1"], "invalid_text", "MESSAGE must not"),
    (["forget", "message", "ann", " m1", "--yes"], "invalid_text", "MESSAGE must not"),
    (["forget", "note", "ann", " n1", "--yes"], "invalid_text", "NOTE must not"),
    (["message", "add", "ann", "c1", "user", "Hi", "--id", " m1"], "invalid_text", "--id must not"),
    (["note", "add", "ann", "Hi", "--from", " m1"], "invalid_text", "--from must not"),
    (["set", "ann", "billing_plan", "pro", "--idempotency-key", " k"], "invalid_text", "--idempotency-key"),
    (
        ["message", "add", "ann", "c1", "user", "Hi", "--expires-at", "2020-01-01"],
        "invalid_argument",
        "--exp",
    ),
    (["profile", "ann", "--as-of", "999"], "invalid_argument", "--as-of must be a revision that there is"),
    (["conversation", "limit", "ann", "c1", "0d"], "invalid_argument", "DURATION"),
    (["conversation", "limit", "ann", "c1", "999999w"], "invalid_argument", "DURATION"),
    (["forget", "owner", "nobody", "--yes"], "not_found", "Nothing is stored"),
    (["forget", "message", "ann", "m1"], "invalid_argument", "--yes"),
    (["receipt", "show", "ann", "r9"], "not_found", "No such receipt"),
    (["reopen", "ann", "--yes"], "conflict", "was not deleted"),
    (["import", "ann", "missing.jsonl"], "not_found", "There is no file"),
    (["import", "ann", "."], "invalid_argument", "readable file"),
    (["export", "nobody"], "not_found", "Nothing"),
    (["verify", "nobody"], "not_found", "no such owner"),
    (["rebuild", "nobody"], "not_found", "no such owner"),
    (["sweep", "nobody"], "not_found", "no such owner"),
    (["failures", "nobody"], "not_found", "no such owner"),
    (["failures", "nobody", "--retry"], "not_found", "no such owner"),
    (["eval", "summary", "--owner", "nobody"], "not_found", "no such owner"),
    (
        ["observe", "ann", "billing_plan", "pro", "--source", "rumour"],
        "invalid_argument",
        "--source must be one of: message, system, import.",
    ),
    (["export", "ann", "--kind", "all"], "invalid_argument", "person, migration"),
    (["verify", "--store", "attic"], "invalid_argument", "fulltext"),
    (["rebuild", "--store", "attic"], "invalid_argument", "fulltext"),
    (["schema", "plan", "missing.yaml"], "not_found", "There is no file"),
    (["purge"], "invalid_argument", "--strict"),
    (["purge", "--strict"], "invalid_argument", "SEIHON_MAINTENANCE_URL"),
]


def _names(cases: list[tuple[list[str], str, str]]) -> list[str]:
    return [" ".join(case[0])[:50] for case in cases]


@pytest.fixture(scope="module", params=list(Dialect), ids=str)
def settled_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One database of each engine for the whole module: a refusal changes nothing in it."""
    if request.param is Dialect.SQLITE:
        url = f"sqlite:///{tmp_path_factory.mktemp('settled') / 'x.db'}"
        _settle(url)
        yield url
        return
    server: PostgresAddress = request.getfixturevalue("pg_server")
    # The tests of a module may be spread over several processes, each with a database of its own.
    name = f"t_settled_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    url = server.create_database(name)
    _settle(url)
    yield url
    server.drop_database(name)


def _settle(url: str) -> None:
    upgrade(url)
    with Memory.open(url, schema=SCHEMA.read_text(encoding="utf-8")) as memory:
        memory.append("ann", "c1", "user", "We are on the Pro plan.", id="m1")


@pytest.fixture
def settled(call: Run, settled_url: str) -> Run:
    """The command line on that database."""
    return lambda *arguments: call("--db", settled_url, *arguments)


@pytest.mark.parametrize(("arguments", "code", "words"), ON_A_DATABASE, ids=_names(ON_A_DATABASE))
def test_a_refusal_is_one_sentence_with_a_code(
    settled: Run, arguments: list[str], code: str, words: str
) -> None:
    plain = settled(*arguments)
    assert plain.code == CODES[code].exit
    assert plain.out == ""
    sentence = plain.err.splitlines()[-1]
    assert sentence.startswith("seihon: ")
    assert words in sentence
    assert "Traceback" not in plain.err
    as_json = settled(*arguments, "--json")
    assert as_json.code == plain.code
    assert as_json.err == ""
    assert as_json.error["code"] == code
    assert as_json.error["message"] == sentence.removeprefix("seihon: ")


WITHOUT_ONE: list[tuple[list[str], str, str]] = [
    ([], "invalid_argument", "Name one of the commands"),
    (["frobnicate"], "invalid_argument", "Name one of the commands"),
    (["note"], "invalid_argument", "add, confirm, edit"),
    (["set", "ann"], "invalid_argument", "FIELD is missing"),
    (["set", "ann", "a", "b", "c"], "invalid_argument", "more arguments"),
    (["set", "ann", "a", "b", "--colour"], "invalid_argument", "no such option"),
    (["set", "ann", "a", "b", "--scope"], "invalid_argument", "needs a value"),
    (["message", "edit", "ann", "m1", "Hi"], "invalid_argument", "--expect is missing"),
    (["search", "ann", "x", "-k", "many"], "invalid_argument", "whole number"),
    (["receipt", "wait", "ann", "r", "--timeout", "long"], "invalid_argument", "number"),
    (["receipt", "wait", "ann", "r", "--timeout", "-1"], "invalid_argument", "at least 0"),
    (["receipt", "wait", "ann", "r", "--timeout", "nan"], "invalid_argument", "at least 0"),
    (["forget", "owner", "ann", "--yes", "--timeout", "-1"], "invalid_argument", "at least 0"),
    (["message", "add", "ann", "c1", "user", "-5 degrees"], "invalid_argument", "A TEXT that begins with -"),
    (["message", "edit", "ann", "m1", "-5", "--expect", "1"], "invalid_argument", "after --"),
    (["set", "ann", "floor", "-5"], "invalid_argument", "A VALUE that begins with -"),
    (["observe", "ann", "floor", "-5"], "invalid_argument", "by stdin as a single -"),
    (["search", "ann", "-5"], "invalid_argument", "A QUERY that begins with -"),
    (["note", "add", "ann", "-5"], "invalid_argument", "A TEXT that begins with -"),
    (["profile", "ann", "--db", "mysql://host/name"], "invalid_argument", "postgresql://"),
    (["profile", "ann", "--db", "postgresql://host:port/x"], "invalid_argument", "postgresql://"),
    (["profile", "ann", "--db", "missing.db"], "not_found", "seihon migrate"),
    (["message", "add", "a", "c", "user", "x", "--db", "no/such/folder/x.db"], "unavailable", "database"),
    (["profile", "ann", "--db", "postgresql://u:secret@127.0.0.1:1/x"], "unavailable", "database"),
    (["migrate", "--create-roles"], "invalid_argument", "SQLite has no roles"),
    (["migrate", "--db", "no/such/folder/x.db"], "unavailable", "its folder must exist"),
    (["migrate", "--db", "file:x.db"], "invalid_argument", "a path to a SQLite file or a postgresql:// URL"),
    (["profile", "ann", "--db", "sqlite:x.db"], "invalid_argument", "a path to a SQLite file"),
    (["demo", "--db", "no/such/folder/x.db"], "unavailable", "another place with --db"),
    (["profile", "ann", "--db", "postgresql://u@127.0.0.1:1/x"], "unavailable", "server does not answer"),
    (["demo", "--db", "postgresql://u:secret@127.0.0.1:1/x"], "invalid_argument", "SQLite file"),
]


@pytest.mark.parametrize(("arguments", "code", "words"), WITHOUT_ONE, ids=_names(WITHOUT_ONE))
def test_a_refusal_before_any_database(
    call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = call(*arguments)
    assert plain.code == CODES[code].exit
    assert words in plain.err.splitlines()[-1]
    as_json = call("--json", *arguments)
    assert (as_json.code, as_json.error["code"]) == (plain.code, code)
    assert as_json.err == ""
    assert {one.name for one in tmp_path.iterdir()} == {"home"}, "a refused command left files"
    assert "secret" not in plain.out + plain.err + as_json.out


@pytest.mark.parametrize("setting", ["SEIHON_SECRET_FILE", "SEIHON_SIGNING_KEY_FILE"])
def test_a_key_file_in_no_folder_is_refused_and_leaves_nothing(
    call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv(setting, str(tmp_path / "no" / "k"))
    refused = call("message", "add", "ann", "c1", "user", "Hi", "--db", str(tmp_path / "x.db"), "--json")
    assert (refused.code, refused.error["code"]) == (7, "unavailable")
    assert "its folder must exist" in refused.error["message"]
    assert {one.name for one in tmp_path.iterdir()} == {"home"}


def test_no_refusal_of_the_command_line_speaks_python(settled: Run) -> None:
    python = re.compile(r"`[a-z]+_[a-z_]+`|timedelta|datetime|\bNone\b")
    for arguments, _, _ in ON_A_DATABASE:
        assert not python.search(settled(*arguments).err), arguments


def test_what_was_typed_is_never_repeated(call: Run) -> None:
    for arguments in (
        ["my diagnosis"],
        ["set", "a", "b", "c", "my diagnosis"],
        ["search", "a", "b", "-k", "diagnosis"],
    ):
        told = call(*arguments)
        assert "diagnosis" not in told.out + told.err


def test_a_deleted_id_is_gone_and_stays_gone(ann: Run) -> None:
    ann("forget", "message", "ann", "m1", "--yes")
    for arguments in (["message", "show", "ann", "m1"], ["forget", "message", "ann", "m1", "--yes"]):
        refused = ann(*arguments, "--json")
        assert (refused.code, refused.error["code"]) == (4, "gone")
    again = ann("message", "add", "ann", "c1", "user", "Back", "--id", "m1", "--json")
    assert (again.code, again.error["code"]) == (4, "gone")


def test_without_a_schema_the_sentence_says_what_to_do(cli: Run) -> None:
    refused = cli("set", "ann", "billing_plan", "pro", "--json")
    assert (refused.code, refused.error["code"]) == (2, "invalid_schema")
    assert "`seihon schema register FILE`" in refused.error["message"]
    assert "register_schema" not in refused.error["message"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("properties: [", "YAML"),
        ("{not json", "one JSON object"),
        ("type: object\nproperties: {}\n", "1 to 500 fields"),
        ("type: object\nproperties:\n  a: {type: rainbow}\n", "a"),
        ("a: 1\na: 2\n", "twice"),
    ],
    ids=["broken yaml", "broken json", "no field", "bad type", "repeated key"],
)
def test_a_schema_that_does_not_hold_together_is_refused(
    call: Run, tmp_path: Path, text: str, words: str
) -> None:
    file = tmp_path / "schema.yaml"
    file.write_text(text)
    refused = call("schema", "register", str(file), "--db", str(tmp_path / "x.db"), "--json")
    assert (refused.code, refused.error["code"]) == (2, "invalid_schema")
    assert words in refused.error["message"]


def test_a_file_that_is_no_database_is_left_as_it_is(call: Run, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader, this is not a database at all. " * 50)
    before = file.read_bytes()
    refused = call("profile", "ann", "--db", str(file), "--json")
    assert (refused.code, refused.error["code"]) == (7, "unavailable")
    assert file.read_bytes() == before


def test_a_locked_database_is_busy_and_not_broken(
    call: Run, sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEIHON_BUSY_TIMEOUT", "0.2")
    other = sqlite3.connect(sqlite_path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        refused = call("message", "add", "ann", "c1", "user", "Hi", "--db", str(sqlite_path), "--json")
        assert (refused.code, refused.error["code"]) == (7, "busy")
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert call("message", "add", "ann", "c1", "user", "Hi", "--db", str(sqlite_path)).code == 0


def test_an_incomplete_deletion_says_so(
    call: Run, sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEIHON_DERIVE", "external")
    call("message", "add", "ann", "c1", "user", "Hi", "--id", "m1", "--db", str(sqlite_path))
    refused = call(
        "forget",
        "message",
        "ann",
        "m1",
        "--yes",
        "--wait",
        "--timeout",
        "0.1",
        "--db",
        str(sqlite_path),
        "--json",
    )
    assert (refused.code, refused.error["code"]) == (9, "incomplete")
    assert refused.error["details"]["stores"]


def test_a_bug_is_one_sentence_without_its_words(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from seihon.entry import settings

    def broken(**_: object) -> None:
        raise ZeroDivisionError("the person's own words")

    monkeypatch.setattr(settings, "load", broken)
    told = call("profile", "ann", "--json")
    assert (told.code, told.error["code"]) == (1, "error")
    assert "own words" not in told.out + told.err
    monkeypatch.setenv("SEIHON_DEBUG", "1")
    assert "ZeroDivisionError" in call("profile", "ann").err
