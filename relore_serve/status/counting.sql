-- What the books of a repository are added up from. These statements read whole tables: they run when a pass has
-- ended, and what they say is stored; see status.sql for what is read each time.

-- name: sources
-- What the source says it holds, by kind, and what of that was not staged for which reason.
SELECT mark.repo_id, split_part(mark.pass, ':', 2) AS kind, sum(mark.stated)::bigint AS stated,
       coalesce((
           SELECT jsonb_object_agg(reason, total)
           FROM (
               SELECT said.key AS reason, sum(said.value::bigint) AS total
               FROM relore.sync_state AS other, jsonb_each_text(other.skipped) AS said
               WHERE other.repo_id = mark.repo_id AND other.pass = mark.pass
               GROUP BY said.key
           ) AS reasons
       ), '{}') AS skipped
FROM relore.sync_state AS mark
WHERE mark.repo_id = ANY (%(repo_ids)s::integer[]) AND mark.pass LIKE 'import:%%'
GROUP BY mark.repo_id, mark.pass;

-- name: collected
-- What is staged, by kind.
SELECT repo_id, kind, count(*) AS objects
FROM relore.raw_objects
WHERE repo_id = ANY (%(repo_ids)s::integer[]) AND kind NOT IN ('pull_commits', 'pull_files')
GROUP BY repo_id, kind;

-- name: listed
-- The members of staged lists: how many there are, and how many stand under a number without a head or came after
-- derive last looked and are not in the tables yet.
WITH runs AS MATERIALIZED (
    -- As for single objects, see missing.
    SELECT repo_id, window_start,
           CASE WHEN last_ok_at >= last_run_at OR error IS NOT NULL THEN last_run_at ELSE last_ok_at END AS seen_at
    FROM relore.sync_state
    WHERE repo_id = ANY (%(repo_ids)s::integer[]) AND pass = 'derive'
), lists AS (
    SELECT list.repo_id, list.kind, list.thread_number, jsonb_array_length(list.payload -> 'items') AS members,
           EXISTS (
               SELECT FROM relore.raw_objects AS head
               WHERE head.repo_id = list.repo_id AND head.kind IN ('issue', 'pull')
                 AND head.object_id = list.object_id
           ) AS has_head,
           list.fetched_at > coalesce(greatest(every.seen_at, own.seen_at), '-infinity') AS is_waiting
    FROM relore.raw_objects AS list
    LEFT JOIN runs AS every ON every.repo_id = list.repo_id AND every.window_start = '0001-01-01'
    LEFT JOIN runs AS own
      ON own.repo_id = list.repo_id
     AND own.window_start = date_trunc('quarter', list.github_updated_at AT TIME ZONE 'UTC')::date
    WHERE list.repo_id = ANY (%(repo_ids)s::integer[]) AND list.kind IN ('pull_commits', 'pull_files')
)
SELECT repo_id, kind, sum(members)::bigint AS members,
       coalesce(sum(members) FILTER (WHERE NOT has_head AND NOT is_waiting), 0)::bigint AS orphans,
       coalesce(sum(greatest(members - CASE kind
           WHEN 'pull_commits' THEN (
               SELECT count(*) FROM relore.commits AS row JOIN relore.threads AS thread
                 ON thread.id = row.thread_id AND thread.repo_id = row.repo_id
               WHERE thread.repo_id = lists.repo_id AND thread.number = lists.thread_number AND row.how = 'pull')
           ELSE (
               SELECT count(*) FROM relore.changed_files AS row JOIN relore.threads AS thread
                 ON thread.id = row.thread_id AND thread.repo_id = row.repo_id
               WHERE thread.repo_id = lists.repo_id AND thread.number = lists.thread_number)
       END, 0)) FILTER (WHERE is_waiting), 0)::bigint AS waiting
FROM lists
GROUP BY repo_id, kind;

