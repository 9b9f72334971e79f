-- Statements of the server about itself.

-- name: alive
-- Whether Postgres answers at all.
SELECT 1;

-- name: absent
-- Those of some threads that are not held.
SELECT x.repo, x.number
FROM unnest(%(repos)s::text[], %(numbers)s::bigint[]) WITH ORDINALITY AS x (repo, number, place)
WHERE NOT EXISTS (
    SELECT
    FROM relore.repos r
    JOIN relore.threads t ON t.repo_id = r.id
    WHERE r.full_name = x.repo AND t.number = x.number
)
ORDER BY x.place;

-- name: metrics
-- Sums over all repositories of what was counted when passes ended, and what passes and GitHub last said: a few rows,
-- and none of them named after a repository.
WITH counted AS (
    SELECT count(*) AS repositories,
           sum((books.facts ->> 'threads')::bigint) AS threads,
           sum((books.facts ->> 'documents')::bigint) AS documents,
           sum((books.facts ->> 'raw_objects')::bigint) AS raw_objects,
           sum((books.facts ->> 'unexplained')::bigint) AS unexplained_objects
    FROM relore.repos AS repo
    LEFT JOIN relore.books AS books ON books.repo_id = repo.id
), passes AS (
    SELECT repo_id, split_part(pass, ':', 1) AS pass, max(last_ok_at) AS last_ok_at
    FROM relore.sync_state
    GROUP BY repo_id, split_part(pass, ':', 1)
)
SELECT fact.name, '{}'::text[] AS labels, coalesce(fact.value, 0)::float8 AS value
FROM counted
CROSS JOIN LATERAL (VALUES ('repositories', repositories), ('threads', threads), ('documents', documents),
                           ('raw_objects', raw_objects),
                           ('unexplained_objects', unexplained_objects)) AS fact (name, value)
UNION ALL
SELECT 'pass_last_success_timestamp_seconds', ARRAY [pass], extract(epoch FROM min(last_ok_at))::float8
FROM passes
WHERE last_ok_at IS NOT NULL
GROUP BY pass
UNION ALL
SELECT 'github_quota_remaining', ARRAY [token_name, resource], remaining::float8
FROM relore.quotas
ORDER BY 1, 2;
