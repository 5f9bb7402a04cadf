-- ADD_SCHEMA
INSERT INTO schemas (tenant, version, body, registered_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
    RETURNING version;

-- COUNT_READS
INSERT INTO field_reads (tenant, field, reads, last_read_at) VALUES (?, ?, ?, ?) ON CONFLICT (tenant, field)
    DO UPDATE SET reads = (field_reads.reads + excluded.reads), last_read_at = excluded.last_read_at;

-- READS
SELECT field_reads.field, field_reads.reads, field_reads.last_read_at
FROM field_reads
WHERE field_reads.tenant = ?;

-- RETENTION
SELECT tenants.retain_us
FROM tenants
WHERE tenants.tenant = ?;

-- SCHEMA
SELECT schemas.version, schemas.body
FROM schemas
WHERE schemas.tenant = ? ORDER BY schemas.version DESC
LIMIT ? OFFSET ?;

-- SCHEMA_VERSION
SELECT schemas.version, schemas.body
FROM schemas
WHERE schemas.tenant = ? AND schemas.version = ?;

-- SET_RETENTION
INSERT INTO tenants (tenant, retain_us, created_at, revision) VALUES (?, ?, ?, ?) ON CONFLICT (tenant) DO
    UPDATE SET retain_us = excluded.retain_us, revision = (tenants.revision + ?);
