-- name: heads
-- Heads of some threads as of a cutoff. What is told by the next change after it, is told by that; all else by what
-- came before.
SELECT
    t.id,
    h.untouched,
    t.undated,
    t.kind = 'issue' AS issue,
    coalesce(
        (
            SELECT e.previous FROM relore.thread_events e
            WHERE e.thread_id = t.id AND e.event = 'renamed' AND e.at >= %(before)s::timestamptz
            ORDER BY e.position LIMIT 1
        ),
        t.title
    ) AS title,
    {closed_as_of} AS closed,
    CASE WHEN h.untouched THEN t.draft ELSE coalesce(
        (
            SELECT e.event = 'ready_for_review' FROM relore.thread_events e
            WHERE e.thread_id = t.id
              AND e.event IN ('ready_for_review', 'convert_to_draft')
              AND e.at >= %(before)s::timestamptz
            ORDER BY e.position LIMIT 1
        ),
        t.draft
    ) END AS draft,
    {merged_as_of} AS merged,
    CASE WHEN h.untouched THEN t.locked ELSE coalesce(
        (
            SELECT e.event = 'unlocked' FROM relore.thread_events e
            WHERE e.thread_id = t.id
              AND e.event IN ('locked', 'unlocked')
              AND e.at >= %(before)s::timestamptz
            ORDER BY e.position LIMIT 1
        ),
        t.locked
    ) END AS locked,
    {labels_as_of} AS labels,
    CASE WHEN h.untouched THEN t.requested_reviewers ELSE ARRAY(
        SELECT q.value
        FROM (
            SELECT DISTINCT ON (e.value) e.value, e.event
            FROM relore.thread_events e
            WHERE e.thread_id = t.id
              AND e.event IN ('review_requested', 'review_request_removed', 'reviewed')
              AND e.at < %(before)s::timestamptz
            ORDER BY e.value, e.position DESC
        ) q
        WHERE q.event = 'review_requested'
        ORDER BY q.value COLLATE "C"
    ) END AS requested_reviewers,
    -- The closing that still holds, or one that a reopening has ended since.
    CASE WHEN h.last_closing THEN t.closed_at ELSE c.at END AS closed_at,
    CASE WHEN h.last_closing THEN t.closed_by ELSE c.actor END AS closed_by,
    CASE WHEN h.last_closing THEN t.state_reason ELSE c.value END AS state_reason,
    h.last_closing,
    t.merged_at,
    t.merged_by
FROM relore.threads t
CROSS JOIN LATERAL (
    SELECT
        t.updated_at < %(before)s::timestamptz AS untouched,
        t.state = 'closed' AND (
            SELECT o.position FROM relore.thread_events o
            WHERE o.thread_id = t.id AND o.event = 'reopened' AND o.at >= %(before)s::timestamptz
            LIMIT 1
        ) IS NULL AS last_closing
    OFFSET 0
) h
LEFT JOIN LATERAL (
    SELECT e.at, e.actor, e.value
    FROM relore.thread_events e
    WHERE NOT h.last_closing
      AND e.thread_id = t.id
      AND e.event IN ('closed', 'merged', 'converted_to_discussion')
      AND e.at < %(before)s::timestamptz
      AND NOT EXISTS (
        SELECT FROM relore.thread_events o
        WHERE o.thread_id = t.id
          AND o.event = 'reopened'
          AND o.position > e.position
          AND o.at < %(before)s::timestamptz
      )
    ORDER BY e.event <> 'merged' DESC, e.position
    LIMIT 1
) c ON true
WHERE t.id = ANY (%(threads)s::bigint[]);

-- name: today
SELECT
    t.id, true AS untouched, '{{}}'::text[] AS undated, t.kind = 'issue' AS issue, t.title, t.state = 'closed' AS closed, t.draft,
    t.merged, t.locked, t.labels, t.requested_reviewers, t.closed_at, t.closed_by, t.state_reason,
    true AS last_closing, t.merged_at, t.merged_by
FROM relore.threads t
WHERE t.id = ANY (%(threads)s::bigint[]);
