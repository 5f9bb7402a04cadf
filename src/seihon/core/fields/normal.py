"""Normalisation that a field declares, and nothing beyond it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from seihon.core.fields.shape import a_list, wrong

STEPS = ("nfkc", "trim", "case")


@dataclass(frozen=True, slots=True)
class Normal:
    """``nfkc``: full and half width, and composed forms, become one. ``trim``: space at the ends goes.
    ``case``: upper and lower case become one (a free string is kept in lower case)."""

    nfkc: bool = False
    trim: bool = False
    case: bool = False

    def text(self, text: str) -> str:
        """Return ``text`` normalised. Normalising twice changes nothing."""
        if self.case:
            text = text.casefold()
        if self.nfkc:
            text = unicodedata.normalize("NFKC", text)
        if self.case and self.nfkc:
            # Some letters fold further once composed, and compose again after that.
            text = unicodedata.normalize("NFKC", text.casefold())
        return text.strip() if self.trim else text

    def steps(self) -> list[str]:
        """Return the declared steps in their fixed order."""
        return [step for step in STEPS if getattr(self, step)]


AS_GIVEN = Normal()
"""Nothing declared: text is taken as it is."""

LOOSE = Normal(nfkc=True, trim=True, case=True)
"""For finding the nearest allowed value only; it never decides what is accepted."""


def from_steps(steps: object, place: str) -> Normal:
    """Return the normalisation for a list of steps, in any order. Raises ``SchemaError``."""
    listed: Sequence[object] = a_list(steps, place)
    for step in listed:
        if step not in STEPS:
            raise wrong(place, f"lists a step that is not known; allowed: {', '.join(STEPS)}.")
    if len(set(listed)) != len(listed):
        raise wrong(place, "lists a step twice.")
    return Normal(**{str(step): True for step in listed})
