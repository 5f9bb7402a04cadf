-- ADD_CLAIM
INSERT INTO claims (owner, id, field, scope, value, confidence, source, message, extractor, schema_version,
    observed_at, turn, pos_at, pos_seq, pos_version, ordinal, revision, recorded_at, state, outcome, reason,
    base_version, ended_revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- ADD_CLAIM_SOURCES
INSERT INTO claim_sources (owner, claim, message, message_version, quote_start, quote_end) VALUES (?, ?, ?, ?,
    ?, ?);

-- ADD_VALUE
INSERT INTO field_values (owner, field, scope, version, status, value, confidence, claim, observed_at, turn,
    at, probability, belief, reason, floor_at, floor_seq, floor_version, opened_revision, opened_at,
    closed_revision, superseded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- BLANK_FIELD_VALUES
UPDATE field_values SET status=?, value=?, confidence=?, claim=?, probability=?, belief=?, reason=? WHERE
    field_values.owner = ? AND field_values.field = ? AND field_values.scope = ?;

-- BLANK_VALUES_OF_CLAIMS
UPDATE field_values SET status=?, value=?, claim=?, probability=?, belief=?, reason=? WHERE field_values.owner
    = ? AND field_values.claim IN (__[POSTCOMPILE_p_ids]);

-- CANDIDATES
SELECT live_claims.owner, live_claims.id, live_claims.field, live_claims.scope, live_claims.value,
    live_claims.confidence, live_claims.source, live_claims.message, live_claims.extractor,
    live_claims.schema_version, live_claims.observed_at, live_claims.turn, live_claims.pos_at,
    live_claims.pos_seq, live_claims.pos_version, live_claims.ordinal, live_claims.revision,
    live_claims.recorded_at, live_claims.state, live_claims.outcome, live_claims.reason,
    live_claims.base_version, live_claims.ended_revision, live_values.value AS current_value,
    live_values.status AS current_status, live_values.version AS current_version
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims LEFT OUTER JOIN (SELECT field_values.owner AS
    owner, field_values.field AS field, field_values.scope AS scope, field_values.version AS version,
    field_values.status AS status, field_values.value AS value, field_values.confidence AS confidence,
    field_values.claim AS claim, field_values.observed_at AS observed_at, field_values.turn AS turn,
    field_values.at AS at, field_values.probability AS probability, field_values.belief AS belief,
    field_values.reason AS reason, field_values.floor_at AS floor_at, field_values.floor_seq AS floor_seq,
    field_values.floor_version AS floor_version, field_values.opened_revision AS opened_revision,
    field_values.opened_at AS opened_at, field_values.closed_revision AS closed_revision,
    field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values ON live_values.owner = live_claims.owner AND live_values.field = live_claims.field AND
    live_values.scope = live_claims.scope
WHERE live_claims.state = ? AND (live_claims.revision, live_claims.id) > (?, ?) ORDER BY live_claims.revision,
    live_claims.id
LIMIT ? OFFSET ?;

-- CHANGES_SINCE
SELECT changes.owner, changes.revision, changes.ordinal, changes.at, changes.turn, changes.kind,
    changes."key", changes.actor, changes.reason
FROM changes
WHERE changes.owner = ? AND (changes.revision, changes.ordinal) > (?, ?) ORDER BY changes.revision,
    changes.ordinal
LIMIT ? OFFSET ?;

-- CHANGE_AT
SELECT changes.revision, changes.turn, changes.at
FROM changes
WHERE changes.owner = ? AND changes.revision <= ? ORDER BY changes.revision DESC
LIMIT ? OFFSET ?;

-- CLAIM
SELECT live_claims.owner, live_claims.id, live_claims.field, live_claims.scope, live_claims.confidence,
    live_claims.source, live_claims.message, live_claims.extractor, live_claims.schema_version,
    live_claims.observed_at, live_claims.turn, live_claims.pos_at, live_claims.pos_seq,
    live_claims.pos_version, live_claims.ordinal, live_claims.revision, live_claims.recorded_at,
    live_claims.state, live_claims.outcome, live_claims.reason, live_claims.base_version,
    live_claims.ended_revision, CASE WHEN (live_claims.state = ? AND live_claims.message IS NOT NULL AND NOT
    (EXISTS (SELECT live_messages.id
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
WHERE live_messages.id = live_claims.message))) THEN NULL ELSE live_claims.value END AS value
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.id = ?;

-- CLAIMS_OF_FIELD
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
WHERE live_claims.field = ? AND live_claims.scope = ?;

-- CLAIM_SOURCES
SELECT claim_sources.owner, claim_sources.claim, claim_sources.message, claim_sources.message_version,
    claim_sources.quote_start, claim_sources.quote_end
FROM claim_sources
WHERE claim_sources.owner = ? AND claim_sources.claim IN (__[POSTCOMPILE_p_claims]);

-- CLOSE_VALUE
UPDATE field_values SET belief=?, closed_revision=?, superseded_by=? WHERE field_values.owner = ? AND
    field_values.field = ? AND field_values.scope = ? AND field_values.version = ? AND
    field_values.closed_revision IS NULL RETURNING version;

-- CUT_SOURCES
DELETE FROM claim_sources WHERE claim_sources.owner = ? AND claim_sources.message IN
    (__[POSTCOMPILE_p_messages]);

-- CUT_SOURCES_OF_CONVERSATION
DELETE FROM claim_sources WHERE claim_sources.owner = ? AND claim_sources.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ?);

-- DRAWN_CLAIMS
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
WHERE live_claims.id IN (SELECT claim_sources.claim
FROM claim_sources
WHERE claim_sources.owner = ? AND claim_sources.message IN (__[POSTCOMPILE_p_messages])) AND live_claims.state
    != ? ORDER BY live_claims.revision, live_claims.ordinal;

-- DRAWN_CLAIMS_OF_CONVERSATION
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
WHERE live_claims.id IN (SELECT claim_sources.claim
FROM claim_sources
WHERE claim_sources.owner = ? AND claim_sources.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ?)) AND live_claims.state != ? ORDER BY
    live_claims.revision, live_claims.ordinal;

-- END_CLAIM
UPDATE claims SET state=?, reason=?, base_version=?, ended_revision=? WHERE claims.owner = ? AND claims.id = ?
    AND claims.state = ? RETURNING id;

-- HIGHEST_VERSION
SELECT field_values.version
FROM field_values
WHERE field_values.owner = ? AND field_values.field = ? AND field_values.scope = ? ORDER BY
    field_values.version DESC
LIMIT ? OFFSET ?;

-- HISTORY
SELECT live_claims.owner, live_claims.id, live_claims.field, live_claims.scope, live_claims.confidence,
    live_claims.source, live_claims.message, live_claims.extractor, live_claims.schema_version,
    live_claims.observed_at, live_claims.turn, live_claims.pos_at, live_claims.pos_seq,
    live_claims.pos_version, live_claims.ordinal, live_claims.revision, live_claims.recorded_at,
    live_claims.state, live_claims.outcome, live_claims.reason, live_claims.base_version,
    live_claims.ended_revision, CASE WHEN (live_claims.state = ? AND live_claims.message IS NOT NULL AND NOT
    (EXISTS (SELECT live_messages.id
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
WHERE live_messages.id = live_claims.message))) THEN NULL ELSE live_claims.value END AS value
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.field = ? AND (? IS NULL OR live_claims.scope = ?) AND (live_claims.pos_at,
    live_claims.pos_seq, live_claims.pos_version, live_claims.revision, live_claims.ordinal, live_claims.id) >
    (?, ?, ?, ?, ?, ?) ORDER BY live_claims.pos_at, live_claims.pos_seq, live_claims.pos_version,
    live_claims.revision, live_claims.ordinal, live_claims.id
LIMIT ? OFFSET ?;

-- KEPT_CLAIMS
SELECT live_claims.id
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.message IN (__[POSTCOMPILE_p_messages]) AND live_claims.state = ? AND live_claims.value IS
    NOT NULL;

-- KEPT_CLAIMS_OF_CONVERSATION
SELECT live_claims.id
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ?) AND live_claims.state = ? AND live_claims.value IS NOT
    NULL;

