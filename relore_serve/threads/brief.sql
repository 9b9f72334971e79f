-- What a brief adds to a thread's own page: its people, its opener's record, and the threads beside it. Every statement
-- is bounded by the thread asked about or by an index, and says how many there are of what it lists the first of.
-- Threads that are listed carry ids; `listed` reads their heads, all in one.

-- name: excluded
-- Ids of the threads that are not to be spoken of.
SELECT coalesce(array_agg(t.id), '{{}}')
FROM unnest(%(repos)s::integer[], %(numbers)s::integer[]) AS x (repo_id, number)
JOIN relore.threads t ON t.repo_id = x.repo_id AND t.number = x.number;

-- name: people
-- Who answered: commenters, reviewers, and those who gave a verdict without a word. One row each, in the standing of
-- the latest they said; those with write access first, then the latest.
WITH said AS (
    SELECT d.author, {trust_as_of} AS trust, d.created_at, 1 AS comments
    FROM relore.documents d
    WHERE d.thread_id = %(thread)s::bigint
      AND d.source_type IN ('issue_comment', 'review', 'review_comment')
      AND d.chunk_index = 0
      AND d.trust <> 'machine'
      AND {documents_in_scope}
    UNION ALL
    SELECT v.author, v.trust, v.stated_at, 0
    FROM unnest(%(authors)s::text[], %(verdict_trusts)s::text[], %(dates)s::timestamptz[]) AS v (author, trust, stated_at)
    WHERE v.trust <> 'machine'
),
people AS (
    SELECT
        (array_agg(s.author ORDER BY s.created_at DESC NULLS LAST, s.author))[1] AS author,
        (array_agg(s.trust ORDER BY s.created_at DESC NULLS LAST, s.trust))[1] AS trust,
        sum(s.comments) AS comments,
        max(s.created_at) AS latest
    FROM said s
    WHERE lower(s.author) <> lower(%(opener)s::text)
    GROUP BY lower(s.author)
)
SELECT
    p.author, p.trust, p.comments, p.latest,
    count(*) OVER () AS total,
    count(*) FILTER (WHERE p.trust = 'authoritative') OVER () AS authoritative,
    count(*) FILTER (WHERE p.trust = 'unresolved') OVER () AS unresolved
FROM people p
ORDER BY
    array_position(ARRAY['authoritative', 'unresolved'], p.trust) NULLS LAST,
    p.latest DESC NULLS LAST, lower(p.author)
LIMIT {people};

-- name: opener
-- What else the opener opened here.
SELECT
    count(*) FILTER (WHERE t.kind = 'pr') AS prs,
    count(*) FILTER (WHERE {merged_as_of}) AS merged,
    count(*) FILTER (WHERE t.kind = 'issue') AS issues,
    min(t.created_at) AS first_at
FROM relore.threads t
WHERE lower(t.author) = lower(%(opener)s::text) AND t.id <> %(thread)s::bigint AND {threads_in_scope};

-- name: targets
-- Which of the threads that it says it closes are held, in the order they were given.
SELECT x.ord::integer AS ord, t.id
FROM unnest(%(target_repos)s::text[], %(target_numbers)s::integer[]) WITH ORDINALITY AS x (repo, number, ord)
JOIN relore.repos r ON lower(r.full_name) = x.repo
JOIN relore.threads t ON t.repo_id = r.id AND t.number = x.number
WHERE {threads_in_scope}
ORDER BY x.ord;

-- name: competing
-- Threads that say they close one of the targets, each once, open ones first. A target claims nothing of itself.
WITH targets AS MATERIALIZED (
    SELECT x.repo, x.number
    FROM unnest(%(target_repos)s::text[], %(target_numbers)s::integer[]) AS x (repo, number)
),
claimants AS MATERIALIZED (
    SELECT
        l.thread_id, array_agg(DISTINCT l.target_repo || '#' || l.target_number) AS targets,
        -- What says so may say so since an edit of unknown date.
        bool_and(coalesce(d.source_type = 'body' AND d.updated_at IS NULL, false)) AS todays_words
    FROM targets x
    JOIN relore.links l ON l.target_repo = x.repo AND l.target_number = x.number
    LEFT JOIN relore.documents d ON d.id = l.document_id
    WHERE l.relation = 'closes'
      AND l.thread_id <> %(thread)s::bigint
      AND {links_in_scope}
    GROUP BY l.thread_id
)
SELECT
    t.id, c.targets,
    coalesce(c.todays_words AND t.updated_at >= %(before)s::timestamptz, false) AS todays_words,
    count(*) OVER () AS total
