"""The part of a long text that answers a query, with the places of what was found.

Matches are those of the search (``text``): a word in another form, a run of Japanese, a full-width letter
are marked where they stand in the text as it was written. The window never cuts inside a character as a
reader sees it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from seihon.core.clusters import ceil_boundary, floor_boundary
from seihon.core.text import Occurrence, located, query_terms, traced, verbatim
from seihon.errors import InvalidArgument

MIN_WIDTH: Final = 10
ELLIPSIS: Final = "\u2026"


class Mark(NamedTuple):
    """A match: offsets into the snippet's own text, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Snippet:
    """A window of a text. ``start`` and ``end`` are its offsets in the text, without the ellipses.

    ``focus`` is the offset in the text at which the best match begins, 0 without one.
    """

    text: str
    marks: tuple[Mark, ...]
    start: int
    end: int
    focus: int = 0


def snippet(text: str, query: str, width: int = 160) -> Snippet:
    """Return at most ``width`` code points of ``text`` around what ``query`` matches best.

    A text that fits is returned whole. What is left out at an end is shown by an ellipsis, which counts.
    Without a match it is the head of the text, without marks. Raises ``InvalidArgument`` for a width below
    ``MIN_WIDTH``.
    """
    if width < MIN_WIDTH:
        raise InvalidArgument(f"A snippet is at least {MIN_WIDTH} characters wide.", width=width)
    folded, origin = traced(text)
    wanted = query_terms(query)
    found = [item for item in located(folded, origin) if item.term in wanted]
    best = _verbatim(folded, origin, query) or _densest(found, wanted, width)
    start, end = (0, len(text)) if len(text) <= width else _window(text, best, width)
    spans = _merged([(item.start, item.end) for item in found if item.end > start and item.start < end])
    return replace(_cut(text, start, end, spans), focus=best[0])


def _verbatim(folded: str, origin: Sequence[tuple[int, int]], query: str) -> tuple[int, int] | None:
    """Return where the query stands as it is: that is better to show than its scattered words."""
    pattern = verbatim(query)
    whole = pattern.search(folded) if pattern else None
    return (origin[whole.start()][0], origin[whole.end() - 1][1]) if whole else None


def _densest(found: Sequence[Occurrence], weights: dict[str, float], width: int) -> tuple[int, int]:
    """Return the earliest span within ``width`` whose distinct terms weigh most."""
    best, span = 0.0, (0, 0)
    inside: Counter[str] = Counter()
    weight, first = 0.0, 0
    for item in found:
        weight += 0.0 if inside[item.term] else weights[item.term]
        inside[item.term] += 1
        while item.end - found[first].start > width - 2 and found[first] is not item:
            inside[found[first].term] -= 1
            weight -= 0.0 if inside[found[first].term] else weights[found[first].term]
            first += 1
        if weight > best + 1e-9:
            best, span = weight, (found[first].start, item.end)
    return span


def _window(text: str, focus: tuple[int, int], width: int) -> tuple[int, int]:
    """Place the focus in the middle, keep inside the text, and leave room for the ellipses."""
    start = focus[0] - max(0, width - 2 - (focus[1] - focus[0])) // 2
    if start <= 1:
        return 0, floor_boundary(text, width - 1)
    if start + width - 1 >= len(text):
        return ceil_boundary(text, len(text) - (width - 1)), len(text)
    start = ceil_boundary(text, start)
    return start, max(start, floor_boundary(text, start + width - 2))


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _cut(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> Snippet:
    head = ELLIPSIS if start > 0 else ""
    tail = ELLIPSIS if end < len(text) else ""
    shift = len(head) - start
    marks = tuple(Mark(max(first, start) + shift, min(last, end) + shift) for first, last in spans)
    return Snippet(head + text[start:end] + tail, marks, start, end)
