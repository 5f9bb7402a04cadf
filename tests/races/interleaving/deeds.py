"""What actors do: one line in ``DEEDS`` makes a verb take part in every pair and triple."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.races.interleaving.facts import OWNER, Deed, Facts, Item, Key, Shown
from tests.races.interleaving.stage import COMMON, CONVERSATION, LATE, NEW, TEXTS, World

from seihon import errors
from seihon.memory import Memory

# What another actor's verb may turn a verb down for; anything else is a fault.
REFUSALS: Final = (
    errors.Gone,
    errors.NotFound,
    errors.OwnerDeleted,
    errors.VersionConflict,
    errors.Conflict,
    errors.InvalidArgument,
)


@dataclass(frozen=True, slots=True)
class Part:
    """One actor in one schedule: its name and number, its memory, its owner, and where facts are noted."""

    name: str
    number: int
    memory: Memory
    owner: str
    facts: Facts
    world: World

    def did(self, *ended: Key, says: str | None = None) -> None:
        """Note an acknowledged write."""
        self.facts.deeds.append(Deed(self.name, frozenset(ended), says))

    def word(self, series: int) -> str:
        """Return a canary of this actor's own."""
        word = f"zq{series}{self.number}x"
        self.facts.tried.add(word)
        return word


Act = Callable[[Part], None]
Read = Callable[[Memory, str], str]


def append(part: Part) -> None:
    word = part.word(6)
    made = part.memory.append(part.owner, CONVERSATION, "user", f"{word} and the {COMMON} again")
    part.facts.items[word] = Item("text", made.id)
    part.did()


def edit(message: str) -> Act:
    """Edit a message of the stage in its first version."""

    def act(part: Part) -> None:
        word = part.word(7)
        part.memory.edit(part.owner, message, f"{word} the {COMMON} is shut", expect=1)
        part.facts.items[word] = Item("edit", message)
        part.did(("text", message))

    return act


def supersede(part: Part) -> None:
    part.memory.observe(
        part.owner,
        "city",
        NEW,
        confidence="confirmed",
        message="m2",
        quote=TEXTS["m2"],
        message_version=1,
    )
    part.did(says=NEW)


def late(part: Part) -> None:
    part.memory.observe(part.owner, "city", LATE, confidence="inferred", message="m0", quote=TEXTS["m0"])
    part.did(says=LATE)


def set_field(part: Part) -> None:
    word = part.word(8)
    part.memory.set(part.owner, "city", word)
    part.facts.items[word] = Item("setting", "")
    part.did(says=word)


def forget_message(message: str) -> Act:
    """Delete a message of the stage."""

    def act(part: Part) -> None:
        part.memory.forget_message(part.owner, message)
        part.did(("message", message))

    return act


def forget_conversation(part: Part) -> None:
    part.memory.forget_conversation(part.owner, CONVERSATION)
    part.did(("conversation", CONVERSATION))


def forget_owner(part: Part) -> None:
    part.memory.forget_owner(part.owner)
    part.did(OWNER)


def forget_field(part: Part) -> None:
    part.memory.forget_field(part.owner, "city")
    part.did(("field", "city"))


def rebuild(part: Part) -> None:
    part.memory.rebuild(part.owner, store="fulltext")
    part.memory.copies.rebuild(part.memory.key(part.owner), part.world.shelf.name)


def summarise(part: Part) -> None:
    part.memory.summarise(part.owner, CONVERSATION)


def work(part: Part) -> None:
    part.memory.copies.drain(part.memory.key(part.owner))


def _search(memory: Memory, owner: str) -> str:
    return repr([(hit.id, hit.text, hit.superseded) for hit in memory.search(owner, COMMON)])


def _context(memory: Memory, owner: str) -> str:
    return memory.context(owner, conversation=CONVERSATION, query=COMMON).text


def _profile(memory: Memory, owner: str) -> str:
    return str(memory.profile(owner)["city"])


def _summaries(memory: Memory, owner: str) -> str:
    found = memory.summaries(owner, CONVERSATION)
    return repr([(one.state, one.version, one.text, one.superseded) for one in found])


READS: Final[Mapping[str, Read]] = {
    "search": _search,
    "context": _context,
    "profile": _profile,
    "summaries": _summaries,
}


def read(reading: str) -> Act:
    """Read a surface and note what it showed."""

    def act(part: Part) -> None:
        part.facts.shown.append(Shown(part.name, reading, READS[reading](part.memory, part.owner)))

    return act


DEEDS: Final[Mapping[str, Act]] = {
    "append": append,
    "edit": edit("m3"),
    "edit a source": edit("m1"),
    "supersede": supersede,
    "infer late": late,
    "set": set_field,
    "forget a message": forget_message("m1"),
    "forget a fresh message": forget_message("m3"),
    "forget a conversation": forget_conversation,
    "forget an owner": forget_owner,
    "forget a field": forget_field,
    "rebuild": rebuild,
    "summarise": summarise,
    "work": work,
    **{name: read(name) for name in READS},
}
"""A new verb, or a read of a new store, joins here with one line."""


def perform(name: str, part: Part) -> None:
    """Do a deed; a refusal is noted by its code."""
    try:
        DEEDS[name](part)
    except REFUSALS as refused:
        part.facts.refused[part.name] = refused.code
