-- ADD_SOURCES
INSERT INTO summary_sources (owner, summary, message, message_version) VALUES (%(owner)s::VARCHAR COLLATE "C",
    %(summary)s::VARCHAR COLLATE "C", %(message)s::VARCHAR COLLATE "C", %(message_version)s::BIGINT);

-- ADD_SUMMARY
INSERT INTO summaries (owner, id, conversation, block, first_seq, last_seq, version, state, source_version,
    input_hash, model, prompt_version, text, tokens, flagged, expires_at, made_at, revision) VALUES
    (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE "C", %(conversation)s::VARCHAR COLLATE "C",
    %(block)s::BIGINT, %(first_seq)s::BIGINT, %(last_seq)s::BIGINT, %(version)s::BIGINT, %(state)s::VARCHAR
    COLLATE "C", %(source_version)s::VARCHAR COLLATE "C", %(input_hash)s::VARCHAR COLLATE "C",
    %(model)s::VARCHAR COLLATE "C", %(prompt_version)s::VARCHAR COLLATE "C", %(text)s::VARCHAR,
    %(tokens)s::BIGINT, %(flagged)s::BIGINT, %(expires_at)s::BIGINT, %(made_at)s::BIGINT,
    %(revision)s::BIGINT);

-- CONVERSATION_END
SELECT live_conversations.last_seq
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > %(s_floor)s::BIGINT) AS live_conversations
WHERE live_conversations.id = %(p_conversation)s::VARCHAR COLLATE "C";

-- CURRENT
SELECT summaries.owner, summaries.id, summaries.conversation, summaries.block, summaries.first_seq,
    summaries.last_seq, summaries.version, summaries.state, summaries.source_version, summaries.input_hash,
    summaries.model, summaries.prompt_version, summaries.text, summaries.tokens, summaries.flagged,
    summaries.expires_at, summaries.made_at, summaries.revision
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C" AND summaries.block IN (__[POSTCOMPILE_p_blocks]) AND
    summaries.state != %(state_1)s::VARCHAR COLLATE "C" AND summaries.state = %(state_2)s::VARCHAR COLLATE "C"
    AND (summaries.expires_at IS NULL OR summaries.expires_at > %(s_now)s::BIGINT) AND NOT (EXISTS (SELECT
    summary_sources.message
FROM summary_sources
WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summary_sources.summary = summaries.id AND
    NOT (EXISTS (SELECT live_messages.id
FROM (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation, messages.seq
    AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content, messages.metadata AS
    metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS turn, messages.version
    AS version, messages.created_revision AS created_revision, messages.revision AS revision,
    messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE live_messages.id = summary_sources.message AND live_messages.version =
    summary_sources.message_version))));

-- DROP_BURIED
DELETE FROM summary_sources WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND
    summary_sources.message IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C");

-- DROP_SOURCES
DELETE FROM summary_sources WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND
    summary_sources.summary IN (__[POSTCOMPILE_p_ids]);

-- DROP_SUMMARIES
DELETE FROM summaries WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.id IN
    (__[POSTCOMPILE_p_ids]);

-- FULL_CONVERSATIONS
SELECT live_conversations.id
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > %(s_floor)s::BIGINT) AS live_conversations
WHERE live_conversations.last_seq >= %(p_last)s::BIGINT AND live_conversations.id > %(p_after)s::VARCHAR
    COLLATE "C" ORDER BY live_conversations.id
LIMIT %(p_limit)s::BIGINT;

-- HELD
SELECT summaries.block, summaries.conversation
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.state = %(state_1)s::VARCHAR COLLATE
    "C" AND summaries.state != %(state_2)s::VARCHAR COLLATE "C" AND (summaries.block, summaries.conversation)
    > (%(p_after_block)s::BIGINT, %(p_after)s::VARCHAR COLLATE "C") ORDER BY summaries.block,
    summaries.conversation
LIMIT %(p_limit)s::BIGINT;

-- LAST_VERSION
SELECT summaries.version
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C" AND summaries.block = %(p_block)s::BIGINT ORDER BY
    summaries.version DESC
LIMIT %(param_1)s::INTEGER;

-- LEFT_BURIED
SELECT count(*) AS count_1
FROM summary_sources
WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summary_sources.message IN (SELECT
    tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C");

-- LEFT_OF_CONVERSATION
SELECT count(*) AS count_1
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.conversation = %(p_key)s::VARCHAR
    COLLATE "C";

-- LEFT_OF_LIFE
SELECT count(*) AS count_1
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.revision <= %(p_bound)s::BIGINT;

-- LONGEST_CONVERSATION
SELECT max(live_conversations.last_seq) AS last_seq
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > %(s_floor)s::BIGINT) AS live_conversations;

-- OF_CONVERSATION
SELECT summaries.id
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.conversation = %(p_key)s::VARCHAR
    COLLATE "C"
LIMIT %(p_limit)s::BIGINT;

-- OF_LIFE
SELECT summaries.id
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.revision <= %(p_bound)s::BIGINT
LIMIT %(p_limit)s::BIGINT;

