-- Adding up and storing the books of a repository, and being seen at work on it.

-- name: at_work
-- Shared: passes over one repository may work beside each other.
SELECT pg_advisory_lock_shared(%(class)s, %(repo_id)s);

-- name: see_one_state
-- So that the counts agree with each other.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;

-- name: clock
-- When the transaction began, which is before the state that it sees.
SELECT now();

-- name: held
SELECT facts FROM relore.books WHERE repo_id = %(repo_id)s;

-- name: store
-- Of two countings the later one stays.
INSERT INTO relore.books AS known (repo_id, counted_at, facts)
VALUES (%(repo_id)s, %(counted_at)s, %(facts)s)
ON CONFLICT (repo_id) DO UPDATE SET counted_at = excluded.counted_at, facts = excluded.facts
WHERE known.counted_at < excluded.counted_at;
