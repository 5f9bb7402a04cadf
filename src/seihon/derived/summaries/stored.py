"""The text of a summary as it is stored: its lines with their sources, and what was masked as it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from seihon.core.fidelity import Line
from seihon.derived.summaries.making import Made
from seihon.derived.summaries.snapshots import Quote
from seihon.models.summariser import heading


class StoredLine(NamedTuple):
    """One line: its words, its source messages, whether a part of it was corrected later, and its heading."""

    text: str
    sources: tuple[str, ...]
    corrected: bool
    heading: str

    @property
    def shown(self) -> str:
        """The line as a reader sees it."""
        return f"[{self.heading}] {' '.join(self.text.splitlines())}"


class Stored(NamedTuple):
    """The lines of a summary, and of each source the quotes that had been lost when it was made.

    ``sources``: the messages that it was made from, in their order, each with its version.
    """

    lines: tuple[StoredLine, ...]
    sources: Mapping[str, int]
    gone: Mapping[str, frozenset[Quote]]


def dump(made: Made) -> dict[str, Any]:
    """Return the JSON value of a summary."""
    by_id = {one.id: one for one in made.snapshot.messages}
    return {
        "lines": [
            [
                line.text,
                list(line.sources),
                int(line.corrected),
                heading(line, [by_id[s] for s in line.sources]),
            ]
            for line in made.lines
        ],
        "sources": list(made.snapshot.versions.items()),
        "gone": {message: [list(one) for one in quotes] for message, quotes in made.snapshot.gone.items()},
    }


def load(found: Mapping[str, Any]) -> Stored:
    """Return a summary from its JSON value."""
    return Stored(
        tuple(
            StoredLine(text, tuple(sources), bool(corrected), told)
            for text, sources, corrected, told in found["lines"]
        ),
        dict(found["sources"]),
        {
            message: frozenset((start, end, field, scope) for start, end, field, scope in quotes)
            for message, quotes in found["gone"].items()
        },
    )


def to_line(one: StoredLine) -> Line:
    """Return a stored line as it is compared with its sources."""
    return Line(one.text, one.sources, one.corrected)
