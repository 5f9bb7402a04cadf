"""Sentences of a message, English and Japanese, each with its place.

A sentence is a piece of the message as it stands, so that it can be quoted and found again. What ends one:

- ``。！？`` and their half-width forms, with the closing brackets and pictures that follow them; not inside
  「」 that the sentence goes on after (``「行きます。」と言った。`` is one sentence);
- ``.`` before a space, unless it belongs to an abbreviation, an initial or a list number; a decimal, a
  version, an address of a page or code has no space there; ``!`` and ``?`` before a space or Japanese;
- a line's end, unless the line was only wrapped: it ends with a comma, or the next one goes on in lower case.

A list line begins a sentence with its marker; a fenced block of code is one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Form(StrEnum):
    """How a sentence is written."""

    PROSE = "prose"
    ITEM = "item"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: ``text`` is ``message[start:end]``, without blanks at its ends and never empty."""

    text: str
    start: int
    end: int
    form: Form = Form.PROSE


MARKER: Final = re.compile(
    r"[ \t\u3000]*(?:[-*+•◦‣▪●○◆■]+[ \t\u3000]+|[・※☐☑✓]+[ \t\u3000]*|\d{1,3}[.)．）][ \t\u3000]+|"
    r"[(（]\d{1,3}[)）][ \t\u3000]*|[①-⑳][ \t\u3000]*|[a-zA-Z][)）][ \t\u3000]+|#{1,6}[ \t]+|>[ \t]?)"
)
"""What a list line, a heading or a quoted line begins with."""

CJK: Final = r"\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
"""The letters of Japanese and Chinese, for a character class."""

_FENCED = re.compile(r"(?ms)^[ \t]*(?P<fence>`{3,}|~{3,})[^`\n]*\n.*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)")
_NEWLINE = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_CALM_STOP = "。｡！？．!?"
_FULL_STOP = frozenset("。｡！？")
_QUOTE = r"「(?:[^「」]|「[^「」]{0,200}」){0,400}」|『[^『』]{0,400}』"
_EVENT = re.compile(
    r"(?P<kept>https?://[!-~]*[\w/=&#%~+-]|(?<!`)`{1,3}[^`\n]{1,400}`{1,3})"
    rf"|(?P<quoted>{_QUOTE}|（[^（）\n]{{0,300}}）|\([^()\n]{{0,300}}\)|“[^“”]{{0,400}}”|\"[^\"\n]{{0,400}}\")"
    r"|(?P<stop>[。｡！？．!?.…‥]+)"
)
_TAIL = re.compile(
    r"[」』）)\]】\"”’'*_~♪☆★]*[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]*"
)  # what belongs to a sentence behind its stop
_OPEN_QUOTE = re.compile(_QUOTE)
_IS_CJK = re.compile(rf"[{CJK}]")
_HIRAGANA_OR_COMMA = re.compile(r"[\u3041-\u309f、。，．）]")
_WORD_BEFORE = re.compile(r"[A-Za-z][A-Za-z.]{0,11}$")
_WORD_AFTER = re.compile(r"\s*[\"'“‘(\[「『]*([A-Za-z']+|\S)")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# After a title a name follows; before a number "no." is an abbreviation and otherwise a word; the others
# end a sentence only where the next word is one that begins sentences.
_TITLES = _words("mr mrs ms dr prof rev hon gen capt lt sgt st mt e.g i.e eg ie cf vs viz")
_NUMBERED = _words("no nos fig figs vol pp p ch sec art approx ca ver v")
_SHORTENED = _words(
    """etc al inc ltd co corp jr sr dept est ave blvd rd tel ext min max a.m p.m u.s u.k e.u ph.d b.a m.a
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"""
)
_STARTERS = _words(
    """the a an i i'm i've i'll i'd we we're we'll it it's he she they you your my our his her their this that
    these those there then but and so or if when what who where why how which is are was do does did can
    could please let let's no yes not also however now after before because as at for from thanks in
    on one some"""
)


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a message in their order; what lies between them is white space only."""
    found: list[Sentence] = []
    for form, start, end in _blocks(text):
        spans = ((start, end),) if form is Form.CODE else _spans(text, start, end)
        for first, last in spans:
            piece = text[first:last]
            body = piece.strip()
            if body:
                begin = first + len(piece) - len(piece.lstrip())
                found.append(Sentence(body, begin, begin + len(body), form))
    return tuple(found)


def unmarked(text: str) -> int:
    """Return where a sentence begins behind its list marker; 0 without one."""
    match = MARKER.match(text)
    return match.end() if match and match.end() < len(text) else 0


def is_cjk(text: str) -> bool:
    """Tell whether the text holds a Japanese or Chinese letter."""
    return _IS_CJK.search(text) is not None


def _blocks(text: str) -> Iterator[tuple[Form, int, int]]:
    """Yield fenced code, and the lines between, wrapped ones joined."""
    at = 0
    for code in _FENCED.finditer(text):
        yield from _paragraphs(text, at, code.start())
        yield Form.CODE, code.start(), code.end()
        at = code.end()
    yield from _paragraphs(text, at, len(text))


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[Form, int, int]]:
    begin = start
    for newline in _NEWLINE.finditer(text, start, end):
        if newline.start() >= begin and _ends_line(text, begin, newline, end):
            yield _form(text, begin), begin, newline.start()
            begin = newline.end()
    yield _form(text, begin), begin, end


def _form(text: str, begin: int) -> Form:
    return Form.ITEM if MARKER.match(text, begin) else Form.PROSE


def _ends_line(text: str, begin: int, newline: re.Match[str], end: int) -> bool:
    """Tell a line's end from a wrapped line."""
    rest = newline.end()
    line = text[begin : newline.start()].rstrip()
    if not line or rest >= end or text[rest].isspace() or MARKER.match(text, rest):
        return True
    opened = max(line.rfind("「"), line.rfind("『"))
    if opened >= 0 and (quote := _OPEN_QUOTE.match(text, begin + opened)) and quote.end() > rest:
        return False
    return not (line[-1] in "、," or (text[rest].islower() and text[rest].isascii()))


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    marker = MARKER.match(text, start, end)
    begin = start
    for event in _EVENT.finditer(text, marker.end() if marker else start, end):
        if event.start() < begin:
            continue
        stop = _stop(text, event, end)
        if stop is not None:
            yield begin, stop
            begin = stop
    yield begin, end


