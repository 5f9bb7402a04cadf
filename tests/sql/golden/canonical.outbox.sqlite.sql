-- DUE
SELECT dirty."key", dirty.revision, dirty.attempts
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND (dirty.attempts = ? OR dirty.due_at <= ?) AND dirty.leased_until
    <= ? ORDER BY dirty."key"
LIMIT ? OFFSET ?;

-- FAIL
UPDATE dirty SET attempts=(dirty.attempts + ?), due_at=?, leased_until=?, lease=?, error=? WHERE dirty.owner =
    ? AND dirty.store = ? AND dirty."key" = ? AND dirty.revision = ? AND (dirty.lease = ? OR ? = ? AND
    dirty.leased_until <= ?) RETURNING attempts;

-- FAILURES
SELECT dirty.owner, dirty.store, dirty."key", dirty.attempts, dirty.error, dirty.marked_at, dirty.due_at
FROM dirty
WHERE dirty.owner = ? AND dirty.attempts > ? AND (? = ? OR dirty.store = ?) ORDER BY dirty.attempts DESC,
    dirty.store, dirty."key"
LIMIT ? OFFSET ?;

-- HELD
SELECT dirty."key", dirty.revision, dirty.attempts
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND dirty.lease = ?;

-- LEASE
UPDATE dirty SET leased_until=?, lease=? WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" = ? AND
    dirty.revision = ? AND dirty.leased_until <= ? RETURNING "key";

-- MARKED
SELECT dirty."key"
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" IN (__[POSTCOMPILE_p_keys]) AND dirty.due_at < ?;

-- MARK_DIRTY
INSERT INTO dirty (owner, store, "key", revision, attempts, marked_at, due_at, leased_until, lease, error)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, store, "key") DO UPDATE SET revision =
    excluded.revision, attempts = excluded.attempts, marked_at = excluded.marked_at, due_at = excluded.due_at,
    error = excluded.error;

-- PENDING
SELECT dirty."key"
FROM dirty
WHERE dirty.owner = ? AND dirty.due_at < ? AND NOT (dirty.store >= ? AND dirty.store < ?)
LIMIT ? OFFSET ?;

-- RELEASE
UPDATE dirty SET leased_until=?, lease=? WHERE dirty.owner = ? AND dirty.store = ? AND dirty.lease = ?;

-- RETRY
UPDATE dirty SET attempts=?, due_at=?, error=? WHERE dirty.owner = ? AND dirty.attempts > ? AND
    dirty.leased_until <= ? AND (? = ? OR dirty.store = ?);

-- REVIVE
UPDATE dirty SET attempts=?, due_at=?, error=? WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" IN
    (__[POSTCOMPILE_p_keys]) AND dirty.attempts > ?;

-- SETTLE
DELETE FROM dirty WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" = ? AND dirty.revision = ? AND
    (dirty.lease = ? OR ? = ? AND dirty.leased_until <= ?) RETURNING "key";

-- SETTLE_MANY
DELETE FROM dirty WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" IN (__[POSTCOMPILE_p_keys]) AND
    (dirty.lease = ? OR ? = ? AND dirty.leased_until <= ?);

-- SETTLE_RANGE
DELETE FROM dirty WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" >= ? AND dirty."key" <= ? AND
    (dirty.attempts = ? OR dirty.due_at <= ?) AND dirty.leased_until <= ?;

-- WAITING
SELECT dirty."key", dirty.error
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" IN (__[POSTCOMPILE_p_keys]);
