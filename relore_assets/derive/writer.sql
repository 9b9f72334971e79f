-- name: lock_threads
-- One lock per thread, taken in one order by everybody, held to the end of the transaction: two runs that
-- derive the same thread do it one after the other, and the second finds nothing to write.
SELECT pg_advisory_xact_lock(%(repo_id)s, number) FROM unnest(%(numbers)s::int[]) AS number ORDER BY number;

-- name: staged
-- Everything staged under some numbers that derive reads, in a stable order; and with each number, where an archive
-- brought events of any thread, that it did.
SELECT thread_number, kind, payload::text
FROM (
    SELECT thread_number, kind, object_id, payload
    FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s AND thread_number = ANY (%(numbers)s)
      AND (kind <> 'event' OR payload ->> 'event' = ANY (%(events)s))
    UNION ALL
    SELECT number, 'events_told', '', 'null'
    FROM unnest(%(numbers)s::int[]) AS number
    WHERE EXISTS (
        SELECT FROM relore.sync_state
        WHERE repo_id = %(repo_id)s AND pass = 'import:event' AND done > 0)
) AS held
ORDER BY thread_number, kind, length(object_id), object_id;

-- name: input_hashes
-- What each staged head's rows would be derived from: every object of the number, the rules, and whether an archive
-- brought events.
SELECT thread_number,
       decode(md5(%(rules)s || (SELECT CASE WHEN count(*) > 0 THEN '; events told ' ELSE '' END
                                FROM relore.sync_state
                                WHERE repo_id = %(repo_id)s AND pass = 'import:event' AND done > 0)
                            || string_agg(kind || ' ' || object_id || ' ' || encode(payload_hash, 'hex'), ','
                                          ORDER BY kind, object_id COLLATE "C")), 'hex') AS input_hash,
       count(*) AS objects
FROM relore.raw_objects
WHERE repo_id = %(repo_id)s AND (%(numbers)s::int[] IS NULL OR thread_number = ANY (%(numbers)s))
GROUP BY thread_number
HAVING bool_or(kind IN ('issue', 'pull'));

-- name: stored_hashes
-- What each stored thread was derived from.
SELECT number, input_hash FROM relore.threads WHERE repo_id = %(repo_id)s;

-- name: touched_numbers
-- Numbers with an object that GitHub last changed inside one of the windows, or that carries no date at all;
-- and whether these are all the numbers there are.
SELECT coalesce(array_agg(thread_number) FILTER (WHERE touched), '{}'), coalesce(bool_and(touched), true)
FROM (
    SELECT thread_number, bool_or(r.github_updated_at IS NULL OR EXISTS (
               SELECT FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[]) AS w (starts, ends)
               WHERE r.github_updated_at >= w.starts AND r.github_updated_at < w.ends)) AS touched
    FROM relore.raw_objects r WHERE repo_id = %(repo_id)s GROUP BY thread_number
) numbers;

-- name: orphans
-- Numbers under which something but no head is staged, and how many objects wait there.
SELECT thread_number, count(*) FROM relore.raw_objects
WHERE repo_id = %(repo_id)s
GROUP BY thread_number HAVING NOT bool_or(kind IN ('issue', 'pull'));

-- name: stored_threads
-- The rows of some threads as they stand.
SELECT number, id, input_hash FROM relore.threads
WHERE repo_id = %(repo_id)s AND number = ANY (%(numbers)s);

-- name: stored_documents
-- What is held of some threads' documents: enough to tell what changed.
SELECT thread_id, source_type, source_id, chunk_index, id, content_hash, trust, machine,
       trust_until, trust_then
FROM relore.documents WHERE thread_id = ANY (%(thread_ids)s);

-- name: upsert_threads
-- Threads whose row differs; the ids of all.
INSERT INTO relore.threads AS t (
    repo_id, number, kind, title, author, author_association, state, state_reason, draft, merged, locked,
    closed_by, merged_by, merge_sha, labels, requested_reviewers, stated_comments, stated_review_comments,
    stated_commits, stated_files, collected_comments, collected_reviews, collected_review_comments,
    collected_commits, collected_files, url, created_at, updated_at, closed_at, merged_at, undated, indexed_at,
    input_hash)
SELECT %(repo_id)s, number, kind, title, author, author_association, state, state_reason, draft, merged, locked,
    closed_by, merged_by, merge_sha, labels, requested_reviewers, stated_comments, stated_review_comments,
    stated_commits, stated_files, collected_comments, collected_reviews, collected_review_comments,
    collected_commits, collected_files, url, created_at, updated_at, closed_at, merged_at, undated, now(), input_hash
