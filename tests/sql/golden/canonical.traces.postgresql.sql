-- ADD_TRACE
INSERT INTO traces (owner, id, at, conversation, purpose, tokenizer, budget, tokens, revision, epoch, items,
    omissions) VALUES (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE "C", %(at)s::BIGINT,
    %(conversation)s::VARCHAR COLLATE "C", %(purpose)s::VARCHAR COLLATE "C", %(tokenizer)s::VARCHAR COLLATE
    "C", %(budget)s::BIGINT, %(tokens)s::BIGINT, %(revision)s::BIGINT, %(epoch)s::BIGINT, %(items)s::VARCHAR,
    %(omissions)s::VARCHAR);

-- DROP_OLD
DELETE FROM traces WHERE traces.owner = %(s_owner)s::VARCHAR COLLATE "C" AND traces.at < %(s_now)s::BIGINT -
    %(p_keep)s::BIGINT;

-- FRESH
SELECT live_messages.owner, live_messages.id, live_messages.conversation, live_messages.seq,
    live_messages.role, live_messages.trust, live_messages.content, live_messages.metadata,
    live_messages.observed_at, live_messages.at, live_messages.turn, live_messages.version,
    live_messages.created_revision, live_messages.revision, live_messages.recorded_at,
    live_messages.expires_at, live_messages.expires_turn, live_messages.fingerprint,
    live_messages.deleted_revision
FROM dirty JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation,
    messages.seq AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content,
    messages.metadata AS metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS
    turn, messages.version AS version, messages.created_revision AS created_revision, messages.revision AS
    revision, messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND (conversations.retain_us IS NULL OR messages.at
    + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages ON live_messages.id = substr(dirty.key,
    %(substr_1)s::INTEGER)
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(store_1)s::VARCHAR COLLATE "C" AND
    substr(dirty.key, %(substr_2)s::INTEGER, %(substr_3)s::INTEGER) = %(substr_4)s::VARCHAR ORDER BY
    live_messages.at DESC, live_messages.id
LIMIT %(p_limit)s::BIGINT;

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
