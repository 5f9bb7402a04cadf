-- ADD_NOTE
INSERT INTO notes (owner, id, text, scope, state, source, metadata, observed_at, at, turn, version,
    created_revision, revision, recorded_at, expires_at, expires_turn, superseded_by, deleted_revision) VALUES
    (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE "C", %(text)s::VARCHAR, %(scope)s::VARCHAR
    COLLATE "C", %(state)s::VARCHAR COLLATE "C", %(source)s::VARCHAR COLLATE "C", %(metadata)s::VARCHAR,
    %(observed_at)s::BIGINT, %(at)s::BIGINT, %(turn)s::BIGINT, %(version)s::BIGINT,
    %(created_revision)s::BIGINT, %(revision)s::BIGINT, %(recorded_at)s::BIGINT, %(expires_at)s::BIGINT,
    %(expires_turn)s::BIGINT, %(superseded_by)s::VARCHAR COLLATE "C", %(deleted_revision)s::BIGINT);

-- ADD_NOTE_SOURCES
INSERT INTO note_sources (owner, note, message, message_version) VALUES (%(owner)s::VARCHAR COLLATE "C",
    %(note)s::VARCHAR COLLATE "C", %(message)s::VARCHAR COLLATE "C", %(message_version)s::BIGINT);

-- CUT_NOTE_SOURCES
DELETE FROM note_sources WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note IN
    (__[POSTCOMPILE_p_notes]);

-- DRAWN_NOTES
SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND notes.id IN
    (SELECT note_sources.note
FROM note_sources
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.message IN
    (__[POSTCOMPILE_p_messages]));

-- DRAWN_NOTES_OF_CONVERSATION
SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND notes.id IN
    (SELECT note_sources.note
FROM note_sources
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C"));

-- EDIT_NOTE
UPDATE notes SET text=%(p_text_)s::VARCHAR, scope=%(p_scope_)s::VARCHAR COLLATE "C",
    metadata=%(p_metadata_)s::VARCHAR, version=(notes.version + %(version_1)s::BIGINT),
    revision=%(s_revision)s::BIGINT, expires_at=%(p_expires_at_)s::BIGINT,
    expires_turn=%(p_expires_turn_)s::BIGINT WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id
    = %(p_id)s::VARCHAR COLLATE "C" AND notes.version = %(p_expect)s::BIGINT AND notes.state IN
    (__[POSTCOMPILE_state_1]) RETURNING notes.version;

-- ERASE_NOTES
UPDATE notes SET text=%(text)s::VARCHAR, state=CASE WHEN (notes.state = %(state_1)s::VARCHAR COLLATE "C") THEN
    notes.state ELSE %(param_1)s::VARCHAR END, metadata=%(metadata)s::VARCHAR, version=(notes.version +
    %(version_1)s::BIGINT), revision=%(s_revision)s::BIGINT, deleted_revision=%(s_revision)s::BIGINT WHERE
    notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (__[POSTCOMPILE_p_ids]) AND
    notes.deleted_revision IS NULL;

-- MOVE_NOTE
UPDATE notes SET state=%(p_state_)s::VARCHAR COLLATE "C", version=(notes.version + %(version_1)s::BIGINT),
    revision=%(s_revision)s::BIGINT, superseded_by=%(p_by)s::VARCHAR COLLATE "C" WHERE notes.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND notes.id = %(p_id)s::VARCHAR COLLATE "C" AND notes.version =
    %(p_expect)s::BIGINT AND notes.state = %(p_was)s::VARCHAR COLLATE "C" RETURNING notes.version;

-- NOTE
SELECT live_notes.owner, live_notes.id, live_notes.text, live_notes.scope, live_notes.state,
    live_notes.source, live_notes.metadata, live_notes.observed_at, live_notes.at, live_notes.turn,
    live_notes.version, live_notes.created_revision, live_notes.revision, live_notes.recorded_at,
    live_notes.expires_at, live_notes.expires_turn, live_notes.superseded_by, live_notes.deleted_revision
FROM (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope, notes.state AS
    state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS observed_at, notes.at AS
    at, notes.turn AS turn, notes.version AS version, notes.created_revision AS created_revision,
    notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS expires_at,
    notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by, notes.deleted_revision AS
    deleted_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT AND (notes.expires_at IS NULL OR notes.expires_at >
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
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT))))) AS live_notes
WHERE live_notes.id = %(p_id)s::VARCHAR COLLATE "C";

