"""Where a database is: what is taken for a path to a file, and what for a URL."""

from __future__ import annotations

import re
from typing import Final

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""Two letters at least: one is a drive."""


def is_path(place: str) -> bool:
    """Tell whether a text names a SQLite file by its path. A URL does not, nor one that was mistyped
    (``file:x.db``, ``postgresql:host``): as a path each would silently make a file of that name. A file that
    is really called so is ``./file:x.db``.
    """
    return bool(place.strip()) and "\x00" not in place and not _SCHEME.match(place) and place != ":memory:"
