-- What questions are mined from: rows of one repository, in an order that does not depend on the database.

-- name: corpus
SELECT
    count(*) AS threads,
    (SELECT count(*) FROM relore.documents d WHERE d.repo_id = %(repo_id)s) AS documents,
    min(t.created_at) AS since,
    max(t.created_at) AS until
FROM relore.threads t
WHERE t.repo_id = %(repo_id)s;

-- name: frequencies
-- How many documents carry a lexeme.
SELECT s.lexeme, s.documents FROM relore.term_stats s
WHERE s.repo_id = %(repo_id)s AND s.lexeme = ANY (%(lexemes)s::text[]);

-- name: titled
-- How many threads carry a lexeme in their titles.
SELECT word.lexeme, count(DISTINCT d.thread_id) AS threads
FROM relore.documents d
CROSS JOIN LATERAL unnest(d.search_vector) AS word
WHERE d.repo_id = %(repo_id)s AND d.source_type = 'title' AND word.lexeme = ANY (%(lexemes)s::text[])
GROUP BY word.lexeme;

-- name: closings
-- Issues, and the merged pull requests that claim to close them. said_in: where the claim stands.
SELECT
    issue.id AS issue_id, issue.number AS issue, issue.title, issue.url, issue.created_at AS issue_at,
    head.updated_at AS title_at, coalesce(body.body, '') AS body, body.updated_at AS body_at,
    pull.number AS pull, pull.created_at AS pull_at, pull.merged_at,
    coalesce((
        SELECT post.body FROM relore.documents post
        WHERE post.thread_id = pull.id AND post.repo_id = pull.repo_id AND post.source_type = 'body' AND post.chunk_index = 0
    ), '') AS pull_body,
    array_agg(DISTINCT link.source ORDER BY link.source) AS said_in
FROM relore.links link
JOIN relore.repos r ON r.id = link.repo_id
JOIN relore.threads pull ON pull.id = link.thread_id AND pull.repo_id = link.repo_id AND pull.merged
JOIN relore.threads issue
  ON issue.repo_id = link.repo_id AND issue.number = link.target_number AND issue.kind = 'issue'
JOIN relore.documents head
  ON head.thread_id = issue.id AND head.repo_id = issue.repo_id AND head.source_type = 'title' AND head.chunk_index = 0
LEFT JOIN relore.documents body
  ON body.thread_id = issue.id AND body.repo_id = issue.repo_id AND body.source_type = 'body' AND body.chunk_index = 0
WHERE link.repo_id = %(repo_id)s AND link.relation = 'closes' AND link.target_repo = lower(r.full_name)
  AND link.source IN ('title', 'body', 'commit', 'github')
GROUP BY issue.id, head.id, body.id, pull.id
ORDER BY issue.number, pull.number;

-- name: naming
-- Which threads name some others by number.
SELECT DISTINCT link.target_number AS named, source.number AS naming
FROM relore.links link
JOIN relore.repos r ON r.id = link.repo_id
JOIN relore.threads source ON source.id = link.thread_id AND source.repo_id = link.repo_id
WHERE link.repo_id = %(repo_id)s AND link.target_repo = lower(r.full_name)
  AND link.target_number = ANY (%(numbers)s::int[])
ORDER BY 1, 2;

-- name: duplicates
-- Who was called a duplicate of what, first by whom and when. An original was there before the duplicate.
SELECT
    copy.number AS copy, copy.title, copy.url, copy.created_at AS copy_at, head.updated_at AS title_at,
    coalesce(body.body, '') AS body, body.updated_at AS body_at,
    original.number AS original, min(link.stated_at) AS stated_at
FROM relore.links link
JOIN relore.repos r ON r.id = link.repo_id
JOIN relore.threads copy ON copy.id = link.thread_id AND copy.repo_id = link.repo_id
JOIN relore.threads original
  ON original.repo_id = link.repo_id AND original.number = link.target_number AND original.id <> copy.id
JOIN relore.documents head
  ON head.thread_id = copy.id AND head.repo_id = copy.repo_id AND head.source_type = 'title' AND head.chunk_index = 0
LEFT JOIN relore.documents said ON said.id = link.document_id AND said.repo_id = link.repo_id
LEFT JOIN relore.documents body
  ON body.thread_id = copy.id AND body.repo_id = copy.repo_id AND body.source_type = 'body' AND body.chunk_index = 0
WHERE link.repo_id = %(repo_id)s AND link.relation = 'duplicates' AND link.target_repo = lower(r.full_name)
  AND link.stated_at IS NOT NULL AND copy.state = 'closed' AND original.created_at < copy.created_at
  AND coalesce(said.trust, '') <> 'machine'
GROUP BY copy.id, head.id, body.id, original.id
ORDER BY copy.number, original.number;

