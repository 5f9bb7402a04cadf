-- ADD_TRACE
INSERT INTO traces (owner, id, at, conversation, purpose, tokenizer, budget, tokens, revision, epoch, items,
    omissions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- DROP_OLD
DELETE FROM traces WHERE traces.owner = ? AND traces.at < ? - ?;

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
