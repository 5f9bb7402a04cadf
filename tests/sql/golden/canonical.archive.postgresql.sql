-- CHANGES_HELD
SELECT changes.revision, changes.ordinal
FROM changes
WHERE changes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND changes.revision IN (__[POSTCOMPILE_p_revision]);

-- CHANGE_PAGE
SELECT changes.owner, changes.revision, changes.ordinal, changes.at, changes.turn, changes.kind, changes.key,
    changes.actor, changes.reason
FROM changes
WHERE changes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (changes.revision, changes.ordinal) >
    (%(p_after_revision)s::BIGINT, %(p_after_ordinal)s::BIGINT) ORDER BY changes.revision, changes.ordinal
LIMIT %(p_limit)s::BIGINT;

-- CLAIMS_HELD
SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.id IN (__[POSTCOMPILE_p_id]);

-- CLAIM_PAGE
SELECT claims.owner, claims.id, claims.field, claims.scope, claims.value, claims.confidence, claims.source,
    claims.message, claims.extractor, claims.schema_version, claims.observed_at, claims.turn, claims.pos_at,
    claims.pos_seq, claims.pos_version, claims.ordinal, claims.revision, claims.recorded_at, claims.state,
    claims.outcome, claims.reason, claims.base_version, claims.ended_revision
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (claims.id) > (%(p_after_id)s::VARCHAR COLLATE "C")
    ORDER BY claims.id
LIMIT %(p_limit)s::BIGINT;

-- CLAIM_SOURCES_HELD
SELECT claim_sources.claim, claim_sources.message
FROM claim_sources
WHERE claim_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claim_sources.claim IN
    (__[POSTCOMPILE_p_claim]);

-- CLAIM_SOURCE_PAGE
SELECT claim_sources.owner, claim_sources.claim, claim_sources.message, claim_sources.message_version,
    claim_sources.quote_start, claim_sources.quote_end
FROM claim_sources
WHERE claim_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (claim_sources.claim, claim_sources.message)
    > (%(p_after_claim)s::VARCHAR COLLATE "C", %(p_after_message)s::VARCHAR COLLATE "C") ORDER BY
    claim_sources.claim, claim_sources.message
LIMIT %(p_limit)s::BIGINT;

-- CONVERSATIONS_HELD
SELECT conversations.id
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.id IN (__[POSTCOMPILE_p_id]);

-- CONVERSATION_PAGE
SELECT conversations.owner, conversations.id, conversations.last_seq, conversations.last_at,
    conversations.version, conversations.retain_us, conversations.created_at, conversations.created_revision,
    conversations.revision, conversations.deleted_revision, conversations.metadata
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (conversations.id) > (%(p_after_id)s::VARCHAR
    COLLATE "C") ORDER BY conversations.id
LIMIT %(p_limit)s::BIGINT;

-- FIELD_VALUES_HELD
SELECT field_values.field, field_values.scope, field_values.version
FROM field_values
WHERE field_values.owner = %(s_owner)s::VARCHAR COLLATE "C" AND field_values.field IN
    (__[POSTCOMPILE_p_field]);

-- FIELD_VALUE_PAGE
SELECT field_values.owner, field_values.field, field_values.scope, field_values.version, field_values.status,
    field_values.value, field_values.confidence, field_values.claim, field_values.observed_at,
    field_values.turn, field_values.at, field_values.probability, field_values.belief, field_values.reason,
    field_values.floor_at, field_values.floor_seq, field_values.floor_version, field_values.opened_revision,
    field_values.opened_at, field_values.closed_revision, field_values.superseded_by
FROM field_values
WHERE field_values.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (field_values.field, field_values.scope,
    field_values.version) > (%(p_after_field)s::VARCHAR COLLATE "C", %(p_after_scope)s::VARCHAR COLLATE "C",
    %(p_after_version)s::BIGINT) ORDER BY field_values.field, field_values.scope, field_values.version
LIMIT %(p_limit)s::BIGINT;

-- MESSAGES_HELD
SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (__[POSTCOMPILE_p_id]);

-- MESSAGE_PAGE
SELECT messages.owner, messages.id, messages.conversation, messages.seq, messages.role, messages.trust,
    messages.content, messages.metadata, messages.observed_at, messages.at, messages.turn, messages.version,
    messages.created_revision, messages.revision, messages.recorded_at, messages.expires_at,
    messages.expires_turn, messages.fingerprint, messages.deleted_revision, conversations.deleted_revision AS
    scope_ended
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (messages.conversation, messages.seq) >
    (%(p_after_conversation)s::VARCHAR COLLATE "C", %(p_after_seq)s::BIGINT) AND conversations.owner =
    %(s_owner)s::VARCHAR COLLATE "C" ORDER BY messages.conversation, messages.seq
