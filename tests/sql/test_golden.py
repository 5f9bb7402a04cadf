"""The SQL of every named statement, on both databases, is on file: a change of it is seen and reviewed.

One file for each module and dialect, in ``tests/sql/golden``. To renew them after a change that is meant:
``SEIHON_GOLDEN=write pytest tests/sql/test_golden.py``.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from seihon.testing.statements import POSTGRESQL, SQLITE, Named, named_statements

GOLDEN = Path(__file__).parent / "golden"
WRITE = os.environ.get("SEIHON_GOLDEN") == "write"
DIALECTS: dict[str, Any] = {
    POSTGRESQL: make_url("postgresql+psycopg://").get_dialect()(),
    SQLITE: make_url("sqlite://").get_dialect()(),
}
WIDTH = 110


def _by_file() -> dict[str, list[Named]]:
    files: defaultdict[str, list[Named]] = defaultdict(list)
    for named in named_statements():
        for dialect in named.dialects:
            files[f"{named.module.removeprefix('seihon.')}.{dialect}.sql"].append(named)
    return dict(files)


FILES = _by_file()


def _sql(named: Named, dialect: str) -> str:
    statement: Any = named.on(dialect)
    compiled = str(statement.compile(dialect=DIALECTS[dialect]))
    # One clause a line, at the place of SQLAlchemy's own breaks; long ones are wrapped, which SQL ignores.
    lines = [re.sub(r"\s+", " ", line).strip() for line in compiled.splitlines()]
    wrapped = (
        textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for line in lines
        if line
    )
    return "\n".join(wrapped)


def _content(file: str) -> str:
    dialect = file.split(".")[-2]
    return "\n".join(f"-- {named.name}\n{_sql(named, dialect)};\n" for named in FILES[file])


@pytest.mark.parametrize("file", sorted(FILES))
def test_the_sql_is_as_on_file(file: str) -> None:
    path = GOLDEN / file
    if WRITE:
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(_content(file), encoding="utf-8")
    assert path.exists(), f"{file} is not on file yet: SEIHON_GOLDEN=write makes it"
    assert _content(file) == path.read_text(encoding="utf-8")


def test_no_file_is_left_of_a_module_that_is_gone() -> None:
    left = {path.name for path in GOLDEN.glob("*.sql")} - set(FILES)
    if WRITE:
        for name in left:
            (GOLDEN / name).unlink()
    else:
        assert not left
