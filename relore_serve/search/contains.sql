-- Words by a part of their spelling.

-- name: parts
-- For each pattern the words that it fits, those in the most documents first, and how many there are in all.
SELECT p.ord::integer AS ord, w.lexeme, w.documents, w.total
FROM unnest(%(patterns)s::text[]) WITH ORDINALITY AS p (pattern, ord)
CROSS JOIN LATERAL (
    SELECT s.lexeme, sum(s.documents)::bigint AS documents, count(*) OVER () AS total
    FROM relore.term_stats s
    WHERE s.repo_id = ANY (%(repo_ids)s::integer[]) AND s.documents > 0 AND s.lexeme LIKE p.pattern
    GROUP BY s.lexeme
    ORDER BY documents DESC, s.lexeme
    LIMIT {most}
) w
ORDER BY p.ord, w.documents DESC, w.lexeme;
