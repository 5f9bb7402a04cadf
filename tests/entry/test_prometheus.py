"""Health as Prometheus reads it, by command and by a worker; and the failures that the command line lists."""

from __future__ import annotations

import re
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from tests.entry.running import Run

from seihon import errors
from seihon.derived.copies import Health, StoreHealth
from seihon.entry.prometheus import Served, address, render

HEALTH = Health(
    ok=False,
    stores=(StoreHealth("fulltext", 3, 1, 12.5, 2), StoreHealth('od"d\n', 0, 0, 0.0)),
    open_receipts=4,
    failed_receipts=1,
    rounds=9,
    settled=100,
    failed=5,
    died=2,
)
SAMPLE = re.compile(r'[a-z_]+(\{store="([^"\\\n]|\\.)*"\})? -?[0-9.]+')


def test_every_line_is_a_comment_or_a_sample_and_every_name_is_told_first() -> None:
    told: set[str] = set()
    for line in render(HEALTH).splitlines():
        if line.startswith("# HELP "):
            told.add(line.split()[2])
        elif not line.startswith("# TYPE "):
            assert SAMPLE.fullmatch(line), line
            assert line.partition(" ")[0].partition("{")[0] in told


def test_what_health_says_is_there() -> None:
    text = render(HEALTH)
    for line in (
        'seihon_keys_waiting{store="fulltext"} 3',
        'seihon_keys_failing{store="fulltext"} 1',
        'seihon_dead_letters{store="fulltext"} 2',
        'seihon_lag_seconds{store="fulltext"} 12.5',
        'seihon_keys_waiting{store="od\\"d\\n"} 0',
        "seihon_receipts_open 4",
        "seihon_receipts_failed 1",
        "seihon_worker_rounds_total 9",
        "seihon_keys_settled_total 100",
        "seihon_keys_failed_total 5",
        "seihon_keys_given_up_total 2",
        "seihon_up 0",
    ):
        assert line in text.splitlines()


def ask(served: Served, path: str) -> tuple[int, str, str]:
    """Return status, kind of content and body."""
    with closing(HTTPConnection("127.0.0.1", served.port, timeout=10)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()


def test_a_worker_answers_at_one_path() -> None:
    with closing(Served(("127.0.0.1", 0), lambda: HEALTH)) as served:
        status, kind, body = ask(served, "/metrics")
        assert (status, body) == (200, render(HEALTH))
        assert kind.startswith("text/plain; version=0.0.4")
        assert ask(served, "/else")[0] == 404


def test_a_database_that_does_not_answer_is_no_zero() -> None:
    def fails() -> Health:
        raise errors.Unavailable("The database does not answer.")

    with closing(Served(("127.0.0.1", 0), fails)) as served:
        assert ask(served, "/metrics")[0] == 503


def test_an_address_is_a_port_with_or_without_a_host() -> None:
    assert address("9464") == ("127.0.0.1", 9464)
    assert address("0.0.0.0:9464") == ("0.0.0.0", 9464)  # noqa: S104 - asked for
    assert address("[::1]:9464") == ("::1", 9464)
    for wrong in ("", "host", "host:", "70000"):
        with pytest.raises(errors.InvalidArgument):
            address(wrong)


def test_an_address_that_is_taken_is_said_plainly() -> None:
    with closing(Served(("127.0.0.1", 0), lambda: HEALTH)) as served, pytest.raises(errors.InvalidArgument):
        Served(("127.0.0.1", served.port), lambda: HEALTH)


def test_health_is_printed_for_prometheus(ann: Run) -> None:
    shown = ann("health", "--prometheus")
    assert 'seihon_dead_letters{store="fulltext"} 0' in shown.out.splitlines()
    assert "seihon_up 1" in shown.out.splitlines()


def test_failures_are_listed_and_retried(ann: Run, tmp_path: Path) -> None:
    del tmp_path
    assert ann("failures", "--json").data == []
    assert "Nothing fails." in ann("failures").out
    assert ann("failures", "--retry", "--json").data == {"retried": 0}
