-- ADD_POSTINGS
INSERT INTO ft_postings (owner, term, doc, tf, length) VALUES (%(owner)s::VARCHAR COLLATE "C",
    %(term)s::VARCHAR COLLATE "C", %(doc)s::VARCHAR COLLATE "C", %(tf)s::BIGINT, %(length)s::BIGINT);

-- ADD_STATISTICS
INSERT INTO ft_statistics (owner, documents, tokens) VALUES (%(owner)s::VARCHAR COLLATE "C",
    %(documents)s::BIGINT, %(tokens)s::BIGINT) ON CONFLICT (owner) DO UPDATE SET documents =
    (ft_statistics.documents + excluded.documents), tokens = (ft_statistics.tokens + excluded.tokens);

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

-- FOUND
SELECT %(param_1)s::VARCHAR COLLATE "C" || live_messages.id AS doc, live_messages.id, live_messages.content AS
    text, live_messages.version, live_messages.revision, live_messages.observed_at, live_messages.at,
    live_messages.conversation, live_messages.seq, live_messages.role, live_messages.trust,
    %(param_2)s::VARCHAR COLLATE "C" AS scope
FROM (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation, messages.seq
    AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content, messages.metadata AS
    metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS turn, messages.version
    AS version, messages.created_revision AS created_revision, messages.revision AS revision,
    messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at > %(s_cutoff)s::BIGINT AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE live_messages.id IN (__[POSTCOMPILE_p_messages]) UNION ALL SELECT %(param_3)s::VARCHAR COLLATE "C" ||
    live_notes.id AS doc, live_notes.id, live_notes.text, live_notes.version, live_notes.revision,
    live_notes.observed_at, live_notes.at, %(param_4)s::VARCHAR COLLATE "C" AS conversation,
    %(param_5)s::BIGINT AS seq, %(param_6)s::VARCHAR COLLATE "C" AS role, %(param_7)s::VARCHAR COLLATE "C" AS
    trust, live_notes.scope
FROM (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope, notes.state AS
    state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS observed_at, notes.at AS
    at, notes.turn AS turn, notes.version AS version, notes.created_revision AS created_revision,
    notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS expires_at,
    notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by, notes.deleted_revision AS
    deleted_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT AND (notes.expires_at IS NULL OR notes.expires_at >
    %(s_now)s::BIGINT) AND (notes.expires_turn IS NULL OR notes.expires_turn > %(s_turn)s::BIGINT) AND
    notes.at > %(s_cutoff)s::BIGINT) AS live_notes
WHERE live_notes.id IN (__[POSTCOMPILE_p_notes]) AND live_notes.state = %(state_1)s::VARCHAR COLLATE "C";

-- FREQUENCIES
SELECT ft_postings.term, count(*) AS df
FROM ft_postings
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.term IN (__[POSTCOMPILE_p_terms])
    GROUP BY ft_postings.term;

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
SELECT anon_1.doc, anon_1.length
FROM (SELECT ft_documents.doc AS doc, ft_documents.length AS length
FROM messages JOIN ft_documents ON ft_documents.owner = messages.owner AND ft_documents.doc =
    (%(param_1)s::VARCHAR COLLATE "C" || messages.id) AND ft_documents.length >= %(length_1)s::BIGINT
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE "C" UNION SELECT ft_documents.doc AS doc,
    ft_documents.length AS length
FROM notes JOIN ft_documents ON ft_documents.owner = notes.owner AND ft_documents.doc = (%(param_2)s::VARCHAR
    COLLATE "C" || notes.id) AND ft_documents.length >= %(length_2)s::BIGINT
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C"
    AND notes.deleted_revision = %(p_bound)s::BIGINT) AS anon_1
LIMIT %(p_limit)s::BIGINT;

-- HELD_OF_RECORDS
SELECT anon_1.doc, anon_1.length
FROM (SELECT ft_documents.doc AS doc, ft_documents.length AS length
FROM tombstones JOIN ft_documents ON ft_documents.owner = tombstones.owner AND ft_documents.doc =
    (tombstones.kind || %(kind_1)s::VARCHAR COLLATE "C" || tombstones.key) AND ft_documents.length >=
    %(length_1)s::BIGINT
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.owner = %(s_owner)s::VARCHAR
    COLLATE "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR COLLATE "C" AND tombstones.kind IN
    (__[POSTCOMPILE_kind_2]) UNION SELECT ft_documents.doc AS doc, ft_documents.length AS length
FROM notes JOIN ft_documents ON ft_documents.owner = notes.owner AND ft_documents.doc = (%(param_1)s::VARCHAR
    COLLATE "C" || notes.id) AND ft_documents.length >= %(length_2)s::BIGINT
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C"
    AND notes.deleted_revision = %(p_bound)s::BIGINT) AS anon_1
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

-- POSTINGS_OF_CONVERSATION
SELECT count(*) AS count_1
FROM messages JOIN ft_postings ON ft_postings.owner = messages.owner AND (%(param_1)s::VARCHAR COLLATE "C" ||
    messages.id) = ft_postings.doc
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE "C";

-- POSTINGS_OF_RECORDS
SELECT count(*) AS count_1
FROM tombstones JOIN ft_postings ON ft_postings.owner = tombstones.owner AND ft_postings.doc =
    (tombstones.kind || %(kind_1)s::VARCHAR COLLATE "C" || tombstones.key)
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR COLLATE "C" AND tombstones.kind IN
    (__[POSTCOMPILE_kind_2]);

-- PUT_DOCUMENTS
INSERT INTO ft_documents (owner, doc, kind, conversation, seq, version, length) VALUES (%(owner)s::VARCHAR
    COLLATE "C", %(doc)s::VARCHAR COLLATE "C", %(kind)s::VARCHAR COLLATE "C", %(conversation)s::VARCHAR
    COLLATE "C", %(seq)s::BIGINT, %(version)s::BIGINT, %(length)s::BIGINT) ON CONFLICT (owner, doc) DO UPDATE
    SET conversation = excluded.conversation, seq = excluded.seq, version = excluded.version, length =
    excluded.length WHERE ft_documents.version <= excluded.version;

-- SEARCH
WITH scored AS
(SELECT ft_postings.doc AS doc, sum((sought.weight * CAST(ft_postings.tf AS DOUBLE PRECISION) * %(p_gain)s) /
    CAST((CAST(ft_postings.tf AS DOUBLE PRECISION) + %(p_base)s + %(p_slope)s * ft_postings.length) AS DOUBLE
    PRECISION)) AS score, CAST(sum(sought.bit) AS BIGINT) AS held
FROM (SELECT CAST(CAST(anon_1.value AS JSONB) ->> %(param_1)s::INT AS TEXT) COLLATE "C" AS term,
    CAST(CAST(anon_1.value AS JSONB) ->> %(param_2)s::INT AS DOUBLE PRECISION) AS weight,
    CAST(CAST(anon_1.value AS JSONB) ->> %(param_3)s::INT AS BIGINT) AS bit
FROM jsonb_array_elements(CAST(%(p_sought)s AS JSONB)) AS anon_1) AS sought JOIN ft_postings ON
    ft_postings.term = sought.term
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" GROUP BY ft_postings.doc),
pool AS
(SELECT hits.doc AS doc, hits.score AS score, hits.held AS held, hits.conversation AS conversation, hits.seq
    AS seq, hits.observed_at AS observed_at
FROM (SELECT scored.doc AS doc, scored.score AS score, scored.held AS held, live_messages.conversation AS
    conversation, live_messages.seq AS seq, live_messages.observed_at AS observed_at
FROM scored JOIN ft_documents ON ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc =
    scored.doc AND ft_documents.length >= %(length_1)s::BIGINT JOIN (SELECT messages.owner AS owner,
    messages.id AS id, messages.conversation AS conversation, messages.seq AS seq, messages.role AS role,
    messages.trust AS trust, messages.content AS content, messages.metadata AS metadata, messages.observed_at
    AS observed_at, messages.at AS at, messages.turn AS turn, messages.version AS version,
    messages.created_revision AS created_revision, messages.revision AS revision, messages.recorded_at AS
    recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS expires_turn,
    messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at > %(s_cutoff)s::BIGINT AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages ON live_messages.id =
    substr(ft_documents.doc, %(substr_1)s::INTEGER) AND live_messages.revision = ft_documents.version
WHERE ft_documents.kind = %(kind_1)s::VARCHAR COLLATE "C" AND (%(p_kind)s::VARCHAR COLLATE "C" IS NULL OR
    %(p_kind)s::VARCHAR COLLATE "C" = %(param_4)s::VARCHAR COLLATE "C") AND (%(p_conversation)s::VARCHAR
    COLLATE "C" IS NULL OR live_messages.conversation = %(p_conversation)s::VARCHAR COLLATE "C") AND
    live_messages.role IN (__[POSTCOMPILE_p_roles]) UNION ALL SELECT scored.doc AS doc, scored.score AS score,
    scored.held AS held, %(param_5)s::VARCHAR COLLATE "C" AS conversation, %(param_6)s::BIGINT AS seq,
    live_notes.observed_at AS observed_at
FROM scored JOIN ft_documents ON ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc =
    scored.doc AND ft_documents.length >= %(length_1)s::BIGINT JOIN (SELECT notes.owner AS owner, notes.id AS
    id, notes.text AS text, notes.scope AS scope, notes.state AS state, notes.source AS source, notes.metadata
    AS metadata, notes.observed_at AS observed_at, notes.at AS at, notes.turn AS turn, notes.version AS
    version, notes.created_revision AS created_revision, notes.revision AS revision, notes.recorded_at AS
    recorded_at, notes.expires_at AS expires_at, notes.expires_turn AS expires_turn, notes.superseded_by AS
    superseded_by, notes.deleted_revision AS deleted_revision
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.deleted_revision IS NULL AND
    notes.created_revision > %(s_floor)s::BIGINT AND (notes.expires_at IS NULL OR notes.expires_at >
    %(s_now)s::BIGINT) AND (notes.expires_turn IS NULL OR notes.expires_turn > %(s_turn)s::BIGINT) AND
    notes.at > %(s_cutoff)s::BIGINT) AS live_notes ON live_notes.id = substr(ft_documents.doc,
    %(substr_2)s::INTEGER) AND live_notes.revision = ft_documents.version
WHERE ft_documents.kind = %(kind_2)s::VARCHAR COLLATE "C" AND live_notes.state = %(state_1)s::VARCHAR COLLATE
    "C" AND (%(p_kind)s::VARCHAR COLLATE "C" IS NULL OR %(p_kind)s::VARCHAR COLLATE "C" = %(param_7)s::VARCHAR
    COLLATE "C") AND (%(p_scoped)s::BIGINT = %(param_8)s::BIGINT OR live_notes.scope IN
    (__[POSTCOMPILE_p_scopes]))) AS hits ORDER BY round(hits.score * %(score_1)s) DESC, hits.observed_at DESC,
    hits.doc
LIMIT %(p_pool)s::BIGINT)
SELECT pool.doc, pool.conversation, pool.seq, pool.observed_at, pool.score, pool.held
FROM pool UNION ALL SELECT DISTINCT ft_documents.doc, beside.conversation, beside.seq, beside.observed_at,
    CAST(NULL AS DOUBLE PRECISION) AS score, CAST(NULL AS BIGINT) AS held
FROM pool JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS conversation,
    messages.seq AS seq, messages.role AS role, messages.trust AS trust, messages.content AS content,
    messages.metadata AS metadata, messages.observed_at AS observed_at, messages.at AS at, messages.turn AS
    turn, messages.version AS version, messages.created_revision AS created_revision, messages.revision AS
    revision, messages.recorded_at AS recorded_at, messages.expires_at AS expires_at, messages.expires_turn AS
    expires_turn, messages.fingerprint AS fingerprint, messages.deleted_revision AS deleted_revision
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at > %(s_cutoff)s::BIGINT AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > %(s_now)s::BIGINT)) AS beside ON beside.conversation = pool.conversation AND
    beside.seq BETWEEN pool.seq - %(p_reach)s::BIGINT AND pool.seq + %(p_reach)s::BIGINT JOIN ft_documents ON
    ft_documents.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc = (%(param_9)s::VARCHAR COLLATE
    "C" || beside.id) AND ft_documents.version = beside.revision AND ft_documents.length >=
    %(length_2)s::BIGINT
WHERE pool.conversation != %(conversation_1)s::VARCHAR COLLATE "C";

-- STATISTICS
SELECT ft_statistics.documents, ft_statistics.tokens
FROM ft_statistics
WHERE ft_statistics.owner = %(s_owner)s::VARCHAR COLLATE "C";

-- STRAY_OF_CONVERSATION
SELECT DISTINCT ft_postings.doc
FROM messages JOIN ft_postings ON ft_postings.owner = messages.owner AND (%(param_1)s::VARCHAR COLLATE "C" ||
    messages.id) = ft_postings.doc
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.conversation = %(p_key)s::VARCHAR COLLATE "C"
LIMIT %(p_limit)s::BIGINT;

-- STRAY_OF_OWNER
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_documents.doc IS NULL
LIMIT %(p_limit)s::BIGINT;

-- STRAY_OF_RECORDS
SELECT DISTINCT ft_postings.doc
FROM tombstones JOIN ft_postings ON ft_postings.owner = tombstones.owner AND ft_postings.doc =
    (tombstones.kind || %(kind_1)s::VARCHAR COLLATE "C" || tombstones.key)
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND tombstones.receipt = %(p_receipt)s::VARCHAR COLLATE "C" AND tombstones.kind IN
    (__[POSTCOMPILE_kind_2])
LIMIT %(p_limit)s::BIGINT;

-- STRAY_POSTINGS
SELECT DISTINCT ft_postings.doc
FROM ft_postings LEFT OUTER JOIN ft_documents ON ft_documents.owner = ft_postings.owner AND ft_documents.doc =
    ft_postings.doc AND ft_documents.length >= %(length_1)s::BIGINT
WHERE ft_postings.owner = %(s_owner)s::VARCHAR COLLATE "C" AND ft_postings.doc > %(p_after)s::VARCHAR COLLATE
    "C" AND ft_documents.doc IS NULL ORDER BY ft_postings.doc
LIMIT %(p_limit)s::BIGINT;
