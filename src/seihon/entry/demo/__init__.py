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


def run(settings: Settings | None, *, screen: Screen | None) -> dict[str, Any]:
    """Play the story and return everything it showed as plain data.

    Args:
        settings: name another SQLite file; by default it is ``demo.db`` in the user's data folder.
        screen: where the story is told; ``None`` tells nothing.

    Raises:
        InvalidArgument: a server, or a file that an earlier demo did not make.
    """
    from seihon.entry.demo.telling import Teller, Told

    file = _file(settings)
    prepare(file)
    teller = Told() if screen is None else Teller(file)
    with Stage(file) as stage:
        return Story(stage, teller).play()


def _file(settings: Settings | None) -> Path:
    from seihon.errors import InvalidArgument

    if settings is None:
        return paths.demo_file()
    if settings.file is None:
        raise InvalidArgument("The demo counts bytes in its own file; give --db a path to a SQLite file.")
    return settings.file.absolute()