-- name: rows_of_lists
-- What derive made of lists.
SELECT repo_id, 'commit' AS kind, count(*) AS derived
FROM relore.commits WHERE repo_id = ANY (%(repo_ids)s::integer[]) AND how = 'pull' GROUP BY repo_id
UNION ALL
SELECT repo_id, 'file', count(*)
FROM relore.changed_files WHERE repo_id = ANY (%(repo_ids)s::integer[]) GROUP BY repo_id;

-- name: missing
-- Staged objects without a row of their own, and why. Those without a reason are what nobody can explain. Where
-- derive has never come to an end everything waits for it, and nothing is looked at one by one.
WITH missing AS MATERIALIZED (
    SELECT object.repo_id, object.kind, object.object_id
    FROM relore.raw_objects AS object
    WHERE object.repo_id = ANY (%(repo_ids)s::integer[])
      AND object.kind IN ('issue_comment', 'review', 'review_comment')
      AND NOT EXISTS (
          SELECT FROM relore.documents AS document
          WHERE document.repo_id = object.repo_id AND document.source_type = object.kind
            AND document.source_id = object.object_id)
    UNION ALL
    SELECT object.repo_id, object.kind, object.object_id
    FROM relore.raw_objects AS object
    WHERE object.repo_id = ANY (%(repo_ids)s::integer[])
      AND object.kind IN ('issue', 'pull')
      AND NOT EXISTS (
          SELECT FROM relore.threads AS thread
          WHERE thread.repo_id = object.repo_id AND thread.number::text = object.object_id)
), runs AS MATERIALIZED (
    -- Up to when derive has seen what was staged. A run that is under way, or died, has seen nothing yet.
    SELECT repo_id, window_start,
           CASE WHEN last_ok_at >= last_run_at OR error IS NOT NULL THEN last_run_at ELSE last_ok_at END AS seen_at
    FROM relore.sync_state
    WHERE repo_id = ANY (%(repo_ids)s::integer[]) AND pass = 'derive'
), reasons AS (
    SELECT missing.repo_id, missing.kind, missing.object_id,
           CASE
               WHEN object.fetched_at > coalesce(greatest(every.seen_at, own.seen_at), '-infinity') THEN %(waiting)s
               WHEN missing.kind IN ('issue', 'pull') THEN NULL
               WHEN coalesce(object.payload ->> 'body', '') !~ '[^[:space:]]' THEN %(empty)s
               WHEN NOT EXISTS (
                   SELECT FROM relore.raw_objects AS head
                   WHERE head.repo_id = object.repo_id AND head.kind IN ('issue', 'pull')
                     AND head.object_id = object.thread_number::text) THEN %(orphan)s
           END AS reason
    FROM missing
    -- One by one: there are few of them.
    CROSS JOIN LATERAL (
        SELECT stored.* FROM relore.raw_objects AS stored
        WHERE stored.repo_id = missing.repo_id AND stored.kind = missing.kind AND stored.object_id = missing.object_id
        LIMIT 1
    ) AS object
    LEFT JOIN runs AS every ON every.repo_id = object.repo_id AND every.window_start = '0001-01-01'
    LEFT JOIN runs AS own
      ON own.repo_id = object.repo_id
     AND own.window_start = date_trunc('quarter', object.github_updated_at AT TIME ZONE 'UTC')::date
    WHERE missing.repo_id IN (SELECT repo_id FROM runs WHERE seen_at IS NOT NULL)
)
SELECT repo_id, kind, reason, count(*) AS objects, (array_agg(object_id ORDER BY object_id))[:%(named)s] AS first
FROM reasons
GROUP BY repo_id, kind, reason
UNION ALL
SELECT repo_id, kind, %(waiting)s, count(*), '{}'
FROM missing
WHERE repo_id NOT IN (SELECT repo_id FROM runs WHERE seen_at IS NOT NULL)
GROUP BY repo_id, kind;

-- name: bodies
-- The text of single objects, to see whether anything in it shows.
SELECT coalesce(payload ->> 'body', '') AS body
FROM relore.raw_objects
WHERE repo_id = %(repo_id)s AND kind = %(kind)s AND object_id = ANY (%(object_ids)s::text[]);

