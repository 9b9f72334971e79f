-- Removing words on request. Nothing here keeps a version of what it removes.

-- name: places
-- The kinds of object that bear an id, and the threads they belong to: staged, derived, kept, or known to be gone.
SELECT DISTINCT kind, thread_number FROM (
    SELECT kind, thread_number FROM relore.raw_objects
    WHERE repo_id = %(repo_id)s AND object_id = %(object_id)s
      AND kind IN ('issue_comment', 'review', 'review_comment')
    UNION ALL
    SELECT kind, thread_number FROM relore.tombstones
    WHERE repo_id = %(repo_id)s AND object_id = %(object_id)s AND kind <> 'thread'
    UNION ALL
    SELECT source_type, thread_number FROM relore.document_versions
    WHERE repo_id = %(repo_id)s AND source_id = %(object_id)s
      AND source_type IN ('issue_comment', 'review', 'review_comment')
) AS known
WHERE %(kind)s::text IS NULL OR kind = %(kind)s;

-- name: traces_of_thread
-- Something, if anything is known of a thread.
SELECT FROM relore.raw_objects WHERE repo_id = %(repo_id)s AND thread_number = %(number)s
UNION ALL
SELECT FROM relore.threads WHERE repo_id = %(repo_id)s AND number = %(number)s
UNION ALL
SELECT FROM relore.document_versions WHERE repo_id = %(repo_id)s AND thread_number = %(number)s
UNION ALL
SELECT FROM relore.tombstones WHERE repo_id = %(repo_id)s AND thread_number = %(number)s
LIMIT 1;

-- name: remember_object
-- From now on nothing stores it.
INSERT INTO relore.tombstones AS known (repo_id, kind, object_id, thread_number, reason, removed_at)
VALUES (%(repo_id)s, %(kind)s, %(object_id)s, %(number)s, 'forgotten', clock_timestamp())
ON CONFLICT (repo_id, kind, object_id) DO UPDATE
SET reason = excluded.reason, removed_at = excluded.removed_at
WHERE known.reason <> 'forgotten';

-- name: remember_person
-- From now on nothing stores what the person wrote.
INSERT INTO relore.forgotten_authors (repo_id, login_digest, forgotten_at)
VALUES (%(repo_id)s, %(digest)s, clock_timestamp())
ON CONFLICT DO NOTHING;

-- name: documents_of_object
SELECT id FROM relore.documents
WHERE repo_id = %(repo_id)s AND source_type = %(kind)s AND source_id = %(object_id)s;

-- name: remove_versions_of_object
DELETE FROM relore.document_versions
WHERE repo_id = %(repo_id)s AND source_type = %(kind)s AND source_id = %(object_id)s;

-- name: remove_verdict
-- A review's verdict goes with it.
DELETE FROM relore.verdicts
WHERE repo_id = %(repo_id)s AND %(kind)s = 'review' AND review_id = %(object_id)s;

-- name: objects_of_thread
SELECT count(*) FROM relore.raw_objects WHERE repo_id = %(repo_id)s AND thread_number = %(number)s;

-- name: documents_of_thread
SELECT document.id FROM relore.documents AS document
JOIN relore.threads AS thread ON thread.id = document.thread_id AND thread.repo_id = document.repo_id
WHERE thread.repo_id = %(repo_id)s AND thread.number = %(number)s;

-- name: remove_versions_of_thread
DELETE FROM relore.document_versions WHERE repo_id = %(repo_id)s AND thread_number = %(number)s;

-- name: remove_thread
DELETE FROM relore.threads WHERE repo_id = %(repo_id)s AND number = %(number)s;

-- name: numbers_of_person
-- Threads of which anything staged, derived or kept names the account. The pattern holds a login and nothing else
-- that LIKE reads in a way of its own.
SELECT thread_number FROM relore.raw_objects
WHERE repo_id = %(repo_id)s AND payload::text ILIKE %(pattern)s
UNION
SELECT number FROM relore.threads
WHERE repo_id = %(repo_id)s AND %(login)s IN (lower(author), lower(closed_by), lower(merged_by))
UNION
SELECT thread.number FROM relore.documents AS document
JOIN relore.threads AS thread ON thread.id = document.thread_id AND thread.repo_id = document.repo_id
WHERE document.repo_id = %(repo_id)s AND lower(document.author) = %(login)s
UNION
SELECT thread_number FROM relore.document_versions
WHERE repo_id = %(repo_id)s AND lower(author) = %(login)s;

-- name: objects_of_person
-- What is staged of some threads and names the account.
SELECT kind, object_id, payload FROM relore.raw_objects
WHERE repo_id = %(repo_id)s AND thread_number = ANY (%(numbers)s::int[]) AND payload::text ILIKE %(pattern)s;

-- name: documents_of_person
SELECT document.id FROM relore.documents AS document
JOIN relore.threads AS thread ON thread.id = document.thread_id AND thread.repo_id = document.repo_id
WHERE thread.repo_id = %(repo_id)s AND thread.number = ANY (%(numbers)s::int[])
  AND lower(document.author) = %(login)s;

-- name: remove_versions_of_person
DELETE FROM relore.document_versions
WHERE repo_id = %(repo_id)s AND thread_number = ANY (%(numbers)s::int[]) AND lower(author) = %(login)s;

-- name: remove_standing
WITH earlier AS (DELETE FROM relore.authors_then WHERE repo_id = %(repo_id)s AND login = %(login)s)
DELETE FROM relore.authors WHERE repo_id = %(repo_id)s AND login = %(login)s;

-- name: remove_permission
DELETE FROM relore.permissions WHERE repo_id = %(repo_id)s AND login = %(login)s;

-- name: events_with_titles
-- Events that quote titles: of their own thread before a renaming, or of one that refers to it.
SELECT kind, object_id, payload FROM relore.raw_objects
WHERE repo_id = %(repo_id)s AND kind = 'event'
  AND (payload ? 'rename' OR payload #> '{source,issue,title}' IS NOT NULL
       OR payload #> '{source,issue,body}' IS NOT NULL);

-- name: replace_payload
UPDATE relore.raw_objects SET payload = %(payload)s, payload_hash = %(hash)s
WHERE repo_id = %(repo_id)s AND kind = %(kind)s AND object_id = %(object_id)s;
