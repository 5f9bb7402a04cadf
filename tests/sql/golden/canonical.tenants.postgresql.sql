-- ADD_SCHEMA
INSERT INTO schemas (tenant, version, body, registered_at) VALUES (%(s_tenant)s::VARCHAR COLLATE "C",
    %(p_version)s::BIGINT, %(p_body)s::VARCHAR, %(s_now)s::BIGINT) ON CONFLICT DO NOTHING RETURNING
    schemas.version;

-- COUNT_READS
INSERT INTO field_reads (tenant, field, reads, last_read_at) VALUES (%(s_tenant)s::VARCHAR COLLATE "C",
    %(p_field)s::VARCHAR COLLATE "C", %(p_reads)s::BIGINT, %(s_now)s::BIGINT) ON CONFLICT (tenant, field) DO
    UPDATE SET reads = (field_reads.reads + excluded.reads), last_read_at = excluded.last_read_at;

-- READS
SELECT field_reads.field, field_reads.reads, field_reads.last_read_at
FROM field_reads
WHERE field_reads.tenant = %(s_tenant)s::VARCHAR COLLATE "C";

-- RETENTION
SELECT tenants.retain_us
FROM tenants
WHERE tenants.tenant = %(s_tenant)s::VARCHAR COLLATE "C";

-- SCHEMA
SELECT schemas.version, schemas.body
FROM schemas
WHERE schemas.tenant = %(s_tenant)s::VARCHAR COLLATE "C" ORDER BY schemas.version DESC
LIMIT %(param_1)s::INTEGER;

-- SCHEMA_VERSION
SELECT schemas.version, schemas.body
FROM schemas
WHERE schemas.tenant = %(s_tenant)s::VARCHAR COLLATE "C" AND schemas.version = %(p_version)s::BIGINT;

-- SET_RETENTION
INSERT INTO tenants (tenant, retain_us, created_at, revision) VALUES (%(s_tenant)s::VARCHAR COLLATE "C",
    %(p_retain)s::BIGINT, %(s_now)s::BIGINT, %(revision)s::BIGINT) ON CONFLICT (tenant) DO UPDATE SET
    retain_us = excluded.retain_us, revision = (tenants.revision + %(revision_1)s::BIGINT);
