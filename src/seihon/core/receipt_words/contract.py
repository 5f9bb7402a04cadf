"""What the page of a receipt says, one instance for each language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Everything that one language says on the page; ``{…}`` is filled in."""

    title: str
    colon: str
    comma: str
    stop: str
    aside: str
    sections: tuple[str, str, str, str, str, str, str, str]
    names: Mapping[str, str]
    results: Mapping[str, str]
    kinds: Mapping[str, str]
    counted: Mapping[str, tuple[str, str]]
    places: Mapping[str, str]
    other_place: str
    states: Mapping[str, str]
    removed: tuple[str, str]
    attempts: tuple[str, str]
    levels: Mapping[str, str]
    other_level: str
    outside: Mapping[str, str]
    sentences: Mapping[str, str]
    steps: tuple[tuple[re.Pattern[str], str], ...]
    retention: str
    retention_until: str
