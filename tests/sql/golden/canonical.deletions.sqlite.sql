-- ADD_RECEIPT
INSERT INTO receipts (owner, id, kind, "key", state, level, actor, reason, revision, epoch, opened_at,
    verified_at, counts, purge, out_of_reach) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- ADD_RECEIPT_STORES
INSERT INTO receipt_stores (owner, receipt, store, ordinal, state, attempts, removed, error, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- ADD_TOMBSTONES
INSERT INTO tombstones (owner, kind, "key", revision, epoch, at, receipt, actor, reason, fingerprint,
    conversation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, kind, "key") DO UPDATE SET
    revision = excluded.revision, epoch = excluded.epoch, at = excluded.at, receipt = excluded.receipt, actor
    = excluded.actor, reason = excluded.reason, fingerprint = coalesce(excluded.fingerprint,
    tombstones.fingerprint), conversation = coalesce(excluded.conversation, tombstones.conversation);

-- CLOSE_ALL_VALUES
UPDATE field_values SET belief=?, closed_revision=? WHERE field_values.owner = ? AND
    field_values.closed_revision IS NULL;

-- COUNTS_OF_OWNER
SELECT (SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = ? AND messages.deleted_revision IS NULL AND messages.created_revision > ?) AS messages,
    (SELECT count(*) AS count_2
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.created_revision > ?) AS notes, (SELECT
    count(*) AS count_3
FROM claims
WHERE claims.owner = ? AND claims.revision > ? AND claims.state != ?) AS claims, (SELECT count(*) AS count_4
FROM conversations
WHERE conversations.owner = ? AND conversations.deleted_revision IS NULL AND conversations.created_revision >
    ?) AS conversations;

-- COUNT_OF_CONVERSATION
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = ? AND messages.conversation = ? AND messages.deleted_revision IS NULL;

-- END_CONVERSATION
UPDATE conversations SET version=(conversations.version + ?), revision=?, deleted_revision=?, metadata=? WHERE
    conversations.owner = ? AND conversations.id = ? AND conversations.deleted_revision IS NULL AND
    conversations.created_revision > ? RETURNING id;

-- END_OWNER
UPDATE owners SET floor_revision=?, state=? WHERE owners.owner = ? AND owners.state = ? RETURNING epoch;

-- ERASE_MESSAGES
UPDATE messages SET content=?, metadata=?, version=(messages.version + ?), revision=?, deleted_revision=?
    WHERE messages.owner = ? AND messages.id IN (__[POSTCOMPILE_p_ids]) AND messages.deleted_revision IS NULL;

-- EXPIRED_TO_ERASE
SELECT messages.id, messages.conversation, messages.fingerprint
FROM messages
WHERE messages.owner = ? AND messages.id IN (__[POSTCOMPILE_p_ids]) AND messages.deleted_revision IS NULL;

-- MATCHING
SELECT messages.id, messages.conversation, messages.fingerprint
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (? IS NULL OR
    messages.conversation = ?) AND (? IS NULL OR messages.observed_at >= ?) AND (? IS NULL OR
    messages.observed_at < ?) ORDER BY messages.conversation, messages.seq;

-- MESSAGES_TO_ERASE
SELECT messages.id, messages.conversation, messages.fingerprint
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND messages.id IN
    (__[POSTCOMPILE_p_ids]);

-- REOPEN_OWNER
UPDATE owners SET state=? WHERE owners.owner = ? AND owners.state = ? RETURNING epoch;
