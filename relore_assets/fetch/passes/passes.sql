-- What fetching asks of the store.

-- name: lock
-- Held by the session: one fetch at a time for a repository. Who comes second finds little left to do.
SELECT pg_advisory_lock(%(class)s, %(repo_id)s);

-- name: unlock
SELECT pg_advisory_unlock(%(class)s, %(repo_id)s);

-- name: walked
-- How far the walk over one list has come in each window.
SELECT window_start, cursor::timestamptz FROM relore.sync_state
WHERE repo_id = %(repo_id)s AND pass = %(pass)s AND cursor IS NOT NULL;

-- name: unread
-- Threads with a head or an inline comment inside one of the windows that have changed since they were read in
-- detail. An inline comment need not move its pull request's own date. Where issues are disabled a pull request has no
-- other head than its own. `listed`: whether the pull request's object is as new as its thread.
WITH spans AS (
    SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[]) AS span (starts, ends)
), touched AS (
    SELECT DISTINCT moved.thread_number
    FROM spans JOIN relore.raw_objects AS moved
      ON moved.repo_id = %(repo_id)s AND moved.kind IN ('issue', 'pull', 'review_comment')
     AND moved.github_updated_at >= spans.starts AND moved.github_updated_at < spans.ends
), threads AS (
    SELECT held.thread_number,
           max(held.github_updated_at) FILTER (WHERE held.kind IN ('issue', 'pull', 'review_comment')) AS as_of,
           max(held.github_updated_at) FILTER (WHERE held.kind IN ('pull_detail', 'issue_detail')) AS read_as_of,
           max(held.github_updated_at) FILTER (WHERE held.kind = 'pull') AS pull_as_of,
           max(held.github_updated_at) FILTER (WHERE held.kind = 'issue') AS issue_as_of,
           bool_or(held.payload -> 'pull_request' IS NOT NULL AND held.payload -> 'pull_request' <> 'null')
               FILTER (WHERE held.kind = 'issue') AS is_pull
    FROM touched JOIN relore.raw_objects AS held
      ON held.repo_id = %(repo_id)s AND held.thread_number = touched.thread_number
     AND held.kind IN ('issue', 'review_comment', 'pull_detail', 'issue_detail', 'pull')
    GROUP BY held.thread_number
)
SELECT thread_number AS number, as_of, coalesce(is_pull, false) OR pull_as_of IS NOT NULL AS is_pull,
       pull_as_of IS NOT NULL AND coalesce(pull_as_of >= issue_as_of, true) AS listed
FROM threads
WHERE coalesce(issue_as_of, pull_as_of) IS NOT NULL
  AND (coalesce(read_as_of < as_of, true) OR read_as_of > now() AND read_as_of <> as_of)
ORDER BY thread_number;

-- name: absent
-- What is staged of one kind in some threads that were read whole, and was not among what was read.
SELECT stored.object_id FROM relore.raw_objects AS stored
WHERE stored.repo_id = %(repo_id)s AND stored.kind = %(kind)s AND stored.thread_number = ANY (%(numbers)s)
  AND NOT stored.object_id = ANY (%(object_ids)s);

-- name: drop_events
-- Events of threads that were read whole which GitHub does not tell of, or tells of under another id; of the types
-- that were asked for. What was stored after the reading began stays.
DELETE FROM relore.raw_objects AS stored
WHERE stored.repo_id = %(repo_id)s AND stored.kind = 'event' AND stored.thread_number = ANY (%(numbers)s)
  AND stored.payload ->> 'event' = ANY (%(events)s)
  AND stored.fetched_at < %(started)s
  AND NOT stored.object_id = ANY (%(object_ids)s);

-- name: clock
SELECT clock_timestamp();

-- name: mark
-- The newest date up to which each list has been walked without a gap from the last window that was completed.
SELECT max(cursor)::timestamptz FROM relore.sync_state
WHERE repo_id = %(repo_id)s AND pass = %(pass)s AND cursor IS NOT NULL;

-- name: ended
-- When a pass last came to its end, and whether the last one to begin did.
SELECT last_ok_at, last_ok_at >= last_run_at FROM relore.sync_state
WHERE repo_id = %(repo_id)s AND pass = %(pass)s AND window_start = '0001-01-01';

-- name: comment_gap
-- Comments that the heads state, and those that are staged.
SELECT coalesce(sum((payload ->> 'comments')::bigint), 0),
       (SELECT count(*) FROM relore.raw_objects WHERE repo_id = %(repo_id)s AND kind = 'issue_comment')
FROM relore.raw_objects WHERE repo_id = %(repo_id)s AND kind = 'issue';

-- name: declare_sample
-- Before the first request, so that an interrupted sample never looks like a whole history. The oldest floor stays.
INSERT INTO relore.samples AS known (repo_id, kind, merged_only, floor, declared_at)
VALUES (%(repo_id)s, %(kind)s, %(merged_only)s, %(floor)s, clock_timestamp())
ON CONFLICT (repo_id, kind, merged_only) DO UPDATE
SET floor = excluded.floor, declared_at = excluded.declared_at
WHERE known.floor > excluded.floor;

-- name: sample_mark
SELECT cursor::timestamptz, high_water FROM relore.sync_state WHERE repo_id = %(repo_id)s AND pass = %(pass)s;

-- name: move_sample_mark
-- high_water keeps the floor that the mark belongs to.
INSERT INTO relore.sync_state AS known (repo_id, pass, cursor, high_water, last_run_at, last_ok_at)
VALUES (%(repo_id)s, %(pass)s, %(cursor)s, %(floor)s, clock_timestamp(),
        CASE WHEN %(ended)s THEN clock_timestamp() END)
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET cursor = excluded.cursor, high_water = excluded.high_water, last_run_at = excluded.last_run_at,
    last_ok_at = coalesce(excluded.last_ok_at, known.last_ok_at);

-- name: held
-- Threads that are held whole as of a date.
SELECT thread_number, github_updated_at FROM relore.raw_objects
WHERE repo_id = %(repo_id)s AND kind IN ('pull_detail', 'issue_detail') AND thread_number = ANY (%(numbers)s);

-- name: end_samples
-- The whole history is here: no part of it is a sample any more.
DELETE FROM relore.samples WHERE repo_id = %(repo_id)s;

-- name: state_totals
-- How many threads GitHub counts in the whole repository, beside what each window holds. No run is dated by it.
INSERT INTO relore.sync_state AS known (repo_id, pass, stated)
VALUES (%(repo_id)s, 'fetch:issue', %(threads)s), (%(repo_id)s, 'fetch:pull', %(pulls)s)
ON CONFLICT (repo_id, pass, window_start) DO UPDATE SET stated = excluded.stated
WHERE known.stated IS DISTINCT FROM excluded.stated;
