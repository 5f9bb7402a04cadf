-- ADD_RECEIPT
INSERT INTO receipts (owner, id, kind, key, state, level, actor, reason, revision, epoch, opened_at,
    verified_at, counts, purge, out_of_reach) VALUES (%(owner)s::VARCHAR COLLATE "C", %(id)s::VARCHAR COLLATE
    "C", %(kind)s::VARCHAR COLLATE "C", %(key)s::VARCHAR COLLATE "C", %(state)s::VARCHAR COLLATE "C",
    %(level)s::VARCHAR COLLATE "C", %(actor)s::VARCHAR COLLATE "C", %(reason)s::VARCHAR COLLATE "C",
    %(revision)s::BIGINT, %(epoch)s::BIGINT, %(opened_at)s::BIGINT, %(verified_at)s::BIGINT,
    %(counts)s::VARCHAR, %(purge)s::VARCHAR, %(out_of_reach)s::VARCHAR);

-- ADD_RECEIPT_STORES
INSERT INTO receipt_stores (owner, receipt, store, ordinal, state, attempts, removed, error, updated_at)
    VALUES (%(owner)s::VARCHAR COLLATE "C", %(receipt)s::VARCHAR COLLATE "C", %(store)s::VARCHAR COLLATE "C",
    %(ordinal)s::BIGINT, %(state)s::VARCHAR COLLATE "C", %(attempts)s::BIGINT, %(removed)s::BIGINT,
    %(error)s::VARCHAR COLLATE "C", %(updated_at)s::BIGINT);

-- ADD_TOMBSTONES
INSERT INTO tombstones (owner, kind, key, revision, epoch, at, receipt, actor, reason, fingerprint,
    conversation) VALUES (%(owner)s::VARCHAR COLLATE "C", %(kind)s::VARCHAR COLLATE "C", %(key)s::VARCHAR
    COLLATE "C", %(revision)s::BIGINT, %(epoch)s::BIGINT, %(at)s::BIGINT, %(receipt)s::VARCHAR COLLATE "C",
    %(actor)s::VARCHAR COLLATE "C", %(reason)s::VARCHAR COLLATE "C", %(fingerprint)s::VARCHAR COLLATE "C",
    %(conversation)s::VARCHAR COLLATE "C") ON CONFLICT (owner, kind, key) DO UPDATE SET revision =
    excluded.revision, epoch = excluded.epoch, at = excluded.at, receipt = excluded.receipt, actor =
    excluded.actor, reason = excluded.reason, fingerprint = coalesce(excluded.fingerprint,
    tombstones.fingerprint), conversation = coalesce(excluded.conversation, tombstones.conversation);

-- CLOSE_ALL_VALUES
UPDATE field_values SET belief=%(belief)s::VARCHAR, closed_revision=%(s_revision)s::BIGINT WHERE
    field_values.owner = %(s_owner)s::VARCHAR COLLATE "C" AND field_values.closed_revision IS NULL;

-- COUNTS_OF_OWNER
SELECT (SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT) AS messages, (SELECT count(*) AS count_2
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT) AS notes, (SELECT count(*) AS count_3
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision > %(s_floor)s::BIGINT AND
    claims.state != %(state_1)s::VARCHAR COLLATE "C") AS claims, (SELECT count(*) AS count_4
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > %(s_floor)s::BIGINT) AS conversations;

-- COUNT_OF_CONVERSATION
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C" AND messages.deleted_revision IS NULL;

-- END_CONVERSATION
UPDATE conversations SET version=(conversations.version + %(version_1)s::BIGINT),
    revision=%(s_revision)s::BIGINT, deleted_revision=%(s_revision)s::BIGINT, metadata=%(metadata)s::VARCHAR
    WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.id = %(p_id)s::VARCHAR
    COLLATE "C" AND conversations.deleted_revision IS NULL AND conversations.created_revision >
    %(s_floor)s::BIGINT RETURNING conversations.id;

-- END_OWNER
UPDATE owners SET floor_revision=%(s_revision)s::BIGINT, state=%(state)s::VARCHAR COLLATE "C" WHERE
    owners.owner = %(s_owner)s::VARCHAR COLLATE "C" AND owners.state = %(state_1)s::VARCHAR COLLATE "C"
    RETURNING owners.epoch;

-- ERASE_MESSAGES
UPDATE messages SET content=%(content)s::VARCHAR, metadata=%(metadata)s::VARCHAR, version=(messages.version +
    %(version_1)s::BIGINT), revision=%(s_revision)s::BIGINT, deleted_revision=%(s_revision)s::BIGINT WHERE
    messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (__[POSTCOMPILE_p_ids]) AND
    messages.deleted_revision IS NULL;

-- EXPIRED_TO_ERASE
SELECT messages.id, messages.conversation, messages.fingerprint
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (__[POSTCOMPILE_p_ids]) AND
    messages.deleted_revision IS NULL;

-- MATCHING
SELECT messages.id, messages.conversation, messages.fingerprint
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (%(p_conversation)s::VARCHAR COLLATE "C" IS NULL OR
    messages.conversation = %(p_conversation)s::VARCHAR COLLATE "C") AND (%(p_since)s::BIGINT IS NULL OR
    messages.observed_at >= %(p_since)s::BIGINT) AND (%(p_until)s::BIGINT IS NULL OR messages.observed_at <
    %(p_until)s::BIGINT) ORDER BY messages.conversation, messages.seq;

-- MESSAGES_TO_ERASE
SELECT messages.id, messages.conversation, messages.fingerprint
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- REOPEN_OWNER
UPDATE owners SET state=%(state)s::VARCHAR COLLATE "C" WHERE owners.owner = %(s_owner)s::VARCHAR COLLATE "C"
    AND owners.state = %(state_1)s::VARCHAR COLLATE "C" RETURNING owners.epoch;
