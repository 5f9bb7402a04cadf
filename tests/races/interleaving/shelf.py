"""A store whose copies take time to make: it keeps the texts of live messages, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import select

from seihon.canonical.scope import Reader, Writer, live_messages, p
from seihon.derived.contract import RECORDS, Difference, DifferenceKind, Page, Target

PREFIX: Final = "message:"
TEXTS: Final = select(live_messages.c.id, live_messages.c.version, live_messages.c.content).where(
    live_messages.c.id.in_(p("ids", many=True))
)
EVERY: Final = select(live_messages.c.id)
Copy = tuple[int, str]


class Shelf:
    """As ``PreparedStore`` asks; ``held`` is the version and text of each message, by owner and key."""

    name = "shelf"
    follows = RECORDS
    batch = 200

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], Copy] = {}

    def of(self, owner: str) -> dict[str, Copy]:
        """What is held of one owner."""
        return {key: copy for (whose, key), copy in self.held.items() if whose == owner}

    def gather(self, tx: Reader, keys: Sequence[str]) -> dict[str, Copy]:
        ids = [key.removeprefix(PREFIX) for key in keys if key.startswith(PREFIX)]
        rows = tx.all(TEXTS, ids=ids) if ids else ()
        return {PREFIX + row.id: (row.version, tx.open(row.content)) for row in rows}

    def prepare(self, originals: Any) -> Any:
        return originals

    def publish(self, tx: Writer, keys: Sequence[str], prepared: dict[str, Copy]) -> Sequence[str]:
        now = self.versions(tx, keys)
        for key in keys:
            if not key.startswith(PREFIX):
                self.drop_dead(tx)
            elif key not in now:
                self.held.pop((tx.owner, key), None)
            elif key in prepared and prepared[key][0] == now[key]:
                self.held[tx.owner, key] = prepared[key]
        return [key for key in now if key not in prepared or prepared[key][0] != now[key]]

    def versions(self, tx: Reader, keys: Sequence[str]) -> dict[str, int]:
        """The versions of those originals that live now."""
        return {key: version for key, (version, _) in self.gather(tx, keys).items()}

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        return self.publish(tx, keys, self.gather(tx, keys))

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        return self.drop_dead(tx)

    def drop_dead(self, tx: Writer) -> int:
        """Drop what no longer lives; return how many copies that were."""
        held = self.of(tx.owner)
        gone = held.keys() - self.gather(tx, list(held)).keys()
        for key in gone:
            del self.held[tx.owner, key]
        return len(gone)

    def leftovers(self, tx: Reader, target: Target) -> int:
        held = self.of(tx.owner)
        return len(held.keys() - self.gather(tx, list(held)).keys())

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        found = self.of(tx.owner).keys() | {PREFIX + row.id for row in tx.all(EVERY)}
        return [key for key in sorted(found) if key > after][:limit]

    def differences(self, tx: Reader, after: str, limit: int) -> Page:
        held = self.of(tx.owner)
        now = self.gather(tx, [PREFIX + row.id for row in tx.all(EVERY)])
        wrong = {key for key in held.keys() | now.keys() if held.get(key) != now.get(key)}
        return Page(tuple(Difference(key, DifferenceKind.STALE) for key in sorted(wrong)), None, len(held))

    def repair(self, tx: Writer, keys: Sequence[str]) -> None:
        self.refresh(tx, keys)
