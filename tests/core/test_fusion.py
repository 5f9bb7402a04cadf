"""Words and vectors in one order: neither hides the other, and noise below six decimals changes nothing."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.fusion import (
    DEVIATIONS,
    FAINT,
    SHARES,
    WEIGHT,
    Spread,
    ceiling,
    fuse,
    nearness,
    spread,
)
from seihon.core.rank import MAX_SOUGHT, REACH, Place, Ranked, order
from seihon.core.text import query_terms
from seihon.models.embedder import Kind
from seihon.testing.embedder import FakeEmbedder
from seihon.testing.hybrid import HybridIndex
from seihon.testing.reference import ReferenceIndex

FAKE = FakeEmbedder(dimensions=256)
OVER = Spread(0.8, 0.02)
SIX = 0.8 + DEVIATIONS * 0.02  # a cosine as near as 1


def row(*seqs: int, conversation: str = "c") -> list[Place]:
    return [Place(f"{conversation}{seq}", conversation, seq, seq) for seq in seqs]


def fused(
    places: list[Place], cosines: Mapping[str, float], words: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the scores by key, best first; words may reach 1 at most."""
    lexical = [Ranked(place, words[place.key], 0.0) for place in places if words and place.key in words]
    found = fuse(lexical, places, cosines, over=OVER, most=1.0)
    return {item.place.key: item.score for item in found}


def test_both_parts_add_up_by_their_weights() -> None:
    found = fused(row(1, 20, 40), {"c1": 0.7, "c20": SIX, "c40": SIX}, {"c1": 1.0, "c20": 1.0})
    assert list(found) == ["c20", "c1", "c40"]
    assert found["c20"] - found["c1"] == pytest.approx(WEIGHT, abs=0.01)
    assert found["c20"] - found["c40"] == pytest.approx(1.0 - WEIGHT)


def test_without_vectors_the_order_is_that_of_the_words() -> None:
    index = HybridIndex()
    for at, text in enumerate(["the cat sat", "dogs and a cat", "no animals", "my cat, your cat", "dogs"]):
        index.add(Place(f"m{at}", f"c{at % 2}", at, at), text)
    asked = FAKE.embed(["cat dogs"], Kind.QUERY)[0]
    words = [item.place for item in index.search("cat dogs", 10)]
    assert [item.place for item in index.hybrid("cat dogs", asked, 10)] == words


@pytest.mark.parametrize("others", [0, 1, 5])
def test_what_no_word_finds_is_found_by_its_vector(others: int) -> None:
    index = HybridIndex()
    for at, text in enumerate(["wheat makes me ill", *(f"something else {at}" for at in range(others))]):
        index.add(Place(f"n{at}", f"n{at}", 0, at), text)
        index.put(f"n{at}", FAKE.embed([text], Kind.PASSAGE)[0])
    asked = FAKE.embed(["wheat makes me ill"], Kind.QUERY)[0]
    assert next(item.place.key for item in index.hybrid("アレルギー", asked, 10)) == "n0"
    assert len(index.hybrid("アレルギー", asked, 10)) == 1 + others


def test_an_entry_without_a_vector_is_judged_by_its_words() -> None:
    found = fused(row(1, 20), {"c1": 0.7}, {"c1": 0.4, "c20": 0.5})
    assert list(found) == ["c20", "c1"]


def test_neighbours_lend_of_their_nearness() -> None:
    places = row(1, 2, 3, 4, 5, 6, 7)
    found = fused(places, {"c4": SIX})
    near = found["c4"]
    assert near == pytest.approx(WEIGHT, rel=FAINT * 2)
    lent = {f"c{4 + side * (at + 1)}": near * share for at, share in enumerate(SHARES) for side in (-1, 1)}
    assert found == pytest.approx({"c4": near, **lent})


def test_a_gap_left_by_a_deletion_is_bridged_but_not_a_long_one() -> None:
    assert f"c{1 + REACH}" in fused(row(1, 1 + REACH), {"c1": SIX})
    assert f"c{2 + REACH}" not in fused(row(1, 2 + REACH), {"c1": SIX})


def test_another_conversation_is_no_neighbour() -> None:
    assert list(fused([*row(1), *row(2, conversation="d")], {"c1": SIX})) == ["c1"]


def test_a_cosine_without_a_live_place_is_left_out() -> None:
    assert fused(row(1), {"gone": SIX}) == {}


def test_own_is_what_the_entry_itself_gave() -> None:
    places = row(1, 2)
    lexical = [Ranked(place, 0.5, 0.25) for place in places]
    first, second = fuse(lexical, places, {"c1": SIX}, over=OVER, most=1.0)
    assert first.own == pytest.approx((1 - WEIGHT) * 0.25 + WEIGHT * nearness(SIX, OVER))
    assert second.own == pytest.approx((1 - WEIGHT) * 0.25)
    assert second.score == pytest.approx((1 - WEIGHT) * 0.5 + WEIGHT * SHARES[0] * nearness(SIX, OVER))


