-- What a label may speak of.

-- name: admitted
-- Whether a thread is held and was opened before the cutoff: no row where not. And whether one of its texts is what was
-- judged, within the bounds: of any kind, where none is named.
SELECT EXISTS (
    SELECT FROM relore.documents d
    WHERE d.repo_id = t.repo_id
      AND d.thread_id = t.id
      AND (%(source_type)s::text IS NULL OR d.source_type = %(source_type)s::text)
      AND (%(source_id)s::text IS NULL OR d.source_id = %(source_id)s::text)
      AND {documents_in_scope}
) AS holds_text
FROM relore.threads t
WHERE {threads_in_scope} AND t.number = %(number)s::integer;
