-- BURY
UPDATE vectors SET version=CASE WHEN (vectors.version > %(p_bound)s::BIGINT) THEN vectors.version ELSE
    %(p_bound)s::BIGINT END, dim=%(dim)s::BIGINT, input_hash=%(input_hash)s::VARCHAR COLLATE "C", vector=NULL
    WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc IN (__[POSTCOMPILE_p_docs]) AND
    vectors.part = %(part_1)s::BIGINT AND vectors.vector IS NOT NULL;

-- DOCS_OF_SET
SELECT DISTINCT vectors.doc
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.model = %(p_model)s::VARCHAR COLLATE "C"
LIMIT %(p_limit)s::BIGINT;

-- DROP
DELETE FROM vectors WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc IN
    (__[POSTCOMPILE_p_docs]);

-- DROP_BEFORE
DELETE FROM vectors WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.version <=
    %(p_bound)s::BIGINT AND vectors.doc IN (__[POSTCOMPILE_p_docs]);

-- DROP_EMPTY_SETS
DELETE FROM vector_sets WHERE vector_sets.owner = %(s_owner)s::VARCHAR COLLATE "C" AND NOT (EXISTS (SELECT
    vectors.doc
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.model = vector_sets.model));

-- DROP_OF_MODEL
DELETE FROM vectors WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc IN
    (__[POSTCOMPILE_p_docs]) AND vectors.model = %(p_model)s::VARCHAR COLLATE "C";

-- DROP_PARTS
DELETE FROM vectors WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc IN
    (__[POSTCOMPILE_p_docs]) AND vectors.part > %(part_1)s::BIGINT;

-- DROP_SET
DELETE FROM vector_sets WHERE vector_sets.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vector_sets.model =
    %(p_model)s::VARCHAR COLLATE "C";

-- HELD
SELECT vectors.doc, vectors.model, min(vectors.version) AS version, min(vectors.input_hash) AS input_hash,
    min(CASE WHEN (vectors.vector IS NOT NULL AND coalesce(cardinality(vectors.vector),
    %(coalesce_1)s::INTEGER) = vectors.dim) THEN %(param_1)s::INTEGER ELSE %(param_2)s::INTEGER END) AS whole,
    max(CASE WHEN (vectors.vector IS NOT NULL) THEN %(param_3)s::INTEGER ELSE %(param_4)s::INTEGER END) AS
    alive, count(*) AS parts
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc IN (__[POSTCOMPILE_p_docs]) GROUP BY
    vectors.doc, vectors.model;

-- HELD_BEFORE
SELECT DISTINCT vectors.doc
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.version <= %(p_bound)s::BIGINT
LIMIT %(p_limit)s::BIGINT;

-- HELD_OF_CONVERSATION
SELECT DISTINCT vectors.doc, messages.seq
FROM messages JOIN vectors ON vectors.doc = (%(param_1)s::VARCHAR COLLATE "C" || messages.id)
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.vector IS NOT NULL AND messages.owner =
    %(s_owner)s::VARCHAR COLLATE "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE "C" AND
    messages.seq > %(p_after)s::BIGINT ORDER BY messages.seq
LIMIT %(p_limit)s::BIGINT;

-- HELD_PAGE
SELECT DISTINCT vectors.doc
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc > %(p_after)s::VARCHAR COLLATE "C" AND
    vectors.vector IS NOT NULL ORDER BY vectors.doc
LIMIT %(p_limit)s::BIGINT;

-- LEFT
SELECT count(*) AS count_1
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc IN (__[POSTCOMPILE_p_docs]) AND
    vectors.vector IS NOT NULL;

-- LEFT_BEFORE
SELECT count(*) AS count_1
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.version <= %(p_bound)s::BIGINT;

-- MESSAGES
SELECT messages.id, messages.content AS text, messages.metadata, messages.revision, messages.created_revision,
    coalesce(messages.deleted_revision, conversations.deleted_revision) AS ended
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.id IN (__[POSTCOMPILE_p_ids]);

-- MISSING_MESSAGES
SELECT messages.id
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND messages.id > %(p_after)s::VARCHAR COLLATE "C" AND NOT
    (EXISTS (SELECT vectors.doc
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc = (%(param_1)s::VARCHAR COLLATE "C" ||
    messages.id) AND vectors.model = %(p_model)s::VARCHAR COLLATE "C" AND vectors.part = %(part_1)s::BIGINT
    AND vectors.version = messages.revision AND vectors.vector IS NOT NULL)) AND NOT (EXISTS (SELECT dirty.key
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(store_1)s::VARCHAR COLLATE "C" AND
    dirty.key = (%(param_1)s::VARCHAR COLLATE "C" || messages.id))) ORDER BY messages.id
