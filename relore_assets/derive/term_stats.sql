-- name: lock
-- Folding is a read and a delete of the same rows: one at a time.
SELECT pg_advisory_xact_lock(hashtext('relore:term_stats'), %(repo_id)s);

-- name: fold
-- Add up what batches appended, drop what no document carries any more, and clear the appended rows.
WITH taken AS (
    DELETE FROM relore.term_deltas WHERE repo_id = %(repo_id)s RETURNING lexeme, delta
), summed AS (
    SELECT lexeme, sum(delta)::bigint AS delta FROM taken GROUP BY lexeme HAVING sum(delta) <> 0
), merged AS (
    INSERT INTO relore.term_stats AS held (repo_id, lexeme, documents)
    SELECT %(repo_id)s, lexeme, delta FROM summed
    ON CONFLICT (repo_id, lexeme) DO UPDATE SET documents = held.documents + excluded.documents
    RETURNING 1
)
SELECT count(*) FROM merged;

-- name: drop_unused
-- Lexemes that no document carries.
DELETE FROM relore.term_stats WHERE repo_id = %(repo_id)s AND documents <= 0;

-- name: pending
-- Whether anything waits to be folded.
SELECT EXISTS (SELECT FROM relore.term_deltas WHERE repo_id = %(repo_id)s);

-- name: sizes
-- The sizes that scoring needs, where they differ from those held.
INSERT INTO relore.repo_stats AS held (repo_id, threads, documents, lexemes)
SELECT %(repo_id)s,
       (SELECT count(*) FROM relore.threads WHERE repo_id = %(repo_id)s),
       (SELECT count(*) FROM relore.documents WHERE repo_id = %(repo_id)s),
       (SELECT coalesce(sum(lexemes), 0) FROM relore.documents WHERE repo_id = %(repo_id)s)
ON CONFLICT (repo_id) DO UPDATE
SET threads = excluded.threads, documents = excluded.documents, lexemes = excluded.lexemes
WHERE (held.threads, held.documents, held.lexemes)
      IS DISTINCT FROM (excluded.threads, excluded.documents, excluded.lexemes);

-- name: settle
-- What was written waits in a list beside each index of words, which every search reads through until a vacuum comes by.
SELECT gin_clean_pending_list(c.oid)
FROM pg_class c
WHERE c.oid = ANY (ARRAY['relore.documents_search', 'relore.documents_heads', 'relore.term_stats_parts']::regclass[])
  AND pg_has_role(c.relowner, 'USAGE');
