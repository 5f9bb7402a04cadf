-- ADD_POSTINGS
INSERT INTO ft_postings (owner, term, doc, tf, length) VALUES (?, ?, ?, ?, ?);

-- ADD_STATISTICS
INSERT INTO ft_statistics (owner, documents, tokens) VALUES (?, ?, ?) ON CONFLICT (owner) DO UPDATE SET
    documents = (ft_statistics.documents + excluded.documents), tokens = (ft_statistics.tokens +
    excluded.tokens);

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

-- FOUND
SELECT ? || live_messages.id AS doc, live_messages.id, live_messages.content AS text, live_messages.version,
    live_messages.revision, live_messages.observed_at, live_messages.at, live_messages.conversation,
    live_messages.seq, live_messages.role, live_messages.trust, ? AS scope
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
    messages.at > ? AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > ?)) AS
    live_messages
WHERE live_messages.id IN (__[POSTCOMPILE_p_messages]) UNION ALL SELECT ? || live_notes.id AS doc,
    live_notes.id, live_notes.text, live_notes.version, live_notes.revision, live_notes.observed_at,
    live_notes.at, ? AS conversation, ? AS seq, ? AS role, ? AS trust, live_notes.scope
FROM (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope, notes.state AS
    state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS observed_at, notes.at AS
    at, notes.turn AS turn, notes.version AS version, notes.created_revision AS created_revision,
    notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS expires_at,
    notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by, notes.deleted_revision AS
    deleted_revision
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.created_revision > ? AND (notes.expires_at
    IS NULL OR notes.expires_at > ?) AND (notes.expires_turn IS NULL OR notes.expires_turn > ?) AND notes.at >
    ?) AS live_notes
WHERE live_notes.id IN (__[POSTCOMPILE_p_notes]) AND live_notes.state = ?;

-- FREQUENCIES
SELECT ft_postings.term, count(*) AS df
FROM ft_postings
WHERE ft_postings.owner = ? AND ft_postings.term IN (__[POSTCOMPILE_p_terms]) GROUP BY ft_postings.term;

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
SELECT anon_1.doc, anon_1.length
FROM (SELECT ft_documents.doc AS doc, ft_documents.length AS length
FROM messages JOIN ft_documents ON ft_documents.owner = messages.owner AND ft_documents.doc = (? ||
    messages.id) AND ft_documents.length >= ?
WHERE messages.owner = ? AND ft_documents.owner = ? AND messages.conversation = ? UNION SELECT
    ft_documents.doc AS doc, ft_documents.length AS length
FROM notes JOIN ft_documents ON ft_documents.owner = notes.owner AND ft_documents.doc = (? || notes.id) AND
    ft_documents.length >= ?
WHERE notes.owner = ? AND ft_documents.owner = ? AND notes.deleted_revision = ?) AS anon_1
LIMIT ? OFFSET ?;

-- HELD_OF_RECORDS
SELECT anon_1.doc, anon_1.length
FROM (SELECT ft_documents.doc AS doc, ft_documents.length AS length
FROM tombstones JOIN ft_documents ON ft_documents.owner = tombstones.owner AND ft_documents.doc =
    (tombstones.kind || ? || tombstones."key") AND ft_documents.length >= ?
WHERE tombstones.owner = ? AND ft_documents.owner = ? AND tombstones.receipt = ? AND tombstones.kind IN
    (__[POSTCOMPILE_kind_2]) UNION SELECT ft_documents.doc AS doc, ft_documents.length AS length
FROM notes JOIN ft_documents ON ft_documents.owner = notes.owner AND ft_documents.doc = (? || notes.id) AND
    ft_documents.length >= ?
WHERE notes.owner = ? AND ft_documents.owner = ? AND notes.deleted_revision = ?) AS anon_1
LIMIT ? OFFSET ?;

-- MESSAGES
SELECT messages.id, messages.content AS text, messages.conversation, messages.seq, messages.revision,
    messages.created_revision, coalesce(messages.deleted_revision, conversations.deleted_revision) AS ended, ?
    AS current
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- MESSAGE_PAGE
SELECT messages.id
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
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

-- POSTINGS
SELECT ft_postings.doc, ft_postings.term, ft_postings.tf, ft_postings.length
FROM ft_postings
WHERE ft_postings.owner = ? AND ft_postings.doc IN (__[POSTCOMPILE_p_docs]);

-- POSTINGS_BEFORE
SELECT count(*) AS count_1
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc
WHERE ft_postings.owner = ? AND (ft_documents.doc IS NULL OR ft_documents.version <= ?);

-- POSTINGS_OF_CONVERSATION
SELECT count(*) AS count_1
FROM messages JOIN ft_postings ON ft_postings.owner = messages.owner AND (? || messages.id) = ft_postings.doc
WHERE messages.owner = ? AND ft_postings.owner = ? AND messages.conversation = ?;

-- POSTINGS_OF_RECORDS
SELECT count(*) AS count_1
FROM tombstones JOIN ft_postings ON ft_postings.owner = tombstones.owner AND ft_postings.doc =
    (tombstones.kind || ? || tombstones."key")
WHERE tombstones.owner = ? AND ft_postings.owner = ? AND tombstones.receipt = ? AND tombstones.kind IN
    (__[POSTCOMPILE_kind_2]);

-- PUT_DOCUMENTS
INSERT INTO ft_documents (owner, doc, kind, conversation, seq, version, length) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (owner, doc) DO UPDATE SET conversation = excluded.conversation, seq = excluded.seq, version =
    excluded.version, length = excluded.length WHERE ft_documents.version <= excluded.version;