FROM claimants c
JOIN relore.threads t ON t.id = c.thread_id
WHERE {threads_in_scope}
ORDER BY coalesce({closed_as_of}, false), t.created_at DESC, t.id DESC
LIMIT {threads};

-- name: any_link
-- Whether relationships of any kind are held: while there are none, nobody's silence means anything.
SELECT EXISTS (SELECT FROM relore.links l WHERE l.repo_id = %(repo_id)s::integer);

-- name: same_files
-- Threads on the same paths: those whose diff holds one or whose inline comments stand on one, before those that only
-- name one; in each, those that share the rarest paths first, and of a wide diff each path is worth less. Before a
-- cutoff a diff is known of what was finished by then, and rare is what was so then. The rarest paths are asked with, as
-- many as there is time for: a path that half of all threads touch tells none of them apart. Where one alone is too much,
-- the newest that touch it count, and the sums are lower bounds.
WITH asked AS (
    SELECT x.ord::integer AS ord, x.path, substring(x.path FROM '[^/]*$') AS tail
    FROM unnest(%(paths)s::text[]) WITH ORDINALITY AS x (path, ord)
),
counted AS MATERIALIZED (
    SELECT
        a.*,
        (
            SELECT count(*)
            FROM (
                SELECT FROM relore.changed_files f
                WHERE f.repo_id = %(repo_id)s::integer AND f.tail = a.tail
                  AND (
                    %(before)s::timestamptz IS NULL
                    OR EXISTS (SELECT FROM relore.threads t WHERE t.id = f.thread_id AND {diff_as_of})
                  )
                UNION ALL
                SELECT FROM relore.changed_files f
                WHERE f.repo_id = %(repo_id)s::integer
                  AND f.previous_path IS NOT NULL
                  AND substring(f.previous_path FROM '[^/]*$') = a.tail
                  AND (
                    %(before)s::timestamptz IS NULL
                    OR EXISTS (SELECT FROM relore.threads t WHERE t.id = f.thread_id AND {diff_as_of})
                  )
                LIMIT {touching} + 1
            ) c
        ) AS touching,
        (
            SELECT count(*)
            FROM (
                SELECT FROM relore.signals s
                WHERE s.repo_id = %(repo_id)s::integer AND s.kind = 'file' AND s.tail = a.tail
                  AND (%(before)s::timestamptz IS NULL OR s.first_seen_at < %(before)s::timestamptz)
                LIMIT {naming} + 1
            ) c
        ) AS naming
    FROM asked a
),
paths AS MATERIALIZED (
    SELECT c.*, c.touching > {touching} OR c.naming > {naming} AS bounded
    FROM (
        SELECT
            c.*,
            sum(c.touching + c.naming) OVER rarest_first AS rows,
            row_number() OVER rarest_first AS place
        FROM counted c
        WINDOW rarest_first AS (ORDER BY c.touching + c.naming, c.ord)
    ) c
    WHERE c.place = 1 OR c.rows <= {rows}
),
touched AS MATERIALIZED (
    SELECT p.ord, f.thread_id, 0 AS how
    FROM paths p
    CROSS JOIN LATERAL (
        (
            SELECT f.thread_id, f.path
            FROM relore.changed_files f
            WHERE f.repo_id = %(repo_id)s::integer AND f.tail = p.tail
              AND (
                %(before)s::timestamptz IS NULL
                OR EXISTS (SELECT FROM relore.threads t WHERE t.id = f.thread_id AND {diff_as_of})
              )
            ORDER BY f.thread_id DESC
            LIMIT {touching}
        )
        UNION ALL
        (
            SELECT f.thread_id, f.previous_path
            FROM relore.changed_files f
            WHERE f.repo_id = %(repo_id)s::integer
              AND f.previous_path IS NOT NULL
              AND substring(f.previous_path FROM '[^/]*$') = p.tail
              AND (
                %(before)s::timestamptz IS NULL
                OR EXISTS (SELECT FROM relore.threads t WHERE t.id = f.thread_id AND {diff_as_of})
              )
            ORDER BY f.thread_id DESC
            LIMIT {touching}
        )
    ) f
    WHERE CASE WHEN %(partial)s::boolean
        THEN right('/' || f.path, length(p.path) + 1) = '/' || p.path
        ELSE f.path = p.path END
    UNION ALL
    SELECT p.ord, d.thread_id, CASE s.source WHEN 'anchor' THEN 1 ELSE 2 END
    FROM paths p
    CROSS JOIN LATERAL (
        SELECT s.document_id, s.source, s.value, s.first_seen_at
        FROM relore.signals s
        WHERE s.repo_id = %(repo_id)s::integer AND s.kind = 'file' AND s.tail = p.tail
          AND (%(before)s::timestamptz IS NULL OR s.first_seen_at < %(before)s::timestamptz)
        LIMIT {naming}
    ) s
    JOIN relore.documents d ON d.id = s.document_id
    WHERE CASE WHEN %(partial)s::boolean
        THEN right('/' || s.value, length(p.path) + 1) = '/' || p.path
        ELSE s.value = p.path END
      AND d.trust <> 'machine'
      AND {documents_in_scope}
),
shared AS MATERIALIZED (
    SELECT k.thread_id, min(k.how) AS how, sum(k.worth) AS worth, count(*) AS paths
    FROM (
        SELECT u.thread_id, u.ord, min(u.how) AS how, 1.0 / count(*) OVER (PARTITION BY u.ord) AS worth
        FROM touched u
        GROUP BY u.thread_id, u.ord
    ) k
    GROUP BY k.thread_id
),
threads AS MATERIALIZED (
    SELECT
        t.id, t.created_at, s.how, s.paths,
        s.worth / sqrt(greatest(t.stated_files, t.collected_files, s.paths)) AS worth
    FROM shared s
    JOIN relore.threads t ON t.id = s.thread_id
    WHERE t.id <> %(thread)s::bigint AND {threads_in_scope}
),
page AS (
    SELECT h.*
    FROM threads h
    WHERE h.id <> ALL (%(above)s::bigint[])
    ORDER BY h.how = 2, h.worth DESC, h.created_at DESC, h.id DESC
    LIMIT {threads}
)
SELECT
    (SELECT count(*) FROM threads h WHERE h.how < 2) AS touching,
    (SELECT count(*) FROM threads h WHERE h.how = 2) AS mentioning,
    (SELECT count(*) FROM threads h WHERE h.id = ANY (%(above)s::bigint[])) AS above,
    (SELECT array_agg(p.path ORDER BY p.ord) FROM paths p) AS used,
    (SELECT bool_or(p.bounded) FROM paths p) AS bounded,
    -- Pull requests of which it is not known whether they touch a path: no list of theirs is held, or a part of one, or,
    -- before a cutoff, only today's.
    (
        SELECT count(*)
        FROM (
            SELECT t.id
            FROM relore.threads t
            WHERE t.repo_id = %(repo_id)s::integer
              AND t.kind = 'pr'
              AND (t.collected_files IS NULL OR t.stated_files IS NULL OR t.collected_files < t.stated_files)
              AND {threads_in_scope}
            UNION
            SELECT t.id
            FROM relore.threads t
            WHERE t.repo_id = %(repo_id)s::integer
              AND t.updated_at >= %(before)s::timestamptz
              AND t.kind = 'pr'
              AND NOT {diff_as_of}
              AND {threads_in_scope}
        ) t
        WHERE t.id <> %(thread)s::bigint AND t.id NOT IN (SELECT h.id FROM threads h WHERE h.how < 2)
    ) AS untested,
    p.id, p.how, p.paths
