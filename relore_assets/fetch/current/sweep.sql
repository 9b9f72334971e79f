-- Reconciling with what is still at GitHub.

-- name: clock
SELECT clock_timestamp();

-- name: staged
-- What has a list at GitHub, and is staged now. Issue and pull request of one number are one thread.
SELECT DISTINCT CASE WHEN kind IN ('issue', 'pull') THEN 'thread' ELSE kind END,
       CASE WHEN kind IN ('issue', 'pull') THEN thread_number::text ELSE object_id END, thread_number
FROM relore.raw_objects
WHERE repo_id = %(repo_id)s AND kind IN ('issue', 'pull', 'issue_comment', 'review_comment');

-- name: pulls
-- Which of the threads that are staged are pull requests.
SELECT DISTINCT thread_number FROM relore.raw_objects
WHERE repo_id = %(repo_id)s
  AND (kind = 'pull' OR kind = 'issue' AND coalesce(payload -> 'pull_request', 'null') <> 'null');

-- name: deleted
-- What was removed here because it was gone at GitHub.
SELECT kind, object_id FROM relore.tombstones WHERE repo_id = %(repo_id)s AND reason = 'deleted';

-- name: open_pulls
-- Open pull requests that have been read in detail, and as of when.
SELECT pull.thread_number, detail.github_updated_at
FROM relore.raw_objects AS pull
JOIN relore.raw_objects AS detail
  ON detail.repo_id = pull.repo_id AND detail.kind = 'pull_detail' AND detail.object_id = pull.object_id
WHERE pull.repo_id = %(repo_id)s AND pull.kind = 'pull' AND pull.payload ->> 'state' = 'open'
  AND detail.github_updated_at IS NOT NULL
ORDER BY pull.thread_number;

-- name: record_start
INSERT INTO relore.sync_state (repo_id, pass, last_run_at) VALUES (%(repo_id)s, %(pass)s, clock_timestamp())
ON CONFLICT (repo_id, pass, window_start) DO UPDATE SET last_run_at = excluded.last_run_at;

-- name: record_failure
UPDATE relore.sync_state SET error = %(error)s
WHERE repo_id = %(repo_id)s AND pass = %(pass)s AND window_start = '0001-01-01';

-- name: record_end
-- stated is what GitHub lists, done what was removed.
UPDATE relore.sync_state
SET last_ok_at = clock_timestamp(), stated = %(stated)s, done = %(done)s, skipped = '{}', error = NULL
WHERE repo_id = %(repo_id)s AND pass = %(pass)s AND window_start = '0001-01-01';
