-- Claims on a thread. They bear the target's name and number as it was written, so they are found whether or not the
-- target is held. No floor of trust: a machine's open fix is a fix under way.

-- name: excluded
-- Ids of the threads that are not to be spoken of.
SELECT coalesce(array_agg(t.id), '{{}}')
FROM unnest(%(repo_ids)s::integer[], %(numbers)s::integer[]) AS x (repo_id, number)
JOIN relore.threads t ON t.repo_id = x.repo_id AND t.number = x.number;

-- name: claims
WITH stating AS MATERIALIZED (
    SELECT
        l.thread_id,
        bool_or(l.relation = 'closes') AS closes,
        (array_agg(
            l.source ORDER BY array_position(ARRAY['github', 'body', 'title', 'commit'], l.source), l.source
        ) FILTER (WHERE l.relation = 'closes'))[1] AS source,
        -- Under a cutoff: what says so may say so since an edit.
        bool_and(d.source_type = 'body' AND d.updated_at IS NULL) FILTER (WHERE l.relation = 'closes') AS todays_words
    FROM relore.links l
    LEFT JOIN relore.documents d ON d.id = l.document_id
    WHERE l.target_repo = lower(%(repo)s::text)
      AND l.target_number = %(number)s::integer
      AND {links_in_scope}
    GROUP BY l.thread_id
),
threads AS MATERIALIZED (
    SELECT
        t.*, s.closes, s.source, s.todays_words,
        -- Open before not known before closed.
        CASE {closed_as_of} WHEN true THEN 2 WHEN false THEN 0 ELSE 1 END AS ended,
        -- The last that is known to have happened by then.
        CASE
            WHEN %(before)s::timestamptz IS NULL OR t.updated_at < %(before)s::timestamptz THEN t.updated_at
            WHEN s.closes THEN greatest(
                t.created_at,
                (
                    SELECT max(d.created_at) FROM relore.documents d
                    WHERE d.thread_id = t.id AND d.created_at < %(before)s::timestamptz
                ),
                (
                    SELECT max(e.at) FROM relore.thread_events e
                    WHERE e.thread_id = t.id AND e.at < %(before)s::timestamptz
                )
            )
        END AS moved_at
    FROM stating s
    JOIN relore.threads t ON t.id = s.thread_id
    JOIN relore.repos r ON r.id = t.repo_id
    WHERE {threads_in_scope}
      AND NOT (lower(r.full_name) = lower(%(repo)s::text) AND t.number = %(number)s::integer)
),
page AS (
    SELECT t.*
    FROM threads t
    WHERE t.closes
    ORDER BY t.ended, t.moved_at DESC, t.id DESC
    LIMIT {claims}
)
SELECT
    s.claims_total, s.mentions_total, s.links_indexed, s.indexed,
    p.id, r.full_name AS repo, p.number, p.kind AS type, p.url, p.author, p.created_at, p.updated_at, p.source,
    p.todays_words AND %(before)s::timestamptz IS NOT NULL AND p.updated_at >= %(before)s::timestamptz AS todays_words,
    coalesce((
        SELECT {trust_as_of} FROM relore.documents d WHERE d.thread_id = p.id AND d.source_type = 'title' LIMIT 1
    ), 'reported') AS trust
FROM (
    SELECT
        (SELECT count(*) FROM threads t WHERE t.closes) AS claims_total,
        (SELECT count(*) FROM threads t WHERE NOT t.closes) AS mentions_total,
        (
            SELECT count(*) FROM (
                SELECT FROM relore.links l
                WHERE l.repo_id = %(repo_id)s::integer
                  AND (%(before)s::timestamptz IS NULL OR l.stated_at < %(before)s::timestamptz)
                LIMIT {links_counted}
            ) k
        ) AS links_indexed,
        EXISTS (
            SELECT FROM relore.threads t
            WHERE t.repo_id = %(repo_id)s::integer AND t.number = %(number)s::integer
              AND (%(before)s::timestamptz IS NULL OR t.created_at < %(before)s::timestamptz)
        ) AS indexed
) s
LEFT JOIN page p ON true
LEFT JOIN relore.repos r ON r.id = p.repo_id
ORDER BY p.ended, p.moved_at DESC, p.id DESC;
