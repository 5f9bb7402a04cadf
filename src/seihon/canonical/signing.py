"""Signatures of receipts: Ed25519 with a key that is made by itself and kept outside the database.

The private key lies beside the secret of fingerprints, for its owner only. Beside it lie the public keys, the
current one and those before it: whoever holds that file can check every receipt that was ever signed here.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from seihon import errors
from seihon.canonical import keyfiles
from seihon.model.certificates import (
    ALGORITHM,
    SIGNATURE,
    Checked,
    PublicKey,
    Verdict,
    read_document,
    signed_bytes,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ID_DIGITS: Final = 16
_END: Final = "-----END PRIVATE KEY-----"
_PUBLIC: Final = re.compile(r"-----BEGIN PUBLIC KEY-----\s[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\n?")


def beside(secret: Path) -> Path:
    """Return where the private key lies: beside the file of the secret, ``x.key`` and ``x.signing.pem``."""
    return secret.with_name(secret.name.removesuffix(".key") + ".signing.pem")


class Signer:
    """The keys of one installation. Nothing is read or made before the first signature."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.public_file = file.with_name(file.name.removesuffix(".pem") + ".pub.pem")

    def sign(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a document with its signature.

        Raises:
            Unavailable: the key cannot be read or made.
        """
        # Loaded once: it could be rotated between two loads, and the document then names another key.
        private = self._private()
        current, *_earlier = self._public_keys(private)
        value = base64.b64encode(private.sign(signed_bytes(document))).decode()
        return {**document, SIGNATURE: {"algorithm": ALGORITHM, "key": current.id, "value": value}}

    def public_keys(self) -> tuple[PublicKey, ...]:
        """Return the public keys, the current one first; it is made where there is none yet.

        Raises:
            Unavailable: a file of keys cannot be read or made.
        """
        return self._public_keys(self._private())

    def _public_keys(self, private: Ed25519PrivateKey) -> tuple[PublicKey, ...]:
        found = self._listed(private)
        if found is None:
            with self._alone():
                # Read again: a key that came in the meantime must not be written over.
                found = self._listed(private) or self._added(private)
        return found

    def _listed(self, private: Ed25519PrivateKey) -> tuple[PublicKey, ...] | None:
        """Return the public keys, that of ``private`` first; ``None`` where the file does not hold it."""
        current, known = _current(private), self._known()
        if current.id not in {one.id for one in known}:
            return None
        return (current, *(one for one in known if one.id != current.id))

    def _added(self, private: Ed25519PrivateKey) -> tuple[PublicKey, ...]:
        found = (_current(private), *self._known())
        self._keep(found)
        return found

    def rotate(self) -> PublicKey:
        """Sign with a new key from now on; return it. What earlier keys signed can be checked as before."""
        self._private()
        made, pem = _made()
        fresh = _current(made)
        with self._alone():
            # Whoever rotates at the same time signs with a key of its own, which has to stay known.
            private = self._private()
            earlier = self._listed(private) or self._added(private)
            # First the public one: a crash between leaves a key that signed nothing, not one nobody knows.
            self._keep([fresh, *earlier])
            _translated(self.file, lambda: keyfiles.replace(self.file, pem))
        return fresh

    @contextmanager
    def _alone(self) -> Generator[None]:
        with ExitStack() as stack:
            _translated(self.file, lambda: stack.enter_context(keyfiles.locked(self.file)))
            yield

    def _private(self) -> Ed25519PrivateKey:
        return _translated(self.file, self._load)

    def _load(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        if not self.file.exists():
            keyfiles.make_once(self.file, _made()[1])
        held = keyfiles.read_whole(self.file, lambda told: _END in told)
        key = load_pem_private_key(held.encode(), password=None)
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError  # noqa: TRY004 - the file is at fault, not a caller
        return key

    def _known(self) -> list[PublicKey]:
        if not self.public_file.exists():
            return []
        return list(read_keys(_translated(self.public_file, self.public_file.read_text)))

    def _keep(self, keys: Sequence[PublicKey]) -> None:
        told = "".join(one.pem for one in keys)
        _translated(self.public_file, lambda: keyfiles.replace(self.public_file, told))


def read_keys(text: str) -> tuple[PublicKey, ...]:
    """Return the public keys that a text holds, in PEM, one after the other.

    Raises:
        BadFormat: it holds none, or one of another kind.
    """
    found = tuple(_told(_public(pem)) for pem in _PUBLIC.findall(text))
    if not found:
        raise errors.BadFormat("A file of public keys holds Ed25519 keys in PEM (`seihon receipt key`).")
    return found


def check(document: Mapping[str, Any], keys: Sequence[PublicKey]) -> Checked:
    """Check a document that was read, against keys that are trusted."""
    signature, body = document[SIGNATURE], _signed(document)
    known = {one.id: one for one in keys}.get(signature["key"])
    if known is None:
        verdict = Verdict.UNKNOWN_KEY
    elif body is None or not _holds(known, signature["value"], body):
        verdict = Verdict.ALTERED
    else:
        is_verified = document["receipt"].get("state") == "verified"
        verdict = Verdict.VALID if is_verified else Verdict.UNVERIFIED
    return Checked(
        verdict=verdict,
        key=signature["key"],
        digest=digest(document),
        tenant=str(document.get("tenant", "")),
        owner=str(document.get("owner", "")),
        receipt=str(document["receipt"].get("id", "")),
        state=str(document["receipt"].get("state", "")),
    )


def digest(document: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hex, of what the signature covers; empty where nothing could be signed."""
    body = _signed(document)
    return "" if body is None else sha256(body).hexdigest()


def verify_receipt(
    receipt: bytes | str | Mapping[str, Any], public_key: bytes | str | Path | Sequence[PublicKey]
) -> Checked:
    """Check a signed receipt; no database is needed.

    Args:
        receipt: the document, or the bytes or text of its file.
        public_key: keys in PEM as ``Memory.signing_keys`` gives them, or a path to a file of them. They are
            what the answer rests on: take them from whoever runs the installation, not from the receipt.

    Raises:
        BadFormat: the receipt is none, or the key is none.
        NotFound: there is no such file of keys.
    """
    return check(read_document(receipt), _given(public_key))


def _given(key: bytes | str | Path | Sequence[PublicKey]) -> Sequence[PublicKey]:
    if isinstance(key, Path):
        try:
            return read_keys(key.read_text())
        except FileNotFoundError:
            raise errors.NotFound(f"There is no file {key}.", kind="file") from None
        except (OSError, UnicodeDecodeError):
            raise errors.BadFormat(f"The file {key} cannot be read as keys.") from None
    if isinstance(key, bytes):
        return read_keys(key.decode("ascii", "replace"))
    return read_keys(key) if isinstance(key, str) else key


def _signed(document: Mapping[str, Any]) -> bytes | None:
    try:
        return signed_bytes(document)
    except (TypeError, ValueError, RecursionError):
        # Nothing of the kind was ever signed: a lone surrogate, a number that is none.
        return None


def _holds(key: PublicKey, value: str, body: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        _public(key.pem).verify(base64.b64decode(value, validate=True), body)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def _made() -> tuple[Ed25519PrivateKey, str]:
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    return key, pem.decode()


def _current(private: Ed25519PrivateKey) -> PublicKey:
    return replace(_told(private.public_key()), current=True)


def _told(key: Ed25519PublicKey) -> PublicKey:
    from cryptography.hazmat.primitives import serialization as form

    print_ = sha256(key.public_bytes_raw()).hexdigest()
    pem = key.public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo).decode()
    return PublicKey(print_[:ID_DIGITS], print_, pem)


def _public(pem: str) -> Ed25519PublicKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise errors.BadFormat("A key that checks receipts is an Ed25519 public key in PEM.")
    return key


def _translated(file: Path, act: Callable[[], Any]) -> Any:
    try:
        return act()
    except (OSError, ValueError, TypeError):
        raise errors.Unavailable(
            "The file of the signing key must be readable and hold an Ed25519 key in PEM; restore it from a "
            "backup, or move it away so that a new one is made.",
            path=str(file),
        ) from None