LIMIT %(p_limit)s::BIGINT;

-- NOTES_HELD
SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (__[POSTCOMPILE_p_id]);

-- NOTE_PAGE
SELECT notes.owner, notes.id, notes.text, notes.scope, notes.state, notes.source, notes.metadata,
    notes.observed_at, notes.at, notes.turn, notes.version, notes.created_revision, notes.revision,
    notes.recorded_at, notes.expires_at, notes.expires_turn, notes.superseded_by, notes.deleted_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (notes.id) > (%(p_after_id)s::VARCHAR COLLATE "C")
    ORDER BY notes.id
LIMIT %(p_limit)s::BIGINT;

-- NOTE_SOURCES_HELD
SELECT note_sources.note, note_sources.message
FROM note_sources
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note IN (__[POSTCOMPILE_p_note]);

-- NOTE_SOURCE_PAGE
SELECT note_sources.owner, note_sources.note, note_sources.message, note_sources.message_version
FROM note_sources
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (note_sources.note, note_sources.message) >
    (%(p_after_note)s::VARCHAR COLLATE "C", %(p_after_message)s::VARCHAR COLLATE "C") ORDER BY
    note_sources.note, note_sources.message
LIMIT %(p_limit)s::BIGINT;

-- OWNER_ROW
SELECT owners.owner, owners.revision, owners.epoch, owners.turn, owners.floor_revision, owners.state,
    owners.created_at, owners.active_at, owners.monotonic_at
FROM owners
WHERE owners.owner = %(s_owner)s::VARCHAR COLLATE "C";

-- RECEIPTS_HELD
SELECT receipts.id
FROM receipts
WHERE receipts.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipts.id IN (__[POSTCOMPILE_p_id]);

-- RECEIPT_PAGE
SELECT receipts.owner, receipts.id, receipts.kind, receipts.key, receipts.state, receipts.level,
    receipts.actor, receipts.reason, receipts.revision, receipts.epoch, receipts.opened_at,
    receipts.verified_at, receipts.counts, receipts.purge, receipts.out_of_reach
FROM receipts
WHERE receipts.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (receipts.id) > (%(p_after_id)s::VARCHAR COLLATE
    "C") ORDER BY receipts.id
LIMIT %(p_limit)s::BIGINT;

-- RECEIPT_STORES_HELD
SELECT receipt_stores.receipt, receipt_stores.store
FROM receipt_stores
WHERE receipt_stores.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipt_stores.receipt IN
    (__[POSTCOMPILE_p_receipt]);

-- RECEIPT_STORE_PAGE
SELECT receipt_stores.owner, receipt_stores.receipt, receipt_stores.store, receipt_stores.ordinal,
    receipt_stores.state, receipt_stores.attempts, receipt_stores.removed, receipt_stores.error,
    receipt_stores.updated_at
FROM receipt_stores
WHERE receipt_stores.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (receipt_stores.receipt,
    receipt_stores.store) > (%(p_after_receipt)s::VARCHAR COLLATE "C", %(p_after_store)s::VARCHAR COLLATE "C")
    ORDER BY receipt_stores.receipt, receipt_stores.store
LIMIT %(p_limit)s::BIGINT;

-- RESTORE_OWNER
UPDATE owners SET revision=%(p_revision_)s::BIGINT, epoch=%(p_epoch_)s::BIGINT, turn=%(p_turn_)s::BIGINT,
    floor_revision=%(p_floor_)s::BIGINT, state=%(p_state_)s::VARCHAR COLLATE "C",
    created_at=%(p_created_at_)s::BIGINT, active_at=%(p_active_at_)s::BIGINT,
    monotonic_at=%(p_active_at_)s::BIGINT WHERE owners.owner = %(s_owner)s::VARCHAR COLLATE "C";

-- TOMBSTONES_HELD
SELECT tombstones.kind, tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.kind IN (__[POSTCOMPILE_p_kind]) AND
    tombstones.key IN (__[POSTCOMPILE_p_key]);

-- TOMBSTONE_PAGE
SELECT tombstones.owner, tombstones.kind, tombstones.key, tombstones.revision, tombstones.epoch,
    tombstones.at, tombstones.receipt, tombstones.actor, tombstones.reason, tombstones.fingerprint,
    tombstones.conversation
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (tombstones.kind, tombstones.key) >
    (%(p_after_kind)s::VARCHAR COLLATE "C", %(p_after_key)s::VARCHAR COLLATE "C") ORDER BY tombstones.kind,
    tombstones.key
LIMIT %(p_limit)s::BIGINT;
