-- Builds precedents and precedent_threads of one repository: what should be held goes into two tables of the session,
-- and only what differs is written. Every statement speaks of one repository.

-- name: lock
-- Building is a comparison and a write of the same rows: one at a time.
SELECT pg_advisory_xact_lock(hashtext('relore:precedents'), %(repo_id)s);

-- name: tables
-- Where the wanted rows are put; gone with the transaction, or with the next build in it.
DROP TABLE IF EXISTS pg_temp.wanted_units, pg_temp.wanted_threads, pg_temp.claims;
CREATE TEMPORARY TABLE wanted_units ON COMMIT DROP AS SELECT * FROM relore.precedents LIMIT 0;
CREATE TEMPORARY TABLE wanted_threads ON COMMIT DROP AS SELECT * FROM relore.precedent_threads LIMIT 0;
CREATE TEMPORARY TABLE claims (
    source_id bigint, target_id bigint, relation text, source text, document_id bigint, stated_at timestamptz
) ON COMMIT DROP;

-- name: claims
-- What threads of the repository say of others of it.
INSERT INTO claims
SELECT l.thread_id, target.id, l.relation, l.source, l.document_id, coalesce(l.stated_at, source.created_at)
FROM relore.links l
JOIN relore.repos r ON r.id = l.repo_id
JOIN relore.threads source ON source.id = l.thread_id AND source.repo_id = l.repo_id
JOIN relore.threads target ON target.repo_id = l.repo_id AND target.number = l.target_number
WHERE l.repo_id = %(repo_id)s AND l.target_repo = lower(r.full_name) AND target.id <> source.id;

