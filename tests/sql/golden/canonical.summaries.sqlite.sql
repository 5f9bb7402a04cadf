-- ADD_SOURCES
INSERT INTO summary_sources (owner, summary, message, message_version) VALUES (?, ?, ?, ?);

-- ADD_SUMMARY
INSERT INTO summaries (owner, id, conversation, block, first_seq, last_seq, version, state, source_version,
    input_hash, model, prompt_version, text, tokens, flagged, expires_at, made_at, revision) VALUES (?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- CONVERSATION_END
SELECT live_conversations.last_seq
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = ? AND conversations.deleted_revision IS NULL AND conversations.created_revision >
    ?) AS live_conversations
WHERE live_conversations.id = ?;

-- CURRENT
SELECT summaries.owner, summaries.id, summaries.conversation, summaries.block, summaries.first_seq,
    summaries.last_seq, summaries.version, summaries.state, summaries.source_version, summaries.input_hash,
    summaries.model, summaries.prompt_version, summaries.text, summaries.tokens, summaries.flagged,
    summaries.expires_at, summaries.made_at, summaries.revision
FROM summaries
WHERE summaries.owner = ? AND summaries.conversation = ? AND summaries.block IN (__[POSTCOMPILE_p_blocks]) AND
    summaries.state != ? AND summaries.state = ? AND (summaries.expires_at IS NULL OR summaries.expires_at >
    ?) AND NOT (EXISTS (SELECT summary_sources.message
FROM summary_sources
WHERE summary_sources.owner = ? AND summary_sources.summary = summaries.id AND NOT (EXISTS (SELECT
    live_messages.id
FROM (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation, messages.seq
    AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content, messages.metadata AS
    metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS turn, messages.version
    AS version, messages.created_revision AS created_revision, messages.revision AS revision,
    messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages
WHERE live_messages.id = summary_sources.message AND live_messages.version =
    summary_sources.message_version))));

-- DROP_BURIED
DELETE FROM summary_sources WHERE summary_sources.owner = ? AND summary_sources.message IN (SELECT
    tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?);

-- DROP_SOURCES
DELETE FROM summary_sources WHERE summary_sources.owner = ? AND summary_sources.summary IN
    (__[POSTCOMPILE_p_ids]);

-- DROP_SUMMARIES
DELETE FROM summaries WHERE summaries.owner = ? AND summaries.id IN (__[POSTCOMPILE_p_ids]);

-- FULL_CONVERSATIONS
SELECT live_conversations.id
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = ? AND conversations.deleted_revision IS NULL AND conversations.created_revision >
    ?) AS live_conversations
WHERE live_conversations.last_seq >= ? AND live_conversations.id > ? ORDER BY live_conversations.id
LIMIT ? OFFSET ?;

-- HELD
SELECT summaries.block, summaries.conversation
FROM summaries
WHERE summaries.owner = ? AND summaries.state = ? AND summaries.state != ? AND (summaries.block,
    summaries.conversation) > (?, ?) ORDER BY summaries.block, summaries.conversation
LIMIT ? OFFSET ?;

-- LAST_VERSION
SELECT summaries.version
FROM summaries
WHERE summaries.owner = ? AND summaries.conversation = ? AND summaries.block = ? ORDER BY summaries.version
    DESC
LIMIT ? OFFSET ?;

-- LEFT_BURIED
SELECT count(*) AS count_1
FROM summary_sources
WHERE summary_sources.owner = ? AND summary_sources.message IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?);

-- LEFT_OF_CONVERSATION
SELECT count(*) AS count_1
FROM summaries
WHERE summaries.owner = ? AND summaries.conversation = ?;

-- LEFT_OF_LIFE
SELECT count(*) AS count_1
FROM summaries
WHERE summaries.owner = ? AND summaries.revision <= ?;

-- LONGEST_CONVERSATION
SELECT max(live_conversations.last_seq) AS last_seq
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = ? AND conversations.deleted_revision IS NULL AND conversations.created_revision >
    ?) AS live_conversations;

-- OF_CONVERSATION
SELECT summaries.id
FROM summaries
WHERE summaries.owner = ? AND summaries.conversation = ?
LIMIT ? OFFSET ?;

-- OF_LIFE
SELECT summaries.id
FROM summaries
WHERE summaries.owner = ? AND summaries.revision <= ?
LIMIT ? OFFSET ?;

