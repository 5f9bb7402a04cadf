"""A scripted summariser: it answers, fails, refuses or waits as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from seihon.core.fidelity import Line
from seihon.core.reading import SourceMessage
from seihon.models.summariser import Count, Draft

Answer = Draft | Exception | Callable[[Sequence[SourceMessage]], Draft]
"""A draft, an exception to raise, or what makes a draft from the messages."""


class ScriptedSummariser:
    """Gives one scripted answer after another; the last one stays.

    ``asked`` holds the messages of every call. With ``hold`` each call waits until ``release``, for at most
    ``timeout`` seconds, and ``called`` is set when one has come.
    """

    def __init__(
        self, *answers: Answer, name: str = "scripted", prompt_version: str = "1", timeout: float = 10.0
    ) -> None:
        self.name = name
        self.prompt_version = prompt_version
        self.answers: list[Answer] = list(answers) or [quoting]
        self.asked: list[tuple[SourceMessage, ...]] = []
        self.called = threading.Event()
        self._timeout = timeout
        self._go = threading.Event()
        self._go.set()

    def script(self, *answers: Answer) -> None:
        """Give these answers from now on."""
        self.answers = list(answers)

    def hold(self) -> None:
        """Let every call wait from now on."""
        self.called.clear()
        self._go.clear()

    def release(self) -> None:
        """Let those that wait go on, and later ones through."""
        self._go.set()

    def summarise(
        self,
        messages: Sequence[SourceMessage],
        *,
        budget: int,  # noqa: ARG002 - a script has its length
        count: Count,  # noqa: ARG002
    ) -> Draft:
        """Give the next answer."""
        self.asked.append(tuple(messages))
        self.called.set()
        self._go.wait(self._timeout)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(messages) if callable(answer) else answer


def quoting(messages: Sequence[SourceMessage]) -> Draft:
    """Quote the first words of each message, whole."""
    return tuple(Line(one.text, (one.id,)) for one in messages if one.text.strip())


def saying(text: str) -> Callable[[Sequence[SourceMessage]], Draft]:
    """Return what says one line of every message."""
    return lambda messages: (Line(text, tuple(one.id for one in messages)),)


REFUSING = saying("I'm sorry, but I can't help with summarizing this conversation.")
REFUSING_IN_JAPANESE = saying("申し訳ありませんが、この会話の要約はできません。")
EMPTY: Draft = ()
