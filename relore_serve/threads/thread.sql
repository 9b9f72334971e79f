-- One thread: its head, its files and links, and the comments of one page. A comment is known by its first passage,
-- whose row stands for it wherever comments are counted or put in order. The order of comments is one everywhere:
-- by date, then kind, then id as a number; undated ones last.

-- name: head
SELECT
    t.id, r.full_name AS repo, t.number, t.kind AS type, t.url, t.author, t.merge_sha,
    t.stated_comments, t.stated_review_comments, t.stated_files, t.collected_files,
    t.created_at, t.updated_at, t.indexed_at,
    {diff_as_of} AS diff_known,
    coalesce((
        SELECT {trust_as_of} FROM relore.documents d WHERE d.thread_id = t.id AND d.source_type = 'title' LIMIT 1
    ), 'reported') AS trust
FROM relore.threads t
JOIN relore.repos r ON r.id = t.repo_id
WHERE {threads_in_scope} AND t.number = %(number)s::integer;

-- name: verdicts
-- The latest verdict of each person on each thread, and the standing that person had on that day; under a cutoff, as it
-- was known then.
SELECT DISTINCT ON (v.thread_id, lower(v.author))
    v.thread_id, v.author, v.stated_at, v.commit_sha,
    -- A review that was dismissed since the cutoff stood until then; of one without a dated dismissal it is not known.
    CASE WHEN v.verdict = 'DISMISSED' AND e.at >= %(before)s::timestamptz THEN coalesce(e.previous, v.verdict)
    ELSE v.verdict END AS verdict,
    v.verdict = 'DISMISSED' AND %(before)s::timestamptz IS NOT NULL
        AND (e.at IS NULL OR (e.at >= %(before)s::timestamptz AND e.previous IS NULL)) AS undated,
    coalesce((
        SELECT s.tiers[width_bucket(v.stated_at, s.starts) + 1]
        FROM relore.authors_then s
        WHERE s.repo_id = v.repo_id AND s.login = lower(v.author) AND s.seen_until >= %(before)s::timestamptz
        ORDER BY s.seen_until
        LIMIT 1
    ), (
        SELECT a.tier
        FROM relore.authors a
        WHERE a.repo_id = v.repo_id AND a.login = lower(v.author)
          AND (a.from_at IS NULL OR a.from_at <= v.stated_at)
          AND (a.to_at IS NULL OR a.to_at > v.stated_at)
        ORDER BY array_position(ARRAY['machine', 'authoritative', 'unresolved'], a.tier)
        LIMIT 1
    ), 'reported') AS trust
FROM relore.verdicts v
LEFT JOIN LATERAL (
    SELECT d.at, d.previous
    FROM relore.thread_events d
    WHERE d.thread_id = v.thread_id AND d.event = 'review_dismissed' AND d.value = v.review_id
    ORDER BY d.position LIMIT 1
) e ON v.verdict = 'DISMISSED'
WHERE v.thread_id = ANY (%(threads)s::bigint[])
  AND (%(before)s::timestamptz IS NULL OR v.stated_at < %(before)s::timestamptz)
ORDER BY v.thread_id, lower(v.author), v.stated_at DESC NULLS LAST, length(v.review_id) DESC, v.review_id DESC;

-- name: body
-- The opening post, passage by passage, and when it was last edited, where that is known.
SELECT d.body, d.updated_at
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint AND d.source_type = 'body'
ORDER BY d.chunk_index;

-- name: changed_files
-- In the order in which GitHub serves a diff: by path, as bytes.
SELECT f.path
FROM relore.changed_files f
WHERE f.thread_id = %(thread)s::bigint
ORDER BY f.path COLLATE "C";

-- name: anchored_files
SELECT d.path
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint AND d.path IS NOT NULL AND {documents_in_scope}
GROUP BY d.path
ORDER BY d.path COLLATE "C";

-- name: mentioned_files
-- Named by people, and neither under an inline comment nor in the diff held, where that is the diff of then.
SELECT m.value, count(*) OVER () AS total
FROM (
    SELECT s.value, min(d.created_at) AS first_named
    FROM relore.documents d
    JOIN relore.signals s ON s.document_id = d.id AND s.kind = 'file' AND s.source <> 'anchor'
    WHERE d.thread_id = %(thread)s::bigint AND d.trust <> 'machine' AND {documents_in_scope}
    GROUP BY s.value
) m
WHERE NOT EXISTS (
    SELECT FROM relore.changed_files f
    WHERE %(diff_known)s::boolean AND f.thread_id = %(thread)s::bigint AND f.path = m.value
)
  AND m.value <> ALL (%(anchored)s::text[])
