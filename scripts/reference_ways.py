"""What the reference says of the ways in: the command line and the settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

from scripts.reference_text import code, first_sentence, prose, shown, table

from seihon import errors
from seihon.entry import settings as entry
from seihon.entry.cli.app import application


def commands() -> Iterator[str]:
    """Yield every command with its arguments and options."""
    root = application()
    yield f"{root.help}\n\nThese options stand before or after the name of any command:\n"
    shared = {one.name for one in root.params}
    yield _options([one for one in root.params if one.name != "help"])
    for path, command in _leaves("seihon", root):
        own = [one for one in command.params if one.name not in shared]
        arguments = [one for one in own if one.param_type_name == "argument"]
        options = [one for one in own if one.param_type_name == "option" and one.name != "help"]
        usage = " ".join([path, *(_in_usage(one) for one in arguments)])
        yield f"### `{usage}`\n\n{(command.help or '').strip()}\n"
        if own and (arguments or options):
            yield _options([*arguments, *options])


def settings() -> Iterator[str]:
    """Yield the settings: their variables, what is allowed, and their defaults."""
    yield first_sentence(entry) + "\n\n" + prose(entry.Settings)
    rows = (
        (code(name), code(entry.PREFIX + name.upper()), _allowed(name), code(_default(field)))
        for name, field in entry.Settings.model_fields.items()
    )
    yield table(("setting", "variable", "allowed", "default"), rows)
    yield "`SEIHON_CONFIG` names the TOML file. `SEIHON_DEBUG=1` shows where an unexpected error arose.\n"


def _leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, below in command.commands.items():
        yield from _leaves(f"{path} {name}", below)


def _options(parameters: Sequence[Any]) -> str:
    return table(("argument or option", "meaning"), (_parameter(one) for one in parameters))


def _parameter(one: Any) -> tuple[str, str]:
    told = (one.help or "").strip()
    if one.param_type_name == "argument":
        return code(_metavar(one)), told
    names = ", ".join(code(name) for name in sorted((*one.opts, *one.secondary_opts), key=len))
    shape = "" if one.is_flag else " " + code(_metavar(one))
    if _says_something(one.default):
        told = f"{told} Default: {code(getattr(one.default, 'value', one.default))}.".strip()
    return names + shape, told


def _metavar(one: Any) -> str:
    return str(one.metavar or one.name.upper()).strip("[]")


def _in_usage(one: Any) -> str:
    more = "…" if one.nargs != 1 else ""
    return f"{_metavar(one)}{more}" if one.required else f"[{_metavar(one)}{more}]"


def _says_something(default: object) -> bool:
    return isinstance(default, (str, int, float)) and default not in (False, "")


def _allowed(name: str) -> str:
    """Return what a setting may be, as the refusal of something else says it."""
    with patch.dict("os.environ", {}, clear=True):
        try:
            entry.load(**{name: object()})
        except errors.InvalidArgument as refusal:
            return refusal.message.rpartition(" must be: ")[2].rstrip(".")
    raise AssertionError("an object is no value of a setting")


def _default(field: Any) -> str:
    return shown(getattr(field.default, "value", field.default))
