-- Who speaks of a thread. Links bear the target's name and number as it was written, so they lead back from wherever
-- they were read, whether the thread is held or not.

-- name: backlinks
-- Threads that name it, each once, by the strongest of what they say, then the latest. Those that only machines' words
-- in them connect with it are counted, and not listed. Always one row at least, which bears the sums.
WITH stating AS MATERIALIZED (
    SELECT
        l.thread_id,
        min(array_position(ARRAY['closes', 'duplicates', 'reverts', 'supersedes', 'mentions'], l.relation)) AS strength,
        bool_and(coalesce(d.trust = 'machine', false)) AS machine,
        max(l.stated_at) AS stated_at
    FROM relore.links l
    LEFT JOIN relore.documents d ON d.id = l.document_id
    WHERE l.target_repo = lower(%(repo)s::text)
      AND l.target_number = %(number)s::integer
      AND l.thread_id <> %(thread)s::bigint
      AND {links_in_scope}
    GROUP BY l.thread_id
),
threads AS MATERIALIZED (
    SELECT s.*, r.full_name AS repo, t.number, t.kind AS type
    FROM stating s
    JOIN relore.threads t ON t.id = s.thread_id
    JOIN relore.repos r ON r.id = t.repo_id
    WHERE t.repo_id = ANY (%(visible)s::integer[])
      AND (%(before)s::timestamptz IS NULL OR t.created_at < %(before)s::timestamptz)
      AND NOT EXISTS (
        SELECT
        FROM unnest(%(withheld_repos)s::text[], %(withheld_numbers)s::bigint[]) AS x (repo, number)
        WHERE x.repo = lower(r.full_name) AND x.number = t.number
      )
),
page AS (
    SELECT h.*
    FROM threads h
    WHERE NOT h.machine
    ORDER BY h.strength, h.stated_at DESC NULLS LAST, h.thread_id DESC
    LIMIT {backlinks}
)
SELECT
    (SELECT count(*) FROM threads h WHERE NOT h.machine) AS total,
    (SELECT count(*) FROM threads h WHERE h.machine) AS machine_only,
    EXISTS (SELECT FROM relore.links l WHERE l.repo_id = ANY (%(visible)s::integer[])) AS collected,
    p.repo, p.number, p.type,
    (ARRAY['closes', 'duplicates', 'reverts', 'supersedes', 'mentions'])[p.strength] AS relationship,
    p.stated_at
FROM (SELECT true) s
LEFT JOIN page p ON true
ORDER BY p.strength, p.stated_at DESC NULLS LAST, p.thread_id DESC;