-- name: units
-- Finished pull requests, without kind and problem, which need the issues.
--   states   what others reviewed: the commit that a review looked at; of inline comments whose review left no row,
--            the day
--   words    merged: of who merged, within an hour of it; else of the last approval that says something; else the last
--            of somebody with standing. Rejected: what was said with the closing, a quarter of an hour before to an hour
--            after, by who closed it, or of an end by anybody who may say; else what somebody else with standing said of
--            an end, in the month before and the week after, or in the last two days; else a nod of the author's with the
--            closing, or what its author said of an end. Few words of the author's count only where they speak of
--            an end, name something, or say what was wrong. Only who closed it says anything "with the closing"; that others mean it
--            is a guess
INSERT INTO wanted_units (repo_id, thread_id, outcome, finished_at, rounds, reviewers, words_id, words_how)
WITH finished AS MATERIALIZED (
    SELECT
        t.id, t.merged, lower(t.author) AS author, t.created_at, coalesce(t.merged_at, t.closed_at) AS finished_at,
        lower(coalesce(CASE WHEN t.merged THEN t.merged_by END, t.closed_by)) AS finished_by
    FROM relore.threads t
    WHERE t.repo_id = %(repo_id)s AND t.kind = 'pr' AND t.state = 'closed'
      AND coalesce(t.merged_at, t.closed_at) IS NOT NULL
),
said AS MATERIALIZED (
    SELECT
        d.id, d.thread_id, lower(d.author) AS author, d.trust, d.source_type, d.body, d.lexemes, d.created_at,
        d.review_state, d.review_id, d.commit_sha
    FROM finished f
    JOIN relore.documents d ON d.thread_id = f.id
    WHERE d.source_type IN ('issue_comment', 'review', 'review_comment')
      AND d.chunk_index = 0 AND d.trust <> 'machine' AND NOT d.noise AND d.created_at IS NOT NULL
),
reviews AS (
    SELECT v.thread_id, lower(v.author) AS author, v.review_id, coalesce(v.commit_sha, v.review_id) AS state, v.stated_at
    FROM relore.verdicts v
    WHERE v.repo_id = %(repo_id)s
      AND NOT EXISTS (
        SELECT FROM relore.authors a
        WHERE a.repo_id = v.repo_id AND a.login = lower(v.author) AND a.tier = 'machine')
    UNION ALL
    SELECT s.thread_id, s.author, s.review_id, coalesce(s.commit_sha, s.review_id), s.created_at
    FROM said s WHERE s.source_type = 'review'
),
looked AS (
    SELECT r.thread_id, r.author, r.state, r.stated_at FROM reviews r
    UNION ALL
    SELECT s.thread_id, s.author, (s.created_at AT TIME ZONE 'UTC')::date::text, s.created_at
    FROM said s
    WHERE s.source_type = 'review_comment'
      AND NOT EXISTS (SELECT FROM reviews r WHERE r.thread_id = s.thread_id AND r.review_id = s.review_id)
),
states AS MATERIALIZED (
    SELECT f.id, count(DISTINCT l.state) AS rounds, count(DISTINCT l.author) AS reviewers
    FROM finished f
    JOIN looked l ON l.thread_id = f.id AND l.author <> f.author AND l.stated_at <= f.finished_at
    GROUP BY f.id
),
weighed AS (
    SELECT
        f.id AS thread_id, s.id, s.created_at, f.finished_at,
        CASE
        WHEN s.author = f.author THEN NULL
        WHEN s.trust NOT IN ('authoritative', 'unresolved') OR s.lexemes < 4 THEN NULL
        WHEN s.author = f.finished_by AND s.created_at BETWEEN f.finished_at - interval '1 hour'
             AND f.finished_at + interval '1 hour' AND s.source_type <> 'review_comment' THEN 1
        WHEN s.created_at > f.finished_at OR s.source_type = 'review_comment' THEN NULL
        WHEN s.review_state = 'APPROVED' OR s.body ~* '^\W*(re-?|ut|tested |code review )*(ack|lgtm|looks good|approved?)\M'
        THEN 2
        ELSE 3 END AS rank,
        NULL::boolean AS by_closer
    FROM finished f JOIN said s ON s.thread_id = f.id
    WHERE f.merged
    UNION ALL
    SELECT
        f.id, s.id, s.created_at, f.finished_at,
        CASE
        WHEN NOT (s.trust IN ('authoritative', 'unresolved') OR s.author = f.author OR s.author = f.finished_by)
        THEN NULL
        WHEN s.created_at BETWEEN f.finished_at - interval '15 minutes' AND f.finished_at + interval '1 hour' THEN
            CASE
            -- "This happened twice today. Sorry!" says nothing of the work.
            WHEN s.author = f.author AND s.lexemes < 10 AND NOT e.ends AND s.body !~* %(telling)s THEN NULL
            -- "Ok, thanks, closing" of the author's own answers somebody, whose words say why.
            WHEN s.author = f.author AND s.lexemes < 8 AND s.body !~ '#[0-9]' THEN 9
            WHEN s.author = f.author AND NOT e.ends THEN 7
            WHEN s.author = f.finished_by THEN 4
            WHEN s.lexemes >= 3 AND e.ends THEN 5
            WHEN s.trust IN ('authoritative', 'unresolved') AND s.lexemes >= 8 THEN 8
            END
        WHEN s.created_at BETWEEN f.finished_at - interval '30 days' AND f.finished_at + interval '7 days'
             AND s.source_type <> 'review_comment' AND e.ends
        THEN CASE WHEN s.trust IN ('authoritative', 'unresolved') AND s.author <> f.author THEN 6 ELSE 10 END
        WHEN s.created_at BETWEEN f.finished_at - interval '2 days' AND f.finished_at + interval '1 hour'
             AND s.trust IN ('authoritative', 'unresolved') AND s.author <> f.author AND s.lexemes >= 8 THEN 8
        END,
        -- All accounts that are gone share one name.
        coalesce(s.author = f.finished_by AND s.author <> 'ghost', false)
    FROM finished f
    JOIN said s ON s.thread_id = f.id
    CROSS JOIN LATERAL (SELECT s.body ~* %(ending)s AND s.body !~* %(not_ending)s AS ends) e
    WHERE NOT f.merged
),
words AS MATERIALIZED (
    SELECT DISTINCT ON (w.thread_id)
        w.thread_id, w.id,
        CASE
        WHEN w.rank <= 3 THEN (ARRAY['merge', 'approval', 'last word'])[w.rank]
        WHEN w.rank IN (4, 7, 9) AND w.by_closer THEN 'closing'
        ELSE 'near the closing' END AS how
    FROM weighed w
    WHERE w.rank IS NOT NULL
    ORDER BY w.thread_id, w.rank, abs(extract(epoch FROM w.created_at - w.finished_at)), w.id DESC
)
SELECT
    %(repo_id)s, f.id, CASE WHEN f.merged THEN 'merged' ELSE 'rejected' END, f.finished_at,
    coalesce(s.rounds, 0), coalesce(s.reviewers, 0), w.id, w.how
