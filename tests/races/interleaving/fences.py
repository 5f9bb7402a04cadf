"""Taking fences away, one by one: never a setting of the product, only a patch while the actors run."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import pytest
from sqlalchemy import select, update
from tests.conftest import Dialect
from tests.races.interleaving.scheduler import Grain
from tests.races.interleaving.shelf import Shelf
from tests.races.interleaving.stage import slot_name

from seihon.canonical import conversations, database, outbox, scope
from seihon.canonical import search as searching
from seihon.canonical import tables as t
from seihon.canonical.outbox import Due
from seihon.canonical.scope import OWNER, REVISION, Reader, Writer, p
from seihon.canonical.transaction import Transaction
from seihon.core.resolve import Position
from seihon.memory import base, contexts, lineage
from seihon.memory.lineage import Taken

Patch = pytest.MonkeyPatch
TakeAway = Callable[[Patch], None]
BOTH: Final = frozenset(Dialect)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence, or a set of fences that cover for one another, and a schedule that needs it.

    ``plan`` names actors by their number, step by step; ``broken`` begins the sentence of the promise that a
    run without the fence breaks.
    """

    name: str
    deeds: Sequence[str]
    grain: Grain
    plan: str
    broken: str
    take: Sequence[TakeAway]
    where: frozenset[Dialect] = BOTH

    def choices(self) -> list[str]:
        """The plan, as schedules take it."""
        return [slot_name(int(number)) for number in self.plan]

    @contextmanager
    def taken(self, only: int | None = None) -> Generator[None]:
        """Take the fences away; ``only`` one of them."""
        with pytest.MonkeyPatch.context() as patch:
            for number, take in enumerate(self.take):
                if only is None or number == only:
                    take(patch)
            yield


def _answers(answer: object) -> Callable[..., object]:
    """Return what answers the same to everything."""

    def always(*_: object, **__: object) -> object:
        return answer

    return always


def marks_are_not_compared(patch: Patch) -> None:
    """Publish and settle what is held, also if it was marked again since it was leased."""
    leased: dict[tuple[str, str], Due] = {}
    lease, held = outbox.lease, outbox.held

    def remembering(tx: Writer, store: str, item: Due, *, until: int, token: str) -> bool:
        leased[token, item.key] = item
        return lease(tx, store, item, until=until, token=token)

    def as_leased(tx: Reader, store: str, *, token: str) -> list[Due]:
        return [leased[token, one.key] for one in held(tx, store, token=token)]

    patch.setattr(outbox, "lease", remembering)
    patch.setattr(outbox, "held", as_leased)


def versions_are_not_compared(patch: Patch) -> None:
    """Publish what was prepared, whatever stands now."""

    def publish(self: Shelf, tx: Writer, keys: Sequence[str], prepared: dict[str, Any]) -> Sequence[str]:
        self.held.update({(tx.owner, key): prepared[key] for key in keys if key in prepared})
        return ()

    patch.setattr(Shelf, "publish", publish)


def the_owner_is_not_locked(patch: Patch) -> None:
    """Derive without the owner's lock."""
    patch.setattr(database, "LOCK_OWNER", database.READ_OWNER)


def no_snapshot_is_kept(patch: Patch) -> None:
    """Let each statement of a read see what was committed last."""
    beginning: Any = Transaction._beginning  # pyright: ignore[reportPrivateUsage]

    def loosely(self: Transaction) -> list[str]:
        return [one for one in beginning(self) if "ISOLATION" not in one]

    patch.setattr(Transaction, "_beginning", loosely)


def expect_is_not_compared(patch: Patch) -> None:
    """Edit whatever version stands."""
    m = t.messages.c
    patch.setattr(
        conversations,
        "EDIT_MESSAGE",
        update(t.messages)
        .where(m.owner == OWNER, m.id == p("id"), m.deleted_revision.is_(None))
        .values(content=p("content_"), version=m.version + 1, revision=REVISION)
        .returning(m.version),
    )


