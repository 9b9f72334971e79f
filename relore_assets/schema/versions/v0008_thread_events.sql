-- Until a derive has read the events, nothing of a head is known of any other day than today.
ALTER TABLE relore.threads ADD COLUMN undated text[] NOT NULL
    DEFAULT '{title,state,draft,locked,labels,requested_reviewers}';

CREATE TABLE relore.thread_events (
    repo_id   integer NOT NULL,
    thread_id bigint NOT NULL REFERENCES relore.threads (id) ON DELETE CASCADE,
    position  integer NOT NULL,
    event     text NOT NULL,
    at        timestamptz NOT NULL,
    actor     text,
    value     text,
    previous  text,
    PRIMARY KEY (thread_id, position)
);
CREATE INDEX thread_events_labels ON relore.thread_events (repo_id, lower(value))
    WHERE event IN ('labeled', 'unlabeled');
CREATE INDEX threads_labels_undated ON relore.threads (repo_id, updated_at) WHERE 'labels' = ANY (undated);
