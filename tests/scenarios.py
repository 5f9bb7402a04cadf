"""The marker ``scenario`` and the option ``--scenarios``: which reported faults the suite keeps out.

    @pytest.mark.scenario("A1", "A2")
    def test_...

``pytest --scenarios`` runs nothing and lists the labels by theme with the number of tests for each.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import pytest

_LABEL = re.compile(r"([A-Z])(\d{1,3})")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--scenarios``."""
    parser.addoption(
        "--scenarios", action="store_true", help="list the covered scenarios by theme; run nothing"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Listing collects and runs nothing."""
    return True if session.config.option.scenarios else None


def labels(item: pytest.Item) -> list[str]:
    """The labels of a test; a malformed one is a usage error that names the test."""
    found = [label for marker in item.iter_markers("scenario") for label in marker.args]
    for label in found:
        if not isinstance(label, str) or not _LABEL.fullmatch(label):
            raise pytest.UsageError(f"{item.nodeid}: a scenario label is a letter and a number, as in A1")
    return found


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check every label at collection, so that a typing error cannot hide a gap."""
    config.stash[_COVERED] = Counter(label for item in items for label in labels(item))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the list."""
    if config.option.scenarios:
        for line in table(config.stash[_COVERED]):
            terminalreporter.write_line(line)


def table(covered: Mapping[str, int]) -> Iterable[str]:
    """One line for each theme: its labels in order, with the number of tests in brackets, then the total."""
    themes: dict[str, list[str]] = defaultdict(list)
    for label in sorted(covered, key=lambda text: (text[0], int(text[1:]))):
        themes[label[0]].append(f"{label} ({covered[label]})")
    for theme, entries in themes.items():
        yield f"{theme}  {len(entries):3}  {', '.join(entries)}"
    yield f"{len(covered)} scenarios covered by {sum(covered.values())} labels"


_COVERED = pytest.StashKey[Counter[str]]()
