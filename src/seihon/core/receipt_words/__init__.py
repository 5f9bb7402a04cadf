"""The words of a receipt on paper, for a reader who is no engineer: one file for each language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from seihon.core.receipt_words import en, ja
from seihon.core.receipt_words.contract import Words
from seihon.model import Locale

__all__ = ["WORDS", "Words"]

WORDS: Final[Mapping[Locale, Words]] = {Locale.EN: en.WORDS, Locale.JA: ja.WORDS}
