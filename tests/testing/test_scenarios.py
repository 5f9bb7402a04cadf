"""The marker that ties a test to a reported fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import scenarios

pytest_plugins = ["pytester"]


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nmarkers = scenario(label)\n")
    pytester.makeconftest(Path(scenarios.__file__).read_text())
    return pytester


def test_the_list_goes_by_theme_and_number_and_runs_nothing(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        "import pytest\n"
        "@pytest.mark.scenario('B2', 'A10')\ndef test_one(): raise RuntimeError\n"
        "@pytest.mark.scenario('A2')\n@pytest.mark.parametrize('on', [1, 2])\ndef test_two(on): pass\n"
        "def test_three(): pass\n"
    )
    outcome = suite.runpytest("--scenarios", "-q")
    assert outcome.ret == 0
    outcome.stdout.fnmatch_lines(
        ["A    2  A2 (2), A10 (1)", "B    1  B2 (1)", "3 scenarios covered by 4 labels"]
    )


@pytest.mark.parametrize("label", ["'a1'", "'A'", "'A1, A2'", "1", "'AB1'"])
def test_a_malformed_label_stops_the_run_and_names_the_test(suite: pytest.Pytester, label: str) -> None:
    suite.makepyfile(f"import pytest\n@pytest.mark.scenario({label})\ndef test_one(): pass\n")
    outcome = suite.runpytest()
    assert outcome.ret == pytest.ExitCode.USAGE_ERROR
    outcome.stderr.fnmatch_lines(["*test_one: a scenario label is a letter and a number, as in A1*"])
