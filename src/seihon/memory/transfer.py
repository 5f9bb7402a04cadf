"""Verbs that carry an owner's memory in and out: transcripts, exports, and their way back."""

from __future__ import annotations

from seihon.memory.base import Base


class Transfer(Base):
    """Import what was said elsewhere, export what is known here; tombstones win on every way in."""