def test_equal_scores_are_ordered_by_the_newest_then_the_key() -> None:
    places = [Place("b", "x", 1, 5), Place("a", "y", 1, 5), Place("old", "z", 1, 4)]
    assert list(fused(places, dict.fromkeys(("old", "b", "a"), 0.85))) == ["a", "b", "old"]


@given(
    st.lists(st.integers(-1_000_000, 1_000_000), min_size=1, max_size=30), st.randoms(use_true_random=False)
)
def test_noise_below_the_sixth_decimal_changes_nothing(values: list[int], rng: random.Random) -> None:
    places = [Place(f"k{at}", f"c{at % 3}", at // 3, at) for at in range(len(values))]
    exact = {f"k{at}": value / 1_000_000 for at, value in enumerate(values)}
    noisy = {key: value + rng.uniform(-4e-7, 4e-7) for key, value in exact.items()}
    shuffled = rng.sample(places, len(places))
    over = spread(exact.values())
    assert fuse([], places, exact, over=over, most=0.0) == fuse([], shuffled, noisy, over=over, most=0.0)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_nearness_grows_with_the_cosine(one: float, other: float, mean: float, deviation: float) -> None:
    low, high = sorted((one, other))
    over = Spread(mean, deviation)
    assert 0.0 <= nearness(low, over) <= nearness(high, over)


def test_nearness_does_not_depend_on_where_a_models_cosines_lie() -> None:
    wide, narrow = [-0.2, 0.0, 0.1, 0.5], [0.76, 0.80, 0.82, 0.90]
    pairs = [
        (nearness(a, spread(wide)), nearness(b, spread(narrow))) for a, b in zip(wide, narrow, strict=True)
    ]
    assert all(a == pytest.approx(b, abs=FAINT) for a, b in pairs)


def test_the_spread_is_that_of_the_population() -> None:
    assert spread([0.25, 0.75]) == (0.5, 0.25)
    assert spread([0.9]) == (0.9, 0.0)
    assert spread([]) == (0.0, 0.0)


_WORDS = st.lists(st.sampled_from(["cat", "dogs", "東京", "猫が好き", "10", "the", "running"]), max_size=6)
_TEXTS = st.lists(_WORDS.map(" ".join), min_size=1, max_size=12)


@given(_TEXTS, _WORDS.map(" ".join))
def test_no_text_of_its_own_exceeds_the_ceiling(texts: list[str], query: str) -> None:
    index = ReferenceIndex()
    for at, text in enumerate(texts):
        index.add(Place(f"k{at}", "c", at, at), text * 9)
    wanted = query_terms(query)
    df = {item.term: len(index.scores([item])) for item in index.sought(query)}
    most = ceiling(wanted, df, len(texts))
    assert all(own.score <= most for own in index.scores(index.sought(query)).values())


def test_words_that_no_entry_holds_raise_the_ceiling() -> None:
    assert ceiling({"a": 1.0, "b": 1.0}, {"a": 1}, 10) > ceiling({"a": 1.0}, {"a": 1}, 10)
    assert ceiling({}, {}, 10) == 0.0
    many = {f"w{at}": 1.0 for at in range(MAX_SOUGHT + 50)}
    few = {f"w{at}": 1.0 for at in range(MAX_SOUGHT)}
    assert ceiling(many, {}, 10) == ceiling(few, {}, 10)


@given(_TEXTS, _WORDS.map(" ".join), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_entries(
    texts: list[str], query: str, rng: random.Random
) -> None:
    entries = [(Place(f"k{at}", f"c{at % 2}", at // 2, at), text) for at, text in enumerate(texts)]
    vectors = FAKE.embed(texts, Kind.PASSAGE)
    asked = FAKE.embed([query], Kind.QUERY)[0]
    found: list[list[Ranked]] = []
    for arranged in (entries, rng.sample(entries, len(entries))):
        index = HybridIndex()
        for place, text in arranged:
            index.add(place, text)
            index.put(place.key, vectors[int(place.key[1:])])
        found.append(index.hybrid(query, asked, 20))
    assert [item.place for item in found[0]] == [item.place for item in found[1]]
    assert [order(item) for item in found[0]] == sorted(order(item) for item in found[0])


def test_removing_an_entry_takes_its_vector() -> None:
    index = HybridIndex()
    vectors = FAKE.embed(["the cat sat", "a dog barked"], Kind.PASSAGE)
    for at, text in enumerate(["the cat sat", "a dog barked"]):
        index.add(Place(f"m{at}", "c", at, at), text)
        index.put(f"m{at}", vectors[at])
    index.remove("m0")
    assert [item.place.key for item in index.nearest(vectors[0], 5)] == ["m1"]
    assert [item.place.key for item in index.hybrid("cat", vectors[0], 5)] == ["m1"]
