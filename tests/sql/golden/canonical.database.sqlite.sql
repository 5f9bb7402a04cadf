-- LOCK_OWNER
SELECT owners.revision, owners.epoch, owners.turn, owners.floor_revision, owners.state, owners.active_at,
    (SELECT tenants.retain_us
FROM tenants
WHERE tenants.tenant = ?) AS retain_us, (SELECT schemas.version
FROM schemas
WHERE schemas.tenant = ? ORDER BY schemas.version DESC
LIMIT ? OFFSET ?) AS schema_version
FROM owners
WHERE owners.owner = ?;

-- RAISE_REVISION
INSERT INTO owners (owner, revision, epoch, turn, floor_revision, state, created_at, active_at, monotonic_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner) DO UPDATE SET revision = (owners.revision + ?),
    epoch = (owners.epoch + ?), turn = (owners.turn + excluded.turn), active_at = CASE WHEN
    (excluded.active_at > owners.active_at OR excluded.active_at < owners.active_at - ?) THEN
    excluded.active_at ELSE owners.active_at + ? END, monotonic_at = CASE WHEN (CASE WHEN (excluded.active_at
    > owners.active_at OR excluded.active_at < owners.active_at - ?) THEN excluded.active_at ELSE
    owners.active_at + ? END > coalesce(owners.monotonic_at, owners.active_at)) THEN CASE WHEN
    (excluded.active_at > owners.active_at OR excluded.active_at < owners.active_at - ?) THEN
    excluded.active_at ELSE owners.active_at + ? END ELSE coalesce(owners.monotonic_at, owners.active_at) + ?
    END RETURNING revision, epoch, turn, floor_revision, state, active_at, (SELECT tenants.retain_us
FROM tenants
WHERE tenant = ?) AS retain_us, (SELECT schemas.version
FROM schemas
WHERE tenant = ? ORDER BY version DESC
LIMIT ? OFFSET ?) AS schema_version, monotonic_at;

-- READ_OWNER
SELECT owners.revision, owners.epoch, owners.turn, owners.floor_revision, owners.state, owners.active_at,
    (SELECT tenants.retain_us
FROM tenants
WHERE tenants.tenant = ?) AS retain_us, (SELECT schemas.version
FROM schemas
WHERE schemas.tenant = ? ORDER BY schemas.version DESC
LIMIT ? OFFSET ?) AS schema_version
FROM owners
WHERE owners.owner = ?;
