-- Statements about the session and the schema itself.

-- name: configure
-- Makes a session the reader's: settings first, then SET ROLE, which takes no parameters in that spelling. Several
-- statements in one transaction see one state of the tables. What a session has prepared is planned once: the plan of
-- a search takes longer to find than its page, and is the same whatever is asked. Compiling plans never pays, nor does
-- remembering what a look-up found: hardly any key is looked up twice.
SELECT set_config('default_transaction_read_only', 'on', false),
       set_config('default_transaction_isolation', 'repeatable read', false),
       set_config('plan_cache_mode', 'force_generic_plan', false),
       set_config('jit', 'off', false),
       set_config('enable_memoize', 'off', false),
       set_config('statement_timeout', %(statement_timeout)s, false),
       set_config('role', %(role)s, false);

-- name: has_schema
SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = 'relore' AND tablename = 'schema_version';

-- name: schema_version
SELECT version_num FROM relore.schema_version;
