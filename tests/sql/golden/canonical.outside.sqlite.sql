-- DUE_OUTSIDE
SELECT dirty.store, dirty."key", dirty.revision, dirty.attempts
FROM dirty
WHERE dirty.owner = ? AND dirty.store >= ? AND dirty.store < ? AND (dirty.attempts = ? OR dirty.due_at <= ?)
    AND dirty.leased_until <= ? ORDER BY dirty.store, dirty."key"
LIMIT ? OFFSET ?;
