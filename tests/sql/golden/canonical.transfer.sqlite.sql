-- ADD_CONVERSATION
INSERT INTO conversations (owner, id, last_seq, last_at, version, retain_us, created_at, created_revision,
    revision, deleted_revision, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- ADOPT_MESSAGE
UPDATE messages SET content=?, metadata=?, version=?, revision=?, expires_at=?, expires_turn=?, fingerprint=?
    WHERE messages.owner = ? AND messages.id = ? AND messages.deleted_revision IS NULL AND messages.version <
    ? RETURNING id;

-- ADOPT_NOTE
UPDATE notes SET text=?, scope=?, state=?, metadata=?, version=?, revision=?, expires_at=?, expires_turn=?,
    superseded_by=? WHERE notes.owner = ? AND notes.id = ? AND notes.deleted_revision IS NULL AND
    notes.version < ? RETURNING id;

-- BURIED
SELECT tombstones.conversation, tombstones.fingerprint, max(tombstones.at) FILTER (WHERE
    substr(tombstones."key", ?, ?) != ?) AS at, count(*) FILTER (WHERE substr(tombstones."key", ?, ?) = ?) AS
    edited
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.conversation IN (__[POSTCOMPILE_p_conversations]) AND
    tombstones.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) GROUP BY tombstones.conversation,
    tombstones.fingerprint;

-- BURIED_KEYS
SELECT tombstones."key", tombstones.conversation, tombstones.fingerprint, tombstones.at
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.conversation IN (__[POSTCOMPILE_p_conversations]) AND
    tombstones.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) AND substr(tombstones."key", ?, ?) != ?;

-- CLAIMS_IN_ORDER
SELECT live_claims.owner, live_claims.id, live_claims.field, live_claims.scope, live_claims.value,
    live_claims.confidence, live_claims.source, live_claims.message, live_claims.extractor,
    live_claims.schema_version, live_claims.observed_at, live_claims.turn, live_claims.pos_at,
    live_claims.pos_seq, live_claims.pos_version, live_claims.ordinal, live_claims.revision,
    live_claims.recorded_at, live_claims.state, live_claims.outcome, live_claims.reason,
    live_claims.base_version, live_claims.ended_revision
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.state != ? AND live_claims.id > ? ORDER BY live_claims.id
LIMIT ? OFFSET ?;

-- CLAIM_FATES
SELECT live_claims.owner, live_claims.id, live_claims.field, live_claims.scope, live_claims.value,
    live_claims.confidence, live_claims.source, live_claims.message, live_claims.extractor,
    live_claims.schema_version, live_claims.observed_at, live_claims.turn, live_claims.pos_at,
    live_claims.pos_seq, live_claims.pos_version, live_claims.ordinal, live_claims.revision,
    live_claims.recorded_at, live_claims.state, live_claims.outcome, live_claims.reason,
    live_claims.base_version, live_claims.ended_revision
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.id IN (__[POSTCOMPILE_p_ids]);

-- CONVERSATION_ENDS
SELECT conversations.id, conversations.version, conversations.last_seq, conversations.last_at,
    conversations.created_revision, conversations.deleted_revision
FROM conversations
WHERE conversations.owner = ? AND conversations.id IN (__[POSTCOMPILE_p_ids]);

-- END_CLAIM
UPDATE claims SET state=?, reason=?, ended_revision=? WHERE claims.owner = ? AND claims.id = ? AND
    claims.state = ? RETURNING id;

-- EQUAL_MESSAGES
SELECT messages.conversation, messages.fingerprint, count(*) AS rows, count(messages.deleted_revision) AS dead
FROM messages
WHERE messages.owner = ? AND messages.conversation IN (__[POSTCOMPILE_p_conversations]) AND
    messages.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) GROUP BY messages.conversation,
    messages.fingerprint;

-- EQUAL_STANDING
SELECT messages.id, messages.conversation, messages.fingerprint, messages.at
FROM messages
WHERE messages.owner = ? AND messages.conversation IN (__[POSTCOMPILE_p_conversations]) AND
    messages.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) AND messages.deleted_revision IS NULL;

-- EXTEND_CONVERSATIONS
INSERT INTO conversations (owner, id, last_seq, last_at, version, retain_us, created_at, created_revision,
    revision, deleted_revision, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, id) DO
    UPDATE SET last_seq = excluded.last_seq, last_at = excluded.last_at, version = (conversations.version +
    ?), revision = excluded.revision;

-- FIELD_CLAIMS_UNTIL
SELECT live_claims.owner, live_claims.id, live_claims.field, live_claims.scope, live_claims.value,
    live_claims.confidence, live_claims.source, live_claims.message, live_claims.extractor,
    live_claims.schema_version, live_claims.observed_at, live_claims.turn, live_claims.pos_at,
    live_claims.pos_seq, live_claims.pos_version, live_claims.ordinal, live_claims.revision,
    live_claims.recorded_at, live_claims.state, live_claims.outcome, live_claims.reason,
    live_claims.base_version, live_claims.ended_revision
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.field = ? AND live_claims.scope = ? AND live_claims.state != ? AND live_claims.pos_at <= ?;

-- FOREIGN_GRAVE
SELECT tombstones.fingerprint
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.fingerprint IS NOT NULL AND substr(tombstones.fingerprint, ?, ?) !=
    ? ORDER BY tombstones.conversation, tombstones.fingerprint
LIMIT ? OFFSET ?;

-- FOREIGN_MESSAGE
SELECT messages.fingerprint
FROM messages
WHERE messages.owner = ? AND substr(messages.fingerprint, ?, ?) != ? ORDER BY messages.conversation,
    messages.fingerprint
LIMIT ? OFFSET ?;

-- GRAVES
SELECT tombstones.kind, tombstones."key", tombstones.fingerprint
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.kind IN (__[POSTCOMPILE_p_kinds]) AND tombstones."key" IN
    (__[POSTCOMPILE_p_keys]);

-- GRAVE_TIMES
SELECT tombstones."key", tombstones.at
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.kind = ? AND tombstones."key" IN (__[POSTCOMPILE_p_keys]);

-- MERGE_OWNER
UPDATE owners SET epoch=(owners.epoch + ?), turn=CASE WHEN (owners.turn < ?) THEN ? ELSE owners.turn END WHERE
    owners.owner = ? RETURNING epoch;

-- MESSAGES_IN_ORDER
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
WHERE (live_messages.conversation, live_messages.seq) > (?, ?) ORDER BY live_messages.conversation,
    live_messages.seq
LIMIT ? OFFSET ?;

-- MESSAGE_FATES
SELECT messages.id, messages.conversation, messages.role, messages.fingerprint, messages.version,
    messages.created_revision, coalesce(messages.deleted_revision, conversations.deleted_revision) AS ended
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- NOTE_FATES
SELECT notes.id, notes.version, notes.text, notes.created_revision, notes.deleted_revision AS ended
FROM notes
WHERE notes.owner = ? AND notes.id IN (__[POSTCOMPILE_p_ids]);

-- TURN_STEPS
SELECT min(messages.at) AS at, messages.turn
FROM messages
WHERE messages.owner = ? GROUP BY messages.turn;
