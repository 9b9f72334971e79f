-- What there is to tell of the units of one page.

-- name: units
-- The units themselves. Texts edited since a cutoff, and those of threads that are withheld, are not in scope.
SELECT
    p.thread_id AS unit, r.full_name AS repo, t.number, t.kind AS type, t.title, t.url, t.author, p.outcome,
    CASE WHEN k.labels THEN p.kind ELSE p.title_kind END AS kind,
    CASE WHEN k.labels THEN p.kind_evidence ELSE p.title_evidence END AS kind_evidence,
    p.kind IS DISTINCT FROM p.title_kind OR p.kind_evidence IS DISTINCT FROM p.title_evidence AS kind_by_label,
    t.created_at AS opened_at, p.finished_at, p.rounds, p.reviewers, b.problem_id, p.words_id, p.words_how,
    t.collected_files, t.stated_files
FROM unnest(%(units)s::bigint[]) WITH ORDINALITY AS u (unit, place)
JOIN relore.precedents p ON p.thread_id = u.unit
JOIN relore.threads t ON t.id = p.thread_id
JOIN relore.repos r ON r.id = t.repo_id
-- Labels are of today, and the label of a withheld issue tells nothing.
CROSS JOIN LATERAL (
    SELECT %(before)s::timestamptz IS NULL AND NOT EXISTS (
        SELECT FROM relore.threads x
        WHERE x.id = ANY (%(withheld)s::bigint[]) AND x.repo_id = p.repo_id
          AND p.kind_evidence LIKE 'label %% of #' || x.number
    ) AS labels
) k
-- The post of an issue is its problem where the issue belonged to it then; else, as without an issue, its own post.
CROSS JOIN LATERAL (
    SELECT CASE
        WHEN p.problem_id IS NULL OR EXISTS (
            SELECT FROM relore.documents d
            WHERE d.id = p.problem_id
              AND (
                d.thread_id = p.thread_id
                OR (
                    d.thread_id <> ALL (%(withheld)s::bigint[])
                    AND EXISTS (
                        SELECT FROM relore.precedent_threads x
                        WHERE x.precedent_id = p.thread_id AND x.thread_id = d.thread_id AND x.role = 'issue'
                          AND (%(before)s::timestamptz IS NULL OR x.since < %(before)s::timestamptz)
                    )
                )
              )
        ) THEN p.problem_id
        ELSE (
            SELECT d.id FROM relore.documents d
            WHERE d.thread_id = p.thread_id AND d.source_type = 'body' AND d.chunk_index = 0
        )
    END AS problem_id
) b
ORDER BY u.place;

-- name: related
-- What belongs to each unit, of each role the first few, and how many there are. An attempt is told of what came
-- instead, too.
SELECT x.*
FROM (
    SELECT
        e.unit, e.role, e.how,
        -- A withheld issue is not named by what it shows either.
        CASE WHEN EXISTS (
            SELECT FROM relore.threads w
            WHERE w.id = ANY (%(withheld)s::bigint[]) AND w.repo_id = t.repo_id
              AND e.evidence LIKE '%% #' || w.number
        ) THEN regexp_replace(e.evidence, ' #[0-9]+$', '') ELSE e.evidence END AS evidence,
        e.document_id, e.thread_id, r.full_name AS repo, t.number, t.kind AS type,
        t.title, t.url, t.author, t.state, t.merged, t.created_at, t.closed_at, other.finished_at,
        e.role = 'instead' AND EXISTS (
            SELECT FROM relore.precedent_threads b
            WHERE b.precedent_id = e.thread_id AND b.role = 'revert' AND b.how = 'linked'
              AND b.thread_id <> ALL (%(withheld)s::bigint[])
              AND (%(before)s::timestamptz IS NULL OR b.since < %(before)s::timestamptz)
        ) AS reverted,
        CASE WHEN e.role = 'attempt' THEN other.words_id WHEN e.role = 'revert' THEN (
            SELECT d.id FROM relore.documents d
            WHERE d.thread_id = t.id AND d.source_type = 'body' AND d.chunk_index = 0
        ) END AS words_id,
        other.words_how,
        count(*) OVER (PARTITION BY e.unit, e.role) AS total,
        row_number() OVER (
            PARTITION BY e.unit, e.role ORDER BY e.how DESC, coalesce(other.finished_at, t.closed_at) DESC, t.number
        ) AS place
    FROM (
        SELECT x.precedent_id AS unit, x.role, x.how, x.evidence, x.document_id, x.thread_id, x.since
        FROM relore.precedent_threads x
        WHERE x.precedent_id = ANY (%(units)s::bigint[])
        UNION ALL
        SELECT x.thread_id, 'instead', x.how, x.evidence, x.document_id, x.precedent_id, x.since
        FROM relore.precedent_threads x
        WHERE x.thread_id = ANY (%(units)s::bigint[]) AND x.role = 'attempt'
    ) e
    JOIN relore.threads t ON t.id = e.thread_id
    JOIN relore.repos r ON r.id = t.repo_id
    LEFT JOIN relore.precedents other ON other.thread_id = e.thread_id
    WHERE e.thread_id <> ALL (%(withheld)s::bigint[])
      AND (%(before)s::timestamptz IS NULL OR e.since < %(before)s::timestamptz)
) x
WHERE x.place <= %(most)s::integer
ORDER BY x.unit, array_position(ARRAY['issue', 'attempt', 'instead', 'revert'], x.role), x.place;

