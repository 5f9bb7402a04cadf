-- ADD_MESSAGES
INSERT INTO messages (owner, id, conversation, seq, role, trust, content, metadata, observed_at, at, turn,
    version, created_revision, revision, recorded_at, expires_at, expires_turn, fingerprint, deleted_revision)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

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
WHERE conversations.owner = ? AND conversations.deleted_revision IS NULL AND conversations.created_revision >
    ?) AS live_conversations
WHERE live_conversations.id = ?;

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
WHERE conversations.owner = ? AND conversations.deleted_revision IS NULL AND conversations.created_revision >
    ?) AS live_conversations
WHERE live_conversations.id > ? ORDER BY live_conversations.id
LIMIT ? OFFSET ?;

-- CONVERSATION_SCOPE
SELECT conversations.created_revision, conversations.deleted_revision, conversations.deleted_revision AS
    scope_revision
FROM conversations
WHERE conversations.owner = ? AND conversations.id = ?;

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
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages
WHERE live_messages.conversation IN (__[POSTCOMPILE_p_ids]) GROUP BY live_messages.conversation;

-- EDIT_MESSAGE
UPDATE messages SET content=?, metadata=?, version=(messages.version + ?), revision=?, fingerprint=? WHERE
    messages.owner = ? AND messages.id = ? AND messages.version = ? AND messages.deleted_revision IS NULL
    RETURNING version;

-- EXPIRED
SELECT messages.id
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND NOT ((messages.expires_at IS
    NULL OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?))
LIMIT ? OFFSET ?;

-- EXPIRED_NOTES
SELECT notes.id
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.created_revision > ? AND NOT
    ((notes.expires_at IS NULL OR notes.expires_at > ?) AND (notes.expires_turn IS NULL OR notes.expires_turn
    > ?) AND notes.at + ? > ? AND notes.observed_at > ? AND NOT (EXISTS (SELECT note_sources.message
FROM note_sources JOIN messages ON messages.owner = note_sources.owner AND messages.id = note_sources.message
    JOIN conversations ON conversations.owner = messages.owner AND conversations.id = messages.conversation
WHERE note_sources.owner = ? AND messages.owner = ? AND conversations.owner = ? AND note_sources.note =
    notes.id AND NOT (messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > ? AND (messages.expires_at IS NULL OR messages.expires_at > ?) AND
    (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND messages.at + ? > ? AND
    messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > ?
    AND messages.observed_at + conversations.retain_us > ?)))))
LIMIT ? OFFSET ?;

-- FIRST_TURN
SELECT messages.turn
FROM messages
WHERE messages.owner = ? ORDER BY messages.at
LIMIT ? OFFSET ?;

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
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages
WHERE live_messages.id = ?;

-- MESSAGE_FATE
SELECT messages.id, messages.deleted_revision
FROM messages
WHERE messages.owner = ? AND messages.id = ?;

-- MESSAGE_SCOPE
SELECT messages.created_revision, messages.deleted_revision, conversations.deleted_revision AS scope_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.id = ?;

-- NEWEST_AT
SELECT messages.at
FROM messages
WHERE messages.owner = ? ORDER BY messages.at DESC
LIMIT ? OFFSET ?;

-- NOTE_SCOPE
SELECT notes.created_revision, notes.deleted_revision, notes.deleted_revision AS scope_revision
FROM notes
WHERE notes.owner = ? AND notes.id = ?;

-- OPEN_CONVERSATION
INSERT INTO conversations (owner, id, last_seq, last_at, version, created_at, created_revision, revision)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, id) DO UPDATE SET last_seq = (conversations.last_seq +
    excluded.last_seq), last_at = CASE WHEN (conversations.last_at > excluded.last_at) THEN
    conversations.last_at ELSE excluded.last_at END, version = (conversations.version + ?), revision =
    excluded.revision WHERE conversations.deleted_revision IS NULL AND conversations.created_revision > ?
    RETURNING last_seq, last_at, version;

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
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages
WHERE live_messages.conversation = ? AND live_messages.seq > ? ORDER BY live_messages.seq
LIMIT ? OFFSET ?;

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
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages
WHERE live_messages.conversation = ? ORDER BY live_messages.seq DESC
LIMIT ? OFFSET ?;

-- SET_CONVERSATION
UPDATE conversations SET version=(conversations.version + ?), retain_us=?, revision=?, metadata=? WHERE
    conversations.owner = ? AND conversations.id = ? AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > ? RETURNING version;

-- TOMBSTONE
SELECT tombstones.revision, tombstones.at
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.kind = ? AND tombstones."key" = ?;

-- TOUCH_CONVERSATION
UPDATE conversations SET version=(conversations.version + ?), revision=? WHERE conversations.owner = ? AND
    conversations.id = ? RETURNING version;

-- TURN_AT
SELECT messages.turn
FROM messages
WHERE messages.owner = ? AND messages.at <= ? ORDER BY messages.at DESC
LIMIT ? OFFSET ?;
