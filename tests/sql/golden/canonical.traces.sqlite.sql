-- ADD_TRACE
INSERT INTO traces (owner, id, at, conversation, purpose, tokenizer, budget, tokens, revision, epoch, items,
    omissions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- DROP_OLD
DELETE FROM traces WHERE traces.owner = ? AND traces.at < ? - ?;

-- FRESH
SELECT live_messages.owner, live_messages.id, live_messages.conversation, live_messages.seq,
    live_messages.role, live_messages.trust, live_messages.content, live_messages.metadata,
    live_messages.observed_at, live_messages.at, live_messages.turn, live_messages.version,
    live_messages.created_revision, live_messages.revision, live_messages.recorded_at,
    live_messages.expires_at, live_messages.expires_turn, live_messages.fingerprint,
    live_messages.deleted_revision
FROM dirty CROSS JOIN (SELECT messages.owner AS owner, messages.id AS id, messages.conversation AS
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
    messages.at + ? > ? AND (conversations.retain_us IS NULL OR messages.at + conversations.retain_us > ?)) AS
    live_messages ON live_messages.id = substr(dirty."key", ?)
WHERE dirty.owner = ? AND dirty.store = ? AND substr(dirty."key", ?, ?) = ? ORDER BY live_messages.at DESC,
    live_messages.id
LIMIT ? OFFSET ?;

-- TRACE
SELECT traces.owner, traces.id, traces.at, traces.conversation, traces.purpose, traces.tokenizer,
    traces.budget, traces.tokens, traces.revision, traces.epoch, traces.items, traces.omissions
FROM traces
WHERE traces.owner = ? AND traces.id = ? AND (traces.revision > ? OR ? = ?);

-- TRACES
SELECT traces.owner, traces.id, traces.at, traces.conversation, traces.purpose, traces.tokenizer,
    traces.budget, traces.tokens, traces.revision, traces.epoch, traces.items, traces.omissions
FROM traces
WHERE traces.owner = ? AND (traces.revision > ? OR ? = ?) AND (traces.at, traces.id) < (?, ?) ORDER BY
    traces.at DESC, traces.id DESC
LIMIT ? OFFSET ?;