FROM finished f
LEFT JOIN states s ON s.id = f.id
LEFT JOIN words w ON w.thread_id = f.id;

-- name: index
-- For the steps that follow.
CREATE INDEX ON wanted_units (thread_id);
CREATE INDEX ON claims (source_id);
CREATE INDEX ON claims (target_id);
ANALYZE wanted_units;
ANALYZE claims;

-- name: issues
-- Issues that a pull request closed, or, rejected, meant to close. Linked: its title, its opening post, its commits or
-- GitHub say so. Inferred, of merged ones: a comment says so and the issue was closed within a week after the merge;
-- or one names the other and the issue was closed within an hour of the merge, as completed; or both name each other
-- and it was closed within the week.
INSERT INTO wanted_threads
WITH pairs AS (
    SELECT
        u.thread_id AS unit, issue.id AS issue, u.outcome, u.finished_at, issue.closed_at, c.relation, c.source,
        c.document_id, c.stated_at, true AS forth
    FROM wanted_units u
    JOIN claims c ON c.source_id = u.thread_id AND c.relation IN ('closes', 'mentions')
    JOIN relore.threads issue ON issue.id = c.target_id AND issue.kind = 'issue'
    UNION ALL
    SELECT
        u.thread_id, issue.id, u.outcome, u.finished_at, issue.closed_at, 'mentions', c.source, c.document_id,
        c.stated_at, false
    FROM wanted_units u
    JOIN claims c ON c.target_id = u.thread_id
    JOIN relore.threads issue ON issue.id = c.source_id AND issue.kind = 'issue'
    WHERE u.outcome = 'merged'
),
judged AS (
    SELECT
        p.unit, p.issue, p.source, p.document_id, p.outcome, p.finished_at, t.closed_at,
        CASE WHEN p.relation = 'closes' THEN 'closes' WHEN p.forth THEN 'mentions it' ELSE 'is mentioned by it' END AS says,
        CASE
        WHEN p.relation = 'closes' AND p.forth AND p.source IN ('title', 'body', 'commit', 'github', 'event')
             AND (p.outcome = 'rejected' OR (t.state = 'closed' AND t.closed_at >= pull.created_at)) THEN 1
        WHEN p.outcome = 'rejected' OR t.state <> 'closed'
             OR coalesce(t.state_reason, 'completed') <> 'completed' THEN NULL
        WHEN p.relation = 'closes' AND t.closed_at BETWEEN p.finished_at - interval '1 hour'
             AND p.finished_at + interval '7 days' THEN 2
        WHEN abs(extract(epoch FROM t.closed_at - p.finished_at)) <= 3600 THEN 3
        WHEN bool_or(p.forth) OVER w AND bool_or(NOT p.forth) OVER w
             AND t.closed_at BETWEEN p.finished_at - interval '1 hour' AND p.finished_at + interval '7 days' THEN 4
        END AS rank,
        greatest(p.stated_at, CASE WHEN p.outcome = 'merged' THEN t.closed_at END, p.finished_at) AS since
    FROM pairs p
    JOIN relore.threads t ON t.id = p.issue
    JOIN relore.threads pull ON pull.id = p.unit
    WINDOW w AS (PARTITION BY p.unit, p.issue)
)
SELECT DISTINCT ON (j.unit, j.issue)
    %(repo_id)s, j.unit, j.issue, 'issue',
    CASE WHEN j.rank = 1 THEN 'linked' ELSE 'inferred' END,
    CASE j.rank
    WHEN 1 THEN 'closes (' || j.source || ')'
    WHEN 2 THEN 'closes (' || j.source || '), closed within a week after the merge'
    WHEN 3 THEN j.says || ' (' || j.source || '), closed within an hour of the merge'
    ELSE 'both mention each other, closed within a week after the merge' END,
    j.document_id, j.since
FROM judged j
WHERE j.rank IS NOT NULL
ORDER BY j.unit, j.issue, j.rank, j.since, j.document_id NULLS LAST;

