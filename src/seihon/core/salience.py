"""What a sentence carries that must not be lost when it is shortened.

`findings` gives the marks of one sentence with their places: negations, numbers, dates, corrections,
decisions, questions, names, and facts that a speaker states of themselves. The rules stand in
`seihon.core.salience_rules`, one table for each language; a rule is an expression of what is meant and one of
what only looks like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from seihon.core import salience_rules as rules
from seihon.core.english import FUNCTION_WORDS
from seihon.core.quantities import Measure, Quantity, quantities
from seihon.core.quantity_words import flat
from seihon.core.sentences import is_cjk, unmarked
from seihon.core.text import normalise, terms


class Trait(StrEnum):
    """A kind of mark. ``QUESTION`` asks; ``PENDING`` says that something is open."""

    NEGATION = "negation"
    NUMBER = "number"
    DATE = "date"
    CORRECTION = "correction"
    DECISION = "decision"
    QUESTION = "question"
    PENDING = "pending"
    NAME = "name"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True)
class Finding:
    """One mark, ``sentence[start:end]``.

    ``value`` compares across spellings (see `seihon.core.quantities`); ``vouched`` are the values that a
    sentence with this mark supports; ``kind`` says what can take its place in a correction.
    """

    trait: Trait
    start: int
    end: int
    value: str
    vouched: frozenset[str]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A correction that names what it takes back: ``old`` and ``new`` are pieces of it."""

    old: str
    new: str


def findings(sentence: str) -> tuple[Finding, ...]:
    """Return the marks of one sentence in order of their places; a list marker is none."""
    begin = unmarked(sentence)
    body = sentence[begin:]
    folded = flat(body)
    counted = quantities(body)
    found = [_of_quantity(one) for one in counted]
    found += _of_rules(folded)
    found += _names(body, counted)
    if asks(body):
        found.append(_plain(Trait.QUESTION, len(body) - 1, len(body), "?"))
    return tuple(
        sorted((_moved(one, begin) for one in found), key=lambda one: (one.start, one.end, one.trait))
    )


def traits(sentence: str) -> frozenset[Trait]:
    """Return the kinds of marks of one sentence."""
    return frozenset(one.trait for one in findings(sentence))


def asks(sentence: str) -> bool:
    """Tell whether the sentence is a question."""
    return rules.ASKS.search(flat(sentence)) is not None


def is_pleasantry(sentence: str) -> bool:
    """Tell whether the sentence says nothing but thanks, a greeting or that it heard."""
    return rules.PLEASANTRY.fullmatch(flat(sentence)) is not None


def defers(sentence: str) -> bool:
    """Tell whether the sentence puts an answer off: it will be looked up, or is not known."""
    return rules.DEFERRAL.search(flat(sentence)) is not None


def contrasts(sentence: str) -> tuple[Contrast, ...]:
    """Return what the sentence takes back by naming it: ``X ではなく Y``, ``Y, not X``, ``from X to Y``."""
    folded = rules.NOT_ONLY.sub(_blank, flat(sentence))
    found: list[Contrast] = []
    for pattern in rules.CONTRASTS:
        for match in pattern.finditer(folded):
            old = rules.OLD_TOPIC.sub("", sentence[slice(*match.span("old"))]).strip()
            new = sentence[slice(*match.span("new"))].strip() if "new" in pattern.groupindex else ""
            found.append(Contrast(old, new))
    return tuple(one for one in found if one.old)


def content(text: str) -> frozenset[str]:
    """Return the terms that say what a text is about: no function words, of Japanese no hiragana."""
    return frozenset(term for term in terms(text) if _tells(term))


def _tells(term: str) -> bool:
    if term.isascii():
        return term not in FUNCTION_WORDS
    return not rules.GRAMMAR.search(term)


def _of_quantity(one: Quantity) -> Finding:
    trait = Trait.DATE if one.measure is Measure.DATE else Trait.NUMBER
    return Finding(trait, one.start, one.end, one.value, one.vouched, one.kind)


def _plain(trait: Trait, start: int, end: int, value: str) -> Finding:
    return Finding(trait, start, end, value, frozenset({value}))


def _moved(one: Finding, by: int) -> Finding:
    return Finding(one.trait, one.start + by, one.end + by, one.value, one.vouched, one.kind) if by else one


def _of_rules(folded: str) -> Iterator[Finding]:
    for name, rule in rules.RULES.items():
        text = rule.unless.sub(_blank, folded) if rule.unless else folded
        for match in rule.pattern.finditer(text):
            if match.end() > match.start():
                yield _plain(Trait(name), match.start(), match.end(), name)


def _blank(match: re.Match[str]) -> str:
    """What only looks like a mark is painted over, so that places stay."""
    return "\0" * len(match.group())


def _names(body: str, counted: tuple[Quantity, ...]) -> Iterator[Finding]:
    """Yield names outside of quantities: what a capital, katakana, an honorific or a list tells as one."""
    taken = [(one.start, one.end) for one in counted]
    for start, end in sorted({*_latin_names(body), *_japanese_names(body)}):
        if all(end <= first or start >= last for first, last in taken):
            taken.append((start, end))
            name = normalise(body[start:end])
            yield Finding(Trait.NAME, start, end, name, frozenset({name}), "name")


def _latin_names(body: str) -> Iterator[tuple[int, int]]:
    if body.isupper():  # shouting: a capital tells nothing
        return
    for match in _CAPITALISED.finditer(body):
        words = [(one.start(), one.end()) for one in _WORD.finditer(body, *match.span())]
        while words and _is_ordinary(body[slice(*words[0])]):
            words.pop(0)
        while words and _is_ordinary(body[slice(*words[-1])]):
            words.pop()
        if words:
            start, end = words[0][0], words[-1][1]
            if len(words) > 1 or not _begins(body, start) or _acts(body, start, end):
                yield start, end


def _is_ordinary(word: str) -> bool:
    plain = word.lower()
    return plain in FUNCTION_WORDS or plain in rules.NOT_NAMES


def _begins(body: str, start: int) -> bool:
    """Tell whether the word begins a sentence or a quote, where any word has a capital."""
    before = body[:start].rstrip(" \t\n\"'“‘(「『[*_")
    return not before or before[-1] in ".!?:;。！？：\n-…"


def _acts(body: str, start: int, end: int) -> bool:
    """Tell whether a first word is used as a name is: mixed case inside, or followed as a person is."""
    word = body[start:end]
    if not word[1:].islower() and len(word) > 1 and not word.isupper():
        return True
    return rules.ACTS.match(body, end) is not None


def _japanese_names(body: str) -> Iterator[tuple[int, int]]:
    if not is_cjk(body):
        return
    for match in rules.JAPANESE_NAME.finditer(body):
        group = next(name for name in ("titled", "katakana", "place", "known", "introduced") if match[name])
        if match[group] not in rules.NOT_NAMES:
            yield match.span(group)


_WORD: Final = re.compile(r"\S+")
_LETTER: Final = "A-Za-z0-9À-ÖØ-öø-ÿ_&"
_NAME_WORD: Final = rf"(?:[A-Z]\.(?=[ \t]+[A-Z])|[A-ZÀ-ÖØ-Þ][{_LETTER}]*(?:[-.’'][A-ZÀ-ÖØ-Þ][{_LETTER}]*)*)"
_CAPITALISED: Final = re.compile(
    rf"(?<![{_LETTER}@/.’'-]){_NAME_WORD}(?:[ \t]+(?:(?:of|de|van|von|da)[ \t]+)?{_NAME_WORD}){{0,5}}"
)
