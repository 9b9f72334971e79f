-- What machines said of a question that no person said all of.

-- name: matches
-- Threads in which a text of a machine carries every word, the newest text first, and how many such texts there are.
SELECT r.full_name AS repo, t.number, m.texts
FROM (
    SELECT d.thread_id, max(d.created_at) AS latest, sum(count(DISTINCT (d.source_type, d.source_id))) OVER () AS texts
    FROM relore.documents d
    WHERE d.search_vector @@ %(every)s::tsquery
      AND (cardinality(%(authors)s::text[]) = 0 OR lower(d.author) = ANY (%(authors)s::text[]))
      AND {documents_in_scope}
    GROUP BY d.thread_id
    ORDER BY latest DESC NULLS LAST, d.thread_id DESC
    LIMIT {most}
) m
JOIN relore.threads t ON t.id = m.thread_id
JOIN relore.repos r ON r.id = t.repo_id
ORDER BY m.latest DESC NULLS LAST, m.thread_id DESC;
