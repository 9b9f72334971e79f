-- What one repository says within a scope, document by document.

-- name: one_moment
-- Everything that is read is of one moment.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;

-- name: withheld
-- The ids of threads that are left out.
SELECT t.id FROM relore.threads t
WHERE t.repo_id = %(repo_id)s AND t.number = ANY (%(numbers)s::int[])
ORDER BY t.id;

-- name: documents
-- In an order that tells nothing of when or how they were indexed. trust is what it is now, or was at the cutoff.
SELECT
    t.number, t.kind, d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.author, {trust_as_of} AS trust, d.url,
    d.body,
    d.created_at, d.updated_at, d.path, d.line, d.original_line, d.side, d.in_reply_to, d.commit_sha, d.review_id,
    d.review_state, d.noise
FROM relore.documents d
JOIN relore.threads t ON t.id = d.thread_id AND t.repo_id = d.repo_id
WHERE {documents_in_scope}
ORDER BY t.number, d.source_type COLLATE "C", d.source_id COLLATE "C", d.chunk_index;

-- name: versions
-- The rules that the rows were written with.
SELECT rule, version FROM relore.rule_versions WHERE repo_id = %(repo_id)s ORDER BY rule COLLATE "C";
