"""The messages of a conversation, read as statements that correct and answer one another.

A correction takes back what was said before it, where that can be told: it names the old value
(``火曜ではなく``, ``not Monday``), or it gives a new one of the same kind (a day for a day, yen for yen)
to the nearest earlier statement on the subject, or of the same speaker's last words. What cannot be told is
left as it was said; the later statement then stands beside the earlier one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from seihon.core.salience import Finding, Trait, content, contrasts, defers, findings, is_pleasantry
from seihon.core.sentences import Form, Sentence, sentences

REACH: Final = (
    6  # messages that a correction without a named value, or a named one without a subject, reaches back
)
COMMON: Final = 60  # a term in more statements than this tells no answer from any other

RELATED: Final = 0.5  # the share of one subject in another that makes them the same

_VALUES: Final = frozenset({Trait.NUMBER, Trait.DATE, Trait.NAME})
_CLAUSES: Final = re.compile(r"、|, | and | but |けど|ので|; ")
_CUES: Final = content(
    "ok okay yes no nope sure great got thanks thank right noted sorry wait oops actually instead mean meant "
    "make switch change move correction correct update 了解 承知 訂正 変更 修正 間違 やっぱり"
)  # words of courtesy and of correcting, which are no subject
_CUE_ALONE: Final = 30  # characters of a sentence that only announces a correction (``訂正します。``)


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message as a summary sees it; ``at`` is in microseconds since the epoch."""

    id: str
    role: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Old:
    """What a correction takes back: a value (see `Finding.value`), or the words of a phrase."""

    value: str = ""
    words: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence of a message with its marks, its place in the conversation and what became of it.

    ``corrects`` is what it takes back, ``corrected`` what of it was taken back later; ``replaced`` says
    that nothing else was in it. ``open`` is a question, or an open matter, that nothing answered.
    """

    index: int
    message: int
    source: SourceMessage
    sentence: Sentence
    findings: tuple[Finding, ...] = ()
    content: frozenset[str] = frozenset()
    corrects: tuple[Old, ...] = ()
    corrected: tuple[Old, ...] = ()
    replaced: bool = False
    open: bool = False

    def has(self, trait: Trait) -> bool:
        """Tell whether the sentence carries a mark."""
        return any(one.trait == trait for one in self.findings)

    @property
    def values(self) -> tuple[Finding, ...]:
        """Its numbers, dates and names."""
        return tuple(one for one in self.findings if one.trait in _VALUES)

    @property
    def denies(self) -> bool:
        """Tell whether it denies something, other than the value that it corrects (``not Monday``)."""
        return denies(self.sentence.text, self.findings)


def read(messages: Sequence[SourceMessage]) -> tuple[Told, ...]:
    """Return every sentence of the messages, which are one conversation in its order."""
    told = list(_tell(messages))
    index = _Index(told)
    _correct(told, index)
    _leave_open(told, index)
    return tuple(told)


def denies(text: str, marks: Sequence[Finding]) -> bool:
    """Tell whether a text denies something, other than the value that it corrects (``not Monday``)."""
    corrections = [(one.start, one.end) for one in marks if one.trait == Trait.CORRECTION]
    for one in marks:
        if one.trait == Trait.NEGATION:
            ends = text[one.start : one.end].lower() == "no longer"
            if ends or not any(first < one.end and one.start < last for first, last in corrections):
                return True
    return False


def holds(marks: Sequence[Finding], words: frozenset[str], old: Old) -> bool:
    """Tell whether a text with these marks and content states what ``old`` takes back."""
    if old.value:
        return any(one.trait in _VALUES and old.value in one.vouched for one in marks)
    return bool(old.words) and old.words <= words


def share(part: frozenset[str], whole: frozenset[str]) -> float:
    """Return how much of ``part`` is in ``whole``, 0 to 1; 0 for nothing."""
    return len(part & whole) / len(part) if part else 0.0


def _tell(messages: Sequence[SourceMessage]) -> Iterator[Told]:
    index = 0
    for place, message in enumerate(messages):
        for sentence in sentences(message.text):
            if sentence.form is Form.CODE:
                yield Told(index, place, message, sentence)
            else:
                marks, words = findings(sentence.text), content(sentence.text)
                yield Told(index, place, message, sentence, marks, words)
            index += 1


class _Index:
    """Statements by what they hold, so that a long conversation is not searched from end to end."""

    def __init__(self, told: Sequence[Told]) -> None:
        self._values: dict[str, list[int]] = defaultdict(list)
        self._terms: dict[str, list[int]] = defaultdict(list)
        for one in told:
            for value in {value for mark in one.values for value in mark.vouched}:
                self._values[value].append(one.index)
            for term in one.content:
                self._terms[term].append(one.index)

    def holding(self, old: Old) -> list[int]:
        """The statements that hold a value or all the words of a phrase, in order."""
        if old.value:
            return self._values.get(old.value, [])
        none: list[int] = []
        return min((self._terms.get(term, none) for term in old.words), key=len, default=none)

    def about(self, words: frozenset[str], after: int) -> Iterator[int]:
        """The later statements that share half of the words, in order."""
        shared: Counter[int] = Counter()
        for term in words:
            places = self._terms.get(term, [])
            if len(places) <= COMMON:
                shared.update(place for place in places if place > after)
        return iter(sorted(place for place, count in shared.items() if 2 * count >= len(words)))


def _correct(told: list[Told], index: _Index) -> None:
    for place, one in enumerate(told):
        if one.has(Trait.CORRECTION):
            body = _body(told, one)
            olds = _named(one) or _implied(told, one, body)
            told[place] = replace(told[place], corrects=olds)
            told[body.index] = replace(told[body.index], corrects=olds)
            for old in olds:
                for hit in _taken_back(told, index, told[body.index], one, old):
                    told[hit] = _taken(told[hit], old, body)


def _body(told: Sequence[Told], one: Told) -> Told:
    """Return the statement with the new value: the correction, or what follows a mere ``訂正です。``"""
    announces = not one.values and len(one.sentence.text) <= _CUE_ALONE and len(one.content - _CUES) <= 1
    if not announces or one.index + 1 >= len(told):
        return one
    following = told[one.index + 1]
    return following if following.message == one.message and following.values else one


def _named(one: Told) -> tuple[Old, ...]:
    olds: list[Old] = []
    for contrast in contrasts(one.sentence.text):
        if contrast.new and not content(contrast.new) - _CUES:
            continue
        values = [mark.value for mark in findings(contrast.old) if mark.trait in _VALUES]
        olds += map(Old, values) if values else [Old(words=content(contrast.old))]
    return tuple(dict.fromkeys(old for old in olds if old.value or old.words))


def _implied(told: Sequence[Told], one: Told, body: Told) -> tuple[Old, ...]:
    found: list[Old] = []
    for mark in body.values:
        for earlier in _recent(told, one):
            rival = next((other for other in earlier.values if _rivals(mark, other)), None)
            if rival and _may_correct(one, earlier) and _close(mark, rival, earlier, one, body):
                found.append(Old(rival.value))
                break
    return tuple(dict.fromkeys(found))


def _recent(told: Sequence[Told], one: Told) -> Iterator[Told]:
    """Yield the earlier statements within reach, the nearest first."""
    for place in range(one.index - 1, -1, -1):
        if told[place].message < one.message - REACH:
            return
        yield told[place]


def _rivals(mark: Finding, other: Finding) -> bool:
    """Tell whether one could take the other's place and is not the same."""
    same = mark.trait == other.trait and mark.kind == other.kind
    return same and not (mark.value in other.vouched or other.value in mark.vouched)


