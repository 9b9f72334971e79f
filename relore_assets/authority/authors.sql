-- name: accounts
-- The newest association that each account's own objects carry, and whether GitHub calls it a bot.
SELECT DISTINCT ON (lower(login))
       login,
       coalesce(association, 'NONE') AS association,
       bool_or(account_type = 'Bot') OVER (PARTITION BY lower(login)) AS is_bot
FROM (
    SELECT payload #>> '{user,login}' AS login,
           payload #>> '{user,type}' AS account_type,
           payload ->> 'author_association' AS association,
           github_updated_at, kind, object_id
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s
      AND kind IN ('issue', 'pull', 'issue_comment', 'review', 'review_comment')
) said
WHERE login IS NOT NULL
ORDER BY lower(login), github_updated_at DESC NULLS LAST, kind, object_id;

-- name: merges
-- Who merged what when, from the pull requests themselves and from their merged events.
SELECT DISTINCT login, at::timestamptz AS at
FROM (
    SELECT payload #>> '{merged_by,login}' AS login, payload ->> 'merged_at' AS at
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s AND kind = 'pull' AND payload ->> 'merged_at' IS NOT NULL
    UNION ALL
    SELECT payload #>> '{actor,login}', payload ->> 'created_at'
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s AND kind = 'event' AND payload ->> 'event' = 'merged'
) acts
WHERE login IS NOT NULL AND at IS NOT NULL;

-- name: stored
-- The intervals held now.
SELECT login, tier, reason, from_at, to_at FROM relore.authors WHERE repo_id = %(repo_id)s;

-- name: remove
-- All intervals of the given logins.
DELETE FROM relore.authors WHERE repo_id = %(repo_id)s AND login = ANY (%(logins)s);

-- name: add
-- One interval.
INSERT INTO relore.authors (repo_id, login, tier, reason, from_at, to_at)
VALUES (%(repo_id)s, %(login)s, %(tier)s, %(reason)s, %(from_at)s, %(to_at)s);

-- name: apply_to_documents
-- Documents whose tier is no longer what their author's standing at their date says. Those that derive knows to be a
-- machine's stay so.
WITH told AS (
    SELECT d.id,
           CASE WHEN d.machine THEN 'machine' ELSE coalesce((
               SELECT a.tier FROM relore.authors a
               WHERE a.repo_id = d.repo_id AND a.login = lower(d.author)
                 AND CASE WHEN d.created_at IS NULL THEN a.from_at IS NULL AND a.to_at IS NULL
                          ELSE (a.from_at IS NULL OR a.from_at <= d.created_at)
                           AND (a.to_at IS NULL OR d.created_at < a.to_at) END
               ORDER BY a.from_at DESC NULLS LAST LIMIT 1), 'reported') END AS trust
    FROM relore.documents d
    WHERE d.repo_id = %(repo_id)s
)
UPDATE relore.documents d SET trust = told.trust
FROM told WHERE told.id = d.id AND d.trust <> told.trust;

-- name: tiers
-- Documents by tier, for the asset's metadata.
SELECT trust, count(*) FROM relore.documents WHERE repo_id = %(repo_id)s GROUP BY trust ORDER BY trust;
