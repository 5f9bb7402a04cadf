"""What becomes a term, and what a query looks for."""

from __future__ import annotations

import sys
import threading
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.text import (
    MAX_QUERY_TERMS,
    MAX_SOUGHT,
    MAX_TERM,
    located,
    normalise,
    query_terms,
    spoken,
    terms,
    traced,
    verbatim,
)

_LETTERS = [
    "ガ",
    "ｶﾞ",
    "か\u3099",
    "サ-バ",
    "〜",
    "～",
    "ー",
    "Ａ",
    "１",
    "é",
    "e\u0301",
    "İ",
    "ß",
    "ﷺ",
    "각",
    "猫",
]
_SIGNS = [
    "\u200b",
    "\u200d",
    "👍🏽",
    "👨\u200d👩\u200d👧",
    "🇯🇵",
    "\u1100\u1161\u11a8",
    " ",
    "。",
    "\ud800",
    "\0",
]
_COMPOUNDS = ["don't", "POL-358", "v2.0.1", "1,200", "c++", "iPhone15", "ﷺ", "。"]
_AWKWARD = st.sampled_from(_LETTERS + _SIGNS + _COMPOUNDS)
_TEXT = st.lists(st.one_of(_AWKWARD, st.text(max_size=8)), max_size=8).map("".join)


def finds(query: str, text: str) -> bool:
    return any(term in terms(text) for term in query_terms(query))


@pytest.mark.scenario("M1", "M2", "M5")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("サンドボックス", "サンドボックス修正テスト"),
        ("猫", "うちの猫はミケです"),
        ("東京", "来週は東京へ出張"),
        ("設備", "設備投資の計画"),
        ("売上", "今月の売上"),
        ("ねこ", "ねこが好き"),
        ("Python", "私はPythonを使う"),
        ("python", "私はＰｙｔｈｏｎを使う"),
        ("서울", "나는 서울에 산다"),
        ("北京", "我住在北京"),
        ("กรุงเทพ", "ฉันอยู่กรุงเทพ"),
        ("人々", "人々の声"),
        ("𠮷野家", "昼は𠮷野家"),
    ],
)
def test_runs_and_words_are_found_inside_unspaced_text(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("POL-358", "pol-358", {"pol", "358"}),
        ("v2.0.1", "v2.0.1", {"v2", "0", "1"}),
        ("1,200", "1,200", {"1", "200"}),
        ("12:30", "12:30", {"12", "30"}),
        ("don't", "don't", {"don", "t"}),
        ("e-mail", "e-mail", {"e", "mail", "email"}),
        ("AT&T", "at&t", {"at", "t"}),
        ("user_id", "user_id", {"user", "id"}),
        ("bob@example.com", "bob@example.com", {"bob", "com"}),
        ("iPhone15", "iphone15", {"iphon", "15"}),
        ("C++", "c++", {"c"}),
        ("C#", "c#", {"c"}),
    ],
)
def test_a_compound_is_found_whole_and_by_its_parts(text: str, whole: str, parts: set[str]) -> None:
    held = terms(f"it says {text}, here")
    assert held[whole] == 1
    assert parts <= held.keys()
    assert whole in query_terms(text)


@pytest.mark.scenario("M13")
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("ガ", "ｶﾞ"),
        ("ガ", "カ\u3099"),
        ("ポ", "ホ\u309a"),
        ("ABC", "ＡＢＣ"),
        ("10", "１０"),
        ("東京〜大阪", "東京～大阪"),
        ("サーバ", "サ-バ"),
        ("サーバ", "サ−バ"),
        ("ラーメン", "ラ〜メン"),
        ("POL-358", "POLー358"),
        ("POL-358", "POL–358"),
        ("don't", "don’t"),
        ("STRASSE", "straße"),
        ("葛", "葛\U000e0100"),
        ("各", "各\u200b"),
        ("❤", "❤\ufe0f"),
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
    ],
)
def test_looks_of_one_sign_are_one(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)
    assert terms(left) == terms(right)


def test_english_words_meet_by_their_stem_and_numbers_by_themselves() -> None:
    assert terms("Running dogs") == terms("runs dog")
    assert "1200" not in terms("1,200")
    assert "12" not in terms("120")
    assert set(terms("2023 2023s")) >= {"2023"}
    assert terms("Caroline's").keys() >= terms("Caroline").keys()


def test_irregular_forms_meet_their_base() -> None:
    assert finds("What did she buy?", "I bought a lamp")
    assert finds("children", "my child")
    assert not finds("leave", "on the left")


def test_an_accent_is_found_with_and_without_it() -> None:
    assert finds("cafe", "Café Müller")
    assert finds("café", "Café Müller")
    assert terms("é") != terms("e")


@pytest.mark.parametrize(
    "text", ["", " \n\t", "。、！？…", "--- *** ///", "「」", "\0\x01", "\u200b\u200d", "~ 〜"]
)
def test_punctuation_spaces_and_control_characters_are_no_terms(text: str) -> None:
    assert terms(text) == {}
    assert query_terms(text) == {}


