-- ADD_CONVERSATION
INSERT INTO conversations (owner, id, last_seq, last_at, version, retain_us, created_at, created_revision,
    revision, deleted_revision, metadata) VALUES (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE "C",
    %(last_seq)s::BIGINT, %(last_at)s::BIGINT, %(version)s::BIGINT, %(retain_us)s::BIGINT,
    %(created_at)s::BIGINT, %(created_revision)s::BIGINT, %(revision)s::BIGINT, %(deleted_revision)s::BIGINT,
    %(metadata)s::VARCHAR);

-- ADOPT_MESSAGE
UPDATE messages SET content=%(p_content_)s::VARCHAR, metadata=%(p_metadata_)s::VARCHAR,
    version=%(p_version_)s::BIGINT, revision=%(s_revision)s::BIGINT, expires_at=%(p_expires_at_)s::BIGINT,
    expires_turn=%(p_expires_turn_)s::BIGINT, fingerprint=%(p_fingerprint_)s::VARCHAR COLLATE "C" WHERE
    messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id = %(p_id)s::VARCHAR COLLATE "C" AND
    messages.deleted_revision IS NULL AND messages.version < %(p_version_)s::BIGINT RETURNING messages.id;

-- ADOPT_NOTE
UPDATE notes SET text=%(p_text_)s::VARCHAR, scope=%(p_scope_)s::VARCHAR COLLATE "C",
    state=%(p_state_)s::VARCHAR COLLATE "C", metadata=%(p_metadata_)s::VARCHAR,
    version=%(p_version_)s::BIGINT, revision=%(s_revision)s::BIGINT, expires_at=%(p_expires_at_)s::BIGINT,
    expires_turn=%(p_expires_turn_)s::BIGINT, superseded_by=%(p_superseded_by_)s::VARCHAR COLLATE "C" WHERE
    notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id = %(p_id)s::VARCHAR COLLATE "C" AND
    notes.deleted_revision IS NULL AND notes.version < %(p_version_)s::BIGINT RETURNING notes.id;

-- BURIED
SELECT tombstones.conversation, tombstones.fingerprint, max(tombstones.at) FILTER (WHERE
    substr(tombstones.key, %(substr_1)s::INTEGER, %(substr_2)s::INTEGER) != %(substr_3)s::VARCHAR) AS at,
    count(*) FILTER (WHERE substr(tombstones.key, %(substr_1)s::INTEGER, %(substr_2)s::INTEGER) =
    %(substr_3)s::VARCHAR) AS edited
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.conversation IN
    (__[POSTCOMPILE_p_conversations]) AND tombstones.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) GROUP BY
    tombstones.conversation, tombstones.fingerprint;

-- BURIED_KEYS
SELECT tombstones.key, tombstones.conversation, tombstones.fingerprint, tombstones.at
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.conversation IN
    (__[POSTCOMPILE_p_conversations]) AND tombstones.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) AND
    substr(tombstones.key, %(substr_1)s::INTEGER, %(substr_2)s::INTEGER) != %(substr_3)s::VARCHAR;

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
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision > %(s_floor)s::BIGINT) AS
    live_claims
WHERE live_claims.state != %(state_1)s::VARCHAR COLLATE "C" AND live_claims.id > %(p_after)s::VARCHAR COLLATE
    "C" ORDER BY live_claims.id
LIMIT %(p_limit)s::BIGINT;

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
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision > %(s_floor)s::BIGINT) AS
    live_claims
WHERE live_claims.id IN (__[POSTCOMPILE_p_ids]);

-- CONVERSATION_ENDS
SELECT conversations.id, conversations.version, conversations.last_seq, conversations.last_at,
    conversations.created_revision, conversations.deleted_revision
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.id IN (__[POSTCOMPILE_p_ids]);

-- END_CLAIM
UPDATE claims SET state=%(p_state_)s::VARCHAR COLLATE "C", reason=%(p_reason_)s::VARCHAR COLLATE "C",
    ended_revision=%(s_revision)s::BIGINT WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.id
    = %(p_id)s::VARCHAR COLLATE "C" AND claims.state = %(state_1)s::VARCHAR COLLATE "C" RETURNING claims.id;

