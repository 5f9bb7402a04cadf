"""The summaries against the original: which ranges should have one, and which have a wrong one."""

from __future__ import annotations

from collections.abc import Sequence

from seihon.canonical import summaries as statements
from seihon.canonical.scope import Reader
from seihon.canonical.summaries import parse_key, range_key
from seihon.core import ranges
from seihon.derived.contract import Difference, DifferenceKind, Page
from seihon.derived.summaries import reading, snapshots, stored
from seihon.derived.summaries.snapshots import Snapshot


def keys(tx: Reader, after: str, limit: int) -> Sequence[str]:
    """Return the keys of full ranges and of those that have a summary, in order after ``after``."""
    at = parse_key(after)
    block, conversation = (-1, "") if at is None else at[1:]
    held = tx.all(statements.HELD, after_block=block, after=conversation, limit=limit)
    found = {(row.block, row.conversation) for row in held}
    found.update(_full(tx, block, conversation, limit))
    return [range_key(*one) for one in sorted(found)[:limit]]


def page(tx: Reader, after: str, limit: int, *, wanted: bool) -> Page:
    """Compare one page; ``wanted``: a full range without a summary lacks one."""
    found = keys(tx, after, limit)
    kinds = ((key, difference(tx, key, wanted=wanted)) for key in found)
    differences = tuple(Difference(key, kind) for key, kind in kinds if kind is not None)
    return Page(differences, found[-1] if len(found) == limit else None, len(found))


def difference(tx: Reader, key: str, *, wanted: bool) -> DifferenceKind | None:
    """Return how the summary of a range differs from what it should be; ``None``: it does not."""
    at = parse_key(key)
    if at is None:
        return None
    snapshot = snapshots.read(tx, *at[1:])
    standing = snapshot.standing
    if standing is None or not standing.current:
        return DifferenceKind.GAP if wanted and snapshot.full and snapshot.messages else None
    if standing.source_version == snapshot.as_made.source_version:
        return None
    return _how(tx, snapshot, standing.id)


def _how(tx: Reader, snapshot: Snapshot, summary: str) -> DifferenceKind | None:
    """Tell a wrong summary from one that is hidden until a message that has expired is swept."""
    first, last = ranges.bounds(snapshot.block)
    rows = tx.all(statements.STANDING_IN_RANGE, conversation=snapshot.conversation, first=first, last=last)
    standing = {row.id: row.version for row in rows}
    if not standing:
        return DifferenceKind.ORPHAN
    made_from = {row.message: row.message_version for row in tx.all(statements.SOURCES, ids=[summary])}
    expired = standing.keys() - snapshot.versions.keys()
    waits = made_from.keys() & expired and made_from.items() <= standing.items()
    return None if waits or _is_too_careful(tx, snapshot) else DifferenceKind.STALE


def _is_too_careful(tx: Reader, snapshot: Snapshot) -> bool:
    """Tell whether all that is wrong is a quote that was left out and holds again: nothing false is said."""
    row = tx.first(statements.STANDING, block=snapshot.block, conversation=snapshot.conversation)
    held = stored.load(tx.open_json(row.text)) if row is not None else reading.NOTHING
    now = snapshot.as_made
    known = (held.gone.get(message, frozenset()).issuperset(quotes) for message, quotes in now.gone.items())
    return held.sources == now.versions and all(known)


def _full(tx: Reader, block: int, conversation: str, limit: int) -> list[tuple[int, str]]:
    """Return full ranges in order after one, block by block over the conversations that are so long."""
    row = tx.first(statements.LONGEST_CONVERSATION)
    longest = 0 if row is None else row.last_seq or 0
    found: list[tuple[int, str]] = []
    at, after = max(block, 0), conversation if block >= 0 else ""
    while len(found) < limit and ranges.is_full(at, longest):
        last = ranges.bounds(at)[1]
        rows = tx.all(statements.FULL_CONVERSATIONS, last=last, after=after, limit=limit - len(found))
        found += [(at, row.id) for row in rows]
        at, after = at + 1, ""
    return found
