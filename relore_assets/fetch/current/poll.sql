-- Polling.

-- name: fetched
-- The time; whether the window that was open at the time has been fetched; and when the last fetch began, if it ended
-- well.
SELECT clock_timestamp(),
       EXISTS (
           SELECT FROM relore.sync_state
           WHERE repo_id = %(repo_id)s AND pass = 'fetch:issue'
             AND window_start = date_trunc('quarter', last_ok_at AT TIME ZONE 'UTC')::date),
       (SELECT last_run_at FROM relore.sync_state
        WHERE repo_id = %(repo_id)s AND pass = 'fetch' AND window_start = '0001-01-01' AND last_ok_at >= last_run_at);

-- name: seen
SELECT cursor FROM relore.sync_state
WHERE repo_id = %(repo_id)s AND pass = 'poll' AND window_start = '0001-01-01' AND cursor IS NOT NULL;

-- name: remember
INSERT INTO relore.sync_state AS known (repo_id, pass, cursor, last_run_at, last_ok_at, error)
VALUES (%(repo_id)s, 'poll', %(cursor)s, clock_timestamp(),
        CASE WHEN %(error)s::text IS NULL THEN clock_timestamp() END, %(error)s)
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET cursor = excluded.cursor, last_run_at = excluded.last_run_at,
    last_ok_at = coalesce(excluded.last_ok_at, known.last_ok_at), error = excluded.error;

-- name: left
-- What a fetch that failed may have left, though no list has moved since: whether the last fetch ended well, the first
-- window that was fetched and not derived since, and whether somebody is at it.
SELECT coalesce((SELECT last_ok_at >= last_run_at FROM relore.sync_state
                 WHERE repo_id = %(repo_id)s AND pass = 'fetch' AND window_start = '0001-01-01'), false) AS settled,
       (SELECT min(fetched.window_start) FROM relore.sync_state AS fetched
        WHERE fetched.repo_id = %(repo_id)s AND fetched.pass LIKE 'fetch:%%' AND fetched.stated > 0
          AND fetched.last_ok_at IS NOT NULL
          AND NOT EXISTS (
              SELECT FROM relore.sync_state AS derived
              WHERE derived.repo_id = fetched.repo_id AND derived.pass = 'derive'
                AND derived.window_start IN (fetched.window_start, '0001-01-01')
                AND derived.last_ok_at >= derived.last_run_at
                AND derived.last_run_at >= fetched.last_ok_at)) AS not_derived,
       EXISTS (
           SELECT FROM pg_catalog.pg_locks AS lock
           WHERE lock.locktype = 'advisory' AND lock.granted AND lock.objsubid = 2
             AND lock.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
             AND lock.classid::bigint = ANY (%(classes)s::bigint[]) AND lock.objid::bigint = %(repo_id)s) AS at_work;