-- EQUAL_MESSAGES
SELECT messages.conversation, messages.fingerprint, count(*) AS rows, count(messages.deleted_revision) AS dead
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation IN
    (__[POSTCOMPILE_p_conversations]) AND messages.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) GROUP BY
    messages.conversation, messages.fingerprint;

-- EQUAL_STANDING
SELECT messages.id, messages.conversation, messages.fingerprint, messages.at
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation IN
    (__[POSTCOMPILE_p_conversations]) AND messages.fingerprint IN (__[POSTCOMPILE_p_fingerprints]) AND
    messages.deleted_revision IS NULL;

-- EXTEND_CONVERSATIONS
INSERT INTO conversations (owner, id, last_seq, last_at, version, retain_us, created_at, created_revision,
    revision, deleted_revision, metadata) VALUES (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE "C",
    %(last_seq)s::BIGINT, %(last_at)s::BIGINT, %(version)s::BIGINT, %(retain_us)s::BIGINT,
    %(created_at)s::BIGINT, %(created_revision)s::BIGINT, %(revision)s::BIGINT, %(deleted_revision)s::BIGINT,
    %(metadata)s::VARCHAR) ON CONFLICT (owner, id) DO UPDATE SET last_seq = excluded.last_seq, last_at =
    excluded.last_at, version = (conversations.version + %(version_1)s::BIGINT), revision = excluded.revision;

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
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision > %(s_floor)s::BIGINT) AS
    live_claims
WHERE live_claims.field = %(p_field)s::VARCHAR COLLATE "C" AND live_claims.scope = %(p_scope)s::VARCHAR
    COLLATE "C" AND live_claims.state != %(state_1)s::VARCHAR COLLATE "C" AND live_claims.pos_at <=
    %(p_at)s::BIGINT;

-- FOREIGN_GRAVE
SELECT tombstones.fingerprint
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.fingerprint IS NOT NULL AND
    substr(tombstones.fingerprint, %(substr_1)s::INTEGER, %(p_length)s::INTEGER) != %(p_prefix)s ORDER BY
    tombstones.conversation, tombstones.fingerprint
LIMIT %(param_1)s::INTEGER;

-- FOREIGN_MESSAGE
SELECT messages.fingerprint
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND substr(messages.fingerprint,
    %(substr_1)s::INTEGER, %(p_length)s::INTEGER) != %(p_prefix)s ORDER BY messages.conversation,
    messages.fingerprint
LIMIT %(param_1)s::INTEGER;

-- GRAVES
SELECT tombstones.kind, tombstones.key, tombstones.fingerprint
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.kind IN (__[POSTCOMPILE_p_kinds]) AND
    tombstones.key IN (__[POSTCOMPILE_p_keys]);

-- GRAVE_TIMES
SELECT tombstones.key, tombstones.at
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.kind = %(p_kind)s::VARCHAR COLLATE
    "C" AND tombstones.key IN (__[POSTCOMPILE_p_keys]);

-- MERGE_OWNER
UPDATE owners SET epoch=(owners.epoch + %(p_deletions)s::BIGINT), turn=CASE WHEN (owners.turn <
    %(p_turn_)s::BIGINT) THEN %(p_turn_)s::BIGINT ELSE owners.turn END WHERE owners.owner =
    %(s_owner)s::VARCHAR COLLATE "C" RETURNING owners.epoch;

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
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE (live_messages.conversation, live_messages.seq) > (%(p_after)s, %(p_after_seq)s::BIGINT) ORDER BY
    live_messages.conversation, live_messages.seq
LIMIT %(p_limit)s::BIGINT;

-- MESSAGE_FATES
SELECT messages.id, messages.conversation, messages.role, messages.fingerprint, messages.version,
    messages.created_revision, coalesce(messages.deleted_revision, conversations.deleted_revision) AS ended
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- NOTE_FATES
SELECT notes.id, notes.version, notes.text, notes.created_revision, notes.deleted_revision AS ended
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (__[POSTCOMPILE_p_ids]);

-- TURN_STEPS
SELECT min(messages.at) AS at, messages.turn
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" GROUP BY messages.turn;