-- name: documents
-- Texts by id; in scope or not.
SELECT
    d.id, d.author, {trust_as_of} AS trust, d.source_type, d.source_id, d.chunk_index, d.chunk_count, d.url, d.body, d.created_at,
    CASE WHEN d.chunk_index > 0 THEN (
        SELECT string_agg(l.body, '' ORDER BY l.chunk_index)
        FROM relore.documents l
        WHERE l.thread_id = d.thread_id AND l.source_type = d.source_type AND l.source_id = d.source_id
          AND l.chunk_index < d.chunk_index
    ) END AS lead,
    coalesce({documents_in_scope}, false) AS in_scope
FROM relore.documents d
WHERE d.id = ANY (%(ids)s::bigint[]);

-- name: lists
-- Of each unit the paths that were changed, and the errors, symbols and tests that its threads name, those that most
-- texts name first; of each kind the first few, and how many there are.
WITH members AS (
    SELECT p.unit, p.unit AS thread_id FROM unnest(%(units)s::bigint[]) AS p (unit)
    UNION
    SELECT x.precedent_id, x.thread_id
    FROM relore.precedent_threads x
    WHERE x.precedent_id = ANY (%(units)s::bigint[]) AND x.role = 'issue'
      AND x.thread_id <> ALL (%(withheld)s::bigint[])
      AND (%(before)s::timestamptz IS NULL OR x.since < %(before)s::timestamptz)
),
named AS (
    SELECT
        m.unit, s.kind,
        CASE WHEN s.kind = 'error' THEN concat_ws(': ', nullif(s.tail, ''), nullif(s.value, '')) ELSE s.value END AS value,
        count(DISTINCT d.id)::integer AS weight
    FROM members m
    JOIN relore.documents d ON d.thread_id = m.thread_id
    JOIN relore.signals s ON s.document_id = d.id AND s.kind IN ('error', 'symbol', 'test')
    WHERE {documents_in_scope}
    GROUP BY 1, 2, 3
    UNION ALL
    SELECT f.thread_id, 'file', f.path, f.additions + f.deletions
    FROM relore.changed_files f
    WHERE f.thread_id = ANY (%(units)s::bigint[])
)
SELECT n.unit, n.kind, n.value, n.total
FROM (
    SELECT
        n.*, count(*) OVER (PARTITION BY n.unit, n.kind) AS total,
        row_number() OVER (PARTITION BY n.unit, n.kind ORDER BY n.weight DESC, n.value COLLATE "C") AS place
    FROM named n
) n
WHERE n.place <= %(most)s::integer
ORDER BY n.unit, n.kind, n.place;
