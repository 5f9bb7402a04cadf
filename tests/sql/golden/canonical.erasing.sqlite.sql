-- ERASE_BURIED_CLAIMS
UPDATE claims SET value=? WHERE claims.owner = ? AND claims.id IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND (claims.state = ? AND claims.message IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) OR (claims.field || ? ||
    claims.scope) IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND claims.revision <= ?) AND
    claims.value IS NOT NULL
LIMIT ? OFFSET ?);

-- ERASE_BURIED_MESSAGES
UPDATE messages SET content=?, metadata=?, version=(messages.version + ?),
    deleted_revision=coalesce(messages.deleted_revision, ?) WHERE messages.owner = ? AND messages.id IN
    (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.id IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND (messages.content != ? OR
    messages.metadata IS NOT NULL)
LIMIT ? OFFSET ?);

-- ERASE_BURIED_NOTES
UPDATE notes SET text=?, metadata=?, version=(notes.version + ?),
    deleted_revision=coalesce(notes.deleted_revision, ?) WHERE notes.owner = ? AND notes.id IN (SELECT
    notes.id
FROM notes
WHERE notes.owner = ? AND notes.id IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND (notes.text != ? OR
    notes.metadata IS NOT NULL)
LIMIT ? OFFSET ?);

-- ERASE_BURIED_VALUES
UPDATE field_values SET status=?, value=?, claim=?, belief=? WHERE field_values.owner = ? AND
    (field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND claims.state = ? AND claims.message IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?)) OR (field_values.field || ? ||
    field_values.scope) IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND
    field_values.opened_revision <= ?) AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- ERASE_CONVERSATION
UPDATE conversations SET metadata=? WHERE conversations.owner = ? AND conversations.id = ? AND
    conversations.metadata IS NOT NULL;

-- ERASE_CONVERSATION_CLAIMS
UPDATE claims SET value=? WHERE claims.owner = ? AND claims.id IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND claims.state = ? AND claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ?) AND claims.value IS NOT NULL
LIMIT ? OFFSET ?);

-- ERASE_CONVERSATION_MESSAGES
UPDATE messages SET content=?, metadata=?, version=(messages.version + ?),
    deleted_revision=coalesce(messages.deleted_revision, ?) WHERE messages.owner = ? AND messages.id IN
    (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ? AND (messages.content != ? OR messages.metadata IS NOT
    NULL) AND messages.seq > ? ORDER BY messages.seq
LIMIT ? OFFSET ?) RETURNING seq;

-- ERASE_CONVERSATION_VALUES
UPDATE field_values SET status=?, value=?, claim=?, belief=? WHERE field_values.owner = ? AND
    field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND claims.state = ? AND claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ?)) AND (field_values.value IS NOT NULL OR
    field_values.belief IS NOT NULL);

-- ERASE_OWNED_CHANGES
UPDATE changes SET actor=?, reason=? WHERE changes.owner = ? AND changes.revision IN (SELECT changes.revision
FROM changes
WHERE changes.owner = ? AND changes.revision < ? AND (changes.actor != ? OR changes.reason != ?) AND
    changes.revision > ? ORDER BY changes.revision
LIMIT ? OFFSET ?) RETURNING revision;

-- ERASE_OWNED_CLAIMS
UPDATE claims SET value=? WHERE claims.owner = ? AND claims.id IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND claims.revision <= ? AND claims.value IS NOT NULL AND claims.id > ? ORDER BY
    claims.id
LIMIT ? OFFSET ?) RETURNING id;

-- ERASE_OWNED_CONVERSATIONS
UPDATE conversations SET metadata=? WHERE conversations.owner = ? AND conversations.created_revision <= ? AND
    conversations.metadata IS NOT NULL;

-- ERASE_OWNED_EXTRACTORS
UPDATE claims SET extractor=? WHERE claims.owner = ? AND claims.id IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND claims.revision <= ? AND claims.extractor != ? AND claims.id > ? ORDER BY claims.id
LIMIT ? OFFSET ?) RETURNING id;

-- ERASE_OWNED_MESSAGES
UPDATE messages SET content=?, metadata=?, version=(messages.version + ?),
    deleted_revision=coalesce(messages.deleted_revision, ?) WHERE messages.owner = ? AND messages.id IN
    (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.created_revision <= ? AND (messages.content != ? OR messages.metadata IS
    NOT NULL) AND messages.id > ? ORDER BY messages.id
LIMIT ? OFFSET ?) RETURNING id;