-- name: reverts
-- Merged pull requests that took a merged one back: they name it, or its commit ("This reverts commit abc"). One of
-- several commits is not the whole, so that is inferred.
INSERT INTO wanted_threads
WITH named AS (
    SELECT c.target_id AS unit, c.source_id AS taker, 'reverts (' || c.source || ')' AS evidence, c.document_id, 1 AS rank
    FROM claims c JOIN relore.threads t ON t.id = c.source_id
    WHERE c.source IN ('title', 'body', 'commit')
      AND (c.relation = 'reverts' OR (c.relation = 'mentions' AND c.source = 'title' AND t.title ~* '^\W*revert\M'))
    UNION ALL
    SELECT
        k.thread_id, d.thread_id,
        CASE WHEN whole.is THEN 'reverts its commit (' ELSE 'reverts a commit of it (' END || d.source_type || ')', d.id,
        CASE WHEN whole.is THEN 1 ELSE 2 END
    FROM relore.signals s
    JOIN relore.documents d ON d.id = s.document_id AND d.source_type IN ('title', 'body', 'commit')
    JOIN relore.commits k ON k.repo_id = s.repo_id AND k.sha ~>=~ s.value AND k.sha ~<~ (s.value || 'g')
    CROSS JOIN LATERAL (
        SELECT k.how = 'merge' OR count(*) = 1 AS is
        FROM relore.commits every WHERE every.thread_id = k.thread_id AND every.how = 'pull'
    ) whole
    WHERE s.repo_id = %(repo_id)s AND s.kind = 'sha' AND length(s.value) BETWEEN 7 AND 40 AND s.value ~ '^[0-9a-f]+$'
      AND d.body ~* ('\mrevert(s|ed|ing)?\M[^.\n]{0,40}' || s.value)
)
SELECT DISTINCT ON (n.unit, n.taker)
    %(repo_id)s, n.unit, n.taker, 'revert', CASE WHEN n.rank = 1 THEN 'linked' ELSE 'inferred' END, n.evidence, n.document_id, taker.finished_at
FROM named n
JOIN wanted_units u ON u.thread_id = n.unit AND u.outcome = 'merged'
JOIN wanted_units taker ON taker.thread_id = n.taker AND taker.outcome = 'merged'
    AND taker.finished_at > u.finished_at
ORDER BY n.unit, n.taker, n.rank, n.document_id NULLS LAST;

-- name: attempts
-- Rejected pull requests for what another achieved. Linked: the merged one supersedes or closes it, it calls itself a
-- duplicate of the merged one, or both say that they close one issue. Inferred: the words it was closed with name the
-- merged one, or the opening post of that names it, and it was closed between that one's opening and a month after its
-- merge.
INSERT INTO wanted_threads
WITH issues AS MATERIALIZED (
    SELECT w.precedent_id AS unit, w.thread_id AS issue, w.how, u.outcome, u.finished_at, t.number
    FROM wanted_threads w
    JOIN wanted_units u ON u.thread_id = w.precedent_id
    JOIN relore.threads t ON t.id = w.thread_id
    WHERE w.role = 'issue'
),
found AS (
    SELECT c.source_id AS unit, c.target_id AS attempt, 1 AS rank, c.relation || ' it (' || c.source || ')' AS evidence,
           c.document_id
    FROM claims c WHERE c.relation = 'supersedes' OR (c.relation = 'closes' AND c.source IN ('title', 'body', 'commit'))
    UNION ALL
    SELECT c.target_id, c.source_id, 1, 'calls itself its duplicate (' || c.source || ')', c.document_id
    FROM claims c WHERE c.relation = 'duplicates'
    UNION ALL
    SELECT merged.unit, rejected.unit, CASE WHEN merged.how = 'linked' THEN 2 ELSE 5 END,
           'closes the same issue #' || merged.number, NULL
    FROM issues merged
    JOIN issues rejected USING (issue)
    WHERE merged.outcome = 'merged' AND rejected.outcome = 'rejected'
    UNION ALL
    SELECT c.target_id, u.thread_id, 3, 'named by the words it was closed with', c.document_id
    FROM wanted_units u
    JOIN claims c ON c.source_id = u.thread_id AND c.document_id = u.words_id
    WHERE u.outcome = 'rejected'
    UNION ALL
    SELECT c.source_id, c.target_id, 4, 'names it (' || c.source || '), closed when that was at work', c.document_id
    FROM claims c
    JOIN relore.threads unit ON unit.id = c.source_id
    JOIN relore.threads attempt ON attempt.id = c.target_id
    WHERE c.relation = 'mentions' AND c.source IN ('title', 'body')
      AND attempt.created_at < unit.created_at
      AND attempt.closed_at BETWEEN unit.created_at AND coalesce(unit.merged_at, unit.created_at) + interval '30 days'
      -- What it was closed with says better what it was closed for.
      AND NOT EXISTS (
        SELECT
        FROM wanted_units u
        JOIN claims named ON named.source_id = u.thread_id AND named.document_id = u.words_id
        JOIN relore.threads other ON other.id = named.target_id AND other.kind = 'pr'
        WHERE u.thread_id = c.target_id AND named.target_id <> c.source_id
      )
)
SELECT DISTINCT ON (f.unit, f.attempt)
    %(repo_id)s, f.unit, f.attempt, 'attempt', CASE WHEN f.rank <= 2 THEN 'linked' ELSE 'inferred' END, f.evidence,
    f.document_id, greatest(u.finished_at, attempt.finished_at)
