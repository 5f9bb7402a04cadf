"""Vectors of texts: what an embedder promises, the registry, and the check of what one gives.

No embedder is on by default. ``embedder("local")`` gives the one that needs no network; it comes with the
extra ``seihon[vectors]``. A vector is an ``array("f")`` of the standard library, so that nothing here needs
NumPy: its bytes are a column's value, and ``numpy.frombuffer`` reads it without a copy.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from math import fsum, isfinite, sqrt
from threading import Lock
from typing import Final, Protocol, TypeAlias, runtime_checkable

from seihon.errors import InvalidArgument, InvalidValue
from seihon.models.e5 import E5Small

Vector: TypeAlias = "array[float]"
"""An ``array("f")``: 32-bit floats in the machine's byte order."""

LOCAL: Final = "local"
"""Stands for the embedder without a network that this version would choose."""

TOLERANCE: Final = 0.01
"""How far from 1 the length of a vector may be; inner products are then cosines to that share."""


NAMED: Final = 64
"""Characters of a speaker's name that are embedded: it must not crowd out what was said."""


class Kind(StrEnum):
    """What a text is to its vector: models embed a question otherwise than what answers it."""

    QUERY = "query"
    PASSAGE = "passage"


class Flaw(StrEnum):
    """Why a vector cannot be stored."""

    DIMENSIONS = "dimensions"
    NOT_FINITE = "not finite"
    LENGTH = "length"


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of length 1. Safe to share between threads; may take seconds.

    A vector depends on its text, the kind, ``name`` and ``recipe`` alone: not on what else is in the call.
    """

    @property
    def name(self) -> str:
        """The word under which `embedder` finds it, and under which its vectors are kept."""
        ...

    @property
    def recipe(self) -> str:
        """The version of all that is done to a text besides the model: prefixes, cutting, normal forms."""
        ...

    @property
    def dimensions(self) -> int:
        """The number of floats of every vector."""
        ...

    @property
    def batch(self) -> int:
        """The most texts of one call."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind) -> Sequence[Vector]:
        """Return one vector for each text, in their order; at most ``batch`` texts, of any length."""
        ...


def passage(text: str, *, speaker: str | None = None) -> str:
    """Return what is embedded for a message or a note: its text, after the speaker's name if it has one.

    A question names people, and a turn hardly ever says who says it: on ten long talks of two people the
    name raised what vectors alone found among ten from a fifth to more than half.
    """
    return f"{speaker[:NAMED]}: {text}" if speaker else text


def embed(model: Embedder, texts: Sequence[str], kind: Kind) -> Iterator[Vector | Flaw]:
    """Yield for each text, in order, its vector, or the flaw of the one that the model gave.

    A flaw concerns its own text alone. The texts go to the model in batches.

    Raises:
        InvalidValue: a batch was answered by more or fewer vectors than texts, so that none can be told.
    """
    for start in range(0, len(texts), model.batch):
        some = texts[start : start + model.batch]
        vectors = model.embed(some, kind)
        if len(vectors) != len(some):
            raise InvalidValue(
                f"The embedder gave {len(vectors)} vectors for {len(some)} texts.",
                embedder=model.name,
                texts=len(some),
                vectors=len(vectors),
            )
        for vector in vectors:
            yield flaw(vector, model.dimensions) or vector


def flaw(vector: Vector, dimensions: int) -> Flaw | None:
    """Return what keeps a vector out of a store of this many ``dimensions``, ``None`` if nothing does."""
    if len(vector) != dimensions:
        return Flaw.DIMENSIONS
    if not all(map(isfinite, vector)):
        return Flaw.NOT_FINITE
    length = sqrt(fsum(value * value for value in vector))
    return None if abs(length - 1.0) <= TOLERANCE else Flaw.LENGTH


_factories: dict[str, Callable[[], Embedder]] = {E5Small.name: E5Small}
_standing_for: Final = {LOCAL: E5Small.name}
_made: dict[str, Embedder] = {}
_lock = Lock()


def names() -> tuple[str, ...]:
    """Return the words that `embedder` knows, in alphabetical order."""
    return tuple(sorted({*_factories, *_standing_for}))


def register(name: str, factory: Callable[[], Embedder]) -> None:
    """Make ``factory()`` available as ``embedder(name)``; it is called once, at the first use.

    Raises `InvalidArgument` if the name is empty or taken: vectors are kept under their embedder's name.
    """
    with _lock:
        if not name or name in names():
            raise InvalidArgument("An embedder needs a name that is not empty and not taken.", taken=names())
        _factories[name] = factory


def embedder(name: str) -> Embedder:
    """Return the one instance registered under ``name``; raises `InvalidArgument` with the allowed names.

    ``local`` stands for a model, whose own name the instance has.
    """
    with _lock:
        known = _standing_for.get(name, name)
        if known not in _factories:
            allowed = names()
            raise InvalidArgument(
                f"No embedder has this name; allowed are: {', '.join(allowed)}.", allowed=allowed
            )
        if known not in _made:
            _made[known] = _factories[known]()
        return _made[known]