LIMIT %(p_limit)s::BIGINT;

-- MISSING_NOTES
SELECT notes.id
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND notes.state =
    %(state_1)s::VARCHAR COLLATE "C" AND notes.created_revision > %(s_floor)s::BIGINT AND notes.id >
    %(p_after)s::VARCHAR COLLATE "C" AND NOT (EXISTS (SELECT vectors.doc
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc = (%(param_1)s::VARCHAR COLLATE "C" ||
    notes.id) AND vectors.model = %(p_model)s::VARCHAR COLLATE "C" AND vectors.part = %(part_1)s::BIGINT AND
    vectors.version = notes.revision AND vectors.vector IS NOT NULL)) AND NOT (EXISTS (SELECT dirty.key
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(store_1)s::VARCHAR COLLATE "C" AND
    dirty.key = (%(param_1)s::VARCHAR COLLATE "C" || notes.id))) ORDER BY notes.id
LIMIT %(p_limit)s::BIGINT;

-- NOTES
SELECT notes.id, notes.text, notes.revision, notes.created_revision, coalesce(notes.deleted_revision, CASE
    WHEN (notes.state = %(state_1)s::VARCHAR COLLATE "C") THEN NULL ELSE notes.revision END) AS ended
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (__[POSTCOMPILE_p_ids]);

-- OTHERS_WAIT
SELECT dirty.key
FROM dirty
WHERE dirty.owner = %(s_owner)s::VARCHAR COLLATE "C" AND dirty.store = %(store_1)s::VARCHAR COLLATE "C" AND
    (dirty.attempts = %(attempts_1)s::BIGINT OR substr(dirty.error, %(substr_1)s::INTEGER,
    %(substr_2)s::INTEGER) != %(substr_3)s::VARCHAR) AND (dirty.key NOT IN (__[POSTCOMPILE_p_keys])) AND
    substr(dirty.key, %(substr_4)s::INTEGER, %(substr_5)s::INTEGER) != %(substr_6)s::VARCHAR
LIMIT %(param_1)s::INTEGER;

-- PUT_SET
INSERT INTO vector_sets (owner, model, state) VALUES (%(owner)s::VARCHAR COLLATE "C", %(model)s::VARCHAR
    COLLATE "C", %(state)s::VARCHAR COLLATE "C") ON CONFLICT (owner, model) DO UPDATE SET state =
    excluded.state;

-- PUT_VECTORS
INSERT INTO vectors (owner, doc, model, part, version, dim, input_hash, vector) VALUES (%(owner)s::VARCHAR
    COLLATE "C", %(doc)s::VARCHAR COLLATE "C", %(model)s::VARCHAR COLLATE "C", %(part)s::BIGINT,
    %(version)s::BIGINT, %(dim)s::BIGINT, %(input_hash)s::VARCHAR COLLATE "C", %(vector)s::REAL[]) ON CONFLICT
    (owner, doc, model, part) DO UPDATE SET version = excluded.version, dim = excluded.dim, input_hash =
    excluded.input_hash, vector = excluded.vector WHERE vectors.version <= excluded.version;

-- RENEW
UPDATE vectors SET version=%(p_version)s::BIGINT WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND
    vectors.doc = %(p_doc)s::VARCHAR COLLATE "C" AND vectors.model = %(p_model)s::VARCHAR COLLATE "C" AND
    vectors.vector IS NOT NULL;

-- RETIRE_OTHERS
UPDATE vector_sets SET state=%(state)s::VARCHAR COLLATE "C" WHERE vector_sets.owner = %(s_owner)s::VARCHAR
    COLLATE "C" AND vector_sets.model != %(p_model)s::VARCHAR COLLATE "C" RETURNING vector_sets.model;

-- SETS
SELECT vector_sets.model, vector_sets.state
FROM vector_sets
WHERE vector_sets.owner = %(s_owner)s::VARCHAR COLLATE "C" ORDER BY vector_sets.model;

-- STORED
SELECT vectors.doc, vectors.version, array_send(vectors.vector) AS vector
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.model = %(p_model)s::VARCHAR COLLATE "C"
    AND vectors.dim = %(p_dim)s::BIGINT AND vectors.vector IS NOT NULL;
