-- One content hash per table of a repository.

-- name: settings
-- How moments and bytes are spelled inside JSON must not depend on who asks. Whole tables are joined, and without
-- statistics (a history just derived) the planner would take them for tiny and look rows up one by one.
SELECT set_config('TimeZone', 'UTC', true), set_config('bytea_output', 'hex', true),
       set_config('extra_float_digits', '1', true), set_config('enable_nestloop', 'off', true);

-- name: fingerprint
-- Ids give way to what they stand for: a thread's number, a document's source and place. Left out is when and how
-- a row came to be. New columns count without being named here. Row hashes are added up, so that neither order nor
-- memory matters. The alias is no column's name: to_jsonb would take the column.
WITH contents (name, content) AS (
    SELECT 'raw_objects', to_jsonb(held) - '{repo_id,payload_hash,fetched_at,source,redaction_version}'::text[]
    FROM relore.raw_objects AS held WHERE repo_id = %(repo_id)s
    UNION ALL
    SELECT 'threads', to_jsonb(held) - '{id,repo_id,indexed_at,input_hash}'::text[]
    FROM relore.threads AS held WHERE repo_id = %(repo_id)s
    UNION ALL
    SELECT 'documents',
           jsonb_build_array(thread.number, to_jsonb(held) - '{id,repo_id,thread_id}'::text[])
    FROM relore.documents AS held
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'signals',
           jsonb_build_array(thread.number, document.source_type, document.source_id, document.chunk_index,
                             to_jsonb(held) - '{repo_id,thread_id,document_id}'::text[])
    FROM relore.signals AS held
    JOIN relore.documents AS document ON document.id = held.document_id AND document.repo_id = held.repo_id
    JOIN relore.threads AS thread ON thread.id = document.thread_id AND thread.repo_id = document.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'changed_files', jsonb_build_array(thread.number, to_jsonb(held) - '{repo_id,thread_id}'::text[])
    FROM relore.changed_files AS held
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'links',
           jsonb_build_array(thread.number, document.source_type, document.source_id, document.chunk_index,
                             to_jsonb(held) - '{repo_id,thread_id,document_id}'::text[])
    FROM relore.links AS held
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    LEFT JOIN relore.documents AS document ON document.id = held.document_id AND document.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'verdicts', jsonb_build_array(thread.number, to_jsonb(held) - '{repo_id,thread_id}'::text[])
    FROM relore.verdicts AS held
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'thread_events', jsonb_build_array(thread.number, to_jsonb(held) - '{repo_id,thread_id}'::text[])
    FROM relore.thread_events AS held
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'commits', jsonb_build_array(thread.number, to_jsonb(held) - '{repo_id,thread_id}'::text[])
    FROM relore.commits AS held
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'authors', to_jsonb(held) - 'repo_id'
    FROM relore.authors AS held WHERE repo_id = %(repo_id)s
    UNION ALL
    SELECT 'authors_then', to_jsonb(held) - 'repo_id'
    FROM relore.authors_then AS held WHERE repo_id = %(repo_id)s
    UNION ALL
    -- What has not been folded yet counts as if it had been.
    SELECT 'term_stats', jsonb_build_array(lexeme, sum(documents))
    FROM (
        SELECT lexeme, documents FROM relore.term_stats WHERE repo_id = %(repo_id)s
        UNION ALL
        SELECT lexeme, delta FROM relore.term_deltas WHERE repo_id = %(repo_id)s
    ) AS terms
    GROUP BY lexeme
    HAVING sum(documents) <> 0
    UNION ALL
    SELECT 'repo_stats', to_jsonb(held) - 'repo_id'
    FROM relore.repo_stats AS held WHERE repo_id = %(repo_id)s
    UNION ALL
    SELECT 'document_versions', to_jsonb(held) - '{id,repo_id,replaced_at}'::text[]
    FROM relore.document_versions AS held WHERE repo_id = %(repo_id)s
    UNION ALL
    SELECT 'precedents',
           jsonb_build_array(thread.number, to_jsonb(held) - '{repo_id,thread_id,problem_id,words_id}'::text[],
                             problem.source_type, problem.source_id, problem.chunk_index,
                             words.source_type, words.source_id, words.chunk_index)
    FROM relore.precedents AS held
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    LEFT JOIN relore.documents AS problem ON problem.id = held.problem_id AND problem.repo_id = held.repo_id
    LEFT JOIN relore.documents AS words ON words.id = held.words_id AND words.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
    UNION ALL
    SELECT 'precedent_threads',
           jsonb_build_array(unit.number, thread.number,
                             to_jsonb(held) - '{repo_id,precedent_id,thread_id,document_id}'::text[],
                             document.source_type, document.source_id, document.chunk_index)
    FROM relore.precedent_threads AS held
    JOIN relore.threads AS unit ON unit.id = held.precedent_id AND unit.repo_id = held.repo_id
    JOIN relore.threads AS thread ON thread.id = held.thread_id AND thread.repo_id = held.repo_id
    LEFT JOIN relore.documents AS document ON document.id = held.document_id AND document.repo_id = held.repo_id
    WHERE held.repo_id = %(repo_id)s
), hashes AS (
    SELECT name, md5(content::text) AS hash FROM contents
)
SELECT name,
       md5(concat_ws(' ', count(*), sum(('x' || left(hash, 16))::bit(64)::bigint::numeric),
                     sum(('x' || right(hash, 16))::bit(64)::bigint::numeric))) AS print
FROM hashes
GROUP BY name;
