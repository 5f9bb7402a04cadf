"""Engines, transactions and the translation of driver errors, for SQLite and PostgreSQL.

``read`` gives a snapshot, ``write`` raises the owner's revision under its row lock, ``derive`` holds that
lock without raising it, ``operator`` crosses owners for a few verbs on tables without text. Everything
that differs between the two databases at run time is in this file and in ``canonical.security``.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, case, create_engine, event, func, literal, or_, select
from sqlalchemy import exc as sa
from sqlalchemy.engine import URL, make_url

from seihon import errors
from seihon.canonical import failures
from seihon.canonical import tables as t
from seihon.canonical.codec import Codec, PlainCodec
from seihon.canonical.scope import (
    NOW,
    OWNER,
    TENANT,
    Followers,
    Handle,
    Reader,
    Statement,
    Writer,
    by_dialect,
    on,
    p,
)
from seihon.canonical.transaction import Ground, Transaction
from seihon.model.places import is_path

RETAIN = select(t.tenants.c.retain_us).where(t.tenants.c.tenant == TENANT).scalar_subquery()
NEWEST_SCHEMA = (
    select(t.schemas.c.version)
    .where(t.schemas.c.tenant == TENANT)
    .order_by(t.schemas.c.version.desc())
    .limit(1)
    .scalar_subquery()
)
_STATE = (
    t.owners.c.revision,
    t.owners.c.epoch,
    t.owners.c.turn,
    t.owners.c.floor_revision,
    t.owners.c.state,
    t.owners.c.active_at,
    RETAIN.label("retain_us"),
    NEWEST_SCHEMA.label("schema_version"),
)

READ_OWNER = select(*_STATE).where(t.owners.c.owner == OWNER)
LOCK_OWNER = READ_OWNER.with_for_update(of=t.owners)


def _raise_revision(insert: Any) -> Any:
    statement = insert(t.owners).values(
        owner=OWNER,
        revision=literal(1, t.Big),
        epoch=literal(0, t.Big),
        turn=p("turns", t.Big),
        floor_revision=literal(0, t.Big),
        state=literal("live", t.Key),
        created_at=NOW,
        active_at=NOW,
        monotonic_at=NOW,
    )
    active = _owner_time(t.owners.c.active_at, statement.excluded.active_at)
    return statement.on_conflict_do_update(
        index_elements=["owner"],
        set_={
            "revision": t.owners.c.revision + 1,
            "epoch": t.owners.c.epoch + p("deletions", t.Big),
            "turn": t.owners.c.turn + statement.excluded.turn,
            "active_at": active,
            "monotonic_at": _never_back(active),
        },
    ).returning(*_STATE, t.owners.c.monotonic_at)


# How far a clock may lag behind the owner's last write and still be taken for the same time: longer than
# any wait for the owner's lock, so that a writer that waited does not stamp a time before its predecessor's.
SKEW_US: Final = 120_000_000


def _owner_time(last: Any, now: Any) -> Any:
    """Return the time of this write: strictly after the owner's last one, unless the clock was set back."""
    return case((or_(now > last, now < last - SKEW_US), now), else_=last + 1)


def _never_back(active: Any) -> Any:
    """Return the time by which this write's statements are ordered: a clock set back does not lower it."""
    last = func.coalesce(t.owners.c.monotonic_at, t.owners.c.active_at)
    return case((active > last, active), else_=last + 1)


RAISE_REVISION = by_dialect(_raise_revision)


LONGEST_WAIT_S: Final = 3_600
MOST_CONNECTIONS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Options:
    """How a database is opened. Times in seconds.

    Raises:
        InvalidArgument: a value out of bounds.
    """

    busy_timeout: float = 30.0
    pool_size: int = 8
    synchronous: str = "full"

    def __post_init__(self) -> None:
        wait = self.busy_timeout
        if isinstance(wait, bool) or not isinstance(wait, (int, float)) or not 0 < wait <= LONGEST_WAIT_S:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.InvalidArgument(
                f"`busy_timeout` must be a number of seconds above 0 and at most {LONGEST_WAIT_S}."
            )
        if type(self.pool_size) is not int or not 1 <= self.pool_size <= MOST_CONNECTIONS:
            raise errors.InvalidArgument(
                f"`pool_size` must be a whole number of 1 to {MOST_CONNECTIONS} connections."
            )
        if self.synchronous not in ("full", "normal"):
            raise errors.InvalidArgument("`synchronous` must be 'full' or 'normal'.")


