"""Lines of a transcript on their way in: each is new, there already, or deleted before and kept out.

A line with an id is the message of that id. One without is known by its conversation, role and text and by
its ordinal among the equal lines of its import: the k-th of them is there if the conversation holds k such
messages, dead ones included. So two equal lines both stay, and nothing is added by importing twice, be it a
file or what was appended live.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from sqlalchemy import Row

from seihon import errors
from seihon.canonical import conversations
from seihon.canonical import transfer as store
from seihon.canonical.deletions import old_text_key
from seihon.canonical.fingerprints import Secret
from seihon.canonical.scope import Reader, Writer
from seihon.memory import covering
from seihon.memory.drafts import message_row
from seihon.memory.transcripts import Line
from seihon.model import BadLine, ImportReport

Mark = tuple[str, str]
"""A conversation and the fingerprint of a text in it."""

# How many versions of an edited message its old words are looked for in.
VERSIONS_BACK: Final = 20
_BEFORE_ALL: Final = -(2**62)


class Fate(Enum):
    """What becomes of a line."""

    NEW = "new"
    PRESENT = "present"
    DELETED = "deleted"


@dataclass(slots=True)
class Tally:
    """The counts of an import as it goes."""

    added: int = 0
    present: int = 0
    deleted: int = 0
    bad: list[BadLine] = field(default_factory=list[BadLine])
    warnings: list[BadLine] = field(default_factory=list[BadLine])

    def count(self, fate: Fate) -> None:
        """Count one line."""
        self.added += fate is Fate.NEW
        self.present += fate is Fate.PRESENT
        self.deleted += fate is Fate.DELETED

    def report(self) -> ImportReport:
        """Return the counts, the lines that are told of in their order."""
        bad, doubtful = (
            tuple(sorted(lines, key=lambda one: one.line)) for lines in (self.bad, self.warnings)
        )
        return ImportReport(self.added, self.present, self.deleted, bad, doubtful)


@dataclass(slots=True)
class Timeline:
    """From which time on each turn of the owner's runs."""

    starts: list[tuple[int, int]]

    @classmethod
    def read(cls, tx: Reader) -> Timeline:
        """Read it whole; imported messages do not move it."""
        return cls(sorted((row.at, row.turn) for row in tx.all(store.TURN_STEPS)))

    def turn(self, at: int) -> int:
        """Return how many user messages the owner had sent by ``at``."""
        after = bisect_right(self.starts, at, key=lambda start: start[0])
        if after:
            return self.starts[after - 1][1]
        return max(0, min((turn for _, turn in self.starts), default=0) - 1)


@dataclass(slots=True)
class End:
    """The end of a conversation: its last number and time; ``dead``: its id is never used again."""

    seq: int = 0
    at: int = _BEFORE_ALL
    dead: bool = False
    moved: bool = False

    def row(self, tx: Reader, conversation: str) -> dict[str, Any]:
        """Return the row by which the conversation is made, or moved to this end."""
        return {
            "id": conversation,
            "last_seq": self.seq,
            "last_at": self.at,
            "version": 1,
            "retain_us": None,
            "created_at": tx.now,
            "created_revision": tx.revision,
            "revision": tx.revision,
            "deleted_revision": None,
            "metadata": None,
        }


@dataclass(slots=True)
class Known:
    """What the owner has of a batch of lines, read in one go.

    ``equal`` holds, of each text, how many messages say or said it and how many of them are dead; ``former``
    the fingerprints of what edited messages said before.
    """

    fates: dict[str, Row[Any]]
    graves: frozenset[str]
    ends: dict[str, End]
    equal: dict[Mark, list[int]]
    buried: dict[Mark, int]
    former: Mapping[str, set[str]]


