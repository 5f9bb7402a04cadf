"""One actor runs at a time, from one named point to the next, in the order that a schedule tells.

An actor is a thread that runs real verbs over connections of its own. It stops wherever the product reaches
a named point of the chosen grain, and goes on only when it is chosen. One that waits for a lock is not
chosen until another one has moved: on PostgreSQL the server tells who waits (``pg_locks``), on SQLite the
lock of the one writer is ours (``Turn``), so that nobody sleeps in a busy loop.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from seihon.canonical import faults

START: Final = "start"
# How long an actor may take to its next point before the server is asked whether it waits (s).
PATIENCE: Final = 0.004
# How long everybody may wait for everybody (s).
STUCK: Final = 30.0


class Grain(Enum):
    """Where actors stop: at every named point, or only where a transaction begins."""

    POINTS = auto()
    EDGES = auto()

    def stops(self, point: str) -> bool:
        """Tell whether an actor stops at a point."""
        return self is Grain.POINTS or point == "tx.begin"


class State(Enum):
    """What an actor does."""

    STOPPED = auto()
    RUNNING = auto()
    WAITING = auto()
    DONE = auto()


class StuckError(AssertionError):
    """Nobody can go on."""


@dataclass(frozen=True, slots=True)
class Event:
    """An actor reached a point."""

    actor: str
    point: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Who was chosen, among whom, and who had run before."""

    chosen: str
    among: tuple[str, ...]
    before: str | None

    def costs(self, actor: str) -> int:
        """Return 1 if choosing ``actor`` here interrupts one that could go on."""
        return int(self.before in self.among and actor != self.before)


@dataclass(slots=True, eq=False)
class Actor:
    """A thread and where it stands."""

    name: str
    act: Callable[[], None]
    state: State = State.RUNNING
    point: str = START
    error: BaseException | None = None
    wants: Turn | None = None
    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def can_go(self) -> bool:
        """Tell whether choosing it gets it further."""
        if self.wants is not None:
            return self.wants.holder is None
        return self.state is State.STOPPED


class Turn:
    """SQLite's lock of the one writer, as every process of a schedule meets it."""

    def __init__(self, schedule: Callable[[], Schedule | None]) -> None:
        self._schedule = schedule
        self._outside = threading.Lock()
        self.holder: object | None = None

    def acquire(self, *, timeout: float) -> bool:
        """Take the lock; an actor that finds it taken stops until it is free."""
        schedule = self._schedule()
        actor = None if schedule is None else schedule.current()
        if schedule is None or actor is None:
            return self._outside.acquire(timeout=timeout)
        while self.holder is not None:
            schedule.waits(actor, self)
        self.holder = actor
        return True

    def release(self) -> None:
        """Let the next one have it."""
        if self.holder is None:
            self._outside.release()
        else:
            self.holder = None


