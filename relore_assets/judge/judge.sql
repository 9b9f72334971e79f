-- Sets of questions as rows: what the benchmark runs on.

-- name: lock_set
-- Two that write one set take turns.
SELECT pg_advisory_xact_lock(hashtextextended('relore bench set ' || %(repo_id)s::text || ' ' || %(name)s, 0));

-- name: header
SELECT header, frozen_at, split, digest
FROM relore.bench_sets
WHERE repo_id = %(repo_id)s AND name = %(name)s;

-- name: names
SELECT name FROM relore.bench_sets WHERE repo_id = %(repo_id)s ORDER BY name;

-- name: examples
SELECT id, slice, part, body
FROM relore.bench_examples
WHERE repo_id = %(repo_id)s AND set_name = %(name)s
ORDER BY id;

-- name: verdicts
SELECT example_id, number, judged_by, verdict
FROM relore.judgements
WHERE repo_id = %(repo_id)s AND set_name = %(name)s;

-- name: remove_judgements
DELETE FROM relore.judgements WHERE repo_id = %(repo_id)s AND set_name = %(name)s;

-- name: remove_set
-- With its examples.
DELETE FROM relore.bench_sets WHERE repo_id = %(repo_id)s AND name = %(name)s;

-- name: add_set
INSERT INTO relore.bench_sets (repo_id, name, frozen_at, split, digest, header)
VALUES (%(repo_id)s, %(name)s, %(frozen_at)s, %(split)s, %(digest)s, %(header)s);

-- name: copy_examples
COPY relore.bench_examples (repo_id, set_name, id, slice, part, body) FROM STDIN;

-- name: copy_judgements
COPY relore.judgements (repo_id, set_name, example_id, number, verdict, judged_by, why, judged_at, body) FROM STDIN;
