-- How rare words are.

-- name: weigh
-- How many documents there are and how long they usually are, how many carry each lexeme, which threads are to be
-- withheld, and which endings of absolute paths name a file or a folder that is held, and was then.
SELECT
    coalesce((
        SELECT sum(s.documents) FROM relore.repo_stats s WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
    ), 0)::bigint AS documents,
    coalesce((
        SELECT sum(s.lexemes) / nullif(sum(s.documents), 0)
        FROM relore.repo_stats s WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
    ), 1)::float8 AS usual_length,
    (
        SELECT jsonb_object_agg(w.lexeme, w.documents)
        FROM (
            -- Asked for as a range, so that the primary key answers and not the index of parts, which is slow at it.
            SELECT s.lexeme, sum(s.documents) AS documents
            FROM unnest(%(lexemes)s::text[]) AS l (lexeme)
            CROSS JOIN LATERAL (
                SELECT s.lexeme, s.documents
                FROM relore.term_stats s
                WHERE s.repo_id = ANY (%(repo_ids)s::integer[]) AND s.lexeme BETWEEN l.lexeme AND l.lexeme
                OFFSET 0
            ) s
            GROUP BY s.lexeme
        ) w
    ) AS frequencies,
    {threads_in_exclusions} AS withheld,
    ARRAY(
        SELECT e.path
        FROM unnest(%(endings)s::text[]) AS e (path)
        WHERE {path_in_diffs} OR EXISTS (
            SELECT FROM relore.signals s
            WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
              AND s.kind = 'file'
              AND s.tail = substring(e.path FROM '[^/]*$')
              AND s.value = e.path
              AND s.source = 'anchor'
              AND (%(before)s::timestamptz IS NULL OR s.first_seen_at < %(before)s::timestamptz)
        ) OR (
            right(e.path, 1) = '/' AND EXISTS (
                SELECT FROM relore.changed_files f
                WHERE f.repo_id = ANY (%(repo_ids)s::integer[])
                  AND starts_with(f.path, e.path)
                  AND (
                    %(before)s::timestamptz IS NULL
                    OR EXISTS (SELECT FROM relore.threads t WHERE t.id = f.thread_id AND {diff_as_of})
                  )
            )
        )
    ) AS held;
