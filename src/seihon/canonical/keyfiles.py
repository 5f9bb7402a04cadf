"""Files that hold a key: made once, by whoever starts first, for their owner only, whole or not at all."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
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


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Keep others who ask for the same file, threads and processes, from changing it or what lies beside it.

    The lock ends with the process that holds it. It is not reentrant: who asks for it twice waits for ever.
    """
    handle = _locked(path)
    try:
        yield
    finally:
        os.close(handle)


def _locked(path: Path) -> int:
    import fcntl  # POSIX only

    while True:
        # Open for writing: over NFS an exclusive lock needs it.
        handle = os.open(path, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Whoever held it may have put another file in its place, and the next one asks for that.
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}")


def _write(path: Path, text: str) -> None:
    """Write a new file through to the disk. Raises ``FileExistsError`` where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
