"""An embedder for tests: texts that share words are near, and nothing else is meant by it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from math import sqrt

from seihon.core.text import terms
from seihon.errors import InvalidArgument
from seihon.models.embedder import Kind, Vector


class FakeEmbedder:
    """Adds up a vector for each word of a text. It knows no meaning: never use it outside tests.

    ``answers`` maps texts to the vectors to give for them instead, be they as wrong as a test wants them.
    ``on_call`` is called with the texts of each call before it is answered, and may raise. ``seen`` holds
    the kind and the text of all that was asked for, in order.
    """

    def __init__(
        self,
        name: str = "fake",
        *,
        dimensions: int = 32,
        recipe: str = "1",
        batch: int = 16,
        answers: Mapping[str, Sequence[float]] | None = None,
        on_call: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        self.name = name
        self.recipe = recipe
        self.dimensions = dimensions
        self.batch = batch
        self.answers = dict(answers or {})
        self.seen: list[tuple[Kind, str]] = []
        self._on_call = on_call

    def embed(self, texts: Sequence[str], kind: Kind) -> list[Vector]:
        """Return one vector for each text, the same on every machine; a query is embedded like a passage."""
        if len(texts) > self.batch:
            raise InvalidArgument(f"One call embeds at most {self.batch} texts.", batch=self.batch)
        self.seen.extend((kind, text) for text in texts)
        if self._on_call is not None:
            self._on_call(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        if text in self.answers:
            return array("f", self.answers[text])
        total = [0.0] * self.dimensions
        # One word that all texts have, so that none is without a direction and no two are opposite.
        for word, count in {"": 1, **terms(text)}.items():
            for at, value in enumerate(self._signs(word)):
                total[at] += count * value
        length = sqrt(sum(value * value for value in total)) or 1.0
        return array("f", (value / length for value in total))

    def _signs(self, word: str) -> list[int]:
        salt = f"{self.name}/{self.recipe}".encode()
        digest = blake2b(word.encode("utf-8", "surrogatepass") + b"\0" + salt).digest()
        bits = int.from_bytes(digest * (1 + self.dimensions // 512), "little")
        return [1 if bits >> at & 1 else -1 for at in range(self.dimensions)]
