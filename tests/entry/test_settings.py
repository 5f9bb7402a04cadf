"""Settings: where each comes from, what is refused, and that no password is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.entry.running import Run

from seihon.entry import paths, settings
from seihon.entry.opening import open_memory
from seihon.errors import InvalidArgument


def test_arguments_come_before_variables_and_variables_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('db = "file.db"\ntenant = "file"\nbusy_timeout = 7\nout_of_reach = ["backups=35 days"]\n')
    monkeypatch.setenv("SEIHON_CONFIG", str(file))
    monkeypatch.setenv("SEIHON_TENANT", "variable")
    monkeypatch.setenv("SEIHON_DB", "variable.db")
    found = settings.load(db="argument.db")
    assert (found.database, found.tenant, found.busy_timeout) == ("argument.db", "variable", 7.0)
    assert [(one.name, one.retention) for one in found.out_of_reach] == [("backups", "35 days")]


def test_the_users_own_file_is_read_if_it_is_there(home: Path) -> None:
    assert settings.load().tenant == "default"
    paths.settings_file().parent.mkdir(parents=True)
    paths.settings_file().write_text('tenant = "shop"\n')
    assert paths.settings_file().is_relative_to(home)
    assert settings.load().tenant == "shop"


def test_places_out_of_reach_are_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEIHON_OUT_OF_REACH", "nightly backups=35 days; provider logs = 30 days")
    places = settings.load().out_of_reach
    assert [(one.name, one.retention) for one in places] == [
        ("nightly backups", "35 days"),
        ("provider logs", "30 days"),
    ]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SEIHON_DERIVE", "later", "inline, background, external"),
        ("SEIHON_SYNCHRONOUS", "off", "full, normal"),
        ("SEIHON_LOG_LEVEL", "loud", "debug, info, warning, error"),
        ("SEIHON_BUSY_TIMEOUT", "soon", "seconds"),
        ("SEIHON_BUSY_TIMEOUT", "0", "above 0"),
        ("SEIHON_OUT_OF_REACH", "backups", "name=retention"),
        ("SEIHON_DB", "mysql://host/name", "postgresql://"),
        ("SEIHON_MAINTENANCE_URL", "file.db", "postgresql://"),
        ("SEIHON_CACHE", "http://localhost", "memory, off, or the address of a server"),
        ("SEIHON_TENNANT", "shop", "SEIHON_TENANT"),
        ("SEIHON_CONFIG", "missing.toml", "readable TOML file"),
    ],
)
def test_a_wrong_value_is_refused_by_the_settings_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidArgument, match=words):
        settings.load()


@pytest.mark.parametrize(
    ("text", "words"), [("colour = 1\n", "no such setting; there are db"), ("db = \n", "valid TOML")]
)
def test_a_wrong_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    monkeypatch.setenv("SEIHON_CONFIG", str(file))
    with pytest.raises(InvalidArgument, match=words):
        settings.load()


def test_variables_that_a_container_sets_beside_ours_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEIHON_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("SEIHON_PORT", "tcp://10.0.0.1:8000")
    assert settings.load().tenant == "default"


def test_embedders_are_named_by_commas_and_reach_the_memory(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings.load().embedder == ()
    assert settings.load(embedder=" local , old").embedder == ("local", "old")
    monkeypatch.setenv("SEIHON_EMBEDDER", "local")
    with open_memory(settings.load(db=str(sqlite_path))) as memory:
        assert [one.name for one in memory.copies.embedders] == ["e5-small-q4"]


_WORD = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789@:.-_!", min_size=12, max_size=30)


@given(password=_WORD)
def test_a_password_is_never_shown(password: str) -> None:
    for url in (
        f"postgresql://user:{password}@host:5432/name",
        f"postgresql://host/name?password={password}",
    ):
        assert password not in settings.without_password(url)
    shown = settings.without_password(f"postgresql://user:{password}@host:5432/name")
    assert shown == "postgresql://user:***@host:5432/name"


def test_what_has_no_password_is_shown_as_it_is() -> None:
    for place in ("/data/memory.db", "postgresql://host/name", "postgresql://user@host/name?sslmode=require"):
        assert settings.without_password(place) == place


def test_settings_never_print_a_password() -> None:
    found = settings.load(db="postgresql://user:hunter2@host/name")
    assert "hunter2" not in repr(found) + str(found) + found.shown_database
    assert "hunter2" in found.database


def test_the_sqlite_file_is_known_from_a_path_and_from_a_url() -> None:
    assert settings.load(db="some/x.db").file == Path("some/x.db")
    assert settings.load(db="sqlite:////data/x.db").file == Path("/data/x.db")
    assert settings.load(db="postgresql://host/name").file is None


def test_settings_reach_the_receipt(call: Run, sqlite_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEIHON_DB", str(sqlite_path))
    monkeypatch.setenv("SEIHON_OUT_OF_REACH", "nightly backups=35 days")
    call("message", "add", "ann", "c1", "user", "Hello", "--id", "m1")
    receipt = call("forget", "message", "ann", "m1", "--yes", "--wait", "--json").data
    told = {place["name"]: place["retention"] for place in receipt["out_of_reach"]}
    assert told == {"nightly backups": "35 days", "memory of other running processes": "60 seconds"}
    assert "out of reach: nightly backups, kept 35 days" in call("receipt", "show", "ann", receipt["id"]).out


def test_tenants_are_apart(call: Run, sqlite_path: Path) -> None:
    place = ["--db", str(sqlite_path)]
    call("message", "add", "ann", "c1", "user", "Hello", "--tenant", "shop", *place)
    assert len(call("message", "list", "ann", "c1", "--tenant", "shop", "--json", *place).data["items"]) == 1
    assert (
        call("message", "list", "ann", "c1", "--tenant", "bank", "--json", *place).error["code"]
        == "not_found"
    )
