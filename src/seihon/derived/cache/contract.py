"""What a cache promises. It holds finished answers for a while, each under its owner.

A cache never decides what is true: whoever reads an entry checks that its owner still stands where it stood
when the entry was made. What a cache does promise is that nothing of an owner is left in it once ``drop``
has returned, and that nothing made before that comes in afterwards: it remembers the epoch of a deletion
and refuses older entries, as a derived store remembers tombstones.

Owners and keys are digests, so that a server that is shared with others learns no ids.
"""

from __future__ import annotations

from typing import Final, Protocol, runtime_checkable

FENCE_S: Final = 3_600.0
"""How long an epoch is remembered, in seconds: far longer than making an entry can take."""

MOST_OF_AN_OWNER: Final = 64
"""How many entries one owner may hold; the next one starts anew."""


class Cache(Protocol):
    """Holds bytes by owner and key. Safe to share between threads.

    Every method of a cache outside the process raises `seihon.errors.Unavailable` when its server does not
    answer.
    """

    @property
    def name(self) -> str:
        """Return what it is, for people: ``memory``, ``redis``."""
        ...

    def get(self, owner: str, key: str) -> bytes | None:
        """Return an entry that is still held."""
        ...

    def put(self, owner: str, key: str, value: bytes, *, epoch: int, seconds: float) -> bool:
        """Hold an entry for ``seconds`` at most; ``False``: it was made before a deletion, and is refused."""
        ...

    def drop(self, owner: str, *, epoch: int) -> int:
        """Take out whatever an owner holds and refuse what was made before ``epoch``; return how much."""
        ...

    def held(self, owner: str) -> int:
        """Read back: return how many entries of an owner there are."""
        ...

    def close(self) -> None:
        """Give connections back; what is held stays where it is."""
        ...


@runtime_checkable
class FilesOfItsOwn(Protocol):
    """A cache outside the process, whose server may keep what it holds in files."""

    def keeps_files(self) -> bool:
        """Tell whether its server writes files, or may have written some."""
        ...

    def rewrite(self) -> tuple[str, ...]:
        """Make the server write its files anew; return what was done."""
        ...
