-- name: untested
-- Texts of then whose words then are not searched, counted to a bound, and threads whose labels then are not known.
SELECT
    (
        SELECT count(*)
        FROM (
            SELECT
            FROM relore.documents d
            WHERE d.repo_id = ANY (%(repo_ids)s::integer[])
              AND d.chunk_index = 0
              AND d.updated_at > d.created_at
              AND d.updated_at >= %(before)s::timestamptz
              AND d.created_at < %(before)s::timestamptz
              AND {trust_as_of} = ANY (%(trusts)s::text[])
              AND d.thread_id <> ALL (%(withheld)s::bigint[])
            UNION ALL
            -- Of those whose edits bear no date, the ones whose text of then is held.
            SELECT
            FROM (
                SELECT DISTINCT v.repo_id, v.source_type, v.source_id
                FROM relore.document_versions v
                WHERE v.repo_id = ANY (%(repo_ids)s::integer[])
                  AND v.updated_at IS NULL
                  AND v.reason = 'edited'
                  AND v.replaced_at >= %(before)s::timestamptz
            ) v
            CROSS JOIN LATERAL (
                SELECT
                FROM relore.documents d
                WHERE d.repo_id = v.repo_id
                  AND d.source_type = v.source_type
                  AND d.source_id = v.source_id
                  AND d.chunk_index = 0
                  AND d.updated_at IS NULL
                  AND d.created_at < %(before)s::timestamptz
                  AND {trust_as_of} = ANY (%(trusts)s::text[])
                  AND d.thread_id <> ALL (%(withheld)s::bigint[])
                  AND NOT {text_as_of}
            ) d
            LIMIT {most} + 1
        ) e
    ) AS edited,
    CASE WHEN %(labels)s::boolean THEN (
        SELECT count(*)
        FROM relore.threads t
        WHERE 'labels' = ANY (t.undated) AND {threads_in_scope}
    ) ELSE 0 END AS labels;
