"""Whether a summary says what its sources say, and what of them it lost.

A line is flagged where it holds a number, a date, a name or a denial that its sources do not contain, drops
a denial, gives a value that was taken back, changes the language or has no source; flagged lines are not
published. The other way round, every denial, correction, number, date and open question of the sources is
looked for in the lines, and each that is missing is listed with its message.

The check compares what can be compared for certain; it does not judge style, and a false statement made only
of the sources' own words passes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from seihon.core.quantities import quantities
from seihon.core.reading import SourceMessage, Told, denies, holds, read, share
from seihon.core.refusals import Refusal as Refusal
from seihon.core.refusals import refusal as refusal
from seihon.core.render import day
from seihon.core.salience import Finding, Trait, content, findings
from seihon.core.sentences import CJK, Form
from seihon.core.text import normalise, terms
from seihon.errors import InvalidArgument

CLOSE: Final = 0.5
"""The share of a statement's content that a line must have to stand for it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary and the ids of the messages it was drawn from, at least one.

    ``corrected`` marks a quote of which a part was taken back later. Raises `InvalidArgument` without text
    or source.
    """

    text: str
    sources: tuple[str, ...]
    corrected: bool = False

    def __post_init__(self) -> None:
        if not self.text.strip() or not self.sources:
            raise InvalidArgument("A line of a summary needs text and at least one source message.")


class FlagKind(StrEnum):
    """What a line has that its sources do not support."""

    SOURCE = "source"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    NEGATION_LOST = "negation_lost"
    CORRECTED = "corrected"
    LANGUAGE = "language"


@dataclass(frozen=True, slots=True)
class Flag:
    """A reason against one line: its place from 0, the kind, and a piece of the line or the source's id."""

    line: int
    kind: FlagKind
    text: str


class Need(StrEnum):
    """What a summary must keep."""

    NEGATION = "negation"
    CORRECTION = "correction"
    NUMBER = "number"
    DATE = "date"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Missing:
    """Something of the sources that no line has: the message's id and the piece of its text."""

    need: Need
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Kept:
    """How many of a need's occurrences in the sources the lines have."""

    kept: int
    total: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check. ``ratio`` is the length of the lines over that of the sources, 0 without any."""

    flags: tuple[Flag, ...]
    missing: tuple[Missing, ...]
    kept: Mapping[Need, Kept]
    ratio: float

    @property
    def flagged(self) -> frozenset[int]:
        """The places of the lines that must not be published."""
        return frozenset(flag.line for flag in self.flags)


def check(
    lines: Sequence[Line], sources: Sequence[SourceMessage], *, count: Callable[[str], int] = len
) -> Verdict:
    """Compare the lines with their sources, both ways.

    ``sources`` are the messages of the summarised range in order; ``count`` measures the compression, in
    characters by default.
    """
    told = read(sources)
    by_source = _Sources(told, sources)
    said = [_Said(line) for line in lines]
    flags = [flag for place, one in enumerate(said) for flag in _flags(place, one, by_source)]
    missing, kept = _account(told, said)
    total = sum(count(one.text) for one in sources)
    return Verdict(
        tuple(flags), missing, kept, sum(count(one.text) for one in lines) / total if total else 0.0
    )


def faithful(lines: Sequence[Line], sources: Sequence[SourceMessage]) -> tuple[Line, ...]:
    """Return the lines that may be published: those without a flag."""
    flagged = check(lines, sources).flagged
    return tuple(line for place, line in enumerate(lines) if place not in flagged)


class _Said:
    """A line as it is compared."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.findings = findings(line.text)
        self.content = content(line.text)
        self.normal = normalise(line.text).strip()

    @cached_property
    def denies(self) -> bool:
        return denies(self.line.text, self.findings)

    @cached_property
    def negative(self) -> bool:
        return any(one.trait == Trait.NEGATION for one in self.findings)

    def vouches(self, value: str) -> bool:
        return any(value in one.vouched for one in self.findings)


