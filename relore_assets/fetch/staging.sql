-- Writing raw_objects and the marks of a pass.

-- name: lock
-- Held by the session. A whole import is alone with its repository.
SELECT pg_advisory_lock(%(class)s, %(repo_id)s);

-- name: lock_shared
-- Imports of single windows may run beside each other, not beside a whole one.
SELECT pg_advisory_lock_shared(%(class)s, %(repo_id)s);

-- name: unlock
SELECT pg_advisory_unlock(%(class)s, %(repo_id)s);

-- name: unlock_shared
SELECT pg_advisory_unlock_shared(%(class)s, %(repo_id)s);

-- name: clock
SELECT clock_timestamp();

-- name: create_incoming
CREATE TEMPORARY TABLE IF NOT EXISTS incoming_objects (
    kind              text NOT NULL,
    object_id         text NOT NULL,
    thread_number     integer NOT NULL,
    payload           jsonb NOT NULL,
    payload_hash      bytea NOT NULL,
    github_updated_at timestamptz,
    redactions        integer NOT NULL,
    replacements      integer NOT NULL
) ON COMMIT DELETE ROWS;

-- name: create_named
-- Rejected lines that this session has met, to tell at the end which of the stored ones have been mended.
CREATE TEMPORARY TABLE IF NOT EXISTS named_lines (
    file text NOT NULL,
    line bigint NOT NULL,
    PRIMARY KEY (file, line)
);

-- name: forget_named
TRUNCATE pg_temp.named_lines;

-- name: create_met
-- Objects of an archive that this session's pass has met, to tell what is repeated far apart from what is not;
-- is_elsewhere: outside the windows of the pass.
CREATE TEMPORARY TABLE IF NOT EXISTS met_objects (
    kind         text NOT NULL,
    object_id    text NOT NULL,
    members      integer NOT NULL,
    updated_at   timestamptz,
    is_elsewhere boolean NOT NULL,
    PRIMARY KEY (kind, object_id)
);

-- name: forget_met
TRUNCATE pg_temp.met_objects;

-- name: met
SELECT met.kind, met.object_id, met.members, met.updated_at, met.is_elsewhere
FROM unnest(%(kinds)s::text[], %(object_ids)s::text[]) AS wanted (kind, object_id)
JOIN pg_temp.met_objects AS met ON met.kind = wanted.kind AND met.object_id = wanted.object_id;

-- name: meet
-- The newest that stands in the archive.
INSERT INTO pg_temp.met_objects (kind, object_id, members, updated_at, is_elsewhere)
SELECT kind, object_id, members, updated_at, is_elsewhere
FROM unnest(%(kinds)s::text[], %(object_ids)s::text[], %(members)s::integer[], %(dates)s::timestamptz[],
            %(elsewhere)s::boolean[])
    AS taken (kind, object_id, members, updated_at, is_elsewhere)
ON CONFLICT (kind, object_id) DO UPDATE
SET members = excluded.members, updated_at = excluded.updated_at, is_elsewhere = excluded.is_elsewhere;

-- name: stored
-- What is stored of a batch, to send only what differs.
SELECT stored.kind, stored.object_id, stored.payload_hash, stored.github_updated_at, stored.redaction_version
FROM unnest(%(kinds)s::text[], %(object_ids)s::text[]) AS wanted (kind, object_id)
JOIN relore.raw_objects AS stored
  ON stored.repo_id = %(repo_id)s AND stored.kind = wanted.kind AND stored.object_id = wanted.object_id;

-- name: copy
COPY pg_temp.incoming_objects
    (kind, object_id, thread_number, payload, payload_hash, github_updated_at, redactions, replacements)
FROM STDIN;

-- name: store
-- In key order, so that two imports never wait for each other in a circle. What is stored gives way to what is as
-- new or newer; an older archive does not turn time back. A date that is still to come is none to go by.
INSERT INTO relore.raw_objects AS stored
    (repo_id, kind, object_id, thread_number, payload, payload_hash, github_updated_at, fetched_at, source,
     redaction_version, redactions, replacements)
