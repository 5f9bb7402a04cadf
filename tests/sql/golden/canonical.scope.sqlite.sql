-- ADD_CHANGES
INSERT INTO changes (owner, revision, ordinal, at, turn, kind, "key", actor, reason) VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?);
