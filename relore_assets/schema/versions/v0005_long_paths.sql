-- Paths by digest.
ALTER TABLE relore.changed_files DROP CONSTRAINT changed_files_pkey;
CREATE UNIQUE INDEX changed_files_path ON relore.changed_files (thread_id, md5(path));
DROP INDEX relore.documents_path;
CREATE INDEX documents_path ON relore.documents (repo_id, md5(path)) WHERE path IS NOT NULL;