-- ERASE_OWNED_NOTES
UPDATE notes SET text=?, metadata=?, version=(notes.version + ?),
    deleted_revision=coalesce(notes.deleted_revision, ?) WHERE notes.owner = ? AND notes.id IN (SELECT
    notes.id
FROM notes
WHERE notes.owner = ? AND notes.created_revision <= ? AND (notes.text != ? OR notes.metadata IS NOT NULL) AND
    notes.id > ? ORDER BY notes.id
LIMIT ? OFFSET ?) RETURNING id;

-- ERASE_OWNED_TOMBSTONES
UPDATE tombstones SET actor=?, reason=? WHERE tombstones.owner = ? AND tombstones.revision < ? AND
    (tombstones.actor != ? OR tombstones.reason != ?);

-- ERASE_OWNED_VALUES
UPDATE field_values SET status=?, value=?, claim=?, belief=? WHERE field_values.owner = ? AND
    field_values.opened_revision <= ? AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- LEFT_BURIED_CLAIMS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = ? AND (claims.state = ? AND claims.message IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) OR (claims.field || ? ||
    claims.scope) IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND claims.revision <= ?) AND
    claims.value IS NOT NULL;

-- LEFT_BURIED_MESSAGES
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = ? AND messages.id IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND (messages.content != ? OR
    messages.metadata IS NOT NULL);

-- LEFT_BURIED_NOTES
SELECT count(*) AS count_1
FROM notes
WHERE notes.owner = ? AND notes.id IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND (notes.text != ? OR
    notes.metadata IS NOT NULL);

-- LEFT_BURIED_VALUES
SELECT count(*) AS count_1
FROM field_values
WHERE field_values.owner = ? AND (field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND claims.state = ? AND claims.message IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?)) OR (field_values.field || ? ||
    field_values.scope) IN (SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt = ? AND tombstones.kind = ?) AND
    field_values.opened_revision <= ?) AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- LEFT_CONVERSATION
SELECT count(*) AS count_1
FROM conversations
WHERE conversations.owner = ? AND conversations.id = ? AND conversations.metadata IS NOT NULL;

-- LEFT_CONVERSATION_CLAIMS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = ? AND claims.state = ? AND claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ?) AND claims.value IS NOT NULL;

-- LEFT_CONVERSATION_MESSAGES
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = ? AND messages.conversation = ? AND (messages.content != ? OR messages.metadata IS NOT
    NULL);

-- LEFT_CONVERSATION_VALUES
SELECT count(*) AS count_1
FROM field_values
WHERE field_values.owner = ? AND field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = ? AND claims.state = ? AND claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = ? AND messages.conversation = ?)) AND (field_values.value IS NOT NULL OR
    field_values.belief IS NOT NULL);

-- LEFT_OWNED_CHANGES
SELECT count(*) AS count_1
FROM changes
WHERE changes.owner = ? AND changes.revision < ? AND (changes.actor != ? OR changes.reason != ?);

-- LEFT_OWNED_CLAIMS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = ? AND claims.revision <= ? AND claims.value IS NOT NULL;

-- LEFT_OWNED_CONVERSATIONS
SELECT count(*) AS count_1
FROM conversations
WHERE conversations.owner = ? AND conversations.created_revision <= ? AND conversations.metadata IS NOT NULL;

-- LEFT_OWNED_EXTRACTORS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = ? AND claims.revision <= ? AND claims.extractor != ?;

-- LEFT_OWNED_MESSAGES
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = ? AND messages.created_revision <= ? AND (messages.content != ? OR messages.metadata IS
    NOT NULL);

-- LEFT_OWNED_NOTES
SELECT count(*) AS count_1
FROM notes
WHERE notes.owner = ? AND notes.created_revision <= ? AND (notes.text != ? OR notes.metadata IS NOT NULL);

-- LEFT_OWNED_TOMBSTONES
SELECT count(*) AS count_1
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.revision < ? AND (tombstones.actor != ? OR tombstones.reason != ?);

-- LEFT_OWNED_VALUES
SELECT count(*) AS count_1
FROM field_values
WHERE field_values.owner = ? AND field_values.opened_revision <= ? AND (field_values.value IS NOT NULL OR
    field_values.belief IS NOT NULL);
