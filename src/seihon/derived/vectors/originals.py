"""The originals behind keys, as vectors are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row

from seihon.canonical import vectors as statements
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.scope import Reader
from seihon.derived.vectors.parts import digest, parts


class Original(NamedTuple):
    """One text. ``inputs`` is empty for one that is gone; ``version`` is then that of its tombstone."""

    version: int
    inputs: tuple[str, ...]
    hash: str

    @property
    def stands(self) -> bool:
        """Whether there is anything to embed."""
        return bool(self.inputs)


def is_document(key: str) -> bool:
    """Tell whether a key names one message or note."""
    return key.startswith((MESSAGE, NOTE))


def is_of(row: Row[Any] | None, text: Original) -> bool:
    """Tell whether what is held was made of this very text, and all of it is there."""
    if row is None or not row.whole or row.parts != len(text.inputs):
        return False
    return bool(row.input_hash == text.hash)


def read(tx: Reader, docs: Sequence[str]) -> dict[str, Original]:
    """Return the originals by key; one that is unknown, or of an earlier life of the owner, is left out."""
    found: dict[str, Original] = {}
    for prefix, statement in ((MESSAGE, statements.MESSAGES), (NOTE, statements.NOTES)):
        ids = [doc[len(prefix) :] for doc in docs if doc.startswith(prefix)]
        for row in tx.all(statement, ids=ids) if ids else ():
            if row.created_revision > tx.floor:
                found[prefix + row.id] = _original(tx, row, prefix)
    return found


def _original(tx: Reader, row: Any, prefix: str) -> Original:
    if row.ended is not None:
        return Original(max(row.revision, row.ended), (), "")
    speaker = _speaker(tx.open_json(row.metadata)) if prefix == MESSAGE else None
    inputs = parts(tx.open(row.text), speaker)
    return Original(row.revision, inputs, digest(inputs))


def _speaker(metadata: Any) -> str | None:
    """Return who said it: the ``name`` that chat formats give a message, if it is a short text."""
    name = metadata.get("name") if isinstance(metadata, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return name if isinstance(name, str) and 0 < len(name) <= 100 else None
