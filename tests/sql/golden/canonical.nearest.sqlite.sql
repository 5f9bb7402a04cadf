-- GIVEN
WITH scored AS
(SELECT json_extract(anon_1.value, ?) AS doc, json_extract(anon_1.value, ?) AS version,
    json_extract(anon_1.value, ?) / (? + 0.0) AS score
FROM json_each(?) AS anon_1),
bar AS
(SELECT coalesce((SELECT round(scored.score * ?) AS rank
FROM scored ORDER BY round(scored.score * ?) DESC
LIMIT ? OFFSET ? * ?), ?) AS least),
near AS
(SELECT scored.doc AS doc, scored.version AS version, scored.score AS score, live_messages.conversation AS
    conversation, live_messages.seq AS seq, live_messages.observed_at AS observed_at
FROM scored CROSS JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS
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
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages ON
    live_messages.id = substr(scored.doc, ?) AND live_messages.revision = scored.version
WHERE round(scored.score * ?) >= (SELECT bar.least
FROM bar) AND substr(scored.doc, ?, ?) = ? AND (? IS NULL OR ? = ?) AND (? IS NULL OR
    live_messages.conversation = ?) UNION ALL SELECT scored.doc AS doc, scored.version AS version,
    scored.score AS score, ? AS conversation, ? AS seq, live_notes.observed_at AS observed_at
FROM scored CROSS JOIN (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope,
    notes.state AS state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS
    observed_at, notes.at AS at, notes.turn AS turn, notes.version AS version, notes.created_revision AS
    created_revision, notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS
    expires_at, notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by,
    notes.deleted_revision AS deleted_revision
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.created_revision > ? AND (notes.expires_at
    IS NULL OR notes.expires_at > ?) AND (notes.expires_turn IS NULL OR notes.expires_turn > ?) AND notes.at +
    ? > ? AND notes.observed_at > ? AND NOT (EXISTS (SELECT note_sources.message
FROM note_sources JOIN messages ON messages.owner = note_sources.owner AND messages.id = note_sources.message
    JOIN conversations ON conversations.owner = messages.owner AND conversations.id = messages.conversation
WHERE note_sources.owner = ? AND messages.owner = ? AND conversations.owner = ? AND note_sources.note =
    notes.id AND NOT (messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > ? AND (messages.expires_at IS NULL OR messages.expires_at > ?) AND
    (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND messages.at + ? > ? AND
    messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > ?
    AND messages.observed_at + conversations.retain_us > ?))))) AS live_notes ON live_notes.id =
    substr(scored.doc, ?) AND live_notes.revision = scored.version
WHERE round(scored.score * ?) >= (SELECT bar.least
FROM bar) AND substr(scored.doc, ?, ?) = ? AND (? IS NULL OR ? = ?) AND live_notes.state = ? AND (? = ? OR
    live_notes.scope IN (__[POSTCOMPILE_p_scopes]))),
pool AS
(SELECT hits.doc AS doc, hits.version AS version, hits.score AS score, hits.conversation AS conversation,
    hits.seq AS seq, hits.observed_at AS observed_at
FROM (SELECT near.doc AS doc, near.version AS version, near.score AS score, near.conversation AS conversation,
    near.seq AS seq, near.observed_at AS observed_at
FROM near UNION ALL SELECT scored.doc AS doc, scored.version AS version, scored.score AS score,
    live_messages.conversation AS conversation, live_messages.seq AS seq, live_messages.observed_at AS
    observed_at
FROM scored CROSS JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS
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
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS live_messages ON
    live_messages.id = substr(scored.doc, ?) AND live_messages.revision = scored.version
WHERE (SELECT count(*) AS count_1
FROM near) < ? AND round(scored.score * ?) < (SELECT bar.least
FROM bar) AND substr(scored.doc, ?, ?) = ? AND (? IS NULL OR ? = ?) AND (? IS NULL OR
    live_messages.conversation = ?) UNION ALL SELECT scored.doc AS doc, scored.version AS version,
    scored.score AS score, ? AS conversation, ? AS seq, live_notes.observed_at AS observed_at
FROM scored CROSS JOIN (SELECT notes.owner AS owner, notes.id AS id, notes.text AS text, notes.scope AS scope,
    notes.state AS state, notes.source AS source, notes.metadata AS metadata, notes.observed_at AS
    observed_at, notes.at AS at, notes.turn AS turn, notes.version AS version, notes.created_revision AS
    created_revision, notes.revision AS revision, notes.recorded_at AS recorded_at, notes.expires_at AS
    expires_at, notes.expires_turn AS expires_turn, notes.superseded_by AS superseded_by,
    notes.deleted_revision AS deleted_revision
FROM notes
WHERE notes.owner = ? AND notes.deleted_revision IS NULL AND notes.created_revision > ? AND (notes.expires_at
    IS NULL OR notes.expires_at > ?) AND (notes.expires_turn IS NULL OR notes.expires_turn > ?) AND notes.at +
    ? > ? AND notes.observed_at > ? AND NOT (EXISTS (SELECT note_sources.message
FROM note_sources JOIN messages ON messages.owner = note_sources.owner AND messages.id = note_sources.message
    JOIN conversations ON conversations.owner = messages.owner AND conversations.id = messages.conversation
WHERE note_sources.owner = ? AND messages.owner = ? AND conversations.owner = ? AND note_sources.note =
    notes.id AND NOT (messages.deleted_revision IS NULL AND conversations.deleted_revision IS NULL AND
    messages.created_revision > ? AND (messages.expires_at IS NULL OR messages.expires_at > ?) AND
    (messages.expires_turn IS NULL OR messages.expires_turn > ?) AND messages.at + ? > ? AND
    messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > ?
    AND messages.observed_at + conversations.retain_us > ?))))) AS live_notes ON live_notes.id =
    substr(scored.doc, ?) AND live_notes.revision = scored.version
WHERE (SELECT count(*) AS count_1
FROM near) < ? AND round(scored.score * ?) < (SELECT bar.least
FROM bar) AND substr(scored.doc, ?, ?) = ? AND (? IS NULL OR ? = ?) AND live_notes.state = ? AND (? = ? OR
    live_notes.scope IN (__[POSTCOMPILE_p_scopes]))) AS hits ORDER BY round(hits.score * ?) DESC,
    hits.observed_at DESC, hits.doc
LIMIT ? OFFSET ?)
SELECT ? AS part, pool.doc, pool.conversation, pool.seq, pool.observed_at, pool.score
FROM pool UNION ALL SELECT DISTINCT ? AS part, ? || beside.id AS doc, beside.conversation, beside.seq,
    beside.observed_at, CAST(NULL AS DOUBLE) AS score
FROM pool CROSS JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS
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
    messages.at + ? > ? AND messages.observed_at > ? AND (conversations.retain_us IS NULL OR messages.at +
    conversations.retain_us > ? AND messages.observed_at + conversations.retain_us > ?)) AS beside ON
    beside.conversation = pool.conversation AND beside.seq BETWEEN pool.seq - ? AND pool.seq + ? CROSS JOIN
    vectors ON vectors.owner = ? AND vectors.doc = (? || beside.id) AND vectors.model = ? AND vectors.part = ?
    AND vectors.version = beside.revision AND vectors.vector IS NOT NULL
WHERE pool.conversation != ?;