FROM found f
JOIN wanted_units u ON u.thread_id = f.unit AND u.outcome = 'merged'
JOIN wanted_units attempt ON attempt.thread_id = f.attempt AND attempt.outcome = 'rejected'
ORDER BY f.unit, f.attempt, f.rank, f.evidence, f.document_id NULLS LAST;

-- name: kinds
-- What kind of work it was: a conventional prefix of the title, else a label of the pull request, else a label of the
-- issue it closed, else a word of the title. What the title alone says is kept beside it, since labels bear no date.
WITH prefixed AS (
    SELECT u.thread_id, t.title, t.labels, substring(lower(t.title) FROM '^\s*([a-z]+)(?:\([^)]*\))?!?:\s') AS prefix
    FROM wanted_units u JOIN relore.threads t ON t.id = u.thread_id
),
titled AS (
    SELECT
        p.thread_id, p.labels, p.prefix,
        CASE
        WHEN p.prefix IN ('fix', 'bugfix', 'hotfix') THEN 'bug_fix'
        WHEN p.prefix IN ('feat', 'feature') THEN 'feature'
        WHEN p.prefix IN ('refactor', 'refact', 'cleanup') THEN 'refactor'
        WHEN p.prefix IN ('deprecate', 'deprecation') THEN 'deprecation'
        END AS by_prefix,
        w.kind AS by_word, w.word
    FROM prefixed p
    LEFT JOIN LATERAL (
        SELECT k.kind, lower(substring(p.title FROM k.pattern)) AS word
        FROM unnest(%(word_kinds)s::text[], %(word_patterns)s::text[]) WITH ORDINALITY AS k (kind, pattern, place)
        -- Of documentation, tests and the like the words say something else.
        WHERE coalesce(p.prefix, '') <> ALL (%(other_prefixes)s::text[]) AND p.title ~ k.pattern
        ORDER BY k.place
        LIMIT 1
    ) w ON true
),
labels AS (
    SELECT t.thread_id, l.label, 'label ' || l.label AS evidence, 1 AS rank
    FROM titled t CROSS JOIN LATERAL unnest(t.labels) AS l (label)
    UNION ALL
    SELECT w.precedent_id, l.label, 'label ' || l.label || ' of #' || issue.number, 2
    FROM wanted_threads w
    JOIN relore.threads issue ON issue.id = w.thread_id
    CROSS JOIN LATERAL unnest(issue.labels) AS l (label)
    WHERE w.role = 'issue'
),
labelled AS (
    SELECT DISTINCT ON (l.thread_id) l.thread_id, k.kind, l.evidence
    FROM labels l
    JOIN unnest(%(label_kinds)s::text[], %(label_patterns)s::text[]) WITH ORDINALITY AS k (kind, pattern, place)
      ON lower(l.label) ~ k.pattern
    ORDER BY l.thread_id, l.rank, k.place, l.evidence
)
UPDATE wanted_units u
SET kind = coalesce(t.by_prefix, l.kind, t.by_word),
    kind_evidence = CASE
        WHEN t.by_prefix IS NOT NULL THEN 'title prefix ' || t.prefix || ':'
        WHEN l.kind IS NOT NULL THEN l.evidence
        WHEN t.by_word IS NOT NULL THEN 'title word ' || t.word END,
    title_kind = coalesce(t.by_prefix, t.by_word),
    title_evidence = CASE
        WHEN t.by_prefix IS NOT NULL THEN 'title prefix ' || t.prefix || ':'
        WHEN t.by_word IS NOT NULL THEN 'title word ' || t.word END
