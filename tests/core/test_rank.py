"""The maths around an index: weights, neighbours, the one order, and what must be found."""

from __future__ import annotations

import random
import re
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seihon.core.rank import (
    MAX_SOUGHT,
    REACH,
    REPEATED,
    SHARES,
    Own,
    Place,
    Ranked,
    Sought,
    combine,
    idf,
    norm,
    order,
    pool,
    posting_score,
    prefer_exact,
    seek,
)
from seihon.core.text import query_terms, terms
from seihon.testing.reference import ReferenceIndex

RECORDS = 1_000
_NOUNS = "東京 大阪 猫 柴犬 設備投資 売上 会議 サンドボックス修正 データベース 契約更新 人々 請求書"
_VERBS = "を確認した に行きたい が好きです を食べました について話した はまだ終わっていない を買いました"
_PLACES = "今日は 来週の月曜に 駅前で 友達と ゆっくり あの日から 先月より 家族みんなで"
_LATIN = "Python PostgreSQL Docker meeting Caroline invoice running GitHub don't Kubernetes report"
_SIGNS = "POL-358 v2.0.1 1,200 10 2024-05-01 👍🏽 ３０％ A4"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々]{2,}")


def sentence(rng: random.Random) -> str:
    """One record as people write them: Japanese, English, or both, with numbers."""
    words = [rng.choice(bag.split()) for bag in (_PLACES, _NOUNS, _VERBS)]
    if rng.random() < 0.6:
        words.insert(rng.randrange(3), rng.choice(_LATIN.split()))
    if rng.random() < 0.4:
        words.insert(rng.randrange(3), rng.choice(_SIGNS.split()))
    if rng.random() < 0.3:
        words.extend(rng.choice(bag.split()) for bag in (_LATIN, _NOUNS, _VERBS))
    return rng.choice(["", " "]).join(words) + rng.choice(["", "。", "!"])


def filled(texts: list[str]) -> ReferenceIndex:
    index = ReferenceIndex()
    for at, text in enumerate(texts):
        index.add(Place(f"m{at:04}", f"c{at // 50}", at % 50, at), text)
    return index


@pytest.fixture(scope="module")
def records() -> list[str]:
    rng = random.Random(20240501)
    return [sentence(rng) for _ in range(RECORDS)]


@pytest.fixture(scope="module")
def index(records: list[str]) -> ReferenceIndex:
    return filled(records)


def asked(records: list[str], rng: random.Random, kind: re.Pattern[str]) -> str:
    """Return a random run of what ``kind`` finds in a random record; Latin words whole."""
    while True:
        found = kind.findall(rng.choice(records))
        if found:
            run = rng.choice(found)
            length = rng.randint(2, len(run)) if kind is _CJK else len(run)
            start = rng.randint(0, len(run) - length)
            return run[start : start + length]


@pytest.mark.scenario("M1", "M2", "M4")
@pytest.mark.parametrize("kind", [_CJK, re.compile(r"(?<![A-Za-z'])[A-Za-z]+(?![A-Za-z'])")])
def test_every_record_that_holds_a_run_is_found_and_one_stands_first(
    records: list[str], index: ReferenceIndex, kind: re.Pattern[str]
) -> None:
    rng = random.Random(7)
    reciprocal: list[float] = []
    for query in {asked(records, rng, kind) for _ in range(60)}:
        whole = re.escape(query) if kind is _CJK else rf"(?<![A-Za-z]){query}(?![A-Za-z])"
        holding = {f"m{at:04}" for at, text in enumerate(records) if re.search(whole, text)}
        hits = [item.place.key for item in index.search(query, RECORDS)]
        assert holding <= set(hits), query
        reciprocal.append(1 / (1 + min(hits.index(key) for key in holding)))
    assert sum(reciprocal) / len(reciprocal) >= 0.9


