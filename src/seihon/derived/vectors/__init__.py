"""Vectors of messages and notes: what is near in meaning is found in other words, too.

Off unless an embedder is set. A store of its own beside the full-text index, and a search over both.
"""

from __future__ import annotations

from seihon.derived.vectors.asking import Asked, ask
from seihon.derived.vectors.keeping import ask_kept
from seihon.derived.vectors.searching import search
from seihon.derived.vectors.store import Vectors

__all__ = ["Asked", "Vectors", "ask", "ask_kept", "search"]
