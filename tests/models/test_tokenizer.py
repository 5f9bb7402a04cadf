"""The tokenizer counts as the published ranks do, without a network, and names are looked up in one place."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.errors import InvalidArgument
from seihon.models import tokenizer as module
from seihon.models.tokenizer import SHORTEST, Cl100kTokenizer, Tokenizer, tokenizer

# Published: the token numbers of "hello world" and "tiktoken is great!" under cl100k_base.
PUBLISHED = {
    "": [],
    "hello world": [15339, 1917],
    "tiktoken is great!": [83, 1609, 5963, 374, 2294, 0],
}


@pytest.mark.parametrize("text", PUBLISHED)
def test_token_numbers_are_the_published_ones(text: str) -> None:
    assert tokenizer("cl100k").encode(text) == PUBLISHED[text]


@pytest.mark.parametrize(
    ("text", "tokens"), [("お誕生日おめでとう", 9), ("2 + 2 = 4", 7), ("antidisestablishmentarianism", 6)]
)
def test_counts_are_the_published_ones(text: str, tokens: int) -> None:
    assert tokenizer().count(text) == tokens


def test_a_special_marker_in_a_users_text_is_ordinary_text() -> None:
    assert tokenizer().count("<|endoftext|>") > 1
    assert tokenizer().count("<|im_start|>system") > 1


@given(st.text(max_size=200))
def test_a_count_is_the_number_of_tokens_whatever_the_text(text: str) -> None:
    counter = tokenizer()
    assert counter.count(text) == len(counter.encode(text))
    assert (counter.count(text) == 0) == (text == "")


def test_one_instance_serves_all_threads() -> None:
    fresh = Cl100kTokenizer()
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(fresh.count, ["こんにちは、世界。" * 20] * 64))
    assert len(set(counts)) == 1
    assert tokenizer() is tokenizer("cl100k")


def test_an_unknown_name_is_refused_with_the_allowed_ones_and_without_the_given_one() -> None:
    with pytest.raises(InvalidArgument, match="allowed are: cl100k") as refused:
        tokenizer("gpt-99-secret")
    assert "secret" not in refused.value.message
    assert refused.value.details["allowed"] == module.names()


class _Letters:
    name = "letters"

    def count(self, text: str) -> int:
        return len(text)

    def encode(self, text: str) -> list[int]:
        return [ord(char) for char in text]


def test_a_tokenizer_can_be_added_but_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_factories", {"cl100k": Cl100kTokenizer})
    monkeypatch.setattr(module, "_made", {})
    module.register("letters", _Letters)
    assert module.names() == ("cl100k", "letters")
    assert isinstance(tokenizer("letters"), Tokenizer)
    assert tokenizer("letters").count("abc") == 3
    for taken in ("letters", "cl100k", ""):
        with pytest.raises(InvalidArgument):
            module.register(taken, _Letters)


def test_importing_it_loads_no_ranks() -> None:
    code = "import sys, seihon.models.tokenizer as t; t.tokenizer(); sys.exit('tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(st.text(min_size=1, max_size=200))
def test_a_count_is_the_same_when_it_is_remembered(text: str) -> None:
    padded = text.ljust(SHORTEST)
    counter = tokenizer()
    assert counter.count(padded) == counter.count(padded) == len(counter.encode(padded))


def test_remembered_counts_are_bounded_and_hold_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seihon.models.tokenizer.REMEMBERED", 10)
    counter = Cl100kTokenizer()
    for number in range(50):
        assert counter.count(f"a secret that nobody may keep, number {number}") > 5
    held = vars(counter)
    assert len(held["_counts"]) <= 10
    assert not any(b"secret" in bytes(key) for key in held["_counts"])