class _Sources:
    """The statements of each message and what the message vouches for, its own date included."""

    def __init__(self, told: Sequence[Told], sources: Sequence[SourceMessage]) -> None:
        self.told: dict[str, list[Told]] = {one.id: [] for one in sources}
        self.messages = {one.id: one for one in sources}
        for one in told:
            self.told[one.source.id].append(one)

    def cited(self, line: Line) -> list[Told]:
        return [one for source in line.sources for one in self.told.get(source, ())]

    def vouched(self, line: Line, cited: Sequence[Told]) -> set[str]:
        dates = (self.messages[source].at for source in line.sources if source in self.messages)
        dated = (one for at in dates for one in quantities(day(at)))
        supported = {value for one in dated for value in one.vouched}
        return supported.union(*(mark.vouched for one in cited for mark in one.findings))


def _flags(place: int, said: _Said, sources: _Sources) -> Iterator[Flag]:
    line = said.line
    for source in line.sources:
        if source not in sources.told:
            yield Flag(place, FlagKind.SOURCE, source)
    cited = sources.cited(line)
    checks = (_values(said, sources, cited), _names(said, cited), _denials(said, cited), _rest(said, cited))
    for kind, text in (pair for pairs in checks for pair in pairs):
        yield Flag(place, kind, text)


Reason = tuple[FlagKind, str]


def _values(said: _Said, sources: _Sources, cited: Sequence[Told]) -> Iterator[Reason]:
    vouched = sources.vouched(said.line, cited)
    code = " ".join(normalise(one.sentence.text) for one in cited if one.sentence.form is Form.CODE)
    for one in said.findings:
        if one.trait in (Trait.NUMBER, Trait.DATE) and one.value not in vouched:
            piece = said.line.text[one.start : one.end]
            if normalise(piece) not in code:
                yield FlagKind(one.trait), piece


def _names(said: _Said, cited: Sequence[Told]) -> Iterator[Reason]:
    text = "\n".join(normalise(one.source.text) for one in {one.source.id: one for one in cited}.values())
    known = terms(text)
    own = {mark.value for one in cited for mark in one.findings if mark.trait == Trait.NAME}
    full = [name for name in own if " " in name]
    for one in said.findings:
        if one.trait == Trait.NAME and one.value not in own and not _named(one.value, text, known, full):
            yield FlagKind.NAME, said.line.text[one.start : one.end]


def _named(name: str, text: str, known: Mapping[str, int], full: Iterable[str]) -> bool:
    """Tell whether the sources have the name: as it is, or its words, and those of no other full name."""
    if re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text):
        return True
    if not name.isascii() or not terms(name).keys() <= known.keys():
        return False
    words = set(name.split())
    return len(words) == 1 or not any(words & set(other.split()) for other in full)


def _denials(said: _Said, cited: Sequence[Told]) -> Iterator[Reason]:
    if said.denies:
        sources = [one for one in cited if one.has(Trait.NEGATION)]
        related = (one for one in sources if one.content & said.content or not (one.content and said.content))
        if next(related, None) is None:
            mark = next(one for one in said.findings if one.trait == Trait.NEGATION)
            yield FlagKind.NEGATION, said.line.text[mark.start : mark.end]
    elif not said.negative and _lost(said, cited):
        yield FlagKind.NEGATION_LOST, said.line.text


def _lost(said: _Said, cited: Sequence[Told]) -> bool:
    """Tell whether the line says without its denial what the nearest statement denies."""
    nearest, by_denial = max(
        ((share(said.content, one.content), one.denies) for one in cited if one.content),
        key=lambda pair: (pair[0], not pair[1]),
        default=(0.0, False),
    )
    return by_denial and nearest >= CLOSE


def _rest(said: _Said, cited: Sequence[Told]) -> Iterator[Reason]:
    if not said.line.corrected and any(_outdated(said, one) for one in cited) and not _current(said, cited):
        yield FlagKind.CORRECTED, said.line.text
    scripts = {_script(one.sentence.text) for one in cited} - {""}
    if scripts and _script(said.line.text) not in scripts | {""}:
        yield FlagKind.LANGUAGE, said.line.text


