"""Markdown for the reference: docstrings, tables, signatures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any

WIDTH = 100
_SECTION = re.compile(r"^(Args|Raises|Attributes):$")
_ENTRY = re.compile(r"^(?P<names>[\w.]+(?:, [\w.]+)*): (?P<text>.*)$")
# Short entries share a line: "Gone: it was deleted. NotFound: there is none."
_NEXT = re.compile(r"(?<=\. )(?=\w+(?:, \w+)*: )")
_ROLE = re.compile(r":\w+:`([^`]+)`")


def prose(documented: object) -> str:
    """Return a docstring as Markdown: its sections as lists, its double back ticks as single ones."""
    text = inspect.getdoc(documented) or ""
    return "\n".join(_blocks(_inline(text).split("\n"))).strip() + "\n"


def first_sentence(documented: object) -> str:
    """Return the first paragraph of a docstring on one line."""
    return _inline((inspect.getdoc(documented) or "").split("\n\n")[0]).replace("\n", " ")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; a cell's bars and line ends cannot break it."""
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def code(value: object) -> str:
    """Return a value as inline code."""
    return f"`{value}`"


def shown(value: object) -> str:
    """Return a default as it is written in code."""
    if isinstance(value, Enum):
        return "KEEP" if value.name == "KEEP" else f"{type(value).__name__}.{value.name}"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return repr(value)


def signature(name: str, function: Callable[..., Any]) -> str:
    """Return a call with its types, on one line if it is short, as a block."""
    found = inspect.signature(function)
    parts = list(_parameters([p for p in found.parameters.values() if p.name not in ("self", "cls")]))
    returns = f" -> {type_text(found.return_annotation)}"
    whole = f"{name}({', '.join(parts)}){returns}"
    if len(whole) > WIDTH:
        lines = "".join(f"    {part},\n" for part in parts)
        whole = f"{name}(\n{lines}){returns}"
    return f"```text\n{whole}\n```\n"


def type_text(annotation: object) -> str:
    """Return a type as it is written in the code."""
    if annotation is inspect.Parameter.empty:
        return "Any"
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _parameters(parameters: Sequence[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for one in parameters:
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        sign = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(one.kind, "")
        starred = starred or sign == "*"
        default = "" if one.default is inspect.Parameter.empty else f" = {shown(one.default)}"
        yield f"{sign}{one.name}: {type_text(one.annotation)}{default}"


def _inline(text: str) -> str:
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


def _cell(cell: object) -> str:
    return str(cell).replace("|", "\\|").replace("\n", " ")


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, a section's entries as a list and an indented example as a block."""
    section: list[str] | None = None
    for line in lines:
        if _SECTION.match(line):
            yield from _entries(section or [])
            yield f"*{line[:-1]}*\n"
            section = []
        elif section is not None and (line.startswith(" ") or not line):
            section.append(line)
        else:
            yield from _entries(section or [])
            section = None
            yield line
    yield from _entries(section or [])


def _entries(lines: Sequence[str]) -> Iterator[str]:
    found: list[str] = []
    for line in lines:
        if line.startswith("    ") and not line.startswith("     "):
            found.append(line.strip())
        elif line.strip():
            found[-1] += " " + line.strip()
    for entry in (part.strip() for whole in found for part in _NEXT.split(whole)):
        named = _ENTRY.match(entry)
        yield f"- `{named['names']}`: {named['text']}" if named else f"- {entry}"
    if found:
        yield ""
