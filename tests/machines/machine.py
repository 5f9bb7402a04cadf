"""The state machine: any run of verbs, each checked on every surface against the model."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.machines import looking
from tests.machines.ledger import CANARY
from tests.machines.said import RULES, slots
from tests.machines.steps import Steps
from tests.machines.world import World

from seihon import errors
from seihon.model import Message, NoteState, Role, us

T = TypeVar("T")

TALKS: Final = ("c1", "c2", "c3")
PLACES: Final = tuple(slots())
# None of these adds up to a limit, so that no step stands on an edge by chance.
STEPS: Final = (-5.1, 0.0, 7.3, 613.7, 5_011.9, 90_007.1)
LIMITS: Final = (None, timedelta(hours=2), timedelta(days=1))
VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "plan": ("free", "pro", "ultra"),
    "length": ("brief", "detailed"),
    "mood": ("good", "bad", "mixed"),
    "seats": (1, 2, 3),
}
some = st.integers(0, 10_000)
places = st.sampled_from(PLACES)
talks = st.sampled_from(TALKS)
roles = st.sampled_from([Role.USER, Role.USER, Role.USER, Role.ASSISTANT])
chance = st.booleans()


class MemoryMachine(RuleBasedStateMachine):
    """Rules choose among what the model knows by a number, so that a run shrinks well."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        world.prompt.set_retention(None)
        self.steps = Steps(world)
        self.neighbour = world.owner("bob")
        self._furnish()
        self.imported: list[tuple[str, list[dict[str, Any]]]] = []
        self.given = 0

    def _furnish(self) -> None:
        """Give a neighbour some data, which nobody may touch or show."""
        memory = self.world.prompt
        said = memory.append(self.neighbour, "c1", "user", self.world.text())
        memory.set(self.neighbour, "nick", CANARY.findall(self.world.text())[0])
        memory.add_note(self.neighbour, self.world.text(), sources=[said.id])
        self.before = self._neighbours()

    def _neighbours(self) -> Any:
        memory, bob = self.world.prompt, self.neighbour
        found = memory.search(bob, looking.COMMON, k=100)
        said = memory.messages(bob, "c1").items
        return memory.owner(bob), memory.profile(bob).states["nick"].value, said, [one.id for one in found]

    @property
    def ledger(self) -> Any:
        return self.steps.ledger

    def pick(self, n: int, choices: list[T]) -> T:
        """The n-th of some choices, the newest first."""
        return choices[-1 - n % len(choices)]

    def live(self) -> bool:
        return not self.ledger.deleted

    def has_lines(self) -> bool:
        return self.live() and bool(self.ledger.messages())

    def has_notes(self) -> bool:
        return self.live() and bool(self.ledger.notes())

    def value(self, name: str, n: int) -> Any:
        """A value of a field; a free text carries a canary."""
        if name == "nick":
            return CANARY.findall(self.world.text())[0]
        return VALUES[name][n % len(VALUES[name])]

    # Conversations.

    @precondition(live)
    @rule(
        talk=talks,
        role=roles,
        back=st.sampled_from([None, None, 30, 4_000, -(10**9)]),
        turns=st.none() | st.integers(1, 3),
    )
    def append(self, talk: str, role: Role, back: int | None, turns: int | None) -> None:
        if talk in self.ledger.dead_talks:
            self.steps.refused(errors.Gone, self.steps.memory.append, talk, role, self.world.text())
            return
        by: dict[str, Any] = {} if turns is None else {"expires_after_turns": turns}
        if back is not None:
            by["observed_at"] = self.world.clock() - timedelta(seconds=back)
        if back == 4_000 and self.ledger.retain is not None:
            del by["observed_at"]
        self.steps.append(talk, role, self.world.text(), **by)

    @precondition(live)
    @rule(talk=talks, role=roles, turns=st.none() | st.integers(1, 2))
    def append_again(self, talk: str, role: Role, turns: int | None) -> None:
        """The same call with the same id, or with the same key, adds nothing."""
        if talk in self.ledger.dead_talks:
            return
        self.given += 1
        words, name = self.world.text(), f"given-{self.steps.owner}-{self.given}"
        by: dict[str, Any] = {"idempotency_key": name} if self.given % 2 else {"id": name}
        by |= {} if turns is None else {"expires_after_turns": turns}
        made = self.steps.append(talk, role, words, **by)
        with self.steps.wrote(0):
            assert self.steps.memory.append(self.steps.owner, talk, role, words, **by) == made
        another = {"id": errors.AlreadyExists, "idempotency_key": errors.IdempotencyConflict}
        key = next(iter(by))
        self.steps.refused(another[key], self.steps.memory.append, talk, role, "other", **{key: by[key]})

    @precondition(live)
    @rule(talk=talks)
    def append_expecting(self, talk: str) -> None:
        if talk in self.ledger.dead_talks:
            return
        stands = self.ledger.talks[talk].version if talk in self.ledger.talks else 0
        text = self.world.text()
        wrong = stands + 1
        self.steps.refused(errors.VersionConflict, self.steps.memory.append, talk, "user", text, expect=wrong)
        self.steps.append(talk, Role.USER, text, expect=stands)

    @precondition(has_lines)
    @rule(n=some)
    def edit(self, n: int) -> None:
        message = self.pick(n, self.ledger.messages())
        edit = self.steps.memory.edit
        self.steps.refused(errors.VersionConflict, edit, message.id, "x", expect=message.version + 1)
        self.steps.edit(message, self.world.text())

    @precondition(has_lines)
    @rule(n=some, more=st.lists(some, max_size=2))
    def forget_messages(self, n: int, more: list[int]) -> None:
        found = self.ledger.messages()
        self.steps.forget_messages(list(dict.fromkeys(self.pick(one, found).id for one in (n, *more))))

    @precondition(live)
    @rule(talk=talks)
    def forget_conversation(self, talk: str) -> None:
        if talk in self.ledger.talks:
            self.steps.forget_conversation(talk)
        wanted = errors.Gone if talk in self.ledger.dead_talks else errors.NotFound
        self.steps.refused(wanted, self.steps.memory.forget_conversation, talk)
        self.steps.refused(wanted, self.steps.memory.messages, talk)

    @precondition(live)
    @rule(talk=talks, limit=st.sampled_from(LIMITS))
    def limit(self, talk: str, limit: timedelta | None) -> None:
        if talk in self.ledger.talks:
            self.steps.limit(talk, limit)

    @precondition(live)
    @rule(talk=talks, ids=chance)
    def bring_in(self, talk: str, ids: bool) -> None:
        """The same lines twice add nothing the second time."""
        lines: list[dict[str, Any]] = [{"role": "user", "content": self.world.text()} for _ in range(2)]
        if ids:
            lines = [{**one, "id": f"line-{next(self.world.numbers)}"} for one in lines]
        added = self.steps.bring_in(talk, lines)
        assert added == (0 if talk in self.ledger.dead_talks else 2)
        assert self.steps.bring_in(talk, lines) == 0
        self.imported.append((talk, lines))

    @precondition(lambda self: self.live() and bool(self.imported))
    @rule(n=some)
    def bring_in_again(self, n: int) -> None:
        """Whatever became of lines since, importing them again brings nothing back."""
        assert self.steps.bring_in(*self.pick(n, self.imported)) == 0

    # Notes.

    @precondition(live)
    @rule(n=some, drawn=chance, candidate=chance, turns=st.none() | st.integers(1, 4))
    def add_note(self, n: int, drawn: bool, candidate: bool, turns: int | None) -> None:
        messages = self.ledger.messages()
        sources = [self.pick(n, messages).id] if drawn and messages else []
        self.steps.add_note(
            self.world.text(), sources=sources, candidate=candidate, expires_after_turns=turns
        )

    @precondition(has_notes)
    @rule(n=some, way=st.sampled_from(["edit", "supersede", "confirm", "reject", "forget"]))
    def change_note(self, n: int, way: str) -> None:
        note = self.pick(n, self.ledger.notes())
        memory = self.steps.memory
        if way == "forget":
            self.steps.forget_note(note)
        elif way in ("confirm", "reject"):
            state = NoteState.CURRENT if way == "confirm" else NoteState.REJECTED
            if note.state is NoteState.CANDIDATE:
                self.steps.judge_note(note, state)
            else:
                self.steps.refused(errors.Conflict, memory.confirm_note, note.id)
        elif note.state not in (NoteState.CURRENT, NoteState.CANDIDATE):
            self.steps.refused(errors.Conflict, memory.edit_note, note.id, expect=note.version, text="x")
        elif way == "edit":
            wrong = note.version + 1
            self.steps.refused(errors.VersionConflict, memory.edit_note, note.id, expect=wrong, text="x")
            self.steps.edit_note(note, self.world.text())
        elif {one.id for one in self.ledger.messages()} >= set(note.sources):
            self.steps.supersede_note(note, self.world.text())

    # The profile.

    @precondition(live)
    @rule(place=places, n=some)
    def set(self, place: tuple[str, str], n: int) -> None:
        self.steps.set(*place, self.value(place[0], n))

    @precondition(live)
    @rule(place=places, n=some)
    def set_expecting(self, place: tuple[str, str], n: int) -> None:
        name, scope = place
        value = self.value(name, n)
        try:
            self.steps.memory.set(self.steps.owner, name, value, scope=scope, expect=10**6)
        except errors.VersionConflict as conflict:
            self.steps.set(name, scope, value, expect=conflict.details["current"])

    @precondition(has_lines)
    @rule(place=places, n=some, m=some, more=st.none() | some, confirmed=chance)
    def observe(self, place: tuple[str, str], n: int, m: int, more: int | None, confirmed: bool) -> None:
        found: list[Message] = self.ledger.messages()
        sources = [self.pick(m, found)]
        if more is not None and self.pick(more, found) != sources[0]:
            sources.append(self.pick(more, found))
        quotes = [(one.id, one.content.split()[0]) for one in sources]
        value = self.value(place[0], n)
        by: dict[str, Any] = {
            "message": quotes[0][0],
            "quote": quotes[0][1],
            "message_version": sources[0].version,
            "also": quotes[1:],
            "confidence": "confirmed" if confirmed else "inferred",
        }
        for _ in range(1 + n % 2):
            # Drawn from the same words again, it is the same claim.
            self.steps.observe(*place, value, tuple(sources), **by)

    @precondition(live)
    @rule(place=places, n=some, back=st.sampled_from([None, 11, 700, 6_000, -(10**8)]), confirmed=chance)
    def observe_record(self, place: tuple[str, str], n: int, back: int | None, confirmed: bool) -> None:
        """The application's own record, now or late."""
        at = None if back is None else self.world.clock() - timedelta(seconds=back)
        confidence = "confirmed" if confirmed else "inferred"
        value = self.value(place[0], n)
        self.steps.observe(*place, value, (), source="system", observed_at=at, confidence=confidence)

    @precondition(lambda self: self.live() and bool(self.ledger.waiting()))
    @rule(n=some, way=st.sampled_from(["confirm", "confirm seen", "reject"]))
    def judge(self, n: int, way: str) -> None:
        candidate = self.pick(n, list(self.ledger.waiting()))
        if way == "reject":
            self.steps.reject(candidate)
        else:
            self.steps.confirm(candidate, seen=way == "confirm seen")

    @precondition(live)
    @rule(place=places)
    def decline(self, place: tuple[str, str]) -> None:
        self.steps.decline(*place)

    @precondition(live)
    @rule(place=places)
    def forget_field(self, place: tuple[str, str]) -> None:
        slot = self.ledger.slots.get(place)
        if slot is None or (slot.status == "blank" and not slot.said):
            verb = self.steps.memory.forget_field
            self.steps.refused(errors.NotFound, verb, place[0], scope=place[1])
        else:
            self.steps.forget_field(*place)

    # The owner, time and the copies.

    @precondition(lambda self: self.live() and self.ledger.revision > 6)
    @rule(sure=st.integers(0, 3))
    def forget_owner(self, sure: int) -> None:
        if not sure:
            self.steps.forget_owner()
            memory = self.steps.memory
            self.steps.refused(errors.OwnerDeleted, memory.append, "c9", "user", "x")
            self.steps.refused(errors.OwnerDeleted, memory.search, looking.COMMON)
            self.steps.refused(errors.OwnerDeleted, memory.profile)

    @precondition(lambda self: self.ledger.deleted)
    @rule()
    def reopen(self) -> None:
        self.steps.reopen()

    @rule(seconds=st.sampled_from(STEPS))
    def pass_time(self, seconds: float) -> None:
        self.world.clock.advance(seconds=seconds)
        self.ledger.now = us(self.world.clock())

    @rule(limit=st.sampled_from(LIMITS))
    def retain(self, limit: timedelta | None) -> None:
        self.world.prompt.set_retention(limit)
        self.ledger.retain = None if limit is None else limit // timedelta(microseconds=1)

    @rule()
    def sweep(self) -> None:
        if self.live():
            with suppress(errors.NotFound):
                self.steps.sweep()
        else:
            with suppress(errors.NotFound):
                assert self.steps.memory.sweep(self.steps.owner).messages == 0

    @rule()
    def rebuild(self) -> None:
        # Before anything was written there is no such owner.
        with self.steps.wrote(0), suppress(errors.NotFound):
            self.steps.memory.rebuild(self.steps.owner)

    @rule()
    def fall_behind(self) -> None:
        """From here on the copies follow only when somebody else makes them."""
        self.steps.memory = self.world.lagging

    @rule()
    def keep_up(self) -> None:
        self.steps.follow()
        self.steps.memory = self.world.prompt

    @precondition(has_lines)
    @rule(n=some)
    def context(self, n: int) -> None:
        message = self.pick(n, self.ledger.messages())
        query = message.content
        looking.context(self.steps.memory, self.steps.owner, self.ledger, message.conversation, query)

    @precondition(lambda self: self.live() and bool(self.ledger.dead_lines or self.ledger.dead_slips))
    @rule(n=some)
    def touch_the_dead(self, n: int) -> None:
        """An id that was deleted answers to nothing any more."""
        memory, refused = self.steps.memory, self.steps.refused
        if self.ledger.dead_lines:
            dead = self.pick(n, self.ledger.dead_lines)
            refused(errors.Gone, memory.message, dead)
            refused(errors.Gone, memory.edit, dead, "x", expect=1)
            refused(errors.Gone, memory.forget_message, dead)
            refused(errors.Gone, memory.append, "c4", "user", "x", id=dead)
            by = {"confidence": "inferred", "message": dead, "quote": "x"}
            refused(errors.Gone, memory.observe, "mood", "good", **by)
            refused(errors.Gone, memory.add_note, "x", sources=[dead])
        if self.ledger.dead_slips:
            dead = self.pick(n, self.ledger.dead_slips)
            refused(errors.Gone, memory.note, dead)
            refused(errors.Gone, memory.edit_note, dead, expect=1, text="x")
            refused(errors.Gone, memory.add_note, "x", id=dead)

    @invariant()
    def everything_agrees(self) -> None:
        self.steps.look()

    def teardown(self) -> None:
        """At the end the copies catch up, nothing differs, and nothing deleted is stored anywhere."""
        self.steps.follow()
        self.steps.look()
        looking.at_rest(self.world.prompt, self.steps.owner, self.ledger)
        with suppress(errors.NotFound):
            for compared in self.world.prompt.verify(self.steps.owner):
                assert not compared.differences, compared
        assert RULES.fields.keys() == self.world.prompt.schema().fields.keys()
        self.world.prompt.set_retention(None)
        assert self._neighbours() == self.before
