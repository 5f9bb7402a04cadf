"""Systems outside that are told of each deletion, and how far that is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from seihon.model.records import Record

PREFIX: Final = "outside:"
"""Opens the name of a place in a receipt that Seihon tells and does not control."""


class OutsideState(StrEnum):
    """How far an outside system is. Only ``acknowledged`` says that it has deleted; nobody read it back.

    ``pending``: not told yet. ``failed``: it did not take the message; it is told again, later each time.
    ``sent``: it took the message and did not say that it has deleted. ``acknowledged``: it said so.
    """

    PENDING = "pending"
    FAILED = "failed"
    SENT = "sent"
    ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, slots=True)
class OutsideReceipt(Record):
    """How far a deletion is in one outside system; ``error`` is the code of the last attempt that failed."""

    name: str
    state: OutsideState
    attempts: int
    updated_at: datetime
    error: str = ""
