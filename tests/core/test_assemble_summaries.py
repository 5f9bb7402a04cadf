"""A summary stands for messages that are not shown; where they all are, it is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seihon.core.assemble import Assembly, Kind, Omitted, Piece, Render, assemble
from seihon.models.tokenizer import tokenizer

count = tokenizer().count


def recent(number: int, words: int = 12) -> Piece:
    return Piece(
        Kind.RECENT, f"m_{number}", 1, "recent", f"word{number} " * words, source=f"message m_{number}"
    )


def summary(first: int, last: int, words: int = 20) -> Piece:
    covers = tuple(f"m_{number}" for number in range(first, last + 1))
    name = f"sm_{first}"
    return Piece(
        Kind.SUMMARY, name, 1, "earlier", f"sum{first} " * words, source=f"summary {name}", covers=covers
    )


def build(*pieces: Piece, budget: int, render: Render = Render.TEXT) -> Assembly:
    return assemble(pieces, budget=budget, count=count, fence="7f3a9c", render=render)


def shown(made: Assembly, kind: Kind) -> list[str]:
    return [one.id for one in made.items if one.kind == kind]


def test_a_summary_of_messages_that_are_all_shown_is_left_out() -> None:
    made = build(*map(recent, range(1, 6)), summary(1, 5), budget=2_000)
    assert shown(made, Kind.RECENT) == [f"m_{number}" for number in range(1, 6)]
    assert {(one.id, one.reason) for one in made.omissions} == {("sm_1", Omitted.ALREADY_RECENT)}


def test_a_summary_of_older_messages_is_shown_beside_those() -> None:
    made = build(*map(recent, range(6, 11)), summary(1, 5), summary(4, 8), budget=2_000)
    assert shown(made, Kind.SUMMARY) == ["sm_1", "sm_4"]
    assert not made.omissions


def test_a_summary_whose_messages_come_in_later_makes_room_again() -> None:
    # At first the recent ones have their share; what is left over brings the rest of them.
    pieces = [*(recent(number, 60) for number in range(1, 6)), summary(1, 5, 150)]
    whole = sum(count(one.text) + 20 for one in pieces) - 150
    made = build(*pieces, budget=whole)
    assert len(shown(made, Kind.RECENT)) == 5
    assert shown(made, Kind.SUMMARY) == []


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    cuts=st.lists(
        st.tuples(st.integers(1, 12), st.integers(0, 6), st.integers(1, 80)),
        max_size=4,
        unique_by=lambda c: c[0],
    ),
    budget=st.integers(0, 1_500),
    render=st.sampled_from(Render),
)
def test_whatever_is_given_nothing_is_said_twice_and_the_budget_holds(
    sizes: list[int], cuts: list[tuple[int, int, int]], budget: int, render: Render
) -> None:
    recents = [recent(number, words) for number, words in enumerate(sizes, start=1)]
    summaries = [summary(first, first + more, words) for first, more, words in cuts]
    made = build(*recents, *summaries, budget=budget, render=render)
    assert made.tokens <= budget
    here = set(shown(made, Kind.RECENT))
    for one in summaries:
        assert not (one.id in shown(made, Kind.SUMMARY) and here.issuperset(one.covers))
    assert len(made.items) + len(made.omissions) == len(recents) + len(summaries)
