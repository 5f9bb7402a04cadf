"""The verbs, each done to the product and to the model: what the machine's rules are made of."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from tests.machines import looking
from tests.machines.ledger import Ledger, Line, Slip, Talk
from tests.machines.said import AGAIN, Place, Said, Slot
from tests.machines.world import World

from seihon import errors
from seihon.memory import Memory
from seihon.model import Change, Claim, Message, Note, NoteState, Receipt, Role, StoreState, us

T = TypeVar("T")


class Steps:
    """One owner of a world, with its model. ``followed``: the copies have followed the last write."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.memory: Memory = world.prompt
        self.owner = world.owner("ann")
        self.ledger = Ledger(us(world.clock()))
        self.followed = True

    @contextmanager
    def wrote(self, revisions: int = 1, *, epochs: int = 0) -> Generator[None]:
        """Expect the block to raise the counters by so much; every revision leaves its events."""
        before = self.ledger.revision
        yield
        self.ledger.revision += revisions
        self.ledger.epoch += epochs
        told = [one.revision for one in self.events(before)]
        assert sorted(set(told)) == list(range(before + 1, self.ledger.revision + 1))
        if revisions and self.memory is self.world.lagging:
            self.followed = False

    def events(self, since: int) -> tuple[Change, ...]:
        """What happened after a revision."""
        return self.memory.changes(self.owner, since=since, limit=1000).items

    def instant(self) -> int:
        """The time of the last write (us)."""
        return us(self.events(self.ledger.revision - 1)[-1].at)

    def refused(
        self, expected: type[errors.SeihonError], act: Callable[..., Any], *given: Any, **by: Any
    ) -> None:
        """Expect a refusal that stores nothing."""
        with self.wrote(0), pytest.raises(expected):
            act(self.owner, *given, **by)

    def settled(self, receipt: Receipt) -> None:
        """Note a deletion's receipt; where the copies follow at once it is verified already."""
        self.ledger.receipts.append(receipt.id)
        assert receipt.revision == self.ledger.revision + 1
        if self.memory is self.world.prompt:
            assert receipt.state is StoreState.VERIFIED, receipt
            self.followed = True

    # Messages.

    def append(self, conversation: str, role: Role, text: str, **by: Any) -> Message:
        ledger = self.ledger
        with self.wrote():
            made = self.memory.append(self.owner, conversation, role, text, **by)
        ledger.turn += role is Role.USER
        turns = by.get("expires_after_turns")
        self.put(made, None if turns is None else ledger.turn + turns)
        assert (made.turn, made.version, made.role) == (ledger.turn, 1, role)
        ledger.talks[conversation].version += 1
        return made

    def put(self, made: Message, expires_turn: int | None = None) -> None:
        """Enter a message that the product holds now."""
        earlier = [line.at for line in self.ledger.of_talk(made.conversation)]
        assert us(made.at) >= max(earlier, default=0), "a conversation runs forwards in time"
        self.ledger.talks.setdefault(made.conversation, Talk())
        self.ledger.lines[made.id] = Line(made, expires_turn)

    def edit(self, message: Message, text: str) -> None:
        with self.wrote():
            made = self.memory.edit(self.owner, message.id, text, expect=message.version)
        wanted = replace(message, content=text, version=message.version + 1, revision=self.ledger.revision)
        assert made == wanted
        self.ledger.lines[message.id].noun = made
        self.ledger.talks[message.conversation].version += 1
        self.ledger.lose_drawn({message.id}, keep=True)

    def forget_messages(self, ids: list[str]) -> None:
        with self.wrote(epochs=1):
            receipt = self.memory.forget_messages(self.owner, ids)
            self.settled(receipt)
        assert receipt.counts["messages"] == len(ids)
        self.ledger.lose_lines(ids)
        self._meet_standing()

    def forget_conversation(self, conversation: str) -> None:
        with self.wrote(epochs=1):
            self.settled(self.memory.forget_conversation(self.owner, conversation))
        self.ledger.lose_talk(conversation)
        self._meet_standing()

    def _meet_standing(self) -> None:
        """Learn the ids of settings that were written anew because their repetition was deleted."""
        for (name, scope), slot in self.ledger.slots.items():
            for key in [key for key in slot.said if key.startswith(AGAIN)]:
                told = self.memory.history(self.owner, name, scope=scope, limit=1000)
                [claim] = [one for one in told if one.reason == "setting_stands" and one.id not in slot.said]
                again = slot.said.pop(key)
                assert (claim.value, claim.turn, us(claim.observed_at)) == (again.value, again.turn, again.at)
                again.id, again.revision = claim.id, claim.revision
                slot.said[claim.id] = again
                slot.chain = [claim.id if one == key else one for one in slot.chain]

    def forget_owner(self) -> None:
        with self.wrote(epochs=1):
            self.settled(self.memory.forget_owner(self.owner))
        self.ledger.lose_everything()

    def reopen(self) -> None:
        with self.wrote(epochs=1):
            assert self.memory.reopen(self.owner) == self.ledger.epoch + 1
        self.ledger.deleted = False

    def sweep(self) -> None:
        """Delete what has expired; nothing at all when nothing has."""
        lines, slips = self.ledger.expired()
        step = 1 if lines or slips else 0
        before = {one.id for one in self.memory.receipts(self.owner, limit=1000)}
        with self.wrote(step, epochs=step):
            found = self.memory.sweep(self.owner)
        assert (found.messages, found.notes) == (len(lines), len(slips))
        after = {one.id for one in self.memory.receipts(self.owner, limit=1000)}
        self.ledger.receipts += after - before
        self.ledger.lose_slips(slips)
        self.ledger.let_go(lines)

    def limit(self, conversation: str, limit: timedelta | None) -> None:
        with self.wrote():
            made = self.memory.update_conversation(self.owner, conversation, retention=limit)
        talk = self.ledger.talks[conversation]
        talk.retain = None if limit is None else limit // timedelta(microseconds=1)
        talk.version += 1
        assert (made.retention, made.version) == (limit, talk.version)

    def bring_in(self, conversation: str, lines: list[dict[str, Any]]) -> int:
        """Import lines; return how many were new."""
        before = self.memory.owner(self.owner).revision
        report = self.memory.import_transcript(self.owner, lines, conversation=conversation)
        assert report.bad == () and report.added + report.present + report.deleted == len(lines)
        with self.wrote(self.memory.owner(self.owner).revision - before):
            pass
        if report.added:
            found = self.memory.messages(self.owner, conversation, limit=1000).items
            new = [one for one in found if one.id not in self.ledger.lines]
            assert len(new) == report.added
            for one in new:
                self.put(one)
            self.ledger.talks[conversation].version = self.memory.conversation(
                self.owner, conversation
            ).version
        return report.added

    # Notes.

    def add_note(self, text: str, **by: Any) -> Note:
        with self.wrote():
            made = self.memory.add_note(self.owner, text, **by)
        self.ledger.slips[made.id] = Slip(made, us(made.observed_at), frozenset(made.sources))
        return made

    def edit_note(self, note: Note, text: str) -> None:
        with self.wrote():
            made = self.memory.edit_note(self.owner, note.id, expect=note.version, text=text)
        assert made == replace(note, text=text, version=note.version + 1, revision=self.ledger.revision)
        self.ledger.slips[note.id].noun = made

    def supersede_note(self, note: Note, text: str) -> None:
        with self.wrote():
            made = self.memory.supersede_note(self.owner, note.id, text)
        assert (made.scope, made.sources, made.expires_at) == (note.scope, note.sources, note.expires_at)
        self._moved(note, NoteState.SUPERSEDED, made.id)
        self.ledger.slips[made.id] = Slip(made, us(made.observed_at), frozenset(made.sources))

    def judge_note(self, note: Note, state: NoteState) -> None:
        verb = self.memory.confirm_note if state is NoteState.CURRENT else self.memory.reject_note
        with self.wrote():
            verb(self.owner, note.id)
        self._moved(note, state, None)

    def _moved(self, note: Note, state: NoteState, by: str | None) -> None:
        version, revision = note.version + 1, self.ledger.revision
        self.ledger.slips[note.id].noun = replace(
            note, state=state, superseded_by=by, version=version, revision=revision
        )

    def forget_note(self, note: Note) -> None:
        with self.wrote(epochs=1):
            self.settled(self.memory.forget_note(self.owner, note.id))
        self.ledger.lose_slips([note.id])

    # The profile.

    def set(self, name: str, scope: str, value: Any, **by: Any) -> None:
        slot = self.ledger.slot(name, scope)
        with self.wrote():
            state = self.memory.set(self.owner, name, value, scope=scope, **by)
        assert (state.value, state.status.value) == (value, "current")
        assert state.version > self.ledger.versions.get((name, scope), 0)
        one = self.memory.claim(self.owner, str(state.claim))
        self._record(slot, one, self._spoken(one, state="recorded"))

    def _spoken(self, claim: Claim, *, state: str, sources: tuple[Message, ...] = ()) -> Said:
        newest = max(sources, key=lambda one: (one.at, one.seq), default=None)
        seq, version = (newest.seq, newest.version) if newest else (0, 0)
        place: Place = (us(newest.at if newest else claim.observed_at), seq, version)
        assert newest is None or claim.observed_at == min(newest.at, newest.observed_at)
        confirmed = claim.confidence.value == "confirmed"
        ids = {one.id for one in sources}
        first = sources[0].id if sources else ""
        told = Said(claim.id, claim.value, confirmed, claim.turn, place, claim.revision, state, first, ids)
        told.at, told.own = us(claim.observed_at), not sources
        told.counted = claim.outcome == "accept" or claim.reason == "older"
        return told

    def _record(self, slot: Slot, claim: Claim, one: Said) -> None:
        assert claim.state.value == one.state, (claim, one)
        slot.said[one.id] = one
        if one.state == "recorded":
            slot.settle()

    def observe(self, name: str, scope: str, value: Any, sources: tuple[Message, ...], **by: Any) -> None:
        slot, before = self.ledger.slot(name, scope), self.memory.owner(self.owner).revision
        base = (slot.status, slot.value())
        claim = self.memory.observe(self.owner, name, value, scope=scope, **by)
        step = self.memory.owner(self.owner).revision - before
        with self.wrote(step):
            pass
        if claim.id in slot.said:
            self._stood(slot.said[claim.id], claim, sources, step)
            return
        assert step == 1
        one = self._spoken(claim, state="", sources=sources)
        self._nothing_stood(slot, one, claim, sources)
        one.base = base
        one.state = self.fate(slot, (name, scope), one, claim, sources)
        one.value = None if claim.reason == "field_deleted" else value
        self._record(slot, claim, one)

    @staticmethod
    def _stood(one: Said, claim: Claim, sources: tuple[Message, ...], step: int) -> None:
        new = {message.id for message in sources} - one.sources
        assert one.state in ("recorded", "candidate", "rejected")
        assert claim.state.value == one.state
        assert step in ((0, 1) if new and one.state == "candidate" else (0,))
        if step:
            one.sources |= new

    @staticmethod
    def _nothing_stood(slot: Slot, one: Said, claim: Claim, sources: tuple[Message, ...]) -> None:
        """The same thing drawn from the same words again is never a second claim, nor one turned down."""
        for other in slot.said.values():
            same = other.sources == one.sources and other.value == claim.value and len(sources) == 1
            same = same and other.place[2] == one.place[2]
            assert not (same and (other.state == "rejected" or _says_the_same(other, one)))

    def fate(
        self, slot: Slot, place: tuple[str, str], one: Said, claim: Claim, sources: tuple[Message, ...]
    ) -> str:
        """What becomes of a new statement."""
        grave = self.ledger.graves.get(place)
        if grave is not None and one.place[0] <= grave:
            return "rejected"
        if any(message.role is not Role.USER for message in sources):
            return "candidate"
        if not one.confirmed and slot.status == "declined":
            return "candidate"
        if not slot.above(one):
            return "rejected"
        waits = slot.rule.inferred.value == "candidate"
        return "candidate" if waits and not one.confirmed else "recorded"

    def confirm(self, candidate: str, *, seen: bool) -> None:
        """Confirm, naming the version that was seen or not."""
        page = self.memory.candidates(self.owner, limit=1000).items
        shown = next(one for one in page if one.id == candidate)
        slot = self.ledger.slots[shown.field, shown.scope]
        waiting = slot.said[candidate]
        moved = shown.base_version != shown.current_version
        if not seen and moved and (slot.status, slot.value()) != waiting.base:
            self.refused(errors.StaleCandidate, self.memory.confirm, candidate)
            return
        with self.wrote():
            expect = shown.current_version if seen else None
            state = self.memory.confirm(self.owner, candidate, expect=expect)
        assert (state.value, state.status.value) == (waiting.value, "current")
        waiting.state = "confirmed"
        claim = self.memory.claim(self.owner, str(state.claim))
        self._record(slot, claim, self._spoken(claim, state="recorded"))

    def reject(self, candidate: str) -> None:
        slot = self.ledger.slots[self.ledger.waiting()[candidate]]
        with self.wrote():
            self.memory.reject(self.owner, candidate)
        slot.said[candidate].state = "rejected"

    def decline(self, name: str, scope: str) -> None:
        with self.wrote():
            state = self.memory.decline(self.owner, name, scope=scope)
        assert (state.status.value, state.value) == ("declined", None)
        self.ledger.slot(name, scope).close((self.instant(), 0, 0), "declined")

    def forget_field(self, name: str, scope: str) -> None:
        slot = self.ledger.slots[name, scope]
        with self.wrote(epochs=1):
            self.settled(self.memory.forget_field(self.owner, name, scope=scope))
        self.ledger.graves[name, scope] = self.instant()
        for one in slot.said.values():
            one.state, one.value = "withdrawn", None
        slot.close((self.instant(), 0, 0), "withdrawn")

    # The copies.

    def follow(self) -> None:
        """Let the copies follow, as a worker elsewhere does."""
        for receipt in self.memory.receipts(self.owner, limit=1000):
            if receipt.state is not StoreState.VERIFIED:
                self.world.prompt.wait(self.owner, receipt.id, timeout=20)
        self.world.prompt.copies.drain(self.world.prompt.key(self.owner))
        self.followed = True

    def look(self) -> None:
        """Compare every surface with the model."""
        looking.compare(self.memory, self.owner, self.ledger, followed=self.followed)


def _says_the_same(other: Said, one: Said) -> bool:
    return other.state == "recorded" and other.confirmed == one.confirmed