-- name: github_states
-- What GitHub counts on the heads of threads, and by how much single threads fall short of it.
SELECT repo_id,
       sum(stated_comments)::bigint AS issue_comments,
       sum(stated_review_comments)::bigint AS review_comments,
       sum(stated_commits)::bigint AS commits,
       sum(stated_files)::bigint AS files,
       coalesce(sum(greatest(stated_comments - collected_comments, 0)), 0)::bigint AS missing_issue_comments,
       coalesce(sum(greatest(stated_review_comments - collected_review_comments, 0)), 0)::bigint
           AS missing_review_comments,
       coalesce(sum(greatest(stated_commits - coalesce(collected_commits, 0), 0)), 0)::bigint AS missing_commits,
       coalesce(sum(greatest(stated_files - coalesce(collected_files, 0), 0)), 0)::bigint AS missing_files
FROM relore.threads
WHERE repo_id = ANY (%(repo_ids)s::integer[])
GROUP BY repo_id;

-- name: github_totals
-- How many threads GitHub counts in the whole repository, and how many are kept out on request, of whichever type.
SELECT mark.repo_id, split_part(mark.pass, ':', 2) AS kind, mark.stated,
       (SELECT count(*) FROM relore.tombstones AS stone
        WHERE stone.repo_id = mark.repo_id AND stone.kind = 'thread' AND stone.reason = 'forgotten') AS forgotten
FROM relore.sync_state AS mark
WHERE mark.repo_id = ANY (%(repo_ids)s::integer[]) AND mark.pass IN ('fetch:issue', 'fetch:pull')
  AND mark.window_start = '0001-01-01' AND mark.stated IS NOT NULL;

-- name: sizes
-- Rows of the tables that grow.
SELECT repo.id AS repo_id,
       (SELECT count(*) FROM relore.threads WHERE repo_id = repo.id) AS threads,
       (SELECT count(*) FROM relore.documents WHERE repo_id = repo.id) AS documents,
       (SELECT count(*) FROM relore.raw_objects WHERE repo_id = repo.id) AS raw_objects,
       (SELECT count(*) FROM relore.document_versions WHERE repo_id = repo.id) AS superseded_documents
FROM unnest(%(repo_ids)s::integer[]) AS repo (id);

-- name: orphans
-- Objects under numbers whose issue or pull request is not staged: deleted or moved away since.
SELECT numbers.repo_id, sum(numbers.objects)::bigint AS objects, count(*) AS numbers
FROM (
    SELECT repo_id, thread_number, count(*) AS objects
    FROM relore.raw_objects
    WHERE repo_id = ANY (%(repo_ids)s::integer[])
    GROUP BY repo_id, thread_number
) AS numbers
WHERE NOT EXISTS (
    SELECT FROM relore.raw_objects AS head
    WHERE head.repo_id = numbers.repo_id AND head.kind IN ('issue', 'pull')
      AND head.object_id = numbers.thread_number::text)
GROUP BY numbers.repo_id;

-- name: rejected
-- Lines that could not be read: how many, and the first ones.
SELECT repo_id, total, file, line, reason
FROM (
    SELECT repo_id, file, line, reason, count(*) OVER (PARTITION BY repo_id) AS total,
           row_number() OVER (PARTITION BY repo_id ORDER BY file, line) AS position
    FROM relore.rejected_lines
    WHERE repo_id = ANY (%(repo_ids)s::integer[])
) AS lines
WHERE position <= %(named)s
ORDER BY repo_id, position;

-- name: cleaned
-- What was replaced before anything was stored.
SELECT repo_id, sum(redactions)::bigint AS secrets, count(*) FILTER (WHERE redactions > 0) AS objects_with_secrets,
       sum(replacements)::bigint AS characters
FROM relore.raw_objects
WHERE repo_id = ANY (%(repo_ids)s::integer[]) AND (redactions > 0 OR replacements > 0)
GROUP BY repo_id;
