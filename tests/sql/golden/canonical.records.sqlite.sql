-- DROP_MARKS
DELETE FROM dirty WHERE dirty.owner = ? AND dirty.revision <= ? AND NOT (dirty.store >= ? AND dirty.store < ?);

-- DROP_TRACES
DELETE FROM traces WHERE traces.owner = ? AND traces.revision <= ?;

-- DROP_TRACES_OF_CONVERSATION
DELETE FROM traces WHERE traces.owner = ? AND traces.conversation = ?;

-- LEFT_ANSWERS
SELECT count(*) AS count_1
FROM idempotency
WHERE idempotency.owner = ? AND idempotency.created_at <= ? AND idempotency.answer != ?;

-- LEFT_MARKS
SELECT count(*) AS count_1
FROM dirty
WHERE dirty.owner = ? AND dirty.revision <= ? AND NOT (dirty.store >= ? AND dirty.store < ?);

-- LEFT_TRACES
SELECT count(*) AS count_1
FROM traces
WHERE traces.owner = ? AND traces.revision <= ?;

-- LEFT_TRACES_OF_CONVERSATION
SELECT count(*) AS count_1
FROM traces
WHERE traces.owner = ? AND traces.conversation = ?;

-- VOID_ANSWERS
UPDATE idempotency SET answer=? WHERE idempotency.owner = ? AND idempotency.created_at <= ? AND
    idempotency.answer != ?;
