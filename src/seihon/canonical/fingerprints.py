"""Fingerprints of text, keyed by a secret that is kept outside the database.

They let an import or a re-extraction recognise what was deleted without keeping it: without the secret
nobody can test a guess against them. Each carries the id of its secret, so that a lost or foreign secret
is noticed instead of silently matching nothing.
"""

from __future__ import annotations

import os
import secrets
import time
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Final

from seihon import errors

MIN_KEY: Final = 32
MAX_KEY: Final = 64
MAKING_S: Final = 2.0
"""How long another process may take to write the file that it has just made."""


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
            _create(path)
        key = bytes.fromhex(_whole(path))
    except (OSError, ValueError):
        raise errors.Unavailable(
            "The secret file must be readable and hold 64 hexadecimal digits; restore it from a backup.",
            path=str(path),
        ) from None
    if len(key) < MIN_KEY:
        raise errors.Unavailable("The secret file holds fewer than 64 hexadecimal digits.", path=str(path))
    return Secret(key)


def _whole(path: Path) -> str:
    """Return what a secret file says, once it is whole: the process that makes it may be at it right now.

    A part of a key has fewer digits than any key, so it is never taken for one.
    """
    deadline = time.monotonic() + MAKING_S
    while True:
        held = path.read_text().strip()
        if len(held) >= 2 * MIN_KEY or time.monotonic() >= deadline:
            return held
        time.sleep(0.01)


def _create(path: Path) -> None:
    """Write a new secret; of two processes at once the first wins.

    Whole or not at all where the file system has hard links. Elsewhere the name is taken first and written
    next: a crash between leaves a file that holds no key, and is refused by that.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    made = secrets.token_hex(32) + "\n"
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    _write(draft, made)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:
        with suppress(FileExistsError):
            _write(path, made)
    finally:
        draft.unlink()


def _write(path: Path, text: str) -> None:
    """Write a new file through to the disk. Raises ``FileExistsError`` where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