def parse_url(url: str) -> URL:
    """Return the URL of a database; a bare path is a SQLite file.

    Raises:
        InvalidArgument: neither a path nor a ``postgresql://`` or ``sqlite:///`` URL.
    """
    if is_path(url):
        return URL.create("sqlite+pysqlite", database=url)
    try:
        parsed = make_url(url)
    except (sa.ArgumentError, ValueError):  # a port that is no number is a ValueError
        raise errors.InvalidArgument(_ALLOWED_URL) from None
    backend = parsed.get_backend_name()
    if backend == "postgresql" or parsed.drivername == "postgres":
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database and parsed.database != ":memory:":
        return parsed.set(drivername="sqlite+pysqlite")
    raise errors.InvalidArgument(_ALLOWED_URL)


_ALLOWED_URL: Final = (
    "The database must be a path to a SQLite file, sqlite:///PATH or postgresql://USER@HOST/NAME."
)


class Database:
    """One database and its connections. Thread-safe; ``close()`` ends it."""

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], datetime],
        new_id: Callable[[str], str],
        stores: Followers | None = None,
        codec: Codec | None = None,
        options: Options | None = None,
    ) -> None:
        self.url = parse_url(url)
        self.options = options or Options()
        self.clock = clock
        self.new_id = new_id
        self.stores = stores or {}
        self.codec = codec or PlainCodec()
        self.dialect = self.url.get_backend_name()
        self.engine = make_engine(self.url, self.options)
        # On PostgreSQL whoever opens the database asks the server whether its role may.
        self.operates = True
        self.ground = Ground(
            self.engine,
            clock,
            busy_timeout=self.options.busy_timeout,
            synchronous=self.options.synchronous.upper(),
            pool_size=self.options.pool_size,
        )

    def backups(self) -> list[str]:
        """Return the names of the copies that migrations left beside a SQLite file; they hold its words."""
        if self.dialect != "sqlite":
            return []
        file = Path(self.url.database or "")
        made = re.compile(re.escape(file.name) + r"\.\w+\.backup(\.\d+)?")
        return sorted(one.name for one in file.parent.glob("*.backup*") if made.fullmatch(one.name))

    def close(self) -> None:
        """Close every connection; whoever asks for one afterwards is refused."""
        self.ground.closed = True
        self.ground.drop()

    @contextmanager
    def read(self, owner: str) -> Generator[Reader]:
        """Open one snapshot of an owner; nothing of it can be written."""
        with Transaction(self.ground, owner, write=False) as opened:
            row = _opening(opened, READ_OWNER, owner)
            handle = Reader(opened.line, row, owner=owner, now=opened.now, codec=self.codec)
            opened.ends_with(handle)
            yield handle

    @contextmanager
    def write(
        self, owner: str, *, turns: int = 0, deletions: int = 0, revive: bool = False
    ) -> Generator[Writer]:
        """Open a transaction that raises the owner's revision, its turn by ``turns``, its epoch by
        ``deletions``.

        Raises:
            OwnerDeleted: the owner was deleted (unless ``revive``).
            Busy: another writer held the database for longer than ``busy_timeout``.
        """
        with Transaction(self.ground, owner, write=True) as opened:
            found = _opening(opened, RAISE_REVISION, owner, p_turns=turns, p_deletions=deletions)
            row = errors.certain(found, "an upsert answers with its row")
            handle = self._writer(opened, row, owner, row.active_at)
            handle.monotonic = row.monotonic_at
            if not revive:
                handle.require_live()
            yield handle

    @contextmanager
    def derive(self, owner: str, *, lock: bool = True) -> Generator[Writer]:
        """Open a transaction on derived rows: the owner's row is locked, the revision stays.

        Not synced to disk on its own: after a power cut it is done again from the outbox. Without ``lock``
        for rows that no writer can contradict (a trace).
        """
        with Transaction(self.ground, owner, write=True, durable=False) as opened:
            row = _opening(opened, LOCK_OWNER if lock else READ_OWNER, owner)
            yield self._writer(opened, row, owner, opened.now)

    @contextmanager
    def operator(self) -> Generator[Handle]:
        """Open a snapshot across owners, for the reads of ``canonical.operator`` alone.

        Raises:
            Unsafe: the role may not look across owners; it would be shown nothing and take it for all.
        """
        if not self.operates:
            raise errors.Unsafe(
                "This database role may not look across owners; use the login of a worker for that."
            )
        with Transaction(self.ground, None, write=False) as opened:
            handle = Handle(opened.line, {"s_now": opened.now})
            opened.ends_with(handle)
            yield handle

    @contextmanager
    def tenant(self, tenant: str, *, write: bool = False) -> Generator[Handle]:
        """Open a transaction on a tenant's tables (schemas, settings, counts), which hold no user text."""
        with Transaction(self.ground, tenant + "/", write=write) as opened:
            handle = Handle(opened.line, {"s_now": opened.now, "s_tenant": tenant})
            opened.ends_with(handle)
            yield handle

    def _writer(self, opened: Transaction, row: Row[Any] | None, owner: str, now: int) -> Writer:
        handle = Writer(
            opened.line,
            row,
            owner=owner,
            now=now,
            codec=self.codec,
            new_id=self.new_id,
            stores=self.stores,
        )
        opened.ends_with(handle)
        return handle


