-- DUE_OWNER
SELECT dirty.owner
FROM dirty
WHERE (dirty.attempts = %(attempts_1)s::BIGINT OR dirty.due_at <= %(s_now)s::BIGINT) AND dirty.leased_until <=
    %(s_now)s::BIGINT AND dirty.owner > %(p_after)s::VARCHAR COLLATE "C" ORDER BY dirty.owner
LIMIT %(param_1)s::INTEGER;

-- FAILING_OWNERS
SELECT DISTINCT dirty.owner
FROM dirty
WHERE dirty.attempts > %(attempts_1)s::BIGINT AND dirty.owner > %(p_after)s::VARCHAR COLLATE "C" AND
    dirty.owner < %(p_before)s::VARCHAR COLLATE "C" AND (%(p_store)s = %(param_1)s::VARCHAR OR dirty.store =
    %(p_store)s::VARCHAR COLLATE "C") ORDER BY dirty.owner
LIMIT %(p_limit)s::BIGINT;

-- FAILURES
SELECT dirty.owner, dirty.store, dirty.key, dirty.attempts, dirty.error, dirty.marked_at, dirty.due_at
FROM dirty
WHERE dirty.attempts > %(attempts_1)s::BIGINT AND dirty.owner > %(p_after)s::VARCHAR COLLATE "C" AND
    dirty.owner < %(p_before)s::VARCHAR COLLATE "C" AND (%(p_store)s = %(param_1)s::VARCHAR OR dirty.store =
    %(p_store)s::VARCHAR COLLATE "C") ORDER BY dirty.attempts DESC, dirty.owner, dirty.store, dirty.key
LIMIT %(p_limit)s::BIGINT;

-- LAG
SELECT dirty.store, count(*) AS keys, coalesce(min(dirty.marked_at) FILTER (WHERE dirty.due_at <
    %(due_at_1)s::BIGINT), %(s_now)s::BIGINT) AS oldest, count(*) FILTER (WHERE dirty.attempts >
    %(attempts_1)s::BIGINT AND dirty.due_at < %(due_at_1)s::BIGINT) AS failing, count(*) FILTER (WHERE
    dirty.due_at >= %(due_at_1)s::BIGINT) AS dead
FROM dirty GROUP BY dirty.store ORDER BY dirty.store;

-- OPEN_RECEIPTS
SELECT receipts.owner, receipts.id
FROM receipts
WHERE receipts.state != %(state_1)s::VARCHAR COLLATE "C" AND receipts.owner > %(p_after)s::VARCHAR COLLATE "C"
    ORDER BY receipts.owner, receipts.opened_at
LIMIT %(p_limit)s::BIGINT;

-- OWNERS
SELECT owners.owner, owners.state
FROM owners
WHERE owners.owner > %(p_after)s::VARCHAR COLLATE "C" ORDER BY owners.owner
LIMIT %(p_limit)s::BIGINT;

-- RECEIPTS
SELECT count(*) AS open, count(*) FILTER (WHERE receipts.state = %(state_1)s::VARCHAR COLLATE "C") AS failed
FROM receipts
WHERE receipts.state != %(state_2)s::VARCHAR COLLATE "C";
