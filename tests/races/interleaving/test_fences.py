"""Each fence matters: without it, or without a set that cover for one another, a schedule breaks a promise.

| fence, or set | verbs | breaks |
|---|---|---|
| a key that was marked again is not settled + a copy of an older version is not published | work, edit | P2 |
| a copy is made under the owner's lock (PostgreSQL) | work, edit | P2 |
| a read has one snapshot (PostgreSQL) | summaries, edit a source | P1 |
| an edit names the version it expects | edit, edit | P6 |
| a hit is joined to what is live | search, forget a conversation | P2 |
| a write marks what the copies must look at again | edit, work | P2 |
| a withdrawn statement leaves its floor | forget a message, infer late | P1, P3 |
| a context is looked at again before it is handed out | context, forget a message | P2 |
| a search is looked at again before it is answered | search, forget a message | P2 |
| what was drawn from a message goes with it | forget a message, append | P2 |
| a deleted owner refuses writes | forget an owner, set | P2 |

The schedules were found by the search and are kept as lists of choices in ``fences``; one that a new store
has moved is searched for again. With every fence in its
place the same verbs keep all promises in every order: ``test_interleavings``.

Not in the table, since others cover for it in every schedule: the token of a lease (a key that was marked
again is told by its revision, and the version of a copy is compared at last); the version that a tombstone
in the index remembers (an entry is read and written under the owner's lock); the comparison of a summary
with its messages as it is published (an edit marks the range by a key of its own, and a read shows no summary
whose messages are in other versions). SQLite's own lock of the one writer, which stands for the owner's
there, cannot be taken away.
"""

from __future__ import annotations

from functools import partial

import pytest
from tests.conftest import Backend
from tests.races.interleaving.fences import FENCES, Fence
from tests.races.interleaving.plays import breaking, play
from tests.races.interleaving.stage import World, world_of


@pytest.mark.timeout(300)
def test_without_a_fence_some_schedule_breaks_a_promise(backend: Backend) -> None:
    with world_of(backend) as world:
        for fence in FENCES:
            if backend.dialect in fence.where:
                broken(world, fence)


def broken(world: World, fence: Fence) -> None:
    """Play the schedule of a fence without it; where a new store has moved the steps, search for one anew."""
    try:
        play(world, fence.deeds, fence.choices(), fence.grain, without=fence.taken)
    except AssertionError as failed:
        if fence.broken in str(failed):
            return
    found = breaking(world, fence.deeds, fence.grain, interruptions=2, without=fence.taken)
    assert any(fence.broken in str(failed) for _, failed in found), fence.name


@pytest.mark.timeout(300)
def test_fences_of_a_set_cover_for_one_another(backend: Backend) -> None:
    with world_of(backend) as world:
        for fence in (one for one in FENCES if len(one.take) > 1):
            for number in range(len(fence.take)):
                play(world, fence.deeds, fence.choices(), fence.grain, without=partial(fence.taken, number))