def read_known(tx: Reader, lines: Sequence[tuple[Line, Mark]]) -> Known:
    """Read what stands for each line: its id, its conversation, equal texts and deleted ones."""
    ids = list({line.id for line, _ in lines if line.id is not None})
    places = {mark[0] for _, mark in lines}
    asked = {"conversations": list(places), "fingerprints": list({mark[1] for _, mark in lines})}
    kinds = ["message", "conversation"]
    graves = tx.all(store.GRAVES, kinds=kinds, keys=[*ids, *places]) if tx.epoch else ()
    dead = {row.key for row in graves if row.kind == "conversation"}
    ends = {place: End(dead=place in dead) for place in places}
    for row in tx.all(store.CONVERSATION_ENDS, ids=list(places)):
        gone = row.deleted_revision is not None or row.created_revision <= tx.floor
        ends[row.id] = End(row.last_seq, row.last_at, dead=gone or row.id in dead)
    fates = {row.id: row for row in tx.all(store.MESSAGE_FATES, ids=ids)} if ids else {}
    known = Known(
        fates=fates,
        graves=frozenset(row.key for row in graves if row.kind == "message"),
        ends=ends,
        equal={
            (row.conversation, row.fingerprint): [row.rows, row.dead]
            for row in tx.all(store.EQUAL_MESSAGES, **asked)
        },
        buried={},
        former=_former(tx, fates),
    )
    for row in tx.all(store.BURIED, **asked):
        mark = (row.conversation, row.fingerprint)
        # A message that was edited here is still the one that said so.
        known.equal.setdefault(mark, [0, 0])[0] += row.edited
        if row.at is not None:
            known.buried[mark] = row.at
    return known


def _former(tx: Reader, fates: Mapping[str, Row[Any]]) -> Mapping[str, set[str]]:
    """Return the fingerprints of what edited messages said before."""
    keys = {
        old_text_key(row.id, version): row.id
        for row in fates.values()
        for version in range(max(1, row.version - VERSIONS_BACK), row.version)
    }
    found: dict[str, set[str]] = {}
    for row in tx.all(store.GRAVES, kinds=["message"], keys=list(keys)) if keys else ():
        found.setdefault(keys[row.key], set()).add(row.fingerprint)
    return found


