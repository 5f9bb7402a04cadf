"""Running the Python blocks of a page as one program, in the order of the page."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import ModuleType

from tests.docs.pages import Page


def run(page: Page) -> int:
    """Run every Python block in one namespace; return how many ran. An error names the page's line."""
    blocks = page.of("python")
    with _module(f"page_{page.path.stem.replace('-', '_')}") as module:
        for block in blocks:
            # Blank lines in front make a traceback point into the page.
            code = compile("\n" * (block.line - 1) + block.text, str(page.path), "exec", dont_inherit=True)
            exec(code, module.__dict__)  # noqa: S102 - the pages are our own
    return len(blocks)


@contextmanager
def _module(name: str) -> Generator[ModuleType]:
    """A module of its own: classes that a page declares find their names there."""
    module = ModuleType(name)
    sys.modules[name] = module
    try:
        yield module
    finally:
        del sys.modules[name]
