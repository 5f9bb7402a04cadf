-- ADD_MESSAGES
INSERT INTO messages (owner, id, conversation, seq, role, trust, content, metadata, observed_at, at, turn,
    version, created_revision, revision, recorded_at, expires_at, expires_turn, fingerprint, deleted_revision)
    VALUES (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE "C", %(conversation)s::VARCHAR COLLATE
    "C", %(seq)s::BIGINT, %(role)s::VARCHAR COLLATE "C", %(trust)s::VARCHAR COLLATE "C", %(content)s::VARCHAR,
    %(metadata)s::VARCHAR, %(observed_at)s::BIGINT, %(at)s::BIGINT, %(turn)s::BIGINT, %(version)s::BIGINT,
    %(created_revision)s::BIGINT, %(revision)s::BIGINT, %(recorded_at)s::BIGINT, %(expires_at)s::BIGINT,
    %(expires_turn)s::BIGINT, %(fingerprint)s::VARCHAR COLLATE "C", %(deleted_revision)s::BIGINT);

-- CONVERSATION
SELECT live_conversations.owner, live_conversations.id, live_conversations.last_seq,
    live_conversations.last_at, live_conversations.version, live_conversations.retain_us,
    live_conversations.created_at, live_conversations.created_revision, live_conversations.revision,
    live_conversations.deleted_revision, live_conversations.metadata
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > %(s_floor)s::BIGINT) AS live_conversations
WHERE live_conversations.id = %(p_id)s::VARCHAR COLLATE "C";

-- CONVERSATIONS
SELECT live_conversations.owner, live_conversations.id, live_conversations.last_seq,
    live_conversations.last_at, live_conversations.version, live_conversations.retain_us,
    live_conversations.created_at, live_conversations.created_revision, live_conversations.revision,
    live_conversations.deleted_revision, live_conversations.metadata
FROM (SELECT conversations.owner AS owner, conversations.id AS id, conversations.last_seq AS last_seq,
    conversations.last_at AS last_at, conversations.version AS version, conversations.retain_us AS retain_us,
    conversations.created_at AS created_at, conversations.created_revision AS created_revision,
    conversations.revision AS revision, conversations.deleted_revision AS deleted_revision,
    conversations.metadata AS metadata
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > %(s_floor)s::BIGINT) AS live_conversations
WHERE live_conversations.id > %(p_after)s::VARCHAR COLLATE "C" ORDER BY live_conversations.id
LIMIT %(p_limit)s::BIGINT;

-- CONVERSATION_SCOPE
SELECT conversations.created_revision, conversations.deleted_revision, conversations.deleted_revision AS
    scope_revision
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.id = %(p_id)s::VARCHAR COLLATE
    "C";

-- COUNT_LIVE
SELECT live_messages.conversation, count(*) AS messages
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
WHERE live_messages.conversation IN (__[POSTCOMPILE_p_ids]) GROUP BY live_messages.conversation;

-- EDIT_MESSAGE
UPDATE messages SET content=%(p_content_)s::VARCHAR, metadata=%(p_metadata_)s::VARCHAR,
    version=(messages.version + %(version_1)s::BIGINT), revision=%(s_revision)s::BIGINT,
    fingerprint=%(p_fingerprint_)s::VARCHAR COLLATE "C" WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.id = %(p_id)s::VARCHAR COLLATE "C" AND messages.version = %(p_expect)s::BIGINT AND
    messages.deleted_revision IS NULL RETURNING messages.version;

-- EXPIRED
SELECT messages.id
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND NOT ((messages.expires_at IS NULL OR
    messages.expires_at > %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn >
    %(s_turn)s::BIGINT) AND messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at >
    %(s_cutoff)s::BIGINT AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us >
    %(s_now)s::BIGINT AND messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT))
LIMIT %(p_limit)s::BIGINT;

-- EXPIRED_NOTES
SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT AND NOT ((notes.expires_at IS NULL OR notes.expires_at >
    %(s_now)s::BIGINT) AND (notes.expires_turn IS NULL OR notes.expires_turn > %(s_turn)s::BIGINT) AND
    notes.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND notes.observed_at > %(s_cutoff)s::BIGINT AND NOT
    (EXISTS (SELECT note_sources.message
FROM note_sources JOIN messages ON messages.owner = note_sources.owner AND messages.id = note_sources.message
    JOIN conversations ON conversations.owner = messages.owner AND conversations.id = messages.conversation
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note = notes.id AND NOT
    (messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_2)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)))))
LIMIT %(p_limit)s::BIGINT;

-- FIRST_TURN
SELECT messages.turn
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" ORDER BY messages.at
LIMIT %(param_1)s::INTEGER;

