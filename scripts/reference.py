"""Write ``docs/reference.md`` from the code: what can be called, given, declared, typed and set.

python scripts/reference.py            writes the page
python scripts/reference.py --check    says whether the page is what the code says (exit 1 if not)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from scripts import reference_code, reference_ways
from scripts.reference_text import table

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"

_HEAD = """# Reference

*Made from the code by `make reference`; a test fails when it is not what the code says.*

[Names](#names) · [Verbs](#verbs) · [Nouns](#nouns) · [Errors](#errors) · [Policies](#policies) ·
[Reasons](#reasons) · [Schema](#schema) · [Command line](#command-line) · [Settings](#settings)
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD, *_parts()]).rstrip() + "\n"


def _parts() -> Iterator[str]:
    yield "## Names\n\nWhat `from seihon import …` gives.\n"
    yield table(("name", "what"), reference_code.names())
    yield "## Verbs\n"
    yield from reference_code.verbs()
    yield "## Nouns\n"
    yield from reference_code.nouns()
    yield "## Errors\n\n" + reference_code.errors_told()
    yield table(("class", "code", "HTTP", "exit", "meaning"), reference_code.error_rows())
    yield "## Policies\n"
    yield from reference_code.policies()
    yield "## Reasons\n\nThe words that decisions and field states give, with their sentences.\n"
    yield table(("reason", "English", "Japanese"), reference_code.reasons())
    yield "## Schema\n"
    yield from reference_code.schema()
    yield "## Command line\n"
    yield from reference_ways.commands()
    yield "## Settings\n"
    yield from reference_ways.settings()


def main(arguments: list[str]) -> int:
    """Write or check the page; return the exit code."""
    made = page()
    if arguments == ["--check"]:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == made
        print("docs/reference.md is what the code says." if same else "Run `make reference`.")
        return 0 if same else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
