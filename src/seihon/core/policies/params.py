"""Checks that policies share for their parameters."""

from __future__ import annotations

from seihon.errors import InvalidArgument


def limit(name: str, value: object) -> None:
    """Accept ``None`` (no limit) or a whole number, 0 or more."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidArgument(
            f"{name} must be a whole number, 0 or more, or null for no limit.", parameter=name
        )


def between(name: str, value: object, low: float, high: float) -> float:
    """Return ``value`` as a float if it lies in ``low`` … ``high``, both included."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
        return float(value)
    raise InvalidArgument(f"{name} must be a number from {low:g} to {high:g}.", parameter=name)
