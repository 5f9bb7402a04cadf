"""Cutting one long text to a number of tokens, on a whole character, with a mark that says so:

    The first sentences of it… [312 of 20,000 characters shown]

A cut may begin late, around the place that matters, and then begins with an ellipsis too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from seihon.core.clusters import ceil_boundary, floor_boundary
from seihon.core.marks import Marked

MIN_USEFUL = 24  # tokens of quoted text to aim for; less is noise beside a heading and a cut mark of about 40
LEAD = 120  # characters kept before the place of interest, if the room is
LEAD_SHARE = 4  # at most one character for so many tokens: a token may hold no more than one
# A token holds at most 32 characters unless the text is a run of blanks or of one sign. Longer text is taken
# not to fit without being counted, which errs on the side of the budget.
MOST_CHARACTERS = 32
_PROBES = 24
_CLOSE = 100  # a search ends within one part in so many of the room

Cost = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Window:
    """A text that is being cut, with the tokens it may take."""

    body: Marked
    room: int
    cost: Cost

    def shown(self, start: int, end: int) -> str:
        total = len(self.body.text)
        lead = "… " if start else ""
        return f"{lead}{self.body.text[start:end]}… [{end - start:,} of {total:,} characters shown]"

    def start_at(self, place: int) -> int:
        """The nearest allowed beginning at or before ``place``."""
        start = floor_boundary(self.body.text, place)
        return next((low for low, high in self.body.holds if low < start < high), start)

    def end_at(self, place: int) -> int:
        """The nearest allowed end at or before ``place``: before a quote whose marker would be lost."""
        end = floor_boundary(self.body.text, place)
        return next((low for low, high in self.body.holds if low < end < high), end)

    def start_after(self, place: int) -> int:
        """The nearest allowed beginning at or after ``place``."""
        start = ceil_boundary(self.body.text, place)
        return next((high for low, high in self.body.holds if low < start < high), start)


def cut(body: Marked, room: int, cost: Cost, *, focus: int = 0) -> str | None:
    """Return as much of ``body`` around ``focus`` as fits into ``room``, or None if that is too little.

    ``cost`` maps the text to be shown to tokens. What is returned never costs more than ``room``. The
    beginning is kept unless ``focus`` lies further in than twice the lead; then the cut begins that much
    before it: `LEAD` characters, fewer in a small room. About 5 to 15 calls of ``cost``.
    """
    if (
        room < MIN_USEFUL + MIN_USEFUL // 2
    ):  # no heading and cut mark are so short that counting them could help
        return None
    window = _Window(body, room, cost)
    bare = cost(window.shown(0, 0))
    if room - bare < MIN_USEFUL:
        return None
    focus = min(focus, len(body.text))
    lead = min(LEAD, room // LEAD_SHARE)
    start = 0 if body.pinned or focus <= 2 * lead else window.start_at(focus - lead)
    kept = _longest(window, start, bare)
    if start and kept and kept[1] == len(body.text):
        kept = _earliest(window, start, bare) or kept
    if kept is None or kept[0] + body.pinned >= kept[1]:
        return None
    shown = window.shown(*kept)
    return shown if cost(shown) - bare >= MIN_USEFUL // 2 else None


def _longest(window: _Window, start: int, bare: int) -> tuple[int, int] | None:
    """Return the widest ``(start, end)`` that fits, growing to the right."""

    def span(size: int) -> tuple[int, int]:
        return start, max(window.end_at(start + size), start)

    most = len(window.body.text) - max(start, 1)  # the whole would be no cut
    return _search(window, most, bare, span)


def _earliest(window: _Window, start: int, bare: int) -> tuple[int, int] | None:
    """Return the widest span that fits and ends with the text, growing to the left from ``start``."""
    end = len(window.body.text)

    def span(size: int) -> tuple[int, int]:
        return window.start_after(end - size), end

    return _search(window, end - 1, bare, span, least=end - start)


def _search(
    window: _Window, most: int, bare: int, span: Callable[[int], tuple[int, int]], *, least: int = 0
) -> tuple[int, int] | None:
    """Search the largest size between ``least`` and ``most`` whose span fits.

    The next guess follows the tokens per character seen so far. Where that leads out of what is left, and
    every third time, the guess halves it, so that text of uneven density cannot make the guesses crawl.
    """
    room, low, high = window.room, least, min(most, least + window.room * MOST_CHARACTERS) + 1
    seen_too_large = False
    best: tuple[int, int] | None = None
    guess = max(room - bare, least)
    for probe in range(_PROBES):
        middle = (low + high) // 2
        size = guess if low < guess < high and not (seen_too_large and probe % 3 == 2) else middle
        if size <= low:
            break
        place = span(size)
        if place == best:
            low = size
            continue
        used = window.cost(window.shown(*place))
        if used <= room:
            best, low = place, size
        else:
            high, seen_too_large = size, True
        if 0 <= room - used <= room // _CLOSE:
            break
        guess = size * (room - bare) // max(used - bare, 1)
    return best
