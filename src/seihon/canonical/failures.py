"""What a driver's error becomes: one of ours, without the driver's text, which may quote a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import exc as sa

from seihon import errors

BUSY: Final = "Another writer held the database for longer than the busy timeout; try again."
UNAVAILABLE: Final = "The database does not answer; check that it runs and that the URL and role are right."
SILENT: Final = "The database server does not answer; check that it runs, and the host and port of the URL."
REFUSES_LOGIN: Final = "The database server refuses the login; check the user and the password of the URL."
NO_DATABASE: Final = "The database server has no database of this name; check the URL, or create it."

# libpq gives no SQLSTATE for a connection that never stood, only the server's sentence. One in another
# language falls under the sentence that covers all of them.
_OF_CONNECTING: Final = (
    (re.compile(r'database "[^\n]*" does not exist'), "3D000", NO_DATABASE),
    (re.compile(r"authentication failed|no password supplied|password retrieval"), "28P01", REFUSES_LOGIN),
    (re.compile(r'role "[^\n]*" (does not exist|is not permitted)|pg_hba\.conf'), "28000", REFUSES_LOGIN),
    (
        re.compile("Connection refused|No such file|timeout|timed out|resolve|translate|unreachable|route"),
        None,
        SILENT,
    ),
)

NO_RIGHT: Final = "42501"
# SQLSTATE: lock not available, query cancelled, deadlock, serialization failure.
_BUSY_STATES: Final = frozenset({"55P03", "57014", "40P01", "40001"})
# SQLite primary result codes: busy, locked.
_BUSY_CODES: Final = frozenset({5, 6})
# SQLite: cannot open, disk I/O, full, read-only, not a database, corrupt.
_UNAVAILABLE_CODES: Final = {
    8: "The database file is read-only; writing needs a file and a folder that can be written.",
    10: "The disk refused a read or a write of the database file.",
    11: "The database file is damaged; restore it from a backup.",
    13: "The disk is full; nothing was written.",
    14: "The database file cannot be opened; its folder must exist and be writable.",
    26: "The file is not a SQLite database.",
}


OF_A_DRIVER: Final = (sa.TimeoutError, sa.DBAPIError)


@contextmanager
def translated() -> Generator[None]:
    """Turn every database error of the block into one of ``seihon.errors``."""
    try:
        yield
    except OF_A_DRIVER as error:
        raise translate(error) from None


def translate(error: sa.TimeoutError | sa.DBAPIError) -> errors.SeihonError:
    """Return our error for a driver's; details carry its state code and class, never its text."""
    if isinstance(error, sa.TimeoutError):
        return errors.Busy("Every connection of the pool is in use; try again.")
    return of_driver(error.orig, lost=error.connection_invalidated, sent=bool(error.statement))


def of_driver(original: Any, *, lost: bool = False, sent: bool = False) -> errors.SeihonError:
    """Return our error for one of a bare driver.

    ``lost``: the connection went with it. ``sent``: a statement was being sent. A driver that refuses one
    without asking the database (too many values) has no state code, and no second try can mend it.
    """
    state = getattr(original, "sqlstate", None)
    code = getattr(original, "sqlite_errorcode", 0) & 0xFF
    if state in _BUSY_STATES or code in _BUSY_CODES:
        return errors.Busy(BUSY)
    if code in _UNAVAILABLE_CODES:
        return errors.Unavailable(_UNAVAILABLE_CODES[code])
    if state == NO_RIGHT:
        return errors.Unsafe("The database role lacks a right that this step needs.", state=state)
    name = type(original).__name__
    operational = any(one.__name__ == "OperationalError" for one in type(original).__mro__) and not code
    if operational and not sent and state is None:
        return _of_connecting(str(original))
    if lost or (operational and (state is not None or not sent)):
        return errors.Unavailable(UNAVAILABLE, state=state)
    return errors.SeihonError(
        f"The database refused a statement ({state or name}).", state=state or code, kind=name
    )


def _of_connecting(told: str) -> errors.Unavailable:
    """Return what kept a connection to a server from standing, by the driver's sentence."""
    for pattern, state, sentence in _OF_CONNECTING:
        if pattern.search(told):
            return errors.Unavailable(sentence, state=state)
    return errors.Unavailable(UNAVAILABLE, state=None)


def is_busy(error: Any) -> bool:
    """Tell whether SQLite refused because somebody else held the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY_CODES


def quietly(step: Callable[[], object]) -> bool:
    """Run a clean-up step whose own failure must not hide the first one; tell whether it went well."""
    try:
        step()
    except sa.SQLAlchemyError:
        return False
    return True
