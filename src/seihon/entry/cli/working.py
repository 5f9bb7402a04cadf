"""``worker``, ``health`` and ``failures``: the copies follow, how far they are, and what was given up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from seihon.entry.cli import arguments as take
from seihon.entry.cli.output import Screen
from seihon.entry.cli.session import Session, command
from seihon.errors import InvalidArgument

if TYPE_CHECKING:
    from seihon.derived.copies import FailedKey, Health
    from seihon.memory import Memory

OwnerOrAll = Annotated[
    str | None, typer.Argument(metavar="[OWNER]", help="One person; all of the tenant if left out.")
]
Store = Annotated[str | None, typer.Option(metavar="STORE", help="One derived store; each if left out.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "worker")(worker)
    command(app, "health")(health)
    command(app, "failures")(failures)


def worker(
    session: Session,
    once: Annotated[bool, typer.Option("--once", help="Stop when nothing is due.")] = False,
    metrics: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Answer Prometheus at /metrics; on this machine alone."),
    ] = None,
) -> None:
    """Bring the copies up to date and carry deletions on.

    It works until SIGTERM or Ctrl-C, with --once until nothing is due.
    """
    from seihon.model import Derive

    if once and metrics is not None:
        raise InvalidArgument("--metrics is for a worker that stays; with --once use `seihon health`.")
    with session.memory(writes=True, derive=Derive.EXTERNAL) as memory:
        if once:
            settled = memory.work()
            session.answer(
                {"settled": settled}, lambda screen: screen.line(f"{settled} keys were brought up to date.")
            )
            return
        with _until_told(memory) as stop, _metrics(session, memory, metrics):
            session.tell("Working; Ctrl-C or SIGTERM ends it after the batch in hand.")
            memory.work(stop)
    session.answer({"stopped": True}, lambda _screen: session.tell("Stopped."))


@contextmanager
def _until_told(memory: Memory) -> Generator[threading.Event]:
    """Yield an event that SIGTERM and SIGINT set; a second signal ends at once."""
    stop = threading.Event()

    def tell(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        memory.wake()
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, signal.SIG_DFL)

    before = {one: signal.signal(one, tell) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


@contextmanager
def _metrics(session: Session, memory: Memory, given: str | None) -> Generator[None]:
    if given is None:
        yield
        return
    from seihon.entry import prometheus

    host, port = prometheus.address(given)
    served = prometheus.Served((host, port), memory.health)
    session.tell(f"Metrics: http://{host}:{served.port}/metrics")
    try:
        yield
    finally:
        served.close()


def health(
    session: Session,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="As Prometheus reads it, on standard output.")
    ] = False,
) -> None:
    """Show how far each copy is behind.

    The exit code is 1 if something fails or was given up.
    """
    if prometheus and session.asked.json:
        raise InvalidArgument("Give --json or --prometheus, not both.")
    with session.memory() as memory:
        found = memory.health()
    if prometheus:
        from seihon.entry.prometheus import render

        # As it is: nothing may wrap, colour or cut a line.
        typer.echo(render(found), nl=False)
    else:
        session.answer(found, lambda screen: _show_health(screen, found))
    if not found.ok:
        raise typer.Exit(1)


def _show_health(screen: Screen, found: Health) -> None:
    rows = [
        (one.store, one.waiting, one.failing, one.dead, f"{one.oldest_seconds:.1f} s") for one in found.stores
    ]
    screen.table(["store", "waiting", "failing", "given up", "oldest"], rows)
    screen.line(f"Deletions that are not verified yet: {found.open_receipts}")
    if any(one.failing or one.dead for one in found.stores):
        screen.line("`seihon failures` names what fails; with --retry it is tried again.")


def failures(
    session: Session,
    owner: OwnerOrAll = None,
    store: Store = None,
    retry: Annotated[bool, typer.Option("--retry", help="Try it all again, what was given up too.")] = False,
    limit: take.Limit = 100,
) -> None:
    """List the keys that a copy could not follow.

    By ids and codes; those without a next time were given up. The exit code is 1 if there are any.
    """
    if retry:
        with session.memory() as memory:
            count = memory.retry(owner, store=store)
        session.answer({"retried": count}, lambda screen: screen.line(f"{count} keys are tried again."))
        return
    with session.memory() as memory:
        found = memory.failures(owner, store=store, limit=limit)
    session.answer(list(found), lambda screen: _show_failures(screen, found))
    if found:
        raise typer.Exit(1)


def _show_failures(screen: Screen, found: Sequence[FailedKey]) -> None:
    rows = [
        (
            one.owner,
            one.store,
            one.key,
            one.code,
            one.attempts,
            f"{one.since:%Y-%m-%d %H:%M}",
            f"{one.next:%Y-%m-%d %H:%M}" if one.next else "given up",
        )
        for one in found
    ]
    head = ["owner", "store", "key", "code", "attempts", "since (UTC)", "next (UTC)"]
    screen.table(head, rows, empty="Nothing fails.")
