"""A verb's refusal in the words of the command line: what it calls `argument` is an option here.

Sentences name arguments and verbs between backticks, in Python's spelling, and nothing else so. Here each
becomes what the running command calls it: `since` becomes --since, `forget_owner` `seihon forget owner`.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from seihon.errors import BadFormat, SeihonError

_QUOTED: Final = re.compile(r"`([a-z_]+)`")

# Parameters of commands that are named otherwise than the argument they fill.
_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("own_id", "note", "message", "messages"),
    "observed_at": ("at",),
    "content": ("text",),
    "sources": ("source",),
}
_VERBS: Final[Mapping[str, str]] = {
    "set": "set",
    "observe": "observe",
    "reopen": "reopen",
    "forget_owner": "forget owner",
    "forget_message": "forget message",
    "forget_field": "forget field",
    "forget_note": "forget note",
    "register_schema": "schema register FILE",
    "plan_schema": "schema plan FILE",
    "recheck_receipt": "receipt recheck",
}


@contextmanager
def of_options(command: Any) -> Generator[None]:
    """Let the refusals that are raised inside speak of this command's own options."""
    try:
        yield
    except BadFormat:
        # It speaks of what stands in a file.
        raise
    except SeihonError as error:
        told = worded(error.message, {one.name: shown(one) for one in command.params})
        if told == error.message:
            raise
        raise type(error)(told, **error.details) from error


def worded(sentence: str, names: Mapping[str, str]) -> str:
    """Return a sentence with each argument and verb as it is typed; ``names``: parameter to spelling."""

    def spelled(found: re.Match[str]) -> str:
        word = found[1]
        for name in (word, *_ARGUMENTS.get(word, ())):
            if name in names:
                return names[name]
        return f"`seihon {_VERBS[word]}`" if word in _VERBS else found[0]

    return _QUOTED.sub(spelled, sentence)


def shown(parameter: Any) -> str:
    """Return an option by its long name, an argument by the word of the help."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()).strip("[].{}")
    return max(parameter.opts, key=len)
