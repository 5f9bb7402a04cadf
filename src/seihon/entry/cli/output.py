"""What reaches the screen: one JSON value on stdout, or text that no stored character can disturb."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO, cast

from seihon.model import Page, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# What a terminal would obey (escape sequences) or reorder (bidirectional overrides) is shown as its code.
_OBEYED = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}
_REORDERING = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_SHOWN = {**_OBEYED, **_REORDERING}


def prepare_streams() -> None:
    """Make both streams survive any text, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            cast("Any", stream).reconfigure(errors="backslashreplace")


def safe(text: object) -> str:
    """Return text whose control characters are visible and obeyed by no terminal; tabs and lines stay."""
    return str(text).translate(_SHOWN)


def data_of(value: object) -> Any:
    """Return any answer of a verb as plain JSON values."""
    if isinstance(value, Page):
        page = cast("Page[Any]", value)
        return {"items": [data_of(item) for item in page.items], "next": page.next}
    if hasattr(value, "as_dict"):
        return cast("Any", value).as_dict()
    if isinstance(value, Mapping):
        return {str(key): data_of(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [data_of(item) for item in cast("Sequence[Any]", value)]
    return plain(value)


def write_json(value: object) -> None:
    """Write one JSON value to stdout, in UTF-8 whatever the locale: a program reads it."""
    write_line(json.dumps(data_of(value), ensure_ascii=False, default=_encoded))


def _encoded(value: object) -> object:
    """Encode the one kind of value that JSON has no form for: a duration, in seconds."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(type(value).__name__)


def write_line(line: str) -> None:
    """Write one line to stdout in UTF-8."""
    _write_utf8(sys.stdout, line + "\n")


def write_array(items: Iterable[str]) -> None:
    """Write encoded values as one JSON array, as they come."""
    _write_utf8(sys.stdout, "[")
    for count, item in enumerate(items):
        _write_utf8(sys.stdout, (",\n" if count else "\n") + item.rstrip("\n"))
    _write_utf8(sys.stdout, "\n]\n")


def _write_utf8(stream: TextIO, text: str) -> None:
    if hasattr(stream, "buffer"):
        stream.flush()
        stream.buffer.write(text.encode("utf-8"))
    else:
        stream.write(text)


class Screen:
    """Text for people: Rich on stdout, plain where stdout is no terminal. Nothing is taken for markup."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        self._stderr = stderr
        self._width = width

    @cached_property
    def console(self) -> Console:
        """Return the Rich console."""
        from rich.console import Console

        width = self._width
        if width is None and not (sys.stderr if self._stderr else sys.stdout).isatty():
            width = 100  # a pipe has no width; a table should not be squeezed to 80 for it
        return Console(stderr=self._stderr, markup=False, highlight=False, emoji=False, width=width)

    def line(self, text: object = "", *, style: str | None = None, wrap: bool = True) -> None:
        """Write a line; ``wrap=False`` leaves a long one whole, so that it can be copied."""
        self.console.print(safe(text), style=style, soft_wrap=not wrap)

    def indented(self, text: object, *, by: int = 3) -> None:
        """Write a paragraph, wrapped within the screen, each line moved in by ``by`` columns."""
        from rich.text import Text

        for line in Text(safe(text)).wrap(self.console, self.console.width - by):
            self.console.print(" " * by + line.plain.rstrip(), soft_wrap=True)

    def text(self, text: str) -> None:
        """Write a text as it is, unwrapped."""
        self.console.print(safe(text), soft_wrap=True)

    def table(
        self, headings: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "", indent: int = 0
    ) -> None:
        """Write a table, or the line ``empty`` when it has no rows."""
        from rich.padding import Padding

        cells = [[safe("" if cell is None else cell) for cell in row] for row in rows]
        if not cells and empty:
            self.line(empty)
            return
        self.console.print(Padding(_table(headings, cells), (0, 0, 0, indent), expand=False))

    def pairs(self, rows: Iterable[tuple[str, object]]) -> None:
        """Write names and values, one a line; a value that is ``None`` or empty is left out."""
        shown = [(name, safe(value)) for name, value in rows if value is not None and value != ""]
        widest = max((len(name) for name, _ in shown), default=0)
        for name, value in shown:
            self.line(f"{name:<{widest}}  {value}")


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
