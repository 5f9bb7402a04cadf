"""The six promises, asked after every schedule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from tests.races.interleaving.deeds import READS
from tests.races.interleaving.facts import OWNER, Facts
from tests.races.interleaving.scheduler import Schedule
from tests.races.interleaving.stage import COMMON, CONVERSATION, NEW, OLD, World

from seihon import errors
from seihon.derived import comparing
from seihon.memory import Memory
from seihon.model import StoreState

WORD: Final = re.compile(r"\bzq\d+[xv]\b")


@dataclass(slots=True)
class Play:
    """One schedule that was run: whose, what was acknowledged, and what each read might have answered.

    ``truths``: after how many events a surface showed what, from the start on and after each commit.
    """

    world: World
    owner: str
    facts: Facts
    schedule: Schedule
    truths: list[tuple[int, dict[str, str]]] = field(default_factory=list[tuple[int, dict[str, str]]])

    def look(self, readings: Iterable[str]) -> None:
        """Note what these surfaces show at this instant."""
        # A context is recorded: it cannot be asked for while an actor holds SQLite's one writer.
        free = not self.world.is_writing
        asked = [name for name in readings if free or name != "context"]
        found = {name: repr(_or_code(READS[name], self.world.home, self.owner)) for name in asked}
        self.truths.append((len(self.schedule.events), found))


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything that can be read of an owner in the end, and every word in its rows."""

    shown: Mapping[str, Any]
    rows: set[str]

    def words(self, *surfaces: str) -> set[str]:
        """The canaries that surfaces show, by default all."""
        return set(WORD.findall(repr([self.shown[name] for name in surfaces or self.shown])))


def kept(play: Play) -> None:
    """Check every promise of a play whose actors have ended.

    Raises:
        AssertionError: one was broken.
    """
    reads_were_true(play)
    nothing_gone_is_readable_at_once(play)
    finish(play)
    seen = look(play)
    corrections_win(play, seen)
    deletions_reach_everything(play, seen)
    nothing_comes_back(play, seen)
    everything_is_explained(play, seen)
    nothing_acknowledged_is_lost(play, seen)
    nobody_elses(play)


def finish(play: Play) -> None:
    """End what is left to do, as the next worker does."""
    home, key = play.world.home, play.world.home.key(play.owner)
    home.copies.drain(key)
    if play.world.raw.due(key) or any(
        one.state is not StoreState.VERIFIED for one in home.receipts(play.owner)
    ):
        play.world.clock.advance(seconds=61)
        home.copies.drain(key)


def look(play: Play) -> Seen:
    """Read everything once."""
    home, owner = play.world.home, play.owner
    reads: dict[str, Callable[[Memory, str], Any]] = {
        "search": lambda m, o: m.search(o, COMMON, k=50),
        "context": READS["context"],
        "summaries": READS["summaries"],
        "profile": lambda m, o: m.profile(o).states["city"],
        "messages": lambda m, o: m.messages(o, CONVERSATION).items,
        "others": lambda m, o: m.messages(o, "c2").items,
        "notes": lambda m, o: m.notes(o).items,
        "history": lambda m, o: m.history(o, "city"),
        "candidates": lambda m, o: m.candidates(o).items,
        "receipts": lambda m, o: m.receipts(o).items,
    }
    shown = {name: _or_code(read, home, owner) for name, read in reads.items()}
    return Seen(shown, set(WORD.findall(play.world.raw.rows(home.key(owner)))))


def reads_were_true(play: Play) -> None:
    """Each read answered what stood during it, and nothing that was deleted before its last look."""
    for shown in play.facts.shown:
        begin = play.schedule.position(shown.actor, "tx.begin") or 0
        end = play.schedule.position(shown.actor, "tx.begun", last=True) or 0
        before = [at for at, _ in play.truths if at <= begin][-1]
        allowed = [one.get(shown.reading) for at, one in play.truths if before <= at <= end]
        assert None in allowed or repr(shown.text) in allowed, (
            "P1: a read answered what never stood",
            shown.text,
            allowed,
        )
        late = set(WORD.findall(shown.text)) & play.facts.gone_by(_committed(play, before=end))
        assert not late, ("P2: a read showed what was deleted before its last look", late)