-- LAST_STATEMENT
SELECT live_claims.pos_at, live_claims.pos_seq, live_claims.pos_version, live_claims.revision,
    live_claims.ordinal
FROM (SELECT claims.owner AS owner, claims.id AS id, claims.field AS field, claims.scope AS scope,
    claims.value AS value, claims.confidence AS confidence, claims.source AS source, claims.message AS
    message, claims.extractor AS extractor, claims.schema_version AS schema_version, claims.observed_at AS
    observed_at, claims.turn AS turn, claims.pos_at AS pos_at, claims.pos_seq AS pos_seq, claims.pos_version
    AS pos_version, claims.ordinal AS ordinal, claims.revision AS revision, claims.recorded_at AS recorded_at,
    claims.state AS state, claims.outcome AS outcome, claims.reason AS reason, claims.base_version AS
    base_version, claims.ended_revision AS ended_revision
FROM claims
WHERE claims.owner = ? AND claims.revision > ?) AS live_claims
WHERE live_claims.field = ? AND live_claims.scope = ? AND live_claims.state = ? ORDER BY live_claims.pos_at
    DESC, live_claims.pos_seq DESC, live_claims.pos_version DESC, live_claims.revision DESC,
    live_claims.ordinal DESC
LIMIT ? OFFSET ?;

