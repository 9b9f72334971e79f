CREATE INDEX documents_edited ON relore.documents (repo_id, updated_at, created_at)
    WHERE chunk_index = 0 AND updated_at > created_at;
