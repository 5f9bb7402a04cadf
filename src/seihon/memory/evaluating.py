"""The verb that says how good summaries are: what each kept of its sources, what it lost, what it made up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from seihon.canonical import conversations
from seihon.canonical.scope import Reader
from seihon.core.fidelity import Kept, Missing, Need, Verdict, check
from seihon.core.reading import SourceMessage
from seihon.core.sentences import sentences
from seihon.derived.summaries import reading, snapshots
from seihon.derived.summaries.stored import to_line
from seihon.memory import door
from seihon.memory.base import Base
from seihon.memory.summaries import require_conversation
from seihon.model import LineFlagged, NeedKept, NeedMissing, SummaryEvaluation, SummaryReport
from seihon.models.tokenizer import tokenizer

PAGE = 100


class Evaluating(Base):
    """Compare summaries with what they were made from. Nothing is written, and no model is asked."""

    def evaluate_summaries(self, owner: str, *, conversation: str | None = None) -> SummaryEvaluation:
        """Return, for each summary of an owner that can be read, what it kept and what is missing.

        Raises:
            Gone: the conversation was deleted. NotFound: there is none, or nothing of the owner.
        """
        wanted = None if conversation is None else door.identifier(conversation, "conversation")
        with self.reading(owner) as tx:
            conversations.require_owner(tx)
            if wanted is not None:
                require_conversation(tx, wanted)
            names = _conversations(tx) if wanted is None else [wanted]
            reports = tuple(self._report(tx, owner, one) for name in names for one in _summaries(tx, name))
        return together(reports)

    def _report(self, tx: Reader, owner: str, found: reading.Found) -> SummaryReport:
        row = found.row
        messages = snapshots.read(tx, row.block, row.conversation).as_made.messages
        count = tokenizer(self.setup.tokenizer).count
        lines = [to_line(one) for one in found.stored.lines]
        verdict = check(lines, messages, count=count)
        return SummaryReport(
            owner=owner,
            summary=row.id,
            conversation=row.conversation,
            first_seq=row.first_seq,
            last_seq=row.last_seq,
            tokens=sum(count(one.text) for one in lines),
            source_tokens=sum(count(one.text) for one in messages),
            ratio=verdict.ratio,
            kept=_kept(verdict.kept),
            missing=tuple(_missing(verdict, messages)),
            flags=tuple(LineFlagged(one.line, one.kind.value, one.text) for one in verdict.flags),
            dropped=row.flagged,
        )


def together(reports: Sequence[SummaryReport]) -> SummaryEvaluation:
    """Return reports with their sums."""
    kept: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for need in (need for report in reports for need in report.kept):
        kept[need.need] += need.kept
        total[need.need] += need.total
    tokens = sum(one.tokens for one in reports)
    sources = sum(one.source_tokens for one in reports)
    return SummaryEvaluation(
        tuple(reports),
        tokens,
        sources,
        tokens / sources if sources else 0.0,
        tuple(NeedKept(need.value, kept[need.value], total[need.value]) for need in Need),
        sum(len({flag.line for flag in one.flags}) for one in reports),
        sum(one.dropped for one in reports),
    )


def _conversations(tx: Reader) -> Iterator[str]:
    after, full = "", True
    while full:
        rows = tx.all(conversations.CONVERSATIONS, after=after, limit=PAGE)
        yield from (row.id for row in rows)
        full = len(rows) == PAGE
        after = rows[-1].id if rows else after


def _summaries(tx: Reader, conversation: str) -> Iterator[reading.Found]:
    after, full = -1, True
    while full:
        found = reading.page(tx, conversation, after, PAGE)
        yield from (one for one in found if one.readable)
        full = len(found) == PAGE
        after = found[-1].row.block if found else after


def _kept(kept: Mapping[Need, Kept]) -> tuple[NeedKept, ...]:
    return tuple(NeedKept(need.value, one.kept, one.total) for need, one in kept.items())


def _missing(verdict: Verdict, messages: Iterable[SourceMessage]) -> Iterator[NeedMissing]:
    texts = {one.id: one.text for one in messages}
    for one in verdict.missing:
        yield NeedMissing(one.need.value, one.source, one.text, _sentence(texts[one.source], one))


def _sentence(text: str, missing: Missing) -> str:
    """Return the sentence of a message that says what is missing."""
    found = (one.text for one in sentences(text) if missing.text in one.text)
    return next(found, missing.text)
