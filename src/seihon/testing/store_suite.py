"""The suite that proves a derived store: six lines make it yours.

    class TestMine(StoreContract):
        @pytest.fixture
        def url(self, tmp_path):
            return str(tmp_path / "mine.sqlite")

        def make_store(self):
            return Mine()

Each test is one promise of ``seihon.derived.contract``, on a database of its own at ``url`` (an unmigrated
SQLite path, or the URL of a migrated PostgreSQL database). The store copies messages, and notes if it follows
them. One whose copy is made of several messages says of how many (``messages``) and names the copy's key
(``key_of``); one whose copies are retracted by the deleting transaction itself says so (``retracts``).
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from seihon.canonical.scope import Reader
from seihon.derived.contract import Difference, DifferenceKind, PreparedStore, Store, Target
from seihon.memory import Derive, Memory
from seihon.model import Message, Receipt, TargetKind, us
from seihon.testing.clock import FakeClock

OWNER = "ann"
SECRET = b"the key of a contract suite, of thirty-two bytes and more"
LIMIT = 3


class StoreContract:
    """Subclass it, give it ``url`` and ``make_store``."""

    messages: int = 1
    """How many messages one copy is made of."""

    retracts: bool = False
    """Whether an edit or a deletion takes the copy away by itself; until the store follows there is a gap."""

    def key_of(self, message: Message) -> str:
        """Return the key of the copy that is made of a message, the first of ``messages``."""
        return f"message:{message.id}"

    def say(self, memory: Memory, count: int, *, to: str = "c1", owner: str = OWNER) -> list[Message]:
        """Append what makes ``count`` copies; return the first message of each."""
        return say(memory, count * self.messages, to=to, owner=owner)[:: self.messages]

    def stale(self, kind: DifferenceKind) -> DifferenceKind:
        """Return how a copy differs whose original changed: as told, unless it was taken away at once."""
        return DifferenceKind.GAP if self.retracts else kind

    def make_store(self) -> Store:
        """Return a fresh store."""
        raise AssertionError("a subclass returns its store here")

    @pytest.fixture
    def store(self) -> Store:
        """The store under test."""
        return self.make_store()

    @pytest.fixture
    def memory(self, url: str, store: Store) -> Generator[Memory]:
        """A memory whose writes mark the store's keys; nothing follows by itself."""
        with Memory.open(
            url, clock=FakeClock(), derive=Derive.EXTERNAL, secret=SECRET, tenant="suite"
        ) as opened:
            opened.db.stores = {store.name: store.follows}
            opened.copies.stores = (store,)
            opened.copies.worker.stores = (store,)
            yield opened

    # -- P1 and P3: it follows

    def test_p1_a_refreshed_store_agrees_with_the_original(self, memory: Memory, store: Store) -> None:
        """Writing and refreshing leaves no difference."""
        self.say(memory, 3)
        memory.add_note(OWNER, "likes tea")
        follow(memory)
        assert differences(memory, store) == {}

    def test_p1_an_edit_is_a_difference_until_it_is_refreshed(self, memory: Memory, store: Store) -> None:
        """A copy of an earlier version is told apart from a good one."""
        message = self.say(memory, 1)[0]
        follow(memory)
        memory.edit(OWNER, message.id, "other words entirely", expect=1)
        assert differences(memory, store) == {self.key_of(message): self.stale(DifferenceKind.STALE)}
        follow(memory)
        assert differences(memory, store) == {}

    def test_p3_a_refresh_after_a_deletion_brings_nothing_back(self, memory: Memory, store: Store) -> None:
        """Whatever is refreshed, and how often: what was deleted stays out."""
        message = self.say(memory, 1)[0]
        follow(memory)
        receipt = memory.forget_message(OWNER, message.id)
        empty(memory, store, receipt)
        for _ in range(2):
            refresh(memory, store, self.key_of(message))
            assert leftovers(memory, store, receipt) == 0

    def test_p3_a_copy_made_before_a_deletion_is_not_kept_after_it(
        self, memory: Memory, store: Store
    ) -> None:
        """A key that was marked before the deletion is refreshed after it."""
        message = self.say(memory, 1)[0]
        receipt = memory.forget_message(OWNER, message.id)
        refresh(memory, store, self.key_of(message))
        assert leftovers(memory, store, receipt) == 0
        assert differences(memory, store) == {}

    # -- P2: it gives up what was deleted

    def test_p2_a_message_is_purged(self, memory: Memory, store: Store) -> None:
        """Of a message nothing is left, and the others stay."""
        gone, _kept = self.say(memory, 2)
        follow(memory)
        receipt = memory.forget_message(OWNER, gone.id)
        assert leftovers(memory, store, receipt) > 0
        empty(memory, store, receipt)
        assert leftovers(memory, store, receipt) == 0
        if self.retracts:
            follow(memory)
        assert differences(memory, store) == {}

    def test_p2_a_note_is_purged(self, memory: Memory, store: Store) -> None:
        """Of a note nothing is left."""
        note = memory.add_note(OWNER, "likes tea")
        follow(memory)
        receipt = memory.forget_note(OWNER, note.id)
        empty(memory, store, receipt)
        assert leftovers(memory, store, receipt) == 0

    def test_p2_a_conversation_is_purged_in_batches(self, memory: Memory, store: Store) -> None:
        """Each batch is bounded; an empty one comes last; other conversations stay."""
        self.say(memory, 2 * LIMIT + 1, to="gone")
        self.say(memory, 1, to="kept")
        follow(memory)
        receipt = memory.forget_conversation(OWNER, "gone")
        assert empty(memory, store, receipt) >= 3
        assert leftovers(memory, store, receipt) == 0
        follow(memory)
        assert differences(memory, store) == {}

    def test_p2_an_owner_is_purged_and_its_next_life_is_not(self, memory: Memory, store: Store) -> None:
        """The bound of the deletion tells the lives apart."""
        self.say(memory, LIMIT + 1)
        follow(memory)
        receipt = memory.forget_owner(OWNER)
        memory.reopen(OWNER)
        self.say(memory, 1, to="anew")
        follow(memory)
        empty(memory, store, receipt)
        assert leftovers(memory, store, receipt) == 0
        assert differences(memory, store) == {}

    def test_p2_a_purge_can_be_done_again(self, memory: Memory, store: Store) -> None:
        """A second purge finds nothing."""
        message = self.say(memory, 1)[0]
        follow(memory)
        receipt = memory.forget_message(OWNER, message.id)
        empty(memory, store, receipt)
        assert empty(memory, store, receipt) == 0

    # -- P4: it keeps owners apart

    def test_p4_another_owner_is_not_touched(self, memory: Memory, store: Store) -> None:
        """Deleting one owner leaves the other's copies in line with the original."""
        self.say(memory, 2)
        self.say(memory, 2, owner="bob")
        follow(memory)
        follow(memory, "bob")
        empty(memory, store, memory.forget_owner(OWNER))
        assert differences(memory, store, "bob") == {}

    # -- P5: it can be compared

    def test_p5_what_was_not_refreshed_is_a_gap(self, memory: Memory, store: Store) -> None:
        """A missing copy is named by its key."""
        message = self.say(memory, 1)[0]
        assert differences(memory, store) == {self.key_of(message): DifferenceKind.GAP}

    def test_p5_what_outlives_its_original_is_an_orphan(self, memory: Memory, store: Store) -> None:
        """A copy of what was deleted is named by its key."""
        message = self.say(memory, 1)[0]
        follow(memory)
        memory.forget_message(OWNER, message.id)
        assert differences(memory, store) == {self.key_of(message): self.stale(DifferenceKind.ORPHAN)}

    def test_p5_every_key_is_listed_once_and_in_order(self, memory: Memory, store: Store) -> None:
        """A rebuild that walks the keys by pages meets each."""
        said = self.say(memory, 2 * LIMIT + 1)
        note = memory.add_note(OWNER, "likes tea")
        follow(memory)
        found = keys(memory, store)
        assert found == sorted(set(found))
        notes = {f"note:{note.id}"} if "note" in store.follows else set[str]()
        assert {*map(self.key_of, said), *notes} <= set(found)

    # -- P6: it can be done again

    def test_p6_refreshing_twice_changes_nothing(self, memory: Memory, store: Store) -> None:
        """A key that was settled and is refreshed once more stays right."""
        message = self.say(memory, 1)[0]
        follow(memory)
        refresh(memory, store, self.key_of(message))
        assert differences(memory, store) == {}

    def test_p6_a_repair_mends_every_difference(self, memory: Memory, store: Store) -> None:
        """Gaps, stale copies and orphans at once."""
        edited, gone, kept = self.say(memory, 3)
        follow(memory)
        memory.edit(OWNER, edited.id, "other words entirely", expect=1)
        memory.forget_message(OWNER, gone.id)
        missing = self.say(memory, 1)[0]
        found = differences(memory, store)
        assert set(found) == {self.key_of(edited), self.key_of(gone), self.key_of(missing)}
        with memory.db.derive(memory.key(OWNER)) as tx:
            store.repair(tx, list(found))
        if isinstance(store, PreparedStore):
            follow(memory)
        assert differences(memory, store) == {}
        assert self.key_of(kept) in keys(memory, store)


