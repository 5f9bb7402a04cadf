"""Files that hold a key: made once, by whoever starts first, for their owner only, whole or not at all."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

MAKING_S: Final = 2.0
"""How long another process may take to write the file that it has just made."""


def read_whole(path: Path, is_whole: Callable[[str], bool]) -> str:
    """Return what a file says, once it is whole: the process that makes it may be at it right now.

    After ``MAKING_S`` seconds it is returned as it is.
    """
    deadline = time.monotonic() + MAKING_S
    while True:
        held = path.read_text()
        if is_whole(held) or time.monotonic() >= deadline:
            return held
        time.sleep(0.01)


def make_once(path: Path, text: str) -> None:
    """Write a new file; of two processes at once the first wins.

    Whole or not at all where the file system has hard links. Elsewhere the name is taken first and written
    next: a crash between leaves a file that holds no key, and is refused by that.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = _draft(path)
    _write(draft, text)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:
        with suppress(FileExistsError):
            _write(path, text)
    finally:
        draft.unlink()


def replace(path: Path, text: str) -> None:
    """Write a file in the place of another; whoever reads meanwhile sees the one or the other, whole."""
    draft = _draft(path)
    _write(draft, text)
    draft.replace(path)


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}")


def _write(path: Path, text: str) -> None:
    """Write a new file through to the disk. Raises ``FileExistsError`` where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
