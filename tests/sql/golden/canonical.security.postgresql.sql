-- MAY_ACT_AS_OWNER
SELECT pg_has_role(relowner, 'USAGE') FROM pg_catalog.pg_class WHERE oid = to_regclass(%(name)s);

-- MAY_MAINTAIN
SELECT has_table_privilege(to_regclass(%(name)s), 'MAINTAIN');

-- MAY_OPERATE
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_policy p CROSS JOIN unnest(p.polroles) AS role (id) WHERE p.polname
    = %(policy)s AND p.polrelid = to_regclass('dirty') AND pg_has_role(current_user, role.id, 'USAGE'));

-- READ_POLICIES
SELECT n.name AS "table", p.polname AS name, p.polpermissive AS permissive, p.polcmd AS command, ARRAY(SELECT
    rolname::text FROM pg_catalog.pg_roles WHERE oid = ANY (p.polroles)) AS roles, pg_get_expr(p.polqual,
    p.polrelid) AS rule, pg_get_expr(p.polwithcheck, p.polrelid) AS door FROM unnest(CAST(%(names)s AS
    text[])) AS n (name) JOIN pg_catalog.pg_policy p ON p.polrelid = to_regclass(n.name);

-- READ_ROLE
SELECT current_setting('server_version_num')::int / 10000 AS server, current_user AS name, bool_or(rolsuper)
    AS super, bool_or(rolbypassrls) AS bypass FROM pg_catalog.pg_roles WHERE rolname IN (current_user,
    session_user);

-- READ_WALLS
SELECT n.name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced FROM unnest(CAST(%(names)s AS
    text[])) AS n (name) JOIN pg_catalog.pg_class c ON c.oid = to_regclass(n.name);
