"""What a database is opened with: each wrong thing is one sentence at once, and leaves no file behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.contract.memories import say

from seihon import errors
from seihon.canonical.database import Options
from seihon.memory import Memory
from seihon.model import OutOfReach

NO_PLACE: list[Any] = [
    None, 5, b"x.db", "", " ", "file:x.db", "postgresql:host", "postgres:/host/x", "sqlite:x.db", "mysql://h/x",
    "http://host/x", "sqlite:///", "x\0.db",
]  # fmt: skip
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"options": {"busy_timeout": 3}}, "`options` must be"),
    ({"out_of_reach": OutOfReach("backups", "35 days")}, "`out_of_reach` must be a sequence"),
    ({"out_of_reach": ["x"]}, "`out_of_reach` must be a sequence"),
    ({"out_of_reach": "x"}, "`out_of_reach` must be a sequence"),
    ({"out_of_reach": [OutOfReach("", "")]}, "`out_of_reach` must not be empty"),
    ({"out_of_reach": [OutOfReach("backups", "\0")]}, "a NUL character"),
    ({"webhooks": ["https://host"]}, "`webhooks` must be a sequence"),
    ({"tokenizer": "foo"}, "allowed are: cl100k"),
    ({"tokenizer": None}, "`tokenizer` must be the name"),
    ({"tenant": "a/b"}, "`tenant` must not hold a slash"),
    ({"derive": "later"}, "`derive` must be one of"),
    ({"locale": "fr"}, "`locale` must be one of"),
    ({"secret": "a text"}, "`secret` must be a Path or bytes"),
    ({"secret": b"short"}, "at least 32 bytes"),
    ({"signing_key": "a text"}, "`signing_key` must be a Path"),
]


@pytest.mark.parametrize("place", NO_PLACE, ids=repr)
def test_what_names_no_database_makes_none(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.InvalidArgument, match=r"path to a SQLite file.*postgresql://"):
        Memory.open(place)
    assert list(tmp_path.iterdir()) == []


def test_a_path_may_look_like_anything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("None", "./file:x.db", "with space.db", "日本.db"):
        Memory.open(name).close()
        assert Path(name).exists()


@pytest.mark.parametrize(("given", "words"), WRONG, ids=[str(case[0])[:40] for case in WRONG])
def test_what_is_wrong_is_told_as_the_database_is_opened(
    given: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(errors.InvalidArgument, match=words):
        Memory.open(tmp_path / "x.db", **given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"busy_timeout": -3}, {"busy_timeout": 0}, {"busy_timeout": "3"}, {"busy_timeout": float("nan")},
        {"busy_timeout": float("inf")}, {"busy_timeout": True}, {"pool_size": 0}, {"pool_size": 2.5},
        {"synchronous": "off"},
    ],
    ids=str,
)  # fmt: skip
def test_options_are_checked_as_they_are_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidArgument, match=f"`{next(iter(wrong))}` must be"):
        Options(**wrong)


@pytest.mark.parametrize("name", ["secret", "signing_key"])
def test_a_key_is_made_in_a_folder_that_is_there(name: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {name: tmp_path / "no" / "k"}
    with pytest.raises(errors.Unavailable, match=f"`{name}` cannot be made; its folder must exist"):
        Memory.open(tmp_path / "x.db", **given)
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_is_refused_leaves_no_key(pg_empty: str, tmp_path: Path) -> None:
    with pytest.raises(errors.Unavailable, match="migrate"):
        Memory.open(pg_empty, secret=tmp_path / "k")
    (tmp_path / "bad").write_text("no key")
    with pytest.raises(errors.Unavailable, match="64 hexadecimal digits"):
        Memory.open(tmp_path / "x.db", secret=tmp_path / "bad")
    with pytest.raises(errors.Unavailable, match="its folder must exist"):
        Memory.open(tmp_path / "no" / "x.db", secret=tmp_path / "k")
    assert [one.name for one in tmp_path.iterdir()] == ["bad"]


def test_a_search_in_a_conversation_that_is_not_there_says_so(memory: Memory) -> None:
    say(memory, "green tea")
    say(memory, "black coffee", to="c2")
    with pytest.raises(errors.NotFound, match="No such conversation"):
        memory.search("ann", "tea", conversation="nosuch")
    assert memory.search("ann", "coffee", conversation="c1") == ()
    memory.forget_conversation("ann", "c2")
    with pytest.raises(errors.Gone):
        memory.search("ann", "coffee", conversation="c2")
