-- GIVEN
WITH scored AS
(SELECT CAST(anon_1.value ->> %(value_1)s::INT AS TEXT) COLLATE "C" AS doc, CAST(anon_1.value ->>
    %(value_2)s::INT AS BIGINT) AS version, CAST(anon_1.value ->> %(value_3)s::INT AS DOUBLE PRECISION) /
    CAST(%(param_2)s AS DOUBLE PRECISION) AS score
FROM jsonb_array_elements(CAST(%(p_cosines)s::VARCHAR COLLATE "C" AS JSONB)) AS anon_1),
bar AS
(SELECT coalesce((SELECT round(scored.score * %(score_1)s) AS rank
FROM scored ORDER BY round(scored.score * %(score_1)s) DESC
LIMIT %(param_3)s::INTEGER OFFSET %(p_pool)s::BIGINT * %(param_4)s::BIGINT), %(param_5)s) AS least),
near AS
(SELECT scored.doc AS doc, scored.version AS version, scored.score AS score, row.conversation AS conversation,
    row.seq AS seq, row.observed_at AS observed_at
FROM scored JOIN LATERAL (SELECT live_messages.owner AS owner, live_messages.id AS id,
    live_messages.conversation AS conversation, live_messages.seq AS seq, live_messages.role AS role,
    live_messages.trust AS trust, live_messages.content AS content, live_messages.metadata AS metadata,
    live_messages.observed_at AS observed_at, live_messages.at AS at, live_messages.turn AS turn,
    live_messages.version AS version, live_messages.created_revision AS created_revision,
    live_messages.revision AS revision, live_messages.recorded_at AS recorded_at, live_messages.expires_at AS
    expires_at, live_messages.expires_turn AS expires_turn, live_messages.fingerprint AS fingerprint,
    live_messages.deleted_revision AS deleted_revision
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
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE live_messages.id = substr(scored.doc, %(substr_1)s::INTEGER) AND live_messages.revision = scored.version
LIMIT ALL OFFSET 0) AS row ON true
WHERE round(scored.score * %(score_1)s) >= (SELECT bar.least
FROM bar) AND substr(scored.doc, %(substr_2)s::INTEGER, %(substr_3)s::INTEGER) = %(substr_4)s::VARCHAR AND
    (%(p_kind)s::VARCHAR COLLATE "C" IS NULL OR %(param_6)s::VARCHAR COLLATE "C" = %(p_kind)s::VARCHAR COLLATE
    "C") AND (%(p_conversation)s::VARCHAR COLLATE "C" IS NULL OR row.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C") UNION ALL SELECT scored.doc AS doc, scored.version AS version,
    scored.score AS score, %(param_7)s::VARCHAR COLLATE "C" AS conversation, %(param_8)s::BIGINT AS seq,
    row.observed_at AS observed_at
FROM scored JOIN LATERAL (SELECT live_notes.owner AS owner, live_notes.id AS id, live_notes.text AS text,
    live_notes.scope AS scope, live_notes.state AS state, live_notes.source AS source, live_notes.metadata AS
    metadata, live_notes.observed_at AS observed_at, live_notes.at AS at, live_notes.turn AS turn,
    live_notes.version AS version, live_notes.created_revision AS created_revision, live_notes.revision AS
    revision, live_notes.recorded_at AS recorded_at, live_notes.expires_at AS expires_at,
    live_notes.expires_turn AS expires_turn, live_notes.superseded_by AS superseded_by,
    live_notes.deleted_revision AS deleted_revision
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
    notes.at + %(at_2)s::BIGINT > %(s_cutoff)s::BIGINT AND notes.observed_at > %(s_cutoff)s::BIGINT AND NOT
    (EXISTS (SELECT note_sources.message
FROM note_sources JOIN messages ON messages.owner = note_sources.owner AND messages.id = note_sources.message
    JOIN conversations ON conversations.owner = messages.owner AND conversations.id = messages.conversation
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note = notes.id AND NOT
    (messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT))))) AS live_notes
WHERE live_notes.id = substr(scored.doc, %(substr_5)s::INTEGER) AND live_notes.revision = scored.version
LIMIT ALL OFFSET 0) AS row ON true
WHERE round(scored.score * %(score_1)s) >= (SELECT bar.least
FROM bar) AND substr(scored.doc, %(substr_6)s::INTEGER, %(substr_7)s::INTEGER) = %(substr_8)s::VARCHAR AND
    (%(p_kind)s::VARCHAR COLLATE "C" IS NULL OR %(param_9)s::VARCHAR COLLATE "C" = %(p_kind)s::VARCHAR COLLATE
    "C") AND row.state = %(state_1)s::VARCHAR COLLATE "C" AND (%(p_scoped)s::BIGINT = %(param_10)s::BIGINT OR
    row.scope IN (__[POSTCOMPILE_p_scopes]))),
