"""YAML to plain data, without its traps: a repeated key is an error, and nothing but data is ever built.

The YAML library is loaded by the first reading, so that the core costs nothing where nobody writes YAML.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from seihon.errors import SchemaError

if TYPE_CHECKING:
    import yaml


@cache
def _loader() -> type[yaml.SafeLoader]:
    """Return a safe loader that refuses repeated keys, which YAML would settle by taking the last."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            # Scalars by what they say, anything else (refused later) by what it is.
            keys = [getattr(key, "value", key) for key, _ in node.value]
            if len(keys) != len({repr(key) for key in keys}):
                line = node.start_mark.line + 1
                raise SchemaError(f"The block from line {line} of the YAML gives a key twice.", line=line)
            return super().construct_mapping(node, deep=deep)

    return Loader


def read(text: str) -> object:
    """Return the data of one YAML document. Raises ``SchemaError`` naming the line that cannot be read."""
    import yaml

    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - a SafeLoader with one rule more
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise SchemaError(f"The text is not one YAML document{where}.") from None
    except (ValueError, RecursionError):
        raise SchemaError("The YAML holds a value that cannot be read, or is nested too deep.") from None
