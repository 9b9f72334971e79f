-- Finished work that answers a question. A unit is a pull request with what belongs to it; its texts are those of its
-- threads, and the best of them speak for it.

-- name: weigh
-- How rare the words are, which threads are withheld, which endings of absolute paths name a file that is held, and
-- when precedents were built of which repository.
SELECT
    coalesce((
        SELECT sum(s.documents) FROM relore.repo_stats s WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
    ), 0)::bigint AS documents,
    coalesce((
        SELECT sum(s.lexemes) / nullif(sum(s.documents), 0)
        FROM relore.repo_stats s WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
    ), 1)::float8 AS length,
    (
        SELECT jsonb_object_agg(w.lexeme, k.documents)
        FROM unnest(%(lexemes)s::text[]) AS w (lexeme)
        CROSS JOIN LATERAL (
            SELECT sum(s.documents) AS documents
            FROM unnest(%(repo_ids)s::integer[]) AS r (id)
            JOIN relore.term_stats s ON s.repo_id = r.id AND s.lexeme = w.lexeme COLLATE "C"
            OFFSET 0
        ) k
        WHERE k.documents IS NOT NULL
    ) AS frequencies,
    {threads_in_exclusions} AS withheld,
    ARRAY(
        SELECT e.path
        FROM unnest(%(endings)s::text[]) AS e (path)
        WHERE {path_in_diffs}
    ) AS held,
    (
        SELECT jsonb_object_agg(s.repo_id, to_char(s.last_ok_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
        FROM relore.sync_state s
        WHERE s.repo_id = ANY (%(repo_ids)s::integer[]) AND s.pass = 'precedents' AND s.last_ok_at IS NOT NULL
    ) AS built;

-- name: page
WITH terms AS MATERIALIZED (
    SELECT u.ord::integer AS ord, u.q, u.weight
    FROM unnest(%(term_queries)s::text[]::tsquery[], %(term_weights)s::float8[]) WITH ORDINALITY AS u (q, weight, ord)
),
needles AS MATERIALIZED (
    SELECT u.ord::integer AS ord, u.kind, u.tail, u.value, u.weight, u.asked, u.whole
    FROM unnest(
        %(needle_kinds)s::text[], %(needle_tails)s::text[], %(needle_values)s::text[],
        %(needle_weights)s::float8[], %(needle_asked)s::boolean[], %(needle_whole)s::boolean[]
    ) WITH ORDINALITY AS u (kind, tail, value, weight, asked, whole, ord)
),
-- As in search: values are compared from the end, at a boundary; an error contains what was asked for.
signal_facts AS (
    SELECT n.ord, d.thread_id
    FROM needles n
    JOIN relore.signals s
      ON s.repo_id = ANY (%(repo_ids)s::integer[]) AND s.kind = n.kind AND s.tail = n.tail
    CROSS JOIN LATERAL (
        SELECT CASE n.kind
            WHEN 'symbol' THEN regexp_replace(s.value, '::|->|#', '.', 'g')
            WHEN 'test' THEN split_part(s.value, '[', 1)
            ELSE s.value
        END AS value
    ) v
    JOIN relore.documents d ON d.id = s.document_id
    WHERE CASE
        WHEN n.whole THEN v.value = n.value
        WHEN n.kind = 'error' THEN
            strpos(v.value, n.value) > 0 OR (length(v.value) >= {telling} AND starts_with(n.value, v.value))
        ELSE right(v.value, length(n.value)) = n.value
             AND substr(v.value, length(v.value) - length(n.value), 1) IN ('', '/', ':', '.')
        END
      AND (n.kind <> 'file' OR s.source = 'anchor')
      AND {dates_in_scope}
      AND d.thread_id <> ALL (%(withheld)s::bigint[])
),
untyped_errors AS (
    SELECT n.ord, d.thread_id
    FROM needles n
    JOIN relore.signals s
      ON s.repo_id = ANY (%(repo_ids)s::integer[]) AND s.kind = 'error' AND strpos(s.value, n.value) > 0
    JOIN relore.documents d ON d.id = s.document_id
    WHERE n.kind = 'error' AND n.tail IS NULL
      AND {dates_in_scope}
      AND d.thread_id <> ALL (%(withheld)s::bigint[])
),
diff_facts AS (
    SELECT n.ord, f.thread_id
    FROM needles n
    JOIN relore.changed_files f ON f.repo_id = ANY (%(repo_ids)s::integer[]) AND f.tail = n.tail
    WHERE n.kind = 'file'
      AND right(f.path, length(n.value)) = n.value
      AND substr(f.path, length(f.path) - length(n.value), 1) IN ('', '/')
    UNION ALL
    SELECT n.ord, f.thread_id
    FROM needles n
    JOIN relore.changed_files f
      ON f.repo_id = ANY (%(repo_ids)s::integer[])
     AND f.previous_path IS NOT NULL
     AND substring(f.previous_path FROM '[^/]*$') = n.tail
    WHERE n.kind = 'file'
      AND right(f.previous_path, length(n.value)) = n.value
      AND substr(f.previous_path, length(f.previous_path) - length(n.value), 1) IN ('', '/')
),
folder_facts AS (
    SELECT n.ord, f.thread_id
    FROM needles n
    JOIN relore.changed_files f
      ON f.repo_id = ANY (%(repo_ids)s::integer[]) AND strpos('/' || f.path, '/' || n.value) > 0
    WHERE n.kind = 'file' AND n.tail IS NULL
),
facts AS MATERIALIZED (
    SELECT f.ord, f.thread_id
    FROM (
        SELECT * FROM signal_facts
        UNION ALL SELECT * FROM untyped_errors
        UNION ALL SELECT * FROM diff_facts
        UNION ALL SELECT * FROM folder_facts
    ) f
    GROUP BY f.ord, f.thread_id
    LIMIT {facts}
),
-- Which units a thread speaks for: itself, and those that it belongs to.
fact_units AS MATERIALIZED (
    SELECT f.thread_id, f.ord, p.thread_id AS unit
    FROM facts f JOIN relore.precedents p ON p.thread_id = f.thread_id
    UNION ALL
    SELECT f.thread_id, f.ord, x.precedent_id
    FROM facts f
    JOIN relore.precedent_threads x ON x.thread_id = f.thread_id
    WHERE (x.role = 'issue' OR (x.role = 'attempt' AND NOT %(rejected)s::boolean))
      AND (%(before)s::timestamptz IS NULL OR x.since < %(before)s::timestamptz)
),
-- Pull requests that a filter for files cannot be tried on.
unlisted AS MATERIALIZED (
    SELECT t.id AS unit
    FROM relore.threads t
    WHERE %(asked_files)s::boolean
      AND t.repo_id = ANY (%(repo_ids)s::integer[])
      AND t.kind = 'pr'
      AND (t.collected_files IS NULL OR t.stated_files IS NULL OR t.collected_files < t.stated_files)
),
-- Where the caller filters by facts, only the texts of units that carry one are looked at.
members AS MATERIALIZED (
    SELECT f.unit AS thread_id FROM fact_units f WHERE %(filtered)s::boolean
    UNION
    SELECT x.thread_id
    FROM fact_units f
    JOIN relore.precedent_threads x ON x.precedent_id = f.unit
    WHERE %(filtered)s::boolean
    UNION
    SELECT t.unit FROM unlisted t
),
every AS MATERIALIZED (
    SELECT d.id, d.thread_id, d.source_type, d.lexemes, d.created_at
    FROM relore.documents d
    WHERE %(every)s::text IS NOT NULL
      AND d.search_vector @@ %(every)s::text::tsquery
      AND (NOT %(filtered)s::boolean OR d.thread_id IN (SELECT m.thread_id FROM members m))
      AND NOT d.noise
      AND {documents_in_scope}
    LIMIT {matches}
),
any_term AS MATERIALIZED (
    SELECT d.id, d.thread_id, d.source_type, d.lexemes, d.created_at
    FROM relore.documents d
    WHERE %(any)s::text IS NOT NULL
      AND (SELECT count(*) FROM (SELECT DISTINCT e.thread_id FROM every e LIMIT {few}) t) < {few}
      AND d.search_vector @@ %(any)s::text::tsquery
      AND (NOT %(filtered)s::boolean OR d.thread_id IN (SELECT m.thread_id FROM members m))
      AND NOT d.noise
      AND {documents_in_scope}
    LIMIT {matches}
),
matched AS MATERIALIZED (
    SELECT m.id, m.thread_id, m.source_type, m.lexemes, m.created_at, bool_or(m.whole) AS whole
    FROM (SELECT e.*, true AS whole FROM every e UNION ALL SELECT a.*, false FROM any_term a) m
    GROUP BY m.id, m.thread_id, m.source_type, m.lexemes, m.created_at
),
found_threads AS MATERIALIZED (
    SELECT DISTINCT m.thread_id FROM matched m
),
spoken_for AS MATERIALIZED (
    SELECT f.thread_id, p.thread_id AS unit
    FROM found_threads f JOIN relore.precedents p ON p.thread_id = f.thread_id
    UNION ALL
    SELECT f.thread_id, x.precedent_id
    FROM found_threads f
    JOIN relore.precedent_threads x ON x.thread_id = f.thread_id
    WHERE (x.role = 'issue' OR (x.role = 'attempt' AND NOT %(rejected)s::boolean))
      AND (%(before)s::timestamptz IS NULL OR x.since < %(before)s::timestamptz)
),
unit_facts AS MATERIALIZED (
    SELECT f.unit, f.ord FROM fact_units f GROUP BY f.unit, f.ord
),
-- Finished in time, and of the outcome asked for.
admitted AS MATERIALIZED (
    SELECT
        p.thread_id AS unit, p.finished_at,
        CASE
        -- The label of a withheld issue tells nothing.
        WHEN %(before)s::timestamptz IS NULL AND NOT EXISTS (
            SELECT FROM relore.threads x
            WHERE x.id = ANY (%(withheld)s::bigint[]) AND x.repo_id = p.repo_id
              AND p.kind_evidence LIKE 'label % of #' || x.number
        ) THEN p.kind
        ELSE p.title_kind END AS kind,
        coalesce(a.others, 0) = %(asked_others)s::integer AS others,
        NOT %(asked_files)s::boolean OR coalesce(a.file, false) AS file
    FROM (
        SELECT DISTINCT s.unit FROM spoken_for s
        UNION ALL
        (
            SELECT f.unit FROM unit_facts f WHERE NOT %(searched)s::boolean
            UNION
            SELECT t.unit FROM unlisted t WHERE NOT %(searched)s::boolean
        )
        UNION ALL
        SELECT every_unit.thread_id FROM relore.precedents every_unit WHERE NOT %(found)s::boolean
    ) u
    JOIN relore.precedents p ON p.thread_id = u.unit
    LEFT JOIN (
        SELECT
            f.unit, count(DISTINCT n.kind) FILTER (WHERE n.kind <> 'file') AS others, bool_or(n.kind = 'file') AS file
        FROM unit_facts f JOIN needles n USING (ord)
        WHERE n.asked
        GROUP BY f.unit
    ) a ON a.unit = u.unit
    WHERE p.repo_id = ANY (%(repo_ids)s::integer[])
      AND p.thread_id <> ALL (%(withheld)s::bigint[])
      AND (%(finished_since)s::timestamptz IS NULL OR p.finished_at >= %(finished_since)s::timestamptz)
      AND (%(before)s::timestamptz IS NULL OR p.finished_at < %(before)s::timestamptz)
      AND (
        NOT %(rejected)s::boolean
        OR p.outcome = 'rejected'
        OR EXISTS (
            SELECT FROM relore.precedent_threads x
            WHERE x.precedent_id = p.thread_id AND x.role = 'revert' AND x.how = 'linked'
              AND x.thread_id <> ALL (%(withheld)s::bigint[])
              AND (%(before)s::timestamptz IS NULL OR x.since < %(before)s::timestamptz)
        )
      )
),
answers AS MATERIALIZED (
    SELECT a.unit, a.finished_at
    FROM admitted a
    WHERE a.others AND a.file AND (%(kind)s::text IS NULL OR a.kind = %(kind)s::text)
),
-- An attempt is told with the work that came of it where that answers too, unless attempts are what is asked for.
told_with AS MATERIALIZED (
    SELECT DISTINCT x.thread_id AS unit
    FROM relore.precedent_threads x
    WHERE NOT %(rejected)s::boolean
      AND x.role = 'attempt'
      AND x.precedent_id IN (SELECT n.unit FROM answers n)
      AND x.thread_id IN (SELECT a.unit FROM admitted a)
      AND (%(before)s::timestamptz IS NULL OR x.since < %(before)s::timestamptz)
),
of_kind AS MATERIALIZED (
    SELECT n.unit, n.finished_at FROM answers n WHERE n.unit NOT IN (SELECT w.unit FROM told_with w)
),
-- Where nothing is looked for, dates decide, and the newest are enough.
units AS MATERIALIZED (
    SELECT o.unit, o.finished_at FROM of_kind o WHERE %(found)s::boolean
    UNION ALL
    (SELECT o.unit, o.finished_at FROM of_kind o WHERE NOT %(found)s::boolean ORDER BY o.finished_at DESC LIMIT {newest})
),
texts AS MATERIALIZED (
    SELECT m.id, m.source_type, m.lexemes, m.created_at, m.whole, u.unit
    FROM matched m
    JOIN spoken_for s ON s.thread_id = m.thread_id
    JOIN units u ON u.unit = s.unit
),
-- Of each unit its likeliest texts are scored.
candidates AS MATERIALIZED (
    SELECT c.id, c.unit, c.whole
    FROM (
        SELECT
            t.*,
            row_number() OVER (PARTITION BY t.unit ORDER BY t.whole DESC, t.likely DESC, t.id) AS place
        FROM (
            SELECT
                t.*,
                CASE t.source_type
                WHEN 'title' THEN %(title_weight)s::float8 WHEN 'body' THEN %(body_weight)s::float8 ELSE 1 END
                    / ln(2 + greatest(t.lexemes, %(length_floor)s::integer)) AS likely
            FROM texts t
        ) t
    ) c
    WHERE c.place <= {per_unit}
    ORDER BY c.place, c.whole DESC, c.likely DESC, c.created_at DESC NULLS LAST, c.id
    LIMIT %(candidates)s::integer
),
scored AS MATERIALIZED (
    SELECT c.unit, c.id, c.whole, x.lexical, x.carried
    FROM candidates c
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
            array_agg(t.ord) AS carried
        FROM terms t
        CROSS JOIN LATERAL (
            SELECT {times_in_text} AS times
        ) f
        WHERE v.vector @@ t.q
    ) x
),
ranked AS MATERIALIZED (
    SELECT s.*, row_number() OVER (PARTITION BY s.unit ORDER BY s.lexical DESC NULLS LAST, s.id) AS place
    FROM scored s
),
needle_worth AS MATERIALIZED (
    SELECT n.ord, n.weight * ln(1 + s.threads / count(*)) / ln(1 + s.threads) AS worth
    FROM needles n
    JOIN facts f USING (ord)
    CROSS JOIN (
        SELECT greatest(coalesce(sum(r.threads), 0), 1)::float8 AS threads
        FROM relore.repo_stats r WHERE r.repo_id = ANY (%(repo_ids)s::integer[])
    ) s
    GROUP BY n.ord, n.weight, s.threads
),
evidence AS MATERIALIZED (
    SELECT f.unit, sum(w.worth) AS worth
    FROM unit_facts f JOIN needle_worth w USING (ord)
    GROUP BY f.unit
),
lexical AS MATERIALIZED (
    SELECT
        r.unit,
        sum(coalesce(r.lexical, 0) * (ARRAY[1, 0.3, 0.15])[least(r.place, 3)]) AS lexical,
        (array_agg(r.id ORDER BY r.place))[1] AS best
    FROM ranked r
    WHERE r.place <= 3
    GROUP BY r.unit
),
carried AS MATERIALIZED (
    SELECT s.unit, array_agg(DISTINCT o.ord) AS ords
    FROM scored s CROSS JOIN LATERAL unnest(s.carried) AS o (ord)
    GROUP BY s.unit
),
keyed AS MATERIALIZED (
    SELECT
        u.unit, l.best, c.ords,
        CASE
        WHEN %(searched)s::boolean OR %(found)s::boolean THEN
            round((coalesce(l.lexical, 0) + coalesce(e.worth, 0))::numeric, 6)::float8
        ELSE 0 END AS key,
        extract(epoch FROM u.finished_at)::float8 AS moment,
        left(md5(concat_ws(' ', r.full_name, t.number)), 16) AS tie
    FROM units u
    JOIN relore.threads t ON t.id = u.unit
    JOIN relore.repos r ON r.id = t.repo_id
    LEFT JOIN lexical l ON l.unit = u.unit
    LEFT JOIN carried c ON c.unit = u.unit
    LEFT JOIN evidence e ON e.unit = u.unit
    WHERE NOT %(searched)s::boolean OR l.unit IS NOT NULL
),
page AS (
    SELECT k.*
    FROM keyed k
    WHERE %(after_key)s::float8 IS NULL
       OR (k.key, k.moment, k.tie COLLATE "C")
            < (%(after_key)s::float8, %(after_moment)s::float8, %(after_tie)s::text COLLATE "C")
    ORDER BY k.key DESC, k.moment DESC, k.tie COLLATE "C" DESC
    LIMIT %(limit)s::integer + 1
),
summary AS (
    SELECT
        (SELECT count(*) FROM of_kind) AS total,
        (SELECT count(*) FROM keyed) AS reachable,
        (SELECT count(*) FROM answers n WHERE n.unit IN (SELECT w.unit FROM told_with w)) AS attempts_told,
        (
            SELECT count(*)
            FROM admitted a
            WHERE a.others AND a.file AND a.kind IS NULL AND %(kind)s::text IS NOT NULL
              AND a.unit NOT IN (SELECT w.unit FROM told_with w)
        ) AS kind_unknown,
        CASE WHEN %(asked_files)s::boolean THEN (
            SELECT count(*)
            FROM admitted a
            JOIN unlisted t USING (unit)
            WHERE a.others AND NOT a.file AND (%(kind)s::text IS NULL OR a.kind = %(kind)s::text)
              AND a.unit NOT IN (SELECT w.unit FROM told_with w)
        ) ELSE 0 END AS files_untested,
        (SELECT count(*) FROM every) < {matches}
            AND (SELECT count(*) FROM any_term) < {matches}
            AND (SELECT count(*) FROM facts) < {facts}
            AND NOT (%(any_is_part)s::boolean AND EXISTS (SELECT FROM any_term)) AS total_exact,
        EXISTS (SELECT FROM texts t WHERE t.whole) AS whole,
        EXISTS (SELECT FROM any_term) AS widened,
        (
            SELECT count(*) FROM relore.precedents p
            WHERE p.repo_id = ANY (%(repo_ids)s::integer[])
              AND p.thread_id <> ALL (%(withheld)s::bigint[])
              AND (%(before)s::timestamptz IS NULL OR p.finished_at < %(before)s::timestamptz)
        ) AS units_total,
        -- They were units then, of a closing that is none any more.
        CASE WHEN %(before)s::timestamptz IS NULL THEN 0 ELSE (
            SELECT count(*)
            FROM (
                SELECT DISTINCT e.thread_id
                FROM relore.thread_events e
                WHERE e.repo_id = ANY (%(repo_ids)s::integer[])
                  AND e.event = 'reopened'
                  AND e.at >= %(before)s::timestamptz
            ) e
            JOIN relore.threads t ON t.id = e.thread_id
            WHERE t.kind = 'pr' AND NOT {merged_as_of} AND {closed_as_of} AND {threads_in_scope}
        ) END AS reopened_since
)
SELECT
    s.total, s.reachable, s.attempts_told, s.kind_unknown, s.files_untested, s.total_exact, s.whole, s.widened, s.units_total,
    s.reopened_since,
    p.unit, p.best, p.ords, p.key, p.moment, p.tie,
    ARRAY(SELECT f.ord FROM unit_facts f WHERE f.unit = p.unit ORDER BY f.ord) AS needle_ords
FROM summary s
LEFT JOIN page p ON true
ORDER BY p.key DESC, p.moment DESC, p.tie COLLATE "C" DESC;
