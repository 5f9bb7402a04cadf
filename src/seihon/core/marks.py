"""Quotes that no longer hold, marked where they stand.

A correction leaves the sentence that it corrects in the record: it may also say "and I am allergic to nuts".
So the sentence is still quoted, and the part that was corrected carries what replaced it:

    I'm on the ~~Pro plan~~ [superseded: billing_plan is now free] and I am allergic to nuts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from seihon.core.clusters import ceil_boundary, floor_boundary

LONGEST_REPLACEMENT = 120
MOST_PLACES = 50
"""Where the same words stand more often than this, the mark stands before the text as well."""


class MarkState(StrEnum):
    """Why a quote no longer holds."""

    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Mark:
    """One quote of a text, ``text[start:end]`` in code points, and what became of the field it was drawn to.

    ``replacement`` is the current value as a person reads it, None where the field is blank now.
    """

    start: int
    end: int
    field: str
    replacement: str | None = None
    state: MarkState = MarkState.SUPERSEDED


class Marked(NamedTuple):
    """Text with its marks written in.

    ``holds`` are ranges that a cut must not split (a quote and its marker); ``pinned`` counts the characters
    at the start that every cut must keep (markers whose quote has no place in the text). ``anchors`` pair
    places of the original text with places of this one.
    """

    text: str
    holds: tuple[tuple[int, int], ...] = ()
    pinned: int = 0
    anchors: tuple[tuple[int, int], ...] = ((0, 0),)

    def place_of(self, original: int) -> int:
        """Return where the place ``original`` of the unmarked text is here; near it if text was cleaned."""
        start, here = max(pair for pair in self.anchors if pair[0] <= max(original, 0))
        return min(here + max(original, 0) - start, len(self.text))


@dataclass(frozen=True, slots=True)
class _Region:
    start: int
    end: int
    notes: tuple[str, ...]


def mark(text: str, marks: Sequence[Mark], *, clean: Callable[[str], str] = str) -> Marked:
    """Return ``text`` with every mark written in.

    Overlapping and nested quotes are struck once and carry all their markers; equal markers appear once.
    Spans are clipped to the text and widened to whole characters as a reader sees them. A mark that covers
    nothing of the text (its offsets do not fit) is written at the start, so that no correction is lost.
    ``clean`` is applied to every stretch of quoted text and to every replacement, never across them.
    """
    if not marks:
        return Marked(clean(text))
    placed, stray = _place(text, marks, clean)
    parts = _Parts()
    if stray:
        parts.add(f"[{'; '.join(stray)}] ", held=True)
    pinned = parts.length
    at = 0
    for region in placed:
        parts.add(clean(text[at : region.start]), origin=at)
        quote = clean(text[region.start : region.end])
        parts.add(f"~~{quote}~~ [{'; '.join(region.notes)}]", held=True, origin=region.start)
        at = region.end
    parts.add(clean(text[at:]), origin=at)
    return Marked("".join(parts.texts), tuple(parts.holds), pinned, tuple(parts.anchors))


def places(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return every place of ``text`` where the words ``text[start:end]`` stand, in order; none for no words.

    A claim names one place and is about the words: said twice in a message, they are wrong twice. Within a
    longer Latin word or number they are other words.
    """
    words = text[start:end].strip()
    if not words:
        return ()
    before = "(?<![A-Za-z0-9])" if _IS_LATIN.match(words[0]) else ""
    after = "(?![A-Za-z0-9])" if _IS_LATIN.match(words[-1]) else ""
    pattern = re.compile(before + re.escape(words) + after)
    found = {(start, end)}
    for match in pattern.finditer(text):
        if len(found) > MOST_PLACES:
            return (0, 0), *sorted(found)
        if not start <= match.start() < end:
            found.add(match.span())
    return tuple(sorted(found))


_IS_LATIN: Final = re.compile("[A-Za-z0-9]")


class _Parts:
    """Text in the making, with the ranges that hold together."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.holds: list[tuple[int, int]] = []
        self.anchors: list[tuple[int, int]] = []
        self.length = 0

    def add(self, text: str, *, held: bool = False, origin: int = 0) -> None:
        self.anchors.append((origin, self.length))
        if held:
            self.holds.append((self.length, self.length + len(text)))
        self.texts.append(text)
        self.length += len(text)


def _place(
    text: str, marks: Iterable[Mark], clean: Callable[[str], str]
) -> tuple[list[_Region], tuple[str, ...]]:
    """Return the regions to strike, in order and apart from each other, and the notes without a place."""
    regions: list[_Region] = []
    stray: tuple[str, ...] = ()
    for one in sorted(marks, key=_order):
        notes = (_note(one, clean),)
        start, end = _span(text, one)
        if start >= end:
            stray = _union(stray, notes)
        elif regions and _belongs(regions[-1], start, notes):
            last = regions[-1]
            regions[-1] = _Region(last.start, max(last.end, end), _union(last.notes, notes))
        else:
            regions.append(_Region(start, end, notes))
    return regions, stray


def _order(one: Mark) -> tuple[int, int, str, str, str]:
    return max(one.start, 0), one.end, one.field, one.state.value, one.replacement or ""


def _belongs(last: _Region, start: int, notes: tuple[str, ...]) -> bool:
    """Overlapping quotes share one strike; adjacent ones only where they say the same."""
    return start < last.end or (start == last.end and notes == last.notes)


def _span(text: str, one: Mark) -> tuple[int, int]:
    """Return the span clipped to the text, without blanks at its edges, widened to whole characters."""
    start, end = max(one.start, 0), min(one.end, len(text))
    quote = text[start:end] if start < end else ""
    if not quote.strip():
        return 0, 0
    start += len(quote) - len(quote.lstrip())
    end -= len(quote) - len(quote.rstrip())
    return floor_boundary(text, start), ceil_boundary(text, end)


def _note(one: Mark, clean: Callable[[str], str]) -> str:
    lead = "superseded" if one.state == MarkState.SUPERSEDED else "no longer current"
    if one.replacement is None:
        return f"no longer current: {one.field} is blank"
    return f"{lead}: {one.field} is now {clean(_short(one.replacement))}"


def _short(value: str) -> str:
    """One line, at most `LONGEST_REPLACEMENT` characters: a marker explains, it does not quote at length."""
    line = " ".join(value.split())
    if len(line) <= LONGEST_REPLACEMENT:
        return line
    return line[: floor_boundary(line, LONGEST_REPLACEMENT)] + "…"


def _union(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return left + tuple(note for note in right if note not in left)
