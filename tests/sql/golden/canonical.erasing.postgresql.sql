-- ERASE_BURIED_CLAIMS
UPDATE claims SET value=%(value)s::VARCHAR WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.id
    IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C") OR (claims.field ||
    %(field_1)s::VARCHAR COLLATE "C" || claims.scope) IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_2)s::VARCHAR COLLATE "C") AND claims.revision <=
    %(p_bound)s::BIGINT) AND claims.value IS NOT NULL
LIMIT %(p_limit)s::BIGINT);

-- ERASE_BURIED_MESSAGES
UPDATE messages SET content=%(content)s::VARCHAR, metadata=%(metadata)s::VARCHAR, version=(messages.version +
    %(version_1)s::BIGINT), deleted_revision=coalesce(messages.deleted_revision, %(p_bound)s::BIGINT) WHERE
    messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C") AND (messages.content !=
    %(content_1)s::VARCHAR OR messages.metadata IS NOT NULL)
LIMIT %(p_limit)s::BIGINT);

-- ERASE_BURIED_NOTES
UPDATE notes SET text=%(text)s::VARCHAR, metadata=%(metadata)s::VARCHAR, version=(notes.version +
    %(version_1)s::BIGINT), deleted_revision=coalesce(notes.deleted_revision, %(p_bound)s::BIGINT) WHERE
    notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C") AND (notes.text != %(text_1)s::VARCHAR
    OR notes.metadata IS NOT NULL)
LIMIT %(p_limit)s::BIGINT);

-- ERASE_BURIED_VALUES
UPDATE field_values SET status=%(status)s::VARCHAR COLLATE "C", value=%(value)s::VARCHAR,
    claim=%(claim)s::VARCHAR COLLATE "C", belief=%(belief)s::VARCHAR WHERE field_values.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND (field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C")) OR (field_values.field ||
    %(field_1)s::VARCHAR COLLATE "C" || field_values.scope) IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_2)s::VARCHAR COLLATE "C") AND field_values.opened_revision <=
    %(p_bound)s::BIGINT) AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- ERASE_CONVERSATION
UPDATE conversations SET metadata=%(metadata)s::VARCHAR WHERE conversations.owner = %(s_owner)s::VARCHAR
    COLLATE "C" AND conversations.id = %(p_key)s::VARCHAR COLLATE "C" AND conversations.metadata IS NOT NULL;

-- ERASE_CONVERSATION_CLAIMS
UPDATE claims SET value=%(value)s::VARCHAR WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.id
    IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE
    "C") AND claims.value IS NOT NULL
LIMIT %(p_limit)s::BIGINT);

-- ERASE_CONVERSATION_MESSAGES
UPDATE messages SET content=%(content)s::VARCHAR, metadata=%(metadata)s::VARCHAR, version=(messages.version +
    %(version_1)s::BIGINT), deleted_revision=coalesce(messages.deleted_revision, %(p_bound)s::BIGINT) WHERE
    messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE
    "C" AND (messages.content != %(content_1)s::VARCHAR OR messages.metadata IS NOT NULL) AND messages.seq >
    %(p_after)s::BIGINT ORDER BY messages.seq
LIMIT %(p_limit)s::BIGINT) RETURNING messages.seq;

-- ERASE_CONVERSATION_VALUES
UPDATE field_values SET status=%(status)s::VARCHAR COLLATE "C", value=%(value)s::VARCHAR,
    claim=%(claim)s::VARCHAR COLLATE "C", belief=%(belief)s::VARCHAR WHERE field_values.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE
    "C")) AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- ERASE_OWNED_CHANGES
UPDATE changes SET actor=%(actor)s::VARCHAR COLLATE "C", reason=%(reason)s::VARCHAR COLLATE "C" WHERE
    changes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND changes.revision IN (SELECT changes.revision
FROM changes
WHERE changes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND changes.revision < %(p_bound)s::BIGINT AND
    (changes.actor != %(actor_1)s::VARCHAR COLLATE "C" OR changes.reason != %(reason_1)s::VARCHAR COLLATE "C")
    AND changes.revision > %(p_after)s::BIGINT ORDER BY changes.revision
LIMIT %(p_limit)s::BIGINT) RETURNING changes.revision;

