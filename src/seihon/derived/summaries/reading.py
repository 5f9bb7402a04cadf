"""Stored summaries as they are read: those whose every source is live in the version it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Row

from seihon.canonical import profiles
from seihon.canonical import summaries as statements
from seihon.canonical.scope import Reader
from seihon.derived.summaries import snapshots, stored
from seihon.derived.summaries.stored import Stored, StoredLine

NOTHING: Final = Stored((), {}, {})


class Found(NamedTuple):
    """One range's summary: its row, whether it may be read, and then what it holds.

    ``lost`` are rows of what in its sources no longer holds since: claims that their field does not say now.
    """

    row: Row[Any]
    readable: bool
    stored: Stored
    lost: tuple[Row[Any], ...]

    @property
    def text(self) -> str:
        """The lines as a reader sees them, one each."""
        return "\n".join(line.shown for line in self.stored.lines)


def current(tx: Reader, conversation: str, blocks: Sequence[int]) -> list[Found]:
    """Return the readable summaries of these ranges; as many statements for many as for one."""
    rows = tx.all(statements.CURRENT, conversation=conversation, blocks=list(blocks))
    return _found(tx, [(row, True) for row in rows])


def page(tx: Reader, conversation: str, after: int, limit: int) -> list[Found]:
    """Return the summaries of ranges after a block, those that may not be read without their lines."""
    rows = tx.all(statements.PAGE, conversation=conversation, after=after, limit=limit)
    return _found(tx, [(row, bool(row.readable)) for row in rows])


def _found(tx: Reader, rows: Sequence[tuple[Row[Any], bool]]) -> list[Found]:
    texts = {row.id: stored.load(tx.open_json(row.text)) for row, readable in rows if readable}
    lost = _lost(tx, texts)
    return [
        Found(row, readable, texts.get(row.id, NOTHING), tuple(lost.get(row.id, ())))
        for row, readable in rows
    ]


def _lost(tx: Reader, texts: Mapping[str, Stored]) -> dict[str, list[Row[Any]]]:
    """Return, of each summary, the quotes that hold no longer and that it was not made without.

    The transaction that supersedes a quote retracts the summaries with it; this is what a read rests on when
    it has not, whatever the reason.
    """
    found: dict[str, list[Row[Any]]] = {}
    for row in tx.all(profiles.SUPERSEDED_OF_SUMMARIES, summaries=list(texts)):
        known = texts[row.summary].gone.get(row.message, frozenset())
        cited = _cites(texts[row.summary].lines, row.message)
        if cited and not snapshots.still_says(tx, row) and snapshots.quote_of(row) not in known:
            found.setdefault(row.summary, []).append(row)
    return found


def _cites(lines: Iterable[StoredLine], message: str) -> bool:
    return any(message in line.sources for line in lines)
