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
