-- One search, in one statement.

-- name: page
-- Matches first, then candidates, then their scores, then the page; always one row at least, which bears the sums.
-- What a question does not ask for is switched off by a value that stands beside it (looks_for_facts,
-- looks_into_threads, filtered, …): where that is a constant, nothing is planned for it.
-- Sets are named after what they hold:
--   facts           where a needle (a filter of the caller, or a fact read off the text) was found
--   admitted        threads that pass the caller's filters; read only where there are such filters
--   every, any_term documents that carry the text's words; any_term only where none or few carry every one
--   alike           threads that are like the question as a whole, as somebody else has told; mostly none
--   neighbours      documents of the threads that the other legs admit
--   candidates      the part of all these that is scored; the newest are put in order without a score
--   stands          where in the table a row stands; within one statement it is found again there without an index
--   entries         one passage of each text, in the order of pages
WITH terms AS MATERIALIZED (
    SELECT u.ord::integer AS ord, u.q, u.weight
    FROM unnest(%(term_queries)s::text[]::tsquery[], %(term_weights)s::float8[]) WITH ORDINALITY AS u (q, weight, ord)
),
needles AS MATERIALIZED (
    SELECT u.ord::integer AS ord, u.kind, u.tail, u.value, u.weight, u.asked, u.whole, u.name, u.leg
    FROM unnest(
        %(needle_kinds)s::text[], %(needle_tails)s::text[], %(needle_values)s::text[],
        %(needle_weights)s::float8[], %(needle_asked)s::boolean[], %(needle_whole)s::boolean[],
        %(needle_names)s::text[]::tsquery[], %(needle_legs)s::integer[]
    ) WITH ORDINALITY AS u (kind, tail, value, weight, asked, whole, name, leg, ord)
),
-- Values are compared from the end, at a boundary: any trailing part of a path, a test or a qualified name will do.
-- An error matches where its normal form contains the one asked for, or is the better part of its beginning.
signal_facts AS (
    SELECT n.ord, v.thread_id, v.document_id, v.source
    FROM needles n
    CROSS JOIN LATERAL (
        SELECT s.thread_id, s.document_id, s.source
        FROM relore.signals s
        CROSS JOIN LATERAL (
            SELECT CASE n.kind
                WHEN 'symbol' THEN regexp_replace(s.value, '::|->|#', '.', 'g')
                WHEN 'test' THEN CASE WHEN strpos(n.value, '[') = 0 THEN split_part(s.value, '[', 1) ELSE s.value END
                ELSE s.value
            END AS value
        ) v
        WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
          AND s.kind = n.kind
          AND s.tail = n.tail
          AND (
            CASE
            WHEN n.whole THEN v.value = n.value
            WHEN n.kind = 'error' THEN
                strpos(v.value, n.value) > 0
                OR (length(v.value) >= {telling} AND starts_with(n.value, v.value))
            ELSE right(v.value, length(n.value)) = n.value
                 AND substr(v.value, length(v.value) - length(n.value), 1) IN ('', '/', ':', '.')
            END
          )
          AND (n.kind <> 'file' OR NOT n.asked OR s.source = 'anchor' OR %(mentioned)s::boolean)
          AND (
            %(before)s::timestamptz IS NULL
            OR EXISTS (SELECT FROM relore.documents d WHERE d.id = s.document_id AND {dates_in_scope})
          )
        LIMIT CASE WHEN NOT n.asked THEN {facts} END
    ) v
    WHERE %(looks_for_facts)s::boolean
),
untyped_errors AS (
    SELECT n.ord, s.thread_id, s.document_id, s.source
    FROM needles n
    JOIN relore.signals s
      ON s.repo_id = ANY (%(repo_ids)s::integer[]) AND s.kind = 'error' AND strpos(s.value, n.value) > 0
    WHERE n.kind = 'error'
      AND n.tail IS NULL
      AND (
        %(before)s::timestamptz IS NULL
        OR EXISTS (SELECT FROM relore.documents d WHERE d.id = s.document_id AND {dates_in_scope})
      )
      AND %(looks_anywhere)s::boolean
),
-- A name that is no word of any language is a mention wherever it stands, in prose as in code.
mentions AS (
    SELECT n.ord, d.thread_id, d.id AS document_id, 'text' AS source
    FROM needles n
    CROSS JOIN LATERAL (
        SELECT d.id, d.thread_id
        FROM relore.documents d
        WHERE d.search_vector @@ n.name AND {documents_in_scope}
        LIMIT CASE WHEN NOT n.asked THEN {facts} END
    ) d
    WHERE n.name IS NOT NULL AND %(looks_for_facts)s::boolean
),
-- Under a cutoff, of pull requests whose diff was then what it is today.
diff_facts AS (
    SELECT n.ord, f.thread_id, NULL::bigint AS document_id, 'diff' AS source
    FROM needles n
    CROSS JOIN LATERAL (
        SELECT f.thread_id
        FROM (
            SELECT f.thread_id
            FROM relore.changed_files f
            WHERE f.repo_id = ANY (%(repo_ids)s::integer[])
              AND f.tail = n.tail
              AND right(f.path, length(n.value)) = n.value
              AND substr(f.path, length(f.path) - length(n.value), 1) IN ('', '/')
            UNION ALL
            SELECT f.thread_id
            FROM relore.changed_files f
            WHERE f.repo_id = ANY (%(repo_ids)s::integer[])
              AND f.previous_path IS NOT NULL
              AND substring(f.previous_path FROM '[^/]*$') = n.tail
              AND right(f.previous_path, length(n.value)) = n.value
              AND substr(f.previous_path, length(f.previous_path) - length(n.value), 1) IN ('', '/')
        ) f
        WHERE (
            %(before)s::timestamptz IS NULL
            OR f.thread_id IN (
                SELECT t.id FROM relore.threads t
                WHERE t.repo_id = ANY (%(repo_ids)s::integer[]) AND {diff_as_of}
            )
          )
        LIMIT CASE WHEN NOT n.asked THEN {facts} END
    ) f
    WHERE n.kind = 'file' AND %(looks_for_facts)s::boolean
),
-- A folder has no base name to look it up by: all paths are compared, and only where a folder is asked for.
folder_facts AS (
    SELECT n.ord, f.thread_id, NULL::bigint AS document_id, 'diff' AS source
    FROM needles n
    CROSS JOIN LATERAL (
        SELECT DISTINCT c.thread_id
        FROM relore.changed_files c
        WHERE c.repo_id = ANY (%(repo_ids)s::integer[])
          AND (
            strpos('/' || c.path, '/' || n.value) > 0
            OR strpos('/' || c.previous_path, '/' || n.value) > 0
          )
          AND (
            %(before)s::timestamptz IS NULL
            OR c.thread_id IN (
                SELECT t.id FROM relore.threads t
                WHERE t.repo_id = ANY (%(repo_ids)s::integer[]) AND {diff_as_of}
            )
          )
    ) f
    WHERE n.kind = 'file' AND n.tail IS NULL AND %(looks_anywhere)s::boolean
    UNION ALL
    SELECT n.ord, s.thread_id, s.document_id, s.source
    FROM needles n
    JOIN relore.signals s
      ON s.repo_id = ANY (%(repo_ids)s::integer[]) AND s.kind = 'file' AND strpos('/' || s.value, '/' || n.value) > 0
    WHERE n.kind = 'file'
      AND n.tail IS NULL
      AND (
        %(before)s::timestamptz IS NULL
        OR EXISTS (SELECT FROM relore.documents d WHERE d.id = s.document_id AND {dates_in_scope})
      )
      AND (s.source = 'anchor' OR %(mentioned)s::boolean)
      AND %(looks_anywhere)s::boolean
),
facts AS MATERIALIZED (
    SELECT * FROM signal_facts
    UNION ALL SELECT * FROM untyped_errors
    UNION ALL SELECT * FROM mentions
    UNION ALL SELECT * FROM diff_facts
    UNION ALL SELECT * FROM folder_facts
),
thread_facts AS MATERIALIZED (
    SELECT DISTINCT f.ord, f.thread_id FROM facts f WHERE %(looks_for_facts)s::boolean
),
asked AS MATERIALIZED (
    SELECT
        f.thread_id,
        bit_count(bit_or(CASE n.kind WHEN 'error' THEN 1 WHEN 'test' THEN 2 WHEN 'symbol' THEN 4 ELSE 0 END)::bit(8)) AS others,
        bool_or(n.kind = 'file') AS file
    FROM thread_facts f JOIN needles n USING (ord)
    WHERE n.asked AND %(filtered)s::boolean
    GROUP BY f.thread_id
),
-- Under a cutoff, of what has moved since, those that were ever given one of the labels are looked at more closely.
labelled AS MATERIALIZED (
    SELECT t.id AS thread_id
    FROM relore.threads t
    WHERE cardinality(%(labels)s::text[]) > 0
      AND relore.in_lower_case(t.labels) && %(labels)s::text[]
      AND (
        %(before)s::timestamptz IS NULL
        OR (t.updated_at < %(before)s::timestamptz AND {labels_known_as_of})
      )
      AND {threads_in_scope}
    UNION ALL
    SELECT t.id
    FROM (
        SELECT DISTINCT e.thread_id
        FROM relore.thread_events e
        WHERE %(before)s::timestamptz IS NOT NULL
          AND e.repo_id = ANY (%(repo_ids)s::integer[])
          AND e.event = 'labeled'
          AND lower(e.value) = ANY (%(labels)s::text[])
          AND e.at < %(before)s::timestamptz
    ) e
    JOIN relore.threads t ON t.id = e.thread_id
    WHERE t.updated_at >= %(before)s::timestamptz
      AND relore.in_lower_case({labels_as_of}) && %(labels)s::text[]
      AND {threads_in_scope}
),
-- Passing every filter but the one for files; empty, and not read, where there is no such filter.
admitted_otherwise AS MATERIALIZED (
    SELECT a.thread_id
    FROM asked a
    WHERE %(asked_others)s::integer > 0
      AND a.others = %(asked_others)s::integer
      AND (cardinality(%(labels)s::text[]) = 0 OR a.thread_id IN (SELECT thread_id FROM labelled))
    UNION ALL
    SELECT l.thread_id FROM labelled l WHERE %(asked_others)s::integer = 0
),
admitted AS MATERIALIZED (
    SELECT o.thread_id FROM admitted_otherwise o WHERE NOT %(asked_files)s::boolean
    UNION ALL
    SELECT a.thread_id
    FROM asked a
    WHERE %(asked_files)s::boolean
      AND a.file
      AND (NOT %(filtered_otherwise)s::boolean OR a.thread_id IN (SELECT thread_id FROM admitted_otherwise))
),
-- Whether the documents of these threads are read rather than the index of words: not where the words are rarer.
few AS MATERIALIZED (
    SELECT
        %(filtered)s::boolean
        AND count(*) <= least({few_threads}, greatest({few_answers}, %(rarest)s::float8 / {few_answers})) AS few
    FROM admitted
),
-- Titles and opening posts have an index of their own: where the words are common, a thread is best known by these, and
-- only as many are read of either as can be put in order.
heads_match AS (
    SELECT d.id, d.ctid AS stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
    FROM relore.documents d
    WHERE d.search_vector @@ %(every)s::tsquery
      AND d.source_type IN ('title', 'body')
      AND %(common)s::boolean
      AND %(every)s::tsquery IS NOT NULL
      AND NOT (%(filtered)s::boolean AND (SELECT few FROM few))
      AND (NOT %(filtered)s::boolean OR d.thread_id IN (SELECT thread_id FROM admitted))
      AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
      AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
      AND {documents_in_scope}
    LIMIT %(heads_limit)s::bigint
),
others_match AS (
    SELECT d.id, d.ctid AS stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
    FROM relore.documents d
    WHERE d.search_vector @@ %(every)s::tsquery
      AND (NOT %(common)s::boolean OR d.source_type NOT IN ('title', 'body'))
      AND %(every)s::tsquery IS NOT NULL
      AND NOT (%(filtered)s::boolean AND (SELECT few FROM few))
      AND (NOT %(filtered)s::boolean OR d.thread_id IN (SELECT thread_id FROM admitted))
      AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
      AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
      AND {documents_in_scope}
),
few_match AS (
    SELECT d.*
    FROM (SELECT a.thread_id FROM admitted a WHERE (SELECT few FROM few) ORDER BY a.thread_id) a
    CROSS JOIN LATERAL (
        SELECT d.id, d.stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
        FROM (SELECT d.ctid AS stands, d.* FROM relore.documents d WHERE d.thread_id = a.thread_id OFFSET 0) d
        WHERE d.search_vector @@ %(every)s::tsquery
          AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
          AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
          AND {documents_in_scope}
        OFFSET 0
    ) d
    WHERE %(filtered)s::boolean AND %(every)s::tsquery IS NOT NULL AND (SELECT few FROM few)
),
every AS MATERIALIZED (
    SELECT *
    FROM (
        SELECT * FROM heads_match
        UNION ALL SELECT * FROM others_match
        UNION ALL SELECT * FROM few_match
    ) m
    LIMIT %(match_limit)s::bigint
),
-- Threads of the other legs, each within the caller's filters. What hundreds of threads carry tells none of them
-- apart, so a fact read off the text leads to the newest only.
fact_threads AS MATERIALIZED (
    SELECT g.thread_id, g.legs
    FROM (
        SELECT f.thread_id, bit_or(n.leg) AS legs
        FROM thread_facts f
        JOIN needles n USING (ord)
        WHERE n.leg > 0 AND %(looks_for_facts)s::boolean AND (NOT %(filtered)s::boolean OR f.thread_id IN (SELECT thread_id FROM admitted))
        GROUP BY f.thread_id
        OFFSET 0
    ) g
    CROSS JOIN LATERAL (
        SELECT t.created_at FROM relore.threads t WHERE t.id = g.thread_id AND {threads_in_scope} OFFSET 0
    ) t
    ORDER BY bit_count(g.legs::bit(32)) DESC, t.created_at DESC, g.thread_id DESC
    LIMIT {fact_threads}
),
-- Many are walked to from the newest thread on, few are looked up; by how many there are is told which is shorter.
walked AS MATERIALIZED (
    SELECT count(*) * count(*) > %(filter_threads)s::float8 * (
        SELECT sum(r.threads) FROM relore.repo_stats r WHERE r.repo_id = ANY (%(repo_ids)s::integer[])
    ) AS walked
    FROM admitted
    WHERE %(filters_leg)s::integer > 0
),
filter_threads AS MATERIALIZED (
    SELECT t.thread_id, %(filters_leg)s::integer AS legs
    FROM (
        SELECT a.thread_id, t.created_at
        FROM admitted a
        CROSS JOIN LATERAL (
            SELECT t.created_at FROM relore.threads t WHERE t.id = a.thread_id AND {threads_in_scope} OFFSET 0
        ) t
        WHERE NOT (SELECT walked FROM walked)
        UNION ALL
        SELECT t.id, t.created_at
        FROM unnest(%(repo_ids)s::integer[]) AS r (id)
        CROSS JOIN LATERAL (
            SELECT t.id, t.created_at
            FROM relore.threads t
            -- IS TRUE keeps it from being a join: the index is to lead, from the newest on.
            WHERE t.repo_id = r.id AND (t.id IN (SELECT thread_id FROM admitted)) IS TRUE AND {threads_in_scope}
            ORDER BY t.created_at DESC, t.id DESC
            LIMIT %(filter_threads)s::bigint
        ) t
        WHERE (SELECT walked FROM walked)
    ) t
    WHERE %(filters_leg)s::integer > 0
    ORDER BY t.created_at DESC, t.thread_id DESC
    LIMIT %(filter_threads)s::bigint
),
leg_threads AS MATERIALIZED (
    SELECT l.thread_id, bit_or(l.legs) AS legs
    FROM (SELECT * FROM fact_threads UNION ALL SELECT * FROM filter_threads) l
    WHERE %(looks_into_threads)s::boolean
    GROUP BY l.thread_id
),
legs_bounded AS MATERIALIZED (
    SELECT (SELECT count(*) FROM fact_threads) >= {fact_threads}
        OR (SELECT count(*) FROM filter_threads) >= %(filter_threads)s::bigint
        OR EXISTS (
            SELECT
            FROM facts f
            JOIN needles n USING (ord)
            WHERE NOT n.asked AND %(looks_for_facts)s::boolean
            GROUP BY f.ord HAVING count(*) >= {facts}
        ) AS bounded
),
-- What carries one of the rare words at least, read only where hardly anything carries every word. Each word is looked
-- up by itself, so that it is known how much of the question a text carries and no text need be read for that.
some_words AS MATERIALIZED (
    SELECT u.q, u.weight, u.heads
    FROM unnest(%(some_queries)s::text[]::tsquery[], %(some_weights)s::float8[], %(some_heads)s::boolean[])
        AS u (q, weight, heads)
    WHERE (SELECT count(*) FROM every) < {few_answers}
      AND (
        NOT (%(filtered)s::boolean AND (SELECT few FROM few))
        OR (%(looks_into_threads)s::boolean AND EXISTS (SELECT FROM leg_threads))
      )
),
some_terms AS MATERIALIZED (
    SELECT
        m.id, m.stands, m.thread_id, m.source_type, m.source_id, m.lexemes, m.created_at, m.noise,
        sum(m.weight) AS held
    FROM (
        SELECT d.*, w.weight
        FROM some_words w
        CROSS JOIN LATERAL (
            SELECT d.id, d.ctid AS stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
            FROM relore.documents d
            WHERE d.search_vector @@ w.q
              AND NOT w.heads
              AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
              AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
              AND {documents_in_scope}
            LIMIT %(match_limit)s::bigint
        ) d
        UNION ALL
        SELECT d.*, w.weight
        FROM some_words w
        CROSS JOIN LATERAL (
            SELECT d.id, d.ctid AS stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
            FROM relore.documents d
            WHERE d.search_vector @@ w.q
              AND d.source_type IN ('title', 'body')
              AND w.heads
              AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
              AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
              AND {documents_in_scope}
            LIMIT %(match_limit)s::bigint
        ) d
    ) m
    GROUP BY m.id, m.stands, m.thread_id, m.source_type, m.source_id, m.lexemes, m.created_at, m.noise
),
-- Where no words were asked: of each thread a part, long threads being as long as fifty others; of what is too short to
-- say much as many again, so that it takes no room from the rest.
around AS MATERIALIZED (
    SELECT d.id, l.thread_id, l.legs, d.short
    FROM leg_threads l
    CROSS JOIN LATERAL (
        (
            SELECT d.id, false AS short
            FROM relore.documents d
            WHERE d.thread_id = l.thread_id AND d.lexemes >= {substance}
            LIMIT CASE WHEN %(sort)s::text <> 'newest' THEN {in_thread} END
        )
        UNION ALL
        (
            SELECT d.id, true
            FROM relore.documents d
            WHERE d.thread_id = l.thread_id AND d.lexemes < {substance}
            LIMIT CASE WHEN %(sort)s::text <> 'newest' THEN {in_thread} END
        )
    ) d
    WHERE %(any_text)s::tsquery IS NULL AND %(looks_into_threads)s::boolean
),
-- The likest first, of those that pass the filters; what each is worth has been told with it.
alike AS MATERIALIZED (
    SELECT u.thread_id, u.worth, u.lets_in
    FROM unnest(%(alike_threads)s::bigint[], %(alike_worths)s::float8[], %(alike_lets_in)s::boolean[])
        WITH ORDINALITY AS u (thread_id, worth, lets_in, ord)
    WHERE %(alike_leg)s::integer > 0
      AND (NOT %(filtered)s::boolean OR u.thread_id IN (SELECT thread_id FROM admitted))
    ORDER BY u.ord
    LIMIT {alike_threads}
),
-- Of a thread that a leg admitted, what bears on the question: the title, what carries the fact, what carries one
-- of the rare words, and, where no words were asked, whatever else there is.
near AS (
    SELECT d.id, l.legs, false AS carries
    FROM leg_threads l
    CROSS JOIN LATERAL (
        SELECT d.id FROM relore.documents d WHERE d.thread_id = l.thread_id AND d.source_type = 'title' OFFSET 0
    ) d
    WHERE %(looks_into_threads)s::boolean AND (%(any_text)s::tsquery IS NULL OR %(sort)s::text <> 'newest')
    UNION ALL
    SELECT f.document_id, l.legs, true
    FROM facts f
    JOIN leg_threads l USING (thread_id)
    WHERE f.document_id IS NOT NULL AND %(looks_for_facts)s::boolean
    UNION ALL
    SELECT s.id, l.legs, false FROM some_terms s JOIN leg_threads l USING (thread_id) WHERE %(looks_into_threads)s::boolean
    UNION ALL
    SELECT a.id, a.legs, false FROM around a WHERE %(looks_into_threads)s::boolean
    UNION ALL
    SELECT d.id, %(alike_leg)s::integer, false
    FROM alike a
    CROSS JOIN LATERAL (
        SELECT d.id
        FROM relore.documents d
        WHERE d.thread_id = a.thread_id AND d.source_type IN ('title', 'body') AND d.chunk_index = 0
        OFFSET 0
    ) d
    WHERE a.lets_in AND %(alike_leg)s::integer > 0
),
neighbours AS MATERIALIZED (
    SELECT d.*, n.legs, n.carries
    FROM (SELECT id, bit_or(legs) AS legs, bool_or(carries) AS carries FROM near GROUP BY id OFFSET 0) n
    CROSS JOIN LATERAL (
        SELECT d.id, d.ctid AS stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
        FROM relore.documents d
        WHERE d.id = n.id
          AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
          AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
          AND {documents_in_scope}
        OFFSET 0
    ) d
),
-- A question is widened where nothing carries every word of it; where little does, what carries some is put below.
widened AS MATERIALIZED (
    SELECT
        w.widened,
        NOT w.widened AND %(tops_up)s::boolean AND (
            SELECT count(*)
            FROM (
                SELECT e.id FROM every e
                UNION
                SELECT n.id FROM neighbours n WHERE n.legs <> %(alike_leg)s::integer
                LIMIT {few_answers}
            ) t
        ) < {few_answers} AS topped_up
    FROM (SELECT %(any)s::tsquery IS NOT NULL AND NOT EXISTS (SELECT FROM every) AS widened) w
),
any_match AS (
    SELECT s.*
    FROM some_terms s
    WHERE (SELECT widened OR topped_up FROM widened)
      AND NOT (%(filtered)s::boolean AND (SELECT few FROM few))
      AND (NOT %(filtered)s::boolean OR s.thread_id IN (SELECT thread_id FROM admitted))
    UNION ALL
    SELECT d.*
    FROM admitted a
    CROSS JOIN LATERAL (
        SELECT
            d.id, d.stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise,
            (SELECT sum(t.weight) FROM terms t WHERE d.search_vector @@ t.q) AS held
        FROM (SELECT d.ctid AS stands, d.* FROM relore.documents d WHERE d.thread_id = a.thread_id OFFSET 0) d
        WHERE d.search_vector @@ %(any)s::tsquery
          AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
          AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
          AND {documents_in_scope}
        OFFSET 0
    ) d
    WHERE %(filtered)s::boolean AND (SELECT widened OR topped_up FROM widened) AND (SELECT few FROM few)
),
any_term AS MATERIALIZED (
    SELECT * FROM any_match ORDER BY held DESC, id DESC LIMIT %(match_limit)s::bigint
),
-- By the date of everything, the texts of somebody who wrote little would be long looked for.
few_by_author AS MATERIALIZED (
    SELECT cardinality(%(authors)s::text[]) > 0 AND count(*) <= {few_by_author} AS few
    FROM (
        SELECT
        FROM relore.documents d
        WHERE %(newest_leg)s::integer > 0
          AND d.repo_id = ANY (%(repo_ids)s::integer[])
          AND lower(d.author) = ANY (%(authors)s::text[])
        LIMIT {few_by_author} + 1
    ) d
),
-- Where neither words nor threads are named: the newest of what is admitted.
newest AS MATERIALIZED (
    SELECT n.*
    FROM unnest(%(repo_ids)s::integer[]) AS r (id)
    CROSS JOIN LATERAL (
        (
            SELECT d.id, d.stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
            FROM (
                -- In order first, so that no other index seems shorter: conditions are tried from the newest on.
                SELECT d.ctid AS stands, d.*
                FROM relore.documents d
                WHERE d.repo_id = r.id
                  AND d.created_at IS NOT NULL
                  AND d.created_at < coalesce(%(before)s::timestamptz, 'infinity')
                  AND d.created_at >= coalesce(%(since)s::timestamptz, '-infinity')
                ORDER BY d.created_at DESC
                OFFSET 0
            ) d
            WHERE %(newest_leg)s::integer > 0
              AND NOT (SELECT few FROM few_by_author)
              AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
              AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
              AND {documents_in_scope}
            ORDER BY d.created_at DESC
            LIMIT {candidates}
        )
        UNION ALL
        (
            SELECT d.id, d.stands, d.thread_id, d.source_type, d.source_id, d.lexemes, d.created_at, d.noise
            FROM (
                SELECT d.ctid AS stands, d.*
                FROM relore.documents d
                WHERE (SELECT few FROM few_by_author)
                  AND d.repo_id = r.id
                  AND lower(d.author) = ANY (%(authors)s::text[])
                OFFSET 0
            ) d
            WHERE %(newest_leg)s::integer > 0
              AND d.created_at IS NOT NULL
              AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
              AND {documents_in_scope}
            ORDER BY d.created_at DESC
            LIMIT {candidates}
        )
    ) n
    WHERE %(newest_leg)s::integer > 0
),
found_otherwise AS (
    SELECT
        m.id, m.stands, m.thread_id, m.source_type, m.source_id, m.lexemes, m.created_at, m.noise,
        m.held, %(text_leg)s::integer AS legs, false AS carries, (SELECT topped_up FROM widened) AS partial
    FROM any_term m
    UNION ALL
    SELECT
        m.id, m.stands, m.thread_id, m.source_type, m.source_id, m.lexemes, m.created_at, m.noise,
        CASE WHEN %(any_text)s::tsquery IS NULL OR m.legs = %(alike_leg)s::integer THEN 1 ELSE {guessed} END,
        m.legs, m.carries, m.legs = %(alike_leg)s::integer AND (SELECT topped_up FROM widened)
    FROM neighbours m
    WHERE %(looks_into_threads)s::boolean OR %(alike_leg)s::integer > 0
    UNION ALL
    SELECT m.*, 1, %(newest_leg)s::integer, false, false FROM newest m WHERE %(newest_leg)s::integer > 0
),
-- Those that were found in another way than by every word, each once.
others AS MATERIALIZED (
    SELECT
        m.id, m.stands, m.thread_id, m.source_type, m.source_id, m.lexemes, m.created_at, m.noise,
        bit_or(m.legs) AS legs, bool_or(m.carries) AS carries, bool_and(m.partial) AS partial, max(m.held) AS held
    FROM found_otherwise m
    GROUP BY m.id, m.stands, m.thread_id, m.source_type, m.source_id, m.lexemes, m.created_at, m.noise
),
matched AS MATERIALIZED (
    SELECT
        e.id, e.stands, e.thread_id, e.source_type, e.source_id, e.lexemes, e.created_at,
        e.noise AND {noise_below} AS noise,
        %(text_leg)s::integer | coalesce(o.legs, 0) AS legs, coalesce(o.carries, false) AS carries, false AS partial,
        1 AS held, true AS whole
    FROM every e
    LEFT JOIN others o ON o.id = e.id
    UNION ALL
    SELECT
        o.id, o.stands, o.thread_id, o.source_type, o.source_id, o.lexemes, o.created_at,
        o.noise AND {noise_below}, o.legs, o.carries, o.partial, o.held, false
    FROM others o
    WHERE o.id NOT IN (SELECT e.id FROM every e)
),
document_facts AS MATERIALIZED (
    SELECT DISTINCT f.document_id, f.ord
    FROM facts f
    WHERE f.document_id IN (SELECT id FROM matched) AND %(looks_for_facts)s::boolean
),
-- A first guess: how much of the question a text carries, for how long it is.
candidates AS MATERIALIZED (
    SELECT m.id, m.stands, m.thread_id, m.legs, m.partial, m.whole, m.noise
    FROM matched m
    WHERE %(sort)s::text <> 'newest'
    ORDER BY
        m.noise,
        m.partial,
        m.legs & %(alike_leg)s::integer DESC,
        m.legs & %(text_leg)s::integer DESC,
        %(any_text)s::tsquery IS NULL AND m.carries DESC,
        %(any_text)s::tsquery IS NULL AND m.source_type <> 'title' AND m.lexemes < {substance},
        m.held
            * CASE m.source_type WHEN 'title' THEN %(title_weight)s::float8 WHEN 'body' THEN %(body_weight)s::float8 ELSE 1 END
            / ln(2 + greatest(m.lexemes, %(length_floor)s::integer)) DESC,
        m.created_at DESC NULLS LAST,
        m.id DESC
    -- What is like the question takes no room from what carries its words.
    LIMIT %(candidates)s::bigint + (
        SELECT count(*) FROM matched a WHERE %(alike_leg)s::integer > 0 AND a.legs & %(alike_leg)s::integer > 0
    )
),
-- A fact is worth the more, the fewer threads carry it.
needle_worth AS MATERIALIZED (
    SELECT n.ord, n.kind, n.weight * ln(1 + s.threads / count(*)) / ln(1 + s.threads) AS worth
    FROM needles n
    JOIN thread_facts f USING (ord)
    CROSS JOIN (
        SELECT greatest(coalesce(sum(r.threads), 0), 1)::float8 AS threads
        FROM relore.repo_stats r WHERE r.repo_id = ANY (%(repo_ids)s::integer[])
    ) s
    WHERE %(looks_for_facts)s::boolean
    GROUP BY n.ord, n.kind, n.weight, s.threads
),
thread_evidence AS MATERIALIZED (
    SELECT e.thread_id, jsonb_object_agg(e.kind, e.worth) AS evidence, sum(e.worth) AS worth
    FROM (
        SELECT f.thread_id, w.kind, sum(w.worth) AS worth
        FROM (SELECT f.* FROM thread_facts f WHERE f.thread_id IN (SELECT thread_id FROM candidates) OFFSET 0) f
        JOIN needle_worth w USING (ord)
        WHERE %(looks_for_facts)s::boolean
        GROUP BY f.thread_id, w.kind
    ) e
    GROUP BY e.thread_id
),
document_evidence AS MATERIALIZED (
    SELECT f.document_id, sum(w.worth) AS worth
    FROM document_facts f JOIN needle_worth w USING (ord)
    WHERE f.document_id IN (SELECT id FROM candidates) AND %(looks_for_facts)s::boolean
    GROUP BY f.document_id
),
-- BM25 of the words, each weighed by its share of the question. https://doi.org/10.1561/1500000019
-- Ages are counted back from the cutoff, or from the month of the newest text: by a clock, pages would not go together.
counted_from AS MATERIALIZED (
    SELECT coalesce(%(before)s::timestamptz, date_trunc('month', max(n.created_at), 'UTC')) AS moment
    FROM unnest(%(repo_ids)s::integer[]) AS r (id)
    CROSS JOIN LATERAL (
        SELECT d.created_at
        FROM relore.documents d
        WHERE %(half_years)s::float8 > 0 AND d.repo_id = r.id AND d.created_at IS NOT NULL
        ORDER BY d.created_at DESC
        LIMIT 1
    ) n
),
scored AS MATERIALIZED (
    SELECT
        c.id, c.legs | CASE WHEN a.worth IS NULL THEN 0 ELSE %(alike_leg)s::integer END AS legs,
        c.partial, c.whole, c.noise, c.thread_id, d.source_type, d.source_id, d.created_at,
        coalesce(a.worth, 0) AS alike,
        coalesce(x.lexical, 0) AS lexical,
        coalesce(x.coverage, 0) AS coverage,
        coalesce(te.worth, 0) AS thread_worth,
        coalesce(de.worth, 0) AS document_worth,
        %(substance_weight)s::float8 * CASE d.source_type
            WHEN 'title' THEN {substance_title} WHEN 'body' THEN {substance_body}
            ELSE least(1, d.lexemes / {substance_ends}) END AS substance,
        CASE WHEN %(half_years)s::float8 > 0 THEN coalesce(
            %(half_years)s::float8 / (%(half_years)s::float8
                + greatest(extract(epoch FROM (SELECT f.moment FROM counted_from f) - d.created_at), 0) / 31557600),
            1
        ) ELSE 1 END::float8 AS age_factor,
        te.evidence,
        d.message
    FROM candidates c
    -- A long vector is stored out of line; concatenation fetches it once for all terms.
    CROSS JOIN LATERAL (
        SELECT
            d.source_type, d.source_id, d.created_at, d.lexemes, d.search_vector || ''::tsvector AS vector,
            -- The same commit is often part of several pull requests, and says the same in each.
            CASE WHEN d.source_type = 'commit' THEN md5(d.body) END AS message
        FROM relore.documents d
        WHERE d.ctid = c.stands
        OFFSET 0
    ) d
    CROSS JOIN LATERAL (
        SELECT
            sum(t.weight * r.times * ({repeated} + 1) / (r.times + {repeated} * v.length))
                * CASE d.source_type
                    WHEN 'title' THEN %(title_weight)s::float8 WHEN 'body' THEN %(body_weight)s::float8 ELSE 1 END AS lexical,
            sum(t.weight) AS coverage
        FROM (
            SELECT 1 - {length_share} + {length_share} / %(usual_length)s::float8
                * CASE d.source_type WHEN 'title' THEN d.lexemes ELSE greatest(d.lexemes, %(length_floor)s::integer) END
                AS length,
                d.vector
        ) v
        CROSS JOIN terms t
        CROSS JOIN LATERAL (
            SELECT {times_in_text} AS times
        ) r
        WHERE d.vector @@ t.q
    ) x
    LEFT JOIN thread_evidence te ON te.thread_id = c.thread_id
    LEFT JOIN document_evidence de ON de.document_id = c.id
    LEFT JOIN alike a ON a.thread_id = c.thread_id
),
keyed AS (
    SELECT
        s.*,
        round((s.age_factor * (
            s.lexical * power(s.coverage, %(coverage_power)s::float8)
            + %(thread_share)s::float8 * s.thread_worth + (1 - %(thread_share)s::float8) * s.document_worth
            + s.alike + s.substance
        ))::numeric, 6)::float8 AS score
    FROM scored s
),
-- By date nothing has to be scored, and so nothing is left out.
dated AS (
    SELECT
        m.id, m.legs, m.partial, m.whole, m.noise, m.thread_id, m.source_type, m.source_id, m.created_at,
        NULL::float8 AS score,
        m.carries,
        CASE WHEN m.source_type = 'commit' THEN (SELECT md5(d.body) FROM relore.documents d WHERE d.id = m.id) END
            AS message
    FROM matched m
    WHERE %(sort)s::text = 'newest'
),
in_order AS MATERIALIZED (
    SELECT
        k.id, k.legs, k.partial, k.whole, k.noise, k.thread_id, k.source_type, k.source_id, k.created_at, k.score,
        k.document_worth > 0 AS carries, k.message
    FROM keyed k
    UNION ALL
    SELECT * FROM dated
),
told AS MATERIALIZED (
    SELECT o.*, 1 AS telling FROM in_order o WHERE o.message IS NULL
    UNION ALL
    SELECT
        o.*,
        row_number() OVER (
            PARTITION BY o.message ORDER BY o.partial, o.score DESC, o.created_at DESC NULLS LAST, o.id DESC
        )
    FROM in_order o
    WHERE o.message IS NOT NULL
),
-- Passages of one text are one hit: the best, or by date the one that carries what was asked for.
entries AS (
    SELECT DISTINCT ON (k.thread_id, k.source_type, k.source_id) k.*
    FROM told k
    WHERE k.telling = 1
    ORDER BY k.thread_id, k.source_type, k.source_id, k.partial, k.score DESC, k.carries DESC, k.id
),
of_kind AS (
    SELECT
        e.*,
        row_number() OVER (
            PARTITION BY e.thread_id, e.source_type
            ORDER BY e.noise, e.partial, e.score DESC, e.created_at DESC NULLS LAST, e.id DESC
        ) AS nth
    FROM entries e
),
placed AS (
    SELECT
        o.*,
        row_number() OVER (
            PARTITION BY o.thread_id
            ORDER BY o.noise, o.nth > 1, o.partial, o.score DESC, o.created_at DESC NULLS LAST, o.id DESC
        ) AS place
    FROM of_kind o
),
-- The best of each kind of text speaks for its thread, three at most, and one of those that only likeness let in; the
-- others wait until every thread had its say.
-- What says nothing of any subject stands below all the rest, however well it matches.
shown AS MATERIALIZED (
    SELECT
        p.*,
        CASE WHEN p.noise THEN {noise_tier}
        ELSE CASE
            WHEN p.nth = 1 AND p.place <= {per_thread} AND (p.place = 1 OR p.legs <> %(alike_leg)s::integer) THEN 0
            ELSE 1
            END + CASE WHEN p.partial THEN 2 ELSE 0 END
        END AS tier,
        CASE WHEN %(sort)s::text = 'newest' THEN m.moment
        ELSE round((p.score * power(%(repeat_factor)s::float8, least(p.place, {per_thread}) - 1))::numeric, 6)::float8
        END AS key,
        m.moment
    FROM placed p
    CROSS JOIN LATERAL (SELECT coalesce(extract(epoch FROM p.created_at), -1e12)::float8 AS moment) m
),
-- Of the page before, those that only their names tell from its last.
equals AS MATERIALIZED (
    SELECT count(*) AS equals
    FROM shown s
    WHERE (s.tier, s.key, s.moment) = (%(after_tier)s::integer, %(after_key)s::float8, %(after_moment)s::float8)
),
-- The name of a text decides between equals: it is the same after a rebuild, and its digest tells nothing.
page AS MATERIALIZED (
    SELECT s.*
    FROM (
        SELECT w.*, n.tie
        FROM (
            SELECT s.*
            FROM shown s
            WHERE %(after_key)s::float8 IS NULL
               OR (-s.tier, s.key, s.moment)
                    <= (-%(after_tier)s::integer, %(after_key)s::float8, %(after_moment)s::float8)
            ORDER BY s.tier, s.key DESC, s.moment DESC
            FETCH FIRST (%(limit)s::integer + 1 + (SELECT equals FROM equals)) ROWS WITH TIES
        ) w
        CROSS JOIN LATERAL (
            SELECT left(md5(concat_ws(' ', r.full_name, t.number, w.source_type, w.source_id)), 16) AS tie
            FROM relore.threads t
            JOIN relore.repos r ON r.id = t.repo_id
            WHERE t.id = w.thread_id
            OFFSET 0
        ) n
    ) s
    WHERE %(after_key)s::float8 IS NULL
       OR (-s.tier, s.key, s.moment, s.tie COLLATE "C")
            < (-%(after_tier)s::integer, %(after_key)s::float8, %(after_moment)s::float8, %(after_tie)s::text COLLATE "C")
    ORDER BY s.tier, s.key DESC, s.moment DESC, s.tie COLLATE "C" DESC
    LIMIT %(limit)s::integer + 1
),
page_facts AS MATERIALIZED (
    SELECT f.ord, f.thread_id
    FROM thread_facts f
    WHERE f.thread_id IN (SELECT thread_id FROM page) AND %(looks_for_facts)s::boolean
),
page_document_facts AS MATERIALIZED (
    SELECT f.ord, f.document_id
    FROM document_facts f
    WHERE f.document_id IN (SELECT id FROM page) AND %(looks_for_facts)s::boolean
),
-- Pull requests that the filter for files could not be tried on.
untested AS MATERIALIZED (
    SELECT t.id
    FROM relore.threads t
    WHERE %(tell_untested)s::boolean
      AND t.kind = 'pr'
      AND (t.collected_files IS NULL OR t.stated_files IS NULL OR t.collected_files < t.stated_files)
      AND (NOT %(filtered_otherwise)s::boolean OR t.id IN (SELECT thread_id FROM admitted_otherwise))
      AND t.id NOT IN (SELECT a.thread_id FROM admitted a)
      AND {threads_in_scope}
    UNION
    SELECT t.id
    FROM relore.threads t
    WHERE %(tell_untested)s::boolean
      AND %(before)s::timestamptz IS NOT NULL
      AND t.kind = 'pr'
      AND NOT {diff_as_of}
      AND (NOT %(filtered_otherwise)s::boolean OR t.id IN (SELECT thread_id FROM admitted_otherwise))
      AND t.id NOT IN (SELECT a.thread_id FROM admitted a)
      AND {threads_in_scope}
),
text_asked AS MATERIALIZED (
    SELECT CASE WHEN widened THEN %(any_text)s::tsquery ELSE %(every)s::tsquery END::tsquery AS query FROM widened
),
-- Where these are many, the texts that carry the words are looked through, up to a bound, if the words are rare, and a
-- part of the pull requests if they are common.
untested_texts AS MATERIALIZED (
    SELECT d.thread_id
    FROM relore.documents d
    WHERE d.search_vector @@ (SELECT query FROM text_asked)
      AND %(tell_untested)s::boolean
      AND (SELECT count(*) FROM untested) > {few_untested}
      AND %(rarest)s::float8 <= {untested_matches}
      AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
      AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
      AND {documents_in_scope}
    LIMIT {untested_matches}
),
summary AS (
    SELECT
        (SELECT widened FROM widened) AS widened,
        (SELECT topped_up FROM widened) AS topped_up,
        EXISTS (SELECT FROM every) OR EXISTS (SELECT FROM any_term) AS worded,
        CASE WHEN c.all_scored THEN n.texts
        ELSE n.commits + (
            SELECT count(*)
            FROM (
                SELECT DISTINCT m.thread_id, m.source_type, m.source_id
                FROM matched m
                WHERE m.source_type <> 'commit'
            ) m
        ) END AS total,
        (SELECT count(DISTINCT m.thread_id) FROM matched m) AS threads_total,
        n.whole AS every_total,
        n.alike AS alike_total,
        (
            SELECT count(DISTINCT CASE m.source_type
                WHEN 'commit' THEN (SELECT md5(d.body) FROM relore.documents d WHERE d.id = m.id)
                ELSE concat_ws(' ', m.thread_id, m.source_type, m.source_id) END)
            FROM matched m
            WHERE m.id IN (SELECT f.document_id FROM document_facts f JOIN needles n USING (ord) WHERE n.asked)
              AND %(filtered)s::boolean
        ) AS carrying,
        n.texts AS reachable,
        CASE WHEN %(sort)s::text = 'newest' THEN n.oldest END AS oldest,
        c.all_scored
            AND (SELECT count(*) FROM every) < %(match_limit)s::bigint
            AND (
                NOT %(common)s::boolean
                OR (SELECT count(*) FROM every e WHERE e.source_type IN ('title', 'body')) < %(heads_limit)s::bigint
            )
            AND (SELECT count(*) FROM some_terms) < %(match_limit)s::bigint
            AND (SELECT count(*) FROM any_term) < %(match_limit)s::bigint
            AND NOT ((SELECT widened OR topped_up FROM widened) AND %(any_is_part)s::boolean)
            AND NOT (%(looks_into_threads)s::boolean AND (SELECT bounded FROM legs_bounded))
            AND NOT (%(newest_leg)s::integer > 0 AND (SELECT count(*) FROM newest) >= {candidates})
            AND NOT EXISTS (
                SELECT
                FROM around
                WHERE %(looks_into_threads)s::boolean AND %(sort)s::text <> 'newest'
                GROUP BY thread_id, short
                HAVING count(*) >= {in_thread}
            ) AS total_exact,
        NOT %(tell_untested)s::boolean
            OR (SELECT count(*) FROM untested_texts) < {untested_matches}
            AND (w.query IS NULL OR w.untested <= {few_untested} OR %(rarest)s::float8 <= {untested_matches})
            AS files_untested_exact,
        CASE WHEN NOT %(tell_untested)s::boolean THEN 0
        WHEN w.query IS NULL AND cardinality(%(authors)s::text[]) = 0 THEN w.untested
        ELSE (
            SELECT count(*)
            FROM (SELECT n.id FROM untested n LIMIT CASE WHEN w.query IS NOT NULL THEN {few_untested} END) u
            CROSS JOIN LATERAL (
                SELECT
                FROM (SELECT d.* FROM relore.documents d WHERE d.thread_id = u.id OFFSET 0) d
                WHERE (w.query IS NULL OR d.search_vector @@ w.query)
                  AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
                  AND (%(within)s::tsquery IS NULL OR d.search_vector @@ %(within)s::tsquery)
                  AND {documents_in_scope}
                LIMIT 1
            ) matching
            WHERE w.query IS NULL OR w.untested <= {few_untested} OR %(rarest)s::float8 > {untested_matches}
        ) + (
            SELECT count(DISTINCT d.thread_id)
            FROM untested_texts d
            WHERE d.thread_id IN (SELECT id FROM untested)
        ) END AS files_untested
    FROM (
        SELECT
            (SELECT count(*) FROM untested WHERE %(tell_untested)s::boolean) AS untested,
            (SELECT query FROM text_asked WHERE %(tell_untested)s::boolean) AS query
    ) w
    CROSS JOIN (
        SELECT count(*) FILTER (WHERE d.legs & %(alike_leg)s::integer = 0) < %(candidates)s::bigint AS all_scored
        FROM candidates d
    ) c
    CROSS JOIN (
        SELECT
            count(*) AS texts,
            count(*) FILTER (WHERE s.source_type = 'commit') AS commits,
            count(*) FILTER (WHERE s.whole) AS whole,
            count(*) FILTER (WHERE s.legs = %(alike_leg)s::integer) AS alike,
            min(s.created_at) AS oldest
        FROM shown s
    ) n
)
SELECT
    u.widened, u.topped_up, u.worded, u.total, u.total_exact, u.threads_total, u.every_total, u.alike_total, u.carrying, u.reachable, u.oldest, u.files_untested,
    u.files_untested_exact,
    p.id, p.tier, p.key, p.moment, p.tie,
    -- Above those that carry some of the words, what does not carry every one stands for what else let it in.
    CASE WHEN u.topped_up AND NOT p.partial AND NOT p.whole THEN p.legs & ~%(text_leg)s::integer ELSE p.legs END AS legs,
    p.score,
    k.lexical, k.coverage, k.thread_worth, k.document_worth, k.alike, k.substance, k.age_factor, k.evidence,
    d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url, d.body,
    CASE WHEN d.chunk_index > 0 THEN (
        SELECT string_agg(l.body, '' ORDER BY l.chunk_index)
        FROM relore.documents l
        WHERE l.thread_id = d.thread_id AND l.source_type = d.source_type AND l.source_id = d.source_id
          AND l.chunk_index < d.chunk_index
    ) END AS lead,
    d.created_at, d.updated_at, d.path,
    CASE WHEN %(before)s::timestamptz IS NULL THEN d.line ELSE d.original_line END AS line,
    r.full_name AS repo, t.number, t.kind AS type, t.id AS thread_id, t.updated_at AS moved_at, t.title, t.state, t.merged,
    t.labels,
    ARRAY(SELECT w.ord FROM terms w WHERE v.vector @@ w.q ORDER BY w.weight DESC, w.ord) AS term_ords,
    ARRAY(SELECT f.ord FROM page_facts f WHERE f.thread_id = p.thread_id ORDER BY f.ord) AS needle_ords,
    ARRAY(SELECT f.ord FROM page_document_facts f WHERE f.document_id = p.id ORDER BY f.ord) AS said_ords,
    CASE WHEN p.message IS NOT NULL THEN ARRAY(
        SELECT o.full_name || '#' || o.number
        FROM (
            SELECT DISTINCT b.full_name, a.number
            FROM told x
            JOIN relore.threads a ON a.id = x.thread_id
            JOIN relore.repos b ON b.id = a.repo_id
            WHERE x.message = p.message AND x.thread_id <> p.thread_id
        ) o
        ORDER BY o.full_name, o.number
    ) ELSE '{{}}' END AS also_in
FROM summary u
LEFT JOIN page p ON true
LEFT JOIN keyed k ON k.id = p.id
LEFT JOIN relore.documents d ON d.id = p.id
LEFT JOIN LATERAL (SELECT d.search_vector || ''::tsvector AS vector OFFSET 0) v ON true
LEFT JOIN relore.threads t ON t.id = p.thread_id
LEFT JOIN relore.repos r ON r.id = t.repo_id
ORDER BY p.tier, p.key DESC, p.moment DESC, p.tie COLLATE "C" DESC;
