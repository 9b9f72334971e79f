-- Threads that are like one. The thread is a question to the others: its title, the head of its opening post, and the
-- exact facts that these name.

-- name: subject
-- The thread, what it says first, and the facts in it, those of its opening post first.
SELECT
    t.id, r.full_name AS repo, t.number, t.kind AS type, t.title, t.url, t.author, t.created_at,
    (
        SELECT left(d.body, {head})
        FROM relore.documents d
        WHERE d.thread_id = t.id AND d.source_type = 'body' AND d.chunk_index = 0 AND {documents_in_scope}
    ) AS body,
    ARRAY(
        SELECT jsonb_build_array(f.kind, f.tail, f.value)
        FROM (
            SELECT s.kind, s.tail, s.value, min(CASE WHEN d.source_type IN ('title', 'body') THEN 0 ELSE 1 END) AS place
            FROM relore.documents d
            JOIN relore.signals s ON s.document_id = d.id AND s.kind IN ('error', 'test', 'symbol')
            WHERE d.thread_id = t.id AND d.source_type IN ('title', 'body', 'issue_comment') AND {documents_in_scope}
            GROUP BY s.kind, s.tail, s.value
            UNION ALL
            SELECT 'file', c.tail, c.path, 0
            FROM relore.changed_files c
            WHERE c.thread_id = t.id AND {diff_as_of}
        ) f
        ORDER BY f.place, f.kind, f.value
        LIMIT {facts}
    ) AS facts
FROM relore.threads t
JOIN relore.repos r ON r.id = t.repo_id
WHERE t.number = %(number)s::integer AND {threads_in_scope};

-- name: weigh
-- How many texts and threads there are, and how many texts carry each lexeme. Looked up one by one: of hundreds of words
-- the planner would rather read the whole table.
SELECT
    coalesce(sum(r.documents), 0)::bigint, coalesce(sum(r.threads), 0)::bigint,
    coalesce(sum(r.lexemes) / nullif(sum(r.documents), 0), 1)::float8,
    (
        SELECT jsonb_object_agg(w.lexeme, s.documents)
        FROM unnest(%(lexemes)s::text[]) AS w (lexeme)
        CROSS JOIN LATERAL (
            SELECT sum(k.documents) AS documents
            FROM relore.term_stats k
            WHERE k.repo_id = %(repo_id)s::integer AND k.lexeme = w.lexeme COLLATE "C"
            OFFSET 0
        ) s
        WHERE s.documents IS NOT NULL
    )
FROM relore.repo_stats r WHERE r.repo_id = %(repo_id)s::integer;

-- name: excluded
-- Ids of the threads that are not to be spoken of.
SELECT coalesce(array_agg(t.id), '{{}}')
FROM unnest(%(repos)s::integer[], %(numbers)s::bigint[]) AS x (repo_id, number)
JOIN relore.threads t ON t.repo_id = x.repo_id AND t.number = x.number;

