"""What a field should say, kept as plainly as can be: a list of statements, folded anew at every question.

The four rules are written again here, in their own words, except the arithmetic of ``belief``, which has
its own tests; what is checked is which statements reach it, and when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from tests.support.profiles import SCHEMA

from seihon.core.policies import Clock, Evidence, Held
from seihon.core.schema import Field, ProfileSchema
from seihon.core.schema_forms import from_json_schema
from seihon.model import Value

SECOND: Final = 1_000_000
RULES: Final[ProfileSchema] = from_json_schema(SCHEMA)
Place = tuple[int, int, int]
# Opens the id of a setting that was written anew, until the product's own is known.
AGAIN: Final = "again "


@dataclass(slots=True)
class Said:
    """One statement about a field. ``place``: instant (us), sequence and version of its message.

    ``sources`` are the messages it rests on and may lose; one without any from the start loses nothing.
    ``message`` is the one it names first; a value that an edit left in the history goes with that one.
    ``base``: status and value of the field when the statement began to wait. ``at``: when it was said (us).
    ``own``: it rests on no message. ``counted``: it was the value, or would have been but for a newer one.
    """

    id: str
    value: Value | None
    confirmed: bool
    turn: int
    place: Place
    revision: int
    state: str
    message: str = ""
    sources: set[str] = field(default_factory=set[str])
    base: tuple[str, Value | None] = ("blank", None)
    at: int = 0
    own: bool = False
    counted: bool = True

    @property
    def order(self) -> tuple[Place, int, str]:
        """Where it stands among all others."""
        return self.place, self.revision, self.id


@dataclass(slots=True)
class Answer:
    """What a read should show."""

    status: str
    value: Value | None = None
    last_known: Value | None = None


@dataclass(slots=True)
class Slot:
    """One field in one scope."""

    rule: Field
    said: dict[str, Said] = field(default_factory=dict[str, Said])
    floor: Place | None = None
    status: str = "blank"
    chain: list[str] = field(default_factory=list[str])

    def recorded(self) -> list[Said]:
        """Every statement that counts, in order."""
        found = [one for one in self.said.values() if one.state == "recorded" and self.above(one)]
        return sorted(found, key=lambda one: one.order)

    def above(self, one: Said) -> bool:
        """Tell whether a statement stands above the floor."""
        return self.floor is None or one.place > self.floor

    def held(self, *, without: Iterable[str] = ()) -> Held | None:
        """Fold every statement that counts."""
        held: Held | None = None
        left_out = set(without)
        for one in self.recorded():
            if one.id not in left_out:
                held = self.after(held, one)
        return held

    def after(self, held: Held | None, one: Said) -> Held | None:
        """Take one step."""
        evidence = Evidence(one.value or "", one.confirmed, one.turn, one.at, one.id)
        if self.rule.policy.name == "belief":
            return self.rule.policy.apply(held, evidence, Clock(one.turn, one.at))
        if held is None or self._replaces(held, one):
            return Held(evidence.value, one.confirmed, one.turn, one.at, one.id)
        return held

    def _replaces(self, held: Held, one: Said) -> bool:
        if one.confirmed or not held.confirmed or self.rule.policy.name == "naive":
            return True
        return self._too_old(held, one.turn, one.at)

    def _too_old(self, held: Held, turn: int, at: int) -> bool:
        if self.rule.policy.name != "guard_ttl":
            return False
        limits = SCHEMA["properties"][self.rule.name]["x-seihon"]
        return turn - held.turn > limits["ttl_turns"] or at - held.at > limits["ttl_seconds"] * SECOND

    def settle(self) -> None:
        """Let the field follow its statements."""
        held = self.held()
        if held is not None:
            self.status = "current"
            self.chain.append(held.key)

    def value(self) -> Value | None:
        """What is held, however old it is."""
        held = self.held() if self.status == "current" else None
        return None if held is None else held.value

    def read(self, turn: int, at: int) -> Answer:
        """What a read shows at a turn and an instant."""
        held = self.held() if self.status == "current" else None
        if held is None:
            return Answer(self.status)
        if self.rule.policy.name == "belief":
            reading = self.rule.policy.read(held, Clock(turn, at))
            return Answer("current", reading.value)
        if self._gone(held, turn, at):
            return Answer("expired", None, held.value)
        stale = held.confirmed and self._too_old(held, turn, at)
        return Answer("stale" if stale else "current", held.value)

    def _gone(self, held: Held, turn: int, at: int) -> bool:
        limits = SCHEMA["properties"][self.rule.name].get("x-seihon", {})
        seconds = limits.get("blank_after_seconds", limits.get("ttl_seconds"))
        turns = limits.get("blank_after_turns")
        too_many = turns is not None and turn - held.turn > turns
        return too_many or (seconds is not None and at - held.at > seconds * SECOND)

    def lose(self, gone: list[Said], *, keep: bool) -> None:
        """Withdraw statements; ``keep``: their values stay in the history."""
        held, before = (self.held() if self.status == "current" else None), self.value()
        weighed = [one for one in gone if one.state == "recorded" and self.above(one)]
        spoke = held is not None and self._spoke(held, weighed)
        for one in gone:
            one.state, one.value = "withdrawn", one.value if keep else None
        if not spoke:
            return
        earlier, said = self._earlier(before), self._said_before(before)
        self.floor, self.status = max(one.place for one in weighed), "withdrawn"
        waiting = [one for one in self.said.values() if one.state == "recorded" and self.above(one)]
        base: tuple[str, Value | None] = ("withdrawn", None)
        if said is not None and said.own and said.confirmed and not keep:
            stay = [one for one in waiting if one.own and one.confirmed and one.value == before]
            self._leave_standing(said, self.floor, stay)
            earlier, said, base = [], None, ("current", before)
            waiting = [one for one in waiting if one not in stay]
        for one in [*waiting, *earlier, *([] if said is None else [said])]:
            one.state, one.base = "candidate", base

    def _said_before(self, value: Value | None) -> Said | None:
        """The statement of the same value that the withdrawn one repeated, with nothing else in between."""
        found: Said | None = None
        for one in reversed(self.recorded()):
            if one.value == value:
                found = found or one
                if one.own and one.confirmed:
                    return one
            elif one.confirmed or one.counted:
                break
        return found

    def _leave_standing(self, said: Said, floor: Place, stay: list[Said]) -> None:
        """Let the value rest on settings alone; one below the floor is written anew above it."""
        if not stay:
            at, seq, version = floor
            again = replace(said, id=f"{AGAIN}{said.id}", place=(at, seq, version + 1))
            self.said[again.id] = again
            stay = [again]
        self.status = "current"
        self.chain.append(max(stay, key=lambda one: one.order).id)

    def _spoke(self, held: Held, weighed: list[Said]) -> bool:
        if any(one.id == held.key for one in weighed):
            return True
        return self.rule.policy.name == "belief" and any(one.value == held.value for one in weighed)

    def _earlier(self, value: Value | None) -> list[Said]:
        """The statement behind the last other value that the field had."""
        for key in reversed(self.chain):
            one = self.said[key]
            if one.state == "recorded" and one.value != value:
                return [one]
        return []

    def close(self, place: Place, status: str) -> None:
        """Blank the field; nothing said until now becomes its value again."""
        self.floor, self.status = place, status


def slots() -> Iterator[tuple[str, str]]:
    """Every field with each scope that the machine uses."""
    for name, rule in RULES.fields.items():
        yield name, "default"
        if rule.scoped:
            yield name, "work"
            yield name, "work/legal"