@dataclass(slots=True)
class Arrivals:
    """One import. ``source`` names where its lines come from; it goes into the owner's history."""

    secret: Secret
    source: str
    tally: Tally = field(default_factory=Tally)
    _seen: Counter[Mark] = field(default_factory=Counter[Mark])
    _ids: set[str] = field(default_factory=set[str])
    _timeline: Timeline | None = None
    _revision: int = 0

    def admit(self, tx: Writer, lines: Sequence[Line]) -> None:
        """Store what is new of a batch; with nothing new, nothing is written."""
        marked = [(line, self._mark(tx, line)) for line in lines]
        known = read_known(tx, marked)
        fresh = list(self._fresh(tx, marked, known))
        if not fresh:
            tx.discard()
            return
        self._store(tx, fresh, known)

    def _mark(self, tx: Reader, line: Line) -> Mark:
        draft = line.draft
        place = draft.conversation
        return place, self.secret.of_message(tx.owner, place, draft.role.value, draft.content)

    def _fresh(
        self, tx: Writer, marked: Sequence[tuple[Line, Mark]], known: Known
    ) -> Iterator[tuple[Line, str]]:
        """Yield the lines that are new, each with its id."""
        own: dict[str, Mark] = {}
        for line, mark in marked:
            try:
                fate = self._fate(tx, line, mark, known, own)
            except errors.AlreadyExists as error:
                self.tally.bad.append(BadLine(line.number, error.code, error.message))
                continue
            self.tally.count(fate)
            if fate is Fate.NEW:
                message = line.id or tx.new_id("m")
                own[message] = mark
                self._see(message, mark)
                known.equal.setdefault(mark, [0, 0])[0] += 1
                yield line, message

    def _fate(self, tx: Reader, line: Line, mark: Mark, known: Known, own: Mapping[str, Mark]) -> Fate:
        if known.ends[mark[0]].dead:
            return Fate.DELETED
        if line.id is not None:
            found = self._by_id(tx, line.id, mark, known, own)
            if found is not None:
                return found
        elif self._seen[mark] < known.equal.get(mark, (0, 0))[0]:
            self._seen[mark] += 1
            return Fate.DELETED if self._seen[mark] <= known.equal[mark][1] else Fate.PRESENT
        return Fate.DELETED if _is_buried(tx, line, known.buried.get(mark)) else Fate.NEW

    def _by_id(
        self, tx: Reader, message: str, mark: Mark, known: Known, own: Mapping[str, Mark]
    ) -> Fate | None:
        """Return what became of an id before; ``None``: it was never used."""
        if message in own:
            _require_same(own[message], mark)
            return Fate.PRESENT
        row = known.fates.get(message)
        if row is None:
            return Fate.DELETED if message in known.graves else None
        stored = (row.conversation, row.fingerprint)
        dead = row.ended is not None or message in known.graves or row.created_revision <= tx.floor
        # One that was edited here stays as it is: a correction wins over what it corrected.
        if not dead and row.version == 1:
            _require_same(stored, mark)
        if stored == mark or mark[1] in known.former.get(message, ()):
            self._see(message, mark)
        return Fate.DELETED if dead else Fate.PRESENT

    def _see(self, message: str, mark: Mark) -> None:
        """Count a stored message among the equal lines, once however often its id comes."""
        if message not in self._ids:
            self._ids.add(message)
            self._seen[mark] += 1

    def _store(self, tx: Writer, fresh: Sequence[tuple[Line, str]], known: Known) -> None:
        timeline = self._timeline_of(tx)
        rows = [self._row(tx, line, message, known, timeline) for line, message in fresh]
        tx.add(
            store.EXTEND_CONVERSATIONS, [end.row(tx, name) for name, end in known.ends.items() if end.moved]
        )
        conversations.add_messages(tx, rows)
        covering.added(tx, rows)
        for _, message in fresh:
            tx.mark(f"message:{message}")
            tx.change("message.imported", message, self.source)

    def _timeline_of(self, tx: Reader) -> Timeline:
        """Return the owner's timeline, read again only when somebody else has written in between."""
        if self._timeline is None or tx.revision != self._revision + 1:
            self._timeline = Timeline.read(tx)
        self._revision = tx.revision
        return self._timeline

    def _row(
        self, tx: Writer, line: Line, message: str, known: Known, timeline: Timeline
    ) -> Mapping[str, Any]:
        said = line.draft.observed_at
        end = known.ends[line.draft.conversation]
        end.seq += 1
        end.at = max(end.at, tx.now if said is None else min(said, tx.now))
        end.moved = True
        return message_row(
            tx, self.secret, line.draft, message, seq=end.seq, at=end.at, turn=timeline.turn(end.at)
        )


def _is_buried(tx: Reader, line: Line, deleted_at: int | None) -> bool:
    """Tell whether this was deleted after it was said; without a date that can be true, it was."""
    if deleted_at is None:
        return False
    said = line.draft.observed_at
    return said is None or said <= deleted_at or said > tx.now


def _require_same(stored: Mark, mark: Mark) -> None:
    if stored != mark:
        raise errors.AlreadyExists("Another message has this id; an id names one message for good.")


# A batch looks each of its texts up in each of its conversations, so it takes a few of those at a time.
CONVERSATIONS_AT_ONCE: Final = 32


def batches(lines: Iterable[Line | BadLine], size: int) -> Iterator[list[Line | BadLine]]:
    """Cut lines into batches of at most ``size`` and of at most ``CONVERSATIONS_AT_ONCE`` conversations."""
    chunk: list[Line | BadLine] = []
    places: set[str] = set()
    for line in lines:
        place = {line.draft.conversation} if isinstance(line, Line) else set[str]()
        if len(chunk) >= size or len(places | place) > CONVERSATIONS_AT_ONCE:
            yield chunk
            chunk, places = [], set()
        chunk.append(line)
        places |= place
    if chunk:
        yield chunk
