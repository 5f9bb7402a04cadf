"""Every Python block of the documentation runs: the blocks of a page are one program."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs import pages, running
from tests.docs.pages import Page
from tests.docs.server import PageServer

CODE = [page for page in pages.all_pages() if any(block.language == "python" for block in page.blocks)]
# Pages that need a server read its addresses from the environment, as an application does.
ON_A_SERVER = "docs/how-to/postgresql.md"


@pytest.mark.parametrize(
    "page", [page for page in CODE if page.name != ON_A_SERVER], ids=lambda page: page.name
)
def test_the_blocks_of_a_page_run(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert running.run(page) > 0


def test_the_blocks_of_the_server_page_run(
    page_server: PageServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("SEIHON_SECRET_FILE", str(tmp_path / "secret.key"))
    for name, url in page_server.environment.items():
        monkeypatch.setenv(name, url)
    assert running.run(pages.read(pages.ROOT / ON_A_SERVER)) > 0


@pytest.mark.parametrize("page", pages.all_pages(), ids=lambda page: page.name)
def test_only_shell_and_configuration_may_be_left_out(page: Page) -> None:
    left_out = [block.line for block in page.blocks if block.not_run and block.language == "python"]
    assert left_out == []


def test_an_error_in_a_block_points_into_the_page(tmp_path: Path) -> None:
    page = pages.parse(
        "# A page\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", tmp_path / "p.md"
    )
    with pytest.raises(AssertionError) as raised:
        running.run(page)
    assert raised.traceback[-1].lineno == 7  # counted from 0