pool AS
(SELECT hits.doc AS doc, hits.version AS version, hits.score AS score, hits.conversation AS conversation,
    hits.seq AS seq, hits.observed_at AS observed_at
FROM (SELECT near.doc AS doc, near.version AS version, near.score AS score, near.conversation AS conversation,
    near.seq AS seq, near.observed_at AS observed_at
FROM near UNION ALL SELECT scored.doc AS doc, scored.version AS version, scored.score AS score,
    row.conversation AS conversation, row.seq AS seq, row.observed_at AS observed_at
FROM scored JOIN LATERAL (SELECT live_messages.owner AS owner, live_messages.id AS id,
    live_messages.conversation AS conversation, live_messages.seq AS seq, live_messages.role AS role,
    live_messages.trust AS trust, live_messages.content AS content, live_messages.metadata AS metadata,
    live_messages.observed_at AS observed_at, live_messages.at AS at, live_messages.turn AS turn,
    live_messages.version AS version, live_messages.created_revision AS created_revision,
    live_messages.revision AS revision, live_messages.recorded_at AS recorded_at, live_messages.expires_at AS
    expires_at, live_messages.expires_turn AS expires_turn, live_messages.fingerprint AS fingerprint,
    live_messages.deleted_revision AS deleted_revision
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
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE live_messages.id = substr(scored.doc, %(substr_9)s::INTEGER) AND live_messages.revision = scored.version
LIMIT ALL OFFSET 0) AS row ON true
WHERE (SELECT count(*) AS count_1
FROM near) < %(p_pool)s::BIGINT AND round(scored.score * %(score_1)s) < (SELECT bar.least
FROM bar) AND substr(scored.doc, %(substr_10)s::INTEGER, %(substr_11)s::INTEGER) = %(substr_12)s::VARCHAR AND
    (%(p_kind)s::VARCHAR COLLATE "C" IS NULL OR %(param_11)s::VARCHAR COLLATE "C" = %(p_kind)s::VARCHAR
    COLLATE "C") AND (%(p_conversation)s::VARCHAR COLLATE "C" IS NULL OR row.conversation =
    %(p_conversation)s::VARCHAR COLLATE "C") UNION ALL SELECT scored.doc AS doc, scored.version AS version,
    scored.score AS score, %(param_12)s::VARCHAR COLLATE "C" AS conversation, %(param_13)s::BIGINT AS seq,
    row.observed_at AS observed_at
FROM scored JOIN LATERAL (SELECT live_notes.owner AS owner, live_notes.id AS id, live_notes.text AS text,
    live_notes.scope AS scope, live_notes.state AS state, live_notes.source AS source, live_notes.metadata AS
    metadata, live_notes.observed_at AS observed_at, live_notes.at AS at, live_notes.turn AS turn,
    live_notes.version AS version, live_notes.created_revision AS created_revision, live_notes.revision AS
    revision, live_notes.recorded_at AS recorded_at, live_notes.expires_at AS expires_at,
    live_notes.expires_turn AS expires_turn, live_notes.superseded_by AS superseded_by,
    live_notes.deleted_revision AS deleted_revision
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
    notes.at + %(at_2)s::BIGINT > %(s_cutoff)s::BIGINT AND notes.observed_at > %(s_cutoff)s::BIGINT AND NOT
    (EXISTS (SELECT note_sources.message
FROM note_sources JOIN messages ON messages.owner = note_sources.owner AND messages.id = note_sources.message
    JOIN conversations ON conversations.owner = messages.owner AND conversations.id = messages.conversation
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note = notes.id AND NOT
    (messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > %(s_floor)s::BIGINT AND (messages.expires_at IS NULL OR messages.expires_at >
    %(s_now)s::BIGINT) AND (messages.expires_turn IS NULL OR messages.expires_turn > %(s_turn)s::BIGINT) AND
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT))))) AS live_notes
WHERE live_notes.id = substr(scored.doc, %(substr_13)s::INTEGER) AND live_notes.revision = scored.version
LIMIT ALL OFFSET 0) AS row ON true
WHERE (SELECT count(*) AS count_1
FROM near) < %(p_pool)s::BIGINT AND round(scored.score * %(score_1)s) < (SELECT bar.least
FROM bar) AND substr(scored.doc, %(substr_14)s::INTEGER, %(substr_15)s::INTEGER) = %(substr_16)s::VARCHAR AND
    (%(p_kind)s::VARCHAR COLLATE "C" IS NULL OR %(param_14)s::VARCHAR COLLATE "C" = %(p_kind)s::VARCHAR
    COLLATE "C") AND row.state = %(state_2)s::VARCHAR COLLATE "C" AND (%(p_scoped)s::BIGINT =
    %(param_15)s::BIGINT OR row.scope IN (__[POSTCOMPILE_p_scopes]))) AS hits ORDER BY round(hits.score *
    %(score_2)s) DESC, hits.observed_at DESC, hits.doc