ORDER BY m.first_named, m.value COLLATE "C"
LIMIT {mentioned};

-- name: links
-- What the thread says of others, each once; whether the other is held is asked now, so that it cannot be stale.
SELECT k.relation, k.target, k.indexed, k.source, count(*) OVER () AS total
FROM (
    SELECT DISTINCT ON (l.relation, l.target_repo, l.target_number)
        l.relation, l.source, l.stated_at, l.target_number,
        coalesce(r.full_name, CASE WHEN l.target_repo = lower(own.full_name) THEN own.full_name END, l.target_repo)
            || '#' || l.target_number AS target,
        t.id IS NOT NULL AS indexed
    FROM relore.links l
    JOIN relore.repos own ON own.id = l.repo_id
    LEFT JOIN relore.repos r ON lower(r.full_name) = l.target_repo AND r.id = ANY (%(visible)s::integer[])
    LEFT JOIN relore.threads t
      ON t.repo_id = r.id AND t.number = l.target_number
     AND (%(before)s::timestamptz IS NULL OR t.created_at < %(before)s::timestamptz)
    WHERE l.thread_id = %(thread)s::bigint
      AND {links_in_scope}
      AND NOT EXISTS (
        SELECT
        FROM unnest(%(excluded_names)s::text[], %(excluded_numbers)s::bigint[]) AS x (repo, number)
        WHERE x.repo = l.target_repo AND x.number = l.target_number
      )
    ORDER BY
        l.relation, l.target_repo, l.target_number,
        array_position(ARRAY['github', 'body', 'title', 'commit'], l.source), l.stated_at, l.source
) k
ORDER BY
    array_position(ARRAY['closes', 'duplicates', 'reverts', 'supersedes', 'mentions'], k.relation),
    k.stated_at NULLS LAST, k.target_number, k.target
LIMIT {links};

-- name: counts
SELECT count(*) AS total, count(*) FILTER (WHERE d.trust = 'machine') AS machine
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint
  AND d.source_type IN ('issue_comment', 'review', 'review_comment')
  AND d.chunk_index = 0
  AND ({documents_in_scope} OR {kept_as_of});

-- name: not_known_then
-- Comments that were, or may have been, there at the cutoff, and whose words then are not known.
SELECT
    count(*) FILTER (WHERE d.created_at IS NOT NULL) AS edited,
    count(*) FILTER (WHERE d.created_at IS NULL) AS undated
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint
  AND d.source_type IN ('issue_comment', 'review', 'review_comment')
  AND d.chunk_index = 0
  AND d.trust <> 'machine'
  AND (
    d.created_at IS NULL
    OR (d.created_at < %(before)s::timestamptz AND NOT {text_as_of})
  );

-- name: kept
-- Texts that were edited since the cutoff, as they read then, where the version that the edit replaced was kept whole.
-- A version holds the passages that the edit changed: they are all there were where they are as many as any later text has.
WITH edited AS MATERIALIZED (
    SELECT d.source_type, d.source_id, d.chunk_count
    FROM relore.documents d
    WHERE d.thread_id = %(thread)s::bigint
      AND d.source_type IN ('body', 'issue_comment', 'review', 'review_comment')
      AND d.chunk_index = 0
      AND d.created_at < %(before)s::timestamptz
      AND d.updated_at >= %(before)s::timestamptz
),
versions AS MATERIALIZED (
    SELECT
        v.source_type, v.source_id, v.replaced_at, e.chunk_count,
        max(v.updated_at) AS written_at,
        count(*) AS passages,
        max(v.chunk_index) + 1 AS span,
        string_agg(v.body, '' ORDER BY v.chunk_index) AS body
    FROM edited e
    JOIN relore.document_versions v
      ON v.repo_id = ANY (%(repo_ids)s::integer[]) AND v.source_type = e.source_type AND v.source_id = e.source_id
    WHERE v.thread_number = %(number)s::integer
    GROUP BY v.source_type, v.source_id, v.replaced_at, e.chunk_count
),
held AS (
    SELECT DISTINCT ON (v.source_type, v.source_id) v.*
    FROM versions v
    WHERE v.written_at < %(before)s::timestamptz
    ORDER BY v.source_type, v.source_id, v.replaced_at DESC
)
SELECT h.source_type, h.source_id, h.written_at, h.body
FROM held h
WHERE h.passages = h.span
  AND h.span >= h.chunk_count
  AND h.span >= ALL (
    SELECT v.span FROM versions v
    WHERE v.source_type = h.source_type AND v.source_id = h.source_id AND v.replaced_at > h.replaced_at
  );

