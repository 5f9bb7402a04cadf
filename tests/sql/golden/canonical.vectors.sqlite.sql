-- BURY
UPDATE vectors SET version=CASE WHEN (vectors.version > ?) THEN vectors.version ELSE ? END, dim=?,
    input_hash=?, vector=NULL WHERE vectors.owner = ? AND vectors.doc IN (__[POSTCOMPILE_p_docs]) AND
    vectors.part = ? AND vectors.vector IS NOT NULL;

-- DOCS_OF_SET
SELECT DISTINCT vectors.doc
FROM vectors
WHERE vectors.owner = ? AND vectors.model = ?
LIMIT ? OFFSET ?;

-- DROP
DELETE FROM vectors WHERE vectors.owner = ? AND vectors.doc IN (__[POSTCOMPILE_p_docs]);

-- DROP_BEFORE
DELETE FROM vectors WHERE vectors.owner = ? AND vectors.version <= ? AND vectors.doc IN
    (__[POSTCOMPILE_p_docs]);

-- DROP_EMPTY_SETS
DELETE FROM vector_sets WHERE vector_sets.owner = ? AND NOT (EXISTS (SELECT vectors.doc
FROM vectors
WHERE vectors.owner = ? AND vectors.model = vector_sets.model));

-- DROP_OF_MODEL
DELETE FROM vectors WHERE vectors.owner = ? AND vectors.doc IN (__[POSTCOMPILE_p_docs]) AND vectors.model = ?;

-- DROP_PARTS
DELETE FROM vectors WHERE vectors.owner = ? AND vectors.doc IN (__[POSTCOMPILE_p_docs]) AND vectors.part > ?;

-- DROP_SET
DELETE FROM vector_sets WHERE vector_sets.owner = ? AND vector_sets.model = ?;

-- HELD
SELECT vectors.doc, vectors.model, min(vectors.version) AS version, min(vectors.input_hash) AS input_hash,
    min(CASE WHEN (vectors.vector IS NOT NULL AND length(vectors.vector) / (? + 0.0) = vectors.dim) THEN ?
    ELSE ? END) AS whole, max(CASE WHEN (vectors.vector IS NOT NULL) THEN ? ELSE ? END) AS alive, count(*) AS
    parts
FROM vectors
WHERE vectors.owner = ? AND vectors.doc IN (__[POSTCOMPILE_p_docs]) GROUP BY vectors.doc, vectors.model;

-- HELD_BEFORE
SELECT DISTINCT vectors.doc
FROM vectors
WHERE vectors.owner = ? AND vectors.version <= ?
LIMIT ? OFFSET ?;

-- HELD_OF_CONVERSATION
SELECT DISTINCT vectors.doc, messages.seq
FROM messages CROSS JOIN vectors ON vectors.doc = (? || messages.id)
WHERE vectors.owner = ? AND vectors.vector IS NOT NULL AND messages.owner = ? AND messages.conversation = ?
    AND messages.seq > ? ORDER BY messages.seq
LIMIT ? OFFSET ?;

-- HELD_PAGE
SELECT DISTINCT vectors.doc
FROM vectors
WHERE vectors.owner = ? AND vectors.doc > ? AND vectors.vector IS NOT NULL ORDER BY vectors.doc
LIMIT ? OFFSET ?;

-- LEFT
SELECT count(*) AS count_1
FROM vectors
WHERE vectors.owner = ? AND vectors.doc IN (__[POSTCOMPILE_p_docs]) AND vectors.vector IS NOT NULL;

-- LEFT_BEFORE
SELECT count(*) AS count_1
FROM vectors
WHERE vectors.owner = ? AND vectors.version <= ?;

-- MESSAGES
SELECT messages.id, messages.content AS text, messages.metadata, messages.revision, messages.created_revision,
    coalesce(messages.deleted_revision, conversations.deleted_revision) AS ended
FROM messages CROSS JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- MISSING_MESSAGES
SELECT messages.id
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = ? AND conversations.owner = ? AND messages.deleted_revision IS NULL AND
    conversations.deleted_revision IS NULL AND messages.created_revision > ? AND messages.id > ? AND NOT
    (EXISTS (SELECT vectors.doc
FROM vectors
WHERE vectors.owner = ? AND vectors.doc = (? || messages.id) AND vectors.model = ? AND vectors.part = ? AND
    vectors.version = messages.revision AND vectors.vector IS NOT NULL)) AND NOT (EXISTS (SELECT dirty."key"
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" = (? || messages.id))) ORDER BY messages.id
LIMIT ? OFFSET ?;

-- MISSING_NOTES
SELECT notes.id
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.state = ? AND notes.created_revision > ?
    AND notes.id > ? AND NOT (EXISTS (SELECT vectors.doc
FROM vectors
WHERE vectors.owner = ? AND vectors.doc = (? || notes.id) AND vectors.model = ? AND vectors.part = ? AND
    vectors.version = notes.revision AND vectors.vector IS NOT NULL)) AND NOT (EXISTS (SELECT dirty."key"
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND dirty."key" = (? || notes.id))) ORDER BY notes.id
LIMIT ? OFFSET ?;

-- NOTES
SELECT notes.id, notes.text, notes.revision, notes.created_revision, coalesce(notes.deleted_revision, CASE
    WHEN (notes.state = ?) THEN NULL ELSE notes.revision END) AS ended
FROM notes
WHERE notes.owner = ? AND notes.id IN (__[POSTCOMPILE_p_ids]);

-- OTHERS_WAIT
SELECT dirty."key"
FROM dirty
WHERE dirty.owner = ? AND dirty.store = ? AND (dirty.attempts = ? OR substr(dirty.error, ?, ?) != ?) AND
    (dirty."key" NOT IN (__[POSTCOMPILE_p_keys])) AND substr(dirty."key", ?, ?) != ?
LIMIT ? OFFSET ?;

-- PUT_SET
INSERT INTO vector_sets (owner, model, state) VALUES (?, ?, ?) ON CONFLICT (owner, model) DO UPDATE SET state
    = excluded.state;

-- PUT_VECTORS
INSERT INTO vectors (owner, doc, model, part, version, dim, input_hash, vector) VALUES (?, ?, ?, ?, ?, ?, ?,
    ?) ON CONFLICT (owner, doc, model, part) DO UPDATE SET version = excluded.version, dim = excluded.dim,
    input_hash = excluded.input_hash, vector = excluded.vector WHERE vectors.version <= excluded.version;

-- RENEW
UPDATE vectors SET version=? WHERE vectors.owner = ? AND vectors.doc = ? AND vectors.model = ? AND
    vectors.vector IS NOT NULL;

-- RETIRE_OTHERS
UPDATE vector_sets SET state=? WHERE vector_sets.owner = ? AND vector_sets.model != ? RETURNING model;

-- SETS
SELECT vector_sets.model, vector_sets.state
FROM vector_sets
WHERE vector_sets.owner = ? ORDER BY vector_sets.model;

-- STORED
SELECT vectors.doc, vectors.version, vectors.vector AS vector
FROM vectors
WHERE vectors.owner = ? AND vectors.model = ? AND vectors.dim = ? AND vectors.vector IS NOT NULL;
