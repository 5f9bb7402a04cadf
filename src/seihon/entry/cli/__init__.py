"""The command line. ``main`` is the console script; it never shows a traceback unless it was asked for one.

With ``--json`` there is one JSON value on stdout and nothing else, an error included:
``{"error": {"code", "message", "details"}}``. Messages, progress and prompts go to stderr. The exit code is
that of ``seihon.errors.CODES``; 130 after Ctrl-C, 141 when the reader of stdout went away.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

INTERRUPTED = 130
READER_GONE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; ``arguments`` are those of the process by default."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return READER_GONE


def _run(given: list[str]) -> int:
    # Imported here, so that Ctrl-C during the imports ends as quietly as later.
    from seihon.entry.cli import failing, output
    from seihon.entry.cli.app import application

    output.prepare_streams()
    try:
        failing.require_text(given)
        code = application().main(args=given, prog_name="seihon", standalone_mode=False, obj=given)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        raise
    except SystemExit:
        # Typer and Rich each turn a closed pipe into an exit of their own, and nothing else.
        raise BrokenPipeError from None
    except Exception as error:  # noqa: BLE001 - whatever it was becomes one sentence
        return failing.report(error, given)


def _drop_output() -> None:
    """Point stdout at nothing: the interpreter flushes it once more on its way out."""
    import os

    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