-- name: oldest_body
-- Of an opening post whose edits bear no date: the oldest whole text that was still held at the cutoff, and until when it
-- was. It may itself be of an edit since.
WITH versions AS MATERIALIZED (
    SELECT
        v.replaced_at,
        count(*) AS passages,
        max(v.chunk_index) + 1 AS span,
        string_agg(v.body, '' ORDER BY v.chunk_index) AS body
    FROM relore.document_versions v
    WHERE v.repo_id = ANY (%(repo_ids)s::integer[])
      AND v.source_type = 'body'
      AND v.source_id = %(number)s::text
      AND v.thread_number = %(number)s::integer
      AND v.reason = 'edited'
      AND v.replaced_at >= %(before)s::timestamptz
    GROUP BY v.replaced_at
)
SELECT o.body, o.replaced_at
FROM (SELECT v.* FROM versions v ORDER BY v.replaced_at LIMIT 1) o
WHERE o.passages = o.span
  AND o.span >= ALL (SELECT v.span FROM versions v)
  AND o.span >= (
    SELECT d.chunk_count FROM relore.documents d
    WHERE d.thread_id = %(thread)s::bigint AND d.source_type = 'body' AND d.chunk_index = 0
  );

-- name: shared_ids
-- Ids are unique per kind only: those that several comments of the thread have.
SELECT d.source_id
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint
  AND d.source_type IN ('issue_comment', 'review', 'review_comment')
  AND d.chunk_index = 0
  AND ({documents_in_scope} OR {kept_as_of})
GROUP BY d.source_id
HAVING count(DISTINCT d.source_type) > 1;

-- name: cursor
-- Where the comments of that id stand in the order; comments of machines have a place too.
SELECT d.created_at, d.source_type, d.source_id
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint
  AND d.source_type IN ('issue_comment', 'review', 'review_comment')
  AND (%(after_type)s::text IS NULL OR d.source_type = %(after_type)s::text)
  AND d.source_id = %(after_id)s::text
  AND d.chunk_index = 0
  AND ({documents_in_scope} OR {kept_as_of})
ORDER BY d.created_at, d.source_type COLLATE "C"
LIMIT 3;

-- name: sample
-- The first and the last few, and between them reviews before all else, evenly spread, then others likewise, and what
-- says nothing last: a review that approves says something without a word.
WITH comments AS MATERIALIZED (
    SELECT
        d.id,
        CASE
        WHEN d.noise AND coalesce(d.review_state NOT IN ('APPROVED', 'CHANGES_REQUESTED'), true) THEN 2
        WHEN d.source_type IN ('review', 'review_comment') THEN 0
        ELSE 1
        END AS class,
        row_number() OVER w AS place,
        count(*) OVER () AS total
    FROM relore.documents d
    WHERE d.thread_id = %(thread)s::bigint
      AND d.source_type IN ('issue_comment', 'review', 'review_comment')
      AND d.chunk_index = 0
      AND d.trust <> 'machine'
      AND ({documents_in_scope} OR {kept_as_of})
    WINDOW w AS (
        ORDER BY d.created_at NULLS LAST, d.source_type COLLATE "C", length(d.source_id), d.source_id COLLATE "C"
    )
),
middle AS (
    SELECT
        c.id, c.place,
        row_number() OVER (PARTITION BY c.class ORDER BY c.place) - 1 AS nth,
        count(*) OVER (PARTITION BY c.class) AS held,
        CASE c.class
        WHEN 0 THEN 0
        WHEN 1 THEN count(*) FILTER (WHERE c.class = 0) OVER ()
        ELSE count(*) FILTER (WHERE c.class < 2) OVER ()
        END AS better
    FROM comments c
    WHERE c.total > {page} AND c.place > {ends} AND c.place <= c.total - {ends}
),
wanted AS (
    SELECT
        m.id, m.place, m.nth, m.held,
        least(m.held, greatest({page} - 2 * {ends} - m.better, 0)) AS wanted
    FROM middle m
),
picked AS (
    SELECT c.id, c.place
    FROM comments c
    WHERE c.total <= {page} OR c.place <= {ends} OR c.place > c.total - {ends}
    UNION ALL
    SELECT w.id, w.place
    FROM wanted w
    WHERE w.nth IN (
        SELECT round(g.i * (w.held - 1)::numeric / greatest(w.wanted - 1, 1))::bigint
        FROM generate_series(0, w.wanted - 1) AS g (i)
    )
)
SELECT
    d.id, d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body, NULL AS lead,
    d.created_at, d.path,
    CASE WHEN %(before)s::timestamptz IS NULL THEN d.line ELSE d.original_line END AS line,
    {review_state_as_of} AS review_state
