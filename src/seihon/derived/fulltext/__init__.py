"""Full-text search, the first derived store: an inverted index that leads with the owner.

Postings, statistics and cost are the owner's own. An entry holds the terms of its own text only.
"""

from __future__ import annotations

from seihon.derived.fulltext.query import Found, search
from seihon.derived.fulltext.store import FullText

__all__ = ["Found", "FullText", "search"]
