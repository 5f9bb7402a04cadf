"""A derived store whose copies are slow to make: it keeps, in this process, the versions of live messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seihon.canonical import notes
from seihon.canonical.scope import Reader, Writer
from seihon.derived.contract import RECORDS, Page, Target

PREFIX = "message:"


class Slow:
    """As ``PreparedStore`` asks; what it holds is ``held``: versions by owner and key."""

    name = "slow"
    follows = RECORDS
    batch = 200

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], int] = {}

    def gather(self, tx: Reader, keys: Sequence[str]) -> dict[str, int]:
        ids = [key.removeprefix(PREFIX) for key in keys if key.startswith(PREFIX)]
        rows = tx.all(notes.SOURCE_MESSAGES, ids=ids) if ids else ()
        return {PREFIX + row.id: row.version for row in rows}

    def prepare(self, originals: Any) -> Any:
        return originals

    def publish(self, tx: Writer, keys: Sequence[str], prepared: Any) -> Sequence[str]:
        now = self.gather(tx, keys)
        for key in keys:
            if key not in now:
                self.held.pop((tx.owner, key), None)
            elif prepared.get(key) == now[key]:
                self.held[tx.owner, key] = now[key]
        return [key for key in now if prepared.get(key) != now[key]]

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        return self.publish(tx, keys, self.gather(tx, keys))

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        return 0

    def leftovers(self, tx: Reader, target: Target) -> int:
        return 0

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        return []

    def differences(self, tx: Reader, after: str, limit: int) -> Page:
        return Page((), None, 0)

    def repair(self, tx: Writer, keys: Sequence[str]) -> None:
        self.refresh(tx, keys)
