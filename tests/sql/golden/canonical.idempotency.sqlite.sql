-- DROP_EXPIRED
DELETE FROM idempotency WHERE idempotency.owner = ? AND idempotency.expires_at <= ?;

-- FIND
SELECT idempotency.request, idempotency.answer
FROM idempotency
WHERE idempotency.owner = ? AND idempotency."key" = ? AND idempotency.expires_at > ?;

-- KEEP
INSERT INTO idempotency (owner, "key", request, answer, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?) ON
    CONFLICT (owner, "key") DO UPDATE SET request = excluded.request, answer = excluded.answer, created_at =
    excluded.created_at, expires_at = excluded.expires_at;
