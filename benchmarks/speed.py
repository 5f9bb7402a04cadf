"""Measure speed as ratios taken in one run: the product against the plain driver, and against itself grown.

    python benchmarks/speed.py [--quick] [--json FILE] [--database sqlite] [--only append] [--folder DIR]

- ``context``: on an owner with 10,000 messages, against the statements that it sends, replayed on a copy of
  the database through ``sqlite3`` or ``psycopg`` in the same transactions, every row fetched. At most 3.
  Without the cache; one that the cache has, against the statements of that, stands beside it.
- ``append``: a durable append (SQLite ``synchronous=FULL``; PostgreSQL ``fsync`` and ``synchronous_commit``
  on), replayed in the same way; on disk, and on memory-backed storage, where no disk hides what is added.
  At most 2.5 while a worker elsewhere follows with the copies; with one in this process, and with the copies
  made inline (against the append's and the copies' statements), are reported beside it.
- ``growth``: ``context`` and ``search`` of one owner with 1,000 messages among 200 such owners, against a
  database that holds this owner alone. At most 1.3. The load by ``import_transcript`` is timed too.
- ``statements``: how many a profile, a search and a context send, for few hits and for many.

Times are medians in milliseconds, taken in turns. Nothing here fails a build: figures depend on a machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

from seihon.memory import Memory
from support import (
    Place,
    PlainDriver,
    Recorder,
    Store,
    Talk,
    Timed,
    in_turns,
    machine,
    opened,
    recorded,
    stores,
)

_EXAMPLES: Final = Path(__file__).resolve().parent.parent / "examples"
SCHEMA: Final = (_EXAMPLES / "schemas" / "starter.yaml").read_text(encoding="utf-8")
SETTINGS: Final = {
    "primary_language": "Swift",
    "target_platform": "iOS",
    "billing_plan": "pro",
    "preferred_locale": "ja",
    "build_tool": "Xcode",
    "notify_channel": "email",
    "team_size": 4,
    "crash_tool": "Sentry",
}
OWNER: Final = "ann"
Call = Callable[[Memory], object]
Act = Callable[[Memory, str], object]
MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the point is that it is memory


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    messages: int = 10_000
    rounds: int = 120
    owners: int = 200
    each: int = 1_000


QUICK: Final = Size(messages=2_000, rounds=40, owners=20, each=200)
WARM: Final = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; ``limit`` is the most that ``ratio`` may be, ``None``: reported only."""

    what: str
    database: str
    place: str
    ours_ms: float
    theirs_ms: float
    ratio: float
    limit: float | None

    @property
    def verdict(self) -> str:
        """Return whether the limit holds."""
        return "" if self.limit is None else "ok" if self.ratio <= self.limit else "over"


def _row(what: str, store: Store, timed: Timed, limit: float | None = None) -> Row:
    ours, theirs = timed.medians
    where = store.place.name
    return Row(what, store.dialect, where, round(ours, 3), round(theirs, 3), round(timed.ratio, 2), limit)


# --- Loading ---


def _load(url: str, owners: Sequence[str], each: int) -> float:
    """Fill a database through the import; return the seconds it took."""
    started = time.perf_counter()
    with opened(url, schema=SCHEMA) as memory:
        for number, owner in enumerate(owners):
            memory.import_transcript(owner, list(Talk(number).lines(each)))
        took = time.perf_counter() - started
        _settle_in(memory)
    return took


def _settle_in(memory: Memory) -> None:
    for field, value in SETTINGS.items():
        memory.set(OWNER, field, value)
    for note in ("Prefers short answers.", "Works on two apps at once.", "Lives in Sapporo."):
        memory.add_note(OWNER, note)


def _filled(store: Store, name: str, owners: Sequence[str], each: int) -> float:
    took = _load(store.fresh(name), owners, each)
    store.settle(name)
    return took


# --- Contexts and searches against the plain driver ---


