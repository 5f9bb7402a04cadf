"""The pages of the documentation, and what is in them: code blocks, links, headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<language>[a-z]*)\s*$")
_NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_ANCHOR = re.compile(r'<a id="(?P<id>[^"]+)"></a>')
_HEADING = re.compile(r"^#{1,6} (?P<text>.+)$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. ``line``: that of its first line of text; ``not_run``: the reason given above it."""

    language: str
    text: str
    line: int
    not_run: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of Markdown, split into fenced blocks and prose (blocks blanked out, so that lines stay)."""

    path: Path
    blocks: tuple[Block, ...]
    prose: str

    @property
    def name(self) -> str:
        """The page's path from the root of the project."""
        return self.path.relative_to(ROOT).as_posix()

    def of(self, language: str) -> tuple[Block, ...]:
        """The blocks of one language that are run."""
        return tuple(one for one in self.blocks if one.language == language and one.not_run is None)

    def links(self) -> list[str]:
        """The targets of every link."""
        return [found["target"] for found in _LINK.finditer(self.prose)]

    def anchors(self) -> set[str]:
        """The fragments that a link into this page may name."""
        found = {anchor["id"] for anchor in _ANCHOR.finditer(self.prose)}
        for line in self.prose.splitlines():
            heading = _HEADING.match(line)
            if heading:
                found.add(_fresh(_anchor(heading["text"]), found))
        return found


def all_pages() -> list[Page]:
    """Every page, those of the root first."""
    return [read(path) for path in (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")))]


def read(path: Path) -> Page:
    """Read one page."""
    return parse(path.read_text(encoding="utf-8"), path)


def parse(text: str, path: Path) -> Page:
    """Split a page. A fence that is not closed is an error."""
    blocks: list[Block] = []
    prose: list[str] = []
    fence: re.Match[str] | None = None
    inside: list[str] = []
    reason: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if fence is not None:
            prose.append("")
            if line.rstrip() == fence["ticks"]:
                start = number - len(inside)
                blocks.append(Block(fence["language"], "\n".join(inside) + "\n", start, reason))
                fence, inside, reason = None, [], None
            else:
                inside.append(line)
            continue
        fence = _FENCE.match(line)
        mark = _NOT_RUN.match(line)
        reason = mark["reason"] if mark else reason if fence or not line.strip() else None
        prose.append("" if fence else line)
    if fence is not None:
        raise ValueError(f"{path}: a block is not closed")
    return Page(path, tuple(blocks), "\n".join(prose))


def _anchor(heading: str) -> str:
    """The fragment that a heading gets: lower case, spaces as hyphens, other signs gone."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def _fresh(anchor: str, taken: set[str]) -> str:
    if anchor not in taken:
        return anchor
    return next(f"{anchor}-{number}" for number in range(1, 1_000) if f"{anchor}-{number}" not in taken)
