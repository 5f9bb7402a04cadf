-- ADD_REMOVED
UPDATE receipt_stores SET removed=(receipt_stores.removed + %(p_removed_)s::BIGINT),
    updated_at=%(s_now)s::BIGINT WHERE receipt_stores.owner = %(s_owner)s::VARCHAR COLLATE "C" AND
    receipt_stores.receipt = %(p_receipt)s::VARCHAR COLLATE "C" AND receipt_stores.store =
    %(p_store_)s::VARCHAR COLLATE "C";

-- JUDGE_STORE
UPDATE receipt_stores SET state=%(p_state_)s::VARCHAR COLLATE "C", attempts=(receipt_stores.attempts +
    %(attempts_1)s::BIGINT), error=%(p_error_)s::VARCHAR COLLATE "C", updated_at=%(s_now)s::BIGINT WHERE
    receipt_stores.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipt_stores.receipt =
    %(p_receipt)s::VARCHAR COLLATE "C" AND receipt_stores.store = %(p_store_)s::VARCHAR COLLATE "C" RETURNING
    receipt_stores.attempts;

-- OPEN
SELECT receipts.id
FROM receipts
WHERE receipts.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipts.state != %(state_1)s::VARCHAR COLLATE "C"
    ORDER BY receipts.opened_at, receipts.id
LIMIT %(p_limit)s::BIGINT;

-- RECEIPT
SELECT receipts.owner, receipts.id, receipts.kind, receipts.key, receipts.state, receipts.level,
    receipts.actor, receipts.reason, receipts.revision, receipts.epoch, receipts.opened_at,
    receipts.verified_at, receipts.counts, receipts.purge, receipts.out_of_reach
FROM receipts
WHERE receipts.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipts.id = %(p_id)s::VARCHAR COLLATE "C";

-- RECEIPTS
SELECT receipts.owner, receipts.id, receipts.kind, receipts.key, receipts.state, receipts.level,
    receipts.actor, receipts.reason, receipts.revision, receipts.epoch, receipts.opened_at,
    receipts.verified_at, receipts.counts, receipts.purge, receipts.out_of_reach
FROM receipts
WHERE receipts.owner = %(s_owner)s::VARCHAR COLLATE "C" AND (receipts.revision, receipts.id) >
    (%(p_after)s::BIGINT, %(p_after_id)s::VARCHAR COLLATE "C") ORDER BY receipts.revision, receipts.id
LIMIT %(p_limit)s::BIGINT;

-- RECORDS
SELECT tombstones.receipt, tombstones.kind, tombstones.key
FROM tombstones
WHERE tombstones.owner = %(s_owner)s::VARCHAR COLLATE "C" AND tombstones.receipt IN
    (__[POSTCOMPILE_p_receipts]) ORDER BY tombstones.kind, tombstones.key;

-- REOPEN
UPDATE receipts SET state=%(state)s::VARCHAR COLLATE "C", verified_at=%(verified_at)s::BIGINT WHERE
    receipts.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipts.id = %(p_id)s::VARCHAR COLLATE "C"
    RETURNING receipts.id;

-- SET_STATE
UPDATE receipts SET state=%(p_state_)s::VARCHAR COLLATE "C" WHERE receipts.owner = %(s_owner)s::VARCHAR
    COLLATE "C" AND receipts.id = %(p_id)s::VARCHAR COLLATE "C" AND receipts.state != %(state_1)s::VARCHAR
    COLLATE "C" RETURNING receipts.id;

-- STORES
SELECT receipt_stores.owner, receipt_stores.receipt, receipt_stores.store, receipt_stores.ordinal,
    receipt_stores.state, receipt_stores.attempts, receipt_stores.removed, receipt_stores.error,
    receipt_stores.updated_at
FROM receipt_stores
WHERE receipt_stores.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipt_stores.receipt IN
    (__[POSTCOMPILE_p_receipts]) ORDER BY receipt_stores.receipt, receipt_stores.ordinal;

-- VERIFY
UPDATE receipts SET state=%(state)s::VARCHAR COLLATE "C", level=%(p_level_)s::VARCHAR COLLATE "C",
    verified_at=CASE WHEN (receipts.opened_at > %(s_now)s::BIGINT) THEN receipts.opened_at ELSE
    %(s_now)s::BIGINT END, purge=%(p_purge_)s::VARCHAR WHERE receipts.owner = %(s_owner)s::VARCHAR COLLATE "C"
    AND receipts.id = %(p_id)s::VARCHAR COLLATE "C" AND NOT (EXISTS (SELECT receipt_stores.store
FROM receipt_stores
WHERE receipt_stores.owner = %(s_owner)s::VARCHAR COLLATE "C" AND receipt_stores.receipt = receipts.id AND
    receipt_stores.state != %(state_1)s::VARCHAR COLLATE "C" AND NOT (receipt_stores.store >=
    %(store_1)s::VARCHAR COLLATE "C" AND receipt_stores.store < %(store_2)s::VARCHAR COLLATE "C"))) RETURNING
    receipts.id;