-- ERASE_OWNED_CLAIMS
UPDATE claims SET value=%(value)s::VARCHAR WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.id
    IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision <= %(p_bound)s::BIGINT AND
    claims.value IS NOT NULL AND claims.id > %(p_after)s::VARCHAR COLLATE "C" ORDER BY claims.id
LIMIT %(p_limit)s::BIGINT) RETURNING claims.id;

-- ERASE_OWNED_CONVERSATIONS
UPDATE conversations SET metadata=%(metadata)s::VARCHAR WHERE conversations.owner = %(s_owner)s::VARCHAR
    COLLATE "C" AND conversations.created_revision <= %(p_bound)s::BIGINT AND conversations.metadata IS NOT
    NULL;

-- ERASE_OWNED_EXTRACTORS
UPDATE claims SET extractor=%(extractor)s::VARCHAR COLLATE "C" WHERE claims.owner = %(s_owner)s::VARCHAR
    COLLATE "C" AND claims.id IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision <= %(p_bound)s::BIGINT AND
    claims.extractor != %(extractor_1)s::VARCHAR COLLATE "C" AND claims.id > %(p_after)s::VARCHAR COLLATE "C"
    ORDER BY claims.id
LIMIT %(p_limit)s::BIGINT) RETURNING claims.id;

-- ERASE_OWNED_MESSAGES
UPDATE messages SET content=%(content)s::VARCHAR, metadata=%(metadata)s::VARCHAR, version=(messages.version +
    %(version_1)s::BIGINT), deleted_revision=coalesce(messages.deleted_revision, %(p_bound)s::BIGINT) WHERE
    messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.created_revision <= %(p_bound)s::BIGINT
    AND (messages.content != %(content_1)s::VARCHAR OR messages.metadata IS NOT NULL) AND messages.id >
    %(p_after)s::VARCHAR COLLATE "C" ORDER BY messages.id
LIMIT %(p_limit)s::BIGINT) RETURNING messages.id;

-- ERASE_OWNED_NOTES
UPDATE notes SET text=%(text)s::VARCHAR, metadata=%(metadata)s::VARCHAR, version=(notes.version +
    %(version_1)s::BIGINT), deleted_revision=coalesce(notes.deleted_revision, %(p_bound)s::BIGINT) WHERE
    notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.created_revision <= %(p_bound)s::BIGINT AND
    (notes.text != %(text_1)s::VARCHAR OR notes.metadata IS NOT NULL) AND notes.id > %(p_after)s::VARCHAR
    COLLATE "C" ORDER BY notes.id
LIMIT %(p_limit)s::BIGINT) RETURNING notes.id;

-- ERASE_OWNED_TOMBSTONES
UPDATE tombstones SET actor=%(actor)s::VARCHAR COLLATE "C", reason=%(reason)s::VARCHAR COLLATE "C" WHERE
    tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.revision < %(p_bound)s::BIGINT AND
    (tombstones.actor != %(actor_1)s::VARCHAR COLLATE "C" OR tombstones.reason != %(reason_1)s::VARCHAR
    COLLATE "C");

-- ERASE_OWNED_VALUES
UPDATE field_values SET status=%(status)s::VARCHAR COLLATE "C", value=%(value)s::VARCHAR,
    claim=%(claim)s::VARCHAR COLLATE "C", belief=%(belief)s::VARCHAR WHERE field_values.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND field_values.opened_revision <= %(p_bound)s::BIGINT AND
    (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- LEFT_BURIED_CLAIMS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C") OR (claims.field ||
    %(field_1)s::VARCHAR COLLATE "C" || claims.scope) IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_2)s::VARCHAR COLLATE "C") AND claims.revision <=
    %(p_bound)s::BIGINT) AND claims.value IS NOT NULL;

