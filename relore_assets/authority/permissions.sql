-- name: keep
-- Answers, column by column, one per login. One that repeats the last answer is dated anew; others begin a row.
WITH said AS (
    SELECT * FROM unnest(%(login)s::text[], %(permission)s::text[], %(at)s::timestamptz[]) AS said (login, permission, at)
), newest AS (
    SELECT DISTINCT ON (login) login, permission, since
    FROM relore.permissions
    WHERE repo_id = %(repo_id)s AND login = ANY (%(login)s)
    ORDER BY login, since DESC
), repeated AS (
    UPDATE relore.permissions p SET checked_at = said.at
    FROM said JOIN newest USING (login, permission)
    WHERE p.repo_id = %(repo_id)s AND p.login = newest.login AND p.since = newest.since
    RETURNING p.login
)
INSERT INTO relore.permissions (repo_id, login, permission, checked_at, since)
SELECT %(repo_id)s, login, permission, at, at FROM said
WHERE login NOT IN (SELECT login FROM repeated);

-- name: begin
-- A pass that asks begins.
INSERT INTO relore.sync_state (repo_id, pass, last_run_at) VALUES (%(repo_id)s, 'authority', now())
ON CONFLICT (repo_id, pass, window_start) DO UPDATE SET last_run_at = now();

-- name: end
-- A pass that asks is through, or failed: how many people there were to ask about, and about how many there is no
-- answer for which reason.
UPDATE relore.sync_state SET
    last_ok_at = CASE WHEN %(error)s::text IS NULL THEN now() ELSE last_ok_at END,
    stated = %(stated)s, done = %(done)s, skipped = %(skipped)s, error = %(error)s
WHERE repo_id = %(repo_id)s AND pass = 'authority' AND window_start = '0001-01-01';
