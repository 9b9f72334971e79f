-- What the report reads of the benchmark's tables.

-- name: runs
-- Every run's figures; the results of single questions stay where they are.
SELECT run_id, system, set_name, set_digest, configuration, started_at, metrics, '[]'::jsonb AS results, accepted
FROM relore.bench_runs
WHERE repo_id = %(repo_id)s
ORDER BY started_at, run_id, system;

-- name: whole_run
SELECT run_id, system, set_name, set_digest, configuration, started_at, metrics, results, accepted
FROM relore.bench_runs
WHERE repo_id = %(repo_id)s AND run_id = %(run_id)s
ORDER BY system;

-- name: repositories_with_a_frozen_set
SELECT DISTINCT r.full_name
FROM relore.bench_sets s
JOIN relore.repos r ON r.id = s.repo_id
WHERE s.frozen_at IS NOT NULL
ORDER BY r.full_name;
