"""Embedding outside any transaction: of each text its vectors, or a code for why there are none."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import fsum, sqrt
from typing import Final

from seihon.canonical.vectors import FLAWED
from seihon.derived.failures import code_of
from seihon.models.embedder import Embedder, Flaw, Kind, Vector, embed

REFUSED: Final = FLAWED + "refused"
"""The code of a text that a model fails at, while it embeds another one."""

_PROBE: Final = "probe"

Embedded = tuple[Vector, ...]


def set_name(model: Embedder) -> str:
    """Return the name under which a model's vectors are kept."""
    return f"{model.name}@{model.recipe}"


def is_of_text(code: str) -> bool:
    """Tell whether a code says that a text is to blame, not the model."""
    return code.startswith(FLAWED)


def embedded(model: Embedder, inputs: Mapping[str, Sequence[str]]) -> dict[str, Embedded | str]:
    """Return, by key, the vectors of a text's parts or the code of what went wrong with it alone."""
    try:
        return dict(_together(model, inputs))
    except Exception as error:  # noqa: BLE001 - a model may fail in any way; each text is then tried alone
        if len(inputs) == 1:
            return dict.fromkeys(inputs, REFUSED if _answers(model) else code_of(error))
    return _alone(model, inputs)


def _alone(model: Embedder, inputs: Mapping[str, Sequence[str]]) -> dict[str, Embedded | str]:
    found: dict[str, Embedded | str] = {}
    down = ""
    for key, texts in inputs.items():
        one = down or embedded(model, {key: texts})[key]
        if isinstance(one, str) and not is_of_text(one):
            # The model fails at anything: the rest need not wait for it too.
            down = one
        found[key] = one
    return found


def _answers(model: Embedder) -> bool:
    """Tell whether a model embeds anything at all."""
    try:
        return len(model.embed([_PROBE], Kind.PASSAGE)) == 1
    except Exception:  # noqa: BLE001 - as above
        return False


def _together(model: Embedder, inputs: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Embedded | str]]:
    texts = [text for parts in inputs.values() for text in parts]
    vectors = embed(model, texts, Kind.PASSAGE)
    for key, parts in inputs.items():
        made = [next(vectors) for _ in parts]
        flaw = next((one for one in made if isinstance(one, Flaw)), None)
        if flaw is not None:
            yield key, FLAWED + flaw.name.lower()
        else:
            yield key, tuple(unit(one) for one in made if not isinstance(one, Flaw))


def unit(vector: Vector) -> Vector:
    """Return a vector at length 1, which a model may miss by a hundredth: inner products are cosines then."""
    length = sqrt(fsum(value * value for value in vector))
    return array("f", [value / length for value in vector])
