-- ADD_POSTINGS
INSERT INTO ft_postings (owner, term, doc, tf, length) SELECT ? AS anon_1, json_extract(anon_2.value, ?) AS
    json_extract_1, json_extract(anon_2.value, ?) AS json_extract_3, json_extract(anon_2.value, ?) AS
    json_extract_5, json_extract(anon_2.value, ?) AS json_extract_7
FROM json_each(?) AS anon_2;

-- ADD_STATISTICS
INSERT INTO ft_statistics (owner, documents, tokens) VALUES (?, ?, ?) ON CONFLICT (owner) DO UPDATE SET
    documents = (ft_statistics.documents + excluded.documents), tokens = (ft_statistics.tokens +
    excluded.tokens);

-- BURIED
SELECT tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.kind = ? AND tombstones."key" > ? AND tombstones.receipt = ? ORDER
    BY tombstones."key"
LIMIT ? OFFSET ?;

-- BURY_DOCUMENTS
UPDATE ft_documents SET version=CASE WHEN (ft_documents.version > ?) THEN ft_documents.version ELSE ? END,
    length=? WHERE ft_documents.owner = ? AND ft_documents.doc IN (__[POSTCOMPILE_p_docs]);

-- CONVERSATION_ENDED
SELECT conversations.deleted_revision
FROM conversations
WHERE conversations.owner = ? AND conversations.id = ?;

-- COUNTED
SELECT count(*) AS documents, CAST(coalesce(sum(ft_documents.length), ?) AS INTEGER) AS tokens
FROM ft_documents
WHERE ft_documents.owner = ? AND ft_documents.length >= ?;

-- DOCUMENT_PAGE
SELECT ft_documents.doc
FROM ft_documents
WHERE ft_documents.owner = ? AND ft_documents.length >= ? AND ft_documents.doc > ? ORDER BY ft_documents.doc
LIMIT ? OFFSET ?;

-- DROP_DOCUMENTS
DELETE FROM ft_documents WHERE ft_documents.owner = ? AND ft_documents.doc IN (__[POSTCOMPILE_p_docs]);

-- DROP_POSTINGS
DELETE FROM ft_postings WHERE ft_postings.owner = ? AND ft_postings.doc IN (__[POSTCOMPILE_p_docs]);

-- DROP_STATISTICS
DELETE FROM ft_statistics WHERE ft_statistics.owner = ?;

-- FRESH
SELECT live_messages.owner, live_messages.id, live_messages.conversation, live_messages.seq,
    live_messages.role, live_messages.trust, live_messages.content, live_messages.metadata,
    live_messages.observed_at, live_messages.at, live_messages.turn, live_messages.version,
    live_messages.created_revision, live_messages.revision, live_messages.recorded_at,
    live_messages.expires_at, live_messages.expires_turn, live_messages.fingerprint,
    live_messages.deleted_revision
FROM (SELECT substr(dirty."key", ?) AS id
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" >= ? AND dirty."key" < ? ORDER BY dirty.revision
    DESC, dirty."key"
LIMIT ? OFFSET ?) AS waiting CROSS JOIN (SELECT messages.owner AS owner, messages.id AS id,
    messages.conversation AS conversation, messages.seq AS seq, messages.role AS role, messages.trust AS
    trust, messages.content AS content, messages.metadata AS metadata, messages.observed_at AS observed_at,
    messages.at AS at, messages.turn AS turn, messages.version AS version, messages.created_revision AS
    created_revision, messages.revision AS revision, messages.recorded_at AS recorded_at, messages.expires_at
    AS expires_at, messages.expires_turn AS expires_turn, messages.fingerprint AS fingerprint,
    messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages ON
    live_messages.id = waiting.id ORDER BY live_messages.at DESC, live_messages.id
LIMIT ? OFFSET ?;

-- HELD
SELECT ft_documents.doc, ft_documents.version, ft_documents.length
FROM ft_documents
WHERE ft_documents.owner = ? AND ft_documents.doc IN (__[POSTCOMPILE_p_docs]);

-- HELD_BEFORE
SELECT ft_documents.doc, ft_documents.length
FROM ft_documents
WHERE ft_documents.owner = ? AND ft_documents.version <= ?
LIMIT ? OFFSET ?;

-- HELD_OF_CONVERSATION
SELECT ft_documents.doc, ft_documents.length, messages.seq
FROM messages CROSS JOIN ft_documents ON ft_documents.doc = (? || messages.id)
WHERE ft_documents.owner = ? AND ft_documents.length >= ? AND messages.owner = ? AND messages.conversation = ?
    AND messages.seq > ? ORDER BY messages.seq
LIMIT ? OFFSET ?;

-- MESSAGES
SELECT messages.id, messages.content AS text, messages.conversation, messages.seq, messages.revision,
    messages.created_revision, coalesce(messages.deleted_revision, conversations.deleted_revision) AS ended, ?
    AS current
FROM messages CROSS JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- MESSAGE_PAGE
SELECT messages.id
FROM messages CROSS JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND messages.id > ? ORDER BY
    messages.id
LIMIT ? OFFSET ?;

-- NOTES
SELECT notes.id, notes.text, ? AS conversation, ? AS seq, notes.revision, notes.created_revision,
    notes.deleted_revision AS ended, CASE WHEN (notes.state = ?) THEN ? ELSE ? END AS current
FROM notes
WHERE notes.owner = ? AND notes.id IN (__[POSTCOMPILE_p_ids]);

-- NOTE_PAGE
SELECT notes.id
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.state = ? AND notes.created_revision > ?
    AND notes.id > ? ORDER BY notes.id
LIMIT ? OFFSET ?;

-- OF_CONVERSATION
SELECT messages.id, messages.seq
FROM messages
WHERE messages.owner = ? AND messages.conversation = ? AND messages.seq > ? ORDER BY messages.seq
LIMIT ? OFFSET ?;

-- POSTINGS
SELECT ft_postings.doc, ft_postings.term, ft_postings.tf, ft_postings.length
FROM ft_postings
WHERE ft_postings.owner = ? AND ft_postings.doc IN (__[POSTCOMPILE_p_docs]);

-- POSTINGS_BEFORE
SELECT count(*) AS count_1
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc
WHERE ft_postings.owner = ? AND (ft_documents.doc IS NULL OR ft_documents.version <= ?);

-- POSTINGS_OF
SELECT count(*) AS count_1
FROM ft_postings
WHERE ft_postings.owner = ? AND ft_postings.doc IN (__[POSTCOMPILE_p_docs]);

-- PUT_DOCUMENTS
INSERT INTO ft_documents (owner, doc, kind, conversation, seq, version, length) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner, doc) DO UPDATE SET conversation = excluded.conversation, seq = excluded.seq, version =
    excluded.version, length = excluded.length WHERE ft_documents.version <= excluded.version;

-- STATISTICS
SELECT ft_statistics.documents, ft_statistics.tokens
FROM ft_statistics
WHERE ft_statistics.owner = ?;

-- STRAY_OF_OWNER
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc
WHERE ft_postings.owner = ? AND ft_documents.doc IS NULL
LIMIT ? OFFSET ?;

-- STRAY_POSTINGS
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc AND ft_documents.length >= ?
WHERE ft_postings.owner = ? AND ft_postings.doc > ? AND ft_documents.doc IS NULL ORDER BY ft_postings.doc
LIMIT ? OFFSET ?;