def test_idf_falls_with_the_entries_that_hold_a_term_and_stays_above_zero() -> None:
    weights = [idf(df, 1_000) for df in range(1_001)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0


def test_a_posting_scores_more_by_frequency_and_less_by_length() -> None:
    base, slope = norm(20.0)
    assert isclose(posting_score(1.0, 1, 20, 20.0), 1.9 / (1 + base + slope * 20))
    assert posting_score(1.0, 2, 20, 20.0) > posting_score(1.0, 1, 20, 20.0) > posting_score(1.0, 1, 40, 20.0)
    assert posting_score(1.0, 1, 5, 0.0) > 0


def test_what_is_sought_leaves_out_absent_terms_and_the_least_telling() -> None:
    df = {f"w{at}": at for at in range(100)}
    sought = seek(dict.fromkeys([*df, "absent"], 1.0), df, 200)
    assert [item.term for item in sought] == [f"w{at}" for at in range(1, MAX_SOUGHT + 1)]
    assert sum(item.bit for item in sought) == (1 << MAX_SOUGHT) - 1 < 1 << 63


A, C = Sought("a", 2.0, 1), Sought("c", 1.0, 2)


def row(*seqs: int, conversation: str = "c") -> list[Place]:
    return [Place(f"{conversation}{seq}", conversation, seq, seq) for seq in seqs]


def scores(ranked: list[Ranked]) -> dict[str, float]:
    return {item.place.key: round(item.score, 9) for item in ranked}


def test_neighbours_receive_a_share_that_falls_with_distance() -> None:
    found = scores(combine({"c5": Own(2.0, 1)}, row(1, 2, 3, 4, 5, 6, 7, 8, 9), (A, C)))
    lent = {
        f"c{5 + side * (at + 1)}": round(2.0 * share, 9)
        for at, share in enumerate(SHARES)
        for side in (-1, 1)
    }
    assert found == {"c5": 2.0, **lent}


def test_a_neighbour_gives_little_for_what_is_there_already() -> None:
    found = scores(combine({"c1": Own(2.0, 1), "c2": Own(3.0, 3)}, row(1, 2), (A, C)))
    assert found["c1"] == round(2.0 + SHARES[0] * (1.0 + REPEATED * 2.0), 9)
    assert found["c2"] == round(3.0 + SHARES[0] * REPEATED * 2.0, 9)


def test_a_gap_left_by_a_deletion_is_bridged_but_not_a_long_one() -> None:
    assert scores(combine({"c1": Own(2.0, 1)}, row(1, 1 + REACH), (A,)))[f"c{1 + REACH}"] == round(
        2.0 * SHARES[0], 9
    )
    assert f"c{2 + REACH}" not in scores(combine({"c1": Own(2.0, 1)}, row(1, 2 + REACH), (A,)))


def test_another_conversation_is_no_neighbour() -> None:
    found = combine({"c1": Own(2.0, 1)}, [*row(1), *row(2, conversation="d")], (A,))
    assert scores(found) == {"c1": 2.0}


def test_a_hit_without_a_live_place_is_left_out() -> None:
    assert combine({"gone": Own(9.0, 1)}, row(1, 2), (A,)) == []


def test_equal_scores_are_ordered_by_the_newest_then_the_key() -> None:
    places = [Place("b", "x", 1, 5), Place("a", "y", 1, 5), Place("old", "z", 1, 4)]
    own = {"b": Own(1.0, 1), "a": Own(1.0 + 1e-12, 1), "old": Own(1.0, 1)}
    assert [item.place.key for item in combine(own, places, (A,))] == ["a", "b", "old"]


def test_an_entry_that_holds_the_query_as_it_stands_is_raised() -> None:
    ranked = [Ranked(place, 1.0 - place.seq / 10, 1.0) for place in row(1, 2)]
    texts = {"c1": "修正のテスト", "c2": "サンドボックス修正テスト"}
    raised = prefer_exact(ranked, texts, "修正テスト")
    assert [item.place.key for item in raised] == ["c2", "c1"]
    assert [item.score for item in raised] == [pytest.approx(1.2), pytest.approx(0.9)]
    assert prefer_exact(ranked, {}, "修正テスト") == ranked
    assert prefer_exact(ranked, texts, "?!") == ranked


_WORDS = st.lists(
    st.sampled_from(["cat", "dogs", "東京", "猫が好き", "10", "POL-358", "the", "running"]),
    min_size=1,
    max_size=6,
)
_TEXTS = st.lists(_WORDS.map(" ".join), min_size=1, max_size=12)


@given(_TEXTS, _WORDS.map(" ".join), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_of_entries(
    texts: list[str], query: str, rng: random.Random
) -> None:
    places = [Place(f"k{at}", f"c{at % 2}", at // 2, at) for at in range(len(texts))]
    straight, shuffled = ReferenceIndex(), ReferenceIndex()
    pairs = list(zip(places, texts, strict=True))
    for place, text in pairs:
        straight.add(place, text)
    rng.shuffle(pairs)
    for place, text in pairs:
        shuffled.add(place, text)
    first, second = straight.search(query, 20), shuffled.search(query, 20)
    assert [item.place.key for item in first] == [item.place.key for item in second]
    assert [order(item) for item in first] == sorted(order(item) for item in first)


@given(_TEXTS, _WORDS.map(" ".join))
def test_hits_hold_a_term_or_stand_beside_one_that_does(texts: list[str], query: str) -> None:
    hits = filled(texts).search(query, 100)
    sought = query_terms(query)
    holding = {f"m{at:04}" for at, text in enumerate(texts) if sought.keys() & terms(text).keys()}
    assert {item.place.key for item in hits if item.own > 0} == holding
    seqs = {int(key[1:]) for key in holding}
    assert all(min(abs(item.place.seq - seq) for seq in seqs) <= REACH for item in hits)


def test_removing_an_entry_leaves_nothing_behind() -> None:
    texts = ["the cat sat", "a dog barked", "東京の猫"]
    index, never = filled(texts), filled([])
    for at in (0, 2):
        never.add(Place(f"m{at:04}", "c0", at, at), texts[at])
    index.remove("m0001")
    index.remove("m0001")
    assert index.search("dog barked", 5) == []
    assert index.search("cat 猫", 5) == never.search("cat 猫", 5)


def test_nothing_is_found_in_nothing() -> None:
    assert ReferenceIndex().search("cat", 5) == []
    assert filled(["cat"]).search("", 5) == []
    assert pool(10) == 100
    assert pool(1_000) == 4_000