-- name: answers_to_comments
-- Replies of people in conversations on lines of a diff, each with the comments before it. The patterns admit more than
-- is wanted; what is wanted is told from prose. parents: source_id, author, body, of others than who replies, oldest first.
SELECT
    thread.number, thread.url AS thread_url, reply.source_id, reply.author, reply.body, reply.created_at, reply.trust,
    asked.source_id AS asked_id, asked.author AS asked_by, asked.body AS asked_body, asked.url AS asked_url,
    asked.created_at AS asked_at, asked.updated_at AS asked_changed_at, asked.trust AS asked_trust, asked.path
FROM relore.documents reply
JOIN relore.threads thread ON thread.id = reply.thread_id AND thread.repo_id = reply.repo_id
CROSS JOIN LATERAL (
    -- The last word of somebody else before the reply, in the same conversation.
    SELECT d.* FROM relore.documents d
    WHERE d.thread_id = reply.thread_id AND d.repo_id = reply.repo_id AND d.source_type = 'review_comment'
      AND d.chunk_index = 0 AND coalesce(d.in_reply_to, d.source_id) = reply.in_reply_to
      AND lower(d.author) <> lower(reply.author) AND d.created_at <= reply.created_at
    ORDER BY d.created_at DESC, d.source_id DESC
    LIMIT 1
) asked
WHERE reply.repo_id = %(repo_id)s AND reply.source_type = 'review_comment' AND reply.chunk_index = 0
  AND reply.in_reply_to IS NOT NULL AND reply.trust <> 'machine' AND reply.created_at IS NOT NULL
  AND reply.body ~* %(pattern)s
ORDER BY reply.created_at, reply.source_id;

-- name: pulls_of
-- Which of some numbers are pull requests.
SELECT t.number FROM relore.threads t
WHERE t.repo_id = %(repo_id)s AND t.kind = 'pr' AND t.number = ANY (%(numbers)s::int[]);

-- name: threads_of_commits
-- The pull requests that commits came with, by the beginning of their ids.
SELECT wanted.prefix, array_agg(DISTINCT t.number ORDER BY t.number) AS numbers
FROM unnest(%(prefixes)s::text[]) AS wanted (prefix)
JOIN relore.commits c ON c.repo_id = %(repo_id)s AND c.sha LIKE wanted.prefix || '%%'
JOIN relore.threads t ON t.id = c.thread_id AND t.repo_id = c.repo_id
GROUP BY wanted.prefix
ORDER BY wanted.prefix;

-- name: failures_in_issues
-- Texts of some issues that report an error, written before a moment each, in the order in which they were said.
SELECT
    wanted.number, d.source_type, d.source_id, d.url, d.body, d.created_at
FROM unnest(%(numbers)s::int[], %(moments)s::timestamptz[]) AS wanted (number, moment)
JOIN relore.threads t ON t.repo_id = %(repo_id)s AND t.number = wanted.number
JOIN relore.documents d ON d.thread_id = t.id AND d.repo_id = t.repo_id
WHERE d.source_type IN ('body', 'issue_comment') AND d.chunk_index = 0 AND d.trust <> 'machine'
  AND d.created_at < wanted.moment AND (d.updated_at IS NULL OR d.updated_at < wanted.moment)
  AND EXISTS (SELECT FROM relore.signals s WHERE s.document_id = d.id AND s.repo_id = d.repo_id AND s.kind = 'error')
ORDER BY wanted.number, d.created_at, d.source_type, d.source_id;

-- name: fixed_in
-- Comments that say by what an issue was settled, where the issue is closed.
SELECT
    issue.number AS issue, d.body, d.created_at
FROM relore.documents d
JOIN relore.threads issue
  ON issue.id = d.thread_id AND issue.repo_id = d.repo_id AND issue.kind = 'issue' AND issue.state = 'closed'
WHERE d.repo_id = %(repo_id)s AND d.source_type = 'issue_comment' AND d.chunk_index = 0 AND d.trust <> 'machine'
  AND d.created_at IS NOT NULL AND d.body ~* %(pattern)s
ORDER BY issue.number, d.created_at, d.source_id;

-- name: pulls
-- Merged pull requests of some numbers.
SELECT t.number, t.created_at, t.merged_at FROM relore.threads t
WHERE t.repo_id = %(repo_id)s AND t.merged AND t.number = ANY (%(numbers)s::int[])
ORDER BY t.number;

-- name: shared_failures
-- Errors and tests that texts of several threads report, people's texts only. Few carriers, and a message that says
-- something: others are met everywhere.
WITH carried AS (
    SELECT DISTINCT s.kind, s.tail, s.value, d.thread_id
    FROM relore.signals s
    JOIN relore.documents d ON d.id = s.document_id AND d.repo_id = s.repo_id
    WHERE s.repo_id = %(repo_id)s AND d.trust <> 'machine'
      AND ((s.kind = 'error' AND length(s.value) >= %(message_least)s) OR (s.kind = 'test' AND s.value ~ '[:/.]'))
)
SELECT c.kind, c.tail, c.value, array_agg(t.number ORDER BY t.number) AS numbers
FROM carried c
JOIN relore.threads t ON t.id = c.thread_id AND t.repo_id = %(repo_id)s
GROUP BY c.kind, c.tail, c.value
HAVING count(*) BETWEEN 2 AND %(carriers_most)s
ORDER BY count(*), c.kind, c.tail COLLATE "C", c.value COLLATE "C";