def say(memory: Memory, count: int, *, to: str = "c1", owner: str = OWNER) -> list[Message]:
    """Append messages."""
    words = ("green tea in the morning", "東京に住んでいます", "order POL-358 is late")
    return [memory.append(owner, to, "user", f"{words[n % 3]} {n}") for n in range(count)]


def follow(memory: Memory, owner: str = OWNER) -> None:
    """Let the store follow everything that is due."""
    memory.copies.worker.drain(memory.key(owner))


def refresh(memory: Memory, store: Store, *wanted: str) -> None:
    """Refresh keys, marked or not; copies that are prepared, by the three steps of the worker."""
    if isinstance(store, PreparedStore):
        with memory.db.derive(memory.key(OWNER)) as tx:
            gathered = store.gather(tx, wanted)
        prepared = store.prepare(gathered)
        with memory.db.derive(memory.key(OWNER)) as tx:
            store.publish(tx, wanted, prepared)
        return
    with memory.db.derive(memory.key(OWNER)) as tx:
        store.refresh(tx, wanted)


def empty(memory: Memory, store: Store, receipt: Receipt) -> int:
    """Purge batch by batch until an empty one; return how many were not empty."""
    batches = 0
    while True:
        with memory.db.derive(memory.key(OWNER)) as tx:
            if store.purge(tx, _target(receipt), LIMIT) == 0:
                return batches
        batches += 1


