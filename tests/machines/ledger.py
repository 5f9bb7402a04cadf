"""The dict model of one owner: what was written and not deleted, and what of it a read may show now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from tests.machines.said import RULES, Said, Slot

from seihon.model import Message, Note, Value, us

# Every text carries a word of its own, by which it is recognised wherever it turns up.
CANARY: Final = re.compile(r"zq\d+x")


@dataclass(slots=True)
class Talk:
    """A conversation; ``retain`` in microseconds."""

    retain: int | None = None
    version: int = 0


@dataclass(slots=True)
class Line:
    """A message."""

    noun: Message
    expires_turn: int | None = None

    @property
    def at(self) -> int:
        """Its place in time."""
        return us(self.noun.at)


@dataclass(slots=True)
class Slip:
    """A note with the messages it was drawn from."""

    noun: Note
    at: int
    sources: frozenset[str] = frozenset()


@dataclass(slots=True)
class Ledger:
    """One owner. ``now`` and ``turn`` decide what has expired; ``retain`` is the tenant's limit (us)."""

    now: int
    retain: int | None = None
    revision: int = 0
    epoch: int = 0
    turn: int = 0
    deleted: bool = False
    talks: dict[str, Talk] = field(default_factory=dict[str, Talk])
    lines: dict[str, Line] = field(default_factory=dict[str, Line])
    slips: dict[str, Slip] = field(default_factory=dict[str, Slip])
    slots: dict[tuple[str, str], Slot] = field(default_factory=dict[tuple[str, str], Slot])
    graves: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    swept: dict[str, str] = field(default_factory=dict[str, str])
    dead_lines: list[str] = field(default_factory=list[str])
    dead_slips: list[str] = field(default_factory=list[str])
    dead_talks: list[str] = field(default_factory=list[str])
    receipts: list[str] = field(default_factory=list[str])
    versions: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def slot(self, name: str, scope: str) -> Slot:
        """The field in the scope, made on first use."""
        return self.slots.setdefault((name, scope), Slot(RULES.field(name)))

    def live_line(self, line: Line) -> bool:
        """Tell whether a message can be read now."""
        talk = self.talks[line.noun.conversation]
        limits = [self.retain, talk.retain]
        said = min(line.at, us(line.noun.observed_at))
        in_time = all(limit is None or said + limit > self.now for limit in limits)
        soon = line.noun.expires_at is None or us(line.noun.expires_at) > self.now
        return in_time and soon and (line.expires_turn is None or line.expires_turn > self.turn)

    def live_slip(self, slip: Slip) -> bool:
        """Tell whether a note can be read now: it lives no longer than any of its sources."""
        if any(one not in self.lines or not self.live_line(self.lines[one]) for one in slip.sources):
            return False
        in_time = self.retain is None or slip.at + self.retain > self.now
        soon = slip.noun.expires_at is None or us(slip.noun.expires_at) > self.now
        return in_time and soon and (slip.noun.expires_turn is None or slip.noun.expires_turn > self.turn)

    def messages(self) -> list[Message]:
        """Every message that can be read now, by conversation and in order."""
        found = [line.noun for line in self.lines.values() if self.live_line(line)]
        return sorted(found, key=lambda one: (one.conversation, one.seq))

    def notes(self, state: str | None = None) -> list[Note]:
        """Every note that can be read now, oldest first."""
        found = [slip for slip in self.slips.values() if self.live_slip(slip)]
        found.sort(key=lambda slip: (slip.at, slip.noun.id))
        return [slip.noun for slip in found if state in (None, slip.noun.state.value)]

    def readable(self) -> set[str]:
        """The canaries of all that may be read now."""
        said = (str(self.shown(one)) for one in self.all_said())
        words = [one.content for one in self.messages()] + [one.text for one in self.notes()]
        return {canary for text in (*words, *said) for canary in CANARY.findall(text)}

    def stored(self) -> set[str]:
        """The canaries of all that was not deleted, expired or not."""
        said = (str(one.value) for one in self.all_said() if one.value is not None)
        texts = [line.noun.content for line in self.lines.values()]
        texts += [slip.noun.text for slip in self.slips.values()]
        return {canary for text in (*texts, *said) for canary in CANARY.findall(text)}

    def all_said(self) -> Iterator[Said]:
        """Every statement of this life."""
        for slot in self.slots.values():
            yield from slot.said.values()

    def shown(self, one: Said) -> Value | None:
        """What the history shows of a statement: what an edit left there goes with its message."""
        if one.state != "withdrawn" or not one.message:
            return one.value
        line = self.lines.get(one.message)
        return one.value if line is not None and self.live_line(line) else None

    def waiting(self) -> dict[str, tuple[str, str]]:
        """Every candidate with its field and scope."""
        return {
            one.id: place
            for place, slot in self.slots.items()
            for one in slot.said.values()
            if one.state == "candidate"
        }

    def lose_lines(self, gone: Iterable[str]) -> None:
        """Delete messages, with what was drawn only from them."""
        ids = set(gone)
        for one in ids & self.lines.keys():
            del self.lines[one]
            self.dead_lines.append(one)
        self.lose_drawn(ids, keep=False)
        self._lose_kept(ids)

    def let_go(self, expired: Iterable[str]) -> None:
        """Delete messages that no read shows any more; what was drawn from them has limits of its own."""
        ids = set(expired)
        for one in ids:
            self.swept[one] = self.lines.pop(one).noun.conversation
            self.dead_lines.append(one)
        self._lose_kept(ids)

    def _lose_kept(self, gone: set[str]) -> None:
        """The values that an edit left in the history go with their message at the latest."""
        for said in self.all_said():
            if said.state == "withdrawn" and said.message in gone:
                said.value = None

    def lose_drawn(self, messages: set[str], *, keep: bool) -> None:
        """Withdraw the statements that lost their last live source, and erase the notes drawn from any."""
        for slot in self.slots.values():
            gone = [one for one in slot.said.values() if self._orphaned(one, messages)]
            if gone:
                slot.lose(gone, keep=keep)
                if slot.status == "current":
                    slot.settle()
        self.lose_slips([key for key, slip in self.slips.items() if slip.sources & messages])

    def _orphaned(self, one: Said, messages: set[str]) -> bool:
        if one.state == "withdrawn" or not one.sources & messages:
            return False
        one.sources -= messages
        live = [key for key in one.sources if key in self.lines and self.live_line(self.lines[key])]
        one.message = min(live, default=one.message)
        return not live

    def lose_slips(self, gone: Iterable[str]) -> None:
        """Delete notes."""
        for one in list(gone):
            del self.slips[one]
            self.dead_slips.append(one)

    def lose_talk(self, conversation: str) -> None:
        """Delete a conversation with its messages."""
        swept = [key for key, talk in self.swept.items() if talk == conversation]
        self.lose_lines([*swept, *(one.noun.id for one in self.of_talk(conversation))])
        del self.talks[conversation]
        self.dead_talks.append(conversation)

    def of_talk(self, conversation: str) -> list[Line]:
        """Every stored message of a conversation."""
        return [line for line in self.lines.values() if line.noun.conversation == conversation]

    def lose_everything(self) -> None:
        """End this life; counters, tombstones and receipts go on."""
        self.dead_lines += self.lines
        self.dead_slips += self.slips
        self.dead_talks += self.talks
        for held in (self.talks, self.lines, self.swept, self.slips, self.slots):
            held.clear()
        self.deleted = True

    def expired(self) -> tuple[list[str], list[str]]:
        """The stored messages and notes whose time has passed."""
        lines = [key for key, line in self.lines.items() if not self.live_line(line)]
        return lines, [key for key, slip in self.slips.items() if not self.live_slip(slip)]