-- PREVIOUS_VALUES
SELECT field_values.claim, field_values.version, claims.value
FROM field_values JOIN claims ON claims.owner = field_values.owner AND claims.id = field_values.claim
WHERE field_values.owner = ? AND claims.owner = ? AND field_values.field = ? AND field_values.scope = ? AND
    field_values.status = ? AND field_values.closed_revision IS NOT NULL AND field_values.opened_revision > ?
    AND claims.state = ? ORDER BY field_values.version DESC
LIMIT ? OFFSET ?;

-- QUOTES
SELECT claim_sources.claim, claim_sources.message, claim_sources.message_version, claim_sources.quote_start,
    claim_sources.quote_end, live_messages.content, live_messages.version, live_messages.role
FROM claim_sources LEFT OUTER JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation
    AS conversation, messages.seq AS seq, messages.role AS role, messages.trust AS trust, messages.content AS
    content, messages.metadata AS metadata, messages.observed_at AS observed_at, messages.at AS at,
    messages.turn AS turn, messages.version AS version, messages.created_revision AS created_revision,
    messages.revision AS revision, messages.recorded_at AS recorded_at, messages.expires_at AS expires_at,
    messages.expires_turn AS expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS
    deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages ON
    live_messages.owner = claim_sources.owner AND live_messages.id = claim_sources.message
WHERE claim_sources.owner = ? AND claim_sources.claim IN (__[POSTCOMPILE_p_claims]) ORDER BY
    claim_sources.claim, claim_sources.message;

-- RESOURCE_CLAIM
UPDATE claims SET message=? WHERE claims.owner = ? AND claims.id = ? RETURNING id;

-- REVISION_AT
SELECT changes.revision, changes.turn, changes.at
FROM changes
WHERE changes.owner = ? AND changes.at <= ? ORDER BY changes.at DESC, changes.revision DESC
LIMIT ? OFFSET ?;

-- SAME_FIELD
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
WHERE live_claims.field = ? AND live_claims.scope = ? AND live_claims.state IN (__[POSTCOMPILE_state_1]) AND
    (live_claims.message = ? OR live_claims.state IN (__[POSTCOMPILE_state_2]));

-- STATEMENTS
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
WHERE live_claims.field = ? AND live_claims.scope = ? AND live_claims.state = ? ORDER BY live_claims.pos_at,
    live_claims.pos_seq, live_claims.pos_version, live_claims.revision, live_claims.ordinal;

