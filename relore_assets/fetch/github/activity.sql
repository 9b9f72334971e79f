-- name: begin
-- Begins the record of a pass of a run, or takes it up again; returns what was counted so far.
INSERT INTO relore.fetch_activity AS activity (repo_id, run_id, pass, started_at, seen_at)
VALUES (%(repo_id)s, %(run_id)s, %(pass)s, %(now)s, %(now)s)
ON CONFLICT (repo_id, run_id, pass) DO UPDATE
SET seen_at = excluded.seen_at, ended_at = NULL, error = NULL, waiting_for = NULL, waiting_until = NULL
RETURNING activity.requests, activity.not_modified, activity.points, activity.retries, activity.waited_seconds;

-- name: record
-- Brings the record of a pass up to date.
UPDATE relore.fetch_activity
SET seen_at = %(now)s,
    ended_at = CASE WHEN %(ended)s THEN %(now)s::timestamptz END,
    doing = %(doing)s,
    waiting_for = %(waiting_for)s,
    waiting_until = %(waiting_until)s,
    done = %(done)s,
    total = %(total)s,
    requests = %(requests)s,
    not_modified = %(not_modified)s,
    points = %(points)s,
    retries = %(retries)s,
    waited_seconds = %(waited_seconds)s,
    worked_seconds = %(worked_seconds)s,
    error = %(error)s
WHERE repo_id = %(repo_id)s AND run_id = %(run_id)s AND pass = %(pass)s;

-- name: record_quota
-- Keeps the newest word of GitHub on a quota; an older one, written late, changes nothing.
INSERT INTO relore.quotas AS quota (token_name, resource, allowed, remaining, resets_at, seen_at)
VALUES (%(token_name)s, %(resource)s, %(allowed)s, %(remaining)s, %(resets_at)s, %(seen_at)s)
ON CONFLICT (token_name, resource) DO UPDATE
SET allowed = excluded.allowed,
    remaining = excluded.remaining,
    resets_at = excluded.resets_at,
    seen_at = excluded.seen_at
WHERE quota.seen_at <= excluded.seen_at;
