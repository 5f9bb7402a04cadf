"""Every surface of one owner, read and compared with the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import select
from tests.machines.ledger import CANARY, Ledger
from tests.machines.said import RULES, Answer

from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER
from seihon.core import scopes
from seihon.memory import Memory
from seihon.model import FieldState, HitKind, NoteState, us

# A word that every text of the machine holds.
COMMON: Final = "harbour"
SCOPES: Final = ("default", "work", "work/legal")
_ANSWERS: Final = ("current", "stale", "declined")


def compare(memory: Memory, owner: str, ledger: Ledger, *, followed: bool) -> None:
    """Check every surface; ``followed``: the copies have followed the last write."""
    ledger.now = us(memory.clock())
    counters(memory, owner, ledger)
    if ledger.deleted:
        return
    readable = ledger.readable()
    for name, shown in _surfaces(memory, owner, ledger, followed=followed):
        seen = set(CANARY.findall(shown))
        assert seen <= readable, f"{name} shows what cannot be read: {seen - readable}"


def same(told: Mapping[Any, Any], wanted: Mapping[Any, Any], what: str) -> None:
    """Compare two dicts and name the keys on which they differ."""
    keys = {
        key for key in told.keys() | wanted.keys() if told.get(key, "nothing") != wanted.get(key, "nothing")
    }
    differing = {key: (told.get(key, "nothing"), wanted.get(key, "nothing")) for key in keys}
    assert not differing, f"{what}: told, and wanted: {differing}"


def counters(memory: Memory, owner: str, ledger: Ledger) -> None:
    """The owner's counters, its history without gaps, its receipts."""
    found = memory.owner(owner)
    told = (found.revision, found.epoch, found.turn, found.deleted)
    assert told == (ledger.revision, ledger.epoch, ledger.turn, ledger.deleted)
    assert sorted(one.id for one in memory.receipts(owner, limit=1000)) == sorted(ledger.receipts)


def _surfaces(memory: Memory, owner: str, ledger: Ledger, *, followed: bool) -> Iterator[tuple[str, str]]:
    yield "messages", messages(memory, owner, ledger)
    yield "notes", notes(memory, owner, ledger)
    yield "profile", profile(memory, owner, ledger)
    yield "history", history(memory, owner, ledger)
    yield "search", search(memory, owner, ledger, followed=followed)
    yield "receipts", repr(memory.receipts(owner, limit=1000))
    if ledger.revision:
        yield "export", export(memory, owner, ledger)


def messages(memory: Memory, owner: str, ledger: Ledger) -> str:
    """Conversations and their pages."""
    found = memory.conversations(owner, limit=1000).items
    assert {one.id for one in found} == set(ledger.talks)
    pages = [memory.messages(owner, talk, limit=1000).items for talk in sorted(ledger.talks)]
    wanted = ledger.messages()
    assert [one for page in pages for one in page] == wanted
    for talk in found:
        assert talk.messages == sum(one.conversation == talk.id for one in wanted), talk.id
        assert talk.version == ledger.talks[talk.id].version
    return repr((found, pages))


def notes(memory: Memory, owner: str, ledger: Ledger) -> str:
    """Notes in every state."""
    shown: list[Any] = []
    for state in NoteState:
        found = list(memory.notes(owner, state=state, limit=1000).items)
        assert found == ledger.notes(state.value), state
        shown.append(found)
    return repr(shown)


def profile(memory: Memory, owner: str, ledger: Ledger) -> str:
    """Values, states and versions in every scope."""
    shown: list[str] = []
    for scope in SCOPES:
        found = memory.profile(owner, scope=scope)
        for name, state in found.states.items():
            wanted = expected(ledger, name, scope)
            told = (state.status.value, state.value, state.last_known)
            assert told == (wanted.status, wanted.value, wanted.last_known), (name, scope)
            _version_only_grows(ledger, state)
        shown.append(repr(found.states))
    return "".join(shown)


