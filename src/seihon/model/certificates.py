"""A receipt as it is handed on: a document without anybody's words, its signature, and what a check finds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, cast

from seihon import errors
from seihon.model.receipts import Receipt
from seihon.model.records import Record, plain

SCHEMA: Final = "seihon.receipt/1"
SIGNATURE: Final = "signature"
ALGORITHM: Final = "Ed25519"


class Verdict(StrEnum):
    """What a check of a signed receipt finds.

    ``valid``: signed by the key, unchanged, and the deletion was verified. ``unverified``: signed and
    unchanged, but the deletion was not verified yet when it was signed. ``altered``: it is not what was
    signed. ``unknown_key``: none of the keys at hand signed it.
    """

    VALID = "valid"
    UNVERIFIED = "unverified"
    ALTERED = "altered"
    UNKNOWN_KEY = "unknown_key"


@dataclass(frozen=True, slots=True)
class PublicKey(Record):
    """A key that checks signatures: ``id`` names it in receipts, ``pem`` is the key itself.

    ``fingerprint``: the SHA-256 of its 32 bytes in hex, which two people can compare; ``id`` is its begin.
    """

    id: str
    fingerprint: str
    pem: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Checked(Record):
    """What a check of a signed receipt found.

    ``digest``: the SHA-256 of what was signed, in hex; the printed page names it too. The rest is what the
    document says of itself, to be trusted under ``valid`` and ``unverified`` only.
    """

    verdict: Verdict
    key: str
    digest: str
    tenant: str = ""
    owner: str = ""
    receipt: str = ""
    state: str = ""

    @property
    def ok(self) -> bool:
        """Tell whether the document proves a verified deletion."""
        return self.verdict is Verdict.VALID


def unsigned(receipt: Receipt, *, tenant: str, owner: str) -> dict[str, Any]:
    """Return the document that a signature covers: of one state it is always the same, to the byte.

    ``as_of`` is when that state was reached, not when somebody asked for it.
    """
    moments = [receipt.opened_at, *(one.updated_at for one in (*receipt.stores, *receipt.outside))]
    if receipt.verified_at is not None:
        moments.append(receipt.verified_at)
    return {
        "schema": SCHEMA,
        "as_of": plain(max(moments)),
        "tenant": tenant,
        "owner": owner,
        "receipt": receipt.as_dict(),
    }


def signed_bytes(document: Mapping[str, Any]) -> bytes:
    """Return what a signature covers: all but itself, as JSON in UTF-8 with sorted keys and no spaces."""
    body = {name: value for name, value in document.items() if name != SIGNATURE}
    told = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return told.encode()


def read_document(given: bytes | str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a signed receipt as a document whose signature can be checked.

    Raises:
        BadFormat: it is none, or of a form that this version does not know.
    """
    found = given if isinstance(given, Mapping) else _parsed(given)
    document = cast("Mapping[str, Any]", found if isinstance(found, Mapping) else {})
    if document.get("schema") != SCHEMA:
        raise errors.BadFormat(f'A signed receipt is a JSON object with "schema": "{SCHEMA}".')
    signature = document.get(SIGNATURE)
    if not isinstance(signature, Mapping) or not isinstance(document.get("receipt"), Mapping):
        raise errors.BadFormat("The receipt holds no signature; export it with `seihon receipt export`.")
    parts = cast("Mapping[str, Any]", signature)
    if parts.get("algorithm") != ALGORITHM or not all(
        isinstance(parts.get(n), str) for n in ("key", "value")
    ):
        raise errors.BadFormat(f"The receipt's signature is not in a form that is known: {ALGORITHM}.")
    return document


def _parsed(given: bytes | str) -> object:
    try:
        return json.loads(given, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise errors.BadFormat("A signed receipt is one JSON object in UTF-8; this is none.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice: readers differ in which one they take."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refuse(_constant: str) -> object:
    raise ValueError