def _outdated(said: _Said, one: Told) -> bool:
    """Tell whether the line still gives what was taken back of this statement, and nothing in its place."""
    stale = any(holds(said.findings, said.content, old) for old in one.corrected)
    corrective = any(mark.trait == Trait.CORRECTION for mark in said.findings)
    return stale and not corrective and share(said.content, one.content) >= CLOSE


def _current(said: _Said, cited: Sequence[Told]) -> bool:
    """Tell whether a statement that holds says the same, word for word."""
    return any(said.normal == normalise(one.sentence.text).strip() for one in cited if not one.corrected)


def _script(text: str) -> str:
    """The language family of a text: ``cjk``, ``latin``, or '' where letters tell nothing."""
    japanese, latin = len(_CJK.findall(text)), len(_LATIN.findall(text))
    if japanese >= max(2, latin // 3):
        return "cjk"
    return "latin" if latin >= MIN_LATIN else ""


MIN_LATIN: Final = 3  # words of Latin letters that make a sentence of a language; "Pro: OK" is of any
_CJK = re.compile(rf"[{CJK}]")
_LATIN = re.compile(r"[A-Za-z]{2,}")


def _account(told: Sequence[Told], said: Sequence[_Said]) -> tuple[tuple[Missing, ...], Mapping[Need, Kept]]:
    by_source: dict[str, list[_Said]] = {}
    for one in said:
        for source in one.line.sources:
            by_source.setdefault(source, []).append(one)
    missing: list[Missing] = []
    totals = dict.fromkeys(Need, 0)
    lost = dict.fromkeys(Need, 0)
    for one in told:
        citing = by_source.get(one.source.id, [])
        for need, text, kept in _needs(one, citing, said):
            totals[need] += 1
            if not kept:
                lost[need] += 1
                missing.append(Missing(need, one.source.id, text))
    return tuple(missing), {need: Kept(totals[need] - lost[need], totals[need]) for need in Need}


def _needs(one: Told, citing: Sequence[_Said], said: Sequence[_Said]) -> Iterator[tuple[Need, str, bool]]:
    """Yield what a statement asks a summary to keep, its text, and whether a line has it."""
    if one.replaced:
        return
    text = one.sentence.text
    if one.denies:
        yield Need.NEGATION, text, any(each.negative for each in _standing(one, citing, said))
    if one.corrects or one.has(Trait.CORRECTION):
        yield Need.CORRECTION, text, _gives(one, citing) or bool(_standing(one, citing, said))
    if one.open:
        yield Need.QUESTION, text, bool(_standing(one, citing, said))
    gone = {old.value for old in (*one.corrects, *one.corrected)}
    for mark in one.findings:
        if mark.trait in (Trait.NUMBER, Trait.DATE) and mark.value not in gone:
            yield Need(mark.trait), text[mark.start : mark.end], _has(mark, one, citing, said)


def _standing(one: Told, citing: Sequence[_Said], said: Sequence[_Said]) -> list[_Said]:
    """Return the lines that stand for a statement: drawn from it, or from one that says the same."""
    own = [each for each in citing if _stands(one, each, CLOSE)]
    return own or [each for each in said if one.content and share(one.content, each.content) >= SAME]


SAME: Final = 0.8


def _stands(one: Told, line: _Said, needed: float) -> bool:
    if one.content:
        return share(one.content, line.content) >= needed
    return normalise(one.sentence.text).strip() in line.normal


def _gives(one: Told, citing: Sequence[_Said]) -> bool:
    """Tell whether a line has every new value of a correction."""
    old = {each.value for each in one.corrects}
    new = [mark for mark in one.values if mark.value not in old]
    return bool(new) and any(all(line.vouches(mark.value) for mark in new) for line in citing)


def _has(mark: Finding, one: Told, citing: Sequence[_Said], said: Sequence[_Said]) -> bool:
    if any(line.vouches(mark.value) for line in citing):
        return True
    return any(line.vouches(mark.value) and line.content & one.content for line in said)