-- PAGE
SELECT summaries.owner, summaries.id, summaries.conversation, summaries.block, summaries.first_seq,
    summaries.last_seq, summaries.version, summaries.state, summaries.source_version, summaries.input_hash,
    summaries.model, summaries.prompt_version, summaries.text, summaries.tokens, summaries.flagged,
    summaries.expires_at, summaries.made_at, summaries.revision, CASE WHEN (summaries.state = ? AND
    (summaries.expires_at IS NULL OR summaries.expires_at > ?) AND NOT (EXISTS (SELECT summary_sources.message
FROM summary_sources
WHERE summary_sources.owner = ? AND summary_sources.summary = summaries.id AND NOT (EXISTS (SELECT
    live_messages.id
FROM (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation, messages.seq
    AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content, messages.metadata AS
    metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS turn, messages.version
    AS version, messages.created_revision AS created_revision, messages.revision AS revision,
    messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages
WHERE live_messages.id = summary_sources.message AND live_messages.version =
    summary_sources.message_version))))) THEN ? ELSE ? END AS readable
FROM summaries
WHERE summaries.owner = ? AND summaries.conversation = ? AND summaries.block > ? AND summaries.state != ?
    ORDER BY summaries.block
LIMIT ? OFFSET ?;

-- PLACES
SELECT messages.conversation, messages.seq
FROM messages
WHERE messages.owner = ? AND messages.id IN (__[POSTCOMPILE_p_messages]);

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
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages
WHERE live_messages.conversation = ? AND live_messages.seq >= ? AND live_messages.seq <= ? ORDER BY
    live_messages.seq;

-- RETRACT
UPDATE summaries SET state=?, text=? WHERE summaries.owner = ? AND summaries.state = ? AND summaries.id IN
    (__[POSTCOMPILE_p_ids]) RETURNING block, conversation;

-- RETRACT_BURIED
UPDATE summaries SET state=?, text=? WHERE summaries.owner = ? AND summaries.state = ? AND summaries.id IN
    (SELECT summary_sources.summary
FROM summary_sources
WHERE summary_sources.owner = ? AND summary_sources.message IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?));

-- RETRACT_DRAWN
UPDATE summaries SET state=?, text=? WHERE summaries.owner = ? AND summaries.state = ? AND summaries.id IN
    (SELECT summary_sources.summary
FROM summary_sources
WHERE summary_sources.owner = ? AND summary_sources.message IN (__[POSTCOMPILE_p_messages])) RETURNING block,
    conversation;

-- SAID_OF_FIELD
SELECT DISTINCT summaries.id, claims.value
FROM claims JOIN claim_sources ON claim_sources.owner = claims.owner AND claim_sources.claim = claims.id JOIN
    summary_sources ON summary_sources.owner = claim_sources.owner AND summary_sources.message =
    claim_sources.message JOIN summaries ON summaries.owner = summary_sources.owner AND summaries.id =
    summary_sources.summary
WHERE claims.owner = ? AND claim_sources.owner = ? AND summary_sources.owner = ? AND summaries.owner = ? AND
    claims.field = ? AND claims.scope = ? AND (claims.revision != ? OR claims.id != ?) AND summaries.state = ?;

-- SOURCES
SELECT summary_sources.summary, summary_sources.message, summary_sources.message_version
FROM summary_sources
WHERE summary_sources.owner = ? AND summary_sources.summary IN (__[POSTCOMPILE_p_ids]);

-- STANDING
SELECT summaries.owner, summaries.id, summaries.conversation, summaries.block, summaries.first_seq,
    summaries.last_seq, summaries.version, summaries.state, summaries.source_version, summaries.input_hash,
    summaries.model, summaries.prompt_version, summaries.text, summaries.tokens, summaries.flagged,
    summaries.expires_at, summaries.made_at, summaries.revision
FROM summaries
WHERE summaries.owner = ? AND summaries.conversation = ? AND summaries.block = ? AND summaries.state != ?;

-- STANDING_IN_RANGE
SELECT messages.id, messages.version
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND messages.conversation = ? AND
    messages.seq >= ? AND messages.seq <= ?;

-- SUPERSEDE
UPDATE summaries SET state=?, text=? WHERE summaries.owner = ? AND summaries.conversation = ? AND
    summaries.block = ? AND summaries.state != ? RETURNING id;
