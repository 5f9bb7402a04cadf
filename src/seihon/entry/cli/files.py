"""Files that a command writes."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from seihon.errors import InvalidArgument


@contextmanager
def new_file(path: str) -> Generator[IO[str]]:
    """Open a file that does not exist yet, readable by the user alone: it may hold what people said."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidArgument(f"The file {path} exists already; name a new one.") from None
    except OSError:
        raise InvalidArgument(f"The file {path} cannot be made; name a writable place.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            yield file
    except BaseException:
        Path(path).unlink(missing_ok=True)  # a half would pass for a whole
        raise
