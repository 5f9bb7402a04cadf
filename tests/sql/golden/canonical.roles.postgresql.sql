-- READ_OWNERS
SELECT n.name, pg_get_userbyid(c.relowner)::text AS owner FROM unnest(CAST(%(names)s AS text[])) AS n (name)
    JOIN pg_catalog.pg_class c ON c.oid = to_regclass(n.name);

-- READ_ROLES
SELECT rolname::text AS name, rolsuper AS super, rolbypassrls AS bypass FROM pg_catalog.pg_roles WHERE rolname
    = ANY (CAST(%(names)s AS text[]));

-- READ_SESSION
SELECT current_user::text AS name, rolsuper AS super, current_database()::text AS database,
    current_schema()::text AS schema, current_setting('server_version_num')::int / 10000 AS server FROM
    pg_catalog.pg_roles WHERE rolname = current_user;