SELECT %(repo_id)s, kind, object_id, thread_number, payload, payload_hash, github_updated_at, now(), %(source)s,
       %(redaction_version)s, redactions, replacements
FROM pg_temp.incoming_objects
ORDER BY kind, object_id
ON CONFLICT (repo_id, kind, object_id) DO UPDATE
SET thread_number = excluded.thread_number, payload = excluded.payload, payload_hash = excluded.payload_hash,
    github_updated_at = excluded.github_updated_at, fetched_at = excluded.fetched_at, source = excluded.source,
    redaction_version = excluded.redaction_version, redactions = excluded.redactions,
    replacements = excluded.replacements
WHERE stored.payload_hash <> excluded.payload_hash
  AND coalesce(excluded.github_updated_at >= stored.github_updated_at OR stored.github_updated_at > now(), true);

-- name: mark_checked
-- Payloads that the present rules of redaction leave as they are.
UPDATE relore.raw_objects AS stored
SET redaction_version = %(redaction_version)s
FROM unnest(%(kinds)s::text[], %(object_ids)s::text[]) AS checked (kind, object_id)
WHERE stored.repo_id = %(repo_id)s AND stored.kind = checked.kind AND stored.object_id = checked.object_id;

-- name: reject
INSERT INTO relore.rejected_lines AS known (repo_id, file, line, reason)
SELECT %(repo_id)s, file, line, reason
FROM unnest(%(files)s::text[], %(lines)s::bigint[], %(reasons)s::text[]) AS rejected (file, line, reason)
ORDER BY file, line
ON CONFLICT (repo_id, file, line) DO UPDATE SET reason = excluded.reason
WHERE known.reason <> excluded.reason;

-- name: name_lines
INSERT INTO pg_temp.named_lines (file, line)
SELECT file, line FROM unnest(%(files)s::text[], %(lines)s::bigint[]) AS rejected (file, line)
ON CONFLICT DO NOTHING;

-- name: drop_readable
DELETE FROM relore.rejected_lines AS known
USING unnest(%(files)s::text[], %(lines)s::bigint[]) AS read (file, line)
WHERE known.repo_id = %(repo_id)s AND known.file = read.file AND known.line = read.line;

-- name: drop_mended
-- Of the lines of archives; entries of GitHub's lists are none.
DELETE FROM relore.rejected_lines AS known
WHERE known.repo_id = %(repo_id)s AND known.file NOT LIKE 'GitHub''s %%'
  AND NOT EXISTS (SELECT FROM pg_temp.named_lines AS met WHERE met.file = known.file AND met.line = known.line);

-- name: mark_progress
-- While a pass runs its counts only grow: they replace those of the last pass when it has ended.
INSERT INTO relore.sync_state AS known
    (repo_id, pass, window_start, high_water, last_run_at, stated, done, skipped)
SELECT %(repo_id)s, pass, window_start, high_water, %(started)s, stated, done, skipped
FROM unnest(%(passes)s::text[], %(windows)s::date[], %(high_waters)s::timestamptz[], %(stated)s::bigint[],
            %(done)s::bigint[], %(skipped)s::jsonb[])
    AS mark (pass, window_start, high_water, stated, done, skipped)
ORDER BY pass, window_start
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET last_run_at = excluded.last_run_at,
    high_water = greatest(known.high_water, excluded.high_water),
    stated = greatest(known.stated, excluded.stated),
    done = greatest(known.done, excluded.done);

-- name: mark_ended
INSERT INTO relore.sync_state AS known
    (repo_id, pass, window_start, high_water, last_run_at, last_ok_at, stated, done, skipped, error)
SELECT %(repo_id)s, pass, window_start, high_water, %(started)s, clock_timestamp(), stated, done, skipped, NULL
FROM unnest(%(passes)s::text[], %(windows)s::date[], %(high_waters)s::timestamptz[], %(stated)s::bigint[],
            %(done)s::bigint[], %(skipped)s::jsonb[])
    AS mark (pass, window_start, high_water, stated, done, skipped)
