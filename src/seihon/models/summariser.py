"""Summaries of messages: the protocol, and a summariser that needs no model.

A draft is made from messages, never from another summary. `OfflineSummariser` quotes: each line is one whole
sentence as it was said, so nothing is invented, and the language is the speakers' own. It decides by what a
sentence carries (see `seihon.core.salience`) what is kept when not everything fits.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Final, Protocol, runtime_checkable

from seihon.core.fidelity import Line
from seihon.core.reading import SourceMessage, Told, read, share
from seihon.core.render import day
from seihon.core.salience import Trait, is_pleasantry
from seihon.core.sentences import Form, is_cjk
from seihon.core.text import normalise
from seihon.errors import InvalidArgument

Draft = tuple[Line, ...]
"""The lines of a summary in the order of the conversation, each with its source messages."""

Count = Callable[[str], int]


@runtime_checkable
class Summariser(Protocol):
    """Shortens the messages of one conversation. Safe to share between threads; may take long."""

    @property
    def name(self) -> str:
        """What made a summary: the model's name as it is recorded with it."""
        ...

    @property
    def prompt_version(self) -> str:
        """Changes whenever the same messages would be asked for in another way."""
        ...

    def summarise(self, messages: Sequence[SourceMessage], *, budget: int, count: Count) -> Draft:
        """Return lines whose `text_of` costs at most ``budget`` by ``count``; none if none fits.

        ``messages`` are a range of one conversation in its order. Any exception means that there is no
        summary; the caller keeps the one that it has.
        """
        ...


# Measured by what people miss in a summary: first what changes or forbids, then what was settled or left
# open, then figures; a fact about oneself weighs as much as a figure.
_WEIGHTS: Final[Mapping[Trait, float]] = {
    Trait.CORRECTION: 5.0,
    Trait.NEGATION: 4.0,
    Trait.DECISION: 4.0,
    Trait.DATE: 3.0,
    Trait.NUMBER: 3.0,
    Trait.STATEMENT: 3.0,
    Trait.NAME: 1.0,
}
_OPEN: Final = 4.0
_SPEAKERS: Final[Mapping[str, float]] = {"user": 1.0, "system": 0.8, "assistant": 0.5}
_OTHER_SPEAKER: Final = 0.3
_KEPT_FIRST: Final = frozenset(
    {Trait.CORRECTION, Trait.NEGATION, Trait.DECISION, Trait.DATE, Trait.NUMBER, Trait.STATEMENT}
)
_REPEATS: Final = 0.9  # the share of its content in a chosen line that makes a sentence a repetition
_ROLES: Final = {"user": "ユーザー", "assistant": "アシスタント", "tool": "ツール", "system": "システム"}


class OfflineSummariser:
    """Quotes what counts: corrections, denials, decisions, dates, numbers, open questions, then the rest.

    Deterministic, without a network; 1,000 messages take well under a second. A statement that was taken back
    is left out, or quoted as corrected where it says more than that.
    """

    name = "offline"
    prompt_version = "1"

    def summarise(self, messages: Sequence[SourceMessage], *, budget: int, count: Count) -> Draft:
        """Return whole sentences within the budget, the weightiest kept, in the order they were said."""
        told = read(messages)
        ranked = _ranked(told)
        chosen = _Chosen(budget, count)
        for one in ranked:
            chosen.offer(one)
        return _fitting(chosen.taken, messages, budget, count)


def text_of(draft: Iterable[Line], messages: Sequence[SourceMessage]) -> str:
    """Return a draft as text: one line each with its speaker and day, ``[user 2026-03-01] …``.

    The words of the heading are in the line's language. A line of several messages names each speaker once
    and the first and last day; sources that are not among ``messages`` are passed over.
    """
    by_id = {one.id: one for one in messages}
    return "\n".join(shown(line, [by_id[each] for each in line.sources if each in by_id]) for line in draft)


def shown(line: Line, sources: Sequence[SourceMessage]) -> str:
    """Return one line with its heading, as `text_of` shows it; ``sources`` are those that it cites."""
    return f"[{heading(line, sources)}] {' '.join(line.text.splitlines())}"


def heading(line: Line, sources: Sequence[SourceMessage]) -> str:
    """Return who said a line and when, in the line's language: ``user 2026-03-01, corrected later``."""
    japanese = is_cjk(line.text)
    roles = dict.fromkeys(_ROLES.get(one.role, one.role) if japanese else one.role for one in sources)
    days = sorted(day(one.at) for one in sources)
    span = list(dict.fromkeys((*days[:1], *days[-1:])))
    told = f"{', '.join(roles)} {' – '.join(span)}".strip()
    if line.corrected:
        told += "、後に訂正" if japanese else ", corrected later"
    return told