-- SUPERSEDED
SELECT claim_sources.message, claim_sources.quote_start, claim_sources.quote_end, claims.field, claims.scope,
    claims.value AS said, live_values.value AS current_value, live_values.status, live_values.opened_at,
    messages.content
FROM claim_sources JOIN claims ON claims.owner = claim_sources.owner AND claims.id = claim_sources.claim JOIN
    messages ON messages.owner = claim_sources.owner AND messages.id = claim_sources.message AND
    messages.version = claim_sources.message_version JOIN (SELECT field_values.owner AS owner,
    field_values.field AS field, field_values.scope AS scope, field_values.version AS version,
    field_values.status AS status, field_values.value AS value, field_values.confidence AS confidence,
    field_values.claim AS claim, field_values.observed_at AS observed_at, field_values.turn AS turn,
    field_values.at AS at, field_values.probability AS probability, field_values.belief AS belief,
    field_values.reason AS reason, field_values.floor_at AS floor_at, field_values.floor_seq AS floor_seq,
    field_values.floor_version AS floor_version, field_values.opened_revision AS opened_revision,
    field_values.opened_at AS opened_at, field_values.closed_revision AS closed_revision,
    field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values ON live_values.owner = claims.owner AND live_values.field = claims.field AND live_values.scope
    = claims.scope
WHERE claim_sources.owner = ? AND claims.owner = ? AND messages.owner = ? AND (claims.state IN
    (__[POSTCOMPILE_state_1]) AND claims.outcome = ? OR claims.state = ? AND claims.reason IN
    (__[POSTCOMPILE_reason_1]) OR claims.state = ?) AND (live_values.claim IS NULL OR live_values.claim !=
    claims.id) AND claim_sources.message IN (__[POSTCOMPILE_p_messages]);

-- SUPERSEDED_OF_NOTES
SELECT claim_sources.message, claim_sources.quote_start, claim_sources.quote_end, claims.field, claims.scope,
    claims.value AS said, live_values.value AS current_value, live_values.status, live_values.opened_at,
    note_sources.note
FROM claim_sources JOIN claims ON claims.owner = claim_sources.owner AND claims.id = claim_sources.claim JOIN
    messages ON messages.owner = claim_sources.owner AND messages.id = claim_sources.message AND
    messages.version = claim_sources.message_version JOIN (SELECT field_values.owner AS owner,
    field_values.field AS field, field_values.scope AS scope, field_values.version AS version,
    field_values.status AS status, field_values.value AS value, field_values.confidence AS confidence,
    field_values.claim AS claim, field_values.observed_at AS observed_at, field_values.turn AS turn,
    field_values.at AS at, field_values.probability AS probability, field_values.belief AS belief,
    field_values.reason AS reason, field_values.floor_at AS floor_at, field_values.floor_seq AS floor_seq,
    field_values.floor_version AS floor_version, field_values.opened_revision AS opened_revision,
    field_values.opened_at AS opened_at, field_values.closed_revision AS closed_revision,
    field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values ON live_values.owner = claims.owner AND live_values.field = claims.field AND live_values.scope
    = claims.scope JOIN note_sources ON note_sources.owner = claim_sources.owner AND note_sources.message =
    claim_sources.message
WHERE claim_sources.owner = ? AND claims.owner = ? AND messages.owner = ? AND (claims.state IN
    (__[POSTCOMPILE_state_1]) AND claims.outcome = ? OR claims.state = ? AND claims.reason IN
    (__[POSTCOMPILE_reason_1]) OR claims.state = ?) AND (live_values.claim IS NULL OR live_values.claim !=
    claims.id) AND note_sources.owner = ? AND note_sources.note IN (__[POSTCOMPILE_p_notes]);

-- SUPERSEDED_OF_SUMMARIES
SELECT claim_sources.message, claim_sources.quote_start, claim_sources.quote_end, claims.field, claims.scope,
    claims.value AS said, live_values.value AS current_value, live_values.status, live_values.opened_at,
    summary_sources.summary
FROM claim_sources JOIN claims ON claims.owner = claim_sources.owner AND claims.id = claim_sources.claim JOIN
    messages ON messages.owner = claim_sources.owner AND messages.id = claim_sources.message AND
    messages.version = claim_sources.message_version JOIN (SELECT field_values.owner AS owner,
    field_values.field AS field, field_values.scope AS scope, field_values.version AS version,
    field_values.status AS status, field_values.value AS value, field_values.confidence AS confidence,
    field_values.claim AS claim, field_values.observed_at AS observed_at, field_values.turn AS turn,
    field_values.at AS at, field_values.probability AS probability, field_values.belief AS belief,
    field_values.reason AS reason, field_values.floor_at AS floor_at, field_values.floor_seq AS floor_seq,
    field_values.floor_version AS floor_version, field_values.opened_revision AS opened_revision,
    field_values.opened_at AS opened_at, field_values.closed_revision AS closed_revision,
    field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values ON live_values.owner = claims.owner AND live_values.field = claims.field AND live_values.scope
    = claims.scope JOIN summary_sources ON summary_sources.owner = claim_sources.owner AND
    summary_sources.message = claim_sources.message
WHERE claim_sources.owner = ? AND claims.owner = ? AND messages.owner = ? AND (claims.state IN
    (__[POSTCOMPILE_state_1]) AND claims.outcome = ? OR claims.state = ? AND claims.reason IN
    (__[POSTCOMPILE_reason_1]) OR claims.state = ?) AND (live_values.claim IS NULL OR live_values.claim !=
    claims.id) AND summary_sources.owner = ? AND summary_sources.summary IN (__[POSTCOMPILE_p_summaries]);

-- VALUE
SELECT live_values.owner, live_values.field, live_values.scope, live_values.version, live_values.status,
    live_values.value, live_values.confidence, live_values.claim, live_values.observed_at, live_values.turn,
    live_values.at, live_values.probability, live_values.belief, live_values.reason, live_values.floor_at,
    live_values.floor_seq, live_values.floor_version, live_values.opened_revision, live_values.opened_at,
    live_values.closed_revision, live_values.superseded_by, claims.source AS source, claims.message AS message
FROM (SELECT field_values.owner AS owner, field_values.field AS field, field_values.scope AS scope,
    field_values.version AS version, field_values.status AS status, field_values.value AS value,
    field_values.confidence AS confidence, field_values.claim AS claim, field_values.observed_at AS
    observed_at, field_values.turn AS turn, field_values.at AS at, field_values.probability AS probability,
    field_values.belief AS belief, field_values.reason AS reason, field_values.floor_at AS floor_at,
    field_values.floor_seq AS floor_seq, field_values.floor_version AS floor_version,
    field_values.opened_revision AS opened_revision, field_values.opened_at AS opened_at,
    field_values.closed_revision AS closed_revision, field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values LEFT OUTER JOIN claims ON claims.owner = live_values.owner AND claims.id = live_values.claim
    AND claims.owner = ?
WHERE live_values.field = ? AND live_values.scope = ?;

-- VALUES
SELECT live_values.owner, live_values.field, live_values.scope, live_values.version, live_values.status,
    live_values.value, live_values.confidence, live_values.claim, live_values.observed_at, live_values.turn,
    live_values.at, live_values.probability, live_values.belief, live_values.reason, live_values.floor_at,
    live_values.floor_seq, live_values.floor_version, live_values.opened_revision, live_values.opened_at,
    live_values.closed_revision, live_values.superseded_by, claims.source AS source, claims.message AS message
FROM (SELECT field_values.owner AS owner, field_values.field AS field, field_values.scope AS scope,
    field_values.version AS version, field_values.status AS status, field_values.value AS value,
    field_values.confidence AS confidence, field_values.claim AS claim, field_values.observed_at AS
    observed_at, field_values.turn AS turn, field_values.at AS at, field_values.probability AS probability,
    field_values.belief AS belief, field_values.reason AS reason, field_values.floor_at AS floor_at,
    field_values.floor_seq AS floor_seq, field_values.floor_version AS floor_version,
    field_values.opened_revision AS opened_revision, field_values.opened_at AS opened_at,
    field_values.closed_revision AS closed_revision, field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values LEFT OUTER JOIN claims ON claims.owner = live_values.owner AND claims.id = live_values.claim
    AND claims.owner = ?
WHERE live_values.scope IN (__[POSTCOMPILE_p_scopes]);

-- VALUES_AS_OF
SELECT field_values.owner, field_values.field, field_values.scope, field_values.version,
    field_values.confidence, field_values.claim, field_values.observed_at, field_values.turn, field_values.at,
    field_values.probability, field_values.belief, field_values.floor_at, field_values.floor_seq,
    field_values.floor_version, field_values.opened_revision, field_values.opened_at,
    field_values.closed_revision, field_values.superseded_by, CASE WHEN (claims.state = ? AND claims.message
    IS NOT NULL AND NOT (EXISTS (SELECT live_messages.id
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
WHERE live_messages.id = claims.message))) THEN ? ELSE field_values.status END AS status, CASE WHEN
    (claims.state = ? AND claims.message IS NOT NULL AND NOT (EXISTS (SELECT live_messages.id
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
WHERE live_messages.id = claims.message))) THEN NULL ELSE field_values.value END AS value, CASE WHEN
    (claims.state = ? AND claims.message IS NOT NULL AND NOT (EXISTS (SELECT live_messages.id
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
WHERE live_messages.id = claims.message))) THEN ? ELSE field_values.reason END AS reason, claims.source AS
    source, claims.message AS message
FROM field_values LEFT OUTER JOIN claims ON claims.owner = field_values.owner AND claims.id =
    field_values.claim AND claims.owner = ?
WHERE field_values.owner = ? AND field_values.opened_revision > ? AND field_values.opened_revision <= ? AND
    (field_values.closed_revision IS NULL OR field_values.closed_revision > ?) AND field_values.scope IN
    (__[POSTCOMPILE_p_scopes]);

-- VALUES_EVERYWHERE
SELECT live_values.owner, live_values.field, live_values.scope, live_values.version, live_values.status,
    live_values.value, live_values.confidence, live_values.claim, live_values.observed_at, live_values.turn,
    live_values.at, live_values.probability, live_values.belief, live_values.reason, live_values.floor_at,
    live_values.floor_seq, live_values.floor_version, live_values.opened_revision, live_values.opened_at,
    live_values.closed_revision, live_values.superseded_by, claims.source AS source, claims.message AS message
FROM (SELECT field_values.owner AS owner, field_values.field AS field, field_values.scope AS scope,
    field_values.version AS version, field_values.status AS status, field_values.value AS value,
    field_values.confidence AS confidence, field_values.claim AS claim, field_values.observed_at AS
    observed_at, field_values.turn AS turn, field_values.at AS at, field_values.probability AS probability,
    field_values.belief AS belief, field_values.reason AS reason, field_values.floor_at AS floor_at,
    field_values.floor_seq AS floor_seq, field_values.floor_version AS floor_version,
    field_values.opened_revision AS opened_revision, field_values.opened_at AS opened_at,
    field_values.closed_revision AS closed_revision, field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values LEFT OUTER JOIN claims ON claims.owner = live_values.owner AND claims.id = live_values.claim
    AND claims.owner = ? ORDER BY live_values.field, live_values.scope;

-- VERSION
SELECT CASE WHEN (field_values.status = ? AND field_values.confidence IS NOT NULL) THEN ? ELSE
    field_values.status END AS status, field_values.value
FROM field_values
WHERE field_values.owner = ? AND field_values.field = ? AND field_values.scope = ? AND field_values.version =
    ?;

-- WITHDRAW_CLAIMS
UPDATE claims SET value=CASE WHEN (? = ?) THEN claims.value END, state=?, reason=?, ended_revision=? WHERE
    claims.owner = ? AND claims.id IN (__[POSTCOMPILE_p_ids]);
