"""Looking for words in the bytes of the file, of its log and of the log's index, as a thief would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

FILES = ("", "-wal", "-shm")


def count(file: Path, words: Iterable[str]) -> dict[str, int]:
    """Return how often any of the words stands in each of the SQLite files, whatever the case of letters.

    A SQLite file holds text as UTF-8; an index of words holds them in small letters, in pieces for scripts
    without spaces.
    """
    wanted = [word.lower().encode() for word in words]
    return {f"{file.name}{end}": _count(Path(f"{file}{end}"), wanted) for end in FILES}


def total(counts: Mapping[str, int]) -> int:
    """Return the sum over the files."""
    return sum(counts.values())


def _count(path: Path, wanted: Iterable[bytes]) -> int:
    if not path.exists():
        return 0
    raw = path.read_bytes().lower()
    return sum(raw.count(word) for word in wanted)
