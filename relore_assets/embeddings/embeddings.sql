-- Keeping one vector per thread, in a schema of their own that no migration makes.

-- name: has_pgvector
-- Whether this server could have pgvector, and whether this database has it.
SELECT a.installed_version IS NOT NULL AS created
FROM pg_catalog.pg_available_extensions a
WHERE a.name = 'vector';

-- name: schema
CREATE SCHEMA IF NOT EXISTS relore_semantic;

-- name: extension
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA relore_semantic;

-- name: home
SELECT n.nspname
FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'vector';

-- name: lock_shape
-- Of those who make the tables at once, one does. The number is "semantic" in ASCII, shortened.
SELECT pg_advisory_xact_lock(495588799346);

-- name: vectors
-- What goes with its thread goes at once, whoever removes it. digest: of the text that the vector was made of.
CREATE TABLE IF NOT EXISTS relore_semantic.vectors (
    repo_id   integer NOT NULL REFERENCES relore.repos (id) ON DELETE CASCADE,
    thread_id bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    model     text NOT NULL,
    digest    bytea NOT NULL,
    embedding {vector}.halfvec NOT NULL,
    PRIMARY KEY (repo_id, thread_id)
);

-- name: models_index
CREATE INDEX IF NOT EXISTS vectors_model ON relore_semantic.vectors (model);

-- name: thread_index
-- Found by the thread that goes.
CREATE UNIQUE INDEX IF NOT EXISTS vectors_thread ON relore_semantic.vectors (thread_id);

-- name: signs
-- The signs of the same numbers, apart, since all of them are looked through for every question.
CREATE TABLE IF NOT EXISTS relore_semantic.signs (
    repo_id   integer NOT NULL,
    thread_id bigint NOT NULL,
    opened_at timestamptz NOT NULL,
    signs     bit varying NOT NULL,
    PRIMARY KEY (repo_id, thread_id),
    FOREIGN KEY (repo_id, thread_id) REFERENCES relore_semantic.vectors (repo_id, thread_id) ON DELETE CASCADE
);

-- name: usable
GRANT USAGE ON SCHEMA relore_semantic TO relore_reader;

-- name: readable
GRANT SELECT ON relore_semantic.vectors, relore_semantic.signs TO relore_reader;

-- name: alone
-- Of one repository, one run at a time, for as long as its session lives.
SELECT pg_advisory_lock(%(class)s, %(repo_id)s);

-- name: let_go
SELECT pg_advisory_unlock(%(class)s, %(repo_id)s);

-- name: due
-- Threads without a vector of the model, or with one of other words; of these so many as are made at a time, and how
-- many there are.
SELECT x.thread_id, x.title, x.body, x.digest
FROM ({thread_texts}) x
LEFT JOIN relore_semantic.vectors v ON v.repo_id = x.repo_id AND v.thread_id = x.thread_id
WHERE (v.thread_id IS NULL OR v.model <> %(model)s::text OR v.digest <> x.digest)
  AND x.thread_id > %(after)s::bigint
ORDER BY x.thread_id
LIMIT %(batch)s::bigint;

-- name: due_count
SELECT count(*)
FROM ({thread_texts}) x
LEFT JOIN relore_semantic.vectors v ON v.repo_id = x.repo_id AND v.thread_id = x.thread_id
WHERE v.thread_id IS NULL OR v.model <> %(model)s::text OR v.digest <> x.digest;

-- name: hold_threads
-- Nobody derives or removes these threads before their vectors are written: the lock that derive holds.
SELECT pg_advisory_xact_lock(t.repo_id, t.number)
FROM (
    SELECT t.repo_id, t.number FROM relore.threads t
    WHERE t.repo_id = %(repo_id)s AND t.id = ANY (%(thread_ids)s::bigint[])
    ORDER BY t.number
) t;

-- name: write
-- Of texts that are today's still. A thread that went, or changed, while its vector was made is left as it is.
WITH made AS (
    SELECT m.thread_id, m.digest, m.embedding
    FROM unnest(%(thread_ids)s::bigint[], %(digests)s::bytea[], %(embeddings)s::text[])
        AS m (thread_id, digest, embedding)
),
written AS (
    INSERT INTO relore_semantic.vectors AS known (repo_id, thread_id, model, digest, embedding)
    SELECT x.repo_id, x.thread_id, %(model)s::text, x.digest, m.embedding::{vector}.halfvec
    FROM ({thread_texts} AND t.id = ANY (%(thread_ids)s::bigint[])) x
    JOIN made m ON m.thread_id = x.thread_id AND m.digest = x.digest
    ON CONFLICT (repo_id, thread_id) DO UPDATE
    SET model = excluded.model, digest = excluded.digest, embedding = excluded.embedding
    RETURNING repo_id, thread_id
)
SELECT w.thread_id FROM written w;

-- name: write_signs
INSERT INTO relore_semantic.signs (repo_id, thread_id, opened_at, signs)
SELECT v.repo_id, v.thread_id, t.created_at, {vector}.binary_quantize(v.embedding)
FROM relore_semantic.vectors v
JOIN relore.threads t ON t.id = v.thread_id AND t.repo_id = v.repo_id
WHERE v.repo_id = %(repo_id)s AND v.thread_id = ANY (%(thread_ids)s::bigint[])
ON CONFLICT (repo_id, thread_id) DO UPDATE SET opened_at = excluded.opened_at, signs = excluded.signs;

-- name: record
-- That vectors are made, of how many threads, and when.
INSERT INTO relore.sync_state (repo_id, pass, last_run_at, last_ok_at, stated, done)
VALUES (%(repo_id)s, 'embeddings', now(), now(), %(threads)s, %(vectors)s)
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET last_run_at = excluded.last_run_at, last_ok_at = excluded.last_ok_at, stated = excluded.stated,
    done = excluded.done, error = NULL;

-- name: kept
-- Whether vectors are kept in this database at all.
SELECT to_regclass('relore_semantic.vectors') IS NOT NULL;

-- name: remove_of_documents
-- Vectors of the titles and opening posts among some documents: a vector tells of the words that it was made of.
DELETE FROM relore_semantic.vectors v
USING relore.documents d
WHERE d.id = ANY (%(ids)s::bigint[]) AND d.source_type IN ('title', 'body')
  AND v.repo_id = d.repo_id AND v.thread_id = d.thread_id;
