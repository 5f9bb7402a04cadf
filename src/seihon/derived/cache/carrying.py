"""How deletions reach the cache: after the places in the database, beside the files, once for all of a pass.

No transaction is open meanwhile: a server that is slow must hold nobody up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from seihon.canonical.database import Database
from seihon.derived.cache.kept import IN_SERVER, NOT_SET_UP, Kept


class Emptied(NamedTuple):
    """What came of it: by owner the code of what went wrong (or nothing), and what was done to files."""

    codes: Mapping[str, str]
    steps: tuple[str, ...]
    is_server: bool

    def code(self, place: str, owner: str) -> str:
        """Return why a place is not empty, or nothing."""
        if place == IN_SERVER:
            return self.codes[owner] if self.is_server else NOT_SET_UP
        return "" if self.is_server else self.codes[owner]


def empty(db: Database, kept: Kept, owners: Iterable[str]) -> Emptied:
    """Drop what these owners hold, read it back, and let a server write its files anew."""
    codes: dict[str, str] = {}
    for owner in dict.fromkeys(owners):
        codes[owner] = kept.cleared(owner, epoch=epoch_of(db, owner)) if kept.is_on else ""
    steps: tuple[str, ...] = ()
    if "" in codes.values():
        steps, code = kept.rewritten()
        codes = {owner: found or code for owner, found in codes.items()}
    return Emptied(codes, steps, IN_SERVER in kept.places)


def epoch_of(db: Database, owner: str) -> int:
    """Return the epoch of an owner's last deletion: whatever is older may not come in any more."""
    with db.read(owner) as tx:
        return tx.epoch