-- name: carriers
-- The first text of each thread that carries a signal; the newest thread first.
SELECT DISTINCT ON (t.number)
    t.number, d.source_type, d.source_id, d.url, d.body, d.created_at
FROM relore.signals s
JOIN relore.documents d ON d.id = s.document_id AND d.repo_id = s.repo_id
JOIN relore.threads t ON t.id = d.thread_id AND t.repo_id = d.repo_id
WHERE s.repo_id = %(repo_id)s AND s.kind = %(kind)s AND s.tail = %(tail)s AND s.value = %(value)s
  AND d.trust <> 'machine' AND d.created_at IS NOT NULL
ORDER BY t.number, d.created_at, d.source_type, d.source_id;

-- name: comparisons
-- People's comments that may send somebody to an earlier thread.
SELECT
    t.number, t.title, d.source_type, d.source_id, d.url, d.body, d.created_at, d.trust
FROM relore.documents d
JOIN relore.threads t ON t.id = d.thread_id AND t.repo_id = d.repo_id
WHERE d.repo_id = %(repo_id)s AND d.source_type IN ('issue_comment', 'review', 'review_comment') AND d.chunk_index = 0
  AND d.trust <> 'machine' AND NOT d.noise AND d.created_at IS NOT NULL AND d.body ~* %(pattern)s
ORDER BY d.created_at, d.source_type, d.source_id;

-- name: known_threads
-- When threads of some numbers were opened.
SELECT t.number, t.created_at FROM relore.threads t
WHERE t.repo_id = %(repo_id)s AND t.number = ANY (%(numbers)s::int[]);

-- name: reasons
-- Replies of people with standing to somebody else's words on a line of a diff.
SELECT
    thread.number, thread.created_at AS thread_at, reply.source_id AS reply_id, reply.body AS reply,
    reply.created_at AS replied_at,
    asked.source_id, asked.url, asked.body, asked.created_at, asked.trust = 'machine' AS by_machine, asked.path
FROM relore.documents reply
JOIN relore.threads thread ON thread.id = reply.thread_id AND thread.repo_id = reply.repo_id
JOIN relore.documents asked
  ON asked.thread_id = reply.thread_id AND asked.repo_id = reply.repo_id AND asked.source_type = 'review_comment'
 AND asked.chunk_index = 0 AND asked.source_id = reply.in_reply_to
WHERE reply.repo_id = %(repo_id)s AND reply.source_type = 'review_comment' AND reply.chunk_index = 0
  AND reply.trust = 'authoritative' AND length(reply.body) BETWEEN %(shortest)s AND %(longest)s
  AND lower(asked.author) <> lower(reply.author) AND asked.created_at IS NOT NULL AND reply.created_at IS NOT NULL
ORDER BY reply.created_at, reply.source_id;

-- name: held
-- What is held of some slices.
SELECT id, mined_with, body FROM relore.candidates
WHERE repo_id = %(repo_id)s AND slice = ANY (%(slices)s::text[])
ORDER BY id;

-- name: lock
-- Mining is a comparison and a write of the same rows: one at a time.
SELECT pg_advisory_xact_lock(hashtext('relore:candidates'), %(repo_id)s);

-- name: remove
DELETE FROM relore.candidates
WHERE repo_id = %(repo_id)s AND slice = ANY (%(slices)s::text[]) AND id <> ALL (%(ids)s::text[]);

-- name: write
INSERT INTO relore.candidates AS known (repo_id, id, slice, question, asked_at, body, mined_with)
SELECT %(repo_id)s, wanted.id, wanted.slice, wanted.question, wanted.asked_at, wanted.body, %(mined_with)s
FROM jsonb_to_recordset(%(rows)s) AS wanted (id text, slice text, question jsonb, asked_at timestamptz, body jsonb)
ON CONFLICT (repo_id, id) DO UPDATE
SET slice = excluded.slice, question = excluded.question, asked_at = excluded.asked_at, body = excluded.body,
    mined_with = excluded.mined_with
WHERE known IS DISTINCT FROM excluded;

-- name: record
-- That candidates are mined, how many, and when.
INSERT INTO relore.sync_state (repo_id, pass, last_run_at, last_ok_at, stated, done)
VALUES (%(repo_id)s, 'mine', now(), now(), %(number)s, %(number)s)
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET last_run_at = excluded.last_run_at, last_ok_at = excluded.last_ok_at, stated = excluded.stated,
    done = excluded.done, error = NULL;