def _close(mark: Finding, rival: Finding, earlier: Told, one: Told, body: Told) -> bool:
    """Tell whether an unnamed value is the one that is meant: on the same subject, or just said."""
    old, new = Old(rival.value), Old(mark.value)
    subject = _subject(_subject(one.content | body.content, old), new)
    if mark.trait == Trait.NAME or not subject:
        return not subject and _same_breath(earlier, one)
    return _related(subject, _subject(earlier.content, old))


def _same_breath(earlier: Told, one: Told) -> bool:
    """Tell whether both are of one message or of one speaker's neighbouring messages."""
    return earlier.source.role == one.source.role and earlier.message >= one.message - 2


def _may_correct(one: Told, earlier: Told) -> bool:
    """Tell whether the speaker can take it back: their own words; the person and the application, all."""
    return one.source.role in (earlier.source.role, "user", "system")


def _related(one: frozenset[str], other: frozenset[str]) -> bool:
    return max(share(one, other), share(other, one)) >= RELATED


def _taken_back(told: Sequence[Told], index: _Index, body: Told, one: Told, old: Old) -> list[int]:
    """Return the earlier statements of ``old`` on the correction's subject; without one, the nearest."""
    subject = _subject(one.content | body.content, old)
    for mark in body.values:
        subject = _subject(subject, Old(mark.value))
    hits = [hit for hit in map(told.__getitem__, index.holding(old)) if _can_be(hit, body, one, old)]
    if subject:
        return [hit.index for hit in hits if _related(subject, _subject(hit.content, old))]
    near = [hit for hit in hits if hit.message >= one.message - REACH]
    return [hit.index for hit in _back_to_a_subject(near, old)]


