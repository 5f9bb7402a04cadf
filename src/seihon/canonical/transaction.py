"""One transaction: how it begins on each database, and that it ends whole or not at all.

Written as plain classes: generators nested for the turn, the connection, the errors and the handle cost more
time than SQLite takes for the statements in between.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Final, Protocol, Self

from sqlalchemy import Engine
from sqlalchemy import exc as sa

from seihon import errors
from seihon.canonical import failures
from seihon.canonical.direct import Line
from seihon.canonical.faults import reach
from seihon.canonical.waking import NOTIFY, Word
from seihon.model import us

# One in so many of a pool's connections stays out of it between two transactions, too few to be missed.
_AT_HAND: Final = 4


class Tail(Protocol):
    """What a transaction does last: a handle."""

    def finish(self) -> bool:
        """Write what waits; ``False``: nothing of the transaction is to stay."""
        ...

    def close(self) -> None:
        """End the handle."""
        ...


@dataclass(slots=True)
class Ground:
    """What the transactions of one database share: its engine, clock, settings, and lines at hand.

    ``turn`` is the lock of SQLite's one writer: threads of one process wait there, in order, not in the
    busy loop. ``word``: what writes say to workers elsewhere, where anyone can hear it. Times in seconds.
    """

    engine: Engine
    clock: Callable[[], datetime]
    busy_timeout: float
    synchronous: str
    pool_size: int
    word: Word | None = None
    turn: threading.Lock | None = field(init=False)
    closed: bool = field(init=False, default=False)
    _idle: deque[Line] = field(init=False, default_factory=deque[Line])

    def __post_init__(self) -> None:
        self.turn = threading.Lock() if self.engine.dialect.name == "sqlite" else None

    def take(self) -> Line:
        """Return a line between two transactions."""
        if self.closed:
            raise errors.Unavailable("This memory was closed; open it again.")
        try:
            return self._idle.pop().listened()
        except IndexError:
            return Line(self.engine)

    def give(self, line: Line) -> None:
        """Keep a line whose transaction has ended, or give its connection back to the pool."""
        if not self.closed and line.is_open and len(self._idle) < self.pool_size // _AT_HAND:
            self._idle.append(line)
        else:
            failures.quietly(line.close)

    def drop(self) -> None:
        """Let go of every idle connection."""
        while self._idle:
            failures.quietly(self._idle.pop().close)
        self.engine.dispose()


class Transaction:
    """``with Transaction(…) as tx``: ``tx.line`` has begun, and ``tx.now`` is its instant (us).

    Leaving it finishes the handle and commits; an error takes everything back.

    Raises:
        Busy: another writer held the database for longer than the busy timeout.
        Unavailable, SeihonError: any other error of the database, without its text.
    """

    __slots__ = ("_durable", "_ground", "_owner", "_tail", "_waits", "line", "now")
    line: Line
    now: int

    def __init__(self, ground: Ground, owner: str | None, *, write: bool, durable: bool = True) -> None:
        self._ground = ground
        self._owner = owner
        self._durable = durable
        self._waits = write
        self._tail: Tail | None = None

    def ends_with(self, tail: Tail) -> None:
        """Let the handle finish before the commit, and close with the transaction.

        Its opening statement has run: a writer holds its lock, a reader has its snapshot.
        """
        self._tail = tail
        reach("tx.begun")

    def __enter__(self) -> Self:
        reach("tx.begin")
        ground = self._ground
        if self._waits and ground.turn is not None and not ground.turn.acquire(timeout=ground.busy_timeout):
            raise errors.Busy(failures.BUSY)
        try:
            self.line = self._begun()
            self._read_clock()
        except BaseException as error:
            self._yield_turn()
            if isinstance(error, failures.OF_A_DRIVER):
                raise failures.translate(error) from None
            raise
        return self

    def _read_clock(self) -> None:
        """Fix the instant of the transaction; a clock that fails takes nothing with it."""
        try:
            self.now = us(self._ground.clock())
        except BaseException:
            failures.quietly(self.line.close)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._take_back()
            if isinstance(error, failures.OF_A_DRIVER):
                raise failures.translate(error) from None
            return
        try:
            self._keep()
        except failures.OF_A_DRIVER as late:
            self._take_back()
            raise failures.translate(late) from None
        except BaseException:
            self._take_back()
            raise
        self._part()

    def _keep(self) -> None:
        if self._tail is not None and not self._tail.finish():
            self.line.rollback()
            return
        if not self._waits:
            self.line.commit()
            return
        word = self._word_due()
        if word is not None:
            self.line.send(NOTIFY, prepare=False)
        reach("write.before_commit")
        self.line.commit()
        if word is not None:
            word.said()
        reach("write.after_commit")

    def _word_due(self) -> Word | None:
        """Return the word that this write is to say: not of copies, and not with every write."""
        word = self._ground.word
        return word if word is not None and self._durable and word.is_due() else None

    def _take_back(self) -> None:
        if not failures.quietly(self.line.rollback):
            failures.quietly(self.line.close)
        self._part()

    def _part(self) -> None:
        """End the handle, and let the next one have the connection and its turn."""
        if self._tail is not None:
            self._tail.close()
        self._ground.give(self.line)
        self._yield_turn()

    def _yield_turn(self) -> None:
        if self._waits and self._ground.turn is not None:
            self._ground.turn.release()

    def _begun(self) -> Line:
        """Begin on a connection; one that died while idle is replaced once."""
        for attempt in (1, 2):
            line = self._ground.take()
            try:
                self._begin_on(line)
                return line
            except sa.DBAPIError as error:
                failures.quietly(line.close)
                if attempt == 2 or not error.connection_invalidated:
                    raise
                # A server that restarted ended the other idle connections too.
                self._ground.drop()
            except BaseException:
                failures.quietly(line.close)
                raise
        raise AssertionError  # the loop returns or raises

    def _begin_on(self, line: Line) -> None:
        if line.dialect == "sqlite":
            line.send(f"PRAGMA synchronous={self._ground.synchronous if self._durable else 'NORMAL'}")
            line.send("BEGIN IMMEDIATE" if self._waits else "BEGIN")
        else:
            # The driver prepares what it sees often, and several statements cannot be prepared.
            line.send("; ".join(self._beginning()), prepare=False)

    def _beginning(self) -> Generator[str]:
        """Yield what a transaction of PostgreSQL begins with; one round trip takes it all."""
        if not self._waits:
            yield "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
        if not self._durable:
            yield "SET LOCAL synchronous_commit = off"
        if self._owner is not None:
            # SET takes no parameters; a literal is safe once its quotes are doubled and backslashes are plain
            # characters, which `standard_conforming_strings` (on since 9.1, set at connect) makes certain.
            yield "SET LOCAL seihon.owner = '" + self._owner.replace("'", "''") + "'"
