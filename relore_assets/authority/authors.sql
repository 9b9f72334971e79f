-- name: accounts
-- The newest association that each account's own objects carry, whether GitHub calls it a bot, how much it wrote, and the
-- date of the first of it.
SELECT DISTINCT ON (lower(login))
       login,
       coalesce(association, 'NONE') AS association,
       coalesce(bool_or(account_type = 'Bot') OVER (PARTITION BY lower(login)), false) AS is_bot,
       count(*) OVER (PARTITION BY lower(login)) AS texts,
       min(CASE WHEN at ~ '^[0-9]{4}-[01][0-9]-[0-3][0-9]T' THEN at::timestamptz END) OVER (PARTITION BY lower(login))
           AS first_at
FROM (
    SELECT payload #>> '{user,login}' AS login,
           payload #>> '{user,type}' AS account_type,
           payload ->> 'author_association' AS association,
           coalesce(payload ->> 'submitted_at', payload ->> 'created_at') AS at,
           github_updated_at, kind, object_id
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s
      AND kind IN ('issue', 'pull', 'issue_comment', 'review', 'review_comment')
) said
WHERE login IS NOT NULL
ORDER BY lower(login), github_updated_at DESC NULLS LAST, kind, object_id;

-- name: acts
-- What people did to threads of others, and what they merged. Left out: accounts that are nobody in particular (bots,
-- organisations, placeholders of an import), and what everybody may do to their own thread, or to a pull request by
-- way of their own fork. Of an assignment the payload names who assigned; its actor may be the one assigned.
WITH heads AS MATERIALIZED (
    SELECT thread_number, max(lower(payload #>> '{user,login}')) AS author,
           max(lower(payload #>> '{head,user,login}')) AS fork
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s AND kind IN ('issue', 'pull')
    GROUP BY thread_number
), events AS MATERIALIZED (
    SELECT thread_number, payload ->> 'event' AS what, payload ->> 'created_at' AS at,
           CASE WHEN payload ->> 'event' NOT IN ('assigned', 'unassigned') THEN payload -> 'actor'
                WHEN payload #>> '{assigner,login}' IS NOT NULL THEN payload -> 'assigner'
                WHEN payload #> '{actor,login}' <> payload #> '{assignee,login}' THEN payload -> 'actor' END AS account
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s AND kind = 'event' AND payload ->> 'event' = ANY (%(events)s)
), acts AS (
    -- Lists of pull requests say when, and only the single one says by whom.
    SELECT pull.thread_number, 'merged' AS what, pull.payload ->> 'merged_at' AS at,
           coalesce(nullif(pull.payload -> 'merged_by', 'null'), detail.payload -> 'merged_by') AS account
    FROM relore.raw_objects pull
    LEFT JOIN relore.raw_objects detail
      ON detail.repo_id = pull.repo_id AND detail.kind = 'pull_detail' AND detail.object_id = pull.object_id
    WHERE pull.repo_id = %(repo_id)s AND pull.kind = 'pull' AND pull.payload ->> 'merged_at' IS NOT NULL
    UNION ALL
    SELECT thread_number, what, at, account FROM events
    UNION ALL
    -- Where no events were collected the head still tells the last closing.
    SELECT thread_number, 'closed', payload ->> 'closed_at', payload -> 'closed_by'
    FROM relore.raw_objects head
    WHERE repo_id = %(repo_id)s AND kind = 'issue' AND payload ->> 'closed_at' IS NOT NULL
      AND NOT EXISTS (SELECT FROM events WHERE events.thread_number = head.thread_number AND events.what = 'closed')
    UNION ALL
    SELECT thread_number, 'reviewed', payload ->> 'submitted_at', payload -> 'user'
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s AND kind = 'review' AND payload ->> 'state' IN ('APPROVED', 'CHANGES_REQUESTED')
)
SELECT DISTINCT account ->> 'login' AS login, at::timestamptz AS at, what, thread_number AS thread
FROM acts LEFT JOIN heads USING (thread_number)
WHERE account ->> 'login' IS NOT NULL AND at IS NOT NULL
  AND coalesce(account ->> 'type', 'User') = 'User'
  AND (what = 'merged'
       OR (lower(account ->> 'login') <> author
           AND (what NOT IN ('closed', 'reopened') OR lower(account ->> 'login') IS DISTINCT FROM fork)));

-- name: permissions
-- What GitHub answered, from the first to the last time it did.
SELECT login, permission, since, checked_at FROM relore.permissions WHERE repo_id = %(repo_id)s;

-- name: stored
-- The intervals held now.
SELECT login, tier, reason, from_at, to_at FROM relore.authors WHERE repo_id = %(repo_id)s;

-- name: stored_then
-- What was seen otherwise earlier, of each login in order.
SELECT login, seen_until, starts, tiers FROM relore.authors_then WHERE repo_id = %(repo_id)s ORDER BY login, seen_until;

-- name: remove
-- All intervals of the given logins.
DELETE FROM relore.authors WHERE repo_id = %(repo_id)s AND login = ANY (%(logins)s);

-- name: add
-- Intervals, column by column.
INSERT INTO relore.authors (repo_id, login, tier, reason, from_at, to_at)
SELECT %(repo_id)s, login, tier, reason, from_at, to_at
FROM unnest(%(login)s::text[], %(tier)s::text[], %(reason)s::text[], %(from_at)s::timestamptz[],
            %(to_at)s::timestamptz[]) AS fresh (login, tier, reason, from_at, to_at);

-- name: remove_then
-- All earlier views of the given logins.
DELETE FROM relore.authors_then WHERE repo_id = %(repo_id)s AND login = ANY (%(logins)s);

-- name: add_then
-- One earlier view.
INSERT INTO relore.authors_then (repo_id, login, seen_until, starts, tiers)
VALUES (%(repo_id)s, %(login)s, %(seen_until)s, %(starts)s::timestamptz[], %(tiers)s::text[]);

-- name: apply_to_documents
-- Documents whose tier, or what it was as seen earlier, is no longer what their author's standing at their date says. Those
-- that derive knows to be a machine's stay so.
WITH told AS (
    SELECT d.id, d.created_at,
           CASE WHEN d.machine THEN NULL ELSE lower(d.author) END AS person,
           CASE WHEN d.machine THEN 'machine' ELSE coalesce((
               SELECT a.tier FROM relore.authors a
               WHERE a.repo_id = d.repo_id AND a.login = lower(d.author)
                 AND CASE WHEN d.created_at IS NULL THEN a.from_at IS NULL AND a.to_at IS NULL
                          ELSE (a.from_at IS NULL OR a.from_at <= d.created_at)
                           AND (a.to_at IS NULL OR d.created_at < a.to_at) END
               ORDER BY a.from_at DESC NULLS LAST LIMIT 1), 'reported') END AS trust
    FROM relore.documents d
    WHERE d.repo_id = %(repo_id)s
), seen AS (
    SELECT told.id, told.trust, e.until, e.tiers
    FROM told
    LEFT JOIN LATERAL (
        SELECT array_agg(moved.seen_until ORDER BY moved.seen_until) AS until,
               array_agg(moved.tier ORDER BY moved.seen_until) AS tiers
        FROM (
            SELECT s.seen_until, s.tier, lead(s.tier, 1, told.trust) OVER (ORDER BY s.seen_until) AS next
            FROM (
                SELECT t.seen_until, t.tiers[width_bucket(told.created_at, t.starts) + 1] AS tier
                FROM relore.authors_then t
                WHERE t.repo_id = %(repo_id)s AND t.login = told.person AND t.seen_until > told.created_at
            ) s
        ) moved
        WHERE moved.tier <> moved.next
    ) e ON true
)
UPDATE relore.documents d SET trust = seen.trust, trust_until = seen.until, trust_then = seen.tiers
FROM seen
WHERE seen.id = d.id
  AND (d.trust, d.trust_until, d.trust_then) IS DISTINCT FROM (seen.trust, seen.until, seen.tiers);

-- name: document_tiers
-- Documents by tier.
SELECT trust, count(*) FROM relore.documents WHERE repo_id = %(repo_id)s GROUP BY trust ORDER BY trust;