def _stop(text: str, event: re.Match[str], end: int) -> int | None:
    """Return where the sentence ends at this event, None where it goes on."""
    match event.lastgroup:
        case "stop":
            tail = _TAIL.match(text, event.end(), end)
            stop = tail.end() if tail else event.end()
            return stop if _is_end(text, event, stop, end) else None
        case "quoted":
            return event.end() if _quote_ends(text, event, end) else None
        case _:
            return None


def _is_end(text: str, event: re.Match[str], stop: int, end: int) -> bool:
    sign = event.group()
    if stop >= end or not _FULL_STOP.isdisjoint(sign):
        return True
    asks = "!" in sign or "?" in sign
    pauses = not asks and (len(sign) > 1 or sign in "…‥")
    if not text[stop].isspace():
        before = text[max(0, event.start() - 1) : event.start()]
        return not pauses and is_cjk(text[stop]) and (asks or is_cjk(before))
    following = _word_after(text, stop, end)
    if pauses:
        return (following[:1].isupper() and following != "I") or is_cjk(following)
    return asks or sign == "．" or not _abbreviated(text, event.start(), following)


def _word_after(text: str, at: int, end: int) -> str:
    match = _WORD_AFTER.match(text, at, end)
    return match[1] if match else ""


def _abbreviated(text: str, at: int, following: str) -> bool:
    """Tell whether the full stop at ``at`` belongs to the word before it."""
    match = _WORD_BEFORE.search(text[max(0, at - 12) : at])
    if not match:
        return False
    word = match.group().lower()
    if word in _TITLES:
        return True
    if word in _NUMBERED:
        return following[:1].isdigit()
    if len(word) > 1 and "." not in word and word not in _SHORTENED:
        return False
    begins = following.lower() in _STARTERS and (following[0].isupper() or following == "i")
    return bool(following) and not begins and not is_cjk(following)


def _quote_ends(text: str, event: re.Match[str], end: int) -> bool:
    """Tell whether a sentence ends with this quote: it holds a stop, and what follows begins anew."""
    quote, stop = event.group(), event.end()
    if quote[-2] not in _CALM_STOP and quote[-2] != ".":
        return False
    if stop >= end:
        return True
    if text[stop].isspace():
        following = _word_after(text, stop, end)
        return following[:1].isupper() or is_cjk(following)
    return quote[0] in "「『" and is_cjk(text[stop]) and not _HIRAGANA_OR_COMMA.match(text[stop])