ORDER BY pass, window_start
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET high_water = excluded.high_water, last_run_at = excluded.last_run_at, last_ok_at = excluded.last_ok_at,
    stated = excluded.stated, done = excluded.done, skipped = excluded.skipped, error = NULL;

-- name: mark_walked
-- How far walks over lists that GitHub orders by date have come. A mark never moves back: what was staged before it
-- stays staged, whatever a later walk begins with.
INSERT INTO relore.sync_state AS known (repo_id, pass, window_start, cursor, last_run_at)
SELECT %(repo_id)s, pass, window_start, to_char(walked_to AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), %(started)s
FROM unnest(%(passes)s::text[], %(windows)s::date[], %(walked_to)s::timestamptz[])
    AS mark (pass, window_start, walked_to)
ORDER BY pass, window_start
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET cursor = greatest(known.cursor, excluded.cursor), last_run_at = excluded.last_run_at;

-- name: count_windows
-- What each window of a pass holds, counted in objects of the source. Windows that hold nothing count too: they have
-- been looked at.
WITH covered AS (
    SELECT starts, CASE WHEN starts = '2008-01-01' THEN '-infinity' ELSE starts::timestamp AT TIME ZONE 'UTC' END AS since,
           CASE WHEN ends > (now() AT TIME ZONE 'UTC')::date THEN 'infinity' ELSE ends::timestamp AT TIME ZONE 'UTC' END
               AS until
    FROM unnest(%(windows)s::date[], %(ends)s::date[]) AS span (starts, ends)
), held AS (
    SELECT CASE stored.kind WHEN 'pull_commits' THEN 'commit' WHEN 'pull_files' THEN 'file' ELSE stored.kind END AS counted,
           covered.starts, max(stored.github_updated_at) AS high_water,
           sum(CASE WHEN stored.kind IN ('pull_commits', 'pull_files')
                    THEN jsonb_array_length(stored.payload -> 'items') ELSE 1 END) AS members
    FROM covered JOIN relore.raw_objects AS stored
      ON stored.repo_id = %(repo_id)s AND stored.github_updated_at >= covered.since
     AND stored.github_updated_at < covered.until
    GROUP BY 1, 2
    UNION ALL
    SELECT walk, covered.starts, NULL, 0
    FROM covered, unnest('{issue,issue_comment,review_comment}'::text[]) AS walk
)
INSERT INTO relore.sync_state AS known
    (repo_id, pass, window_start, high_water, last_run_at, last_ok_at, stated, done)
SELECT %(repo_id)s, %(pass)s || ':' || counted, starts, max(high_water), %(started)s, clock_timestamp(),
       sum(members), sum(members)
FROM held
GROUP BY counted, starts
ORDER BY 2, 3
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET high_water = excluded.high_water, last_run_at = excluded.last_run_at, last_ok_at = excluded.last_ok_at,
    stated = excluded.stated, done = excluded.done, error = NULL;

-- name: drop_unmarked
-- After a whole pass: windows in which the source holds nothing any more.
DELETE FROM relore.sync_state
WHERE repo_id = %(repo_id)s AND (pass = 'import' OR pass LIKE 'import:%%') AND last_run_at IS DISTINCT FROM %(started)s;

-- name: mark_failed
INSERT INTO relore.sync_state AS known (repo_id, pass, last_run_at, error)
VALUES (%(repo_id)s, %(pass)s, %(started)s, %(error)s)
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET last_run_at = excluded.last_run_at, error = excluded.error;

-- name: mark_rule
-- The oldest rule any payload was cleaned with. Index-free but once a pass.
INSERT INTO relore.rule_versions AS known (repo_id, rule, version)
SELECT repo_id, 'redaction', min(redaction_version)
FROM relore.raw_objects WHERE repo_id = %(repo_id)s GROUP BY repo_id
ON CONFLICT (repo_id, rule) DO UPDATE SET version = excluded.version WHERE known.version <> excluded.version;