def _opening(opened: Transaction, statement: Statement, owner: str, **own: Any) -> Row[Any] | None:
    scope = {"s_owner": owner, "s_now": opened.now, "s_tenant": owner.partition("/")[0]}
    return opened.line.execute(on(statement, opened.line.dialect), {**scope, **own}).first()


def _keep_private(path: str) -> None:
    """Make a new SQLite file readable by its owner alone; the log beside it takes the same rights."""
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))


def make_engine(url: URL, options: Options) -> Engine:
    """Return an engine whose errors and logs show no parameters."""
    if url.get_backend_name() == "sqlite":
        return _sqlite_engine(url, options)
    milliseconds = int(options.busy_timeout * 1000)
    flags = (
        f"-c lock_timeout={milliseconds} -c timezone=UTC -c standard_conforming_strings=on "
        "-c client_encoding=utf8 -c default_transaction_isolation=read\\ committed"
    )
    if find_spec("psycopg") is None:
        raise errors.Unavailable("PostgreSQL needs its driver: install `seihon[postgres]`.")
    return create_engine(
        url,
        pool_size=options.pool_size,
        max_overflow=0,
        pool_timeout=options.busy_timeout,
        connect_args={"options": flags, "connect_timeout": max(2, int(options.busy_timeout))},
        hide_parameters=True,
    )


def _keep_a_log(raw: Any, patience: float) -> None:
    """Turn the write-ahead log on. SQLite's own busy timeout does not cover this step, so it is tried again.

    A file has its log for good once the first connection has turned it on.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            raw.execute("PRAGMA journal_mode=WAL").close()
            return
        except sqlite3.OperationalError as error:
            if not failures.is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _sqlite_engine(url: URL, options: Options) -> Engine:
    _keep_private(url.database or "")
    engine = create_engine(
        url,
        pool_size=options.pool_size,
        max_overflow=2 * options.pool_size,
        pool_timeout=options.busy_timeout,
        connect_args={"check_same_thread": False, "timeout": options.busy_timeout},
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def on_connect(raw: Any, _record: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        raw.isolation_level = None
        _keep_a_log(raw, options.busy_timeout)
        for pragma in (
            f"synchronous={options.synchronous.upper()}",
            "foreign_keys=ON",
            "secure_delete=ON",
            "temp_store=MEMORY",
            "journal_size_limit=0",
        ):
            raw.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        # A ``Database`` has begun in its own way already; migrations and checks begin here.
        raw: Any = connection.connection.dbapi_connection
        if not raw.in_transaction:
            raw.execute(
                "BEGIN IMMEDIATE" if connection.get_execution_options().get("seihon_write") else "BEGIN"
            )

    return engine
