-- What `status` reads each time. One cheap statement a section; each names the repositories it is about. What would
-- have to be counted over whole tables was counted before, see counting.sql.

-- name: repositories
-- Each repository with its books as they were last added up.
SELECT repo.id, repo.full_name, repo.source_kind, books.counted_at, books.facts
FROM relore.repos AS repo
LEFT JOIN relore.books AS books ON books.repo_id = repo.id
WHERE repo.id = ANY (%(repo_ids)s::integer[])
ORDER BY lower(repo.full_name);

-- name: every
SELECT id FROM relore.repos;

-- name: schema
SELECT version_num AS version FROM relore.schema_version;

-- name: passes
-- How far each pass has come. A window is through when all its marks are; a mark whose last run came later than it
-- last went well is of a run that is under way, or did not end. A pass without windows has its mark at 0001-01-01.
WITH windows AS (
    SELECT repo_id, split_part(pass, ':', 1) AS pass, window_start,
           max(high_water) AS high_water, max(last_run_at) AS last_run_at, max(last_ok_at) AS last_ok_at,
           max(cursor) AS cursor, max(error) AS error,
           bool_or(last_run_at IS NOT NULL AND (last_ok_at IS NULL OR last_ok_at < last_run_at)) AS is_unfinished
    FROM relore.sync_state
    WHERE repo_id = ANY (%(repo_ids)s::integer[])
    GROUP BY repo_id, split_part(pass, ':', 1), window_start
)
SELECT windows.repo_id, repo.full_name AS repo, windows.pass, max(high_water) AS high_water,
       max(last_run_at) AS last_run_at, max(last_ok_at) AS last_ok_at, max(cursor) AS cursor, max(error) AS error,
       bool_or(is_unfinished) AS is_unfinished,
       coalesce(array_agg(window_start ORDER BY window_start)
                    FILTER (WHERE window_start > '0001-01-01' AND NOT is_unfinished), '{}') AS windows_through,
       coalesce(array_agg(window_start ORDER BY window_start)
                    FILTER (WHERE window_start > '0001-01-01' AND is_unfinished), '{}') AS windows_open
FROM windows
JOIN relore.repos AS repo ON repo.id = windows.repo_id
GROUP BY windows.repo_id, repo.full_name, windows.pass
ORDER BY lower(repo.full_name), windows.pass;

-- name: holders
-- Passes that a living session holds its lock for; see `presence`. Postgres lets go of the locks of a session that ends.
SELECT DISTINCT lock.objid::integer AS repo_id, class.pass
FROM pg_catalog.pg_locks AS lock
JOIN unnest(%(passes)s::text[], %(classes)s::integer[]) AS class (pass, number)
  ON class.number::bigint = lock.classid::bigint
WHERE lock.locktype = 'advisory' AND lock.objsubid = 2 AND lock.granted
  AND lock.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
  AND lock.objid::bigint = ANY (%(repo_ids)s::bigint[])
ORDER BY 1, 2;

-- name: activity
-- What fetching runs are doing, and what the last run of each pass did and cost. Runs are kept for good, so the names of
-- passes, and of each its last run, are taken from the index one by one.
WITH RECURSIVE passes AS (
    SELECT repo.id AS repo_id,
           (SELECT min(run.pass) FROM relore.fetch_activity AS run WHERE run.repo_id = repo.id) AS pass
    FROM unnest(%(repo_ids)s::integer[]) AS repo (id)
    UNION ALL
    SELECT passes.repo_id,
           (SELECT min(run.pass) FROM relore.fetch_activity AS run
            WHERE run.repo_id = passes.repo_id AND run.pass > passes.pass)
    FROM passes
    WHERE passes.pass IS NOT NULL
), runs AS (
    SELECT last.*
    FROM passes
    CROSS JOIN LATERAL (
        SELECT run.* FROM relore.fetch_activity AS run
        WHERE run.repo_id = passes.repo_id AND run.pass = passes.pass
        ORDER BY run.started_at DESC, run.run_id
        LIMIT 1
    ) AS last
    UNION
    SELECT run.*
    FROM relore.fetch_activity AS run
    WHERE run.repo_id = ANY (%(repo_ids)s::integer[]) AND run.ended_at IS NULL
      AND greatest(run.seen_at, run.waiting_until) > %(alive_since)s
)
SELECT repo_id, pass, run_id, started_at, seen_at, ended_at, doing, waiting_for, waiting_until, done, total,
       requests, not_modified, points, retries, waited_seconds, worked_seconds, error
FROM runs
ORDER BY repo_id, started_at DESC, pass, run_id;

-- name: quotas
-- GitHub's newest word on what is left.
SELECT token_name, resource, allowed, remaining, resets_at, seen_at
FROM relore.quotas ORDER BY token_name, resource;

-- name: samples
-- Histories of which only a part was fetched, as declared before the first request.
SELECT repo.full_name AS repo, sample.kind, sample.merged_only, sample.floor, sample.declared_at
FROM relore.samples AS sample
JOIN relore.repos AS repo ON repo.id = sample.repo_id
WHERE sample.repo_id = ANY (%(repo_ids)s::integer[])
ORDER BY lower(repo.full_name), sample.kind, sample.merged_only;

-- name: removals
-- What was removed at the source or on request, by reason and kind; people by number alone.
SELECT repo_id, reason, kind, count(*) AS objects, max(removed_at) AS last_at
FROM relore.tombstones
WHERE repo_id = ANY (%(repo_ids)s::integer[])
GROUP BY repo_id, reason, kind
UNION ALL
SELECT repo_id, 'forgotten', 'author', count(*), max(forgotten_at)
FROM relore.forgotten_authors
WHERE repo_id = ANY (%(repo_ids)s::integer[])
GROUP BY repo_id
ORDER BY repo_id, reason, kind;

-- name: rules
-- The oldest version of each rule that rows were written with.
SELECT repo_id, rule, version FROM relore.rule_versions
WHERE repo_id = ANY (%(repo_ids)s::integer[])
ORDER BY repo_id, rule;

-- name: authors
-- People by the standing they have or had.
SELECT repo_id, tier, count(DISTINCT login) AS logins
FROM relore.authors
WHERE repo_id = ANY (%(repo_ids)s::integer[])
GROUP BY repo_id, tier;
