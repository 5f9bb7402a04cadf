"""Fingerprints of text, keyed by a secret that is kept outside the database.

They let an import or a re-extraction recognise what was deleted without keeping it: without the secret
nobody can test a guess against them. Each carries the id of its secret, so that a lost or foreign secret
is noticed instead of silently matching nothing.
"""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Final

from seihon import errors
from seihon.canonical import keyfiles

MIN_KEY: Final = 32
MAX_KEY: Final = 64


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A key of at least 32 bytes."""

    key: bytes
    id: str = field(init=False)
    """Eight characters that name the key and do not reveal it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", self._mac(b"seihon key id").hex()[:8])

    def digest(self, *parts: str) -> str:
        """Return ``<key id>:<32 hex digits>`` of the parts, in order and without ambiguity."""
        raw = [part.encode() for part in parts]
        message = b"".join([len(part).to_bytes(8, "big") + part for part in raw])
        return f"{self.id}:{self._mac(message).hex()}"

    def _mac(self, message: bytes) -> bytes:
        # Keyed BLAKE2b takes at most 64 bytes of key; a longer one counts whole, by its hash.
        key = self.key if len(self.key) <= MAX_KEY else blake2b(self.key).digest()
        return blake2b(message, key=key, digest_size=16).digest()

    def of_message(self, owner: str, conversation: str, role: str, text: str) -> str:
        """Return the fingerprint of a message: equal for texts that differ in form (NFKC) only."""
        return self.digest(owner, conversation, role, unicodedata.normalize("NFKC", text))

    def made(self, fingerprint: str) -> bool:
        """Tell whether this key made the fingerprint."""
        return fingerprint.partition(":")[0] == self.id


def load_secret(path: Path) -> Secret:
    """Return the secret of a file, made on first use and readable by its owner only.

    Raises:
        Unavailable: the file cannot be read or made.
    """
    try:
        if not path.exists():
            keyfiles.make_once(path, secrets.token_hex(32) + "\n")
        # A part of a key has fewer digits than any key, so it is never taken for one.
        held = keyfiles.read_whole(path, lambda told: len(told.strip()) >= 2 * MIN_KEY)
        key = bytes.fromhex(held.strip())
    except (OSError, ValueError):
        raise errors.Unavailable(
            "The secret file must be readable and hold 64 hexadecimal digits; restore it from a backup.",
            path=str(path),
        ) from None
    if len(key) < MIN_KEY:
        raise errors.Unavailable("The secret file holds fewer than 64 hexadecimal digits.", path=str(path))
    return Secret(key)
