"""Verbs that hand a receipt on: signed, as a page of text, with the keys that check it."""

from __future__ import annotations

from typing import Any

from seihon.canonical import signing
from seihon.core.receipt_page import page
from seihon.memory import door
from seihon.memory.deletions import Deletions
from seihon.model import Locale, PublicKey
from seihon.model.certificates import SIGNATURE, unsigned


class Certificates(Deletions):
    """A receipt for people who cannot ask this database. What they hold has ids and times, and no text."""

    def signed_receipt(self, owner: str, receipt: str) -> dict[str, Any]:
        """Return a receipt as a signed JSON document, which ``seihon.verify_receipt`` checks.

        Of one state it is the same document each time. One that is not verified yet says so, and so does its
        check.

        Raises:
            NotFound: there is none of this id. Unavailable: the signing key cannot be read or made.
        """
        found = self.receipt(owner, receipt)
        return self.setup.signer.sign(unsigned(found, tenant=self.setup.tenant, owner=owner))

    def receipt_page(self, owner: str, receipt: str, *, locale: Locale | str | None = None) -> str:
        """Return a receipt as a page of plain text, 78 columns wide, for whoever files it.

        Args:
            locale: the language, ``en`` or ``ja``; left out, that of this memory.

        Raises:
            NotFound: there is none of this id. Unavailable: the signing key cannot be read or made.
        """
        language = self.setup.locale if locale is None else door.choice(locale, "locale", Locale)
        document = self.signed_receipt(owner, receipt)
        # Not the current key: it may have been rotated since the signature.
        key = next(one for one in self.signing_keys() if one.id == document[SIGNATURE]["key"])
        return page(document, digest=signing.digest(document), fingerprint=key.fingerprint, locale=language)

    def signing_keys(self) -> tuple[PublicKey, ...]:
        """Return the public keys that check receipts of this installation, the current one first.

        Hand them to whoever is to check a receipt, on another way than the receipt.
        """
        return self.setup.signer.public_keys()

    def rotate_signing_key(self) -> PublicKey:
        """Sign with a new key from now on and return it; receipts signed before can be checked as before."""
        return self.setup.signer.rotate()
