"""YAML to plain data, without its traps: a repeated key is an error, and nothing but data is ever built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from seihon.errors import SchemaError


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses repeated keys, which YAML would settle by taking the last."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        build: Callable[..., Any] = self.construct_object  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        keys = [build(key, deep=True) for key, _ in node.value]
        if len(keys) != len({repr(key) for key in keys}):
            line = node.start_mark.line + 1
            raise SchemaError(
                f"The block that begins at line {line} of the YAML gives a key twice.", line=line
            )
        return super().construct_mapping(node, deep=deep)


def read(text: str) -> object:
    """Return the data of one YAML document. Raises ``SchemaError`` naming the line that cannot be read."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - the loader above is a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise SchemaError(f"The text is not one YAML document{where}.") from None
    except (ValueError, RecursionError):
        raise SchemaError("The YAML holds a value that cannot be read, or is nested too deep.") from None
