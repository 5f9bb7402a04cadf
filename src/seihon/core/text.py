"""Text analysis: one tokeniser for every database.

Both databases store and compare the strings that this module makes, so no collation, no parser and no
dictionary of theirs takes part, and both find the same. Stored text is never changed: normalisation
concerns the terms alone.

What becomes a term of a text, after ``normalise``:

- a word (letters and digits of scripts that put spaces between words): English words by their stem (an
  irregular form by its base's), everything else as it is; numbers are never stemmed or merged;
  ``iphone15`` is also ``iphone`` and ``15``;
- a compound (``pol-358``, ``v2.0.1``, ``1,200``, ``don't``, ``e-mail``) whole, and each of its parts;
  words joined by hyphens also as one word (``email``);
- a run of letters of a script without spaces (Han, kana, Hangul, Thai, ...) by its one- and two-character
  grams, so that every run of it can be found;
- an emoji or pictograph; a joined sequence whole, and each of its pictures;
- nothing else: punctuation, spaces and control characters are no terms.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final, NamedTuple

from seihon.core import english

MAX_TERM: Final = 64
"""The longest term, in code points; a longer one keeps its head and a digest of the whole."""

MAX_QUERY_TERMS: Final = 200
"""The most terms that one query looks for; of a longer one, the weightiest, then the first."""

MAX_SOUGHT: Final = 20_000
"""The most characters of a normalised query that are looked at: one of 10,000 may stand for 60,000."""

STOP_WEIGHT: Final = 0.0
"""What an English function word counts in a query that holds other words."""

# Weights of the grams of a run in a query. Kana mostly carries grammar, a Han character is a word or half
# of one: on 60 Japanese questions equal weights found 40 % first and 62 % among five, these 47 % and 72 %.
HIRAGANA_PAIR: Final = 0.3
HAN_SINGLE: Final = 1.0
OTHER_SINGLE: Final = 0.0

_KANA: Final = r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff"
_HAN: Final = r"\u3005-\u3007\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HANGUL: Final = r"\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
_UNSPACED: Final = (
    _HAN
    + _KANA
    + _HANGUL
    + r"\u3099\u309a\u30fc\u3105-\u312f\u31a0-\u31bf\U0001b000-\U0001b16f"  # sound marks, bopomofo, old kana
    + r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u109d\u1780-\u17d3"  # Thai to Khmer
)
_MARKS: Final = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    r"\u0962\u0963\u0981-\u0983\u09bc-\u09d7\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b57\u0b82-\u0bcd"
    r"\u0c00-\u0c56\u0c81-\u0cd6\u0d00-\u0d57\u0d81-\u0ddf\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
)
_PICTURE: Final = (
    r"\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001faff"
)
_SKIN: Final = r"[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"

_WORD: Final = rf"[^\W_{_UNSPACED}{_PICTURE}](?:[^\W_{_UNSPACED}{_PICTURE}]|[{_MARKS}])*"
_JOINED: Final = r"{w}(?:(?:[-.'@_/&]|(?<=[0-9])[,:](?=[0-9])){w})*(?:\+\+|\#(?![\w#]))?"
_COMPOUND: Final = _JOINED.replace("{w}", _WORD)
_ASCII_UNIT: Final = re.compile(_JOINED.replace("{w}", "[a-z0-9]+"))
_UNIT: Final = re.compile(
    rf"(?P<run>[{_UNSPACED}]+)|(?P<word>{_COMPOUND})"
    rf"|(?P<sign>[\U0001f1e6-\U0001f1ff]{{1,2}}|[{_PICTURE}]{_SKIN}(?:\u200d[{_PICTURE}]{_SKIN})*)"
)
_PART: Final = re.compile(rf"{_WORD}")
_HAN_LETTER: Final = re.compile(rf"[{_HAN}]")
_HIRAGANA: Final = re.compile(r"[\u3041-\u309f\u30fc]+")
_RUNS: Final = re.compile(r"[0-9]+|[^0-9]+")
_PICTURES: Final = re.compile(rf"[{_PICTURE}]")
_SKINS: Final = re.compile(r"[\U0001f3fb-\U0001f3ff]")
_OUTER: Final = re.compile(
    rf"^[^\w{_PICTURE}\U0001f1e6-\U0001f1ff]+|[^\w{_PICTURE}\U0001f1e6-\U0001f1ff+#]+$"
)
_SINGLE_KANA: Final = re.compile(rf"(?<=[{_KANA}])[-~\u2014\u2015\u2500](?=[{_KANA}])")
_SINGLE_DASH: Final = re.compile(r"(?<=[a-z0-9])\u30fc(?=[a-z0-9])")

# Invisible characters say nothing; ZWJ stays, since it joins pictures. Then the looks of one sign.
_INVISIBLE: Final = [0xAD, 0x200B, 0x200C, 0x200E, 0x200F, 0xFEFF, 0x180E, *range(0x2060, 0x2065)]
_DIRECTIONS: Final = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_VARIATIONS: Final = [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
_DROPPED: Final[Mapping[int, None]] = dict.fromkeys([*_INVISIBLE, *_DIRECTIONS, *_VARIATIONS])
# Two Arabic phrases of 18 and 8 letters are one character each, which would make a text that many times as
# long; every other character stands for 6 at most. They stay as they are, by way of a sign without a meaning.
_PHRASES: Final = "\ufdfa\ufdfb"
_KEPT: Final = dict(zip(map(ord, _PHRASES), "\U000f0000\U000f0001", strict=True))
_UNFOLDED: Final[Mapping[int, str | None]] = {**_DROPPED, **_KEPT}
_LOOKS: Final[Mapping[int, str]] = {
    **{ord(sign): chr(phrase) for phrase, sign in _KEPT.items()},
    **dict.fromkeys((0x2018, 0x2019, 0x201B, 0x2BC, 0x2B9, 0x2032, 0x60, 0xB4), "'"),
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0xFE63), "-"),
    0x301C: "~",
    0x223C: "~",
}


class Occurrence(NamedTuple):
    """One term where it stands: ``start`` and ``end`` are offsets into the text as it was given."""

    term: str
    start: int
    end: int


def normalise(text: str) -> str:
    """Return the text as terms see it: compatibility forms, case, dashes and kana marks made one.

    NFKC and full case folding, at most 6 times as long; invisible characters are dropped; a wave dash is a
    tilde; a dash or tilde between kana is the long-vowel mark (``サ-バ`` is ``サーバ``), a long-vowel mark
    between Latin letters or digits is a dash (``POLー358``). For comparing only: stored text stays as it is.
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    return _settle(_fold(text))


