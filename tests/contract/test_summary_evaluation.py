"""``evaluate_summaries``: what each summary kept of its sources, what it lost, and what it made up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from tests.conftest import Backend
from tests.contract.memories import SCHEMA, SECRET, say

from seihon import errors
from seihon.core.fidelity import Line, Verdict
from seihon.core.ranges import SIZE
from seihon.core.reading import SourceMessage
from seihon.derived.summaries import making
from seihon.memory import Memory
from seihon.models.summariser import Draft
from seihon.testing.clock import FakeClock
from seihon.testing.summarising import ScriptedSummariser


def first_alone(given: Sequence[SourceMessage]) -> Draft:
    return (Line(given[0].text, (given[0].id,)),)


@pytest.fixture
def model() -> ScriptedSummariser:
    return ScriptedSummariser(first_alone)


@pytest.fixture
def memory(backend: Backend, clock: FakeClock, model: ScriptedSummariser) -> Iterator[Memory]:
    with Memory.open(
        backend.url, clock=clock, schema=SCHEMA, tenant="acme", secret=SECRET, summariser=model
    ) as opened:
        yield opened


def test_what_is_missing_is_listed_with_its_message_and_sentence(memory: Memory) -> None:
    said = [say(memory, "I walk the dog."), say(memory, "Hello. I cannot eat 12 nuts. Bye.")]
    for _ in range(SIZE - 2):
        say(memory, "The weather is fine.")
    found = memory.evaluate_summaries("ann")
    (report,) = found.reports
    assert (report.conversation, report.first_seq, report.last_seq) == ("c1", 1, SIZE)
    missing = {(one.need, one.message, one.sentence) for one in report.missing}
    assert missing == {
        ("negation", said[1].id, "I cannot eat 12 nuts."),
        ("number", said[1].id, "I cannot eat 12 nuts."),
    }
    kept = {one.need: (one.kept, one.total) for one in report.kept}
    assert kept["negation"] == (0, 1)
    assert kept["number"] == (0, 1)
    assert 0 < report.ratio == report.tokens / report.source_tokens < 0.2
    assert found.kept == report.kept
    assert (found.flagged, found.dropped) == (0, 0)


def _passes(_lines: object, _sources: object) -> Verdict:
    return Verdict((), (), {}, 0.0)


def test_a_line_that_was_stored_without_support_is_flagged(
    memory: Memory, model: ScriptedSummariser, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.script(lambda given: (Line("I walk 99 dogs.", (given[0].id,)),))
    with monkeypatch.context() as patched:
        patched.setattr(making, "check", _passes)
        for _ in range(SIZE):
            say(memory, "I walk the dog.")
    found = memory.evaluate_summaries("ann", conversation="c1")
    assert [(one.line, one.kind, one.text) for one in found.reports[0].flags] == [(0, "number", "99")]
    assert found.flagged == 1


def test_one_conversation_or_all_and_only_what_can_be_read(memory: Memory) -> None:
    for name in ("c1", "c2"):
        for _ in range(SIZE):
            say(memory, "I walk the dog.", to=name)
    assert [one.conversation for one in memory.evaluate_summaries("ann").reports] == ["c1", "c2"]
    assert len(memory.evaluate_summaries("ann", conversation="c2").reports) == 1
    memory.forget_conversation("ann", "c2")
    assert len(memory.evaluate_summaries("ann").reports) == 1
    with pytest.raises(errors.Gone):
        memory.evaluate_summaries("ann", conversation="c2")
    with pytest.raises(errors.NotFound):
        memory.evaluate_summaries("ann", conversation="c3")
    with pytest.raises(errors.NotFound):
        memory.evaluate_summaries("nobody")
