"""The summaries as a derived store: each range of a conversation has one, made from its messages alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seihon.canonical import outbox
from seihon.canonical import summaries as statements
from seihon.canonical.scope import Reader, Writer
from seihon.canonical.summaries import RANGE, STORE, TAIL, parse_key, range_key
from seihon.derived.contract import Page, Target
from seihon.derived.scopes import SCOPES, ended_scope
from seihon.derived.summaries import comparison, removal, snapshots, stored
from seihon.derived.summaries.making import Made, input_hash, make
from seihon.derived.summaries.snapshots import Snapshot
from seihon.models.summariser import Summariser
from seihon.models.tokenizer import tokenizer

SCOPE_BATCH: Final = 500
"""How many summaries of a deleted scope one pass takes out."""


@dataclass(frozen=True, slots=True)
class Work:
    """One range to look at; ``wanted``: a summary of it is to be made."""

    key: str
    snapshot: Snapshot
    wanted: bool
    made: Made | None = None


class Summaries:
    """Summaries of the ranges of every conversation; without a summariser none is made any more.

    ``range:`` keys stand for ranges that are full, or have a summary; ``tail:`` keys for one that somebody
    asked for before it was full.
    """

    name: str = STORE
    follows: frozenset[str] = frozenset({RANGE, TAIL, *SCOPES})
    batch: int = 1
    """A call of a model may take long and may fail: each range is leased, made and published alone."""

    def __init__(self, summariser: Summariser | None) -> None:
        self.summariser = summariser

    def gather(self, tx: Reader, keys: Sequence[str]) -> list[Work]:
        """Read the ranges of these keys, without the words that no longer hold."""
        return [
            Work(key, snapshot, self._wants(snapshot, at[0] == TAIL))
            for key in keys
            if (at := parse_key(key)) is not None
            for snapshot in (snapshots.read(tx, *at[1:]),)
        ]

    def prepare(self, originals: Sequence[Work]) -> list[Work]:
        """Summarise each range that wants it.

        Raises:
            Failed: the model gave no summary; the one that stands stays. Whatever else the model raises.
        """
        return [self._made(work) for work in originals]

    def publish(self, tx: Writer, keys: Sequence[str], prepared: Sequence[Work]) -> Sequence[str]:
        """Keep the summaries of ranges that are as they were read; return the keys of the others."""
        works = {work.key: work for work in prepared}
        ranges = [works[key] for key in keys if key in works]
        again = [work.key for work in ranges if not _settle(tx, work)]
        return [*again, *(key for key in keys if key not in works and _take_scope(tx, key))]

    def refresh(self, tx: Writer, keys: Sequence[str]) -> Sequence[str]:
        """Take out what no longer holds; return the keys of ranges that are to be made."""
        works = self.gather(tx, keys)
        for work in works:
            if work.wanted or not work.snapshot.messages:
                _retire(tx, work.snapshot)
        found = {work.key for work in works}
        scopes = [key for key in keys if key not in found and _take_scope(tx, key)]
        return [*(work.key for work in works if work.wanted), *scopes]

    def purge(self, tx: Writer, target: Target, limit: int) -> int:
        """Take out at most about ``limit`` summaries of a deleted target; see the contract."""
        return removal.take(tx, target, limit)

    def leftovers(self, tx: Reader, target: Target) -> int:
        """Count what is left of a deleted target."""
        return removal.left(tx, target)

    def keys(self, tx: Reader, after: str, limit: int) -> Sequence[str]:
        """Return the keys of ranges that are full or have a summary, in their order after ``after``."""
        return comparison.keys(tx, after, limit)

    def differences(self, tx: Reader, after: str, limit: int) -> Page:
        """Compare a page of ranges with their messages."""
        return comparison.page(tx, after, limit, wanted=self.summariser is not None)

    def repair(self, tx: Writer, keys: Sequence[str]) -> None:
        """Take these summaries out and mark their ranges to be made anew: a model is asked outside."""
        again: list[str] = []
        for key in keys:
            at = parse_key(key)
            if at is not None:
                snapshot = snapshots.read(tx, *at[1:])
                _retire(tx, snapshot)
                again.append(range_key(at[1], at[2], RANGE if snapshot.full else TAIL))
        outbox.mark(tx, self.name, again)

    def _wants(self, snapshot: Snapshot, asked: bool) -> bool:
        if self.summariser is None or not snapshot.messages:
            return False
        standing = snapshot.standing
        if standing is None:
            return snapshot.full or asked
        return not standing.current or standing.input_hash != input_hash(snapshot, self.summariser)

    def _made(self, work: Work) -> Work:
        if not work.wanted or self.summariser is None:
            return work
        count = tokenizer().count
        return Work(work.key, work.snapshot, True, make(work.snapshot, self.summariser, count))


def _settle(tx: Writer, work: Work) -> bool:
    """Bring one range in line; ``False``: it changed since it was read, and is to be read again."""
    now = snapshots.read(tx, work.snapshot.block, work.snapshot.conversation)
    then = work.snapshot
    if now.up_to(then.last_seq).source_version != then.source_version:
        return False
    if now.last_version != then.last_version or now.standing != then.standing:
        return False
    if work.made is not None:
        _publish(tx, work.made)
    elif not now.messages:
        _retire(tx, now)
    return True


def _publish(tx: Writer, made: Made) -> None:
    snapshot = made.snapshot
    _retire(tx, snapshot)
    summary = tx.new_id("sm")
    row = {
        "id": summary,
        "conversation": snapshot.conversation,
        "block": snapshot.block,
        "first_seq": snapshot.first_seq,
        "last_seq": snapshot.last_seq,
        "version": snapshot.last_version + 1,
        "state": "current",
        "source_version": snapshot.source_version,
        "input_hash": made.input_hash,
        "model": made.model,
        "prompt_version": made.prompt_version,
        "text": tx.seal_json(stored.dump(made)),
        "tokens": made.tokens,
        "flagged": made.flagged,
        "expires_at": snapshot.expires_at,
        "made_at": tx.now,
        "revision": tx.revision,
    }
    tx.add(statements.ADD_SUMMARY, [row])
    links = [
        {"summary": summary, "message": message, "message_version": version}
        for message, version in snapshot.versions.items()
    ]
    tx.add(statements.ADD_SOURCES, links)


def _retire(tx: Writer, snapshot: Snapshot) -> None:
    """Let the range's summary make room: its row stays as a version, without words and sources."""
    gone = tx.run(statements.SUPERSEDE, block=snapshot.block, conversation=snapshot.conversation)
    if gone is not None:
        tx.count(statements.DROP_SOURCES, ids=[gone.id])


def _take_scope(tx: Writer, key: str) -> bool:
    """Take a batch of a deleted scope out; ``True``: there may be more."""
    target = ended_scope(tx, key)
    return target is not None and removal.take(tx, target, SCOPE_BATCH) > 0
