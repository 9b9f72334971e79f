-- name: written_texts
-- Every text of the threads that were written since some moment: bodies, titles, labels.
SELECT t.number, d.source_type, d.source_id, d.body
FROM relore.documents d JOIN relore.threads t ON t.id = d.thread_id
WHERE t.repo_id = %(repo_id)s AND t.indexed_at >= %(since)s
UNION ALL
SELECT number, 'label', number::text, array_to_string(labels, E'\n')
FROM relore.threads WHERE repo_id = %(repo_id)s AND indexed_at >= %(since)s AND labels <> '{}';

-- name: orphans
-- Objects staged under numbers that have no head.
SELECT count(*), count(DISTINCT thread_number) FROM relore.raw_objects r
WHERE repo_id = %(repo_id)s AND NOT EXISTS (
    SELECT FROM relore.raw_objects head
    WHERE head.repo_id = r.repo_id AND head.thread_number = r.thread_number AND head.kind IN ('issue', 'pull'));

-- name: underived
-- Heads last changed in the run's windows that have no thread, and documents on another repository's thread.
SELECT (SELECT count(DISTINCT r.thread_number) FROM relore.raw_objects r
        WHERE r.repo_id = %(repo_id)s AND r.kind IN ('issue', 'pull')
          AND r.github_updated_at >= %(since)s AND r.github_updated_at < %(until)s
          AND NOT EXISTS (
            SELECT FROM relore.threads t WHERE t.repo_id = r.repo_id AND t.number = r.thread_number)),
       (SELECT count(*) FROM relore.documents d JOIN relore.threads t ON t.id = d.thread_id
        WHERE d.repo_id = %(repo_id)s AND t.repo_id <> d.repo_id);

-- name: derive_error
-- Why the last derive left a thread out, if it did.
SELECT error FROM relore.sync_state
WHERE repo_id = %(repo_id)s AND pass = 'derive' AND error IS NOT NULL
ORDER BY last_run_at DESC LIMIT 1;

-- name: standing
-- How many merged pull requests are staged that no machine is known to have merged, and how many people have standing
-- or wait for it.
SELECT (SELECT count(*)
        FROM relore.raw_objects pull
        LEFT JOIN relore.raw_objects detail
          ON detail.repo_id = pull.repo_id AND detail.kind = 'pull_detail' AND detail.object_id = pull.object_id
        CROSS JOIN LATERAL (
            SELECT coalesce(nullif(pull.payload -> 'merged_by', 'null'), detail.payload -> 'merged_by') AS account) merger
        WHERE pull.repo_id = %(repo_id)s AND pull.kind = 'pull' AND pull.payload ->> 'merged_at' IS NOT NULL
          AND coalesce(account ->> 'type', 'User') = 'User' AND account ->> 'login' IS NOT NULL
          AND NOT EXISTS (
              SELECT FROM relore.authors a
              WHERE a.repo_id = pull.repo_id AND a.login = lower(account ->> 'login') AND a.tier = 'machine')),
       (SELECT count(*) FROM relore.authors WHERE repo_id = %(repo_id)s AND tier = 'authoritative'),
       (SELECT count(*) FROM relore.authors WHERE repo_id = %(repo_id)s AND tier = 'unresolved');

-- name: rules
-- The versions of the rules that the rows were written with.
SELECT rule, version FROM relore.rule_versions WHERE repo_id = %(repo_id)s;

-- name: precedents
-- Finished pull requests that are no unit, units that are unfinished, and rows that name another repository's threads.
SELECT
    (SELECT count(*) FROM relore.threads t
     WHERE t.repo_id = %(repo_id)s AND t.kind = 'pr' AND t.state = 'closed'
       AND coalesce(t.merged_at, t.closed_at) IS NOT NULL
       AND NOT EXISTS (SELECT FROM relore.precedents p WHERE p.thread_id = t.id)),
    (SELECT count(*) FROM relore.precedents p JOIN relore.threads t ON t.id = p.thread_id
     WHERE p.repo_id = %(repo_id)s AND t.state <> 'closed'),
    (SELECT count(*) FROM relore.precedent_threads x
     JOIN relore.threads t ON t.id = x.thread_id JOIN relore.threads u ON u.id = x.precedent_id
     WHERE x.repo_id = %(repo_id)s AND (t.repo_id <> x.repo_id OR u.repo_id <> x.repo_id));
