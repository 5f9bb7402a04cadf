"""What a profile field can hold, and how it looks as JSON."""

from __future__ import annotations

from datetime import date
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | date | tuple[str, ...]
"""A typed value. It is hashable, so that equal values are the same value to a policy."""

Dumped: TypeAlias = str | int | float | bool | list[str]
"""The JSON form of a :data:`Value`: a scalar, or a list of strings."""

MICROSECONDS = 1_000_000