-- SEARCH
WITH scored AS
(SELECT ft_postings.doc AS doc, sum((sought.weight * CAST(ft_postings.tf AS DOUBLE) * ?) /
    ((CAST(ft_postings.tf AS DOUBLE) + ? + ? * ft_postings.length) + 0.0)) AS score, CAST(sum(sought.bit) AS
    INTEGER) AS held
FROM (SELECT json_extract(anon_1.value, ?) AS term, json_extract(anon_1.value, ?) AS weight,
    json_extract(anon_1.value, ?) AS bit
FROM json_each(?) AS anon_1) AS sought JOIN ft_postings ON ft_postings.term = sought.term
WHERE ft_postings.owner = ? GROUP BY ft_postings.doc),
pool AS
(SELECT hits.doc AS doc, hits.score AS score, hits.held AS held, hits.conversation AS conversation, hits.seq
    AS seq, hits.observed_at AS observed_at
FROM (SELECT scored.doc AS doc, scored.score AS score, scored.held AS held, live_messages.conversation AS
    conversation, live_messages.seq AS seq, live_messages.observed_at AS observed_at
FROM scored JOIN ft_documents ON ft_documents.owner = ? AND ft_documents.doc = scored.doc AND
    ft_documents.length >= ? JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS
    conversation, messages.seq AS seq, messages.role AS role, messages.trust AS trust, messages.content AS
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
    messages.at > ? AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > ?)) AS
    live_messages ON live_messages.id = substr(ft_documents.doc, ?) AND live_messages.revision =
    ft_documents.version
WHERE ft_documents.kind = ? AND (? IS NULL OR ? = ?) AND (? IS NULL OR live_messages.conversation = ?) AND
    live_messages.role IN (__[POSTCOMPILE_p_roles]) UNION ALL SELECT scored.doc AS doc, scored.score AS score,
    scored.held AS held, ? AS conversation, ? AS seq, live_notes.observed_at AS observed_at
FROM scored JOIN ft_documents ON ft_documents.owner = ? AND ft_documents.doc = scored.doc AND
    ft_documents.length >= ? JOIN (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text,
    notes.scope AS scope, notes.state AS state, notes.source AS source, notes.metadata AS metadata,
    notes.observed_at AS observed_at, notes.at AS at, notes.turn AS turn, notes.version AS version,
    notes.created_revision AS created_revision, notes.revision AS revision, notes.recorded_at AS recorded_at,
    notes.expires_at AS expires_at, notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by,
    notes.deleted_revision AS deleted_revision
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.created_revision > ? AND (notes.expires_at
    IS NULL OR notes.expires_at > ?) AND (notes.expires_turn IS NULL OR notes.expires_turn > ?) AND notes.at >
    ?) AS live_notes ON live_notes.id = substr(ft_documents.doc, ?) AND live_notes.revision =
    ft_documents.version
WHERE ft_documents.kind = ? AND live_notes.state = ? AND (? IS NULL OR ? = ?) AND (? = ? OR live_notes.scope
    IN (__[POSTCOMPILE_p_scopes]))) AS hits ORDER BY round(hits.score * ?) DESC, hits.observed_at DESC,
    hits.doc
LIMIT ? OFFSET ?)
SELECT pool.doc, pool.conversation, pool.seq, pool.observed_at, pool.score, pool.held
FROM pool UNION ALL SELECT DISTINCT ft_documents.doc, beside.conversation, beside.seq, beside.observed_at,
    CAST(NULL AS DOUBLE) AS score, CAST(NULL AS INTEGER) AS held
FROM pool JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation,
    messages.seq AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content,
    messages.metadata AS metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS
    turn, messages.version AS version, messages.created_revision AS created_revision, messages.revision AS
    revision, messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND (messages.expires_at IS NULL
    OR messages.expires_at > ?) AND (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND
    messages.at > ? AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > ?)) AS
    beside ON beside.conversation = pool.conversation AND beside.seq BETWEEN pool.seq - ? AND pool.seq + ?
    JOIN ft_documents ON ft_documents.owner = ? AND ft_documents.doc = (? || beside.id) AND
    ft_documents.version = beside.revision AND ft_documents.length >= ?
WHERE pool.conversation != ?;

-- STATISTICS
SELECT ft_statistics.documents, ft_statistics.tokens
FROM ft_statistics
WHERE ft_statistics.owner = ?;

-- STRAY_OF_CONVERSATION
SELECT DISTINCT ft_postings.doc
FROM messages JOIN ft_postings ON ft_postings.owner = messages.owner AND (? || messages.id) = ft_postings.doc
WHERE messages.owner = ? AND ft_postings.owner = ? AND messages.conversation = ?
LIMIT ? OFFSET ?;

-- STRAY_OF_OWNER
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc
WHERE ft_postings.owner = ? AND ft_documents.doc IS NULL
LIMIT ? OFFSET ?;

-- STRAY_OF_RECORDS
SELECT DISTINCT ft_postings.doc
FROM tombstones JOIN ft_postings ON ft_postings.owner = tombstones.owner AND ft_postings.doc =
    (tombstones.kind || ? || tombstones."key")
WHERE tombstones.owner = ? AND ft_postings.owner = ? AND tombstones.receipt = ? AND tombstones.kind IN
    (__[POSTCOMPILE_kind_2])
LIMIT ? OFFSET ?;

-- STRAY_POSTINGS
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc AND ft_documents.length >= ?
WHERE ft_postings.owner = ? AND ft_postings.doc > ? AND ft_documents.doc IS NULL ORDER BY ft_postings.doc
LIMIT ? OFFSET ?;