def _ranked(told: Sequence[Told]) -> list[Told]:
    """Return what may be quoted, in the order in which it is kept."""
    worth = [one for one in told if _quotable(one)]
    frequency = Counter(term for one in worth for term in one.content)
    weights = {one.index: _weight(one, frequency) for one in worth}
    return sorted(worth, key=lambda one: (not _comes_first(one), -weights[one.index], one.index))


def _quotable(one: Told) -> bool:
    """Code, courtesy, answered questions and what was taken back are no use to a later reader."""
    if one.sentence.form is Form.CODE or one.replaced or is_pleasantry(one.sentence.text):
        return False
    return bool(one.content) or bool(one.findings)


def _comes_first(one: Told) -> bool:
    return one.open or any(mark.trait in _KEPT_FIRST for mark in one.findings)


def _weight(one: Told, frequency: Mapping[str, int]) -> float:
    marks = sum(_WEIGHTS.get(trait, 0.0) for trait in {mark.trait for mark in one.findings})
    marks += _OPEN if one.open else 0.0
    marks += _WEIGHTS[Trait.CORRECTION] if one.corrects and not one.has(Trait.CORRECTION) else 0.0
    marks -= 1.0 if one.corrected or (one.has(Trait.QUESTION) and not one.open) else 0.0
    rarity = sum(1.0 / frequency[term] for term in sorted(one.content))
    return _SPEAKERS.get(one.source.role, _OTHER_SPEAKER) * (marks + min(rarity, 5.0) / 5.0)


DEFAULT: Final = "offline"
OFF: Final = "off"
"""No summaries are made."""

_factories: dict[str, Callable[[], Summariser]] = {DEFAULT: OfflineSummariser}
_made: dict[str, Summariser] = {}
_lock = Lock()


def names() -> tuple[str, ...]:
    """Return the registered names in alphabetical order, ``off`` among them."""
    return tuple(sorted((*_factories, OFF)))


def register(name: str, factory: Callable[[], Summariser]) -> None:
    """Make ``factory()`` available as ``summariser(name)``; it is called once, at the first use.

    Raises `InvalidArgument` if the name is empty or taken.
    """
    with _lock:
        if not name or name in (*_factories, OFF):
            raise InvalidArgument("A summariser needs a name that is not empty and not taken.", taken=names())
        _factories[name] = factory


def summariser(name: str = DEFAULT) -> Summariser | None:
    """Return the one instance registered under ``name``, None for ``off``.

    Raises `InvalidArgument` with the allowed names.
    """
    if name == OFF:
        return None
    with _lock:
        if name not in _factories:
            allowed = names()
            raise InvalidArgument(
                f"No summariser has this name; allowed are: {', '.join(allowed)}.", allowed=allowed
            )
        if name not in _made:
            _made[name] = _factories[name]()
        return _made[name]


class _Chosen:
    """The sentences taken so far, within the budget."""

    def __init__(self, budget: int, count: Count) -> None:
        self.taken: list[tuple[Told, Line]] = []
        self._left = budget
        self._count = count
        self._texts: set[tuple[str, bool]] = set()
        self._by_term: dict[str, list[Told]] = defaultdict(list)

    def offer(self, one: Told) -> None:
        """Take the sentence unless it is said already or does not fit."""
        text = normalise(one.sentence.text), bool(one.corrected)
        if self._left <= 0 or text in self._texts or self._repeated(one):
            return
        line = Line(one.sentence.text, (one.source.id,), corrected=bool(one.corrected))
        cost = self._count(shown(line, [one.source]) + "\n")
        if cost <= self._left:
            self._left -= cost
            self.taken.append((one, line))
            self._texts.add(text)
            for term in one.content:
                self._by_term[term].append(one)

    def _repeated(self, one: Told) -> bool:
        # Nine in ten of its terms are in a sentence that says the same, so one of its two rarest is.
        rarest = sorted(one.content, key=lambda term: (len(self._by_term[term]), term))[:2]
        candidates = (other for term in rarest for other in self._by_term[term])
        return not one.corrects and any(_says_all(other, one) for other in candidates)


def _says_all(chosen: Told, one: Told) -> bool:
    """Tell whether a chosen sentence says all that this one does."""
    if chosen.denies != one.denies or chosen.corrected or one.open:
        return False
    vouched = frozenset[str]().union(*(mark.vouched for mark in chosen.values))
    return (
        all(mark.value in vouched for mark in one.values) and share(one.content, chosen.content) >= _REPEATS
    )


def _fitting(
    taken: Sequence[tuple[Told, Line]], messages: Sequence[SourceMessage], budget: int, count: Count
) -> Draft:
    """Return the lines in order; where the parts cost more together than alone, without the least of them."""
    kept = list(taken)
    while kept:
        draft = tuple(line for _, line in sorted(kept, key=lambda pair: pair[0].index))
        if count(text_of(draft, messages)) <= budget:
            return draft
        kept.pop()
    return ()
