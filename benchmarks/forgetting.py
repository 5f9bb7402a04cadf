"""Measure the deletion of an owner with 100,000 messages and 10,000 notes, while others go on reading.

    python benchmarks/forgetting.py [--quick] [--json FILE] [--database sqlite] [--folder DIR]

- ``first call``: how long ``forget_owner`` takes until all of it is hidden, against the deletion of one
  message in the same database. At most 50.
- ``verified``: from that call until the receipt is ``verified``, carried by the deleting process alone. At
  most 60 seconds (PostgreSQL: at the level ``standard``).
- ``others' context()``: the median of other owners' contexts meanwhile, in a process of its own, against
  the same calls just before. At most 2.

The deletion runs in a process of its own, as ``seihon forget owner --wait`` does. Nothing here fails a
build: figures depend on a machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from seihon.canonical.database import Options
from seihon.memory import Memory
from support import Place, Store, Talk, machine, opened, stores

BIG: Final = "big"
LIMITS: Final = {"first call": 50.0, "verified": 60.0, "others' context()": 2.0}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is deleted, and who reads meanwhile."""

    messages: int = 100_000
    notes: int = 10_000
    others: int = 20
    each: int = 1_000
    calls: int = 100


QUICK: Final = Size(messages=10_000, notes=1_000, others=5, each=200, calls=30)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: seconds, what they are compared with, and the most that ``value`` may be."""

    what: str
    database: str
    seconds: float
    against: float
    value: float
    limit: float

    @property
    def verdict(self) -> str:
        """Return whether the limit holds."""
        return "ok" if self.value <= self.limit else "over"


def load(url: str, size: Size) -> float:
    """Fill a database, copies included; return the seconds it took."""
    started = time.perf_counter()
    with opened(url, options=Options(synchronous="normal"), derive="external") as memory:
        memory.import_transcript(BIG, list(Talk(0).lines(size.messages)))
        _note(memory, size.notes)
        for number in range(size.others):
            memory.import_transcript(_other(number), list(Talk(number + 1).lines(size.each)))
        memory.work()
    return time.perf_counter() - started


def _note(memory: Memory, count: int) -> None:
    talk = Talk(99)
    for _ in range(count):
        memory.add_note(BIG, talk.sentence())


def _other(number: int) -> str:
    return f"owner{number:03}"


def measured(store: Store, size: Size) -> Iterator[Row]:
    """Load, and delete the big owner while the others read."""
    url = store.fresh("forget")
    took = load(url, size)
    store.settle("forget")
    print(f"{store.dialect}: loaded in {took:.0f} s", file=sys.stderr, flush=True)
    with opened(url) as memory:
        single = statistics.median(_timed(partial_forget(memory)) for _ in range(10))
    with opened(url, derive="external") as memory:
        ask = _asking(memory, size)
        alone = [_timed(ask) for _ in range(size.calls)][size.calls // 10 :]
        child = _start(url)
        meanwhile: list[float] = []
        while child.poll() is None:
            meanwhile.append(_timed(ask))
    found = _said(child)
    call = found["hidden"]
    yield _row("first call", store, call, single, call / single)
    yield _row("verified", store, found["verified"], 0.0, found["verified"])
    usual, busy = statistics.median(alone), statistics.median(meanwhile)
    yield _row("others' context()", store, busy, usual, busy / usual)
    slowest = sorted(meanwhile)[int(0.99 * len(meanwhile))]
    print(f"{len(meanwhile)} contexts meanwhile, 99 % within {1000 * slowest:.0f} ms", file=sys.stderr)


def _row(what: str, store: Store, seconds: float, against: float, value: float) -> Row:
    return Row(what, store.dialect, round(seconds, 4), round(against, 4), round(value, 2), LIMITS[what])


def partial_forget(memory: Memory) -> Callable[[], object]:
    """Return the deletion of one message of another owner, which is said first."""
    message = memory.append(_other(0), "now", "user", "Forget this one.")
    return lambda: memory.forget_message(_other(0), message.id)


def _asking(memory: Memory, size: Size) -> Callable[[], object]:
    talk, owners = Talk(7), itertools.cycle(range(size.others))
    return lambda: memory.context(_other(next(owners)), conversation="c0000", query=talk.question())


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


# --- The deletion, in a process of its own ---


def _start(url: str) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--forget", url]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - this very file


def _said(child: subprocess.Popen[str]) -> dict[str, Any]:
    if child.returncode or child.stdout is None:
        raise RuntimeError("The deleting process failed.")
    return json.loads(child.stdout.read())


def forget(url: str) -> None:
    """Delete the big owner, wait until it is verified, and print both times in seconds."""
    with opened(url) as memory:
        started = time.perf_counter()
        receipt = memory.forget_owner(BIG)
        hidden = time.perf_counter() - started
        memory.wait(BIG, receipt.id, 600.0)
        print(json.dumps({"hidden": hidden, "verified": time.perf_counter() - started}))


# --- The table ---


def line(row: Row) -> str:
    """Return one line of the table."""
    figures = f"{row.seconds:>10.3f}{row.against:>10.3f}{row.value:>8.2f}{row.limit:>7.0f}  {row.verdict}"
    return f"{row.what:28}{row.database:12}{figures}"


HEAD: Final = f"{'':28}{'database':12}{'seconds':>10}{'against':>10}{'value':>8}{'limit':>7}"


def main(arguments: Sequence[str]) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Measure the deletion of a large owner.")
    parser.add_argument("--quick", action="store_true", help="a tenth of it: a look, not a measurement")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file as well")
    parser.add_argument("--database", action="append", choices=["sqlite", "postgresql"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="a folder on a disk")
    parser.add_argument("--forget", metavar="URL", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.forget:
        forget(options.forget)
        return 0
    place = Place("disk", options.folder)
    facts = machine([place])
    print("\n".join(f"{name}: {value}" for name, value in facts.items()), HEAD, sep="\n\n", flush=True)
    rows: list[Row] = []
    for dialect in options.database or ("sqlite", "postgresql"):
        with stores([dialect], [place]) as found:
            for row in measured(found[0], QUICK if options.quick else Size()):
                rows.append(row)
                print(line(row), flush=True)
    if options.json is not None:
        told = {"machine": facts, "rows": [{**asdict(row), "verdict": row.verdict} for row in rows]}
        options.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
