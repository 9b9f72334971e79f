-- Rows of relore.repos.

-- name: find
SELECT id, full_name, source_kind, source_location
FROM relore.repos
WHERE lower(full_name) = lower(%(full_name)s);

-- name: every
SELECT id, full_name, source_kind, source_location FROM relore.repos ORDER BY lower(full_name);

-- name: register
-- The first spelling stays. Nothing is written when nothing changes.
INSERT INTO relore.repos AS known (full_name, source_kind, source_location)
VALUES (%(full_name)s, %(source_kind)s, %(source_location)s)
ON CONFLICT (lower(full_name)) DO UPDATE
SET source_kind = excluded.source_kind, source_location = excluded.source_location
WHERE (known.source_kind, known.source_location) IS DISTINCT FROM (excluded.source_kind, excluded.source_location)
  AND NOT (known.source_kind = 'api' AND excluded.source_kind = 'archive');

-- name: rename
-- What is staged, marks and removals included, stays the repository's.
UPDATE relore.repos SET full_name = %(full_name)s WHERE id = %(repo_id)s;

-- name: derive_again
-- Links tell threads of the own repository by its name, so every thread is to be derived anew.
UPDATE relore.threads SET input_hash = '' WHERE repo_id = %(repo_id)s;

-- name: rename_sets
-- Sets of the benchmark stay the repository's; their questions keep the ids that they were frozen with.
UPDATE relore.bench_sets SET header = jsonb_set(header, '{repo}', to_jsonb(%(full_name)s::text))
WHERE repo_id = %(repo_id)s;
