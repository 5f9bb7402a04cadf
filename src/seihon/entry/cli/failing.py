"""Every failure of a command becomes one sentence, a code and an exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer

from seihon.entry.cli import output, wording
from seihon.errors import CODES, InvalidArgument, InvalidText, SeihonError

# The class of all usage errors; Typer exports its children only.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
_KINDS = {"integer": "a whole number", "number": "a number", "float": "a number"}


class UnforeseenError(SeihonError):
    """Something unforeseen; its own text may quote a user, so only its kind is told."""


def require_text(arguments: Sequence[str]) -> None:
    """Refuse arguments that are not UTF-8.

    Raises:
        InvalidText: names the position, counted from 1.
    """
    for position, argument in enumerate(arguments, start=1):
        if any("\ud800" <= char <= "\udfff" for char in argument):
            raise InvalidText(
                f"Argument {position} is not valid UTF-8; arguments must be.", position=position
            )


def report(error: Exception, arguments: Sequence[str]) -> int:
    """Tell an error where the caller looks for it, and return its exit code."""
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, typer.Abort):
        return 130
    told = as_refusal(error)
    if wants_json(arguments):
        output.write_json({"error": told.as_dict()})
    else:
        output.Screen(stderr=True).line(f"seihon: {told.message}", wrap=False)
    _show_traceback(error, told)
    return CODES[told.code].exit


def wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether ``--json`` was given, even where the rest could not be read."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return "--json" in arguments[:end]


def as_refusal(error: Exception) -> SeihonError:
    """Return the refusal that an exception amounts to."""
    if isinstance(error, SeihonError):
        return error
    if isinstance(error, UsageError):
        return InvalidArgument(_usage(error))
    return UnforeseenError(
        f"Something went wrong inside Seihon ({type(error).__name__}); set SEIHON_DEBUG=1 to see where."
    )


def _show_traceback(error: Exception, told: SeihonError) -> None:
    from seihon.entry.settings import debugging

    if debugging() and told is not error and not isinstance(error, UsageError):
        traceback.print_exception(error, file=sys.stderr)


def _usage(error: Any) -> str:
    """Return what is allowed, without what was typed: that may be somebody's words."""
    context = error.ctx
    see = f"see `{context.command_path} --help`" if context is not None else "see `seihon --help`"
    match type(error).__name__:
        case "NoSuchOption":
            meant = f"did you mean {' or '.join(error.possibilities)}?" if error.possibilities else f"{see}."
            return f"There is no such option; {meant}{_taken_for_one(context)}"
        case "MissingParameter":
            return f"{_name(error)} is missing; {see}."
        case "BadParameter":
            return f"{_name(error)} must be {_allowed(error)}."
        case "BadOptionUsage":
            needs = "needs a value" if "requires" in error.message else "takes no value"
            return f"The option {error.option_name} {needs}; {see}."
        case _:
            return _general(context, see)


def _taken_for_one(context: Any) -> str:
    """Return the way out for words that begin like an option, where the command takes words."""
    words = [] if context is None else [wording.shown(one) for one in context.command.params]
    taken = next((one for one in words if one in ("TEXT", "VALUE", "QUERY")), None)
    if taken is None:
        return ""
    return f" A {taken} that begins with - comes last, after --, or by stdin as a single -."


def _general(context: Any, see: str) -> str:
    commands = sorted(getattr(context.command, "commands", ())) if context is not None else []
    if commands:
        return f"Name one of the commands {', '.join(commands)}; {see}."
    return f"There are more arguments than the command takes; {see}."


def _name(error: Any) -> str:
    return "A value" if error.param is None else wording.shown(error.param)


def _allowed(error: Any) -> str:
    """Return what fits, by the last word of the parser's own sentence: what was typed never ends it."""
    words = str(error.message).rstrip(".").split()
    return _KINDS.get(words[-1] if words else "", "as the command's help says")
