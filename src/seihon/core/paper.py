"""Plain text for paper: lines that fit a page of A4 in a fixed-width font, in Latin and Japanese letters.

A full-width letter takes two columns. Nothing that a terminal or a printer would obey gets through.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

WIDTH: Final = 78
# What no line may begin with in Japanese.
_CLINGS: Final = frozenset("、。，．・：；？！）」』】〉》〕］｝ー々っゃゅょッャュョ）,.;:!?)")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    """Return text with what cannot be seen written as its code: control, direction, joiners."""
    return "".join([char if _is_seen(char) else f"<U+{ord(char):04X}>" for char in text])


def columns(text: str) -> int:
    """Return how many columns a text takes. What clings to the line before may hang over by one letter."""
    return sum(_columns(char) for char in text)


def rule(sign: str = "=") -> str:
    """Return a line across the page."""
    return sign * WIDTH


def heading(left: str, right: str = "") -> str:
    """Return a line with a text at either end."""
    return left + " " * max(2, WIDTH - columns(left) - columns(right)) + right if right else left


def paragraph(text: str, *, indent: int = 0) -> list[str]:
    """Return a text in lines that fit, each moved in by ``indent`` columns."""
    return [" " * indent + line for line in _wrapped(text, WIDTH - indent)]


def pair(name: str, text: str, *, at: int) -> list[str]:
    """Return a name and, from column ``at`` on, what belongs to it; a long text goes on below itself."""
    first, *rest = _wrapped(text, WIDTH - at) or [""]
    gap = " " * max(2, at - columns(name))
    return [(name + gap + first).rstrip(), *(" " * at + line for line in rest)]


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for piece in _pieces(text):
        if columns(lines[-1] + piece.rstrip()) <= width or (piece in _CLINGS and lines[-1]):
            lines[-1] += piece
            continue
        lines.append("")
        for char in piece.lstrip() if columns(piece) > width else [piece.lstrip()]:
            if columns(lines[-1] + char.rstrip()) > width:
                lines.append("")
            lines[-1] += char
    return [line.rstrip() for line in lines if line.strip()]


def _pieces(text: str) -> Iterator[str]:
    """Yield what is not cut: a word with the space after it, or one full-width letter."""
    word = ""
    for char in text:
        if _columns(char) == 2:
            if word:
                yield word
            word = ""
            yield char
        else:
            word += char
            if char == " ":
                yield word
                word = ""
    if word:
        yield word


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _is_seen(char: str) -> bool:
    return unicodedata.category(char) not in _UNSEEN
