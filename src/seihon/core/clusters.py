"""Where text may be cut: between the characters a reader sees, not inside one.

A reader's character can be several code points: a letter and its accents, か and ゛, a flag, a family emoji
joined by U+200D, an emoji and its variation selector. The rules follow Unicode Standard Annex 29 and lean to
the careful side: a place they call safe is never inside a cluster; a few safe places they do not offer.
"""

from __future__ import annotations

import unicodedata

_ZWJ = "\u200d"
_EXTENDING = frozenset("\u200c\u200d\uff9e\uff9f\u0e33\u0eb3")
_PREPENDED = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
_VIRAMA = 9


def is_boundary(text: str, at: int) -> bool:
    """Tell whether ``text`` may be cut before the code point ``at``; both ends always may."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _ZWJ or before in _PREPENDED or _joins_hangul(before, after):
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, at) % 2 == 0
    return not _conjunct(text, at)


def floor_boundary(text: str, at: int) -> int:
    """Return the last boundary at or before ``at``, within 0 and the length."""
    at = max(0, min(at, len(text)))
    while not is_boundary(text, at):
        at -= 1
    return at


def ceil_boundary(text: str, at: int) -> int:
    """Return the first boundary at or after ``at``, within 0 and the length."""
    at = max(0, min(at, len(text)))
    while not is_boundary(text, at):
        at += 1
    return at


def _extends(char: str) -> bool:
    """Combining marks and variation selectors, joiners, skin tones, flag tags, second surrogates."""
    if char in _EXTENDING or "\U0001f3fb" <= char <= "\U0001f3ff" or "\U000e0020" <= char <= "\U000e007f":
        return True
    return "\udc00" <= char <= "\udfff" or unicodedata.category(char)[0] == "M"


def _joins_hangul(before: str, after: str) -> bool:
    """Hangul written as jamo: a vowel or final always joins; a lead joins what follows it."""
    if "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb":
        return True
    lead = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    return lead and ("\u1100" <= after <= "\u115f" or "\ua960" <= after <= "\ua97c" or "가" <= after <= "힣")


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return at - start


def _conjunct(text: str, at: int) -> bool:
    """A consonant that a virama ties to the one before it (Devanagari and its kin)."""
    if unicodedata.category(text[at]) != "Lo":
        return False
    place = at - 1
    while place >= 0 and unicodedata.category(text[place])[0] == "M":
        if unicodedata.combining(text[place]) == _VIRAMA:
            return True
        place -= 1
    return False
