"""The storage door: all text and all vectors pass here on their way in and out of a database.

Today the identity. Encryption at rest with a key for each owner, and blind index terms, become another
``Codec`` and nothing else changes.
"""

from __future__ import annotations

import json
from typing import Any, Protocol


class Codec(Protocol):
    """How text is stored for one owner. ``open(owner, seal(owner, text)) == text`` for every text."""

    def seal(self, owner: str, text: str) -> str:
        """Return what is stored in place of ``text``."""
        ...

    def open(self, owner: str, stored: str) -> str:
        """Return the text behind ``stored``."""
        ...

    def blind(self, owner: str, term: str) -> str:
        """Return what stands for an index term: equal terms of one owner give equal results."""
        ...

    def seal_bytes(self, owner: str, data: bytes) -> bytes:
        """Return what is stored in place of the bytes of a vector."""
        ...

    def open_bytes(self, owner: str, stored: bytes) -> bytes:
        """Return the bytes behind ``stored``."""
        ...


class PlainCodec:
    """The identity."""

    def seal(self, owner: str, text: str) -> str:  # noqa: ARG002 - one key serves all: none
        return text

    def open(self, owner: str, stored: str) -> str:  # noqa: ARG002 - as above
        return stored

    def blind(self, owner: str, term: str) -> str:  # noqa: ARG002 - as above
        return term

    def seal_bytes(self, owner: str, data: bytes) -> bytes:  # noqa: ARG002 - as above
        return data

    def open_bytes(self, owner: str, stored: bytes) -> bytes:  # noqa: ARG002 - as above
        return stored


def to_json(value: Any) -> str:
    """Return canonical JSON: sorted keys, no spaces, text unescaped; equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def from_json(text: str | None) -> Any:
    """Return the value of canonical JSON; ``None`` for ``None``."""
    return None if text is None else json.loads(text)
