"""Running schedules: one as planned, or every one that the search finds, each judged by the promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from tests.races.interleaving import promises
from tests.races.interleaving.deeds import READS, Part, perform
from tests.races.interleaving.facts import Facts
from tests.races.interleaving.promises import Play
from tests.races.interleaving.scheduler import Choice, Grain
from tests.races.interleaving.searching import Plan, schedules
from tests.races.interleaving.stage import World, slot_name


def play(
    world: World,
    deeds: Sequence[str],
    plan: Sequence[str],
    grain: Grain,
    *,
    without: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Play:
    """Run one schedule of these deeds on an owner of its own, and check what was promised.

    ``without`` takes something of the product away while the actors run; who checks has all of it.

    Raises:
        AssertionError: a promise was broken; its notes tell the deeds and the choices.
    """
    owner, facts, schedule = world.owner(), Facts(), world.begin(grain)
    made = Play(world, owner, facts, schedule)
    _watch(made, [name for name in dict.fromkeys(deeds) if name in READS])
    acts: dict[str, Callable[[], None]] = {}
    for number, deed in enumerate(deeds):
        part = Part(slot_name(number), number, world.slots[number], owner, facts, world)
        acts[part.name] = partial(perform, deed, part)
    try:
        with without():
            schedule.run(acts, plan)
        _raise_errors(made)
        _in_the_order_of_commits(made)
        promises.kept(made)
    except BaseException as failed:
        failed.add_note(f"deeds: {list(deeds)}, {grain}")
        failed.add_note(f"plan: {[one.chosen for one in schedule.choices]}")
        failed.add_note(f"events: {[f'{one.actor} {one.point}' for one in schedule.events]}")
        failed.add_note(f"refused: {facts.refused}")
        raise
    finally:
        world.schedule = None
    return made


def every(world: World, deeds: Sequence[str], grain: Grain, *, interruptions: int | None) -> Iterator[Plan]:
    """Run every schedule of these deeds within the bound; yield each as it is done."""

    def run(plan: Plan) -> Sequence[Choice]:
        return play(world, deeds, plan, grain).schedule.choices

    yield from schedules(run, interruptions=interruptions)


def breaking(
    world: World,
    deeds: Sequence[str],
    grain: Grain,
    *,
    interruptions: int,
    without: Callable[[], AbstractContextManager[object]],
) -> Iterator[tuple[Plan, AssertionError]]:
    """Yield the schedules that break a promise without something, as they are found, and what they break."""
    failed: list[AssertionError] = []

    def run(plan: Plan) -> Sequence[Choice]:
        try:
            play(world, deeds, plan, grain, without=without)
        except AssertionError as error:
            failed.append(error)
        return world.last.choices

    for plan in schedules(run, interruptions=interruptions):
        if failed:
            yield plan, failed.pop()


def _watch(made: Play, readings: Sequence[str]) -> None:
    if not readings:
        return
    made.look(readings)

    def look(point: str) -> None:
        if point == "write.after_commit":
            made.look(readings)

    made.schedule.watch = look


def _raise_errors(made: Play) -> None:
    for actor in made.schedule.actors.values():
        if actor.error is not None:
            raise actor.error


def _in_the_order_of_commits(made: Play) -> None:
    made.facts.deeds.sort(key=lambda deed: made.schedule.position(deed.actor, "write.after_commit") or 0)
