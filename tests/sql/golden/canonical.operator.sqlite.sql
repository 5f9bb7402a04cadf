-- DUE_OWNER
SELECT dirty.owner
FROM dirty
WHERE (dirty.attempts = ? OR dirty.due_at <= ?) AND dirty.leased_until <= ? AND dirty.owner > ? ORDER BY
    dirty.owner
LIMIT ? OFFSET ?;

-- FAILING_OWNERS
SELECT DISTINCT dirty.owner
FROM dirty
WHERE dirty.attempts > ? AND dirty.owner > ? AND dirty.owner < ? AND (? = ? OR dirty.store = ?) ORDER BY
    dirty.owner
LIMIT ? OFFSET ?;

-- FAILURES
SELECT dirty.owner, dirty.store, dirty."key", dirty.attempts, dirty.error, dirty.marked_at, dirty.due_at
FROM dirty
WHERE dirty.attempts > ? AND dirty.owner > ? AND dirty.owner < ? AND (? = ? OR dirty.store = ?) ORDER BY
    dirty.attempts DESC, dirty.owner, dirty.store, dirty."key"
LIMIT ? OFFSET ?;

-- LAG
SELECT dirty.store, count(*) AS keys, coalesce(min(dirty.marked_at) FILTER (WHERE dirty.due_at < ?), ?) AS
    oldest, count(*) FILTER (WHERE dirty.attempts > ? AND dirty.due_at < ?) AS failing, count(*) FILTER (WHERE
    dirty.due_at >= ?) AS dead
FROM dirty GROUP BY dirty.store ORDER BY dirty.store;

-- OPEN_RECEIPTS
SELECT receipts.owner, receipts.id
FROM receipts
WHERE receipts.state != ? AND receipts.owner > ? ORDER BY receipts.owner, receipts.opened_at
LIMIT ? OFFSET ?;

-- OWNERS
SELECT owners.owner, owners.state
FROM owners
WHERE owners.owner > ? ORDER BY owners.owner
LIMIT ? OFFSET ?;

-- RECEIPTS
SELECT count(*) AS open, count(*) FILTER (WHERE receipts.state = ?) AS failed
FROM receipts
WHERE receipts.state != ?;
