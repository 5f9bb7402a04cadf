-- DROP_MARKS
DELETE FROM dirty WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.revision <=
    %(p_bound)s::BIGINT AND NOT (dirty.store >= %(store_1)s::VARCHAR COLLATE "C" AND dirty.store <
    %(store_2)s::VARCHAR COLLATE "C");

-- DROP_TRACES
DELETE FROM traces WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND traces.revision <=
    %(p_bound)s::BIGINT;

-- DROP_TRACES_OF_CONVERSATION
DELETE FROM traces WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND traces.conversation =
    %(p_key)s::VARCHAR COLLATE "C";

-- LEFT_ANSWERS
SELECT count(*) AS count_1
FROM idempotency
WHERE idempotency.owner = %(s_owner)s::VARCHAR COLLATE "C" AND idempotency.created_at <= %(p_at)s::BIGINT AND
    idempotency.answer != %(answer_1)s::VARCHAR;

-- LEFT_MARKS
SELECT count(*) AS count_1
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.revision <= %(p_bound)s::BIGINT AND NOT
    (dirty.store >= %(store_1)s::VARCHAR COLLATE "C" AND dirty.store < %(store_2)s::VARCHAR COLLATE "C");

-- LEFT_TRACES
SELECT count(*) AS count_1
FROM traces
WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND traces.revision <= %(p_bound)s::BIGINT;

-- LEFT_TRACES_OF_CONVERSATION
SELECT count(*) AS count_1
FROM traces
WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND traces.conversation = %(p_key)s::VARCHAR COLLATE "C";

-- VOID_ANSWERS
UPDATE idempotency SET answer=%(answer)s::VARCHAR WHERE idempotency.owner = %(s_owner)s::VARCHAR COLLATE "C"
    AND idempotency.created_at <= %(p_at)s::BIGINT AND idempotency.answer != %(answer_1)s::VARCHAR;
