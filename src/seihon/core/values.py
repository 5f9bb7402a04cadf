"""What a profile field can hold, and how it looks as JSON."""

from __future__ import annotations

from typing import TypeAlias

from seihon.model import Value

__all__ = ["MICROSECONDS", "Dumped", "Value"]

Dumped: TypeAlias = str | int | float | bool | list[str]
"""The JSON form of a ``Value``: a scalar, or a list of strings."""

MICROSECONDS = 1_000_000
