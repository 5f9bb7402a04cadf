"""The demo: two support conversations on a fresh SQLite file, from the first message to a proven deletion.

``stage`` prepares the file and the clock, ``story`` plays, ``telling`` shows it; ``scan`` looks at the bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seihon.entry import paths
from seihon.entry.demo.stage import Stage, prepare
from seihon.entry.demo.story import Story

if TYPE_CHECKING:
    from seihon.entry.cli.output import Screen
    from seihon.entry.settings import Settings


def run(file: Path, *, screen: Screen | None) -> dict[str, Any]:
    """Play the story on a fresh file and return everything it showed as plain data.

    Args:
        screen: where the story is told; ``None`` tells nothing.

    Raises:
        InvalidArgument: there is a file that an earlier demo did not make. Unavailable: none can be made.
    """
    from seihon.entry.demo.telling import Teller, Told

    prepare(file)
    teller = Told() if screen is None else Teller(file)
    with Stage(file) as stage:
        return Story(stage, teller).play()


def place(settings: Settings | None) -> Path:
    """Return the file that settings name, or by default ``demo.db`` in the user's data folder.

    Raises:
        InvalidArgument: they name a server.
    """
    from seihon.errors import InvalidArgument

    if settings is None:
        return paths.demo_file()
    if settings.file is None:
        raise InvalidArgument("The demo counts bytes in its own file; give --db a path to a SQLite file.")
    return settings.file.absolute()
