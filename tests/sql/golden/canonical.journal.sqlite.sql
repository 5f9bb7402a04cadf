-- CATCH_UP
UPDATE owners SET revision=CASE WHEN (owners.revision < ?) THEN ? ELSE owners.revision END, epoch=CASE WHEN
    (owners.epoch < ?) THEN ? ELSE owners.epoch END WHERE owners.owner = ? RETURNING revision;

-- DELETIONS
SELECT receipts.id, receipts.kind, receipts."key", receipts.actor, receipts.reason
FROM receipts
WHERE receipts.owner = ? AND receipts.id IN (__[POSTCOMPILE_p_ids]);

-- FLOORS
SELECT live_values.field, live_values.scope, live_values.status, live_values.reason, live_values.floor_at,
    live_values.floor_seq, live_values.floor_version
FROM (SELECT field_values.owner AS owner, field_values.field AS field, field_values.scope AS scope,
    field_values.version AS version, field_values.status AS status, field_values.value AS value,
    field_values.confidence AS confidence, field_values.claim AS claim, field_values.observed_at AS
    observed_at, field_values.turn AS turn, field_values.at AS at, field_values.probability AS probability,
    field_values.belief AS belief, field_values.reason AS reason, field_values.floor_at AS floor_at,
    field_values.floor_seq AS floor_seq, field_values.floor_version AS floor_version,
    field_values.opened_revision AS opened_revision, field_values.opened_at AS opened_at,
    field_values.closed_revision AS closed_revision, field_values.superseded_by AS superseded_by
FROM field_values
WHERE field_values.owner = ? AND field_values.closed_revision IS NULL AND field_values.opened_revision > ?) AS
    live_values
WHERE live_values.floor_at IS NOT NULL ORDER BY live_values.field, live_values.scope;

-- GRAVES_SINCE
SELECT tombstones.owner, tombstones.kind, tombstones."key", tombstones.revision, tombstones.epoch,
    tombstones.at, tombstones.receipt, tombstones.actor, tombstones.reason, tombstones.fingerprint,
    tombstones.conversation
FROM tombstones
WHERE tombstones.owner = ? AND (tombstones.kind, tombstones."key") > (?, ?) AND tombstones.revision > ? ORDER
    BY tombstones.kind, tombstones."key"
LIMIT ? OFFSET ?;