def terms(text: str) -> Counter[str]:
    """Return each term of a text to be found later, with how often it stands there."""
    counted: Counter[str] = Counter()
    for kind, unit in _units(normalise(text)):
        counted.update(_indexed(kind, unit))
    return counted


def query_terms(text: str) -> dict[str, float]:
    """Return each term to look for with its weight (above 0), in order of first appearance.

    A subset of what ``terms`` gives for the same text (its first ``MAX_SOUGHT`` characters once normalised;
    the last word of a longer one may be cut), at most ``MAX_QUERY_TERMS``: English function words
    are left out unless nothing else is there; of a run of two or more letters each pair is looked for, and
    each Han character alone. Empty when the text holds no term.
    """
    weights: dict[str, float] = {}
    idle: dict[str, float] = {}
    for kind, unit in _units(normalise(text)[:MAX_SOUGHT]):
        for term, weight in _sought(kind, unit):
            target = weights if weight > 0 else idle
            target[term] = max(target.get(term, 0.0), weight)
    return _weightiest(weights or dict.fromkeys(idle, 1.0))


def spoken(query: str) -> list[str]:
    """Return the words of a query as they stand in normalised text, without outer punctuation."""
    return _OUTER.sub("", normalise(query)[:MAX_SOUGHT]).split()


def verbatim(query: str) -> re.Pattern[str] | None:
    """Return a pattern that finds the query as it stands in normalised text, or None for a query of nothing.

    Outer punctuation is left aside, any space matches any other, and an end that is a Latin letter or digit
    is the end of a word.
    """
    words = spoken(query)
    if not words:
        return None
    run = r"\s+".join(map(re.escape, words))
    before = r"(?<![a-z0-9])" if words[0][0].isascii() else ""
    after = r"(?![a-z0-9])" if words[-1][-1].isascii() else ""
    return re.compile(before + run + after)


def _weightiest(weights: dict[str, float]) -> dict[str, float]:
    if len(weights) <= MAX_QUERY_TERMS:
        return weights
    first = sorted(weights, key=lambda term: -weights[term])[:MAX_QUERY_TERMS]
    return {term: weights[term] for term in first}


def located(folded: str, origin: Sequence[tuple[int, int]]) -> Iterator[Occurrence]:
    """Yield every term of a ``traced`` text where it stands; a part has its compound's place."""
    for match in _matches(folded):
        for term, start, end in _placed(match):
            yield Occurrence(term, origin[start][0], origin[end - 1][1])


def _fold(text: str) -> str:
    visible = text.translate(_UNFOLDED)
    folded = unicodedata.normalize("NFKC", visible).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_LOOKS)


