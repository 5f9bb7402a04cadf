"""The page of a receipt: what an officer reads, to the letter, in both languages.

``SEIHON_GOLDEN=write`` writes the pages anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from seihon.canonical.purge import REWRITTEN, STANDARD, TRUNCATED, ZEROED
from seihon.core import paper
from seihon.core.receipt_page import page
from seihon.core.receipt_words import WORDS
from seihon.model import Locale
from seihon.model.certificates import SCHEMA

PAGES = Path(__file__).parent / "receipts"
STORES = ("original", "fulltext", "summaries", "vectors", "cache", "traces", "idempotency", "outbox", "files")
VACUUMED = "VACUUM gave the space of deleted rows back in 11 tables."


def store(name: str, **changed: object) -> dict[str, Any]:
    told = {
        "state": "verified",
        "attempts": 1,
        "removed": 0,
        "error": "",
        "updated_at": "2026-03-01T09:00:02Z",
    }
    return {"store": name, **told, **changed}


def document(**changed: object) -> dict[str, Any]:
    receipt: dict[str, Any] = {
        "id": "r_8k2xq0w3m5np",
        "kind": "message",
        "key": "m_4c1v8h2x7k9d",
        "state": "verified",
        "level": "secure_delete",
        "actor": "person",
        "reason": "card number pasted",
        "revision": 12,
        "epoch": 1,
        "opened_at": "2026-03-01T09:00:00.250000Z",
        "verified_at": "2026-03-01T09:00:02Z",
        "counts": {"messages": 1, "claims": 2},
        "records": ["message:m_4c1v8h2x7k9d"],
        "stores": [store(name, removed={"original": 1, "fulltext": 7}.get(name, 0)) for name in STORES],
        "purge": [ZEROED, TRUNCATED],
        "out_of_reach": [
            {"name": "nightly backups", "retention": "35 days"},
            {"name": "memory.db.0001.backup", "retention": "until you remove it"},
        ],
        "outside": [],
        **changed,
    }
    body = {"schema": SCHEMA, "as_of": "2026-03-01T09:05:00Z", "tenant": "acme", "owner": "haruka"}
    return {
        **body,
        "receipt": receipt,
        "signature": {"algorithm": "Ed25519", "key": "0123456789abcdef", "value": "AAAA"},
    }


OPEN = {
    "id": "r_1",
    "kind": "conversation",
    "key": "サポート／2026年3月",
    "state": "failed",
    "level": "standard",
    "actor": "遥香",
    "reason": "本人の請求",
    "verified_at": None,
    "counts": {"messages": 12_000, "claims": 1, "notes": 3},
    "records": ["conversation:サポート／2026年3月", *(f"note:n_{number}" for number in range(60))],
    "stores": [
        store("original", removed=12_000, attempts=24),
        store("fulltext", state="failed", error="leftovers", attempts=3),
        store("graph"),
        store("files", state="pending", attempts=0),
    ],
    "purge": [VACUUMED, STANDARD, "A step that is newer than these words."],
    "out_of_reach": [],
    "outside": [
        {
            "name": "crm",
            "state": "acknowledged",
            "attempts": 1,
            "updated_at": "2026-03-01T09:00:01Z",
            "error": "",
        },
        {"name": "mail", "state": "sent", "attempts": 1, "updated_at": "2026-03-01T09:00:01Z", "error": ""},
        {
            "name": "chat",
            "state": "failed",
            "attempts": 4,
            "updated_at": "2026-03-01T09:01:00Z",
            "error": "status",
        },
        {
            "name": "desk",
            "state": "pending",
            "attempts": 0,
            "updated_at": "2026-03-01T09:00:00Z",
            "error": "",
        },
    ],
}
CASES = {"verified": document(), "open": document(**OPEN)}


def made(told: dict[str, Any], locale: Locale) -> str:
    return page(told, digest="5c" * 32, fingerprint="0123456789abcdef" * 4, locale=locale)


@pytest.mark.parametrize("locale", list(Locale))
@pytest.mark.parametrize("case", CASES)
def test_the_page_is_what_was_agreed(case: str, locale: Locale) -> None:
    golden = PAGES / f"{case}.{locale}.txt"
    told = made(CASES[case], locale)
    if os.environ.get("SEIHON_GOLDEN") == "write":
        golden.write_text(told, encoding="utf-8")
    assert told == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("locale", list(Locale))
@pytest.mark.parametrize("case", CASES)
def test_no_line_is_wider_than_the_page(case: str, locale: Locale) -> None:
    wide = [line for line in made(CASES[case], locale).splitlines() if paper.columns(line) > paper.WIDTH + 2]
    assert wide == []


def test_every_sentence_of_a_purge_is_told_in_japanese_too() -> None:
    told = made(document(purge=[ZEROED, REWRITTEN, TRUNCATED, VACUUMED, STANDARD]), Locale.JA)
    reach = told.partition("5. ")[2].partition("6. ")[0]
    assert reach.count("  -  ") == 5
    assert not [word for word in ("space", "rewritten", "truncated", "tables", "rows") if word in reach]


def test_both_languages_say_the_same_things() -> None:
    english, japanese = WORDS[Locale.EN], WORDS[Locale.JA]
    for name in (
        "names",
        "results",
        "kinds",
        "counted",
        "places",
        "states",
        "levels",
        "outside",
        "sentences",
    ):
        assert getattr(english, name).keys() == getattr(japanese, name).keys()


@pytest.mark.parametrize("locale", list(Locale))
def test_nothing_that_was_given_as_a_name_can_disturb_the_page(locale: Locale) -> None:
    told = made(document(reason="a\u202eb\x1b[2Jc\u2028d", key="x" * 190), locale)
    assert "<U+202E>" in told and "<U+001B>" in told and "<U+2028>" in told
    assert all(char.isprintable() or char == "\n" for char in told)
    assert max(paper.columns(line) for line in told.splitlines()) <= paper.WIDTH + 2


@pytest.mark.parametrize(
    ("retention", "until"),
    [
        ("35 days", "2026-04-06"),
        ("1 day", "2026-03-03"),
        ("2 weeks", "2026-03-16"),
        ("48 hours", "2026-03-04"),
        ("30日", "2026-04-01"),
        ("30日間", "2026-04-01"),
    ],
)
def test_a_retention_that_says_how_long_gets_a_day_on_which_it_is_over(retention: str, until: str) -> None:
    told = made(document(out_of_reach=[{"name": "backups", "retention": retention}]), Locale.EN)
    assert f"so until {until} at the latest" in told


@pytest.mark.parametrize(
    "retention", ["until you remove it", "about 35 days", "99999 days, or so", "7 years"]
)
def test_a_retention_that_does_not_is_repeated_as_it_is(retention: str) -> None:
    told = made(document(out_of_reach=[{"name": "backups", "retention": retention}]), Locale.EN)
    assert f"backups: kept {retention}\n" in told


def test_japanese_lines_do_not_begin_with_what_clings_to_the_word_before() -> None:
    for line in made(CASES["open"], Locale.JA).splitlines():
        assert not line.lstrip().startswith(("、", "。", "）", "」"))