FROM (SELECT true) s
LEFT JOIN page p ON true
ORDER BY p.how = 2, p.worth DESC, p.created_at DESC, p.id DESC;

-- name: anchored_words
-- Of each thread, the best of what was said inline on the paths: by somebody with write access, then the longest.
SELECT DISTINCT ON (d.thread_id)
    d.thread_id, d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body,
    d.created_at, d.path,
    CASE WHEN %(before)s::timestamptz IS NULL THEN d.line ELSE d.original_line END AS line
FROM relore.documents d
WHERE d.thread_id = ANY (%(threads)s::bigint[])
  AND d.source_type = 'review_comment'
  AND EXISTS (
    SELECT FROM unnest(%(paths)s::text[]) AS x (path)
    WHERE d.path = x.path OR (%(partial)s::boolean AND right('/' || d.path, length(x.path) + 1) = '/' || x.path)
  )
  AND d.chunk_index = 0
  AND d.trust <> 'machine'
  AND {documents_in_scope}
ORDER BY
    d.thread_id, array_position(ARRAY['authoritative', 'unresolved'], {trust_as_of}) NULLS LAST, d.lexemes DESC, d.id;

-- name: errors
-- The errors that people report in the thread, the opening post's before others, the most telling first.
SELECT s.tail, s.value
FROM relore.documents d
JOIN relore.signals s ON s.document_id = d.id AND s.kind = 'error'
WHERE d.thread_id = %(thread)s::bigint
  AND d.trust <> 'machine'
  AND (%(before)s::timestamptz IS NULL OR s.first_seen_at < %(before)s::timestamptz)
  AND {documents_in_scope}
