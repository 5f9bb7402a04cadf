"""The index against the original: planted faults are found by kind and mended; a rebuild serves meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import delete, insert, update
from tests.contract.memories import say

from seihon.canonical import tables as t
from seihon.canonical.scope import OWNER, Writer
from seihon.derived import comparing
from seihon.derived.contract import DifferenceKind
from seihon.derived.fulltext import FullText, search
from seihon.derived.fulltext.comparison import STATISTICS
from seihon.memory import Memory
from seihon.testing import faults

d, s, a = t.ft_documents.c, t.ft_postings.c, t.ft_statistics.c
Plant = Callable[[Writer, str], object]


def compare(memory: Memory, *, repair: bool = False) -> comparing.Comparison:
    return comparing.compare(memory.db, FullText(), memory.key("ann"), repair=repair)


def orphan_document(tx: Writer, _doc: str) -> object:
    row = {
        "doc": "message:ghost",
        "kind": "message",
        "conversation": "c1",
        "seq": 9,
        "version": 1,
        "length": 1,
    }
    return tx.add(insert(t.ft_documents), [row])


def orphan_postings(tx: Writer, _doc: str) -> object:
    return tx.add(insert(t.ft_postings), [{"term": "tea", "doc": "message:ghost", "tf": 1, "length": 1}])


def gap(tx: Writer, doc: str) -> object:
    tx.run(delete(t.ft_postings).where(s.owner == OWNER, s.doc == doc))
    return tx.run(delete(t.ft_documents).where(d.owner == OWNER, d.doc == doc))


def old_version(tx: Writer, doc: str) -> object:
    return tx.run(update(t.ft_documents).where(d.owner == OWNER, d.doc == doc).values(version=d.version - 1))


def newer_version(tx: Writer, doc: str) -> object:
    return tx.run(update(t.ft_documents).where(d.owner == OWNER, d.doc == doc).values(version=d.version + 99))


def wrong_length(tx: Writer, doc: str) -> object:
    return tx.run(update(t.ft_documents).where(d.owner == OWNER, d.doc == doc).values(length=d.length + 1))


def foreign_term(tx: Writer, doc: str) -> object:
    return tx.add(insert(t.ft_postings), [{"term": "zebra", "doc": doc, "tf": 1, "length": 3}])


def lost_term(tx: Writer, doc: str) -> object:
    return tx.run(delete(t.ft_postings).where(s.owner == OWNER, s.doc == doc, s.term == "tea"))


def wrong_frequency(tx: Writer, doc: str) -> object:
    changed = update(t.ft_postings).where(s.owner == OWNER, s.doc == doc, s.term == "tea").values(tf=7)
    return tx.run(changed)


def wrong_counts(tx: Writer, _doc: str) -> object:
    return tx.run(update(t.ft_statistics).where(a.owner == OWNER).values(documents=a.documents + 5))


@pytest.mark.parametrize(
    ("plant", "key", "kind"),
    [
        (orphan_document, "message:ghost", DifferenceKind.ORPHAN),
        (orphan_postings, "message:ghost", DifferenceKind.ORPHAN),
        (gap, None, DifferenceKind.GAP),
        (old_version, None, DifferenceKind.STALE),
        (newer_version, None, DifferenceKind.STALE),
        (wrong_length, None, DifferenceKind.STALE),
        (foreign_term, None, DifferenceKind.STALE),
        (lost_term, None, DifferenceKind.STALE),
        (wrong_frequency, None, DifferenceKind.STALE),
        (wrong_counts, STATISTICS, DifferenceKind.COUNT),
    ],
)
def test_p5_a_planted_fault_is_found_and_mended(
    memory: Memory, plant: Plant, key: str | None, kind: DifferenceKind
) -> None:
    said = [say(memory, text) for text in ("green tea", "late train", "tea for two")]
    memory.add_note("ann", "likes tea")
    memory.copies.worker.drain(memory.key("ann"))
    assert compare(memory).differences == ()
    doc = f"message:{said[0].id}"
    with memory.db.derive(memory.key("ann")) as tx:
        plant(tx, doc)
    found = compare(memory)
    assert (key or doc, kind) in [(one.key, one.kind) for one in found.differences]
    assert found.left == len(found.differences) > 0
    mended = compare(memory, repair=True)
    assert mended.differences == found.differences
    assert (mended.repaired, mended.left) == (len(found.differences), 0)
    assert compare(memory).differences == ()
    with memory.db.read(memory.key("ann")) as tx:
        assert {hit.text for hit in search(tx, "tea", k=10)} >= {"green tea", "tea for two", "likes tea"}
        assert search(tx, "zebra", k=10) == []


def test_what_waits_in_the_outbox_lags_and_is_no_fault(memory: Memory) -> None:
    say(memory, "tea")
    assert compare(memory).differences == ()
    assert compare(memory, repair=True).repaired == 0


def test_a_comparison_of_many_pages_counts_each_key_and_reports_progress(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "PAGE", 4)
    for number in range(11):
        say(memory, f"tea {number}", to=f"c{number % 2}")
    memory.copies.worker.drain(memory.key("ann"))
    seen: list[int] = []
    done = comparing.compare(memory.db, FullText(), memory.key("ann"), repair=False, progress=seen.append)
    assert done.compared == sum(seen) >= 22
    assert done.differences == ()


def test_a_rebuild_marks_every_key_and_serves_meanwhile(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "PAGE", 4)
    for number in range(10):
        say(memory, f"tea {number}")
    memory.copies.worker.drain(memory.key("ann"))
    seen: list[int] = []

    def look() -> None:
        with other.db.read(other.key("ann")) as tx:
            seen.append(len(search(tx, "tea", k=10)))

    with faults.at("rebuild.after_page", look, times=99):
        assert comparing.rebuild(memory.db, FullText(), memory.key("ann")) == 10
    with faults.at("worker.before_settle", look, times=99):
        memory.copies.worker.drain(memory.key("ann"))
    assert len(seen) >= 4
    assert set(seen) == {10}
    assert compare(memory).differences == ()


def test_p3_a_rebuild_brings_nothing_deleted_back(memory: Memory) -> None:
    gone = say(memory, "I live in Tokyo")
    say(memory, "tea")
    memory.copies.worker.drain(memory.key("ann"))

    def delete_meanwhile() -> None:
        memory.forget_message("ann", gone.id)

    with faults.at("rebuild.after_page", delete_meanwhile):
        comparing.rebuild(memory.db, FullText(), memory.key("ann"))
    memory.copies.drain(memory.key("ann"))
    with memory.db.read(memory.key("ann")) as tx:
        assert search(tx, "Tokyo", k=10) == []
    assert compare(memory).differences == ()
