-- Taking staged objects out.

-- name: lock_threads
-- The lock that derive holds while it writes a thread.
SELECT pg_advisory_xact_lock(%(repo_id)s, number) FROM unnest(%(numbers)s::int[]) AS number ORDER BY number;

-- name: remove_objects
-- Single objects go; that they existed stays. What was asked to be forgotten is never turned into less.
WITH gone AS (
    DELETE FROM relore.raw_objects AS stored
    USING unnest(%(kinds)s::text[], %(object_ids)s::text[]) AS unwanted (kind, object_id)
    WHERE stored.repo_id = %(repo_id)s AND stored.kind = unwanted.kind AND stored.object_id = unwanted.object_id
      AND (%(since)s::timestamptz IS NULL OR stored.fetched_at < %(since)s)
    RETURNING stored.kind, stored.object_id, stored.thread_number, stored.github_updated_at
), remembered AS (
    INSERT INTO relore.tombstones AS known (repo_id, kind, object_id, thread_number, reason, removed_at)
    SELECT %(repo_id)s, kind, object_id, thread_number, %(reason)s, clock_timestamp() FROM gone
    ON CONFLICT (repo_id, kind, object_id) DO UPDATE
    SET reason = excluded.reason, removed_at = excluded.removed_at
    WHERE known.reason <> 'forgotten'
)
SELECT thread_number, kind,
       coalesce(date_trunc('quarter', github_updated_at AT TIME ZONE 'UTC')::date, '0001-01-01'), 1
FROM gone;

-- name: remove_threads
-- Everything under some numbers goes, unless any of it has just been stored.
WITH unwanted AS (
    SELECT number FROM unnest(%(numbers)s::int[]) AS number
    WHERE %(since)s::timestamptz IS NULL OR NOT EXISTS (
        SELECT FROM relore.raw_objects AS stored
        WHERE stored.repo_id = %(repo_id)s AND stored.thread_number = number AND stored.fetched_at >= %(since)s)
), gone AS (
    DELETE FROM relore.raw_objects AS stored USING unwanted
    WHERE stored.repo_id = %(repo_id)s AND stored.thread_number = unwanted.number
    RETURNING stored.thread_number, stored.kind, stored.github_updated_at,
              CASE WHEN stored.kind IN ('pull_commits', 'pull_files')
                   THEN jsonb_array_length(stored.payload -> 'items') ELSE 1 END AS members
), remembered AS (
    INSERT INTO relore.tombstones AS known (repo_id, kind, object_id, thread_number, reason, removed_at)
    SELECT %(repo_id)s, 'thread', thread_number::text, thread_number, %(reason)s, clock_timestamp()
    FROM gone GROUP BY thread_number
    ON CONFLICT (repo_id, kind, object_id) DO UPDATE
    SET reason = excluded.reason, removed_at = excluded.removed_at
    WHERE known.reason <> 'forgotten'
)
SELECT thread_number, kind,
       coalesce(date_trunc('quarter', github_updated_at AT TIME ZONE 'UTC')::date, '0001-01-01'), members
FROM gone;

-- name: count_out
-- The books of the passes that brought what has gone: no longer staged, and for a reason.
UPDATE relore.sync_state
SET done = greatest(done - %(members)s, 0),
    skipped = jsonb_set(skipped, ARRAY[%(skipped)s::text],
                        to_jsonb(coalesce((skipped ->> %(skipped)s)::bigint, 0) + %(members)s::bigint))
WHERE repo_id = %(repo_id)s AND window_start = %(window)s
  AND pass IN ('import:' || %(counted)s, 'fetch:' || %(counted)s);