class Schedule:
    """One run of some actors; ``events`` and ``choices`` tell afterwards what happened.

    ``blocked`` tells which of the actors wait for a lock of the server.
    """

    def __init__(self, grain: Grain, blocked: Callable[[], Collection[str]] | None = None) -> None:
        self.grain = grain
        self.events: list[Event] = []
        self.choices: list[Choice] = []
        self.actors: dict[str, Actor] = {}
        self.watch: Callable[[str], None] | None = None
        self._blocked = blocked
        self._moved = threading.Condition()
        self._of_thread: dict[int, Actor] = {}

    def current(self) -> Actor | None:
        """Return the actor whose thread this is."""
        return self._of_thread.get(threading.get_ident())

    def run(self, acts: dict[str, Callable[[], None]], plan: Sequence[str]) -> None:
        """Run every actor to its end: as planned, then without interrupting whoever can go on.

        Raises:
            StuckError: all wait for each other, or the plan names one that cannot go on.
        """
        self.actors = {name: Actor(name, act) for name, act in acts.items()}
        threads = [threading.Thread(target=self._live, args=(one,), daemon=True) for one in self._all()]
        leave = faults.listen(self._reached)
        try:
            for thread in threads:
                thread.start()
            self._settle()
            while any(one.state is not State.DONE for one in self._all()):
                self._step(plan)
        finally:
            leave()
        for thread in threads:
            thread.join(STUCK)

    def waits(self, actor: Actor, turn: Turn) -> None:
        """Stop an actor until it is chosen again; it can be once the turn is free."""
        actor.wants = turn
        self._halt(actor, State.WAITING)
        actor.wants = None

    def position(self, actor: str, point: str, *, last: bool = False) -> int | None:
        """Return when an actor reached a point, the first time or the last, by the order of all events."""
        found = [at for at, one in enumerate(self.events) if one == Event(actor, point)]
        return None if not found else found[-1 if last else 0]

    def _all(self) -> Iterator[Actor]:
        yield from self.actors.values()

    def _live(self, actor: Actor) -> None:
        self._of_thread[threading.get_ident()] = actor
        self._halt(actor, State.STOPPED)
        try:
            actor.act()
        except BaseException as error:  # noqa: BLE001 - whoever runs the schedule judges it
            actor.error = error
        with self._moved:
            actor.state = State.DONE
            self._moved.notify_all()

    def _reached(self, point: str) -> None:
        actor = self.current()
        if actor is None:
            return
        self.events.append(Event(actor.name, point))
        self._look(point)
        actor.point = point
        if self.grain.stops(point):
            self._halt(actor, State.STOPPED)

    def _look(self, point: str) -> None:
        """Let whoever watches look, without being taken for the actor whose thread it is."""
        if self.watch is not None:
            me = self._of_thread.pop(threading.get_ident())
            self.watch(point)
            self._of_thread[threading.get_ident()] = me

    def _halt(self, actor: Actor, state: State) -> None:
        with self._moved:
            actor.state = state
            self._moved.notify_all()
        actor.go.acquire()

    def _step(self, plan: Sequence[str]) -> None:
        among = self._who_can_go()
        before = self.choices[-1].chosen if self.choices else None
        planned = plan[len(self.choices)] if len(self.choices) < len(plan) else None
        if planned is not None and planned not in among:
            raise StuckError(f"step {len(self.choices)}: {planned} cannot go on, only {among}")
        chosen = planned or (before if before in among else among[0])
        self.choices.append(Choice(str(chosen), among, before))
        actor = self.actors[str(chosen)]
        actor.state = State.RUNNING
        actor.go.release()
        self._settle()

    def _who_can_go(self) -> tuple[str, ...]:
        deadline = time.monotonic() + STUCK
        while True:
            among = tuple(one.name for one in self._all() if one.can_go())
            if among:
                return among
            if time.monotonic() > deadline:
                raise StuckError({one.name: (one.state.name, one.point) for one in self._all()})
            time.sleep(PATIENCE)
            self._settle()

    def _settle(self) -> None:
        """Wait until every actor stands: at a point, at its end, or before a lock."""
        told = False
        while not self._stand() or (not told and self._waiting()):
            told = self._ask()

    def _stand(self) -> bool:
        with self._moved:
            return self._moved.wait_for(
                lambda: all(one.state is not State.RUNNING for one in self._all()), PATIENCE
            )

    def _waiting(self) -> bool:
        return any(one.state is State.WAITING and one.wants is None for one in self._all())

    def _ask(self) -> bool:
        """Ask the server who waits: some may have begun to, others were let through.

        Returns whether nobody runs now.
        """
        if self._blocked is None:
            return False
        found = self._blocked()
        with self._moved:
            for one in self._all():
                if one.wants is None and one.state in (State.RUNNING, State.WAITING):
                    one.state = State.WAITING if one.name in found else State.RUNNING
            return all(one.state is not State.RUNNING for one in self._all())
