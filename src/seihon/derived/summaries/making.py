"""From a snapshot to the lines that may be published: one call of the model, outside any transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from seihon.core.fidelity import Line, check
from seihon.core.reading import SourceMessage
from seihon.core.refusals import refusal
from seihon.core.salience import is_pleasantry
from seihon.derived.failures import Failed
from seihon.derived.summaries.snapshots import Snapshot, digest
from seihon.models.summariser import Count, Draft, Summariser, text_of

# A third of what was said, but no less than a few sentences and no more than a page.
SHARE: Final = 3
LEAST: Final = 160
MOST: Final = 320

EMPTY: Final = "summary_empty"
UNFAITHFUL: Final = "summary_unfaithful"


@dataclass(frozen=True, slots=True)
class Made:
    """The summary of a snapshot: lines without a flag, how many had one, and what the text costs.

    ``input_hash`` names everything that the lines depend on: the snapshot, the model, and how it was asked.
    """

    snapshot: Snapshot
    lines: Draft
    flagged: int
    tokens: int
    model: str
    prompt_version: str
    input_hash: str


def input_hash(snapshot: Snapshot, summariser: Summariser) -> str:
    """Return the fingerprint of what a summary of this snapshot by this model depends on."""
    asked = [summariser.name, summariser.prompt_version, SHARE, LEAST, MOST]
    return digest([snapshot.source_version, *asked])


def make(snapshot: Snapshot, summariser: Summariser, count: Count) -> Made:
    """Summarise a snapshot.

    Raises:
        Failed: the model gave nothing, a refusal, or no line that its sources support, though there is
            something to keep. Whatever else the model raises.
    """
    messages = snapshot.messages
    draft = _draft(messages, summariser, count)
    _refuse_refusals(draft, messages)
    flagged = check(draft, messages).flagged
    lines = tuple(_told(line, snapshot) for place, line in enumerate(draft) if place not in flagged)
    if not lines and _has_something(messages):
        raise Failed(UNFAITHFUL if draft else EMPTY)
    return Made(
        snapshot,
        lines,
        len(flagged),
        count(text_of(lines, messages)) if lines else 0,
        summariser.name,
        summariser.prompt_version,
        input_hash(snapshot, summariser),
    )


def _draft(messages: Sequence[SourceMessage], summariser: Summariser, count: Count) -> Draft:
    if not messages:
        return ()
    whole = sum(count(one.text) for one in messages)
    budget = min(max(whole // SHARE, LEAST), MOST)
    draft = tuple(summariser.summarise(messages, budget=budget, count=count))
    if draft or whole <= budget:
        return draft
    # Nothing fits: some sentence is longer than a summary should be, and better than none.
    return tuple(summariser.summarise(messages, budget=2 * whole, count=count))


def _refuse_refusals(draft: Draft, messages: Sequence[SourceMessage]) -> None:
    """Refuse a reply that is no summary; what people said themselves, and is quoted, is none of its words."""
    texts = {one.id: one.text for one in messages}
    own = [line for line in draft if not any(line.text in texts.get(each, "") for each in line.sources)]
    why = refusal("\n".join(line.text for line in own)) if own else None
    if why is not None:
        raise Failed(f"summary_{why}")


def _told(line: Line, snapshot: Snapshot) -> Line:
    """Mark a line of a message that, as a whole, no longer holds: which of its words do not is not known."""
    lost = any(not end for each in line.sources for _start, end, *_ in snapshot.gone.get(each, ()))
    return replace(line, corrected=True) if lost else line


def _has_something(messages: Sequence[SourceMessage]) -> bool:
    """Tell whether there is something that a summary has to keep, courtesy aside."""
    return any(not is_pleasantry(one.text) for one in check((), messages).missing)
