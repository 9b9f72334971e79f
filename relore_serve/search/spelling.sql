-- What stands near a word or a login that nothing holds.

-- name: words
-- For each word, those that begin like it and are about as long, with how many documents hold them.
SELECT w.ord::integer AS ord, s.lexeme, sum(s.documents)::bigint AS documents
FROM unnest(%(words)s::text[]) WITH ORDINALITY AS w (word, ord)
CROSS JOIN LATERAL (
    SELECT s.lexeme, s.documents
    FROM relore.term_stats s
    WHERE s.repo_id = ANY (%(repo_ids)s::integer[])
      AND s.lexeme >= left(w.word, {alike})
      AND s.lexeme < left(w.word, {alike}) || chr(1114111)
      AND length(s.lexeme) BETWEEN length(w.word) - {longer} AND length(w.word) + {longer}
      AND s.documents > 0
    LIMIT {words}
) s
GROUP BY w.ord, s.lexeme;

-- name: logins
-- Who ever said anything, each once: the index is stepped through from one login to the next, up to a bound.
WITH RECURSIVE logins AS (
    SELECT r.id AS repo_id, f.login, 1 AS step
    FROM unnest(%(repo_ids)s::integer[]) AS r (id)
    CROSS JOIN LATERAL (
        SELECT lower(d.author) AS login
        FROM relore.documents d
        WHERE d.repo_id = r.id
        ORDER BY lower(d.author)
        LIMIT 1
    ) f
    UNION ALL
    SELECT l.repo_id, f.login, l.step + 1
    FROM logins l
    CROSS JOIN LATERAL (
        SELECT lower(d.author) AS login
        FROM relore.documents d
        WHERE d.repo_id = l.repo_id AND lower(d.author) > l.login
        ORDER BY lower(d.author)
        LIMIT 1
    ) f
    WHERE l.step < {logins}
)
SELECT DISTINCT l.login FROM logins l;