def test_pictures_are_terms_whole_and_by_parts() -> None:
    assert set(terms("いい👍🏽ね")) >= {"👍🏽", "👍"}
    assert set(terms("👨‍👩‍👧")) == {"👨‍👩‍👧", "👨", "👩", "👧"}
    assert set(terms("🇯🇵🇫🇷")) == {"🇯🇵", "🇫🇷"}
    assert finds("👍", "thanks👍🏿")
    assert not finds("🇯🇵", "🇫🇷")


def test_very_long_tokens_are_bounded_and_stay_apart() -> None:
    long = "a" * 5_000
    held = terms(f"{long}b {long}c " + "x." * 4_000)
    assert max(map(len, held)) <= MAX_TERM
    assert finds(f"{long}b", f"see {long}b")
    assert not finds(f"{long}b", f"see {long}c")


def test_function_words_are_sought_only_when_nothing_else_is() -> None:
    assert set(query_terms("What is the name of my dog?")) == {"name", "dog"}
    assert set(query_terms("who are you")) == {"who", "are", "you"}
    assert set(query_terms("don't")) <= set(terms("don't"))
    assert query_terms("don't")


def test_a_run_is_sought_by_its_pairs_and_its_han_characters() -> None:
    assert set(query_terms("東京へ")) == {"東京", "京へ", "東", "京"}
    assert set(query_terms("です")) == {"です"}
    assert query_terms("す") == {"す": 1.0}


def test_a_very_long_query_is_bounded() -> None:
    assert len(query_terms(" ".join(f"word{n}" for n in range(3_000)))) <= MAX_QUERY_TERMS


def test_no_character_stands_for_more_than_six() -> None:
    every = map(chr, (*range(0x80, 0xD800), *range(0xE000, sys.maxunicode + 1)))
    assert max(len(normalise(char)) for char in every) == 6
    assert normalise("ﷺ") == "ﷺ"
    assert terms("محمد ﷺ") == {"محمد": 1, "ﷺ": 1}


def test_what_a_query_stands_for_is_bounded_once_it_is_normalised() -> None:
    query = "㌖" * 9_000 + " tail"
    assert sum(map(len, spoken(query))) == MAX_SOUGHT
    assert "tail" not in query_terms(query)
    assert "tail" in query_terms("あ" * 9_000 + " tail")
    pattern = verbatim(query)
    assert pattern and len(pattern.pattern) <= 2 * MAX_SOUGHT


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("cat", "concatenate", False),
        ("cat", "a cat.", True),
        ("修正テ", "サンドボックス修正テスト", True),
        ("「POL-358」?", "see pol-358", True),
        ("new  york", "in New\nYork", True),
        ("C++", "I write c++ daily", True),
        ("Python", "私はPythonを使う", True),
    ],
)
def test_a_query_stands_verbatim_only_at_word_ends(query: str, text: str, found: bool) -> None:
    pattern = verbatim(query)
    assert pattern is not None
    assert bool(pattern.search(normalise(text))) is found


def test_a_query_of_punctuation_stands_nowhere() -> None:
    assert verbatim(" …?! ") is None


@given(_TEXT)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(_TEXT)
def test_tracing_gives_the_same_text_and_places_inside_it(text: str) -> None:
    folded, origin = traced(text)
    assert folded == normalise(text)
    assert len(origin) == len(folded)
    assert all(0 <= start < end <= len(text) for start, end in origin)
    assert origin == sorted(origin)


@given(_TEXT)
def test_occurrences_are_the_terms_where_they_stand(text: str) -> None:
    placed = list(located(*traced(text)))
    assert {item.term for item in placed} == terms(text).keys()
    assert all(0 <= item.start < item.end <= len(text) for item in placed)


@given(_TEXT)
def test_a_query_looks_for_nothing_that_its_own_text_lacks(text: str) -> None:
    sought = query_terms(text)
    assert sought.keys() <= terms(text).keys()
    assert bool(sought) == bool(terms(text))
    assert all(weight > 0 for weight in sought.values())


@given(_TEXT)
def test_terms_are_storable_everywhere(text: str) -> None:
    for term in terms(text):
        term.encode("utf-8")
        assert 0 < len(term) <= MAX_TERM
        assert "\0" not in term
        assert not any(character.isspace() for character in term)


@given(_TEXT)
def test_composed_and_decomposed_text_have_equal_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert terms(composed) == terms(decomposed)


def test_threads_agree() -> None:
    words = [
        f"{stem}ing{suffix}" for stem in ("walk", "organiz", "relat") for suffix in ("", "s", "ly")
    ] * 300
    alone = [terms(word + str(n)[:0]) for n, word in enumerate(words)]
    seen: list[bool] = []

    def work() -> None:
        seen.append([terms(word) for word in words] == alone)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 4
