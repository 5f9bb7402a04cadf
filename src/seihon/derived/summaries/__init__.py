"""Summaries: made from messages range by range, retracted with any of them, never from other summaries."""

from __future__ import annotations

from seihon.derived.summaries.store import Summaries

__all__ = ["Summaries"]
