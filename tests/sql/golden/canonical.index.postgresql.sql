-- ADD_POSTINGS
INSERT INTO ft_postings (owner, term, doc, tf, length) SELECT %(s_owner)s::VARCHAR COLLATE "C" AS anon_1,
    CAST(anon_3.value ->> %(value_1)s::INT AS TEXT) COLLATE "C" AS anon_2, CAST(anon_3.value ->>
    %(value_2)s::INT AS TEXT) COLLATE "C" AS anon_4, CAST(anon_3.value ->> %(value_3)s::INT AS BIGINT) AS
    anon_5, CAST(anon_3.value ->> %(value_4)s::INT AS BIGINT) AS anon_6
FROM jsonb_array_elements(CAST(%(p_rows)s::VARCHAR COLLATE "C" AS JSONB)) AS anon_3;

-- ADD_STATISTICS
INSERT INTO ft_statistics (owner, documents, tokens) VALUES (%(owner)s::VARCHAR COLLATE "C",
    %(documents)s::BIGINT, %(tokens)s::BIGINT) ON CONFLICT (owner) DO UPDATE SET documents =
    (ft_statistics.documents + excluded.documents), tokens = (ft_statistics.tokens + excluded.tokens);

-- BURIED
SELECT tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.kind = %(p_kind)s::VARCHAR COLLATE
    "C" AND tombstones.key > %(p_after)s::VARCHAR COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR
    COLLATE "C" ORDER BY tombstones.key
LIMIT %(p_limit)s::BIGINT;

-- BURY_DOCUMENTS
UPDATE ft_documents SET version=CASE WHEN (ft_documents.version > %(p_bound)s::BIGINT) THEN
    ft_documents.version ELSE %(p_bound)s::BIGINT END, length=%(length)s::BIGINT WHERE ft_documents.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc IN (__[POSTCOMPILE_p_docs]);

-- CONVERSATION_ENDED
SELECT conversations.deleted_revision
FROM conversations
WHERE conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.id = %(p_key)s::VARCHAR COLLATE
    "C";

-- COUNTED
SELECT count(*) AS documents, CAST(coalesce(sum(ft_documents.length), %(coalesce_1)s::INTEGER) AS BIGINT) AS
    tokens
FROM ft_documents
WHERE ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.length >= %(length_1)s::BIGINT;

-- DOCUMENT_PAGE
SELECT ft_documents.doc
FROM ft_documents
WHERE ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.length >= %(length_1)s::BIGINT
    AND ft_documents.doc > %(p_after)s::VARCHAR COLLATE "C" ORDER BY ft_documents.doc
LIMIT %(p_limit)s::BIGINT;

-- DROP_DOCUMENTS
DELETE FROM ft_documents WHERE ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc IN
    (__[POSTCOMPILE_p_docs]);

-- DROP_POSTINGS
DELETE FROM ft_postings WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.doc IN
    (__[POSTCOMPILE_p_docs]);

-- DROP_STATISTICS
DELETE FROM ft_statistics WHERE ft_statistics.owner = %(s_owner)s::VARCHAR COLLATE "C";

-- FRESH
SELECT live_messages.owner, live_messages.id, live_messages.conversation, live_messages.seq,
    live_messages.role, live_messages.trust, live_messages.content, live_messages.metadata,
    live_messages.observed_at, live_messages.at, live_messages.turn, live_messages.version,
    live_messages.created_revision, live_messages.revision, live_messages.recorded_at,
    live_messages.expires_at, live_messages.expires_turn, live_messages.fingerprint,
    live_messages.deleted_revision