def contexts(store: Store, size: Size) -> Iterator[Row]:
    """Measure reads of an owner with many messages against their own statements."""
    _filled(store, "read", [OWNER], size.messages)
    for budget in (2_000, 500, 8_000):
        limit = 3.0 if budget == 2_000 else None
        calls = _asking(partial(_context, budget=budget), size.rounds)
        yield _row(f"context, budget {budget:,}", store, _against_plain(store, "read", calls), limit)
    rare = Talk(78)
    calls = [partial(_with, _asked, rare.rare()) for _ in range(size.rounds + WARM)]
    yield _row("context, rare words", store, _against_plain(store, "read", calls), 3.0)
    others: dict[str, Act] = {"context, no query": _talked, "search, 10 hits": _searched, "profile": _read}
    for name, act in others.items():
        yield _row(name, store, _against_plain(store, "read", _asking(act, size.rounds)))
    # The same question again and again: after the first, what is left is to look, and to record the run.
    again = [partial(_with, _asked, rare.rare())] * (size.rounds + WARM)
    yield _row("context, cached", store, _against_plain(store, "read", again, cache="memory"))


def _talked(memory: Memory, _words: str) -> object:
    return _context(memory, None, 2_000)


def _asked(memory: Memory, words: str) -> object:
    return _context(memory, words, 2_000)


def _searched(memory: Memory, words: str) -> object:
    return memory.search(OWNER, words)


def _read(memory: Memory, _words: str) -> object:
    return memory.profile(OWNER)


def _context(memory: Memory, words: str | None, budget: int) -> object:
    return memory.context(OWNER, conversation="c0003", query=words, budget=budget)


def _asking(act: Act, rounds: int) -> list[Call]:
    talk = Talk(77)
    questions = [talk.question() for _ in range(rounds + WARM)]
    return [partial(_with, act, words) for words in questions]


def _with(act: Act, words: str, memory: Memory) -> object:
    return act(memory, words)


_copies: Final = iter(range(1_000_000))


def _against_plain(
    store: Store,
    base: str,
    calls: Sequence[Call],
    *,
    derive: str = "external",
    rehearsed: str = "external",
    cache: str = "off",
) -> Timed:
    """Time calls on one copy of a database, and what they send, recorded on a second, on a third."""
    urls = [store.copy(base, f"{base}_{next(_copies)}") for _ in range(3)]
    with opened(urls[0], schema=SCHEMA, derive=rehearsed, cache=cache) as rehearsal:
        rehearsal.copies.drain(rehearsal.key(OWNER))
        steps = [recorded(rehearsal, partial(call, rehearsal)) for call in calls]
    plain = PlainDriver(urls[2])
    try:
        with opened(urls[1], schema=SCHEMA, derive=derive, cache=cache) as memory:
            return in_turns(
                len(calls), lambda n: calls[n](memory), lambda n: plain.replay(steps[n]), warm=WARM
            )
    finally:
        plain.close()


# --- Appends against the plain driver ---


def appends(store: Store, size: Size) -> Iterator[Row]:
    """Measure durable appends to a conversation of an owner with 1,000 messages."""
    _filled(store, "write", [OWNER], size.each)
    talk = Talk(5)
    calls: list[Call] = [partial(_said, talk.sentence()) for _ in range(2 * size.rounds + WARM)]
    # A worker in the background sends on a connection of its own: only what the append sends is replayed.
    for derive, rehearsed, name, limit in (
        ("external", "external", "append, copies elsewhere", 2.5),
        ("background", "external", "append, copies by a thread", None),
        ("inline", "inline", "append, copies inline", None),
    ):
        timed = _against_plain(store, "write", calls, derive=derive, rehearsed=rehearsed)
        yield _row(name, store, timed, limit)


def _said(text: str, memory: Memory) -> object:
    return memory.append(OWNER, "now", "user", text)


# --- Growth ---


