"""Where the story plays: a file of its own, a clock that the story moves, and dates that end today."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from seihon.entry import examples, paths
from seihon.entry.opening import open_memory
from seihon.errors import InvalidArgument, Unavailable
from seihon.model import Claim, OutOfReach

if TYPE_CHECKING:
    from seihon.memory import Memory

OWNERS: Final = ("maya", "haruka")
# What lies beside the file: SQLite's log and its index, the key of fingerprints, and the demo's own mark.
_BESIDE: Final = ("-wal", "-shm", ".key")
_MARK: Final = ".demo"


def prepare(file: Path) -> None:
    """Make room for a fresh file; one that an earlier demo made is replaced.

    Raises:
        InvalidArgument: there is a file that no demo made. Unavailable: nothing can be written there.
    """
    mark = Path(f"{file}{_MARK}")
    if file.exists() and not mark.exists():
        raise InvalidArgument(f"The demo did not make the file {file}; choose another path with --db.")
    try:
        if file == paths.demo_file():
            paths.make_folder_of(file)
        for path in (file, *(Path(f"{file}{end}") for end in _BESIDE)):
            path.unlink(missing_ok=True)
        mark.write_text("This SQLite file belongs to the demo, which replaces it each time.\n")
    except OSError:
        raise Unavailable(f"The demo cannot write to {file.parent}; name another place with --db.") from None


class StoryClock:
    """A clock that stands still until the story moves it."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def __call__(self) -> datetime:
        """Return the story's time."""
        return self.now

    def go(self, to: datetime) -> timedelta:
        """Move on and return by how much; the story never goes back."""
        passed = max(timedelta(0), to - self.now)
        self.now += passed
        return passed


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a shipped conversation, its date moved so that the story ends today."""

    id: str
    conversation: str
    role: str
    content: str
    at: datetime

    def as_json(self) -> str:
        """Return the line of a transcript."""
        made = {
            "id": self.id,
            "conversation": self.conversation,
            "role": self.role,
            "content": self.content,
            "created_at": self.at.isoformat(),
        }
        return json.dumps(made, ensure_ascii=False)


class Stage:
    """The opened demo file with its clock and what is played on it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.clock = StoryClock(self.transcript("maya")[-1].at + timedelta(hours=1))

    def __enter__(self) -> Self:
        from seihon.entry import settings

        places = [OutOfReach("backups that you make of this file", "until you remove them")]
        found = settings.load(db=str(self.file), derive="inline", out_of_reach=places)
        self.memory: Memory = open_memory(found, clock=self.clock)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.memory.close()

    def settle(self) -> None:
        """Move what lies in SQLite's log into the file, as SQLite does by itself sooner or later."""
        with closing(sqlite3.connect(self.file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @cached_property
    def shift(self) -> timedelta:
        """Return how far the dates are moved: whole days, so that hours stay as they were written."""
        last = max(_moment(line["created_at"]) for owner in OWNERS for line in _read(f"{owner}-later"))
        return timedelta(days=(datetime.now(UTC) - last).days)

    def transcript(self, owner: str) -> list[Line]:
        """Return the conversation that is imported."""
        return [self._line(line) for line in _read(owner)]

    def later(self, owner: str) -> list[Line]:
        """Return what the person says weeks later."""
        return [self._line(line) for line in _read(f"{owner}-later")]

    def _line(self, line: dict[str, Any]) -> Line:
        at = _moment(line["created_at"]) + self.shift
        return Line(line["id"], line["conversation"], line["role"], line["content"], at)


def scripted(name: str) -> list[dict[str, Any]]:
    """Return the claims that ship beside a conversation, one for each thing that it says."""
    return [json.loads(line) for line in examples.lines(f"claims/{name}.jsonl")]


def learn(memory: Memory, owner: str, claims: Iterable[dict[str, Any]]) -> list[Claim]:
    """Record claims about an owner. This is the place where an extractor stands instead of a script."""
    return [
        memory.observe(
            owner,
            claim["field"],
            claim["value"],
            confidence=claim["confidence"],
            scope=claim.get("scope", "default"),
            message=claim["message"],
            quote=claim["quote"],
            extractor="demo script",
        )
        for claim in claims
    ]


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in examples.lines(f"conversations/{name}.jsonl")]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
