CREATE INDEX changed_files_tail_thread ON relore.changed_files (repo_id, tail, thread_id);
DROP INDEX relore.changed_files_tail;
-- Pull requests of which no list of changed files is held, or a part of one.
CREATE INDEX threads_untested ON relore.threads (repo_id)
    WHERE kind = 'pr'
      AND (collected_files IS NULL OR stated_files IS NULL OR collected_files < stated_files);
