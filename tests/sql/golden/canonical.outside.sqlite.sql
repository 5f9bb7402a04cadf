-- DUE_OUTSIDE
SELECT dirty.store, dirty."key", dirty.revision, dirty.attempts
FROM dirty
WHERE dirty.owner = ? AND dirty.store >= ? AND dirty.store < ? AND (dirty.attempts = ? OR dirty.due_at <= ?)
    AND dirty.leased_until <= ? AND (dirty.store NOT IN (__[POSTCOMPILE_p_without])) ORDER BY dirty.attempts,
    dirty.store, dirty."key"
LIMIT ? OFFSET ?;
