"""Where data and settings live: per user, never beside the installed package, which an update replaces."""

from __future__ import annotations

from pathlib import Path
from typing import Final

APP: Final = "seihon"


def data_folder() -> Path:
    """Return the user's data folder; it need not exist yet."""
    # Imported late, as everything here that `seihon --help` does not need.
    import platformdirs

    return Path(platformdirs.user_data_dir(APP))


def database_file() -> Path:
    """Return the SQLite file that is used when no database is named."""
    return data_folder() / "memory.db"


def demo_file() -> Path:
    """Return the SQLite file that the demo makes anew each time."""
    return data_folder() / "demo.db"


def settings_file() -> Path:
    """Return the optional file of settings in the user's configuration folder."""
    import platformdirs

    return Path(platformdirs.user_config_dir(APP)) / "config.toml"


def make_folder_of(file: Path) -> None:
    """Make the folder of one of the files above, closed to other users."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