def the_dead_are_found(patch: Patch) -> None:
    """Join hits to every stored message instead of the live ones."""
    every = select(t.messages).where(t.messages.c.owner == OWNER).subquery("live_messages")
    patch.setattr(scope, "live_messages", every)
    again = _a_second(searching)
    patch.setattr(searching, "SEARCH", again.SEARCH)
    patch.setattr(searching, "FOUND", again.FOUND)


def _a_second(module: ModuleType) -> Any:
    """Build a module anew beside itself, with what it imports as that is now."""
    found = importlib.util.spec_from_file_location("seihon_fence_taken", str(module.__file__))
    assert found is not None
    assert found.loader is not None
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def nothing_is_marked(patch: Patch) -> None:
    """Write without telling the copies."""
    patch.setattr(Writer, "mark", _answers(None))


def the_floor_is_open(patch: Patch) -> None:
    """Let statements from before a withdrawal count."""
    patch.setattr(Position, "reaches", _answers(True))


def a_context_is_not_looked_at_again(patch: Patch) -> None:
    """Hand a context out as it was read."""
    patch.setattr(contexts, "stands", _answers(True))


def a_search_is_not_looked_at_again(patch: Patch) -> None:
    """Answer a search as it was read."""
    patch.setattr(base, "stands", _answers(True))


def what_was_drawn_stays(patch: Patch) -> None:
    """Delete a message and leave what was drawn from it."""
    patch.setattr(lineage, "messages_deleted", _answers(Taken(0, ())))


def a_deleted_owner_is_written(patch: Patch) -> None:
    """Refuse nothing to a deleted owner."""
    patch.setattr(Reader, "require_live", _answers(None))


FENCES: Final[Sequence[Fence]] = (
    Fence(
        "a key that was marked again is not settled, and a copy of an older version not published",
        ("work", "edit"),
        Grain.EDGES,
        "0000000110",
        "P2: ",
        (marks_are_not_compared, versions_are_not_compared),
    ),
    Fence(
        "a copy is made under the owner's lock",
        ("work", "edit"),
        Grain.POINTS,
        "10000001111",
        "P2: ",
        (the_owner_is_not_locked,),
        frozenset({Dialect.POSTGRES}),
    ),
    Fence(
        "a read has one snapshot",
        ("summaries", "edit a source"),
        Grain.POINTS,
        "10011110",
        "P1: a read answered",
        (no_snapshot_is_kept,),
        frozenset({Dialect.POSTGRES}),
    ),
    Fence(
        "an edit names the version it expects",
        ("edit", "edit"),
        Grain.EDGES,
        "0011",
        "P6: ",
        (expect_is_not_compared,),
    ),
    Fence(
        "a hit is joined to what is live",
        ("search", "forget a conversation"),
        Grain.EDGES,
        "111000",
        "P2: a read showed",
        (the_dead_are_found,),
    ),
    Fence(
        "a write marks what the copies must look at again",
        ("edit", "work"),
        Grain.EDGES,
        "1111111100",
        "P2: ",
        (nothing_is_marked,),
    ),
    Fence(
        "a withdrawn statement leaves its floor",
        ("forget a message", "infer late"),
        Grain.EDGES,
        "00011",
        "P1: the field",
        (the_floor_is_open,),
    ),
    Fence(
        "a context is looked at again before it is handed out",
        ("context", "forget a message"),
        Grain.EDGES,
        "001110",
        "P2: a read showed",
        (a_context_is_not_looked_at_again,),
    ),
    Fence(
        "a search is looked at again before it is answered",
        ("search", "forget a message"),
        Grain.EDGES,
        "001110",
        "P2: a read showed",
        (a_search_is_not_looked_at_again,),
    ),
    Fence(
        "what was drawn from a message goes with it",
        ("forget a message", "append"),
        Grain.EDGES,
        "00011",
        "P2: ",
        (what_was_drawn_stays,),
    ),
    Fence(
        "a deleted owner refuses writes",
        ("forget an owner", "set"),
        Grain.EDGES,
        "00011",
        "P2: ",
        (a_deleted_owner_is_written,),
    ),
)
