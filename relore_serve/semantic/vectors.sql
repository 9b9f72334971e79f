-- Vectors of threads, in a schema of their own that need not be there. {vector} is the schema that pgvector is in.

-- name: present
-- The schema that pgvector's types are in, if vectors are kept here.
SELECT n.nspname
FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'vector' AND to_regclass('relore_semantic.vectors') IS NOT NULL;

-- name: models
-- The models that vectors are of. A few only, found one after the other in the index.
WITH RECURSIVE m AS (
    SELECT min(v.model) AS model FROM relore_semantic.vectors v
    UNION ALL
    SELECT (SELECT min(v.model) FROM relore_semantic.vectors v WHERE v.model > m.model) FROM m WHERE m.model IS NOT NULL
)
SELECT m.model FROM m WHERE m.model IS NOT NULL;

-- name: held
-- How many vectors of a model there are, by repository.
SELECT v.repo_id, count(*) AS vectors
FROM relore_semantic.vectors v
WHERE v.repo_id = ANY (%(repo_ids)s::integer[]) AND v.model = %(model)s::text
GROUP BY v.repo_id;

-- name: nearest
-- The threads whose vectors are nearest, by two looks: at the signs of all, which is quick, then at the numbers of those
-- that the signs put first. Both are exhaustive, so that a filter costs no thread that passes it.
WITH asked AS MATERIALIZED (
    SELECT %(vector)s::text::{vector}.halfvec AS vector
),
first_look AS MATERIALIZED (
    SELECT s.repo_id, s.thread_id
    FROM relore_semantic.signs s
    WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
      AND s.thread_id <> ALL (%(withheld)s::bigint[])
      AND (%(before)s::timestamptz IS NULL OR s.opened_at < %(before)s::timestamptz)
      AND (%(since)s::timestamptz IS NULL OR s.opened_at >= %(since)s::timestamptz)
    ORDER BY
        s.signs OPERATOR({vector}.<~>) (SELECT {vector}.binary_quantize(a.vector) FROM asked a),
        s.thread_id
    LIMIT %(looked_at)s::bigint
),
second_look AS MATERIALIZED (
    SELECT f.thread_id, v.distance
    FROM first_look f
    CROSS JOIN LATERAL (
        SELECT v.embedding OPERATOR({vector}.<#>) (SELECT a.vector FROM asked a) AS distance
        FROM relore_semantic.vectors v
        WHERE v.repo_id = f.repo_id AND v.thread_id = f.thread_id AND v.model = %(model)s::text
        OFFSET 0
    ) v
)
-- The operator gives the inner product with its sign turned.
-- The first that are in scope are enough, so in order they are looked at, one by one.
SELECT n.thread_id, -n.distance AS likeness
FROM (SELECT s.* FROM second_look s ORDER BY s.distance, s.thread_id) n
CROSS JOIN LATERAL (
    SELECT FROM relore.threads t WHERE t.id = n.thread_id AND {threads_in_scope} OFFSET 0
) t
-- Its title is of somebody whose words are admitted, and neither it nor the opening post was edited since a cutoff.
WHERE EXISTS (
    SELECT FROM (
        SELECT d.* FROM relore.documents d WHERE d.thread_id = n.thread_id AND d.source_type = 'title' OFFSET 0
    ) d
    WHERE {documents_in_scope}
)
AND NOT EXISTS (
    SELECT FROM (
        SELECT d.* FROM relore.documents d WHERE d.thread_id = n.thread_id AND d.source_type = 'body' OFFSET 0
    ) d
    WHERE NOT {dates_in_scope}
)
ORDER BY n.distance, n.thread_id
LIMIT %(most)s::bigint;

-- name: thread_texts
-- Of each thread what its vector is made of, and the digest of that. A blank opening post says nothing, and neither does
-- what stands for a title whose words were removed on request: such a thread has none.
SELECT
    t.repo_id, t.id AS thread_id, t.created_at AS opened_at, t.title, x.body,
    decode(md5(t.title || E'\n' || x.body), 'hex') AS digest
FROM relore.threads t
CROSS JOIN LATERAL (
    SELECT coalesce((
        SELECT CASE WHEN d.noise THEN '' ELSE left(d.body, %(head)s::integer) END
        FROM relore.documents d
        WHERE d.thread_id = t.id AND d.source_type = 'body' AND d.chunk_index = 0
    ), '') AS body
    OFFSET 0
) x
WHERE t.repo_id = %(repo_id)s::integer AND t.title <> '[removed on request]'

-- name: count
-- How many threads there are, of how many there is a vector of the model, and how many of these are of other words than
-- the threads' today.
SELECT
    count(*) AS threads,
    count(v.thread_id) AS vectors,
    count(*) FILTER (WHERE v.digest <> x.digest) AS stale
FROM ({thread_texts}) x
LEFT JOIN relore_semantic.vectors v
  ON v.repo_id = x.repo_id AND v.thread_id = x.thread_id AND v.model = %(model)s::text;
