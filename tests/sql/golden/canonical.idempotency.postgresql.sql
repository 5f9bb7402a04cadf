-- DROP_EXPIRED
DELETE FROM idempotency WHERE idempotency.owner = %(s_owner)s::VARCHAR COLLATE "C" AND idempotency.expires_at
    <= %(s_now)s::BIGINT;

-- FIND
SELECT idempotency.request, idempotency.answer
FROM idempotency
WHERE idempotency.owner = %(s_owner)s::VARCHAR COLLATE "C" AND idempotency.key = %(p_key)s::VARCHAR COLLATE
    "C" AND idempotency.expires_at > %(s_now)s::BIGINT;

-- KEEP
INSERT INTO idempotency (owner, key, request, answer, created_at, expires_at) VALUES (%(owner)s::VARCHAR
    COLLATE "C", %(key)s::VARCHAR COLLATE "C", %(request)s::VARCHAR COLLATE "C", %(answer)s::VARCHAR,
    %(created_at)s::BIGINT, %(expires_at)s::BIGINT) ON CONFLICT (owner, key) DO UPDATE SET request =
    excluded.request, answer = excluded.answer, created_at = excluded.created_at, expires_at =
    excluded.expires_at;
