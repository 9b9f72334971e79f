-- Statements of the server about itself.

-- name: alive
-- Whether Postgres answers at all.
SELECT 1;