def growth(store: Store, size: Size) -> Iterator[Row]:
    """Measure one owner alone and among many others, after timing the load."""
    others = [f"owner{number:03}" for number in range(1, size.owners)]
    _filled(store, "alone", [OWNER], size.each)
    took = _filled(store, "crowd", [OWNER, *others], size.each)
    total = size.owners * size.each
    print(f"{store.dialect}: {total:,} messages of {size.owners} owners in {took:.0f} s", file=sys.stderr)
    urls = [store.copy(name, f"{name}_1") for name in ("crowd", "alone")]
    with opened(urls[0], cache="off") as crowd, opened(urls[1], cache="off") as alone:
        acts: dict[str, Act] = {"context, grown": _asked, "search, grown": _searched}
        for name, act in acts.items():
            calls = _asking(act, 3 * size.rounds)
            timed = in_turns(
                len(calls), lambda n, c=calls: c[n](crowd), lambda n, c=calls: c[n](alone), warm=WARM
            )
            yield _row(name, store, timed, 1.3)
    per_message = round(1000 * took / total, 3)
    yield Row("import of one message", store.dialect, store.place.name, per_message, 0, 0, None)


# --- Statements ---


def statements(store: Store, size: Size) -> Iterator[Row]:
    """Count what is sent for few hits and for many."""
    _filled(store, "count", [OWNER], size.each)
    words = Talk(1).vocabulary[0]
    with opened(store.copy("count", "count_1"), schema=SCHEMA, cache="off") as memory:
        memory.context(OWNER, query=words)
        few = [_sent(memory, act) for act in _acts(memory, words, 1, 500)]
        many = [_sent(memory, act) for act in _acts(memory, words, 100, 20_000)]
    for name, least, most in zip(("profile", "search", "context"), few, many, strict=True):
        yield Row(f"{name}, sent", store.dialect, store.place.name, most, least, round(most / least, 2), 1.0)


def _sent(memory: Memory, act: Callable[[], object]) -> int:
    with Recorder(memory) as recorder:
        act()
    return len(recorder.statements)


def _acts(memory: Memory, words: str, k: int, budget: int) -> list[Callable[[], object]]:
    return [
        lambda: memory.profile(OWNER),
        lambda: memory.search(OWNER, words, k=k),
        lambda: memory.context(OWNER, conversation="c0001", query=words, budget=budget),
    ]


# --- The table ---

PARTS: Final[dict[str, tuple[Callable[[Store, Size], Iterator[Row]], tuple[str, ...]]]] = {
    "context": (contexts, ("disk",)),
    "append": (appends, ("disk", "memory")),
    "growth": (growth, ("disk",)),
    "statements": (statements, ("disk",)),
}


def measured(options: argparse.Namespace, places: Sequence[Place]) -> Iterator[Row]:
    """Yield every row, as soon as it is known."""
    size = QUICK if options.quick else Size()
    for name in options.only or PARTS:
        part, wanted = PARTS[name]
        fitting = [place for place in places if place.name in wanted]
        for dialect in options.database or ("sqlite", "postgresql"):
            with stores([dialect], fitting) as opened_stores:
                for store in opened_stores:
                    yield from part(store, size)


def line(row: Row) -> str:
    """Return one line of the table."""
    limit = "" if row.limit is None else f"{row.limit:.1f}"
    figures = f"{row.ours_ms:>10.3f}{row.theirs_ms:>10.3f}{row.ratio:>8.2f}{limit:>7}  {row.verdict}"
    return f"{row.what:28}{row.database:12}{row.place:8}{figures}"


HEAD: Final = f"{'':28}{'database':12}{'files':8}{'ours':>10}{'against':>10}{'ratio':>8}{'limit':>7}"


def main(arguments: Sequence[str]) -> int:
    """Run from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Measure speed as ratios taken in one run.")
    parser.add_argument("--quick", action="store_true", help="less of everything: a look, not a measurement")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file as well")
    parser.add_argument("--database", action="append", choices=["sqlite", "postgresql"])
    parser.add_argument("--only", action="append", choices=list(PARTS))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="a folder on a disk")
    options = parser.parse_args(arguments)
    places = [Place("disk", options.folder), *([Place("memory", MEMORY)] if MEMORY.is_dir() else [])]
    facts = machine(places)
    print("\n".join(f"{name}: {value}" for name, value in facts.items()), HEAD, sep="\n\n", flush=True)
    rows: list[Row] = []
    for row in measured(options, places):
        rows.append(row)
        print(line(row), flush=True)
    if options.json is not None:
        found = {"machine": facts, "rows": [{**asdict(row), "verdict": row.verdict} for row in rows]}
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
