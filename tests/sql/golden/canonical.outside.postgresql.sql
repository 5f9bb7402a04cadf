-- DUE_OUTSIDE
SELECT dirty.store, dirty.key, dirty.revision, dirty.attempts
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store >= %(store_1)s::VARCHAR COLLATE "C" AND
    dirty.store < %(store_2)s::VARCHAR COLLATE "C" AND (dirty.attempts = %(attempts_1)s::BIGINT OR
    dirty.due_at <= %(s_now)s::BIGINT) AND dirty.leased_until <= %(s_now)s::BIGINT AND (dirty.store NOT IN
    (__[POSTCOMPILE_p_without])) ORDER BY dirty.attempts, dirty.store, dirty.key
LIMIT %(p_limit)s::BIGINT;
