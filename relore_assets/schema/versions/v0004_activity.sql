-- A run counts one thing after the other, each as fast as it goes.
ALTER TABLE relore.fetch_activity ADD COLUMN worked_seconds double precision NOT NULL DEFAULT 0;

-- Status asks for the last run of each pass and for those under way; runs are kept for good.

CREATE INDEX fetch_activity_last ON relore.fetch_activity (repo_id, pass, started_at DESC, run_id);
CREATE INDEX fetch_activity_open ON relore.fetch_activity (repo_id) WHERE ended_at IS NULL;
