"""What a reader can hold in mind: short files, short functions."""

from __future__ import annotations

from statistics import median, quantiles

from tests.architecture import tree

LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 35
LINES_OF_MOST_FUNCTIONS = 10


def test_a_file_stays_under_400_lines() -> None:
    lengths = {tree.relative(path): len(path.read_text().splitlines()) for path in tree.sources()}
    assert lengths
    assert {path: lines for path, lines in lengths.items() if lines >= LINES_OF_A_FILE} == {}


def test_nine_functions_of_ten_stay_under_35_lines_and_half_under_10() -> None:
    lengths = dict(pair for path in tree.sources() for pair in tree.functions(path))
    longest = sorted(lengths, key=lambda name: lengths[name], reverse=True)[:10]
    told = [f"{lengths[name]} {name}" for name in longest]
    assert quantiles(lengths.values(), n=10)[8] <= LINES_OF_A_FUNCTION, told
    assert median(lengths.values()) <= LINES_OF_MOST_FUNCTIONS, told