FROM new_threads
ON CONFLICT (repo_id, number) DO UPDATE SET
    kind = excluded.kind, title = excluded.title, author = excluded.author,
    author_association = excluded.author_association, state = excluded.state,
    state_reason = excluded.state_reason, draft = excluded.draft, merged = excluded.merged,
    locked = excluded.locked, closed_by = excluded.closed_by, merged_by = excluded.merged_by,
    merge_sha = excluded.merge_sha, labels = excluded.labels,
    requested_reviewers = excluded.requested_reviewers, stated_comments = excluded.stated_comments,
    stated_review_comments = excluded.stated_review_comments, stated_commits = excluded.stated_commits,
    stated_files = excluded.stated_files, collected_comments = excluded.collected_comments,
    collected_reviews = excluded.collected_reviews,
    collected_review_comments = excluded.collected_review_comments,
    collected_commits = excluded.collected_commits, collected_files = excluded.collected_files,
    url = excluded.url, created_at = excluded.created_at, updated_at = excluded.updated_at,
    closed_at = excluded.closed_at, merged_at = excluded.merged_at,
    undated = excluded.undated, indexed_at = now(),
    input_hash = excluded.input_hash
WHERE (t.kind, t.title, t.author, t.author_association, t.state, t.state_reason, t.draft, t.merged, t.locked,
       t.closed_by, t.merged_by, t.merge_sha, t.labels, t.requested_reviewers, t.stated_comments,
       t.stated_review_comments, t.stated_commits, t.stated_files, t.collected_comments, t.collected_reviews,
       t.collected_review_comments, t.collected_commits, t.collected_files, t.url, t.created_at, t.updated_at,
       t.closed_at, t.merged_at, t.undated, t.input_hash)
   IS DISTINCT FROM
      (excluded.kind, excluded.title, excluded.author, excluded.author_association, excluded.state,
       excluded.state_reason, excluded.draft, excluded.merged, excluded.locked, excluded.closed_by,
       excluded.merged_by, excluded.merge_sha, excluded.labels, excluded.requested_reviewers,
       excluded.stated_comments, excluded.stated_review_comments, excluded.stated_commits,
       excluded.stated_files, excluded.collected_comments, excluded.collected_reviews,
       excluded.collected_review_comments, excluded.collected_commits, excluded.collected_files, excluded.url,
       excluded.created_at, excluded.updated_at, excluded.closed_at, excluded.merged_at, excluded.undated,
       excluded.input_hash);

-- name: thread_ids
-- The ids of some numbers.
SELECT number, id FROM relore.threads WHERE repo_id = %(repo_id)s AND number = ANY (%(numbers)s);

-- name: document_ids
-- Fresh ids, so that documents and their signals can be copied in together.
SELECT nextval(pg_get_serial_sequence('relore.documents', 'id')) FROM generate_series(1, %(count)s);

-- name: keep_versions
-- What is about to be replaced or removed, where the words themselves change; not where a secret is taken out of them,
-- which would live on here.
INSERT INTO relore.document_versions (
    repo_id, thread_number, source_type, source_id, chunk_index, author, body, content_hash, updated_at,
    replaced_at, reason)
SELECT d.repo_id, t.number, d.source_type, d.source_id, d.chunk_index, d.author, d.body, d.content_hash,
       d.updated_at, now(), CASE WHEN n.id IS NULL THEN 'deleted' ELSE 'edited' END
FROM unnest(%(replaced)s::bigint[]) AS old (id)
JOIN relore.documents d ON d.id = old.id
JOIN relore.threads t ON t.id = d.thread_id
LEFT JOIN new_documents n ON n.id = d.id
WHERE n.id IS NULL
   OR (n.body <> d.body
       AND regexp_count(n.body, '\[redacted [a-z]') <= regexp_count(d.body, '\[redacted [a-z]'));

-- name: subtract_terms
-- Lexemes of documents that are about to be replaced or removed.
INSERT INTO relore.term_deltas (repo_id, lexeme, delta)
SELECT %(repo_id)s, v.lexeme, -count(*)
FROM relore.documents d, unnest(d.search_vector) AS v
WHERE d.id = ANY (%(replaced)s)
GROUP BY v.lexeme;

-- name: update_documents
-- Documents whose content differs, from the temporary table.
UPDATE relore.documents d SET
    chunk_count = n.chunk_count, author = n.author, author_association = n.author_association, trust = n.trust,
    machine = n.machine, url = n.url, body = n.body, search_vector = n.search_vector, lexemes = n.lexemes,
    unsearchable = n.unsearchable, created_at = n.created_at, updated_at = n.updated_at, path = n.path,
    line = n.line, original_line = n.original_line, side = n.side, in_reply_to = n.in_reply_to,
    commit_sha = n.commit_sha, enclosing_symbol = n.enclosing_symbol, review_id = n.review_id,
    review_state = n.review_state, content_hash = n.content_hash, noise = n.noise,
    trust_until = n.trust_until, trust_then = n.trust_then
