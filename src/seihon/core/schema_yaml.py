"""YAML to plain data, without its traps: a repeated key is an error, and nothing but data is ever built.

A few lines of YAML can stand for billions of nodes, since an alias repeats what it names wherever it stands:
so the nodes are counted, aliases followed, before anything is made of them.

The YAML library is loaded by the first reading, so that the core costs nothing where nobody writes YAML.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from seihon.errors import SchemaError

if TYPE_CHECKING:
    import yaml

LONGEST: Final = 500_000
"""The longest document, in characters: the library reads about 100,000 in a second."""

MOST_NODES: Final = 100_000
"""The most keys and values of a document, those that aliases repeat counted each time."""

LONGEST_NUMBER: Final = 100
"""The longest value that is no text: reading an integer such as 1:1:1:… takes its length squared."""

_TEXT: Final = "tag:yaml.org,2002:str"


@cache
def _loader() -> type[yaml.SafeLoader]:
    """Return a safe loader that refuses repeated keys, which YAML would settle by taking the last."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            line = node.start_mark.line + 1
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            if len(keys) != len(node.value):
                raise SchemaError(
                    f"The block from line {line} of the YAML has a key that is no word.", line=line
                )
            if len(keys) != len(set(keys)):
                raise SchemaError(f"The block from line {line} of the YAML gives a key twice.", line=line)
            return super().construct_mapping(node, deep=deep)

    return Loader


def read(text: str) -> object:
    """Return the data of one YAML document. Raises ``SchemaError`` naming the line that cannot be read."""
    import yaml

    if len(text) > LONGEST:
        raise SchemaError(f"The YAML has {len(text)} characters; at most {LONGEST} are allowed.")
    try:
        return _read(_loader()(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        raise SchemaError(f"The text is not one YAML document{where}.") from None
    except (ValueError, RecursionError):
        raise SchemaError("The YAML holds a value that cannot be read, or is nested too deep.") from None


def _read(loader: Any) -> object:
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _weigh(node, {})
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _weigh(node: Any, known: dict[int, int]) -> int:
    """Return for how many nodes a node stands; ``known`` holds 0 for one that is being weighed."""
    found = known.get(id(node))
    if found is not None:
        if not found:
            raise SchemaError("The YAML holds an alias of a block inside that very block.", line=_line(node))
        return found
    known[id(node)] = 0
    total = 1
    if not isinstance(node.value, str):
        total += sum(_weigh(part, known) for part in _parts(node.value))
    elif node.tag != _TEXT and len(node.value) > LONGEST_NUMBER:
        raise SchemaError(
            f"The value at line {_line(node)} of the YAML is too long for a number; quote text.",
            line=_line(node),
        )
    if total > MOST_NODES:
        raise SchemaError(f"The YAML stands for more than {MOST_NODES} keys and values, aliases followed.")
    known[id(node)] = total
    return total


def _parts(items: list[Any]) -> Iterator[Any]:
    """Yield the nodes of a list, or the keys and values of a mapping."""
    for item in items:
        yield from item if isinstance(item, tuple) else (item,)


def _line(node: Any) -> int:
    return node.start_mark.line + 1
