-- ADD_TRACE
INSERT INTO traces (owner, id, at, conversation, purpose, tokenizer, budget, tokens, revision, epoch, items,
    omissions) VALUES (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE "C", %(at)s::BIGINT,
    %(conversation)s::VARCHAR COLLATE "C", %(purpose)s::VARCHAR COLLATE "C", %(tokenizer)s::VARCHAR COLLATE
    "C", %(budget)s::BIGINT, %(tokens)s::BIGINT, %(revision)s::BIGINT, %(epoch)s::BIGINT, %(items)s::VARCHAR,
    %(omissions)s::VARCHAR);

-- DROP_OLD
DELETE FROM traces WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND traces.at < %(s_now)s::BIGINT -
    %(p_keep)s::BIGINT;

-- TRACE
SELECT traces.owner, traces.id, traces.at, traces.conversation, traces.purpose, traces.tokenizer,
    traces.budget, traces.tokens, traces.revision, traces.epoch, traces.items, traces.omissions
FROM traces
WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND traces.id = %(p_id)s::VARCHAR COLLATE "C" AND
    (traces.revision > %(s_floor)s::BIGINT OR %(s_floor)s::BIGINT = %(param_1)s::BIGINT);

-- TRACES
SELECT traces.owner, traces.id, traces.at, traces.conversation, traces.purpose, traces.tokenizer,
    traces.budget, traces.tokens, traces.revision, traces.epoch, traces.items, traces.omissions
FROM traces
WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (traces.revision > %(s_floor)s::BIGINT OR
    %(s_floor)s::BIGINT = %(param_1)s::BIGINT) AND (traces.at, traces.id) < (%(p_before)s::BIGINT,
    %(p_before_id)s) ORDER BY traces.at DESC, traces.id DESC
LIMIT %(p_limit)s::BIGINT;
