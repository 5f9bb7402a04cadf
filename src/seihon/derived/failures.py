"""What fails while copies are derived or purged: the database itself, or one copy whose code is kept."""

from __future__ import annotations

from typing import Final

from seihon import errors

DATABASE_ITSELF: Final = (errors.Busy, errors.Unavailable, errors.Unsafe, errors.OutOfScope)
"""Errors that no store is to blame for: the caller tries again, or must not have been here."""


class Failed(Exception):  # noqa: N818 - it says what is the case
    """A copy could not be made; ``code`` is a word of ours for why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def code_of(error: Exception) -> str:
    """Return the word that a failure is remembered by; an error's own text may quote a user."""
    return error.code if isinstance(error, (errors.SeihonError, Failed)) else type(error).__name__