-- MESSAGE
SELECT live_messages.owner, live_messages.id, live_messages.conversation, live_messages.seq,
    live_messages.role, live_messages.trust, live_messages.content, live_messages.metadata,
    live_messages.observed_at, live_messages.at, live_messages.turn, live_messages.version,
    live_messages.created_revision, live_messages.revision, live_messages.recorded_at,
    live_messages.expires_at, live_messages.expires_turn, live_messages.fingerprint,
    live_messages.deleted_revision
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
WHERE live_messages.id = %(p_id)s::VARCHAR COLLATE "C";

-- MESSAGE_FATE
SELECT messages.id, messages.deleted_revision
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id = %(p_id)s::VARCHAR COLLATE "C";

-- MESSAGE_SCOPE
SELECT messages.created_revision, messages.deleted_revision, conversations.deleted_revision AS scope_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.id = %(p_id)s::VARCHAR COLLATE "C";

-- NEWEST_AT
SELECT messages.at
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" ORDER BY messages.at DESC
LIMIT %(param_1)s::INTEGER;

-- NOTE_SCOPE
SELECT notes.created_revision, notes.deleted_revision, notes.deleted_revision AS scope_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id = %(p_id)s::VARCHAR COLLATE "C";

-- OPEN_CONVERSATION
INSERT INTO conversations (owner, id, last_seq, last_at, version, created_at, created_revision, revision)
    VALUES (%(s_owner)s::VARCHAR COLLATE "C", %(p_id)s::VARCHAR COLLATE "C", %(p_count)s::BIGINT,
    %(p_at)s::BIGINT, %(version)s::BIGINT, %(s_now)s::BIGINT, %(s_revision)s::BIGINT, %(s_revision)s::BIGINT)
    ON CONFLICT (owner, id) DO UPDATE SET last_seq = (conversations.last_seq + excluded.last_seq), last_at =
    CASE WHEN (conversations.last_at > excluded.last_at) THEN conversations.last_at ELSE excluded.last_at END,
    version = (conversations.version + %(version_1)s::BIGINT), revision = excluded.revision WHERE
    conversations.deleted_revision IS NULL AND conversations.created_revision > %(s_floor)s::BIGINT RETURNING
    conversations.last_seq, conversations.last_at, conversations.version;

-- PAGE
SELECT live_messages.owner, live_messages.id, live_messages.conversation, live_messages.seq,
    live_messages.role, live_messages.trust, live_messages.content, live_messages.metadata,
    live_messages.observed_at, live_messages.at, live_messages.turn, live_messages.version,
    live_messages.created_revision, live_messages.revision, live_messages.recorded_at,
    live_messages.expires_at, live_messages.expires_turn, live_messages.fingerprint,
    live_messages.deleted_revision
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
WHERE live_messages.conversation = %(p_conversation)s::VARCHAR COLLATE "C" AND live_messages.seq >
    %(p_after)s::BIGINT ORDER BY live_messages.seq
LIMIT %(p_limit)s::BIGINT;

-- RECENT
SELECT live_messages.owner, live_messages.id, live_messages.conversation, live_messages.seq,
    live_messages.role, live_messages.trust, live_messages.content, live_messages.metadata,
    live_messages.observed_at, live_messages.at, live_messages.turn, live_messages.version,
    live_messages.created_revision, live_messages.revision, live_messages.recorded_at,
    live_messages.expires_at, live_messages.expires_turn, live_messages.fingerprint,
    live_messages.deleted_revision
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
WHERE live_messages.conversation = %(p_conversation)s::VARCHAR COLLATE "C" ORDER BY live_messages.seq DESC
LIMIT %(p_limit)s::BIGINT;

-- SET_CONVERSATION
UPDATE conversations SET version=(conversations.version + %(version_1)s::BIGINT),
    retain_us=%(p_retain)s::BIGINT, revision=%(s_revision)s::BIGINT, metadata=%(p_metadata_)s::VARCHAR WHERE
    conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.id = %(p_id)s::VARCHAR COLLATE
    "C" AND conversations.deleted_revision IS NULL AND conversations.created_revision > %(s_floor)s::BIGINT
    RETURNING conversations.version;

-- TOMBSTONE
SELECT tombstones.revision, tombstones.at
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.kind = %(p_kind)s::VARCHAR COLLATE
    "C" AND tombstones.key = %(p_key)s::VARCHAR COLLATE "C";

-- TOUCH_CONVERSATION
UPDATE conversations SET version=(conversations.version + %(version_1)s::BIGINT),
    revision=%(s_revision)s::BIGINT WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND
    conversations.id = %(p_id)s::VARCHAR COLLATE "C" RETURNING conversations.version;

-- TURN_AT
SELECT messages.turn
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.at <= %(p_at)s::BIGINT ORDER BY
    messages.at DESC
LIMIT %(param_1)s::INTEGER;
