"""Checks that policies share for their parameters."""

from __future__ import annotations

from seihon.errors import InvalidArgument

LARGEST = 100_000_000_000
"""Some 3,000 years in seconds; in microseconds it still fits 64 bits."""


def limit(name: str, value: object) -> None:
    """Accept ``None`` (no limit) or a whole number from 0 to :data:`LARGEST`."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise InvalidArgument(
            f"{name} must be a whole number from 0 to {LARGEST}, or null for no limit.", parameter=name
        )


def between(name: str, value: object, low: float, high: float) -> float:
    """Return ``value`` as a float if it lies in ``low`` … ``high``, both included."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
        return float(value)
    raise InvalidArgument(f"{name} must be a number from {low:g} to {high:g}.", parameter=name)