def _can_be(hit: Told, body: Told, one: Told, old: Old) -> bool:
    if hit.index >= one.index or old in hit.corrects or not _may_correct(one, hit):
        return False
    return holds(hit.findings, hit.content, old) and not _restates(hit, body)


def _back_to_a_subject(near: Sequence[Told], old: Old) -> Iterator[Told]:
    """Yield the nearest statement, and before a mere echo (``OK, Monday.``) the one that it echoes."""
    for hit in reversed(near):
        yield hit
        if _subject(hit.content, old):
            return


def _subject(words: frozenset[str], old: Old) -> frozenset[str]:
    """What statements are about beside the value that is taken back; numbers are no subject."""
    rest = words - old.words - content(old.value) - _CUES
    return frozenset(term for term in rest if not any(map(str.isdigit, term)))


def _restates(hit: Told, body: Told) -> bool:
    """Tell whether an earlier statement gives the new value already, beside the old one."""
    new = {mark.value for mark in body.values} - {old.value for old in body.corrects}
    return any(mark.value in new for mark in hit.values if mark.trait != Trait.NAME)


def _taken(hit: Told, old: Old, body: Told) -> Told:
    corrected = (*hit.corrected, old) if old not in hit.corrected else hit.corrected
    known = {value for mark in body.values for value in mark.vouched}
    rest = [mark for mark in hit.values if not any(one.value in mark.vouched for one in corrected)]
    # A name at the beginning is what the sentence is about, and stays that in the correction.
    beside = [mark for mark in rest if mark.start > 0 or mark.trait != Trait.NAME]
    more = any(mark.value not in known for mark in beside) or hit.denies
    behind = max((mark.end for mark in hit.findings if mark.trait == Trait.CORRECTION), default=0)
    said = hit.sentence.text[behind:].strip("、, ")
    clauses = [part for part in _CLAUSES.split(said) if _subject(content(part), old)]
    apart = any(not holds(findings(part), content(part), old) for part in clauses) and len(clauses) > 1
    return replace(hit, corrected=corrected, replaced=not more and not apart)


def _leave_open(told: list[Told], index: _Index) -> None:
    by_message: dict[int, list[Told]] = defaultdict(list)
    for one in told:
        by_message[one.message].append(one)
    for one in list(told):
        asked = one.has(Trait.QUESTION) and not is_pleasantry(one.sentence.text)
        if (asked and not _answered(one, by_message)) or one.has(Trait.PENDING):
            later = (told[place] for place in index.about(_matter(one), one.index))
            told[one.index] = replace(told[one.index], open=not any(map(_settles, later)))


def _matter(one: Told) -> frozenset[str]:
    """What is open, without the words that say so."""
    text = one.sentence.text
    said = (text[mark.start : mark.end] for mark in one.findings if mark.trait == Trait.PENDING)
    return one.content.difference(*map(content, said)) or one.content


def _settles(one: Told) -> bool:
    """Tell whether a later statement on the subject ends the matter."""
    if one.has(Trait.QUESTION) or one.has(Trait.PENDING) or defers(one.sentence.text):
        return False
    return bool(one.values) or one.has(Trait.DECISION) or one.has(Trait.STATEMENT)


def _answered(one: Told, by_message: dict[int, list[Told]]) -> bool:
    """Tell whether the other side's next message replies: not with a question, a delay or courtesy alone."""
    reply = _reply(one, by_message)
    telling = [each for each in reply if _tells(each)]
    if not telling:
        return False
    words = frozenset[str]().union(*(each.content for each in telling))
    siblings = [each for each in by_message[one.message] if each.has(Trait.QUESTION)]
    picked = [each for each in siblings if each.content & words]
    return len(siblings) == 1 or not picked or one in picked or len(telling) >= len(siblings)


def _reply(one: Told, by_message: dict[int, list[Told]]) -> list[Told]:
    for place in range(one.message + 1, one.message + 1 + REACH):
        said = by_message.get(place, [])
        if said and said[0].source.role != one.source.role and said[0].source.role != "system":
            return said
    return []


def _tells(one: Told) -> bool:
    if one.has(Trait.QUESTION) or one.has(Trait.PENDING):
        return False
    text = one.sentence.text
    brief = (
        len(text) <= 20
        and is_pleasantry(text)
        and text[:3].lower() in ("yes", "no.", "はい", "いいえ", "yep")
    )
    return brief or not (is_pleasantry(text) or defers(text))