-- name: alike
--   facts       threads that carry a fact of the subject's; what many carry tells none of them apart and is not followed
--   matched     texts that carry its rarest words
--   duplicates  threads that somebody calls its duplicate, or it theirs; marked as such by GitHub, they are inferred to
--               be where one names the other
WITH terms AS MATERIALIZED (
    SELECT u.ord::integer AS ord, u.q, u.weight
    FROM unnest(%(term_queries)s::text[]::tsquery[], %(term_weights)s::float8[]) WITH ORDINALITY AS u (q, weight, ord)
),
needles AS MATERIALIZED (
    SELECT u.ord::integer AS ord, u.kind, u.tail, u.value, u.weight
    FROM unnest(
        %(fact_kinds)s::text[], %(fact_tails)s::text[], %(fact_values)s::text[], %(fact_weights)s::float8[]
    ) WITH ORDINALITY AS u (kind, tail, value, weight, ord)
),
carriers AS MATERIALIZED (
    SELECT n.ord, n.kind, n.weight, f.thread_id, count(*) OVER (PARTITION BY n.ord) AS threads
    FROM needles n
    CROSS JOIN LATERAL (
        SELECT DISTINCT c.thread_id
        FROM (
            (
                SELECT d.thread_id
                FROM relore.signals s
                JOIN relore.documents d ON d.id = s.document_id
                WHERE s.repo_id = %(repo_id)s::integer AND s.kind = n.kind AND s.tail = n.tail AND s.value = n.value
                  AND n.kind <> 'file'
                  AND {dates_in_scope}
                LIMIT {common}
            )
            UNION ALL
            (
                SELECT c.thread_id
                FROM relore.changed_files c
                JOIN relore.threads t ON t.id = c.thread_id
                WHERE n.kind = 'file' AND c.repo_id = %(repo_id)s::integer AND c.tail = n.tail AND c.path = n.value
                  AND {diff_as_of}
                LIMIT {common}
            )
        ) c
    ) f
),
facts AS MATERIALIZED (
    SELECT
        c.ord, c.thread_id,
        c.weight * ln(1 + %(threads)s::float8 / c.threads) / ln(1 + %(threads)s::float8) AS worth
    FROM carriers c
    JOIN relore.threads t ON t.id = c.thread_id
    WHERE c.threads <= {telling} AND t.id <> %(subject)s::bigint AND {threads_in_scope}
),
matched AS MATERIALIZED (
    SELECT d.id, d.thread_id, d.source_type, d.lexemes
    FROM relore.documents d
    WHERE %(any)s::text IS NOT NULL
      AND d.search_vector @@ %(any)s::text::tsquery
      AND d.thread_id <> %(subject)s::bigint
      AND NOT d.noise
      AND {documents_in_scope}
    LIMIT {matches}
),
claims AS (
    -- Said of the subject by others, and by it of others.
    SELECT l.thread_id AS other, 'by' AS direction, l.relation, l.document_id, l.source, l.stated_at
    FROM relore.links l
    WHERE l.target_repo = lower(%(repo)s::text) AND l.target_number = %(number)s::integer
      AND {links_in_scope}
    UNION ALL
    SELECT t.id, 'of', l.relation, l.document_id, l.source, l.stated_at
    FROM relore.links l
    JOIN relore.repos r ON lower(r.full_name) = l.target_repo
    JOIN relore.threads t ON t.repo_id = r.id AND t.number = l.target_number
    WHERE l.thread_id = %(subject)s::bigint
      AND {links_in_scope}
),
duplicates AS MATERIALIZED (
    SELECT DISTINCT ON (c.other)
        c.other, c.direction, c.document_id, c.source, c.stated_at,
        CASE WHEN c.relation = 'duplicates' THEN 'linked' ELSE 'inferred' END AS how
    FROM claims c
    JOIN relore.threads closed ON closed.id = CASE WHEN c.direction = 'by' THEN c.other ELSE %(subject)s::bigint END
    WHERE c.relation = 'duplicates'
       OR (
        c.relation = 'mentions' AND closed.state_reason = 'duplicate'
        AND (%(before)s::timestamptz IS NULL OR closed.closed_at < %(before)s::timestamptz)
       )
    ORDER BY c.other, c.relation = 'duplicates' DESC, c.stated_at, c.document_id
),
-- Of each thread its likeliest texts are scored, and of a duplicate its title at least.
candidates AS MATERIALIZED (
    SELECT c.id, c.thread_id
    FROM (
        SELECT
            m.*,
            row_number() OVER (PARTITION BY m.thread_id ORDER BY m.likely DESC, m.id) AS place
        FROM (
            SELECT
                m.*,
                CASE m.source_type
                WHEN 'title' THEN %(title_weight)s::float8 WHEN 'body' THEN %(body_weight)s::float8 ELSE 1 END
                    / ln(2 + greatest(m.lexemes, %(length_floor)s::integer)) AS likely
            FROM matched m
        ) m
    ) c
    WHERE c.place <= {per_thread}
    ORDER BY c.place, c.likely DESC, c.id
    LIMIT %(candidates)s::integer
),
-- What a thread shares by its facts, or is called, is read as well where few threads do.
others AS MATERIALIZED (
    SELECT d.id, d.thread_id
    FROM (
        SELECT b.other AS thread_id FROM duplicates b
        UNION
        SELECT f.thread_id FROM (
            SELECT f.thread_id FROM facts f GROUP BY f.thread_id ORDER BY sum(f.worth) DESC, f.thread_id LIMIT {fact_threads}
        ) f
    ) o
    JOIN relore.documents d ON d.thread_id = o.thread_id AND d.source_type IN ('title', 'body') AND d.chunk_index = 0
    WHERE {documents_in_scope}
),
scored AS MATERIALIZED (
    SELECT c.thread_id, c.id, coalesce(x.lexical, 0) AS lexical, x.carried
    FROM (SELECT * FROM candidates UNION SELECT * FROM others) c
    JOIN relore.documents d ON d.id = c.id
    CROSS JOIN LATERAL (
        SELECT
            d.search_vector || ''::tsvector AS vector,
            {repeated} * (1 - {length_share} + {length_share} * d.lexemes / %(usual_length)s::float8) AS length
        OFFSET 0
    ) v
    CROSS JOIN LATERAL (
        SELECT
            sum(t.weight * f.times * ({repeated} + 1) / (f.times + v.length))
                * CASE d.source_type
                    WHEN 'title' THEN %(title_weight)s::float8 WHEN 'body' THEN %(body_weight)s::float8 ELSE 1 END
                AS lexical,
            array_agg(t.ord ORDER BY t.weight DESC, t.ord) AS carried
        FROM terms t
        CROSS JOIN LATERAL (
            SELECT {times_in_text} AS times
        ) f
        WHERE v.vector @@ t.q
    ) x
),
ranked AS (
    SELECT
        s.*, row_number() OVER (PARTITION BY s.thread_id ORDER BY s.lexical DESC, s.id) AS place
    FROM scored s
),
lexical AS (
    SELECT
        r.thread_id, sum(r.lexical * (ARRAY[1, 0.3, 0.15])[r.place]) AS score, max(r.id) FILTER (WHERE r.place = 1) AS best,
        (array_agg(array_to_string(r.carried, ',') ORDER BY r.place))[1] AS carried
    FROM ranked r
    WHERE r.place <= 3
    GROUP BY r.thread_id
),
shared AS (
    SELECT f.thread_id, sum(f.worth) AS worth, array_agg(f.ord ORDER BY f.worth DESC, f.ord) AS ords
    FROM facts f GROUP BY f.thread_id
),
everybody AS MATERIALIZED (
    SELECT thread_id FROM lexical UNION SELECT thread_id FROM shared UNION SELECT other FROM duplicates
),
page AS MATERIALIZED (
    SELECT
        t.id, l.best, l.carried, s.ords, b.how, b.direction, b.document_id, b.source, b.stated_at,
        round((coalesce(l.score, 0) + coalesce(s.worth, 0))::numeric, 6)::float8 AS score
    FROM everybody e
    JOIN relore.threads t ON t.id = e.thread_id
    LEFT JOIN lexical l ON l.thread_id = t.id
    LEFT JOIN shared s ON s.thread_id = t.id
    LEFT JOIN duplicates b ON b.other = t.id
    WHERE t.id <> %(subject)s::bigint
      AND t.id <> ALL (%(withheld)s::bigint[])
      AND t.repo_id = ANY (%(visible)s::integer[])
      AND (%(before)s::timestamptz IS NULL OR t.created_at < %(before)s::timestamptz)
)
SELECT
    n.candidates, n.duplicates,
    (SELECT count(*) FROM matched) >= {matches} AS bounded,
    ARRAY(SELECT DISTINCT c.ord FROM carriers c WHERE c.threads > {telling}) AS common,
    p.id, r.full_name AS repo, t.number, t.kind AS type, t.title, t.url, t.author, t.state, t.state_reason, t.merged,
    t.created_at, p.carried, p.ords, p.how, p.direction, p.source, p.score,
    coalesce(m.author, t.author) AS mark_author, coalesce(m.trust, 'reported') AS mark_trust,
    coalesce(m.url, t.url) AS mark_url, coalesce(p.stated_at, m.created_at) AS mark_at,
    d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author AS said_by, {trust_as_of} AS trust, d.url AS said_at, d.body,
    d.created_at AS said,
    CASE WHEN d.chunk_index > 0 THEN (
        SELECT string_agg(c.body, '' ORDER BY c.chunk_index)
        FROM relore.documents c
        WHERE c.thread_id = d.thread_id AND c.source_type = d.source_type AND c.source_id = d.source_id
          AND c.chunk_index < d.chunk_index
    ) END AS lead
FROM (SELECT count(*) AS candidates, count(*) FILTER (WHERE how IS NOT NULL) AS duplicates FROM page) n
LEFT JOIN LATERAL (
    SELECT * FROM page p ORDER BY p.how IS NULL, p.how DESC, p.score DESC, p.id DESC LIMIT %(limit)s::integer
) p ON true
LEFT JOIN relore.threads t ON t.id = p.id
LEFT JOIN relore.repos r ON r.id = t.repo_id
LEFT JOIN relore.documents d ON d.id = p.best
LEFT JOIN LATERAL (
    SELECT d.author, {trust_as_of} AS trust, d.url, d.created_at FROM relore.documents d WHERE d.id = p.document_id
) m ON true
ORDER BY p.how IS NULL, p.how DESC, p.score DESC, p.id DESC;
