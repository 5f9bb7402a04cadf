"""The demo: the whole story as data, on the screen, and the commands that it prints at the end."""

from __future__ import annotations

import shlex
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.entry.running import Result, Run, environment, shell

from seihon.entry.demo import scan
from seihon.entry.demo.story import PIECES


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """One run of ``seihon demo --json`` by a user with an empty home."""
    home = tmp_path_factory.mktemp("home")
    done = shell(home, "demo", "--json")
    assert (done.code, done.err) == (0, "")
    return home, done.data


def test_it_plays_on_a_fresh_file_in_the_users_folder(told: tuple[Path, dict[str, Any]]) -> None:
    home, data = told
    assert Path(data["file"]) == home / ".local" / "share" / "seihon" / "demo.db"
    assert Path(data["file"]).exists()


def test_two_conversations_come_in_whole(told: tuple[Path, dict[str, Any]]) -> None:
    assert [(one["id"], one["added"], one["bad"]) for one in told[1]["conversations"]] == [
        ("support-maya", 18, []),
        ("support-haruka", 18, []),
    ]


def test_the_profile_is_what_the_people_said_last(told: tuple[Path, dict[str, Any]]) -> None:
    fields = {owner: told[1]["profile"][owner]["fields"] for owner in ("maya", "haruka")}
    values = {
        owner: {name: state["value"] for name, state in found.items() if state["value"] is not None}
        for owner, found in fields.items()
    }
    assert values["maya"] == {
        "billing_plan": "pro",
        "notify_channel": "email",
        "answer_style": "brief",
        "min_os_version": "iOS 18",
        "primary_language": "Swift",
        "team_size": 2,
        "crash_tool": "Sentry",
    }
    assert values["haruka"] == {
        "billing_plan": "pro",
        "notify_channel": "email",
        "answer_style": "brief",
        "min_os_version": "Android 14",
        "primary_language": "Dart",
        "team_size": 1,
        "push_provider": "FCM",
    }
    assert fields["haruka"]["billing_plan"]["quotes"][0]["text"] == "プロプランを使っています"


def test_one_setting_is_read_in_two_scopes(told: tuple[Path, dict[str, Any]]) -> None:
    for owner in ("maya", "haruka"):
        scopes = told[1]["scopes"][owner]
        assert {scope: state["value"] for scope, state in scopes.items()} == {
            "default": "brief",
            "research": "detailed",
        }


def test_every_policy_decides_with_its_reason(told: tuple[Path, dict[str, Any]]) -> None:
    decisions = told[1]["decisions"]
    assert decisions["passed_days"] == 35
    assert decisions["field_before"]["status"] == "expired"
    found = {
        (one["policy"], one["when"]): (one["outcome"], one["value"], one["reason"])
        for one in decisions["policies"]
    }
    soon, late = "10 days later", "9 weeks later"
    assert found["naive", soon] == found["naive", late] == ("accept", "free", "newest")
    assert found["guard", soon] == found["guard", late] == ("keep", "pro", "guarded")
    assert found["guard_ttl", soon] == ("keep", "pro", "guarded")
    assert found["guard_ttl", late] == ("accept", "free", "guard_expired_seconds")
    assert found["belief", soon] == ("keep", "pro", "less_probable")
    assert found["belief", late] == ("accept", "free", "most_probable")
    assert all(0.5 < one["probability"] < 1 for one in decisions["policies"] if one["policy"] == "belief")


def test_what_the_product_recorded_is_what_its_policy_said(told: tuple[Path, dict[str, Any]]) -> None:
    recorded = told[1]["decisions"]["recorded"]
    assert (recorded["value"], recorded["outcome"], recorded["reason"]) == (
        "free",
        "accept",
        "guard_expired_seconds",
    )


def test_the_correction_wins_and_the_old_quote_is_marked(told: tuple[Path, dict[str, Any]]) -> None:
    correction = told[1]["correction"]
    assert (correction["field"]["value"], correction["field"]["confidence"]) == ("pro", "confirmed")
    marked = {hit["id"]: hit["superseded"] for hit in correction["search"]}
    (mark,) = marked["maya-19"]
    assert (mark["field"], mark["replacement"]) == ("billing_plan", "pro")