GROUP BY s.tail, s.value
ORDER BY bool_or(d.source_type IN ('title', 'body')) DESC, length(s.value) DESC, s.tail, s.value
LIMIT {errors};

-- name: same_error
-- Threads in which the first of the errors was met that was met anywhere else: its message, or one of the two being
-- the better part of the other. The text that says it with most standing, then the earliest, stands for its thread.
WITH errors AS MATERIALIZED (
    SELECT x.ord::integer AS ord, x.tail, x.value
    FROM unnest(%(error_tails)s::text[], %(error_values)s::text[]) WITH ORDINALITY AS x (tail, value, ord)
),
met AS MATERIALIZED (
    SELECT e.ord, d.thread_id, d.id, {trust_as_of} AS trust, d.created_at, s.value = e.value AS same
    FROM errors e
    JOIN relore.signals s
      ON s.repo_id = %(repo_id)s::integer AND s.kind = 'error' AND s.tail = e.tail
     AND (strpos(s.value, e.value) > 0 OR (length(s.value) >= {telling} AND starts_with(e.value, s.value)))
    JOIN relore.documents d ON d.id = s.document_id
    WHERE d.thread_id <> %(thread)s::bigint
      AND d.trust <> 'machine'
      AND (%(before)s::timestamptz IS NULL OR s.first_seen_at < %(before)s::timestamptz)
      AND {documents_in_scope}
),
threads AS MATERIALIZED (
    SELECT DISTINCT ON (m.thread_id) m.*
    FROM met m
    WHERE m.ord = (SELECT min(f.ord) FROM met f)
    ORDER BY
        m.thread_id, m.same DESC, array_position(ARRAY['authoritative', 'unresolved'], m.trust) NULLS LAST,
        m.created_at, m.id
),
page AS (
    SELECT h.ord, h.thread_id, h.id, h.same, t.created_at
    FROM threads h
    JOIN relore.threads t ON t.id = h.thread_id
    WHERE h.thread_id <> ALL (%(above)s::bigint[])
    ORDER BY h.same DESC, t.created_at DESC, t.id DESC
    LIMIT {threads}
)
SELECT
    (SELECT min(m.ord) FROM met m) AS ord,
    (SELECT count(*) FROM threads) AS total,
    (SELECT count(*) FROM threads h WHERE h.thread_id = ANY (%(above)s::bigint[])) AS above,
    p.thread_id, d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body,
    d.created_at, d.path,
    CASE WHEN %(before)s::timestamptz IS NULL THEN d.line ELSE d.original_line END AS line
FROM (SELECT true) s
LEFT JOIN page p ON true
LEFT JOIN relore.documents d ON d.id = p.id
ORDER BY p.same DESC, p.created_at DESC, p.thread_id DESC;

-- name: listed
-- What of the heads of listed threads never changes, whichever section lists them.
SELECT
    t.id, r.full_name AS repo, t.number, t.kind AS type, t.url, t.author, t.created_at,
    coalesce((
        SELECT {trust_as_of} FROM relore.documents d WHERE d.thread_id = t.id AND d.source_type = 'title' LIMIT 1
    ), 'reported') AS trust
FROM relore.threads t
JOIN relore.repos r ON r.id = t.repo_id
WHERE t.id = ANY (%(ids)s::bigint[]);