FROM picked p
JOIN relore.documents d ON d.id = p.id
ORDER BY p.place;

-- name: sequence
-- The comments after a place, in order; one more than asked, to know whether there are more.
SELECT
    d.id, d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body, NULL AS lead,
    d.created_at, d.path,
    CASE WHEN %(before)s::timestamptz IS NULL THEN d.line ELSE d.original_line END AS line,
    {review_state_as_of} AS review_state
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint
  AND d.source_type IN ('issue_comment', 'review', 'review_comment')
  AND d.chunk_index = 0
  AND d.trust <> 'machine'
  AND (
    %(after_source)s::text IS NULL
    OR (coalesce(d.created_at, 'infinity'), d.source_type COLLATE "C", length(d.source_id), d.source_id COLLATE "C")
        > (coalesce(%(after_created)s::timestamptz, 'infinity'), %(after_source)s::text COLLATE "C",
           length(%(after_id)s::text), %(after_id)s::text COLLATE "C")
  )
  AND ({documents_in_scope} OR {kept_as_of})
ORDER BY d.created_at NULLS LAST, d.source_type COLLATE "C", length(d.source_id), d.source_id COLLATE "C"
LIMIT {page} + 1;

-- name: focus
-- All comments by what they say about some words, the best passage of each; those that say nothing come last, oldest
-- first, so that the page is never empty. The words of what was edited since a cutoff are not looked at: they are later.
WITH terms AS MATERIALIZED (
    SELECT u.q, u.weight
    FROM unnest(%(term_queries)s::text[]::tsquery[], %(term_weights)s::float8[]) AS u (q, weight)
),
passages AS MATERIALIZED (
    SELECT
        d.id, d.source_type, d.source_id, d.chunk_index, d.created_at,
        CASE WHEN {documents_in_scope} AND d.search_vector @@ %(any)s::text::tsquery THEN (
            SELECT
                sum(t.weight * r.times * ({repeated} + 1) / (r.times + {repeated} * v.length))
                    * power(sum(t.weight), %(coverage_power)s::float8)
            FROM (
                SELECT
                    d.search_vector || ''::tsvector AS vector,
                    1 - {length_share} + {length_share} * greatest(d.lexemes, %(length_floor)s::integer)
                        / %(usual_length)s::float8 AS length
                OFFSET 0
            ) v
            CROSS JOIN terms t
            CROSS JOIN LATERAL (
                SELECT {times_in_text} AS times
            ) r
            WHERE v.vector @@ t.q
        ) END AS score,
        {documents_in_scope} AND d.search_vector @@ %(every)s::text::tsquery AS every
    FROM relore.documents d
    WHERE d.thread_id = %(thread)s::bigint
      AND d.source_type IN ('issue_comment', 'review', 'review_comment')
      AND d.trust <> 'machine'
      AND ({documents_in_scope} OR {kept_as_of})
),
comments AS MATERIALIZED (
    SELECT DISTINCT ON (p.source_type, p.source_id)
        p.*, bool_or(p.every) OVER (PARTITION BY p.source_type, p.source_id) AS matched
    FROM passages p
    ORDER BY p.source_type, p.source_id, p.score DESC NULLS LAST, p.chunk_index
),
page AS (
    SELECT
        c.id,
        row_number() OVER (
            ORDER BY c.score DESC NULLS LAST, c.created_at NULLS LAST, c.source_type COLLATE "C", length(c.source_id),
                c.source_id COLLATE "C"
        ) AS place
    FROM comments c
)
SELECT
    d.id, d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body,
    CASE WHEN d.chunk_index > 0 THEN (
        SELECT string_agg(l.body, '' ORDER BY l.chunk_index)
        FROM relore.documents l
        WHERE l.thread_id = d.thread_id AND l.source_type = d.source_type AND l.source_id = d.source_id
          AND l.chunk_index < d.chunk_index
    ) END AS lead,
    d.created_at, d.path,
    CASE WHEN %(before)s::timestamptz IS NULL THEN d.line ELSE d.original_line END AS line,
    {review_state_as_of} AS review_state,
    (SELECT count(*) FROM comments c WHERE c.matched) AS focus_matched
