-- Statements around the migrations.

-- name: lock
-- Held until the transaction ends. The number is the name of the lock: "relore" in ASCII.
SELECT pg_advisory_xact_lock(125779936506469);

-- name: create_schema
-- Alembic's own table lives in it too, and comes before the first step.
CREATE SCHEMA IF NOT EXISTS relore;

-- name: role_exists
SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = %(role)s;

-- name: create_reader
-- No password is ours to choose: on a server that is not ours the owner becomes the reader by SET ROLE, until the
-- administrator makes a login of its own.
CREATE ROLE {reader} NOLOGIN;

-- name: default_read_only
ALTER ROLE {reader} SET default_transaction_read_only = on;

-- name: default_timeout
ALTER ROLE {reader} SET statement_timeout = '30s';

-- name: let_owner_become_reader
GRANT {reader} TO {owner};