FROM (SELECT substr(dirty.key, %(substr_1)s::INTEGER) AS id
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(store_1)s::VARCHAR COLLATE "C" AND
    dirty.key >= %(key_1)s::VARCHAR COLLATE "C" AND dirty.key < %(key_2)s::VARCHAR COLLATE "C" ORDER BY
    dirty.revision DESC, dirty.key
LIMIT %(p_keys)s::BIGINT) AS waiting JOIN (SELECT messages.owner AS owner, messages.id AS id,
    messages.conversation AS conversation, messages.seq AS seq, messages.role AS role, messages.trust AS
    trust, messages.content AS content, messages.metadata AS metadata, messages.observed_at AS observed_at,
    messages.at AS at, messages.turn AS turn, messages.version AS version, messages.created_revision AS
    created_revision, messages.revision AS revision, messages.recorded_at AS recorded_at, messages.expires_at
    AS expires_at, messages.expires_turn AS expires_turn, messages.fingerprint AS fingerprint,
    messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages ON live_messages.id
    = waiting.id ORDER BY live_messages.at DESC, live_messages.id
LIMIT %(p_limit)s::BIGINT;

-- HELD
SELECT ft_documents.doc, ft_documents.version, ft_documents.length
FROM ft_documents
WHERE ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc IN (__[POSTCOMPILE_p_docs]);

-- HELD_BEFORE
SELECT ft_documents.doc, ft_documents.length
FROM ft_documents
WHERE ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.version <= %(p_bound)s::BIGINT
LIMIT %(p_limit)s::BIGINT;

-- HELD_OF_CONVERSATION
SELECT ft_documents.doc, ft_documents.length, messages.seq
FROM messages JOIN ft_documents ON ft_documents.doc = (%(param_1)s::VARCHAR COLLATE "C" || messages.id)
WHERE ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.length >= %(length_1)s::BIGINT
    AND messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR
    COLLATE "C" AND messages.seq > %(p_after)s::BIGINT ORDER BY messages.seq
LIMIT %(p_limit)s::BIGINT;

-- MESSAGES
SELECT messages.id, messages.content AS text, messages.conversation, messages.seq, messages.revision,
    messages.created_revision, coalesce(messages.deleted_revision, conversations.deleted_revision) AS ended,
    %(param_1)s::BIGINT AS current
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- MESSAGE_PAGE
SELECT messages.id
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND messages.id > %(p_after)s::VARCHAR COLLATE "C" ORDER
    BY messages.id
LIMIT %(p_limit)s::BIGINT;

-- NOTES
SELECT notes.id, notes.text, %(param_1)s::VARCHAR COLLATE "C" AS conversation, %(param_2)s::BIGINT AS seq,
    notes.revision, notes.created_revision, notes.deleted_revision AS ended, CASE WHEN (notes.state =
    %(state_1)s::VARCHAR COLLATE "C") THEN %(param_3)s::INTEGER ELSE %(param_4)s::INTEGER END AS current
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (__[POSTCOMPILE_p_ids]);

-- NOTE_PAGE
SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND notes.state =
    %(state_1)s::VARCHAR COLLATE "C" AND notes.created_revision > %(s_floor)s::BIGINT AND notes.id >
    %(p_after)s::VARCHAR COLLATE "C" ORDER BY notes.id
LIMIT %(p_limit)s::BIGINT;

-- OF_CONVERSATION
SELECT messages.id, messages.seq
FROM messages
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE
    "C" AND messages.seq > %(p_after)s::BIGINT ORDER BY messages.seq
LIMIT %(p_limit)s::BIGINT;

-- POSTINGS
SELECT ft_postings.doc, ft_postings.term, ft_postings.tf, ft_postings.length
FROM ft_postings
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.doc IN (__[POSTCOMPILE_p_docs]);

-- POSTINGS_BEFORE
SELECT count(*) AS count_1
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (ft_documents.doc IS NULL OR
    ft_documents.version <= %(p_bound)s::BIGINT);

-- POSTINGS_OF
SELECT count(*) AS count_1
FROM ft_postings
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.doc IN (__[POSTCOMPILE_p_docs]);

-- PUT_DOCUMENTS
INSERT INTO ft_documents (owner, doc, kind, conversation, seq, version, length) VALUES (%(owner)s::VARCHAR
    COLLATE "C", %(doc)s::VARCHAR COLLATE "C", %(kind)s::VARCHAR COLLATE "C", %(conversation)s::VARCHAR
    COLLATE "C", %(seq)s::BIGINT, %(version)s::BIGINT, %(length)s::BIGINT) ON CONFLICT (owner, doc) DO UPDATE
    SET conversation = excluded.conversation, seq = excluded.seq, version = excluded.version, length =
    excluded.length WHERE ft_documents.version <= excluded.version;

-- STATISTICS
SELECT ft_statistics.documents, ft_statistics.tokens
FROM ft_statistics
WHERE ft_statistics.owner = %(s_owner)s::VARCHAR COLLATE "C";

-- STRAY_OF_OWNER
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc IS NULL
LIMIT %(p_limit)s::BIGINT;

-- STRAY_POSTINGS
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc AND ft_documents.length >= %(length_1)s::BIGINT
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.doc > %(p_after)s::VARCHAR COLLATE
    "C" AND ft_documents.doc IS NULL ORDER BY ft_postings.doc
LIMIT %(p_limit)s::BIGINT;
