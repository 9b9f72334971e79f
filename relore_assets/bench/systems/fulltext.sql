-- What plain full text search makes of a question, under the bounds of any other.

-- name: ranked
-- Texts that match, by Postgres's own rank: the first of them are the page, and the best of each thread are the threads.
-- What matched a narrower query already is left out.
WITH found AS MATERIALIZED (
    SELECT
        d.thread_id, d.source_type, d.source_id, d.chunk_index, d.created_at,
        ts_rank_cd(d.search_vector, %(query)s::text::tsquery, %(normalization)s::integer)::float8 AS rank
    FROM relore.documents d
    WHERE d.search_vector @@ %(query)s::text::tsquery
      AND (%(narrower)s::text IS NULL OR NOT d.search_vector @@ %(narrower)s::text::tsquery)
      AND {documents_in_scope}
),
page AS (
    SELECT f.*, row_number() OVER w AS place
    FROM found f
    WINDOW w AS (ORDER BY f.rank DESC, f.created_at DESC NULLS LAST, f.thread_id DESC, f.source_type, f.source_id, f.chunk_index)
),
best AS (
    SELECT p.thread_id, min(p.place) AS place FROM page p GROUP BY p.thread_id ORDER BY 2 LIMIT %(limit)s::integer
)
SELECT t.number, p.source_type, p.source_id, p.chunk_index::integer, p.place <= %(limit)s::integer AS shown
FROM page p
JOIN relore.threads t ON t.id = p.thread_id AND t.repo_id = ANY (%(repo_ids)s::integer[])
WHERE p.place <= %(limit)s::integer OR p.place IN (SELECT b.place FROM best b)
ORDER BY p.place;
