"""Where a setting applies: ``default``, ``research``, ``research/legal``, … by whole segments.

``default`` is everywhere. A scope applies to itself and to all below it; ``project`` has nothing to do with
``projects``. The narrowest applicable scope wins.
"""

from __future__ import annotations

import unicodedata

from seihon.errors import InvalidArgument

DEFAULT = "default"
MAX_LENGTH = 200
MAX_BYTES = 600  # as for ids: a scope is part of a key
MAX_SEGMENTS = 8

_MARKS = "_-.:"
_RULE = (
    f"A scope is 1 to {MAX_SEGMENTS} segments joined by '/', at most {MAX_LENGTH} characters and "
    f"{MAX_BYTES} bytes in all; "
    "a segment is made of letters, digits and the signs _ - . : and is not made of dots alone."
)


def scope(text: object) -> str:
    """Return ``text`` if it is a scope. Raises ``InvalidArgument`` that says what a scope looks like."""
    if (
        not isinstance(text, str)
        or not 1 <= len(text) <= MAX_LENGTH
        or not unicodedata.is_normalized("NFC", text)
    ):
        raise InvalidArgument(_RULE)
    segments = text.split("/")
    if len(segments) > MAX_SEGMENTS or not all(map(_is_segment, segments)) or len(text.encode()) > MAX_BYTES:
        raise InvalidArgument(_RULE)
    if segments[0] == DEFAULT and len(segments) > 1:
        raise InvalidArgument("The scope 'default' is everywhere and has nothing below it.")
    return text


def applicable(where: str) -> tuple[str, ...]:
    """Return the scopes whose settings apply at ``where``, the narrowest first, ``default`` last."""
    segments = scope(where).split("/")
    chain = tuple("/".join(segments[:end]) for end in range(len(segments), 0, -1))
    return chain if where == DEFAULT else (*chain, DEFAULT)


def _is_segment(segment: str) -> bool:
    made_of = all(character.isalnum() or character in _MARKS for character in segment)
    return made_of and segment.strip(".") != ""
