"""Theme M: Japanese and other text that is awkward elsewhere; the same answers on both databases."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, confirm, open_memory, say

from seihon import errors
from seihon.core.policies import Reason
from seihon.memory import Memory
from seihon.testing.clock import FakeClock

PAIRS = (
    ("サンドボックス修正テスト", "サンドボックス"),
    ("きのうはとてもさむかった", "さむかった"),
    ("新しい設備を導入する", "設備"),
    ("猫を飼っています", "猫"),
    ("東京に引っ越した", "東京"),
    ("私はPythonを使う", "Python"),
    ("私はPythonを使う", "使う"),
    ("証券番号はPOL-358です", "POL-358"),
    ("今月の売上", "売上"),
    ("I don't eat meat", "don't"),
    ("ポケモン".replace("ポ", "ホ\u309a"), "ポケモン"),
    ("ｶﾞｲﾄﾞﾌﾞｯｸ", "ガイドブック"),
    ("ＡＢＣ商事", "abc商事"),
    ("部屋は１０号室", "10号室"),
    ("大阪〜神戸", "大阪～神戸"),
    ("サーバー構成", "サーバー"),
    ("我喜欢北京烤鸭", "烤鸭"),
    ("서울에 살아요", "서울"),
)


@pytest.mark.scenario("M1", "M2", "M5", "M13")
def test_a_word_is_found_in_whatever_script_and_width(memory: Memory) -> None:
    for number, (stored, _) in enumerate(PAIRS):
        say(memory, stored, to=f"c{number}")
    for number, (stored, query) in enumerate(PAIRS):
        found = {hit.conversation: hit for hit in memory.search("ann", query, k=50)}
        assert f"c{number}" in found, (stored, query)
        assert found[f"c{number}"].text == stored
        assert memory.message("ann", found[f"c{number}"].id).content == stored


@pytest.mark.scenario("M4", "M5")
def test_every_run_of_characters_of_a_stored_text_finds_it(backend: Backend, clock: FakeClock) -> None:
    letters = st.sampled_from("東京大阪売上設備猫犬今月来週アイウエオンーっゃがぱ")
    numbers = count()
    with open_memory(backend.url, clock) as memory:

        @settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
        @given(
            texts=st.lists(st.text(letters, min_size=2, max_size=14), min_size=1, max_size=4), data=st.data()
        )
        def check(texts: list[str], data: st.DataObject) -> None:
            owner = f"u{next(numbers)}"
            said = [say(memory, f"「{text}」", owner=owner) for text in texts]
            wanted = data.draw(st.sampled_from(texts))
            start = data.draw(st.integers(0, len(wanted) - 2))
            part = wanted[start : data.draw(st.integers(start + 2, len(wanted)))]
            scanned = {one.id for one in said if part in one.content}
            assert scanned <= {hit.id for hit in memory.search(owner, part, k=100)}

        check()


@pytest.mark.scenario("M5")
def test_both_databases_give_the_same_hits_in_the_same_order(
    sqlite_database: str, pg_database: str, clock: FakeClock
) -> None:
    queries = ("売上", "Python harbour", "POL-358", "猫 設備", "今月の売上 東京")

    def found(url: str) -> list[list[tuple[str, float]]]:
        with open_memory(url, clock) as memory:
            for number, (stored, _) in enumerate(PAIRS):
                memory.append("ann", f"c{number % 4}", "user", stored, id=f"m{number}")
            memory.add_note("ann", "東京の売上は Python で", id="n")
            return [[(h.id, round(h.score, 9)) for h in memory.search("ann", q, k=50)] for q in queries]

    assert found(sqlite_database) == found(pg_database)


@pytest.mark.scenario("M7")
def test_a_snippet_shows_the_match_however_far_down_it_is(memory: Memory) -> None:
    lines = [f"{number}行目は特に何もない普通の行です。" for number in range(150)]
    lines[140] = "ここに鍵は植木鉢の下と書いてある。"
    say(memory, "\n".join(lines))
    (hit,) = memory.search("ann", "植木鉢")
    assert "植木鉢" in hit.snippet
    assert len(hit.snippet) <= 220
    made = memory.context("ann", query="植木鉢", budget=200)
    assert "植木鉢" in made.text
    assert made.items[0].cut


@pytest.mark.scenario("M8")
def test_japanese_goes_in_and_comes_out_word_for_word(memory: Memory) -> None:
    message = say(memory, "来月からプロプランにします。")
    claim = memory.observe(
        "ann", "plan", "プロプラン", confidence="confirmed", message=message.id, quote="プロプランにします"
    )
    assert claim.quotes[0].text == "プロプランにします"
    memory.set("ann", "plan", "free")
    made = memory.context("ann", conversation="c1").text
    assert "来月から~~プロプランにします~~" in made
    for reason in Reason:
        assert reason.text("ja") != reason.text("en")
        assert not reason.text("ja").isascii()


@pytest.mark.scenario("M10")
@pytest.mark.parametrize("bad", ["大阪\x00へ移転", "大阪\ud83dへ移転"], ids=["nul", "lone surrogate"])
def test_one_rule_for_what_a_database_cannot_hold(memory: Memory, bad: str) -> None:
    message, note = say(memory, "hello"), memory.add_note("ann", "hello")
    before = memory.owner("ann")
    inputs: tuple[Callable[[], object], ...] = (
        lambda: say(memory, bad),
        lambda: say(memory, "x", to=bad),
        lambda: say(memory, "x", owner=bad),
        lambda: memory.append("ann", "c1", "user", "x", id=bad),
        lambda: memory.append("ann", "c1", "user", "x", metadata={"k": bad}),
        lambda: memory.append("ann", "c1", "user", "x", metadata={bad: 1}),
        lambda: memory.append("ann", "c1", "user", "x", idempotency_key=bad),
        lambda: memory.edit("ann", message.id, bad, expect=1),
        lambda: memory.update_conversation("ann", "c1", metadata={"k": [bad]}),
        lambda: memory.add_note("ann", bad),
        lambda: memory.add_note("ann", "x", metadata={"k": {"l": bad}}),
        lambda: memory.add_note("ann", "x", scope=bad),
        lambda: memory.edit_note("ann", note.id, expect=1, text=bad),
        lambda: memory.supersede_note("ann", note.id, bad),
        lambda: memory.set("ann", "city", bad),
        lambda: memory.set("ann", "plan", bad),
        lambda: memory.set("ann", bad, "pro"),
        lambda: memory.observe("ann", "city", bad, confidence="inferred", source="system"),
        lambda: memory.observe("ann", "city", "x", confidence="inferred", source="system", extractor=bad),
        lambda: confirm(memory, "city", bad, message),
        lambda: memory.search("ann", bad),
        lambda: memory.context("ann", query=bad),
        lambda: memory.forget_message("ann", message.id, reason=bad),
        lambda: memory.forget_message("ann", bad),
        lambda: memory.set("ann", "plan", "pro", actor=bad),
        lambda: memory.field("ann", bad),
        lambda: memory.history("ann", bad),
        lambda: memory.messages("ann", "c1", cursor=bad),
    )
    for number, put in enumerate(inputs):
        with pytest.raises(errors.InvalidArgument):
            put()
        assert memory.owner("ann") == before, number


@pytest.mark.scenario("M11")
def test_one_bad_line_does_not_keep_the_others_out(memory: Memory) -> None:
    lines = [{"role": "user", "content": f"line {number}"} for number in range(100)]
    lines[41]["content"] = "line \x00"
    report = memory.import_transcript("ann", lines, conversation="c1")
    assert (report.added, [bad.line for bad in report.bad]) == (99, [42])
    assert report.bad[0].code == "invalid_text"
    assert memory.conversation("ann", "c1").messages == 99


@pytest.mark.parametrize(
    "awkward",
    [
        "👩‍👩‍👧‍👦 family",
        "e\u0301 and é",
        "\u202eright to left",
        "tab\tand\r\nlines",
        "\ufeffmark",
        "𠮷野家",
        "a" * 1_000_000,
    ],
    ids=["emoji", "combining", "bidi", "control", "bom", "astral", "a million"],
)
def test_text_is_kept_as_it_was_given(backend: Backend, clock: FakeClock, awkward: str) -> None:
    with open_memory(backend.url, clock, schema=SCHEMA) as memory:
        message = memory.append("ann", "c1", "user", awkward, metadata={"k": awkward[:1_000]})
        note = memory.add_note("ann", awkward[:100_000])
        assert memory.message("ann", message.id).content == awkward
        assert memory.message("ann", message.id).metadata == {"k": awkward[:1_000]}
        assert memory.note("ann", note.id).text == awkward[:100_000]
        made = memory.context("ann", conversation="c1", budget=200)
        assert made.tokens <= 200
        made.text.encode()
