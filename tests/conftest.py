"""What every test may ask for: databases on both engines, a clock, and the profiles of the property tests.

One PostgreSQL server serves the whole run. Under xdist the controller owns it and tells the workers its
address; without xdist it starts with the first test that needs it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from seihon.testing.clock import FakeClock
from seihon.testing.postgres import PostgresAddress, PostgresServer

pytest_plugins = ["tests.scenarios"]

_ADDRESS = pytest.StashKey[PostgresAddress]()
_SERVER = pytest.StashKey[PostgresServer]()

DEEP = os.environ.get("SEIHON_DEEP", "") not in ("", "0")

_SLOW_SHARED_MACHINES = [HealthCheck.too_slow]
settings.register_profile(
    "default", max_examples=60, deadline=None, print_blob=True, suppress_health_check=_SLOW_SHARED_MACHINES
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.register_profile(
    "deep", max_examples=2_000, deadline=None, print_blob=True, suppress_health_check=_SLOW_SHARED_MACHINES
)
settings.load_profile("deep" if DEEP else "ci" if os.environ.get("CI") else "default")


class Dialect(StrEnum):
    """The engines that every contract test runs on; neither is ever left out."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Backend:
    """A fresh, migrated database of one test; on PostgreSQL the URL is the unprivileged owner's."""

    dialect: Dialect
    url: str
    admin_url: str
    path: Path | None = None


class SharedServer:
    """With xdist: start the server before the first worker and hand its address to each."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Called by xdist in the controller, once for each worker."""
        config: pytest.Config = node.config
        node.workerinput["postgres"] = asdict(_address(config))


def pytest_configure(config: pytest.Config) -> None:
    """Take the address from the controller, or offer to be one."""
    shared = getattr(config, "workerinput", {}).get("postgres")
    if shared is not None:
        config.stash[_ADDRESS] = PostgresAddress(**shared)
    else:
        config.pluginmanager.register(SharedServer(), "seihon-shared-server")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server with the run; if this is never reached, the server's guard does it."""
    server = config.stash.get(_SERVER, None)
    if server is not None:
        server.close()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what tests counted (``record_property("counted", …)``), whichever process ran them."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, told in getattr(report, "user_properties", ()):
                if name == "counted" and report.when == "call":
                    terminalreporter.write_line(str(told))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests marked ``deep`` to the deep run; they are deselected, not skipped."""
    if DEEP:
        return
    left_out = [item for item in items if item.get_closest_marker("deep")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("deep")]


def _address(config: pytest.Config) -> PostgresAddress:
    if _ADDRESS not in config.stash:
        config.stash[_SERVER] = PostgresServer().start()
        config.stash[_ADDRESS] = config.stash[_SERVER].address
    return config.stash[_ADDRESS]


_numbers = count(1)


def _fresh_name() -> str:
    return f"t_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{next(_numbers)}"


def _migrate(url: str) -> None:
    from seihon.canonical.migrations import upgrade

    upgrade(url)


@pytest.fixture(scope="session")
def pg_server(pytestconfig: pytest.Config) -> PostgresAddress:
    """The run's PostgreSQL server, shared by all workers."""
    return _address(pytestconfig)


@pytest.fixture
def pg_empty(pg_server: PostgresAddress) -> Iterator[str]:
    """The URL of a fresh database without any table, owned by the unprivileged role."""
    name = _fresh_name()
    yield pg_server.create_database(name)
    pg_server.drop_database(name)


@pytest.fixture
def pg_database(pg_server: PostgresAddress) -> Iterator[str]:
    """The URL of a fresh, migrated PostgreSQL database, owned by the unprivileged role."""
    name = _fresh_name()
    yield pg_server.create_database(name, template=pg_server.template("seihon_template", build=_migrate))
    pg_server.drop_database(name)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy from, made once for each worker."""
    path = tmp_path_factory.mktemp("template") / "seihon.sqlite"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_path(sqlite_template: Path, tmp_path: Path) -> Path:
    """A fresh, migrated SQLite file."""
    path = tmp_path / "seihon.sqlite"
    for part in sqlite_template.parent.glob(f"{sqlite_template.name}*"):
        shutil.copyfile(part, tmp_path / part.name)
    return path


@pytest.fixture
def sqlite_database(sqlite_path: Path) -> str:
    """The URL of a fresh, migrated SQLite database."""
    return f"sqlite:///{sqlite_path}"


@pytest.fixture(params=list(Dialect), ids=str)
def backend(request: pytest.FixtureRequest) -> Backend:
    """A fresh, migrated database, once on SQLite and once on PostgreSQL."""
    if request.param is Dialect.SQLITE:
        path: Path = request.getfixturevalue("sqlite_path")
        return Backend(Dialect.SQLITE, f"sqlite:///{path}", f"sqlite:///{path}", path)
    url: str = request.getfixturevalue("pg_database")
    server: PostgresAddress = request.getfixturevalue("pg_server")
    return Backend(Dialect.POSTGRES, url, server.admin_url(url.rpartition("/")[2]))


@pytest.fixture
def database_url(backend: Backend) -> str:
    """The URL of ``backend``, for tests that need no more."""
    return backend.url


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands at 2026-01-01 until the test moves it."""
    return FakeClock()