FROM page p
JOIN relore.documents d ON d.id = p.id
WHERE p.place <= {page}
ORDER BY p.place;

-- name: outline
-- Comments in order, narrowed to those of which any passage carries any of the words, if any comment does.
WITH carrying AS MATERIALIZED (
    SELECT DISTINCT d.source_type, d.source_id
    FROM relore.documents d
    WHERE %(any)s::text IS NOT NULL
      AND d.thread_id = %(thread)s::bigint
      AND d.source_type IN ('issue_comment', 'review', 'review_comment')
      AND d.trust <> 'machine'
      AND d.search_vector @@ %(any)s::text::tsquery
      AND {documents_in_scope}
),
comments AS MATERIALIZED (
    SELECT d.id, d.created_at, d.source_type, d.source_id
    FROM relore.documents d
    WHERE d.thread_id = %(thread)s::bigint
      AND d.source_type IN ('issue_comment', 'review', 'review_comment')
      AND d.chunk_index = 0
      AND d.trust <> 'machine'
      AND (
        NOT EXISTS (SELECT FROM carrying)
        OR (d.source_type, d.source_id) IN (SELECT k.source_type, k.source_id FROM carrying k)
      )
      AND (
        %(after_source)s::text IS NULL
        OR (
            coalesce(d.created_at, 'infinity'), d.source_type COLLATE "C", length(d.source_id),
            d.source_id COLLATE "C"
        ) > (
            coalesce(%(after_created)s::timestamptz, 'infinity'), %(after_source)s::text COLLATE "C",
            length(%(after_id)s::text), %(after_id)s::text COLLATE "C"
        )
      )
      AND ({documents_in_scope} OR {kept_as_of})
),
page AS (
    SELECT c.*
    FROM comments c
    ORDER BY c.created_at NULLS LAST, c.source_type COLLATE "C", length(c.source_id), c.source_id COLLATE "C"
    LIMIT {outline}
)
SELECT
    s.matched, s.reachable,
    d.id, d.source_type, d.source_id, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body, d.created_at
FROM (
    SELECT (SELECT count(*) FROM carrying) AS matched, (SELECT count(*) FROM comments) AS reachable
) s
LEFT JOIN page p ON true
LEFT JOIN relore.documents d ON d.id = p.id
ORDER BY p.created_at NULLS LAST, p.source_type COLLATE "C", length(p.source_id), p.source_id COLLATE "C";

-- name: comment
-- One comment, passage by passage.
SELECT
    d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body, d.created_at,
    d.path,
    CASE WHEN %(before)s::timestamptz IS NULL THEN d.line ELSE d.original_line END AS line,
    {review_state_as_of} AS review_state
FROM relore.documents d
WHERE d.thread_id = %(thread)s::bigint
  AND d.source_type IN ('issue_comment', 'review', 'review_comment')
  AND (%(comment_type)s::text IS NULL OR d.source_type = %(comment_type)s::text)
  AND d.source_id = %(comment_id)s::text
  AND ({documents_in_scope} OR {kept_as_of})
ORDER BY d.source_type COLLATE "C", d.chunk_index;

-- name: comment_edited
-- Whether a comment was there at the cutoff, with other words than today's.
SELECT EXISTS (
    SELECT
    FROM relore.documents d
    WHERE d.thread_id = %(thread)s::bigint
      AND d.source_type IN ('issue_comment', 'review', 'review_comment')
      AND (%(comment_type)s::text IS NULL OR d.source_type = %(comment_type)s::text)
      AND d.source_id = %(comment_id)s::text
      AND d.created_at < %(before)s::timestamptz
      AND NOT {text_as_of}
);
