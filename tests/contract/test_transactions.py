"""P6: nothing acknowledged is lost, and nobody waits for ever. The transactions that every verb runs in."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import func, select
from tests.conftest import Backend
from tests.contract.opening import database_of, kill_sessions

from seihon import errors
from seihon.canonical import operator
from seihon.canonical import tables as t
from seihon.canonical.database import Database, Options
from seihon.testing.clock import FakeClock
from seihon.testing.postgres import PostgresAddress

ANN = "acme/ann"


def test_p6_a_connection_that_died_while_idle_is_replaced(
    pg_database: str, pg_server: PostgresAddress, clock: FakeClock
) -> None:
    with database_of(pg_database, clock) as db:
        for opened in (db.read, db.write, db.derive):
            with db.write(ANN):
                pass
            kill_sessions(pg_server, pg_database)
            with opened(ANN) as tx:
                assert tx.known
        kill_sessions(pg_server, pg_database)
        with db.operator() as crossing:
            assert operator.owners(crossing, after="", limit=5) == [ANN]


def test_p6_a_whole_pool_that_died_while_idle_is_replaced(
    pg_database: str, pg_server: PostgresAddress, clock: FakeClock
) -> None:
    with database_of(pg_database, clock) as db:
        with db.write(ANN), db.read(ANN), db.read(ANN), db.operator():
            pass
        kill_sessions(pg_server, pg_database)
        with db.read(ANN) as tx:
            assert tx.known


def test_p6_a_connection_that_dies_in_a_transaction_leaves_no_half(
    pg_database: str, pg_server: PostgresAddress, clock: FakeClock
) -> None:
    with database_of(pg_database, clock) as db:

        def interrupted() -> None:
            with db.write(ANN) as tx:
                kill_sessions(pg_server, pg_database)
                tx.first(select(func.count()).where(t.notes.c.owner == ANN))

        with pytest.raises(errors.Unavailable):
            interrupted()
        with db.read(ANN) as tx:
            assert not tx.known


def test_p6_a_writer_that_waits_too_long_is_told_so(backend: Backend, clock: FakeClock) -> None:
    options = Options(busy_timeout=0.2)
    with (
        database_of(backend.url, clock, options=options) as one,
        database_of(backend.url, clock, options=options) as two,
    ):
        with one.write(ANN), pytest.raises(errors.Busy), two.write(ANN):
            pass
        with two.write(ANN) as tx:
            assert tx.revision == 2


def test_p6_writers_of_one_owner_take_turns(db: Database) -> None:
    seen: list[int] = []

    def write() -> None:
        for _ in range(10):
            with db.write(ANN, turns=1) as tx:
                seen.append(tx.revision)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(1, 41))


def test_p5_a_read_is_one_snapshot_and_cannot_write(db: Database) -> None:
    with db.write(ANN):
        pass
    with db.read(ANN) as tx:
        with db.write(ANN):
            pass
        assert tx.first(select(t.owners.c.revision).where(t.owners.c.owner == ANN)) == (1,)
    assert db.dialect == "sqlite" or _refuses_to_write(db)


def _refuses_to_write(db: Database) -> bool:
    with pytest.raises(errors.SeihonError) as refused, db.read(ANN) as tx:
        tx.execute(t.owners.update().values(epoch=9).where(t.owners.c.owner == ANN), {})
    return refused.value.details["state"] == "25006"


def test_p3_a_derivation_locks_the_owner_and_keeps_the_revision(backend: Backend, clock: FakeClock) -> None:
    options = Options(busy_timeout=0.2)
    with (
        database_of(backend.url, clock, options=options) as one,
        database_of(backend.url, clock, options=options) as two,
    ):
        with one.write(ANN):
            pass
        with one.derive(ANN) as tx:
            assert tx.revision == 1
            with pytest.raises(errors.Busy), two.write(ANN):
                pass
        with one.read(ANN) as tx:
            assert tx.revision == 1
