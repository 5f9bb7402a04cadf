"""Every command once on both databases: what it answers as JSON, and that text says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from tests.conftest import Backend
from tests.entry.running import Run

from seihon import __version__
from seihon.canonical.database import parse_url


def test_messages_are_added_listed_shown_and_corrected(ann: Run) -> None:
    assert [one["id"] for one in ann("message", "list", "ann", "c1", "--json").data["items"]] == ["m1", "m2"]
    edited = ann("message", "edit", "ann", "m1", "We are on Ultra.", "--expect", "1", "--json").data
    assert (edited["version"], edited["content"]) == (2, "We are on Ultra.")
    shown = ann("message", "show", "ann", "m1")
    assert "We are on Ultra." in shown.out
    assert "Pro plan" not in shown.out


def test_pages_follow_their_cursor(ann: Run) -> None:
    first = ann("message", "list", "ann", "c1", "--limit", "1", "--json").data
    second = ann("message", "list", "ann", "c1", "--limit", "1", "--cursor", first["next"], "--json").data
    assert [one["id"] for one in first["items"] + second["items"]] == ["m1", "m2"]
    assert second["next"] is None
    assert f"--cursor '{first['next']}'" in ann("message", "list", "ann", "c1", "--limit", "1").err


def test_a_conversation_is_listed_and_limited(ann: Run) -> None:
    limited = ann("conversation", "limit", "ann", "c1", "90d", "--json").data
    assert limited["retention"] == 90 * 86_400
    for typed, shown in (("90d", "90d"), ("36h", "36h"), ("2w", "14d"), ("90s", "90s")):
        assert ann("conversation", "limit", "ann", "c1", typed).out.split()[-1] == shown
    assert ann("conversation", "show", "ann", "c1", "--json").data["messages"] == 2
    assert ann("conversation", "limit", "ann", "c1", "none", "--json").data["retention"] is None
    assert "c1" in ann("conversation", "list", "ann").out


def test_the_profile_is_set_observed_read_and_declined(ann: Run) -> None:
    claim = ann(
        "observe", "ann", "billing_plan", "Pro plan", "--confidence", "confirmed",
        "--message", "m1", "--quote", "on the Pro plan", "--json",
    ).data  # fmt: skip
    assert (claim["value"], claim["outcome"]) == ("pro", "accept")
    assert ann("set", "ann", "notify_channel", "メール", "--json").data["value"] == "email"
    profile = ann("profile", "ann", "--json").data["fields"]
    assert (profile["billing_plan"]["value"], profile["notify_channel"]["value"]) == ("pro", "email")
    assert ann("profile", "ann", "--require", "billing_plan").out == "pro\n"
    assert ann("decline", "ann", "billing_plan", "--json").data["status"] == "declined"
    assert [one["value"] for one in ann("history", "ann", "billing_plan", "--json").data["items"]] == ["pro"]
    assert "declined" in ann("profile", "ann").out


def test_the_profile_of_an_earlier_revision_is_what_was_known_then(ann: Run) -> None:
    ann("set", "ann", "billing_plan", "free")
    revision = ann("changes", "ann", "--json").data["items"][-1]["revision"]
    ann("set", "ann", "billing_plan", "pro")
    then = ann("profile", "ann", "--as-of", str(revision), "--json").data
    assert then["fields"]["billing_plan"]["value"] == "free"


def test_a_value_and_a_text_may_begin_with_a_dash(cli: Run, tmp_path: Path) -> None:
    schema = tmp_path / "floors.yaml"
    policy = "x-seihon: {policy: naive}"
    schema.write_text(f"properties:\n  floor: {{type: integer, {policy}}}\n", encoding="utf-8")
    assert cli("schema", "register", str(schema)).code == 0
    assert cli("set", "ann", "floor", "--json", "--", "-2").data["value"] == -2
    assert cli("message", "add", "ann", "c1", "user", "--json", "--", "-5 °C").data["content"] == "-5 °C"
    for verb in (["set"], ["observe"], ["message", "add"], ["message", "edit"], ["note", "add"], ["search"]):
        assert "begins with -, type --" in " ".join(cli(*verb, "--help").out.split()), verb


def test_a_boolean_is_shown_as_it_is_typed(cli: Run, tmp_path: Path) -> None:
    schema = tmp_path / "lifts.yaml"
    schema.write_text("properties:\n  lift: {type: boolean, x-seihon: {policy: naive}}\n", encoding="utf-8")
    assert cli("schema", "register", str(schema)).code == 0
    for typed in ("true", "false"):
        cli("set", "ann", "lift", typed)
        shown = cli("profile", "ann", "--require", "lift").out.strip()
        assert shown == typed
        assert cli("set", "ann", "lift", shown).code == 0


def test_the_version_is_told_as_json_too(call: Run) -> None:
    assert call("--version").out == f"seihon {__version__}\n"
    assert call("--json", "--version").data == call("--version", "--json").data == {"version": __version__}


def test_scopes_are_read_apart(ann: Run) -> None:
    ann("set", "ann", "answer_style", "brief")
    ann("set", "ann", "answer_style", "detailed", "--scope", "research")
    assert ann("profile", "ann", "--require", "answer_style").out == "brief\n"
    assert ann("profile", "ann", "--require", "answer_style", "--scope", "research/legal").out == "detailed\n"


def test_candidates_wait_for_the_persons_word(ann: Run) -> None:
    for message, style in (("m1", "brief"), ("m2", "detailed")):
        ann("observe", "ann", "answer_style", style, "--message", message)
    first, second = ann("candidates", "list", "ann", "--json").data["items"]
    assert ann("candidates", "confirm", "ann", first["id"], "--json").data["value"] == "brief"
    assert ann("candidates", "reject", "ann", second["id"], "--json").data["state"] == "rejected"
    decided = {one["id"]: (one["outcome"], one["reason"]) for one in _history(ann, "answer_style")}
    assert decided[first["id"]] == ("accept", "confirmed")
    assert decided[second["id"]] == ("reject", "rejected")
    assert ann("candidates", "list", "ann").out == "Nothing waits.\n"


def _history(ann: Run, field: str) -> list[dict[str, str]]:
    return ann("history", "ann", field, "--json").data["items"]


def test_notes_are_added_edited_and_superseded(ann: Run) -> None:
    note = ann("note", "add", "ann", "Prefers mornings", "--from", "m2", "--json").data
    assert note["sources"] == ["m2"]
    edited = ann(
        "note", "edit", "ann", note["id"], "--expect", "1", "--text", "Prefers evenings", "--json"
    ).data
    assert (edited["text"], edited["version"], edited["sources"]) == ("Prefers evenings", 2, ["m2"])
    fresh = ann("note", "supersede", "ann", note["id"], "Any time will do", "--json").data
    assert [one["id"] for one in ann("note", "list", "ann", "--json").data["items"]] == [fresh["id"]]
    assert "superseded" in ann("note", "show", "ann", note["id"]).out


def test_a_search_and_a_context_come_with_their_reasons(ann: Run) -> None:
    hits = ann("search", "ann", "pro", "--json").data
    assert hits[0]["id"] == "m1"
    found = ann("context", "ann", "--conversation", "c1", "--budget", "200", "--json").data
    assert found["tokens"] <= 200
    assert "Pro plan" in found["text"]
    trace = ann("trace", "show", "ann", found["trace"], "--json").data
    assert trace["items"] == found["items"]
    assert "Pro plan" not in json.dumps(trace)
    assert [one["id"] for one in ann("trace", "list", "ann", "--json").data["items"]] == [found["trace"]]
    assert "Pro plan" in ann("context", "ann", "--conversation", "c1", "--explain").out


@pytest.mark.parametrize(
    ("arguments", "gone"),
    [
        (["message", "ann", "m1"], "message:m1"),
        (["conversation", "ann", "c1"], "conversation:c1"),
        (["matching", "ann", "--conversation", "c1"], "message:2 messages"),
        (["owner", "ann"], "owner:"),
    ],
    ids=["message", "conversation", "matching", "owner"],
)
def test_what_is_forgotten_is_verified_and_found_no_more(ann: Run, arguments: list[str], gone: str) -> None:
    receipt = ann("forget", *arguments, "--yes", "--wait", "--json").data
    assert receipt["state"] == "verified"
    assert f"{receipt['kind']}:{receipt['key']}" == gone
    assert {store["state"] for store in receipt["stores"]} == {"verified"}
    assert ann("receipt", "show", "ann", receipt["id"], "--json").data["state"] == "verified"
    assert [one["id"] for one in ann("receipt", "list", "ann", "--json").data["items"]] == [receipt["id"]]
    assert ann("receipt", "wait", "ann", receipt["id"]).code == 0
    answer = ann("search", "ann", "pro", "--json").data
    assert answer == [] or "m1" not in str(answer) or answer["error"]["code"] == "owner_deleted"


def test_a_field_and_a_note_are_forgotten(ann: Run) -> None:
    ann("set", "ann", "billing_plan", "pro")
    assert (
        ann("forget", "field", "ann", "billing_plan", "--yes", "--json").data["key"] == "billing_plan@default"
    )
    assert ann("profile", "ann", "--json").data["fields"]["billing_plan"]["status"] == "withdrawn"
    note = ann("note", "add", "ann", "Prefers mornings", "--json").data["id"]
    assert ann("forget", "note", "ann", note, "--yes", "--json").data["kind"] == "note"
    assert ann("note", "show", "ann", note, "--json").error["code"] == "gone"


def test_a_deleted_owner_begins_anew_after_reopening(ann: Run) -> None:
    ann("forget", "owner", "ann", "--yes")
    refused = ann("message", "add", "ann", "c2", "user", "Hello again", "--json")
    assert (refused.code, refused.error["code"]) == (4, "owner_deleted")
    assert ann("reopen", "ann", "--yes", "--json").data["epoch"] == 2
    assert ann("message", "add", "ann", "c2", "user", "Hello again").code == 0
    assert ann("message", "show", "ann", "m1", "--json").error["code"] == "gone"


def test_a_transcript_is_imported_once_and_a_bad_line_told_by_number(ann: Run, tmp_path: Path) -> None:
    lines = [
        '{"role": "user", "content": "One", "id": "i1"}',
        '{"role": "nobody", "content": "Two"}',
        "not JSON",
        '{"role": "user", "content": "東京に引っ越しました", "id": "i2"}',
    ]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    first = ann("import", "bob", str(file), "--conversation", "old", "--json")
    assert first.code == 2
    assert first.data["added"] == 2
    assert [one["line"] for one in first.data["bad"]] == [2, 3]
    again = ann("import", "bob", str(file), "--conversation", "old", "--json").data
    assert (again["added"], again["present"]) == (0, 2)
    assert ann("search", "bob", "東京", "--json").data[0]["id"] == "i2"
    assert "line 2:" in ann("import", "bob", str(file), "--conversation", "old").out


def test_a_file_of_another_kind_is_told_in_ten_lines_and_where_it_belongs(ann: Run, tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text('{"field": "billing_plan", "value": "pro"}\n' * 400)
    told = ann("import", "bob", str(file))
    assert (told.code, told.out.count("  line ")) == (2, 10)
    assert "and 390 more; --json lists all" in told.out
    assert "`seihon observe`" in told.out
    assert len(ann("import", "bob", str(file), "--json").data["bad"]) == 400


def test_an_export_without_its_first_line_is_told_as_such(ann: Run, tmp_path: Path) -> None:
    file = tmp_path / "headless.jsonl"
    file.write_text("\n".join(ann("export", "ann").out.splitlines()[1:]))
    refused = ann("import", "ann", str(file), "--json")
    assert (refused.code, refused.error["code"]) == (2, "bad_format")
    assert "without its first line" in refused.error["message"]


def test_fields_that_the_schema_lacks_are_a_warning_where_nothing_is_lost(ann: Run, tmp_path: Path) -> None:
    ann("set", "ann", "billing_plan", "pro")
    whole, person = tmp_path / "whole.jsonl", tmp_path / "person.jsonl"
    ann("export", "ann", "--kind", "migration", "-o", str(whole))
    ann("export", "ann", "-o", str(person))
    other = ["--db", f"sqlite:///{tmp_path / 'other.db'}"]
    done = ann(*other, "import", "ann", str(whole))
    assert (done.code, "0 bad" in done.out) == (0, True)
    assert "no field of this name. What is known of it was kept" in done.out
    less = tmp_path / "less.yaml"
    less.write_text("properties:\n  vip: {type: boolean, x-seihon: {policy: naive}}\n")
    ann(*other, "schema", "register", str(less))
    lost = ann(*other, "import", "ben", str(person))
    assert lost.code == 2
    assert "the value was not brought in. (unknown_field)" in lost.out


def test_an_export_goes_to_a_new_file_or_to_stdout(ann: Run, tmp_path: Path) -> None:
    file = tmp_path / "ann.jsonl"
    told = ann("export", "ann", "--kind", "migration", "-o", str(file), "--json").data
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert told["lines"] == len(lines)
    assert lines[0]["kind"] == "migration"
    assert file.stat().st_mode & 0o077 == 0
    refused = ann("export", "ann", "-o", str(file), "--json")
    assert (refused.code, refused.error["code"]) == (2, "invalid_argument")
    assert ann("export", "ann", "--json").data[0]["kind"] == "person"
    assert json.loads(ann("export", "ann").out.splitlines()[0])["owner"] == "ann"


def test_an_export_is_imported_for_another_owner_file_and_all(ann: Run, tmp_path: Path) -> None:
    file = tmp_path / "ann.jsonl"
    ann("export", "ann", "--kind", "migration", "-o", str(file))
    other = f"sqlite:///{tmp_path / 'other.db'}"
    done = ann("--db", other, "import", "ann", str(file), "--json")
    assert done.code == 0
    assert done.data["added"] > 0
    assert [m["id"] for m in ann("--db", other, "message", "list", "ann", "c1", "--json").data["items"]] == [
        "m1",
        "m2",
    ]


def test_copies_are_compared_and_derived_anew(ann: Run) -> None:
    found = ann("verify", "--json").data
    assert (found["ok"], found["differences"]) == (True, [])
    assert found["compared"] > 0
    assert ann("rebuild", "ann", "--json").data["marked"] > 0
    assert ann("verify", "ann", "--repair").out.endswith("0 differ, 0 made right.\n")
    assert ann("search", "ann", "pro", "--json").data[0]["id"] == "m1"


def test_a_planted_gap_and_a_planted_orphan_are_found_and_made_right(ann: Run, backend: Backend) -> None:
    engine = create_engine(parse_url(backend.admin_url))
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM ft_documents WHERE doc = 'message:m1'")
        connection.exec_driver_sql(
            "INSERT INTO ft_documents (owner, doc, kind, conversation, seq, version, length)"
            " VALUES ('default/ann', 'message:ghost', 'message', 'c1', 9, 1, 3)"
        )
    engine.dispose()
    found = ann("verify", "--json")
    assert found.code == 5
    assert not found.data["ok"]
    kinds = {(one["owner"], one["key"], one["kind"]) for one in found.data["differences"]}
    assert {("ann", "message:m1", "gap"), ("ann", "message:ghost", "orphan")} <= kinds
    repaired = ann("verify", "--repair", "--json")
    assert (repaired.code, repaired.data["ok"]) == (0, True)
    assert repaired.data["repaired"] >= 2
    assert ann("verify", "--json").data["differences"] == []


def test_health_and_sweep_and_fields_report(ann: Run) -> None:
    health = ann("health", "--json").data
    assert (health["ok"], health["open_receipts"]) == (True, 0)
    ann("message", "add", "ann", "old", "user", "Long ago", "--at", "2020-01-01")
    ann("conversation", "limit", "ann", "old", "30d")
    assert ann("sweep", "--json").data == {"messages": 1, "notes": 0, "answers": 0, "traces": 0}
    ann("profile", "ann", "--require", "billing_plan")
    reads = {one["field"]: one["reads"] for one in ann("fields", "--json").data}
    assert (reads["billing_plan"], reads["crash_tool"]) == (1, 0)
    assert "never" in ann("fields").out


def test_a_schema_is_planned_before_it_changes_values(ann: Run, tmp_path: Path) -> None:
    ann("set", "ann", "billing_plan", "ultra")
    shown = ann("schema", "show", "--json").data
    shown["properties"]["billing_plan"]["enum"] = ["free", "pro"]
    del shown["properties"]["billing_plan"]["x-seihon"]["synonyms"]
    file = tmp_path / "narrower.json"
    file.write_text(json.dumps(shown))
    plan = ann("schema", "plan", str(file), "--json").data
    assert (plan["effect"]["counts"]["refused"], plan["applied"]) == (1, False)
    shown_plan = ann("schema", "plan", str(file)).out
    assert shown_plan.startswith("Nothing was applied. Registered, it would be version 2:\n")
    assert f"seihon schema register {file} --apply\n" in shown_plan
    refused = ann("schema", "register", str(file), "--json")
    assert (refused.code, refused.error["code"]) == (5, "conflict")
    assert "--apply" in refused.error["message"]
    done = ann("schema", "register", str(file), "--apply", "--json").data
    assert (done["version"], done["applied"]) == (2, True)
    assert "nothing was changed" in ann("schema", "register", str(file)).out
    assert "nothing to register" in ann("schema", "plan", str(file)).out
    assert ann("profile", "ann", "--json").data["fields"]["billing_plan"]["reason"] == "outside_schema"


def test_the_starter_schema_can_be_registered_as_printed(call: Run, tmp_path: Path) -> None:
    starter = tmp_path / "starter.yaml"
    starter.write_text(call("schema", "example").out, encoding="utf-8")
    new = str(tmp_path / "new.db")
    planned = call("--db", new, "schema", "plan", str(starter)).out
    assert f"seihon schema register {starter}\n" in planned
    told = call("--db", new, "schema", "register", str(starter)).out
    assert told.startswith("Registered as version 1, in force from now on.")
    assert len(call("--db", new, "schema", "show", "--json").data["properties"]) == 20
    assert call("schema", "example", "--json").data["title"] == "App developer"


def test_migrating_twice_changes_nothing(cli: Run) -> None:
    done = cli("migrate", "--json").data
    assert done["before"] == done["revision"]
    assert "already" in cli("migrate").out


def test_an_idempotency_key_adds_one_message(ann: Run) -> None:
    add = ["message", "add", "ann", "c1", "user", "Once", "--idempotency-key", "k1", "--json"]
    assert ann(*add).data["id"] == ann(*add).data["id"]
    assert len(ann("message", "list", "ann", "c1", "--json").data["items"]) == 3


def test_every_summary_of_the_help_is_whole_in_80_columns(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    groups = ["candidates", "conversation", "forget", "message", "note", "receipt", "schema", "trace"]
    for arguments in ([], *([one] for one in groups)):
        commands = call(*arguments, "--help").out.partition("Commands:")[2]
        assert commands.count("\n") > 2
        assert "..." not in commands, commands