LIMIT %(p_pool)s::BIGINT)
SELECT %(param_1)s::VARCHAR COLLATE "C" AS part, pool.doc, pool.conversation, pool.seq, pool.observed_at,
    pool.score
FROM pool UNION ALL SELECT DISTINCT %(param_16)s::VARCHAR COLLATE "C" AS part, %(param_17)s::VARCHAR COLLATE
    "C" || beside.id AS doc, beside.conversation, beside.seq, beside.observed_at, CAST(NULL AS DOUBLE
    PRECISION) AS score
FROM pool JOIN LATERAL (SELECT live_messages.id AS id, live_messages.conversation AS conversation,
    live_messages.seq AS seq, live_messages.observed_at AS observed_at, live_messages.revision AS revision
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
    messages.at + %(at_1)s::BIGINT > %(s_cutoff)s::BIGINT AND messages.observed_at > %(s_cutoff)s::BIGINT AND
    (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > %(s_now)s::BIGINT AND
    messages.observed_at + conversations.retain_us > %(s_now)s::BIGINT)) AS live_messages
WHERE live_messages.conversation = pool.conversation AND live_messages.seq BETWEEN pool.seq -
    %(p_reach)s::BIGINT AND pool.seq + %(p_reach)s::BIGINT
LIMIT ALL OFFSET 0) AS beside ON true JOIN LATERAL (SELECT vectors.doc AS doc
FROM vectors
WHERE vectors.owner = %(s_owner)s::VARCHAR COLLATE "C" AND vectors.doc = (%(param_18)s::VARCHAR COLLATE "C" ||
    beside.id) AND vectors.model = %(p_model)s::VARCHAR COLLATE "C" AND vectors.part = %(part_1)s::BIGINT AND
    vectors.version = beside.revision AND vectors.vector IS NOT NULL
LIMIT ALL OFFSET 0) AS kept ON true
WHERE pool.conversation != %(conversation_1)s::VARCHAR COLLATE "C";
