"""Which schedules there are: depth first, with at most so many interruptions of whoever could go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tests.races.interleaving.scheduler import Choice

Plan = tuple[str, ...]
Run = Callable[[Plan], Sequence[Choice]]


def schedules(run: Run, *, interruptions: int | None) -> Iterator[Plan]:
    """Run every schedule once and yield what it chose, step by step.

    ``interruptions`` bounds how often an actor that could go on is made to wait; ``None``: as often as it
    goes. Each run follows a plan and then interrupts nobody, so each schedule is met exactly once.
    """
    open_plans: list[Plan] = [()]
    while open_plans:
        plan = open_plans.pop()
        choices = run(plan)
        open_plans += reversed(list(_branches(choices, len(plan), interruptions)))
        yield tuple(one.chosen for one in choices)


def _branches(choices: Sequence[Choice], start: int, interruptions: int | None) -> Iterator[Plan]:
    """Yield the plans that leave a run at a later step than its own plan did."""
    spent = sum(one.costs(one.chosen) for one in choices[:start])
    for at, one in enumerate(choices[start:], start):
        for other in one.among:
            cheap = interruptions is None or spent + one.costs(other) <= interruptions
            if other != one.chosen and cheap:
                yield (*(before.chosen for before in choices[:at]), other)
        spent += one.costs(one.chosen)
