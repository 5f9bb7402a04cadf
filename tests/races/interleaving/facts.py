"""What a schedule's verbs acknowledged, and what follows from that for anybody who reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tests.races.interleaving.stage import CONVERSATION, LATE, NEW, OLD

Key = tuple[str, str]
OWNER: Final[Key] = ("owner", "")
# Above every place of a message: nothing that was said before comes back.
NOW: Final = 9


@dataclass(frozen=True, slots=True)
class Item:
    """A canary and what it goes with.

    ``kind``: a ``text`` said first, an ``edit`` of one, a ``note`` drawn from a message, a ``value``, or a
    ``setting`` by the person, which goes with the owner.
    """

    kind: str
    message: str
    conversation: str = CONVERSATION

    def ends_with(self) -> set[Key]:
        """Everything whose deletion, or edit, takes it away."""
        if self.kind == "setting":
            return {OWNER}
        keys: set[Key] = {OWNER, ("conversation", self.conversation), ("message", self.message)}
        return keys | {("text", self.message)} if self.kind in ("text", "note") else keys


@dataclass(frozen=True, slots=True)
class Deed:
    """One acknowledged write: by whom, what it ended, and what it says about the field."""

    actor: str
    ended: frozenset[Key] = frozenset()
    says: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What a read answered."""

    actor: str
    reading: str
    text: str


@dataclass(slots=True)
class Facts:
    """What was acknowledged so far. ``items``: every canary that was ever written, by its word."""

    items: dict[str, Item] = field(
        default_factory=lambda: {
            "zq0x": Item("text", "m0"),
            "zq1x": Item("text", "m1"),
            "zq2x": Item("text", "m2"),
            "zq3x": Item("text", "m3"),
            "zq4x": Item("text", "other", "c2"),
            "zq5x": Item("note", "m1"),
            LATE: Item("value", "m0"),
            OLD: Item("value", "m1"),
            NEW: Item("value", "m2"),
        }
    )
    deeds: list[Deed] = field(default_factory=list[Deed])
    shown: list[Shown] = field(default_factory=list[Shown])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    tried: set[str] = field(default_factory=set[str])
    """Canaries that a verb was given, acknowledged or not."""

    def ended(self) -> set[Key]:
        """Everything that was deleted or edited away."""
        return {key for deed in self.deeds for key in deed.ended}

    def gone(self) -> set[str]:
        """The canaries that nobody may read."""
        ended = self.ended()
        return {word for word, item in self.items.items() if item.ends_with() & ended}

    def gone_by(self, actors: Iterable[str]) -> set[str]:
        """The canaries that these actors' verbs took away."""
        ended = {key for deed in self.deeds if deed.actor in set(actors) for key in deed.ended}
        return {word for word, item in self.items.items() if item.ends_with() & ended}

    def standing(self, kinds: Iterable[str]) -> set[str]:
        """The canaries of these kinds that must be readable."""
        gone, wanted = self.gone(), set(kinds)
        return {word for word, item in self.items.items() if item.kind in wanted and word not in gone}

    def city(self) -> str | None:
        """What the field says after the acknowledged writes, which stand in the order of their commits."""
        value, place, floor = OLD, 1, 0
        for deed in self.deeds:
            if deed.says == NEW and floor < 2 and place < NOW:
                value, place = NEW, 2
            elif deed.says not in (None, LATE, NEW):
                value, place, floor = str(deed.says), NOW, NOW
            if place and self._loses(deed, place):
                value, place, floor = "", 0, max(floor, place)
            if deed.ended & {OWNER, ("field", "city")}:
                value, place, floor = "", 0, NOW
        return value or None

    @staticmethod
    def _loses(deed: Deed, place: int) -> bool:
        message = f"m{place}"
        lost: set[Key] = {("message", message), ("text", message), ("conversation", CONVERSATION)}
        return place < NOW and bool(deed.ended & lost)
