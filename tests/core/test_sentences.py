"""Sentences are pieces of the message as it stands: English and Japanese, quotes, numbers, lists and code."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.sentences import Form, sentences, unmarked

TEXTS = st.lists(
    st.sampled_from(
        [
            *'。！？．.!?…「」『』（）()"“”`\n\r\t \u3000-・1.5aZ、,😊か゛',
            "```\n",
            "e.g. ",
            "Dr. ",
            "https://a.jp/b?c. ",
            "3. ",
            "- ",
            "会議は",
            "です",
            "I live in Osaka",
        ]
    ),
    max_size=40,
).map("".join)


def split(text: str) -> list[str]:
    return [one.text for one in sentences(text)]


@given(TEXTS | st.text(max_size=200))
def test_every_sentence_stands_in_the_message_and_nothing_is_lost(text: str) -> None:
    at = 0
    for one in sentences(text):
        assert one.text == text[one.start : one.end]
        assert one.text == one.text.strip() != ""
        assert text[at : one.start].strip() == ""
        at = one.end
    assert text[at:].strip() == ""


@pytest.mark.parametrize(
    "parts",
    [
        ["会議は10月15日です。", "場所は本社。", "よろしく！"],
        ["本当に？！", "はい。"],
        ["「行きます。」と彼は言った。", "それだけ。"],
        ["「行きます。」", "田中さんが答えた。"],
        ["彼は「今日は無理。明日ならいい。」と言っていました。", "了解です。"],
        ["円周率は3.14です。", "重さは1．5キロ。"],
        ["いいですね!", "じゃあ行きましょう?", "はい"],
        ["まだ…決めていません。", "また連絡します"],
        ["ありがとう！😊", "次は来週です。"],
        ["（これは仮の案です。）です。", "以上。"],
    ],
)
def test_japanese(parts: list[str]) -> None:
    assert split("".join(parts)) == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["I live in Osaka.", "My plan is Pro."],
        ["i live in osaka.", "my plan is pro."],
        ["Dr. Tanaka met Mr. J. Smith.", "They agreed."],
        ["It costs 1.5 dollars.", "Version v2.0.1 is out.", "Fine!"],
        ["Meet me at 5 p.m. Monday.", "Then we eat."],
        ["We ship to the U.S. and the U.K. only.", "Sorry."],
        ["He works at Acme Inc.", "The office is closed."],
        ["Use nuts, e.g. almonds.", "I said no.", "See No. 5 for that."],
        ["See https://example.com/a.b?c=d!e.", "Then reply."],
        ["Call `foo.bar()! x`.", "now"],
        ['He said "Stop. Now." and left.', "I stayed."],
        ['He said "Stop."', "Then he left."],
        ["Really?", "yes!", "OK"],
        ["Well... maybe later.", "Wait...", "Then it broke."],
        ["I have 3.", "You have 4."],
    ],
)
def test_english(parts: list[str]) -> None:
    assert split(" ".join(parts)) == parts


def test_lines_lists_and_wrapped_lines() -> None:
    text = "Plan for today\n1. Buy milk. No eggs.\n2) Call Ann\n- wrapped item that\n  goes on\n\n"
    text += "the end, and\nmore of it"
    assert split(text) == [
        "Plan for today",
        "1. Buy milk.",
        "No eggs.",
        "2) Call Ann",
        "- wrapped item that",
        "goes on",
        "the end, and\nmore of it",
    ]
    assert sentences(text)[1].form is Form.ITEM
    assert split("・牛乳\n・卵は不可\n① 朝\n長い文が、\n続く「引用\n二行」です") == [
        "・牛乳",
        "・卵は不可",
        "① 朝",
        "長い文が、\n続く「引用\n二行」です",
    ]


def test_fenced_code_is_one_piece_and_an_open_fence_runs_to_the_end() -> None:
    code = "```python\nx = 1. \nif not x: print('a. b')\n```"
    assert [(one.text, one.form) for one in sentences(f"See this. \n{code}\nDone.")] == [
        ("See this.", Form.PROSE),
        (code, Form.CODE),
        ("Done.", Form.PROSE),
    ]
    assert split("Look:\n```\na. b. c") == ["Look:", "```\na. b. c"]
    assert split("Use ```a. b``` here. Yes.") == ["Use ```a. b``` here.", "Yes."]


def test_an_open_quote_does_not_swallow_the_rest() -> None:
    assert split("「未完の引用。次の文。その次。") == ["「未完の引用。", "次の文。", "その次。"]
    assert split('a 5" pipe. Then this. And that.') == ['a 5" pipe.', "Then this.", "And that."]


def test_where_a_list_line_begins() -> None:
    assert "1. Buy milk"[unmarked("1. Buy milk") :] == "Buy milk"
    assert unmarked("1.5 kg") == 0
    assert unmarked("-5 degrees") == 0
    assert unmarked("- ") == 0


@pytest.mark.parametrize(
    "unit", ["「", "(", '"', "`", "a", "。", ".", "http://a", "あ", "\n", "```\n", "- ", " "]
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    begun = perf_counter()
    sentences(unit * (40_000 // len(unit)))
    assert perf_counter() - begun < 2.0
