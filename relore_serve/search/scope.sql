-- Predicates shared by every query, and the repositories they speak of.

-- name: repositories
-- The repositories held, in a stable order.
SELECT id, full_name AS name
FROM relore.repos
WHERE %(names)s::text[] IS NULL OR lower(full_name) = ANY (%(names)s::text[])
ORDER BY lower(full_name);

-- name: documents_in_scope
-- Of documents d. A cutoff drops what is younger, what bears no date, and what was edited later: its text then is
-- not known. A title bears the date of its last change, a body that of its last edit, where these are known; where not, an
-- earlier text that is held tells that it is another.
d.repo_id = ANY (%(repo_ids)s::integer[])
AND d.thread_id <> ALL (%(withheld)s::bigint[])
AND (
    {trust_as_of} = ANY (%(trusts)s::text[])
    OR (
        %(merged_too)s::boolean
        AND d.trust <> 'machine'
        AND d.thread_id IN (
            SELECT m.id
            FROM relore.threads m
            WHERE m.repo_id = ANY (%(repo_ids)s::integer[])
              AND m.merged
              AND (%(before)s::timestamptz IS NULL OR m.merged_at < %(before)s::timestamptz)
        )
    )
)
AND (%(since)s::timestamptz IS NULL OR d.created_at >= %(since)s::timestamptz)
AND (
    %(before)s::timestamptz IS NULL
    OR (d.created_at < %(before)s::timestamptz AND {text_as_of})
)

-- name: threads_in_scope
-- Of threads t.
t.repo_id = ANY (%(repo_ids)s::integer[])
AND t.id <> ALL (%(withheld)s::bigint[])
AND (%(before)s::timestamptz IS NULL OR t.created_at < %(before)s::timestamptz)

-- name: links_in_scope
-- Of links l. A cutoff drops what was stated later, and what stands in a text that was edited later: whether it stood
-- there then is not known.
(
    %(before)s::timestamptz IS NULL
    OR (
        l.stated_at < %(before)s::timestamptz
        AND NOT EXISTS (
            SELECT FROM relore.documents d WHERE d.id = l.document_id AND NOT {text_as_of}
        )
    )
)

-- name: dates_in_scope
-- Of documents d, by their dates alone.
(
    %(before)s::timestamptz IS NULL
    OR (d.created_at < %(before)s::timestamptz AND {text_as_of})
)

-- name: times_in_text
-- How often a term t.q stands in a text's vector v.vector. ts_rank of one term is 0.0608 for its first occurrence, and
-- adds 1/n² of that for the nth; this takes the number of them back out of it.
greatest(1 / (1.6449 - least(ts_rank(v.vector, t.q) / 0.06079271018540267, 1.64)) - 0.55, 0.3)

-- name: path_in_diffs
-- Whether a path e.path is one of a diff, as it is or as it was before a renaming; under a cutoff, of one that was then
-- what it is today.
(
    EXISTS (
        SELECT FROM relore.changed_files f
        WHERE f.repo_id = ANY (%(repo_ids)s::integer[])
          AND f.tail = substring(e.path FROM '[^/]*$')
          AND f.path = e.path
          AND (
            %(before)s::timestamptz IS NULL
            OR EXISTS (SELECT FROM relore.threads t WHERE t.id = f.thread_id AND {diff_as_of})
          )
    ) OR EXISTS (
        SELECT FROM relore.changed_files f
        WHERE f.repo_id = ANY (%(repo_ids)s::integer[])
          AND f.previous_path IS NOT NULL
          AND substring(f.previous_path FROM '[^/]*$') = substring(e.path FROM '[^/]*$')
          AND f.previous_path = e.path
          AND (
            %(before)s::timestamptz IS NULL
            OR EXISTS (SELECT FROM relore.threads t WHERE t.id = f.thread_id AND {diff_as_of})
          )
    )
)

-- name: threads_in_exclusions
-- The ids of the threads that a question leaves out.
ARRAY(
    SELECT t.id
    FROM unnest(%(withheld_repos)s::integer[], %(withheld_numbers)s::bigint[]) AS x (repo_id, number)
    JOIN relore.threads t ON t.repo_id = x.repo_id AND t.number = x.number
)
