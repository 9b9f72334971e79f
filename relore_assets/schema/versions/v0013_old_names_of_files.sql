-- A renamed file is asked for by its old name too.
CREATE INDEX changed_files_previous_tail ON relore.changed_files (repo_id, substring(previous_path FROM '[^/]*$'), thread_id)
    WHERE previous_path IS NOT NULL;
