-- Fields of a thread's head as of a cutoff, of threads t: today's value where there is no cutoff, or where nothing has
-- moved the thread since; NULL where it is not known.

-- name: closed_as_of
CASE
    WHEN %(before)s::timestamptz IS NULL OR t.updated_at < %(before)s::timestamptz THEN t.state = 'closed'
    WHEN t.state = 'closed' AND t.closed_at < %(before)s::timestamptz THEN true
    WHEN 'state' = ANY (t.undated) THEN NULL
    -- Not EXISTS, for which all events of all threads may be read first.
    ELSE (
        SELECT true
        FROM relore.thread_events c
        WHERE c.thread_id = t.id
          AND c.event IN ('closed', 'merged', 'converted_to_discussion')
          AND c.at < %(before)s::timestamptz
          AND NOT EXISTS (
            SELECT FROM relore.thread_events o
            WHERE o.thread_id = t.id
              AND o.event = 'reopened'
              AND o.position > c.position
              AND o.at < %(before)s::timestamptz
          )
        LIMIT 1
    ) IS NOT NULL
END

-- name: merged_as_of
(t.merged AND (%(before)s::timestamptz IS NULL OR coalesce(t.merged_at < %(before)s::timestamptz, false)))

-- name: diff_as_of
-- Whether the diff is the one of then. A diff bears no dates, and neither do pushes: commits bear those of their
-- authors' clocks. GitHub lets no push into a pull request that is closed.
(
    %(before)s::timestamptz IS NULL
    OR t.updated_at < %(before)s::timestamptz
    OR (t.state = 'closed' AND coalesce(t.closed_at < %(before)s::timestamptz, false))
)

-- name: labels_known_as_of
-- A label is renamed without moving the threads that bear it: where events do not tell of the labels there are now, those
-- of then are not known, however long the thread has rested.
(%(before)s::timestamptz IS NULL OR 'labels' <> ALL (t.undated))

-- name: labels_as_of
CASE
    WHEN %(before)s::timestamptz IS NULL THEN t.labels
    WHEN 'labels' = ANY (t.undated) THEN NULL
    WHEN t.updated_at < %(before)s::timestamptz THEN t.labels
    ELSE ARRAY(
        SELECT l.value
        FROM (
            SELECT DISTINCT ON (e.value) e.value, e.event
            FROM relore.thread_events e
            WHERE e.thread_id = t.id AND e.event IN ('labeled', 'unlabeled') AND e.at < %(before)s::timestamptz
            ORDER BY e.value, e.position DESC
        ) l
        WHERE l.event = 'labeled'
        ORDER BY l.value COLLATE "C"
    )
END

-- name: kept_as_of
-- Of documents d of one thread: a comment that was edited since, of whose text then a version is held.
(
    d.created_at < %(before)s::timestamptz
    AND (d.source_type, d.source_id) IN (
        SELECT k.source_type, k.source_id
        FROM unnest(%(kept_types)s::text[], %(kept_ids)s::text[]) AS k (source_type, source_id)
    )
)

-- name: review_state_as_of
-- Of documents d: a review that was dismissed since stood until then.
CASE
    WHEN d.review_state = 'DISMISSED' AND %(before)s::timestamptz IS NOT NULL THEN coalesce(
        (
            SELECT e.previous
            FROM relore.thread_events e
            WHERE e.thread_id = d.thread_id
              AND e.event = 'review_dismissed'
              AND e.value = d.source_id
              AND e.at >= %(before)s::timestamptz
            ORDER BY e.position LIMIT 1
        ),
        d.review_state
    )
    ELSE d.review_state
END

-- name: trust_as_of
-- Of documents d: their author's tier by the evidence from before the cutoff. The dates of trust_until are themselves
-- not before it where they equal it.
CASE
    WHEN %(before)s::timestamptz IS NULL OR d.trust_until IS NULL THEN d.trust
    ELSE coalesce(
        d.trust_then[width_bucket(%(before)s::timestamptz - interval '1 microsecond', d.trust_until) + 1], d.trust
    )
END

-- name: text_as_of
-- Whether the text of documents d is the one of then, as far as is known. Where an edit bears no date, an earlier text that
-- was still held at the cutoff shows that today's came later; unless nothing has moved the thread since, and the index
-- was behind. Not EXISTS, for which all that was ever replaced may be read first.
(
    %(before)s::timestamptz IS NULL
    OR coalesce(
        d.updated_at < %(before)s::timestamptz,
        (
            SELECT true
            FROM relore.document_versions v
            JOIN relore.threads h
              ON h.repo_id = v.repo_id AND h.id = d.thread_id AND h.number = v.thread_number
             AND h.updated_at >= %(before)s::timestamptz
            WHERE v.repo_id = d.repo_id
              AND v.source_type = d.source_type
              AND v.source_id = d.source_id
              AND v.reason = 'edited'
              AND v.replaced_at >= %(before)s::timestamptz
            LIMIT 1
        ) IS NULL
    )
)