def test_the_context_keeps_its_budget_and_explains_each_item(told: tuple[Path, dict[str, Any]]) -> None:
    context = told[1]["context"]
    assert 0 < context["tokens"] <= context["budget"]
    assert all(item["reason"] and item["tokens"] for item in context["items"])
    assert context["omissions"]
    assert {item["kind"] for item in context["items"]} >= {"profile", "recent"}
    assert "[superseded: billing_plan is now pro]" in context["text"]


def test_the_question_finds_the_slip_before_and_never_after(told: tuple[Path, dict[str, Any]]) -> None:
    before, after = told[1]["searches"]["before"], told[1]["searches"]["after"]
    for owner in ("maya", "haruka"):
        assert before[owner]["search_finds_it"]
        assert before[owner]["context_holds_it"]
        assert not after[owner]["search_finds_it"]
        assert not after[owner]["context_holds_it"]
        assert before[owner]["question"] == after[owner]["question"]
    assert "Marmalade" in str(before)
    assert "Marmalade" not in str(after)


def test_the_receipts_are_verified_store_by_store(told: tuple[Path, dict[str, Any]]) -> None:
    assert told[1]["receipt"]["state"] == "verified"
    for receipt in told[1]["receipts"].values():
        assert {store["state"] for store in receipt["stores"]} == {"verified"}
        assert {"original", "fulltext", "files"} <= {store["store"] for store in receipt["stores"]}
        assert receipt["out_of_reach"]


def test_no_byte_is_left_and_the_scan_could_have_found_some(told: tuple[Path, dict[str, Any]]) -> None:
    data = told[1]
    assert data["scan"]["before"]["demo.db"] > 0
    assert data["hits_before"] == data["scan"]["before"]["demo.db"]
    assert data["leftover_hits"] == 0
    assert scan.total(scan.count(Path(data["file"]), PIECES)) == 0


def test_a_planted_word_is_counted_in_each_file_in_any_case(tmp_path: Path) -> None:
    for end, text in (("", "MARMALADE marmalade"), ("-wal", "ひぐらし"), ("-shm", "nothing")):
        Path(f"{tmp_path / 'x.db'}{end}").write_text(text, encoding="utf-8")
    found = scan.count(tmp_path / "x.db", PIECES)
    assert found == {"x.db": 2, "x.db-wal": 1, "x.db-shm": 0}


def test_the_file_that_stays_is_whole(told: tuple[Path, dict[str, Any]]) -> None:
    with sqlite3.connect(told[1]["file"]) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_the_story_fits_a_screen_and_its_commands_work(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "some place" / "demo.db"
    file.parent.mkdir()
    done = shell(home, "demo", "--db", str(file))
    assert done.code == 0
    assert "verified" in done.out
    *story, first, second, third = done.out.splitlines()
    assert max(len(line) for line in story if str(file) not in line) <= 80
    assert [line.split(".")[0] for line in story if line[:1].isdigit()] == [str(n) for n in range(1, 11)]
    for line in (first, second, third):
        tried = _typed(home, shlex.split(line))
        assert tried.code == 0, tried
        assert len(tried.out.splitlines()) > 2


def _typed(home: Path, words: list[str]) -> Result:
    """Run a printed command as it was printed."""
    done = subprocess.run(words, capture_output=True, env=environment(home), timeout=60, check=False)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_it_replaces_its_own_file_and_no_other(call: Run, tmp_path: Path) -> None:
    own, foreign = tmp_path / "demo.db", tmp_path / "precious.db"
    assert call("demo", "--db", str(own), "--json").data["leftover_hits"] == 0
    assert call("demo", "--db", str(own), "--json").data["conversations"][0]["added"] == 18
    assert call("message", "add", "ann", "c1", "user", "Keep me", "--db", str(foreign)).code == 0
    refused = call("demo", "--db", str(foreign), "--json")
    assert (refused.code, refused.error["code"]) == (2, "invalid_argument")
    assert call("message", "list", "ann", "c1", "--db", str(foreign)).code == 0
