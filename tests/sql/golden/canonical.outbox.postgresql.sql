-- DUE
SELECT dirty.key, dirty.revision, dirty.attempts
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR COLLATE "C" AND
    (dirty.attempts = %(attempts_1)s::BIGINT OR dirty.due_at <= %(s_now)s::BIGINT) AND dirty.leased_until <=
    %(s_now)s::BIGINT ORDER BY dirty.key
LIMIT %(p_limit)s::BIGINT;

-- FAIL
UPDATE dirty SET attempts=(dirty.attempts + %(attempts_1)s::BIGINT), due_at=%(p_due)s::BIGINT,
    leased_until=%(leased_until)s::BIGINT, lease=%(lease)s::VARCHAR COLLATE "C", error=%(p_code)s::VARCHAR
    COLLATE "C" WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR
    COLLATE "C" AND dirty.key = %(p_key)s::VARCHAR COLLATE "C" AND dirty.revision = %(p_revision)s::BIGINT AND
    (dirty.lease = %(p_token)s::VARCHAR COLLATE "C" OR %(p_token)s = %(param_1)s::VARCHAR AND
    dirty.leased_until <= %(s_now)s::BIGINT) RETURNING dirty.attempts;

-- FAILURES
SELECT dirty.owner, dirty.store, dirty.key, dirty.attempts, dirty.error, dirty.marked_at, dirty.due_at
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.attempts > %(attempts_1)s::BIGINT AND
    (%(p_store)s = %(param_1)s::VARCHAR OR dirty.store = %(p_store)s::VARCHAR COLLATE "C") ORDER BY
    dirty.attempts DESC, dirty.store, dirty.key
LIMIT %(p_limit)s::BIGINT;

-- HELD
SELECT dirty.key, dirty.revision, dirty.attempts
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR COLLATE "C" AND
    dirty.lease = %(p_token)s::VARCHAR COLLATE "C";

-- LEASE
UPDATE dirty SET leased_until=%(p_until)s::BIGINT, lease=%(p_token)s::VARCHAR COLLATE "C" WHERE dirty.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR COLLATE "C" AND dirty.key =
    %(p_key)s::VARCHAR COLLATE "C" AND dirty.revision = %(p_revision)s::BIGINT AND dirty.leased_until <=
    %(s_now)s::BIGINT RETURNING dirty.key;

-- MARKED
SELECT dirty.key
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR COLLATE "C" AND
    dirty.key IN (__[POSTCOMPILE_p_keys]) AND dirty.due_at < %(due_at_1)s::BIGINT;

-- MARK_DIRTY
INSERT INTO dirty (owner, store, key, revision, attempts, marked_at, due_at, leased_until, lease, error)
    VALUES (%(owner)s::VARCHAR COLLATE "C", %(store)s::VARCHAR COLLATE "C", %(key)s::VARCHAR COLLATE "C",
    %(revision)s::BIGINT, %(attempts)s::BIGINT, %(marked_at)s::BIGINT, %(due_at)s::BIGINT,
    %(leased_until)s::BIGINT, %(lease)s::VARCHAR COLLATE "C", %(error)s::VARCHAR COLLATE "C") ON CONFLICT
    (owner, store, key) DO UPDATE SET revision = excluded.revision, attempts = excluded.attempts, marked_at =
    excluded.marked_at, due_at = excluded.due_at, error = excluded.error;

-- PENDING
SELECT dirty.key
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.due_at < %(due_at_1)s::BIGINT AND NOT
    (dirty.store >= %(store_1)s::VARCHAR COLLATE "C" AND dirty.store < %(store_2)s::VARCHAR COLLATE "C")
LIMIT %(param_1)s::INTEGER;

-- RELEASE
UPDATE dirty SET leased_until=%(leased_until)s::BIGINT, lease=%(lease)s::VARCHAR COLLATE "C" WHERE dirty.owner
    = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR COLLATE "C" AND dirty.lease =
    %(p_token)s::VARCHAR COLLATE "C";

-- RETRY
UPDATE dirty SET attempts=%(attempts)s::BIGINT, due_at=%(s_now)s::BIGINT, error=%(error)s::VARCHAR COLLATE "C"
    WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.attempts > %(attempts_1)s::BIGINT AND
    dirty.leased_until <= %(s_now)s::BIGINT AND (%(p_store)s = %(param_1)s::VARCHAR OR dirty.store =
    %(p_store)s::VARCHAR COLLATE "C");

-- REVIVE
UPDATE dirty SET attempts=%(attempts)s::BIGINT, due_at=%(s_now)s::BIGINT, error=%(error)s::VARCHAR COLLATE "C"
    WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR COLLATE "C"
    AND dirty.key IN (__[POSTCOMPILE_p_keys]) AND dirty.attempts > %(attempts_1)s::BIGINT;

-- SETTLE
DELETE FROM dirty WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR
    COLLATE "C" AND dirty.key = %(p_key)s::VARCHAR COLLATE "C" AND dirty.revision = %(p_revision)s::BIGINT AND
    (dirty.lease = %(p_token)s::VARCHAR COLLATE "C" OR %(p_token)s = %(param_1)s::VARCHAR AND
    dirty.leased_until <= %(s_now)s::BIGINT) RETURNING dirty.key;

-- SETTLE_MANY
DELETE FROM dirty WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR
    COLLATE "C" AND dirty.key IN (__[POSTCOMPILE_p_keys]) AND (dirty.lease = %(p_token)s::VARCHAR COLLATE "C"
    OR %(p_token)s = %(param_1)s::VARCHAR AND dirty.leased_until <= %(s_now)s::BIGINT);

-- SETTLE_RANGE
DELETE FROM dirty WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR
    COLLATE "C" AND dirty.key >= %(p_first)s::VARCHAR COLLATE "C" AND dirty.key <= %(p_last)s::VARCHAR COLLATE
    "C" AND (dirty.attempts = %(attempts_1)s::BIGINT OR dirty.due_at <= %(s_now)s::BIGINT) AND
    dirty.leased_until <= %(s_now)s::BIGINT;

-- WAITING
SELECT dirty.key, dirty.error
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(p_store)s::VARCHAR COLLATE "C" AND
    dirty.key IN (__[POSTCOMPILE_p_keys]);
