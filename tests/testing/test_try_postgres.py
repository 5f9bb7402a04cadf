"""The server to try Seihon on, as a process: what it prints can be used, and it goes without a trace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from tests.entry.running import environment, shell


def test_what_it_prints_can_be_used_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "seihon.testing.try_postgres"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline().removeprefix("export ").strip() for _ in range(4)]
    urls = {name: url.strip("'") for name, _, url in (line.partition("=") for line in lines)}
    logins = ["--app-login", "web", "--worker-login", "jobs", "--maintenance-login", "ops"]
    try:
        assert shell(tmp_path, "migrate", "--db", urls["ADMIN_URL"], "--create-roles", *logins).code == 0
        added = shell(
            tmp_path,
            "message",
            "add",
            "ann",
            "c1",
            "user",
            "Hello",
            variables={"SEIHON_DB": urls["SEIHON_DB"]},
        )
        assert added.code == 0, added
        assert shell(tmp_path, "health", "--db", urls["WORKER_URL"]).code == 0
    finally:
        os.kill(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert (process.returncode, told) == (0, "Stopped; its files are removed.\n")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(urls["ADMIN_URL"], connect_timeout=2)
