"""``summaries``, ``summarise`` and ``eval summary`` on the command line."""

from __future__ import annotations

from tests.entry.running import Run


def test_a_conversation_is_summarised_listed_and_judged(ann: Run) -> None:
    assert "Nothing is summarised yet" in ann("summaries", "ann", "c1").out
    done = ann("summarise", "ann", "c1", "--json").data
    assert (done["ranges"], done["waiting"], done["failed"]) == (1, 0, [])
    (one,) = ann("summaries", "ann", "c1", "--json").data["items"]
    assert (one["first_seq"], one["state"], one["model"]) == (1, "current", "offline")
    assert set(one["sources"]) == {"m1", "m2"}
    text = ann("summaries", "ann", "c1").out
    assert one["id"] in text
    assert one["lines"][0]["text"] in text
    judged = ann("eval", "summary", "--json").data
    assert [report["summary"] for report in judged["reports"]] == [one["id"]]
    assert judged["reports"] == ann("eval", "summary", "--owner", "ann", "--json").data["reports"]
    assert "1 summaries:" in ann("eval", "summary", "--owner", "ann", "--conversation", "c1").out
    assert "1 of 1 ranges are summarised." in ann("summarise", "ann", "c1").out


def test_a_conversation_without_its_person_and_unknown_ones_are_refused(ann: Run) -> None:
    assert ann("eval", "summary", "--conversation", "c1", "--json").error["code"] == "invalid_argument"
    assert ann("summaries", "ann", "c9", "--json").error["code"] == "not_found"
    assert ann("summarise", "ann", "c9", "--json").error["code"] == "not_found"


def test_what_a_summary_lacks_is_shown_with_its_sentence(ann: Run) -> None:
    for number in range(30):
        ann(
            "message",
            "add",
            "ann",
            "c2",
            "user",
            f"I cannot come on 2026-03-{number + 1:02}, nor pay {number} yen.",
        )
    shown = ann("eval", "summary", "--owner", "ann", "--conversation", "c2").out
    assert "missing" in shown
    assert "I cannot come on" in shown