def nothing_gone_is_readable_at_once(play: Play) -> None:
    """P1, P2: what was deleted or edited away cannot be read, whatever the copies still hold."""
    gone = play.facts.gone()
    for name, read in READS.items() if gone else ():
        shown = set(WORD.findall(repr(_or_code(read, play.world.home, play.owner))))
        assert not gone & shown, (f"P2: {name} shows at once", gone & shown)


def _committed(play: Play, *, before: int) -> list[str]:
    positions = {name: play.schedule.position(name, "write.after_commit") for name in play.schedule.actors}
    return [name for name, at in positions.items() if at is not None and at < before]


def corrections_win(play: Play, seen: Seen) -> None:
    """P1: the field says what follows from the order of the commits, and no text says otherwise."""
    if OWNER in play.facts.ended():
        return
    wanted, state = play.facts.city(), seen.shown["profile"]
    assert state.value == wanted, ("P1: the field", state, wanted)
    if ("conversation", CONVERSATION) not in play.facts.ended():
        told = set(re.findall(r"city: (zq\d+[xv])", seen.shown["context"]))
        assert told == ({wanted} if wanted else set()), ("P1: a context", told, wanted)
    if wanted == NEW and OLD in play.facts.standing(("value",)):
        marked = [hit for hit in seen.shown["search"] if OLD in hit.text]
        assert all(hit.superseded for hit in marked), "P1: a superseded sentence is not marked"


def deletions_reach_everything(play: Play, seen: Seen) -> None:
    """P2: nothing deleted on any surface or in any row; receipts verified; copies equal the original."""
    home, key, gone = play.world.home, play.world.home.key(play.owner), play.facts.gone()
    assert not gone & seen.words(), ("P2: a surface shows", gone & seen.words(), seen.shown)
    assert not gone & seen.rows, ("P2: a row holds", gone & seen.rows)
    shelf = set(WORD.findall(repr(play.world.shelf.of(key))))
    assert not gone & shelf, ("P2: a slow copy holds", gone & shelf)
    states = {one.state for one in seen.shown["receipts"]}
    assert states <= {StoreState.VERIFIED}, ("P2: a receipt is not verified", states)
    found = [comparing.compare(home.db, one, key, repair=False).differences for one in home.copies.stores]
    assert not any(found), ("P2: a copy differs from the original", found)


def nothing_comes_back(play: Play, seen: Seen) -> None:
    """P3: what was refused left nothing, and a deleted id is dead."""
    done = play.facts.items.keys() | {str(one.says) for one in play.facts.deeds}
    assert not (play.facts.tried - done) & seen.rows, "P3: a refused write left something"
    for kind, key in play.facts.ended():
        if kind == "message" and OWNER not in play.facts.ended():
            with pytest.raises(errors.Gone):
                play.world.home.append(play.owner, "c2", "user", "back", id=key)


def nobody_elses(play: Play) -> None:
    """P4: the neighbour has what it had."""
    home, was = play.world.home, play.world.neighbour[0]
    assert home.owner(was.id) == was, "P4: the neighbour"


def everything_is_explained(play: Play, seen: Seen) -> None:
    """P5: a value names the claim that it came from, a blank its reason."""
    if OWNER in play.facts.ended():
        return
    state = seen.shown["profile"]
    claims = {one.id: (one.value, one.state.value) for one in seen.shown["history"]}
    if state.value is not None:
        assert claims[state.claim] == (state.value, "recorded"), ("P5: the claim of a value", claims, state)
    assert state.value is not None or state.reason, "P5: a blank without a reason"


def nothing_acknowledged_is_lost(play: Play, seen: Seen) -> None:
    """P6: every acknowledged text that was not deleted can be read; revisions have no gap."""
    home, owner = play.world.home, play.owner
    told = sorted({one.revision for one in home.changes(owner, limit=1000)})
    assert told == list(range(1, home.owner(owner).revision + 1)), ("P6: revisions", told)
    if OWNER in play.facts.ended():
        return
    standing = play.facts.standing(("text", "edit", "note"))
    for surfaces in (("messages", "others", "notes"), ("search",)):
        assert standing <= seen.words(*surfaces), (f"P6: {surfaces} lack", standing - seen.words(*surfaces))


def _or_code(read: Callable[[Memory, str], Any], memory: Memory, owner: str) -> Any:
    try:
        return read(memory, owner)
    except (errors.Gone, errors.NotFound, errors.OwnerDeleted) as refused:
        return refused.code
