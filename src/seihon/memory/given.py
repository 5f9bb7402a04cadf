"""What ``Memory.open`` is given, checked before anything is made: a refused call leaves no file behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from seihon import errors
from seihon.canonical.database import Options, parse_url
from seihon.derived.outside import Webhook
from seihon.memory import door
from seihon.model import OutOfReach
from seihon.models import tokenizer as tokenizers

# Callers are untyped: each check here is for one that gave something else than the signature says.
# pyright: reportUnnecessaryIsInstance=false


def database(url: Any) -> str:
    """Return the path or the URL of a database.

    Raises:
        InvalidArgument: neither a path, nor ``:memory:``, nor a URL of a kind that can be opened.
    """
    if not isinstance(url, (str, Path)):
        raise errors.InvalidArgument(
            "`url` must be a path to a SQLite file, a postgresql:// URL or ':memory:'.", name="url"
        )
    told = str(url)
    if told != ":memory:":
        parse_url(told)
    return told


def options(value: Any) -> Options | None:
    """Return the options; a mapping of them is refused rather than half understood."""
    if value is not None and not isinstance(value, Options):
        raise errors.InvalidArgument(
            "`options` must be seihon.memory.Options, such as Options(busy_timeout=3).", name="options"
        )
    return value


def out_of_reach(places: Any) -> tuple[OutOfReach, ...]:
    """Return the places that receipts name, each with a name and a retention in words.

    Raises:
        InvalidArgument: not a sequence of them. InvalidText: a name or retention that is empty or too long.
    """
    if not isinstance(places, Sequence) or not all(isinstance(one, OutOfReach) for one in places):  # pyright: ignore[reportUnknownVariableType]
        raise errors.InvalidArgument(
            "`out_of_reach` must be a sequence such as [OutOfReach('backups', '35 days')].",
            name="out_of_reach",
        )
    found = tuple(cast("Sequence[OutOfReach]", places))
    for one in found:
        door.text(one.name, "out_of_reach", limit=door.MAX_ID)
        door.text(one.retention, "out_of_reach", limit=door.MAX_ID)
    return found


def webhooks(systems: Any) -> tuple[Webhook, ...]:
    """Return the systems outside, each under a name of its own."""
    if not isinstance(systems, Sequence) or not all(isinstance(one, Webhook) for one in systems):  # pyright: ignore[reportUnknownVariableType]
        raise errors.InvalidArgument("`webhooks` must be a sequence of Webhook.", name="webhooks")
    found = tuple(cast("Sequence[Webhook]", systems))
    if len({hook.name for hook in found}) < len(found):
        raise errors.InvalidArgument("Each webhook needs a name of its own: receipts tell them apart by it.")
    return found


def tokenizer(name: Any) -> str:
    """Return a tokenizer's name, if one is registered under it; its ranks are loaded at the first count."""
    if not isinstance(name, str):
        raise errors.InvalidArgument("`tokenizer` must be the name of a tokenizer.", name="tokenizer")
    tokenizers.tokenizer(name)
    return name


def key_file(file: Any, name: str) -> Path | None:
    """Return the file of a key, ``None`` for the default one; a file that is not there yet is not made.

    Raises:
        InvalidArgument: no ``Path``. Unavailable: it cannot be made, since its folder is not there.
    """
    if file is None:
        return None
    if not isinstance(file, Path):
        kinds = "a Path or bytes" if name == "secret" else "a Path"
        raise errors.InvalidArgument(f"`{name}` must be {kinds}.", name=name)
    if not file.exists() and not os.access(file.parent, os.W_OK | os.X_OK):
        raise errors.Unavailable(
            f"The file of `{name}` cannot be made; its folder must exist and be writable.", path=str(file)
        )
    return file


def secret(key: Any) -> Path | bytes | None:
    """Return a secret as it was given: its file, or the key itself of at least 32 bytes."""
    if not isinstance(key, bytes):
        return key_file(key, "secret")
    if len(key) < 32:
        raise errors.InvalidArgument("`secret` must have at least 32 bytes.", name="secret")
    return key
