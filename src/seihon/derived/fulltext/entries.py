"""What the index should hold for a key, read from the original."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seihon.canonical import index as statements
from seihon.canonical.index import MESSAGE, NOTE
from seihon.canonical.scope import Reader
from seihon.core.text import terms

DEAD: Final = -1
"""The length of a tombstone: an entry that remembers a version and holds nothing."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. ``postings`` is empty for a tombstone, whose ``length`` is ``DEAD``."""

    doc: str
    kind: str
    conversation: str
    seq: int
    version: int
    length: int
    postings: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """Return the row of the document."""
        names = ("doc", "kind", "conversation", "seq", "version", "length")
        return {name: getattr(self, name) for name in names}

    def rows(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield ``(term, document, frequency, length)`` of each posting."""
        for term, tf in self.postings.items():
            yield term, self.doc, tf, self.length


def is_document(key: str) -> bool:
    """Tell whether the key names one message or note rather than a scope of them."""
    return key.startswith((MESSAGE, NOTE))


def read(tx: Reader, keys: Iterable[str]) -> dict[str, Entry]:
    """Return what the index should hold for each key of a message or note.

    A key without an entry is one that the index should not know at all: there is no original, or it
    belongs to an earlier life of the owner.
    """
    wanted = list(keys)
    found: dict[str, Entry] = {}
    for prefix, statement in ((MESSAGE, statements.MESSAGES), (NOTE, statements.NOTES)):
        ids = [key[len(prefix) :] for key in wanted if key.startswith(prefix)]
        for row in tx.all(statement, ids=ids) if ids else ():
            if row.created_revision > tx.floor:
                found[prefix + row.id] = _entry(tx, prefix, row)
    return found


def _entry(tx: Reader, prefix: str, row: Any) -> Entry:
    head = (prefix + row.id, prefix[:-1], row.conversation, row.seq)
    if row.ended is not None or not row.current:
        return Entry(*head, max(row.revision, row.ended or 0), DEAD, {})
    counted = terms(tx.open(row.text))
    return Entry(*head, row.revision, counted.total(), _blinded(tx, counted))


def _blinded(tx: Reader, counted: Mapping[str, int]) -> dict[str, int]:
    return {tx.blind(term): tf for term, tf in counted.items()}


def ids(docs: Sequence[str], prefix: str) -> list[str]:
    """Return the ids of those keys that begin with ``prefix``."""
    return [doc[len(prefix) :] for doc in docs if doc.startswith(prefix)]
