"""Assembling a context: what goes in, within a budget that holds for the final form.

Order of filling, where the room is what is left of the budget at that point:

1. The newest recent message: whole if it takes at most `RECENT_SHARE` of the room, else cut to that.
2. The profile, up to `PROFILE_SHARE` of the budget.
3. The other recent messages, newest first and without gaps; with the newest up to `RECENT_SHARE` of what the
   profile left.
4. Summaries, up to `SUMMARY_SHARE` of the room.
5. Messages and notes by score. One that is longer than the room is cut to `LONG_SHARE` of it.
6. What is left over goes back in the same order: the newest message grows, then the rest of the profile, of
   the recent messages, of the summaries, of what was retrieved; last, the best retrieved item that was cut.

A summary of messages that are all among the recent ones shown is left out, or taken out again.

So a long conversation cannot starve the profile, a large profile cannot starve the conversation, and nothing
is lost when one of them is small. Only the newest recent message, messages and notes are ever cut.

Token counts do not add up exactly, so the sum only plans; the final form is counted, and what ranks lowest is
dropped until it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from seihon.core.cutting import MIN_USEFUL, MOST_CHARACTERS, cut
from seihon.core.fence import Fence
from seihon.core.marks import Marked, mark
from seihon.core.pieces import Assembly, Item, Kind, Omission, Omitted, Piece, Render
from seihon.core.render import Built, Form, Placed, form, in_order

__all__ = ["Assembly", "Item", "Kind", "Omission", "Omitted", "Piece", "Render", "assemble"]

RECENT_SHARE = 0.6
PROFILE_SHARE = 0.4
SUMMARY_SHARE = 0.5
LONG_SHARE = 0.5


def assemble(
    pieces: Iterable[Piece],
    *,
    budget: int,
    count: Callable[[str], int],
    fence: str,
    render: Render = Render.TEXT,
) -> Assembly:
    """Return a context of at most ``budget`` tokens as ``count`` counts its final form.

    ``pieces`` hold the recent messages oldest first, profile lines and summaries most important first, and
    messages and notes in any order. ``fence`` is the owner's fence token. Equal input gives equal output. A
    budget too small for anything gives an empty context in which everything is omitted. Raises
    `InvalidArgument` for a malformed fence token; whether a budget makes sense is the caller's to say.
    """
    guard = Fence(fence)
    desk = _Desk(form(render, guard, count), guard, budget)
    shelves = _sort(pieces, desk)
    _fill(desk, shelves)
    built = _settle(desk)
    return _report(desk, shelves, built)


@dataclass(slots=True)
class _Shelves:
    """The given pieces by section, each in its order of importance, by their rank among all given."""

    all: list[Piece]
    recent: list[int]
    profile: list[int]
    summary: list[int]
    retrieved: list[int]
    again: list[int]  # retrieved messages that are among the recent ones too
    refused: dict[int, Omitted]


class _Desk:
    """Pieces as they are placed, with the room that is left.

    ``placed`` keeps the order of placing, which is the order of importance.
    """

    def __init__(self, form: Form, fence: Fence, budget: int) -> None:
        self.form = form
        self.placed: dict[int, Placed] = {}
        self.used = 0  # tokens planned so far, frame included
        self._fence = fence
        self.budget = budget
        self._prices: dict[str, int] = {}
        self._paid: set[str] = set()
        self._bodies: dict[int, Marked] = {}
        self._whole: dict[int, int] = {}

    @property
    def left(self) -> int:
        """Tokens not planned yet; negative where the budget is."""
        return self.budget - self.used

    def room(self, piece: Piece) -> int:
        """Return what is left for this piece after the parts of the frame that it would open."""
        return self.left - sum(map(self._price, self._unpaid(piece)))

    def spent(self, kind: Kind) -> int:
        """Return the tokens of one section, without the frame."""
        return sum(one.tokens for one in self.placed.values() if one.piece.kind == kind)

    def place(self, given: int, piece: Piece, *, most: int, may_cut: bool = False) -> bool:
        """Place the piece within ``most`` tokens, whole or, if allowed, cut; tell whether it has a place."""
        if most <= 0:
            return False
        whole = self._fitting(given, piece, most)
        if whole is not None:
            self._put(Placed(piece, self._body(given, piece).text, whole, False, given))
            return True
        if not may_cut:
            return False
        shown = self._cut(given, piece, most)
        if shown is None:
            return False
        self._put(Placed(piece, shown, self.form.cost(piece, shown), True, given))
        return True

    def grow(self, given: int) -> None:
        """Give a piece that was cut all the room that is left."""
        old = self.placed.get(given)
        if old and old.cut and self.room(old.piece) >= MIN_USEFUL:
            self.place(given, old.piece, most=old.tokens + self.room(old.piece), may_cut=True)

    def take_out(self, given: int) -> None:
        """Take a piece out again, if it has a place."""
        one = self.placed.pop(given, None)
        if one is not None:
            self.used -= one.tokens

    def is_empty(self, given: int, piece: Piece) -> bool:
        """Tell whether the piece has nothing to show."""
        # Cleaning leaves a letter or digit or puts its mark there; most pieces are never shown, nor cleaned.
        return not piece.text[:1].isalnum() and not self._body(given, piece).text.strip()

    def _put(self, one: Placed) -> None:
        self.used += sum(map(self._price, self._unpaid(one.piece))) + one.tokens
        if one.given in self.placed:
            self.used -= self.placed[one.given].tokens
        self._paid.update(self.form.shared(one.piece))
        self.placed[one.given] = one

    def _unpaid(self, piece: Piece) -> list[str]:
        return [part for part in self.form.shared(piece) if part not in self._paid]

    def _price(self, part: str) -> int:
        if part not in self._prices:
            self._prices[part] = self.form.shared_cost(part)
        return self._prices[part]

    def _fitting(self, given: int, piece: Piece, most: int) -> int | None:
        """Return the cost of the whole piece if it is at most ``most``; a far longer text is not counted."""
        text = self._body(given, piece).text
        if given not in self._whole:
            if len(text) > most * MOST_CHARACTERS:
                return None
            self._whole[given] = self.form.cost(piece, text)
        return self._whole[given] if self._whole[given] <= most else None

    def _cut(self, given: int, piece: Piece, most: int) -> str | None:
        body = self._body(given, piece)
        focus = body.place_of(piece.focus)
        return cut(body, most, lambda shown: self.form.cost(piece, shown), focus=focus)

    def _body(self, given: int, piece: Piece) -> Marked:
        if given not in self._bodies:
            body = mark(piece.text, piece.marks, clean=self._fence.clean)
            if piece.kind == Kind.PROFILE:
                # A line feed would let one value pose as another field's line.
                body = Marked(" ".join(body.text.split()))
            self._bodies[given] = body
        return self._bodies[given]


def _sort(pieces: Iterable[Piece], desk: _Desk) -> _Shelves:
    """Put every piece on its shelf; what is empty or given twice is refused."""
    shelves = _Shelves(list(pieces), [], [], [], [], [], {})
    recent_ids = {one.id for one in shelves.all if one.kind == Kind.RECENT}
    seen: set[tuple[Kind, str]] = set()
    for given, piece in enumerate(shelves.all):
        if (piece.kind, piece.id) in seen:
            shelves.refused[given] = Omitted.DUPLICATE
        elif desk.is_empty(given, piece):
            shelves.refused[given] = Omitted.EMPTY
        else:
            _shelf(shelves, piece, recent_ids).append(given)
        seen.add((piece.kind, piece.id))
    shelves.recent.reverse()
    for shelf in (shelves.retrieved, shelves.again):
        shelf.sort(key=lambda given: _rank(shelves.all[given]))
    return shelves


def _shelf(shelves: _Shelves, piece: Piece, recent_ids: set[str]) -> list[int]:
    match piece.kind:
        case Kind.RECENT:
            return shelves.recent
        case Kind.PROFILE:
            return shelves.profile
        case Kind.SUMMARY:
            return shelves.summary
        case Kind.MESSAGE if piece.id in recent_ids:
            return shelves.again
        case _:
            return shelves.retrieved


def _rank(piece: Piece) -> tuple[float, int, str]:
    return -piece.score, -piece.observed_at, piece.id


def _fill(desk: _Desk, shelves: _Shelves) -> None:
    """First everybody's share, then what is left over, in the order of the module's head."""
    _newest(desk, shelves)
    _some(desk, shelves, shelves.profile, int(desk.budget * PROFILE_SHARE))
    _recent(desk, shelves, RECENT_SHARE)
    _summaries(desk, shelves, int(desk.left * SUMMARY_SHARE))
    _retrieved(desk, shelves, shelves.retrieved)
    for given in shelves.recent[:1]:
        desk.grow(given)
    _some(desk, shelves, shelves.profile, desk.left)
    _recent(desk, shelves, 1.0)
    _take_out_shown(desk, shelves)
    _summaries(desk, shelves, desk.left)
    _retrieved(desk, shelves, [*shelves.retrieved, *_not_shown_as_recent(desk, shelves)])
    for given in (*shelves.retrieved, *shelves.again):
        desk.grow(given)


def _newest(desk: _Desk, shelves: _Shelves) -> None:
    for given in shelves.recent[:1]:
        piece = shelves.all[given]
        room = desk.room(piece)
        if not desk.place(given, piece, most=int(room * RECENT_SHARE), may_cut=True):
            desk.place(given, piece, most=room, may_cut=True)


def _some(desk: _Desk, shelves: _Shelves, shelf: Sequence[int], most: int) -> None:
    """Place what fits of a section into ``most`` tokens; one that does not fit stops no other."""
    limit = desk.used + most
    for given in shelf:
        piece = shelves.all[given]
        if given not in desk.placed:
            desk.place(given, piece, most=min(desk.room(piece), limit - desk.used))


def _recent(desk: _Desk, shelves: _Shelves, share: float) -> None:
    """Place recent messages from the newest back, up to their share; the first that does not fit ends it.

    A conversation with a hole in it reads as if something had never been said.
    """
    for given in shelves.recent:
        piece = shelves.all[given]
        spent = desk.spent(Kind.RECENT)
        limit = int((desk.room(piece) + spent) * share) - spent
        if given not in desk.placed and not desk.place(given, piece, most=limit):
            return


def _summaries(desk: _Desk, shelves: _Shelves, most: int) -> None:
    shown = set(_shown_in_full(desk, shelves))
    _some(desk, shelves, [given for given in shelves.summary if given not in shown], most)


def _take_out_shown(desk: _Desk, shelves: _Shelves) -> None:
    """Make room again: the recent messages have come to say what a summary says of them."""
    for given in _shown_in_full(desk, shelves):
        desk.take_out(given)


def _shown_in_full(desk: _Desk, shelves: _Shelves) -> list[int]:
    """Return the summaries of which every message is shown as a recent one."""
    shown = _recent_ids(desk)
    found = ((given, shelves.all[given].covers) for given in shelves.summary)
    return [given for given, covered in found if covered and shown.issuperset(covered)]


def _recent_ids(desk: _Desk) -> set[str]:
    return {one.piece.id for one in desk.placed.values() if one.piece.kind == Kind.RECENT}


def _retrieved(desk: _Desk, shelves: _Shelves, shelf: Sequence[int]) -> None:
    for given in shelf:
        piece = shelves.all[given]
        room = desk.room(piece)
        # In less than that there is a heading and hardly a word; so nothing more is counted.
        if given in desk.placed or room < MIN_USEFUL:
            continue
        if not desk.place(given, piece, most=room):
            desk.place(given, piece, most=int(room * LONG_SHARE), may_cut=True)


def _not_shown_as_recent(desk: _Desk, shelves: _Shelves) -> list[int]:
    shown = _recent_ids(desk)
    return [given for given in shelves.again if shelves.all[given].id not in shown]


def _settle(desk: _Desk) -> Built:
    """Return the final form, counted; drop from the end of the order of placing until it fits.

    Each round drops what covers the excess by the plan, and twice as many pieces as the round before, so that
    a count that adds up badly costs a few rounds, not one for each piece.
    """
    least = 1
    built = desk.form.build(list(desk.placed.values()))
    while built.tokens > desk.budget and desk.placed:
        excess, dropped = built.tokens - desk.budget, 0
        while desk.placed and (dropped < least or excess > 0):
            _, last = desk.placed.popitem()
            excess, dropped = excess - last.tokens, dropped + 1
        least *= 2
        built = desk.form.build(list(desk.placed.values()))
    return built


def _report(desk: _Desk, shelves: _Shelves, built: Built) -> Assembly:
    items = tuple(_item(one) for one in in_order(list(desk.placed.values())))
    refused = {**dict.fromkeys(_shown_already(desk, shelves), Omitted.ALREADY_RECENT), **shelves.refused}
    omissions = tuple(
        Omission(piece.id, piece.kind, refused.get(given, Omitted.BUDGET))
        for given, piece in enumerate(shelves.all)
        if given not in desk.placed
    )
    return Assembly(built.text, built.messages, items, omissions, built.tokens)


def _item(one: Placed) -> Item:
    piece = one.piece
    return Item(piece.id, piece.kind, piece.version, piece.reason, one.tokens, one.cut, bool(piece.marks))


def _shown_already(desk: _Desk, shelves: _Shelves) -> list[int]:
    waiting = set(_not_shown_as_recent(desk, shelves))
    again = (given for given in shelves.again if given not in waiting)
    return [*again, *_shown_in_full(desk, shelves)]