def _settle(folded: str) -> str:
    """Resolve the signs that depend on their neighbours; keeps the length."""
    return _SINGLE_DASH.sub("-", _SINGLE_KANA.sub("\u30fc", folded))


def traced(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the normalised text and, for each of its characters, the piece of the text it came from."""
    if text.isascii():
        return normalise(text), [(at, at + 1) for at in range(len(text))]
    folded: list[str] = []
    origin: list[tuple[int, int]] = []
    for start, end in _pieces(text):
        piece = _fold_piece(text[start:end])
        folded.append(piece)
        origin.extend([(start, end)] * len(piece))
    return _settle("".join(folded)), origin


_fold_piece = lru_cache(maxsize=1 << 13)(_fold)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the pieces that normalise apart from each other: a character with what is joined to it."""
    start = 0
    for index in range(1, len(text)):
        if not _joins(text[index]):
            yield start, index
            start = index
    if text:
        yield start, len(text)


def _joins(character: str) -> bool:
    """Tell whether the character belongs to the one before it (a mark, a sound mark, a jamo, invisible)."""
    if character < "\u0300":
        return character == "\xad"
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me")
        or character in "\uff9e\uff9f"
        or "\u1160" <= character <= "\u11ff"
        or ord(character) in _DROPPED
    )


def _matches(folded: str) -> Iterator[re.Match[str]]:
    return (_ASCII_UNIT if folded.isascii() else _UNIT).finditer(folded)


def _kind(match: re.Match[str]) -> str:
    return match.lastgroup or "word"


def _units(folded: str) -> Iterator[tuple[str, str]]:
    for match in _matches(folded):
        yield _kind(match), match.group()


def _indexed(kind: str, unit: str) -> list[str]:
    if kind == "word":
        return list(_word_terms(unit))
    return _grams(unit) if kind == "run" else _pictures(unit)


def _sought(kind: str, unit: str) -> Iterator[tuple[str, float]]:
    if kind == "run":
        for gram in _grams(unit):
            yield gram, 1.0 if len(unit) == 1 else _gram_weight(gram)
        return
    idle = not english.FUNCTION_WORDS.isdisjoint((unit, unit.partition("'")[0]))
    for term in _indexed(kind, unit):
        yield term, STOP_WEIGHT if idle or term in english.FUNCTION_WORDS else 1.0


@lru_cache(maxsize=1 << 14)
def _gram_weight(gram: str) -> float:
    if len(gram) == 1:
        return HAN_SINGLE if _HAN_LETTER.match(gram) else OTHER_SINGLE
    return HIRAGANA_PAIR if _HIRAGANA.fullmatch(gram) else 1.0


def _placed(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    start, end = match.span()
    if _kind(match) != "run":
        for term in _indexed(_kind(match), match.group()):
            yield term, start, end
        return
    unit = match.group()
    for index in range(len(unit)):
        yield unit[index], start + index, start + index + 1
        if index + 1 < len(unit):
            yield unit[index : index + 2], start + index, start + index + 2


def _grams(run: str) -> list[str]:
    return [*run, *map("".join, pairwise(run))]


def _pictures(sign: str) -> list[str]:
    whole = _bounded(sign)
    parts = _PICTURES.findall(_SKINS.sub("", sign))
    return [whole, *parts] if parts != [whole] else parts


@lru_cache(maxsize=1 << 15)
def _word_terms(unit: str) -> tuple[str, ...]:
    """Return the terms of one word or compound, each once, the whole first."""
    if unit.isascii() and unit.isalpha():
        return (_stem(unit),)
    parts = _PART.findall(unit)
    found = [_stem(unit), *map(_stem, parts)]
    found.extend(_stem(piece) for part in parts for piece in _RUNS.findall(part) if piece != part)
    if len(parts) > 1 and unit == "-".join(parts) and "".join(parts).isalpha():
        found.append(_stem("".join(parts)))
    if not unit.isascii():
        found.extend(_stem(plain) for part in parts if (plain := _unaccented(part)) != part)
    return tuple(dict.fromkeys(found))


def _unaccented(word: str) -> str:
    """Return a Latin word without its accents, as many people type it; other scripts as they are."""
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return plain if plain.isascii() else word


def _stem(word: str) -> str:
    if len(word) > MAX_TERM:
        return _bounded(word)
    if len(word) < 3 or not word.isascii() or not word.replace("'", "").isalpha():
        return word
    return english.stem(word)


def _bounded(term: str) -> str:
    """Shorten a very long term so that unequal ones stay apart."""
    if len(term) <= MAX_TERM:
        return term
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{term[: MAX_TERM - 17]}~{digest}"
