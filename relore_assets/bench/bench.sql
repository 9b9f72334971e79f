-- What a measurement reads of an index beside its answers, and the rows it leaves.

-- name: threads
-- Every thread of a repository, to find ids and dates by number.
SELECT number, id, created_at FROM relore.threads WHERE repo_id = %(repo_id)s;

-- name: corpus
SELECT
    (SELECT count(*) FROM relore.threads t WHERE t.repo_id = %(repo_id)s) AS threads,
    (SELECT count(*) FROM relore.documents d WHERE d.repo_id = %(repo_id)s) AS documents,
    (SELECT min(t.created_at) FROM relore.threads t WHERE t.repo_id = %(repo_id)s) AS since,
    (SELECT max(t.created_at) FROM relore.threads t WHERE t.repo_id = %(repo_id)s) AS until;

-- name: no_hurry
-- What reads every row once is nothing that somebody waits for.
SET LOCAL statement_timeout = 0;

-- name: written
-- When a thread was last written, and marks of what else decides an answer and is written without that: who has
-- standing, in texts and among people, and how often words are counted.
SELECT
    (SELECT max(t.indexed_at) FROM relore.threads t WHERE t.repo_id = %(repo_id)s) AS threads,
    (
        SELECT sum(hashtextextended(concat_ws('|', d.id, d.trust, d.trust_until, d.trust_then), 0))
        FROM relore.documents d WHERE d.repo_id = %(repo_id)s
    ) AS trusts,
    (
        SELECT sum(hashtextextended(concat_ws('|', a.login, a.tier, a.from_at, a.to_at), 0))
        FROM relore.authors a WHERE a.repo_id = %(repo_id)s
    ) AS standing,
    (
        SELECT sum(hashtextextended(concat_ws('|', s.lexeme, s.documents), 0))
        FROM relore.term_stats s WHERE s.repo_id = %(repo_id)s
    ) AS words,
    (
        SELECT concat_ws('|', r.threads, r.documents, r.lexemes)
        FROM relore.repo_stats r WHERE r.repo_id = %(repo_id)s
    ) AS sizes;

-- name: engine
SELECT current_setting('server_version') AS server;

-- name: rules
-- The version of each rule that the rows were written with.
SELECT rule, version FROM relore.rule_versions WHERE repo_id = %(repo_id)s ORDER BY rule;

-- name: wasted
-- For each slot of a page, in order, whether it is wasted: whether no text that it shows both says something of a
-- subject and carries something of the question, a word that names something or a fact that its filters ask for. A slot
-- without source_type shows a thread by its title and opening post.
SELECT NOT coalesce((
    SELECT bool_or(NOT d.noise AND (
        d.search_vector @@ %(words)s::text::tsquery
        OR EXISTS (
            SELECT
            FROM unnest(%(fact_kinds)s::text[], %(fact_tails)s::text[]) AS f (kind, tail)
            JOIN relore.signals s ON s.document_id = d.id AND s.kind = f.kind AND s.tail = f.tail
        )
    ))
    FROM relore.threads t
    JOIN relore.documents d ON d.thread_id = t.id AND d.repo_id = t.repo_id
    WHERE t.repo_id = %(repo_id)s
      AND t.number = p.number
      AND CASE WHEN p.source_type IS NULL THEN d.source_type IN ('title', 'body')
          ELSE d.source_type = p.source_type AND d.source_id = p.source_id AND d.chunk_index = p.chunk END
), false)
FROM unnest(
    %(numbers)s::integer[], %(source_types)s::text[], %(source_ids)s::text[], %(chunks)s::integer[]
) WITH ORDINALITY AS p (number, source_type, source_id, chunk, place)
ORDER BY p.place;

-- name: last_run
-- The newest run of just these systems over a set.
SELECT r.*
FROM relore.bench_runs r
WHERE r.repo_id = %(repo_id)s
  AND r.run_id = (
    SELECT l.run_id
    FROM relore.bench_runs l
    WHERE l.repo_id = %(repo_id)s AND l.set_name = %(set_name)s
    GROUP BY l.run_id
    HAVING array_agg(l.system ORDER BY l.system COLLATE "C") = %(systems)s::text[]
    ORDER BY min(l.started_at) DESC, l.run_id DESC
    LIMIT 1
  )
ORDER BY r.system COLLATE "C";

-- name: run
SELECT r.* FROM relore.bench_runs r WHERE r.repo_id = %(repo_id)s AND r.run_id = %(run_id)s ORDER BY r.system COLLATE "C";

-- name: write
INSERT INTO relore.bench_runs
    (repo_id, run_id, system, set_name, set_digest, configuration, started_at, metrics, results, accepted)
VALUES (
    %(repo_id)s, %(run_id)s, %(system)s, %(set_name)s, %(set_digest)s, %(configuration)s, %(started_at)s, %(metrics)s,
    %(results)s, false
);

-- name: accept
UPDATE relore.bench_runs
SET accepted = true
WHERE repo_id = %(repo_id)s AND run_id = %(run_id)s AND NOT accepted;

-- name: newest_frozen
SELECT name FROM relore.bench_sets
WHERE repo_id = %(repo_id)s AND frozen_at IS NOT NULL
ORDER BY frozen_at DESC, name
LIMIT 1;
