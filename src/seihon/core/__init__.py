"""Decisions: pure functions over values. No database, no clock, no chance; those arrive as arguments."""