-- PAGE
SELECT summaries.owner, summaries.id, summaries.conversation, summaries.block, summaries.first_seq,
    summaries.last_seq, summaries.version, summaries.state, summaries.source_version, summaries.input_hash,
    summaries.model, summaries.prompt_version, summaries.text, summaries.tokens, summaries.flagged,
    summaries.expires_at, summaries.made_at, summaries.revision, CASE WHEN (summaries.state =
    %(state_1)s::VARCHAR COLLATE "C" AND (summaries.expires_at IS NULL OR summaries.expires_at >
    %(s_now)s::BIGINT) AND NOT (EXISTS (SELECT summary_sources.message
FROM summary_sources
WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summary_sources.summary = summaries.id AND
    NOT (EXISTS (SELECT live_messages.id
FROM (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation, messages.seq
    AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content, messages.metadata AS
    metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS turn, messages.version
    AS version, messages.created_revision AS created_revision, messages.revision AS revision,
    messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE live_messages.id = summary_sources.message AND live_messages.version =
    summary_sources.message_version))))) THEN %(param_1)s::INTEGER ELSE %(param_2)s::INTEGER END AS readable
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C" AND summaries.block > %(p_after)s::BIGINT AND summaries.state !=
    %(state_2)s::VARCHAR COLLATE "C" ORDER BY summaries.block
LIMIT %(p_limit)s::BIGINT;

-- PLACES
SELECT messages.conversation, messages.seq
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (__[POSTCOMPILE_p_messages]);

-- RANGE_MESSAGES
SELECT live_messages.id, live_messages.seq, live_messages.version, live_messages.role, live_messages.content,
    live_messages.observed_at, live_messages.expires_at
FROM (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation, messages.seq
    AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content, messages.metadata AS
    metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS turn, messages.version
    AS version, messages.created_revision AS created_revision, messages.revision AS revision,
    messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE live_messages.conversation = %(p_conversation)s::VARCHAR COLLATE "C" AND live_messages.seq >=
    %(p_first)s::BIGINT AND live_messages.seq <= %(p_last)s::BIGINT ORDER BY live_messages.seq;

-- RETRACT
UPDATE summaries SET state=%(state)s::VARCHAR COLLATE "C", text=%(text)s::VARCHAR WHERE summaries.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND summaries.state = %(state_1)s::VARCHAR COLLATE "C" AND summaries.id
    IN (__[POSTCOMPILE_p_ids]) RETURNING summaries.block, summaries.conversation;

-- RETRACT_BURIED
UPDATE summaries SET state=%(state)s::VARCHAR COLLATE "C", text=%(text)s::VARCHAR WHERE summaries.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND summaries.state = %(state_1)s::VARCHAR COLLATE "C" AND summaries.id
    IN (SELECT summary_sources.summary
FROM summary_sources
WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summary_sources.message IN (SELECT
    tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C"));

-- RETRACT_DRAWN
UPDATE summaries SET state=%(state)s::VARCHAR COLLATE "C", text=%(text)s::VARCHAR WHERE summaries.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND summaries.state = %(state_1)s::VARCHAR COLLATE "C" AND summaries.id
    IN (SELECT summary_sources.summary
FROM summary_sources
WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summary_sources.message IN
    (__[POSTCOMPILE_p_messages])) RETURNING summaries.block, summaries.conversation;

-- SAID_OF_FIELD
SELECT DISTINCT summaries.id, claims.value
FROM claims JOIN claim_sources ON claim_sources.owner = claims.owner AND claim_sources.claim = claims.id JOIN
    summary_sources ON summary_sources.owner = claim_sources.owner AND summary_sources.message =
    claim_sources.message JOIN summaries ON summaries.owner = summary_sources.owner AND summaries.id =
    summary_sources.summary
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claim_sources.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND claims.field = %(p_field)s::VARCHAR COLLATE "C" AND claims.scope =
    %(p_scope)s::VARCHAR COLLATE "C" AND (claims.revision != %(s_revision)s::BIGINT OR claims.id !=
    %(p_promoted)s::VARCHAR COLLATE "C") AND summaries.state = %(state_1)s::VARCHAR COLLATE "C";

-- SOURCES
SELECT summary_sources.summary, summary_sources.message, summary_sources.message_version
FROM summary_sources
WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summary_sources.summary IN
    (__[POSTCOMPILE_p_ids]);

-- STANDING
SELECT summaries.owner, summaries.id, summaries.conversation, summaries.block, summaries.first_seq,
    summaries.last_seq, summaries.version, summaries.state, summaries.source_version, summaries.input_hash,
    summaries.model, summaries.prompt_version, summaries.text, summaries.tokens, summaries.flagged,
    summaries.expires_at, summaries.made_at, summaries.revision
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C" AND summaries.block = %(p_block)s::BIGINT AND summaries.state !=
    %(state_1)s::VARCHAR COLLATE "C";

-- STANDING_IN_RANGE
SELECT messages.id, messages.version
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND messages.conversation = %(p_conversation)s::VARCHAR
    COLLATE "C" AND messages.seq >= %(p_first)s::BIGINT AND messages.seq <= %(p_last)s::BIGINT;

-- SUPERSEDE
UPDATE summaries SET state=%(state)s::VARCHAR COLLATE "C", text=%(text)s::VARCHAR WHERE summaries.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND summaries.conversation = %(p_conversation)s::VARCHAR COLLATE "C" AND
    summaries.block = %(p_block)s::BIGINT AND summaries.state != %(state_1)s::VARCHAR COLLATE "C" RETURNING
    summaries.id;