-- LEFT_BURIED_MESSAGES
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.id IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C") AND (messages.content !=
    %(content_1)s::VARCHAR OR messages.metadata IS NOT NULL);

-- LEFT_BURIED_NOTES
SELECT count(*) AS count_1
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C") AND (notes.text != %(text_1)s::VARCHAR
    OR notes.metadata IS NOT NULL);

-- LEFT_BURIED_VALUES
SELECT count(*) AS count_1
FROM field_values
WHERE field_values.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_1)s::VARCHAR COLLATE "C")) OR (field_values.field ||
    %(field_1)s::VARCHAR COLLATE "C" || field_values.scope) IN (SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" AND tombstones.kind = %(kind_2)s::VARCHAR COLLATE "C") AND field_values.opened_revision <=
    %(p_bound)s::BIGINT) AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- LEFT_CONVERSATION
SELECT count(*) AS count_1
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.id = %(p_key)s::VARCHAR COLLATE
    "C" AND conversations.metadata IS NOT NULL;

-- LEFT_CONVERSATION_CLAIMS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE
    "C") AND claims.value IS NOT NULL;

-- LEFT_CONVERSATION_MESSAGES
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE
    "C" AND (messages.content != %(content_1)s::VARCHAR OR messages.metadata IS NOT NULL);

-- LEFT_CONVERSATION_VALUES
SELECT count(*) AS count_1
FROM field_values
WHERE field_values.owner = %(s_owner)s::VARCHAR COLLATE "C" AND field_values.claim IN (SELECT claims.id
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.state = %(state_1)s::VARCHAR COLLATE "C" AND
    claims.message IN (SELECT messages.id
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE
    "C")) AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);

-- LEFT_OWNED_CHANGES
SELECT count(*) AS count_1
FROM changes
WHERE changes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND changes.revision < %(p_bound)s::BIGINT AND
    (changes.actor != %(actor_1)s::VARCHAR COLLATE "C" OR changes.reason != %(reason_1)s::VARCHAR COLLATE "C");

-- LEFT_OWNED_CLAIMS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision <= %(p_bound)s::BIGINT AND
    claims.value IS NOT NULL;

-- LEFT_OWNED_CONVERSATIONS
SELECT count(*) AS count_1
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.created_revision <=
    %(p_bound)s::BIGINT AND conversations.metadata IS NOT NULL;

-- LEFT_OWNED_EXTRACTORS
SELECT count(*) AS count_1
FROM claims
WHERE claims.owner = %(s_owner)s::VARCHAR COLLATE "C" AND claims.revision <= %(p_bound)s::BIGINT AND
    claims.extractor != %(extractor_1)s::VARCHAR COLLATE "C";

-- LEFT_OWNED_MESSAGES
SELECT count(*) AS count_1
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.created_revision <= %(p_bound)s::BIGINT
    AND (messages.content != %(content_1)s::VARCHAR OR messages.metadata IS NOT NULL);

-- LEFT_OWNED_NOTES
SELECT count(*) AS count_1
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.created_revision <= %(p_bound)s::BIGINT AND
    (notes.text != %(text_1)s::VARCHAR OR notes.metadata IS NOT NULL);

-- LEFT_OWNED_TOMBSTONES
SELECT count(*) AS count_1
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.revision < %(p_bound)s::BIGINT AND
    (tombstones.actor != %(actor_1)s::VARCHAR COLLATE "C" OR tombstones.reason != %(reason_1)s::VARCHAR
    COLLATE "C");

-- LEFT_OWNED_VALUES
SELECT count(*) AS count_1
FROM field_values
WHERE field_values.owner = %(s_owner)s::VARCHAR COLLATE "C" AND field_values.opened_revision <=
    %(p_bound)s::BIGINT AND (field_values.value IS NOT NULL OR field_values.belief IS NOT NULL);