FROM new_documents n WHERE n.id = d.id;

-- name: move_trust
-- A document whose tiers alone differ.
UPDATE relore.documents SET
    trust = %(trust)s, machine = %(machine)s, trust_until = %(trust_until)s::timestamptz[],
    trust_then = %(trust_then)s::text[]
WHERE id = %(id)s;

-- name: remove_documents
-- Documents that no staged object yields any more; their signals and links go with them.
DELETE FROM relore.documents WHERE id = ANY (%(ids)s);

-- name: remove_signals
-- Signals of documents that are rewritten.
DELETE FROM relore.signals WHERE document_id = ANY (%(ids)s);

-- name: stored_files
-- changed_files of some threads.
SELECT thread_id, path, tail, change_type, additions, deletions, previous_path
FROM relore.changed_files WHERE thread_id = ANY (%(thread_ids)s);

-- name: remove_files
-- changed_files of threads whose list differs.
DELETE FROM relore.changed_files WHERE thread_id = ANY (%(thread_ids)s);

-- name: stored_commits
-- commits of some threads.
SELECT thread_id, sha, how, position, author_name, author_login, authored_at, committed_at, subject
FROM relore.commits WHERE thread_id = ANY (%(thread_ids)s);

-- name: remove_commits
-- commits of threads whose list differs.
DELETE FROM relore.commits WHERE thread_id = ANY (%(thread_ids)s);

-- name: stored_verdicts
-- verdicts of some threads.
SELECT thread_id, review_id, author, verdict, stated_at, commit_sha
FROM relore.verdicts WHERE thread_id = ANY (%(thread_ids)s);

-- name: remove_verdicts
-- verdicts of threads whose reviews differ.
DELETE FROM relore.verdicts WHERE thread_id = ANY (%(thread_ids)s);

-- name: stored_events
-- Dated changes of some threads' heads.
SELECT thread_id, position, event, at, actor, value, previous
FROM relore.thread_events WHERE thread_id = ANY (%(thread_ids)s);

-- name: remove_events
-- Dated changes of threads whose history differs.
DELETE FROM relore.thread_events WHERE thread_id = ANY (%(thread_ids)s);

-- name: stored_links
-- links of some threads, each with the key of the document that states it.
SELECT l.thread_id, l.relation, l.target_repo, l.target_number, l.source, l.stated_at,
       d.source_type, d.source_id, d.chunk_index
FROM relore.links l LEFT JOIN relore.documents d ON d.id = l.document_id
WHERE l.thread_id = ANY (%(thread_ids)s);

-- name: remove_links
-- links of threads whose claims differ.
DELETE FROM relore.links WHERE thread_id = ANY (%(thread_ids)s);

-- name: vanished_threads
-- Stored threads without a staged head.
SELECT t.id FROM relore.threads t
WHERE t.repo_id = %(repo_id)s AND (%(numbers)s::int[] IS NULL OR t.number = ANY (%(numbers)s)) AND NOT EXISTS (
    SELECT FROM relore.raw_objects r
    WHERE r.repo_id = t.repo_id AND r.thread_number = t.number AND r.kind IN ('issue', 'pull'));

-- name: documents_of_threads
-- Ids of all documents of some threads.
SELECT id FROM relore.documents WHERE thread_id = ANY (%(thread_ids)s);

-- name: remove_threads
-- Threads, with everything that hangs on them.
DELETE FROM relore.threads WHERE id = ANY (%(thread_ids)s);

-- name: record_start
-- A pass begins; its freshness is unknown until it ends.
INSERT INTO relore.sync_state (repo_id, pass, window_start, last_run_at)
VALUES (%(repo_id)s, 'derive', %(window)s, now())
ON CONFLICT (repo_id, pass, window_start) DO UPDATE SET last_run_at = now();

-- name: record_end
-- A pass is through. It is well only when every thread could be derived.
UPDATE relore.sync_state SET
    last_ok_at = CASE WHEN %(error)s::text IS NULL THEN now() ELSE last_ok_at END,
    stated = %(stated)s, done = %(done)s, skipped = %(skipped)s, error = %(error)s
WHERE repo_id = %(repo_id)s AND pass = 'derive' AND window_start = %(window)s;

-- name: record_rule
-- The version of a rule that all of a repository's rows are written with.
INSERT INTO relore.rule_versions (repo_id, rule, version) VALUES (%(repo_id)s, %(rule)s, %(version)s)
ON CONFLICT (repo_id, rule) DO UPDATE SET version = excluded.version
WHERE relore.rule_versions.version <> excluded.version;
