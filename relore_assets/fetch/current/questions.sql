-- What the benchmark keeps of words that are removed on request.

-- name: texts_of_person
-- The texts of somebody in some threads, those included that only a kept version tells of.
SELECT document.source_type, document.source_id FROM relore.documents AS document
JOIN relore.threads AS thread ON thread.id = document.thread_id AND thread.repo_id = document.repo_id
WHERE document.repo_id = %(repo_id)s AND thread.number = ANY (%(numbers)s::int[])
  AND lower(document.author) = %(login)s
UNION
SELECT source_type, source_id FROM relore.document_versions
WHERE repo_id = %(repo_id)s AND thread_number = ANY (%(numbers)s::int[]) AND lower(author) = %(login)s;

-- name: questions
-- Questions that threads or texts which go have asked, or that threads which go answer.
WITH kept AS (
    SELECT id, body FROM relore.candidates WHERE repo_id = %(repo_id)s
    UNION ALL
    SELECT id, body FROM relore.bench_examples WHERE repo_id = %(repo_id)s
)
SELECT DISTINCT k.id
FROM kept k
WHERE (k.body #>> '{asked,number}')::bigint = ANY (%(numbers)s::bigint[])
   OR EXISTS (
        SELECT FROM jsonb_array_elements(k.body -> 'answers') AS answer
        WHERE (answer ->> 'number')::bigint = ANY (%(numbers)s::bigint[]))
   OR EXISTS (
        SELECT FROM unnest(%(source_types)s::text[], %(source_ids)s::text[]) AS text (source_type, source_id)
        WHERE (text.source_type, text.source_id)
            = (k.body #>> '{asked,source_type}', k.body #>> '{asked,source_id}')
          -- Words of a thread's title are in questions that its comments ask, too.
           OR (text.source_type IN ('title', 'body') AND text.source_id = k.body #>> '{asked,number}'));

-- name: count_in_sets
-- A set says how many of its questions were forgotten: its lines are not those that its digest speaks of any more.
UPDATE relore.bench_sets AS known
SET header = known.header || jsonb_build_object(
    'forgotten', coalesce((known.header ->> 'forgotten')::bigint, 0) + gone.number)
FROM (
    SELECT set_name, count(*) AS number FROM relore.bench_examples
    WHERE repo_id = %(repo_id)s AND id = ANY (%(ids)s::text[])
    GROUP BY set_name
) AS gone
WHERE known.repo_id = %(repo_id)s AND known.name = gone.set_name;

-- name: remove_candidates
DELETE FROM relore.candidates WHERE repo_id = %(repo_id)s AND id = ANY (%(ids)s::text[]);

-- name: remove_examples
DELETE FROM relore.bench_examples WHERE repo_id = %(repo_id)s AND id = ANY (%(ids)s::text[]);

-- name: remove_judgements
-- Of these questions, and of threads that go as answers to others.
DELETE FROM relore.judgements
WHERE repo_id = %(repo_id)s AND (example_id = ANY (%(ids)s::text[]) OR number = ANY (%(numbers)s::int[]));

-- name: remove_results
-- What systems answered to these questions.
UPDATE relore.bench_runs AS run
SET results = (
    SELECT coalesce(jsonb_agg(result ORDER BY place), '[]')
    FROM jsonb_array_elements(run.results) WITH ORDINALITY AS of (result, place)
    WHERE NOT (result ->> 'id' = ANY (%(ids)s::text[]))
)
WHERE run.repo_id = %(repo_id)s
  AND EXISTS (
    SELECT FROM jsonb_array_elements(run.results) AS result WHERE result ->> 'id' = ANY (%(ids)s::text[]));

-- name: silence_judgements
-- A reason that somebody gave may quote what goes.
UPDATE relore.judgements SET why = NULL, body = NULL
WHERE repo_id = %(repo_id)s AND number = ANY (%(touched)s::int[]) AND (why IS NOT NULL OR body IS NOT NULL);

-- name: silence_examples
-- Likewise of the answers that a frozen question carries.
UPDATE relore.bench_examples AS known
SET body = jsonb_set(known.body, '{answers}', (
    SELECT jsonb_agg(
        CASE WHEN (answer ->> 'number')::bigint = ANY (%(touched)s::bigint[])
        THEN answer || '{"why": null}' ELSE answer END
        ORDER BY place)
    FROM jsonb_array_elements(known.body -> 'answers') WITH ORDINALITY AS of (answer, place)))
WHERE known.repo_id = %(repo_id)s
  AND EXISTS (
    SELECT FROM jsonb_array_elements(known.body -> 'answers') AS answer
    WHERE (answer ->> 'number')::bigint = ANY (%(touched)s::bigint[])
      AND answer ->> 'judged_by' <> 'record' AND answer ->> 'why' IS NOT NULL);

-- name: forgotten
-- Of some questions, which were asked by, or are answered by, what was removed on request; where people were forgotten,
-- also those whose text is held no more, since it may have been theirs.
SELECT wanted.id
FROM jsonb_to_recordset(%(wanted)s)
    AS wanted (id text, number bigint, source_type text, source_id text, answers bigint[])
WHERE EXISTS (
        SELECT FROM relore.tombstones stone
        WHERE stone.repo_id = %(repo_id)s AND stone.reason = 'forgotten'
          AND (
            (stone.kind = 'thread' AND stone.thread_number = ANY (wanted.answers || wanted.number))
            OR (stone.kind = wanted.source_type AND stone.object_id = wanted.source_id)))
   OR (wanted.number > 0
       AND EXISTS (SELECT FROM relore.forgotten_authors person WHERE person.repo_id = %(repo_id)s)
       AND (
        NOT EXISTS (
            SELECT FROM relore.documents d
            WHERE d.repo_id = %(repo_id)s AND d.source_type = wanted.source_type AND d.source_id = wanted.source_id)
        OR EXISTS (
            SELECT FROM relore.threads t
            WHERE t.repo_id = %(repo_id)s AND t.number = wanted.number AND t.title = %(removed_title)s)))
ORDER BY wanted.id;
