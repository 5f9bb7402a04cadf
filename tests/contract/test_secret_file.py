"""The file of the fingerprints' secret: one key, whoever starts first, on any file system."""

from __future__ import annotations

import errno
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from seihon import errors
from seihon.canonical import fingerprints, keyfiles

WITH_LINKS = [True, False]


@pytest.fixture(params=WITH_LINKS, ids=["links", "no links"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a key will lie: on a file system with hard links, and on one without."""
    if not request.param:

        def refuse(*_paths: object) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", refuse)
    return tmp_path / "keys" / "memory.key"


def test_a_secret_is_made_once_and_kept(file: Path) -> None:
    made = fingerprints.load_secret(file)
    assert fingerprints.load_secret(file).key == made.key
    assert len(made.key) == 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_of_many_that_start_at_once_all_have_one_key(file: Path) -> None:
    barrier = threading.Barrier(8)

    def start(_number: int) -> bytes:
        barrier.wait(10)
        return fingerprints.load_secret(file).key

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(start, range(8)))) == 1
    assert list(file.parent.iterdir()) == [file]


def test_a_key_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    file, whole = tmp_path / "memory.key", "ab" * 32
    file.write_text(whole[:40])

    def finish() -> None:
        time.sleep(0.1)
        file.write_text(whole + "\n")

    writer = threading.Thread(target=finish)
    writer.start()
    assert fingerprints.load_secret(file).key == bytes.fromhex(whole)
    writer.join()


@pytest.mark.parametrize("held", ["", "abcd", "ab" * 31, "x" * 64])
def test_a_file_without_a_whole_key_is_refused(
    tmp_path: Path, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyfiles, "MAKING_S", 0.05)
    file = tmp_path / "memory.key"
    file.write_text(held)
    with pytest.raises(errors.Unavailable):
        fingerprints.load_secret(file)
    assert file.read_text() == held