def leftovers(memory: Memory, store: Store, receipt: Receipt) -> int:
    """Read back in a fresh snapshot."""
    with memory.db.read(memory.key(OWNER)) as tx:
        return store.leftovers(tx, _target(receipt))


def differences(memory: Memory, store: Store, owner: str = OWNER) -> dict[str, DifferenceKind]:
    """Compare page by page; the counts of a store that is behind are of no interest here."""
    with memory.db.read(memory.key(owner)) as tx:
        found = list(_differences(tx, store))
    return {one.key: one.kind for one in found if one.kind is not DifferenceKind.COUNT}


def keys(memory: Memory, store: Store) -> list[str]:
    """Walk the store's keys by pages."""
    found: list[str] = []
    with memory.db.read(memory.key(OWNER)) as tx:
        while True:
            page = store.keys(tx, found[-1] if found else "", LIMIT)
            found.extend(page)
            if len(page) < LIMIT:
                return found


def _differences(tx: Reader, store: Store) -> Generator[Difference]:
    after: str | None = ""
    while after is not None:
        page = store.differences(tx, after, LIMIT)
        yield from page.differences
        after = page.next


def _target(receipt: Receipt) -> Target:
    return Target(TargetKind(receipt.kind), receipt.key, receipt.revision, us(receipt.opened_at), receipt.id)
