"""Two lives of an owner that began as one become one again: nothing deleted is left, nothing else lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import Backend
from tests.contract.memories import open_memory
from tests.contract.test_carrying import differences

from seihon import errors
from seihon.memory import Derive, Memory
from seihon.model import Message, StoreState
from seihon.testing.clock import FakeClock

FIELDS: Final[dict[str, tuple[Any, ...]]] = {
    "plan": ("free", "pro", "ultra"),
    "city": ("Kyoto", "Nara", "Uji"),
    "mood": ("good", "bad"),
    "seats": (1, 2, 3),
}
_owners = count()


@dataclass
class Life:
    """One owner in one place. ``deleted`` holds what was deleted there."""

    memory: Memory
    owner: str
    deleted: set[str] = field(default_factory=set[str])

    def messages(self) -> list[Message]:
        names = [one.id for one in self.memory.conversations(self.owner)]
        return [one for name in names for one in self.memory.messages(self.owner, name)]

    def say(self, n: int, text: str) -> None:
        self.memory.append(self.owner, f"c{n % 3}", ("user", "assistant")[n % 2], text)

    def hear_again(self, n: int, _text: str) -> None:
        line = {
            "role": "user",
            "content": ("ok", "yes")[n % 2],
            "created_at": (None, "2025-05-01")[n // 2 % 2],
        }
        self.memory.import_transcript(self.owner, [line], conversation="c0")

    def claim(self, n: int, _text: str) -> None:
        said = self.messages()
        message = said[n % len(said)]
        name = list(FIELDS)[n % 4]
        self.memory.observe(
            self.owner,
            name,
            FIELDS[name][n % len(FIELDS[name])],
            confidence=("confirmed", "inferred")[n // 4 % 2],
            message=message.id,
            quote=message.content,
        )

    def set(self, n: int, _text: str) -> None:
        name = list(FIELDS)[n % 4]
        self.memory.set(self.owner, name, FIELDS[name][n % len(FIELDS[name])])

    def decline(self, n: int, _text: str) -> None:
        self.memory.decline(self.owner, list(FIELDS)[n % 4])

    def forget_field(self, n: int, _text: str) -> None:
        self.memory.forget_field(self.owner, list(FIELDS)[n % 4])

    def edit(self, n: int, text: str) -> None:
        said = self.messages()
        message = said[n % len(said)]
        self.memory.edit(self.owner, message.id, text, expect=message.version)

    def note(self, n: int, text: str) -> None:
        said = self.messages()
        sources = [said[n % len(said)].id] if said and n % 2 else []
        self.memory.add_note(self.owner, text, sources=sources, candidate=n % 5 == 0)

    def supersede(self, n: int, text: str) -> None:
        notes = self.memory.notes(self.owner).items
        self.memory.supersede_note(self.owner, notes[n % len(notes)].id, text)

    def answer(self, n: int, _text: str) -> None:
        waiting = self.memory.candidates(self.owner).items
        one = waiting[n % len(waiting)]
        if n % 2:
            self.memory.reject(self.owner, one.id)
        else:
            self.memory.confirm(self.owner, one.id, expect=one.current_version)

    def forget_message(self, n: int, _text: str) -> None:
        said = self.messages()
        message = said[n % len(said)]
        self.memory.forget_message(self.owner, message.id)
        self.deleted.add(message.id)

    def forget_note(self, n: int, _text: str) -> None:
        notes = self.memory.notes(self.owner).items
        note = notes[n % len(notes)]
        self.memory.forget_note(self.owner, note.id)
        self.deleted.add(note.id)

    def forget_conversation(self, n: int, _text: str) -> None:
        name = f"c{n % 3}"
        gone = [one.id for one in self.memory.messages(self.owner, name)]
        self.memory.forget_conversation(self.owner, name)
        self.deleted.update(gone)

    def shown(self) -> tuple[Any, ...]:
        """What is current here, by ids."""
        messages = {one.id: (one.content, one.version) for one in self.messages()}
        states = ("current", "candidate", "superseded")
        notes = {
            one.id: (one.text, one.version, one.state, one.sources)
            for state in states
            for one in self.memory.notes(self.owner, state=state)
        }
        values = {
            name: (one.value, one.status) for name, one in self.memory.profile(self.owner).states.items()
        }
        return messages, notes, values


STEPS: Final[list[Callable[[Life, int, str], None]]] = [
    Life.say,
    Life.say,
    Life.hear_again,
    Life.claim,
    Life.claim,
    Life.set,
    Life.decline,
    Life.forget_field,
    Life.edit,
    Life.note,
    Life.supersede,
    Life.answer,
    Life.forget_message,
    Life.forget_note,
    Life.forget_conversation,
]
STEP = st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 59), st.sampled_from([0, 1, 90_000]))


@pytest.fixture
def places(backend: Backend, clock: FakeClock, tmp_path: Path) -> Iterator[tuple[Memory, Memory]]:
    """Two places whose copies follow when they are told to."""
    with (
        open_memory(backend.url, clock, derive=Derive.EXTERNAL) as one,
        open_memory(str(tmp_path / "two.sqlite"), clock, derive=Derive.EXTERNAL) as two,
    ):
        yield one, two


def live(life: Life, clock: FakeClock, steps: list[tuple[int, int, int]], tag: str) -> None:
    for number, (step, n, seconds) in enumerate(steps):
        clock.advance(seconds=seconds)
        # A step that finds nothing to act on, or is refused, is no step.
        with suppress(errors.SeihonError, ZeroDivisionError):
            STEPS[step](life, n, f"words {tag} {number}")


def carry(source: Life, target: Life) -> Any:
    report = target.memory.import_export(source.memory.export(source.owner, kind="migration"))
    assert {one.code for one in report.bad} <= {"version_conflict"}
    return report


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    shared=st.lists(STEP, max_size=12),
    one=st.lists(STEP, max_size=12),
    other=st.lists(STEP, max_size=12),
)
def test_p3_two_lives_converge_and_nothing_deleted_on_either_side_is_left(
    places: tuple[Memory, Memory],
    clock: FakeClock,
    shared: list[tuple[int, int, int]],
    one: list[tuple[int, int, int]],
    other: list[tuple[int, int, int]],
) -> None:
    owner = f"owner {next(_owners)}"
    here, there = (Life(memory, owner) for memory in places)
    here.say(0, "a beginning")
    live(here, clock, shared, "shared")
    carry(here, there)
    live(here, clock, one, "here")
    live(there, clock, other, "there")
    clock.advance(seconds=60)
    reports = [carry(*pair) for _ in range(2) for pair in ((here, there), (there, here))]
    for life in (here, there):
        life.memory.copies.drain(life.memory.key(owner))
        assert all(one.state is StoreState.VERIFIED for one in life.memory.receipts(owner))
        assert differences(life.memory, owner) == []
        messages, notes, _ = life.shown()
        assert not (here.deleted | there.deleted) & (messages.keys() | notes.keys())
    # The receipts of the draining travel once more; then nothing is new to anybody.
    carry(here, there)
    carry(there, here)
    assert [carry(*pair).added for pair in ((here, there), (there, here))] == [0, 0]
    if not any(report.bad for report in reports):
        assert here.shown() == there.shown()
