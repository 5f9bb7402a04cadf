"""A system outside as it is set up, what it is sent, and the word for not having reached it."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

from seihon import errors
from seihon.model.outside import PREFIX

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - how every secret begins
_SECRET_BYTES: Final = range(24, 65)


@dataclass(frozen=True, slots=True)
class Webhook:
    """An outside system that is told of each deletion by a signed POST, in the Standard Webhooks form.

    ``name``: the word for it in receipts. ``url``: ``https://…`` or ``http://…``. ``secret``: ``whsec_`` and
    24 to 64 bytes in base64, shared with the receiver. ``private``: whether it may have an address inside a
    private network; without, one is refused, whatever its name resolves to. ``timeout``: seconds for a whole
    attempt.

    Raises:
        InvalidArgument: one of them cannot be used; names it.
    """

    name: str
    url: str = field(repr=False)
    secret: str = field(repr=False)
    private: bool = False
    timeout: float = 10.0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise errors.InvalidArgument(
                "A webhook's name is 1 to 40 lower-case letters, digits, - and _, a letter first.",
                name="name",
            )
        self._require(0 < self.timeout <= 60, "its timeout must be above 0 and at most 60 seconds")
        self._require(
            len(self.key) in _SECRET_BYTES, "its secret must be whsec_ and 24 to 64 bytes in base64"
        )
        parts = self.parts
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.username is None
        self._require(fits, "its URL must be http:// or https:// and a host, without a login")

    @property
    def place(self) -> str:
        """Return the name of the system as a place of a receipt."""
        return PREFIX + self.name

    @property
    def key(self) -> bytes:
        """Return the bytes of the secret; none where it is not in the form."""
        try:
            return base64.b64decode(self.secret.removeprefix(_SECRET_PREFIX), validate=True)
        except (binascii.Error, ValueError):
            return b""

    @property
    def parts(self) -> SplitResult:
        """Return the parts of the URL; without a host where it cannot be read."""
        try:
            found = urlsplit(self.url)
            return found if found.port != 0 and self.url.isascii() and self.url.isprintable() else _NOWHERE
        except ValueError:
            return _NOWHERE

    def _require(self, holds: object, told: str) -> None:
        if not holds:
            raise errors.InvalidArgument(f"The webhook {self.name} cannot be used: {told}.", name=self.name)


_NOWHERE: Final = urlsplit("")


class Unreached(Exception):  # noqa: N818 - the system was not reached
    """The message was not taken; ``code`` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Letter:
    """What is sent: an id that stays the same whenever it is sent again, and the message."""

    id: str
    body: bytes
