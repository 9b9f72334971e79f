-- What tells whether the truth of a question can be had without being found.

-- name: answers
-- The threads that answer, each with what of it may be shown to who asks; a thread of which nothing may be shown has one
-- row without a text.
SELECT t.number, t.created_at, d.body
FROM relore.threads t
LEFT JOIN LATERAL (
    SELECT d.body, d.created_at, d.source_type, d.source_id, d.chunk_index
    FROM relore.documents d
    WHERE d.thread_id = t.id AND {documents_in_scope}
) d ON true
WHERE t.repo_id = ANY (%(repo_ids)s::integer[]) AND t.number = ANY (%(numbers)s::int[])
ORDER BY t.number, d.created_at, d.source_type, d.source_id, d.chunk_index;

-- name: withheld
-- The ids of threads that are left out.
SELECT t.id FROM relore.threads t
WHERE t.repo_id = ANY (%(repo_ids)s::integer[]) AND t.number = ANY (%(withheld_numbers)s::int[])
ORDER BY t.id;

-- name: asking
-- What stood in the asking thread when it asked.
SELECT d.body
FROM relore.documents d
JOIN relore.threads t ON t.id = d.thread_id AND t.repo_id = d.repo_id
WHERE t.repo_id = ANY (%(repo_ids)s::integer[]) AND t.number = %(asking)s AND d.source_type <> 'title'
  AND d.created_at <= %(asked_at)s
ORDER BY d.created_at, d.source_type, d.source_id, d.chunk_index;

-- name: asked_by_machine
-- Whether a machine wrote the text that asks.
SELECT bool_or(d.trust = 'machine') FROM relore.documents d
WHERE d.repo_id = ANY (%(repo_ids)s::integer[]) AND d.source_type = %(source_type)s AND d.source_id = %(source_id)s;
