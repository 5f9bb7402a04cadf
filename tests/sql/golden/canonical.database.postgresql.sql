-- LOCK_OWNER
SELECT owners.revision, owners.epoch, owners.turn, owners.floor_revision, owners.state, owners.active_at,
    (SELECT tenants.retain_us
FROM tenants
WHERE tenants.tenant = %(s_tenant)s::VARCHAR COLLATE "C") AS retain_us, (SELECT schemas.version
FROM schemas
WHERE schemas.tenant = %(s_tenant)s::VARCHAR COLLATE "C" ORDER BY schemas.version DESC
LIMIT %(param_1)s::INTEGER) AS schema_version
FROM owners
WHERE owners.owner = %(s_owner)s::VARCHAR COLLATE "C" FOR UPDATE OF owners;

-- RAISE_REVISION
INSERT INTO owners (owner, revision, epoch, turn, floor_revision, state, created_at, active_at, monotonic_at)
    VALUES (%(s_owner)s::VARCHAR COLLATE "C", %(revision)s::BIGINT, %(epoch)s::BIGINT, %(p_turns)s::BIGINT,
    %(floor_revision)s::BIGINT, %(state)s::VARCHAR COLLATE "C", %(s_now)s::BIGINT, %(s_now)s::BIGINT,
    %(s_now)s::BIGINT) ON CONFLICT (owner) DO UPDATE SET revision = (owners.revision +
    %(revision_1)s::BIGINT), epoch = (owners.epoch + %(p_deletions)s::BIGINT), turn = (owners.turn +
    excluded.turn), active_at = CASE WHEN (excluded.active_at > owners.active_at OR excluded.active_at <
    owners.active_at - %(active_at_1)s::BIGINT) THEN excluded.active_at ELSE owners.active_at +
    %(active_at_2)s::BIGINT END, monotonic_at = CASE WHEN (CASE WHEN (excluded.active_at > owners.active_at OR
    excluded.active_at < owners.active_at - %(active_at_1)s::BIGINT) THEN excluded.active_at ELSE
    owners.active_at + %(active_at_2)s::BIGINT END > coalesce(owners.monotonic_at, owners.active_at)) THEN
    CASE WHEN (excluded.active_at > owners.active_at OR excluded.active_at < owners.active_at -
    %(active_at_1)s::BIGINT) THEN excluded.active_at ELSE owners.active_at + %(active_at_2)s::BIGINT END ELSE
    coalesce(owners.monotonic_at, owners.active_at) + %(coalesce_1)s::BIGINT END RETURNING owners.revision,
    owners.epoch, owners.turn, owners.floor_revision, owners.state, owners.active_at, (SELECT
    tenants.retain_us
FROM tenants
WHERE tenants.tenant = %(s_tenant)s::VARCHAR COLLATE "C") AS retain_us, (SELECT schemas.version
FROM schemas
WHERE schemas.tenant = %(s_tenant)s::VARCHAR COLLATE "C" ORDER BY schemas.version DESC
LIMIT %(param_1)s::INTEGER) AS schema_version, owners.monotonic_at;

-- READ_OWNER
SELECT owners.revision, owners.epoch, owners.turn, owners.floor_revision, owners.state, owners.active_at,
    (SELECT tenants.retain_us
FROM tenants
WHERE tenants.tenant = %(s_tenant)s::VARCHAR COLLATE "C") AS retain_us, (SELECT schemas.version
FROM schemas
WHERE schemas.tenant = %(s_tenant)s::VARCHAR COLLATE "C" ORDER BY schemas.version DESC
LIMIT %(param_1)s::INTEGER) AS schema_version
FROM owners
WHERE owners.owner = %(s_owner)s::VARCHAR COLLATE "C";