-- NOTES
SELECT live_notes.owner, live_notes.id, live_notes.text, live_notes.scope, live_notes.state,
    live_notes.source, live_notes.metadata, live_notes.observed_at, live_notes.at, live_notes.turn,
    live_notes.version, live_notes.created_revision, live_notes.revision, live_notes.recorded_at,
    live_notes.expires_at, live_notes.expires_turn, live_notes.superseded_by, live_notes.deleted_revision
FROM (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope, notes.state AS
    state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS observed_at, notes.at AS
    at, notes.turn AS turn, notes.version AS version, notes.created_revision AS created_revision,
    notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS expires_at,
    notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by, notes.deleted_revision AS
    deleted_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT AND (notes.expires_at IS NULL OR notes.expires_at >
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
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT))))) AS live_notes
WHERE live_notes.state IN (__[POSTCOMPILE_p_states]) AND (live_notes.at, live_notes.id) >
    (%(p_after)s::BIGINT, %(p_after_id)s) ORDER BY live_notes.at, live_notes.id
LIMIT %(p_limit)s::BIGINT;

-- NOTES_BY_ID
SELECT live_notes.owner, live_notes.id, live_notes.text, live_notes.scope, live_notes.state,
    live_notes.source, live_notes.metadata, live_notes.observed_at, live_notes.at, live_notes.turn,
    live_notes.version, live_notes.created_revision, live_notes.revision, live_notes.recorded_at,
    live_notes.expires_at, live_notes.expires_turn, live_notes.superseded_by, live_notes.deleted_revision
FROM (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope, notes.state AS
    state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS observed_at, notes.at AS
    at, notes.turn AS turn, notes.version AS version, notes.created_revision AS created_revision,
    notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS expires_at,
    notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by, notes.deleted_revision AS
    deleted_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT AND (notes.expires_at IS NULL OR notes.expires_at >
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
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT))))) AS live_notes
WHERE live_notes.id IN (__[POSTCOMPILE_p_ids]);

-- NOTE_SOURCES
SELECT note_sources.note, note_sources.message
FROM note_sources
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note IN (__[POSTCOMPILE_p_notes]);

-- RECENT_NOTES
SELECT live_notes.owner, live_notes.id, live_notes.text, live_notes.scope, live_notes.state,
    live_notes.source, live_notes.metadata, live_notes.observed_at, live_notes.at, live_notes.turn,
    live_notes.version, live_notes.created_revision, live_notes.revision, live_notes.recorded_at,
    live_notes.expires_at, live_notes.expires_turn, live_notes.superseded_by, live_notes.deleted_revision
FROM (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope, notes.state AS
    state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS observed_at, notes.at AS
    at, notes.turn AS turn, notes.version AS version, notes.created_revision AS created_revision,
    notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS expires_at,
    notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by, notes.deleted_revision AS
    deleted_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT AND (notes.expires_at IS NULL OR notes.expires_at >
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
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT))))) AS live_notes
WHERE live_notes.state = %(state_1)s::VARCHAR COLLATE "C" AND live_notes.scope IN (__[POSTCOMPILE_p_scopes])
    ORDER BY live_notes.at DESC, live_notes.id
LIMIT %(p_limit)s::BIGINT;

-- SOURCE_LIMITS
SELECT live_messages.expires_at, live_messages.expires_turn
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
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages JOIN note_sources ON
    note_sources.owner = live_messages.owner AND note_sources.message = live_messages.id
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note = %(p_note)s::VARCHAR
    COLLATE "C";

-- SOURCE_MESSAGES
SELECT live_messages.id, live_messages.version, live_messages.expires_at, live_messages.expires_turn
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
WHERE live_messages.id IN (__[POSTCOMPILE_p_ids]);
