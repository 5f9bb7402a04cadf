-- ADD_REMOVED
UPDATE receipt_stores SET removed=(receipt_stores.removed + ?), updated_at=? WHERE receipt_stores.owner = ?
    AND receipt_stores.receipt = ? AND receipt_stores.store = ?;

-- JUDGE_STORE
UPDATE receipt_stores SET state=?, attempts=(receipt_stores.attempts + ?), error=?, updated_at=? WHERE
    receipt_stores.owner = ? AND receipt_stores.receipt = ? AND receipt_stores.store = ? RETURNING attempts;

-- OPEN
SELECT receipts.id
FROM receipts
WHERE receipts.owner = ? AND receipts.state != ? ORDER BY receipts.opened_at, receipts.id
LIMIT ? OFFSET ?;

-- RECEIPT
SELECT receipts.owner, receipts.id, receipts.kind, receipts."key", receipts.state, receipts.level,
    receipts.actor, receipts.reason, receipts.revision, receipts.epoch, receipts.opened_at,
    receipts.verified_at, receipts.counts, receipts.purge, receipts.out_of_reach
FROM receipts
WHERE receipts.owner = ? AND receipts.id = ?;

-- RECEIPTS
SELECT receipts.owner, receipts.id, receipts.kind, receipts."key", receipts.state, receipts.level,
    receipts.actor, receipts.reason, receipts.revision, receipts.epoch, receipts.opened_at,
    receipts.verified_at, receipts.counts, receipts.purge, receipts.out_of_reach
FROM receipts
WHERE receipts.owner = ? AND (receipts.revision, receipts.id) > (?, ?) ORDER BY receipts.revision, receipts.id
LIMIT ? OFFSET ?;

-- RECORDS
SELECT tombstones.receipt, tombstones.kind, tombstones."key"
FROM tombstones
WHERE tombstones.owner = ? AND tombstones.receipt IN (__[POSTCOMPILE_p_receipts]) ORDER BY tombstones.kind,
    tombstones."key";

-- REOPEN
UPDATE receipts SET state=?, verified_at=? WHERE receipts.owner = ? AND receipts.id = ? RETURNING id;

-- SET_STATE
UPDATE receipts SET state=? WHERE receipts.owner = ? AND receipts.id = ? AND receipts.state != ? RETURNING id;

-- STORES
SELECT receipt_stores.owner, receipt_stores.receipt, receipt_stores.store, receipt_stores.ordinal,
    receipt_stores.state, receipt_stores.attempts, receipt_stores.removed, receipt_stores.error,
    receipt_stores.updated_at
FROM receipt_stores
WHERE receipt_stores.owner = ? AND receipt_stores.receipt IN (__[POSTCOMPILE_p_receipts]) ORDER BY
    receipt_stores.receipt, receipt_stores.ordinal;

-- VERIFY
UPDATE receipts SET state=?, level=?, verified_at=CASE WHEN (receipts.opened_at > ?) THEN receipts.opened_at
    ELSE ? END, purge=? WHERE receipts.owner = ? AND receipts.id = ? AND NOT (EXISTS (SELECT
    receipt_stores.store
FROM receipt_stores
WHERE receipt_stores.owner = ? AND receipt_stores.receipt = receipts.id AND receipt_stores.state != ? AND NOT
    (receipt_stores.store >= ? AND receipt_stores.store < ?))) RETURNING id;