FROM titled t
LEFT JOIN labelled l ON l.thread_id = t.thread_id
WHERE u.thread_id = t.thread_id;

-- name: problems
-- Where the problem is put: the opening post of the issue (linked before inferred, the lowest number first), else of
-- the pull request, where there is one.
UPDATE wanted_units u
SET problem_id = coalesce(
    (
        SELECT d.id
        FROM wanted_threads w
        JOIN relore.threads issue ON issue.id = w.thread_id
        JOIN relore.documents d ON d.thread_id = issue.id AND d.source_type = 'body' AND d.chunk_index = 0
        WHERE w.precedent_id = u.thread_id AND w.role = 'issue'
        ORDER BY w.how DESC, issue.number
        LIMIT 1
    ),
    (
        SELECT d.id
        FROM relore.documents d
        WHERE d.thread_id = u.thread_id AND d.source_type = 'body' AND d.chunk_index = 0
    )
);

-- name: remove_units
-- Units that are none any more: reopened ones.
DELETE FROM relore.precedents held
WHERE held.repo_id = %(repo_id)s
  AND NOT EXISTS (SELECT FROM wanted_units w WHERE w.thread_id = held.thread_id);

-- name: write_units
-- Units that are new or differ.
INSERT INTO relore.precedents AS held
SELECT * FROM wanted_units
ON CONFLICT (thread_id) DO UPDATE
SET outcome = excluded.outcome, finished_at = excluded.finished_at, kind = excluded.kind,
    kind_evidence = excluded.kind_evidence, title_kind = excluded.title_kind, title_evidence = excluded.title_evidence,
    rounds = excluded.rounds, reviewers = excluded.reviewers, problem_id = excluded.problem_id,
    words_id = excluded.words_id, words_how = excluded.words_how
WHERE held IS DISTINCT FROM excluded;

-- name: remove_threads
-- What belongs to a unit no more.
DELETE FROM relore.precedent_threads held
WHERE held.repo_id = %(repo_id)s
  AND NOT EXISTS (
    SELECT FROM wanted_threads w
    WHERE w.precedent_id = held.precedent_id AND w.thread_id = held.thread_id AND w.role = held.role);

-- name: write_threads
-- What belongs to a unit, where it is new or differs.
INSERT INTO relore.precedent_threads AS held
SELECT * FROM wanted_threads
ON CONFLICT (precedent_id, thread_id, role) DO UPDATE
SET how = excluded.how, evidence = excluded.evidence, document_id = excluded.document_id, since = excluded.since
WHERE held IS DISTINCT FROM excluded;

-- name: counts
-- What is held now.
SELECT
    count(*) FILTER (WHERE p.outcome = 'merged') AS merged,
    count(*) FILTER (WHERE p.outcome = 'rejected') AS rejected,
    count(*) FILTER (WHERE p.outcome = 'rejected' AND p.words_id IS NOT NULL) AS rejected_with_reason,
    count(*) FILTER (WHERE p.outcome = 'rejected' AND p.words_how = 'closing') AS reasons_at_closing,
    count(*) FILTER (WHERE p.outcome = 'merged' AND p.words_id IS NOT NULL) AS merged_with_words,
    count(*) FILTER (WHERE p.kind IS NOT NULL) AS of_known_kind,
    (
        SELECT jsonb_object_agg(k.name, k.number)
        FROM (
            SELECT t.role || 's_' || t.how AS name, count(*) AS number
            FROM relore.precedent_threads t WHERE t.repo_id = %(repo_id)s GROUP BY 1
        ) k
    ) AS related
FROM relore.precedents p
WHERE p.repo_id = %(repo_id)s;

-- name: record
-- That precedents are built, of how many units, and when.
INSERT INTO relore.sync_state (repo_id, pass, last_run_at, last_ok_at, stated, done)
VALUES (%(repo_id)s, 'precedents', now(), now(), %(units)s, %(units)s)
ON CONFLICT (repo_id, pass, window_start) DO UPDATE
SET last_run_at = excluded.last_run_at, last_ok_at = excluded.last_ok_at, stated = excluded.stated,
    done = excluded.done, error = NULL;
