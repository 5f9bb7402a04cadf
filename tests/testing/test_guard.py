"""What the statement guard takes for a filter, and what it does not."""

from __future__ import annotations

import pytest

from seihon.testing.guard import untied


@pytest.mark.parametrize(
    ("statement", "forgotten"),
    [
        ("SELECT * FROM messages", ("messages",)),
        ("SELECT * FROM messages WHERE id = ?", ("messages",)),
        ("SELECT * FROM messages WHERE text = 'owner = ?'", ("messages",)),
        ("SELECT * FROM notes n, messages m WHERE n.owner = ?", ("m",)),
        ("SELECT * FROM messages m JOIN notes n ON n.owner = m.owner", ("m", "n")),
        ("SELECT 1 FROM notes WHERE owner = ? AND EXISTS (SELECT 1 FROM claims WHERE id = ?)", ("claims",)),
        ("SELECT 1 FROM messages WHERE messages.owner = ? UNION SELECT 1 FROM messages", ("messages",)),
        ("UPDATE dirty SET lease = ? WHERE key = ?", ("dirty",)),
        ("DELETE FROM notes", ("notes",)),
        ("INSERT INTO notes (id) VALUES (?)", ("notes",)),
        ("SELECT body FROM schemas", ("schemas",)),
        ("SELECT * FROM messages WHERE owner = ?", ()),
        ("SELECT * FROM messages m JOIN notes n ON n.owner = m.owner WHERE m.owner = %(o)s::VARCHAR", ()),
        ("UPDATE dirty SET lease = $1 WHERE owner = $2", ()),
        ("INSERT INTO notes (owner, id) VALUES (?, ?)", ()),
        ("SELECT body FROM schemas WHERE tenant = ?", ()),
        ("SELECT value FROM meta", ()),
    ],
)
def test_the_guard_reads_statements(statement: str, forgotten: tuple[str, ...]) -> None:
    assert untied(statement) == forgotten