def _version_only_grows(ledger: Ledger, state: FieldState) -> None:
    place = (state.field, state.scope)
    before = ledger.versions.get(place, 0)
    assert state.version >= before or place not in ledger.slots, place
    ledger.versions[place] = max(before, state.version)


def expected(ledger: Ledger, name: str, scope: str) -> Answer:
    """What a read in a scope shows: the narrowest that answers, else the narrowest that was ever set."""
    names = scopes.applicable(scope) if RULES.field(name).scoped else ("default",)
    slots = [ledger.slots[name, one] for one in names if (name, one) in ledger.slots]
    answers = [(slot, slot.read(ledger.turn, ledger.now)) for slot in slots]
    for _, answer in answers:
        if answer.status in _ANSWERS:
            return answer
    set_once = [answer for slot, answer in answers if slot.status != "blank"]
    return set_once[0] if set_once else Answer("blank")


def history(memory: Memory, owner: str, ledger: Ledger) -> str:
    """Every claim with its state and value; the candidates are those that wait."""
    shown: list[Any] = []
    for name in RULES.fields:
        found = memory.history(owner, name, limit=1000)
        wanted = {
            one.id: (one.state, ledger.shown(one))
            for (field, _), slot in ledger.slots.items()
            for one in slot.said.values()
            if field == name
        }
        same({one.id: (one.state.value, one.value) for one in found}, wanted, name)
        shown.append(found)
    waiting = memory.candidates(owner, limit=1000).items
    assert {one.id for one in waiting} == set(ledger.waiting())
    return repr((shown, waiting))


def search(memory: Memory, owner: str, ledger: Ledger, *, followed: bool) -> str:
    """A search that everything live answers to, each hit as the original has it now."""
    found = memory.search(owner, COMMON, k=1000)
    wanted = {one.id: one.content for one in ledger.messages()}
    wanted |= {one.id: one.text for one in ledger.notes("current")}
    told = {one.id: one.text for one in found}
    same(told, wanted if followed else {key: wanted.get(key) for key in told}, "search")
    assert len(told) == len(found)
    for one in found:
        assert (one.kind is HitKind.MESSAGE) == (one.id in ledger.lines)
    return repr(found)


def export(memory: Memory, owner: str, ledger: Ledger) -> str:
    """What the person may take along: every text that can be read."""
    shown = "\n".join(memory.export(owner))
    texts = [one.content for one in ledger.messages()] + [one.text for one in ledger.notes("current")]
    missing = {canary for text in texts for canary in CANARY.findall(text)} - set(CANARY.findall(shown))
    assert not missing, f"the export lacks {missing}"
    return shown


def at_rest(memory: Memory, owner: str, ledger: Ledger) -> None:
    """Nothing that was deleted is in any row, whether it can be read or not."""
    with memory.db.read(memory.key(owner)) as tx:
        for table in t.OWNED:
            held = set(CANARY.findall(repr(tx.all(select(table).where(table.c.owner == OWNER)))))
            assert held <= ledger.stored(), f"{table.name} holds what was deleted: {held - ledger.stored()}"


def context(memory: Memory, owner: str, ledger: Ledger, conversation: str, query: str) -> None:
    """A context holds nothing that cannot be read, and every value that stands."""
    found = memory.context(owner, conversation=conversation, query=query, purpose="work", budget=6_000)
    assert found.tokens <= found.budget
    seen = set(CANARY.findall(repr((found.text, found.messages))))
    assert seen <= ledger.readable(), f"shown although it cannot be read: {seen - ledger.readable()}"
    values = {one.id for one in found.items if one.kind == "profile"}
    wanted = {name for name in RULES.fields if expected(ledger, name, "work").value is not None}
    assert {key.partition("@")[0] for key in values} == wanted
    newest = [one.id for one in ledger.messages() if one.conversation == conversation][-1:]
    assert set(newest) <= {one.id for one in found.items}
    assert memory.trace(owner, found.trace).items == found.items
